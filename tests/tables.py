"""Readable tables of the CSV files in `data/`; run as a script to write them anew."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"
ORDERS = ("winner-first", "loser-first", "seat-first", "natural", "descending", "ascending")
Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    """The rows of a CSV file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], right: int) -> Iterator[str]:
    """Lines of a table; columns from `right` on are right-aligned."""
    yield "| " + " | ".join(header) + " |"
    yield "|" + "|".join("--:" if place >= right else "---" for place in range(len(header))) + "|"
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"


def digits(lower: str, upper: str) -> str:
    """A fraction, or the decimals that both bounds share, nine at most."""
    if not lower:
        return ""
    if "." not in lower and len(lower) <= 15:
        return lower
    low, high = float(Fraction(lower)), float(Fraction(upper))
    places = next(n for n in range(9, -1, -1) if f"{low:.{n}f}" == f"{high:.{n}f}")
    return f"{low:.{places}f}"


# --- chance ----------------------------------------------------------------------------------


def chance_files() -> list[Path]:
    """Tables of endings: two players, then three; small decks first."""
    found = (DATA / "chance").glob("endings-*.csv")

    def key(path: Path) -> tuple[bool, bool, int, str]:
        ranks, copies = path.stem.rsplit("-", 1)[1].split("x")
        return "three" in path.stem, copies != "1", int(ranks) * int(copies), path.stem

    return sorted(found, key=key)


def chance_lines() -> Iterator[str]:
    """Lines of `data/chance/TABLE.md`."""
    tables = {path: read(path) for path in chance_files()}
    rows = [row for table in tables.values() for row in table]
    certain = sum(row["ending_certain"] == "1" for row in rows)
    yield "# Where chance makes the end certain"
    yield ""
    yield f"The end is certain in {certain} of {len(rows)} chains: {len(tables)} decks, each under"
    yield "the house rules that make a difference to it. Written by `python -m tests.tables` from"
    yield "the CSV files beside it, which say more. *Never* counts deals that never end when the"
    yield "pot is put back in a fixed order: winner first, loser first, seat first, natural,"
    yield "descending, ascending. Battles are those of a random deal: a fraction, or the decimals"
    yield "that a lower and an upper bound share; nothing beyond 20 million transitions."
    for path, table in tables.items():
        players = "three players" if "three" in path.stem else "two players"
        yield ""
        yield f"## {table[0]['deck']}, {players}, dealt {table[0]['split']}"
        yield ""
        yield from _endings(table)


def _endings(table: Rows) -> Iterator[str]:
    wars = bool(table[0]["short"])
    header = ["down", "short"] * wars + ["pot", "positions", "transitions", "closed classes"]
    header += ["ends", *(f"never {''.join(w[0] for w in o.split('-')).upper()}" for o in ORDERS)]
    rows = []
    for row in table:
        counts = [f"{int(row[name]):,}" for name in ("positions", "transitions")]
        closed = [row["closed_classes"], row["ends"]]
        never = [f"{int(row[f'never_{order}']):,}" for order in ORDERS]
        battles = digits(row["battles_lower"], row["battles_upper"])
        house = [row["face_down"], row["short"]] * wars
        rows.append([*house, row["capture"], *counts, *closed, *never, battles])
    yield from markdown([*header, "battles"], rows, 3 if wars else 1)


# --- choice ----------------------------------------------------------------------------------


def choice_lines() -> Iterator[str]:
    """Lines of `data/choice/TABLE.md`."""
    yield "# Habits against each other"
    yield ""
    yield "How often player 1 wins who always puts the pot back in the order of the row, against"
    yield "a player 2 with the habit of the column, in per cent of all deals; after the slash how"
    yield "many never end. Written by `python -m tests.tables` from the CSV files beside it, which"
    yield "have fractions, draws and battles."
    for path in sorted((DATA / "choice").glob("habits-*.csv")):
        down = path.stem.split("-")[1]
        about = "" if down == "distinct" else f", {down} face down"
        rows = read(path)
        for deck in dict.fromkeys(row["deck"] for row in rows):
            yield ""
            yield f"## {deck}{about}"
            yield ""
            yield from _matrix([row for row in rows if row["deck"] == deck])


def _matrix(rows: Rows) -> Iterator[str]:
    cells = {(row["player 1"], row["player 2"]): row for row in rows}
    body = [[f"**{one}**", *(_percent(cells[one, two]) for two in ORDERS)] for one in ORDERS]
    yield from markdown(["player 1 \\ player 2", *ORDERS], body, 1)


def _percent(row: dict[str, str]) -> str:
    wins, never = (100 * float(Fraction(row[f"{n} lower"])) for n in ("player 1 wins", "never"))
    return f"{wins:.2f} / {never:.2f}"


TABLES = {
    DATA / "chance" / "TABLE.md": chance_lines,
    DATA / "choice" / "TABLE.md": choice_lines,
}


def main() -> None:
    """Write every table."""
    for path, lines in TABLES.items():
        path.write_text("\n".join(lines()) + "\n")


if __name__ == "__main__":
    main()
