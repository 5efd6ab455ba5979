"""The register: every statement with its source, its check, and the rule of its verdict.

The files ``register/*.toml`` hold nothing but data. A claim is looked at in one or more *cases*
(house rules, seconds per battle, sizes of deck); a *check* measures numbers in each, and the
claim's *conditions* are put to them. The verdict is what follows: nobody writes one down.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from waranalysis.claims.finding import Case, Finding, Measured, all_hold
from waranalysis.errors import ClaimsError, quoted

_REGISTER = Path(__file__).parent / "register"


@dataclass(frozen=True)
class Claim:
    """A statement that can be checked.

    Attributes
    ----------
    id : str
    sources : tuple of str
        Keys of `sources`.
    statement : str
        In our own words.
    check : str
        ``SUBJECT.FUNCTION`` among the modules of checks.
    holds : tuple of str
        Conditions on the numbers that the check returns.
    arguments : mapping
        What the check is given in every case.
    cases : mapping of str to mapping
        What it is given besides in each; ``holds`` and ``check`` replace the claim's.
    assumption : str
        What the numbers take for granted.
    command : str
        The command that shows it.
    long : bool
        Takes more than a few seconds.
    """

    id: str
    sources: tuple[str, ...]
    statement: str
    check: str
    holds: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    cases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    assumption: str = ""
    command: str = ""
    long: bool = False

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Claim:
        """Read one table of the register."""
        fields = dict(table)
        fields["arguments"] = fields.pop("with", {})
        for name in ("sources", "holds"):
            fields[name] = tuple(fields.get(name, ()))
        fields.setdefault("cases", {"as stated": {}})
        fields.setdefault("command", f"waranalysis claims check {table['id']}")
        return cls(**fields)

    @property
    def source(self) -> str:
        """The titles of its sources."""
        titles = sources()
        return "; ".join(titles[key] for key in self.sources)

    def conditions(self, label: str) -> tuple[str, ...]:
        """What the numbers of a case are asked."""
        return tuple(self.cases[label].get("holds", self.holds))

    def measure(self, label: str, seed: int) -> Measured:
        """Run the check for one case."""
        given = {**self.arguments, **self.cases[label]}
        given.pop("holds", None)
        return check_of(given.pop("check", self.check))(seed=seed, **given)

    def find(self, seed: int) -> Finding:
        """Run the check for every case, and see what follows."""
        cases = []
        for label in self.cases:
            measured, conditions = self.measure(label, seed), self.conditions(label)
            held = all_hold(conditions, measured.numbers)
            cases.append(Case(label, held, conditions, measured))
        return Finding(
            self.id, self.source, self.statement, tuple(cases), self.assumption, self.command
        )


def check_of(name: str) -> Callable[..., Measured]:
    """The function that ``SUBJECT.FUNCTION`` names."""
    subject, _, function = name.partition(".")
    check: Callable[..., Measured] = getattr(
        import_module(f"waranalysis.claims.{subject}"), function
    )
    return check


@lru_cache
def sources() -> dict[str, str]:
    """Key and title of every sheet and paper."""
    return {str(key): str(title) for key, title in _read("sources").items()}


@lru_cache
def register() -> dict[str, Claim]:
    """All claims by id, those of the rule sheets first."""
    tables = [*_read("sheets")["claims"], *_read("papers")["claims"]]
    claims = [Claim.from_dict(table) for table in tables]
    return {claim.id: claim for claim in claims}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_REGISTER / f"{name}.toml").read_text(encoding="utf-8"))


def claim_of(name: str) -> Claim:
    """Return a claim by its id.

    Raises
    ------
    ClaimsError
        If there is none; near ones are named.
    """
    claims = register()
    if name not in claims:
        near = get_close_matches(name, claims, n=3)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise ClaimsError(
            f"no claim {quoted(name)}{hint}; expected an id of 'waranalysis claims list'"
        )
    return claims[name]
