"""The commands `rules list` and `rules show`."""

from __future__ import annotations

import click

from waranalysis.cli.options import Output, csv_lines, one_json, output_options
from waranalysis.cli.tables import table
from waranalysis.provenance import provenance
from waranalysis.rules import from_settings, load, preset_names


@click.group("rules")
def command() -> None:
    """List and show rule sets.

    \b
    waranalysis rules list
    waranalysis rules show natural
    """


@command.command("list")
@output_options("json", "csv")
def list_(output: Output) -> None:
    """List the rule sets that come with the package.

    \b
    waranalysis rules list
    """
    presets = [load(name) for name in preset_names()]
    header = ["name", "kind", "title"]
    rows = [[rules.name, rules.kind, rules.title] for rules in presets]
    output.write(
        table=lambda: table(header, rows),
        json=one_json([rules.to_dict() for rules in presets]),
        csv=lambda: csv_lines(header, rows),
    )


@command.command("show")
@click.argument("name", metavar="NAME|FILE.toml", default="classic")
@click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="Change one field; may be given again.",
)
@output_options("json")
def show(name: str, settings: tuple[str, ...], output: Output) -> None:
    """Show every field of a rule set, as TOML that --rules takes back.

    \b
    waranalysis rules show classic --set face_down=1 > mine.toml
    """
    rules = from_settings(load(name), settings)
    output.write(
        table=lambda: rules.to_toml().splitlines(),
        json=one_json(provenance("rules", rules)),
    )
