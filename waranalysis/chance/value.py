"""Values: exact fractions, certified intervals, expressions with symbols."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ULP = 2.0**-52


class Interval(NamedTuple):
    """Two floats with the true value between them."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Upper minus lower, rounded up."""
        return (self.upper - self.lower) * (1 + ULP)

    def __contains__(self, value: object) -> bool:
        return bool(self.lower <= value <= self.upper)  # type: ignore[operator]


Value = Any  # Fraction, Interval, or a sympy expression


def middle(value: Value) -> float:
    """A value as a float, to look at."""
    return (value.lower + value.upper) / 2 if isinstance(value, Interval) else float(value)


def plain(value: Value | None) -> Any:
    """A value as JSON has it: a text if it is exact, both bounds if it is not."""
    if value is None:
        return None
    if isinstance(value, Interval):
        return {"lower": value.lower, "upper": value.upper}
    return str(value)


def shown(value: Value | None) -> str:
    """A value for people: a fraction with its decimals, or both bounds."""
    if value is None:
        return "infinite"
    if isinstance(value, Interval):
        return f"{value.lower:.15g} .. {value.upper:.15g}"
    text = str(value)
    if not isinstance(value, Fraction) or value.denominator == 1:
        return text
    decimals = f"{float(value):.12f}"
    return f"{text} ≈ {decimals}" if len(text) <= 40 else f"{decimals} (exact: --json)"


def mean(lower: NDArray[np.float64], upper: NDArray[np.float64], weights: list[int]) -> Interval:
    """The weighted mean of values of 0 or more, each between its bounds."""
    total = sum(weights)
    # Rounding a product, the sum and the quotient: three times half an ulp at most.
    low = fsum(float(x) * w for x, w in zip(lower, weights, strict=True)) / total
    high = fsum(float(x) * w for x, w in zip(upper, weights, strict=True)) / total
    return Interval(low * (1 - 4 * ULP), high * (1 + 4 * ULP))


def difference(squares: Value, mean: Value) -> Value:
    """Variance from the expected square and the expected value."""
    if not isinstance(squares, Interval):
        return squares - mean * mean
    low = squares.lower - mean.upper**2 * (1 + 2 * ULP)
    high = squares.upper - mean.lower**2 * (1 - 2 * ULP)
    return Interval(max(0.0, low - abs(low) * ULP), high + abs(high) * ULP)
