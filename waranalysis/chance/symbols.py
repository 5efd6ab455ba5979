"""Probabilities with symbols: a field of rational functions for the exact solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any


def field(values: Sequence[Any]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How to bring `values` into the rational functions of their symbols, and results back.

    Results come back as sympy expressions, factored, or as fractions where no symbol is left.
    """
    import sympy

    symbols = sorted(
        set().union(*(v.free_symbols for v in values if hasattr(v, "free_symbols"))), key=str
    )
    domain = sympy.QQ.frac_field(*symbols)

    def convert(value: Any) -> Any:
        if isinstance(value, Fraction):
            return domain.one * sympy.QQ(value.numerator, value.denominator)
        return domain.from_sympy(sympy.together(value))

    def back(value: Any) -> Any:
        found = sympy.factor(domain.to_sympy(value))
        return Fraction(int(found.p), int(found.q)) if found.is_Rational else found

    return convert, back
