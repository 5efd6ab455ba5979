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
    name = symbols[0].name
    points = [Fraction(2 * k + 1, 200) for k in range(100)]
    figure = Figure(figsize=(6.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    curves = [(f"player {seat + 1} wins", value) for seat, value in enumerate(outlook.winners)]
    for label, value in [*curves, ("draw", outlook.draw)]:
        above.plot(points, [float(at(value, {name: p})) for p in points], label=label)
    if outlook.battles is not None:
        below.plot(points, [float(at(outlook.battles, {name: p})) for p in points])
    above.set_ylabel("probability")
    above.legend()
    below.set_ylabel("expected battles")
    below.set_xlabel(name)
    write_picture(figure, path)


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
