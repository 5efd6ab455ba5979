"""Numbers with their intervals, conditions on them, and the verdict that follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from waranalysis.errors import ClaimsError, quoted

# From the surest to the least sure.
GRADES = ("proof", "exhaustive", "certified", "sample")
Value = int | float | Fraction
# Longer fractions are shown as decimals; programs get them in full.
_LONGEST = 60


@dataclass(frozen=True)
class Number:
    """A number that lies between `low` and `high`; all three are equal if it is exact."""

    value: Value
    low: Value
    high: Value

    @classmethod
    def exact(cls, value: Value) -> Number:
        """A number that is known."""
        return cls(value, value, value)

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left open."""
        return self.low == self.high

    def to_json(self) -> Any:
        """An exact number as itself or as a text such as "65/6", else the interval."""
        if self.is_exact:
            return _plain(self.value)
        return {"value": _plain(self.value), "low": _plain(self.low), "high": _plain(self.high)}

    def __str__(self) -> str:
        if self.is_exact:
            return _text(self.value)
        low, high = float(self.low), float(self.high)
        if self.value == low == 0:
            return f"none seen, below {_text(high)}"
        if high - low < abs(float(self.value)) / 1e6:
            return f"{low:.14g} to {high:.14g}"
        return f"{_text(self.value)} ({_text(self.low)} to {_text(self.high)})"


Numbers = Mapping[str, Number]


@dataclass(frozen=True)
class Measured:
    """What a check found in one case: its numbers, and how sure they are."""

    grade: str
    numbers: Numbers


def exactly(grade: str, **numbers: Value) -> Measured:
    """Numbers of which none is left open."""
    return Measured(grade, {name: Number.exact(value) for name, value in numbers.items()})


@dataclass(frozen=True)
class Case:
    """One reading or assumption under which a claim was looked at.

    Attributes
    ----------
    label : str
    holds : bool or None
        Whether the conditions hold; None if an interval straddles what they ask for.
    conditions : tuple of str
    measured : Measured
    """

    label: str
    holds: bool | None
    conditions: tuple[str, ...]
    measured: Measured


@dataclass(frozen=True)
class Finding:
    """What became of a claim.

    Attributes
    ----------
    id, source, statement : str
    cases : tuple of Case
    assumption : str
        What the numbers take for granted; may be empty.
    command : str
        The command that shows it.
    """

    id: str
    source: str
    statement: str
    cases: tuple[Case, ...]
    assumption: str
    command: str

    @property
    def verdict(self) -> str:
        """``true`` or ``false`` if that holds of every case, else ``depends``."""
        return verdict_of([case.holds for case in self.cases])

    @property
    def grade(self) -> str:
        """How sure the least sure case is: one of `GRADES`."""
        return max((case.measured.grade for case in self.cases), key=GRADES.index)

    @property
    def numbers(self) -> dict[str, Numbers]:
        """The numbers of each case."""
        return {case.label: case.measured.numbers for case in self.cases}

    def to_dict(self) -> dict[str, Any]:
        """Everything as programs read it."""
        return {
            "id": self.id,
            "source": self.source,
            "statement": self.statement,
            "verdict": self.verdict,
            "grade": self.grade,
            "numbers": {
                label: {name: number.to_json() for name, number in numbers.items()}
                for label, numbers in self.numbers.items()
            },
            "conditions": {case.label: list(case.conditions) for case in self.cases},
            "holds": {case.label: case.holds for case in self.cases},
            "assumption": self.assumption,
            "command": self.command,
        }


def verdict_of(holds: Sequence[bool | None]) -> str:
    """The verdict of a claim from what became of its cases."""
    if all(holds):
        return "true"
    return "false" if all(held is False for held in holds) else "depends"


# --- conditions -----------------------------------------------------------------------------

_CONDITION = re.compile(r"([a-z]\w*) (<|<=|==|>=|>) ([a-z]\w*|-?[0-9]+(?:[./][0-9]+)?)", re.ASCII)


def read_condition(text: str) -> tuple[str, str, str]:
    """Split ``NUMBER SIGN NUMBER``; the right one is a name or written out, such as 1/2.

    Raises
    ------
    ClaimsError
        If it is none.
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise ClaimsError(f"condition {quoted(text)}: expected such as 'share >= 0.9'")
    return match[1], match[2], match[3]


def all_hold(conditions: Iterable[str], numbers: Numbers) -> bool | None:
    """Whether all conditions hold; None if that is open and none is false."""
    found = [_holds(condition, numbers) for condition in conditions]
    if False in found:
        return False
    return None if None in found else True


def _holds(condition: str, numbers: Numbers) -> bool | None:
    name, sign, other = read_condition(condition)
    right = Number.exact(Fraction(other)) if not other[0].isalpha() else _named(other, numbers)
    return _compare(_named(name, numbers), sign, right)


def _named(name: str, numbers: Numbers) -> Number:
    if name not in numbers:
        raise ClaimsError(f"no number {quoted(name)}: expected one of {', '.join(numbers)}")
    return numbers[name]


def _compare(left: Number, sign: str, right: Number) -> bool | None:
    if sign == "==":
        if left.is_exact and right.is_exact:
            return left.value == right.value
        return False if left.high < right.low or right.high < left.low else None
    if sign in (">", ">="):
        left, right = right, left
    if sign in ("<", ">"):
        sure, out = left.high < right.low, left.low >= right.high
    else:
        sure, out = left.high <= right.low, left.low > right.high
    return True if sure else False if out else None


# --- how numbers are written ----------------------------------------------------------------


def _plain(value: Value) -> int | float | str:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    return value


def _text(value: Value) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Fraction):
        return str(value) if len(str(value)) <= _LONGEST else f"{float(value):.13g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"
