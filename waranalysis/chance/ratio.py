"""Quotients of polynomials with whole coefficients, in lowest terms, for the exact solver.

flint does the arithmetic of polynomials: an order of magnitude faster than sympy's own fields.
"""

from __future__ import annotations

from typing import Any


class Ratio:
    """A quotient of two `flint.fmpz_mpoly` without a common factor.

    Parameters
    ----------
    top, bottom : fmpz_mpoly
    """

    __slots__ = ("bottom", "top")

    def __init__(self, top: Any, bottom: Any) -> None:
        common = top.gcd(bottom)
        if bottom.leading_coefficient() < 0:
            common = -common
        self.top = top // common
        self.bottom = bottom // common

    def _of(self, other: Ratio | int) -> Ratio:
        if isinstance(other, Ratio):
            return other
        one = self.bottom.context().constant(1)
        return Ratio(one * other, one)

    def __add__(self, other: Ratio | int) -> Ratio:
        two = self._of(other)
        return Ratio(self.top * two.bottom + two.top * self.bottom, self.bottom * two.bottom)

    def __sub__(self, other: Ratio | int) -> Ratio:
        two = self._of(other)
        return Ratio(self.top * two.bottom - two.top * self.bottom, self.bottom * two.bottom)

    def __mul__(self, other: Ratio | int) -> Ratio:
        two = self._of(other)
        return Ratio(self.top * two.top, self.bottom * two.bottom)

    def __truediv__(self, other: Ratio | int) -> Ratio:
        two = self._of(other)
        return Ratio(self.top * two.bottom, self.bottom * two.top)

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ratio)
            and bool(self.top == other.top)
            and bool(self.bottom == other.bottom)
        )

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.top)
