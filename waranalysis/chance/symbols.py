"""Probabilities with symbols: a field of rational functions for the exact solver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waranalysis.errors import FileError, MissingError, RulesError, quoted

if TYPE_CHECKING:
    from waranalysis.chance.result import Outlook


def field(values: Sequence[Any]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How to bring `values` into the rational functions of their symbols, and results back.

    Results come back as sympy expressions, factored, or as fractions where no symbol is left.
    """
    import sympy
    from flint import fmpz_mpoly_ctx

    from waranalysis.chance.ratio import Ratio

    symbols = _symbols(values)
    context = fmpz_mpoly_ctx.get(tuple(map(str, symbols)), "lex")

    def polynomial(expression: Any) -> Any:
        terms = sympy.Poly(expression, *symbols, domain=sympy.ZZ).terms()
        return context.from_dict({powers: int(factor) for powers, factor in terms})

    def convert(value: Any) -> Any:
        if isinstance(value, Fraction):
            return Ratio(context.constant(value.numerator), context.constant(value.denominator))
        return Ratio(*map(polynomial, sympy.fraction(sympy.together(value))))

    def expression(poly: Any) -> Any:
        terms = {powers: int(factor) for powers, factor in poly.to_dict().items()}
        return sympy.Poly(terms or {(0,) * len(symbols): 0}, *symbols).as_expr()

    def back(value: Any) -> Any:
        found = sympy.factor(expression(value.top) / expression(value.bottom))
        return Fraction(int(found.p), int(found.q)) if found.is_Rational else found

    return convert, back


def _symbols(values: Iterable[Any]) -> list[Any]:
    found = [value.free_symbols for value in values if hasattr(value, "free_symbols")]
    return sorted(set().union(*found), key=str)


def latex(value: Any) -> str:
    """A value as LaTeX; bounds as an interval."""
    import sympy

    from waranalysis.chance.value import Interval

    if value is None:
        return r"\infty"
    if isinstance(value, Interval):
        return f"[{value.lower!r}, {value.upper!r}]"
    if isinstance(value, Fraction):
        value = sympy.Rational(value.numerator, value.denominator)
    return str(sympy.latex(value))


def symbols_of(outlook: Outlook) -> list[Any]:
    """The symbols in the values, by name."""
    values = (*outlook.winners, outlook.draw, outlook.never, outlook.battles, outlook.variance)
    return _symbols(values)


def at(value: Any, point: dict[str, Fraction]) -> Any:
    """A value with numbers for its symbols, as a fraction."""
    if not hasattr(value, "free_symbols"):
        return value
    import sympy

    number = value.subs(
        {name: sympy.Rational(p.numerator, p.denominator) for name, p in point.items()}
    )
    return Fraction(int(number.p), int(number.q))


def plot_values(outlook: Outlook, path: Path) -> None:
    """Draw probabilities and expected battles over the one symbol there is, from 0 to 1.

    Raises
    ------
    RulesError
        If there is not exactly one symbol.
    MissingError
        Without matplotlib.
    FileError
        If the ending of `path` names no kind of picture.
    """
    symbols = symbols_of(outlook)
    if len(symbols) != 1:
        raise RulesError(f"{len(symbols)} symbols: expected one to draw over")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingError("a plot needs matplotlib: pip install 'waranalysis[papers]'") from None
    figure = Figure(figsize=(6.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    curves = [(f"player {seat + 1} wins", value) for seat, value in enumerate(outlook.winners)]
    for number, (label, value) in enumerate([*curves, ("draw", outlook.draw)]):
        # Curves may lie on one another: each has dashes of its own.
        style = "-" if not number else (0, (6 - number, 1 + number))
        above.plot(*_curve(value, symbols[0].name), label=label, linestyle=style)
    if outlook.battles is not None:
        below.plot(*_curve(outlook.battles, symbols[0].name))
    above.set_ylabel("probability")
    above.set_ylim(bottom=0.0)
    figure.legend(loc="outside upper center", ncols=len(curves) + 1)
    below.set_ylabel("expected battles")
    below.set_xlabel(symbols[0].name)
    below.set_xlim(0.0, 1.0)
    write_picture(figure, path)


def _curve(value: Any, name: str) -> tuple[list[float], list[float]]:
    """Points of a curve from 0 to 1; 0 and 1 are left out where the value has a pole."""
    import sympy

    bottom = sympy.fraction(sympy.together(value))[1] if hasattr(value, "free_symbols") else 1
    points = [p for p in (Fraction(k, 100) for k in range(101)) if at(bottom, {name: p})]
    return list(map(float, points)), [float(at(value, {name: p})) for p in points]


def write_picture(figure: Any, path: Path) -> None:
    """Save a figure so that the same picture gives the same bytes."""
    form = path.suffix.removeprefix(".")
    if form not in ("pdf", "png", "svg"):
        raise FileError(f"{quoted(path)}: expected a name ending in .pdf, .png, .svg")
    import matplotlib

    temporary = path.with_name(f".{path.name}.new")
    date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    with matplotlib.rc_context({"svg.hashsalt": "waranalysis"}):
        figure.savefig(temporary, format=form, metadata=date)
    temporary.replace(path)
