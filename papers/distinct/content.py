"""What the text takes from the data, the tables and the figures."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any

from waranalysis.paper import Book, Source
from waranalysis.paper.book import grouped, percent
from waranalysis.paper.figure import LINES, MIDDLE
from waranalysis.paper.tex import booktabs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERS = ("winner-first", "loser-first")
CENSUS = range(5, 11)
POSITIONS = range(5, 10)


def terms(book: Book, order: str) -> Source:
    """The sequence of deals that never end."""
    command = f"waranalysis order N --capture {order} --json"
    return book.shared(f"data/order/b-{order}.txt", command)


def growth(book: Book) -> Source:
    """Nodes, leaves and longest games, by order and number of cards."""
    return book.shared("data/order/growth.csv", "waranalysis order N --capture ORDER --json")


def atlas(book: Book) -> Source:
    """A row for every order and number of cards."""
    command = "waranalysis data fill data; each row: its column command"
    return book.shared("data/atlas/distinct.csv", command)


def longest_game(book: Book, order: str, n: int) -> tuple[Any, ...]:
    """Where the battles of the longest game are, with a deal that takes so many."""
    if n in detailed(book, order):
        return book.step(f"{order}-{n}.json"), "longest"
    step = book.step(f"longest-{order}-{n}.json")
    assert step.value("deals", 0, "battles") == grown(book, order)[n]["longest"]
    return step, "deals", 0, "battles"


def runs(book: Book) -> Source:
    """All that each run of the enumeration told."""
    return book.shared("data/order/runs.jsonl", "waranalysis order N --capture ORDER --json")


def grown(book: Book, order: str) -> dict[int, dict[str, Any]]:
    """Rows of the growth file by number of cards."""
    return {row["n"]: row for row in growth(book).content if row["capture"] == order}


def detailed(book: Book, order: str) -> list[int]:
    """Numbers of cards for which the paper has cycle lengths."""
    steps = book.paper.steps
    return sorted(
        int(name.removeprefix(f"{order}-").partition(".")[0])
        for name in steps
        if name.startswith(order)
    )


def numbers(book: Book) -> None:
    """The numbers of the text, by name."""
    for order in ORDERS:
        _sequence(book, order)
    _agreement(book)
    _work(book)
    _once(book)
    for number, name in enumerate(("high", "low")):
        deal = book.step("spivey.json")
        key = "period" if name == "high" else "battles"
        book.number(deal, "deals", number, key, name=f"spivey-{name}")
    for order in ORDERS:
        nine = book.step(f"graph-{order}-9.json")
        for key in ("positions", "never_end", "longest", "cycles_up_to_swap"):
            book.number(nine, key, name=f"{order}-9-{key.replace('_', '-')}")
    _multiples(book)
    five = book.step("winner-first-5.json")
    book.number(five, "nodes", name="five-nodes")
    book.number(five, "leaves", name="five-leaves")
    book.number(five, "deals", name="five-deals")
    book.number(five, "never", name="five-never")
    (period,) = five["cycle_lengths"]
    book.derived(int(period), five, "cycle_lengths: the only key", name="five-period")


def _sequence(book: Book, order: str) -> None:
    source = terms(book, order)
    last = source.content[-1]["n"]
    book.derived(last, source, "last n", name=f"{order}-last")
    book.number(source, {"n": 17}, "term", name=f"{order}-17")
    share = Fraction(source.value({"n": 17}, "term"), factorial(17))
    book.derived(share, source, "term of n = 17 / 17!", name=f"{order}-17-share", show=percent(2))
    zeros = [row["n"] for row in source.content if row["term"] == 0]
    listed = ", ".join(map(str, zeros[:-1])) + f" and {zeros[-1]}"
    book.derived(listed, source, "n whose term is 0", name=f"{order}-zeros")
    longest = {n: row["longest"] for n, row in grown(book, order).items() if row["longest"]}
    most = max(longest, key=longest.__getitem__)
    row = {"capture": order, "n": most}
    book.number(growth(book), row, "longest", name=f"{order}-longest")
    book.derived(most, growth(book), "n of the greatest longest", name=f"{order}-longest-n")
    book.number(runs(book), {"capture": order, "n": 15}, "cycles", name=f"{order}-15-cycles")


def _multiples(book: Book) -> None:
    """With an odd number n of cards every period found is a multiple of n + 1, or of n - 1."""
    source = runs(book)
    for order, step in zip(ORDERS, (1, -1), strict=True):
        odd = [row for row in source.content if row["capture"] == order and row["n"] % 2]
        found = [(row["n"], int(period)) for row in odd for period in row["cycle_lengths"]]
        assert all(period % (n + step) == 0 for n, period in found)
        how = f"keys of cycle_lengths, {order}, n odd"
        book.derived(len(found), source, how, name=f"{order}-odd-periods")
        last = max(row["n"] for row in odd)
        book.derived(last, source, f"greatest odd n of {order}", name=f"{order}-odd-last")


def _agreement(book: Book) -> None:
    literature = book.shared("papers/distinct/literature.json", "copied from the publication")
    stated = equal = 0
    for order in ORDERS:
        ours = [row["term"] for row in terms(book, order).content]
        stated += len(literature[order])
        equal += sum(a == b for a, b in zip(ours, literature[order], strict=False))
    book.derived(stated, literature, "terms", name="published")
    book.derived(equal, literature, "terms equal to ours", name="published-equal")
    book.number(literature, "seconds for 17 cards", name="published-seconds")
    same = 0
    for order in ORDERS:
        for n in CENSUS:
            census, found = book.step(f"census-{order}-{n}.json"), book.step(f"{order}-{n}.json")
            same += all(census[k] == found[k] for k in ("deals", "never", "longest"))
            same += census["cycle_lengths"] == found["cycle_lengths"]
    last = book.step(f"census-loser-first-{CENSUS[-1]}.json")
    book.derived(2 * len(CENSUS), last, "censuses", name="censuses")
    how = "censuses equal in deals, never, longest, and those equal in cycle_lengths"
    book.derived(same // 2, last, f"{how}: half the sum", name="censuses-equal")
    book.number(last, "deals", name="census-most-deals")
    book.derived(CENSUS[-1], last, "cards", name="census-most")


def _work(book: Book) -> None:
    for order in ORDERS:
        row = {"capture": order, "n": 17}
        book.number(growth(book), row, "nodes", name=f"{order}-17-nodes")
        book.number(growth(book), row, "leaves", name=f"{order}-17-leaves")
        last = {"capture": order, "n": 19}
        never = growth(book).value(last, "never")
        book.number(growth(book), last, "never", name=f"{order}-19")
        book.number(growth(book), last, "nodes", name=f"{order}-19-nodes")
        book.number(*longest_game(book, order, 19), name=f"{order}-19-longest")
        share = Fraction(never, factorial(19))
        name = f"{order}-19-share"
        book.derived(share, growth(book), "never of n = 19 / 19!", name=name, show=percent(2))
        nodes = growth(book).value(row, "nodes")
        saving = Fraction(factorial(17), nodes)
        how = "17! / nodes of n = 17"
        name = f"{order}-17-saving"
        book.derived(saving, growth(book), how, name=name, show=lambda v: grouped(round(v, -5)))
    book.derived(factorial(17), growth(book), "17!", name="deals-17")
    book.number(growth(book), {"capture": "winner-first", "n": 16}, "nodes", name="nodes-16")


def _once(book: Book) -> None:
    """18 cards: one run only."""
    source, row = growth(book), {"capture": "winner-first", "n": 18}
    for key, name in (("never", "winner-first-18"), ("nodes", "winner-first-18-nodes")):
        book.number(source, row, key, name=name)
    share = Fraction(source.value(row, "never"), factorial(18))
    how = "never of n = 18 / 18!"
    book.derived(share, source, how, name="winner-first-18-share", show=percent(2))
    book.number(*longest_game(book, "winner-first", 18), name="winner-first-18-longest")


# --- tables -------------------------------------------------------------------------------------


def counts_table(book: Book) -> Iterator[str]:
    """Deals that never end and longest games, both orders side by side."""
    last = max(terms(book, order).content[-1]["n"] for order in ORDERS)
    rows = []
    for n in range(1, last + 1):
        cells = [str(n), grouped(factorial(n))]
        for order in ORDERS:
            cells += _count_cells(book, order, n)
        rows.append(cells)
    header = ["$n$", "deals"]
    header += ["never end", "share", "longest"] * 2
    yield from _two_headed(booktabs("rrrrrrrr", header, [rows]))


def _two_headed(lines: Iterator[str]) -> Iterator[str]:
    """Put the names of the orders above their columns."""
    yield next(lines)
    heads = " & ".join(f"\\multicolumn{{3}}{{c}}{{\\rulename{{{order}}}}}" for order in ORDERS)
    yield f"& & {heads} \\\\\n\\cmidrule(lr){{3-5}}\\cmidrule(l){{6-8}}\n"
    yield from lines


def _count_cells(book: Book, order: str, n: int) -> list[str]:
    source, at = atlas(book), {"capture": order, "n": n}
    row = source.value(at)
    assert row["never"] == terms(book, order).value({"n": n}, "term")
    cells = [book.number(source, at, "never"), "0"]
    if row["never"]:
        share, how = Fraction(row["never"], row["deals"]), f"{order}, n = {n}: never / deals"
        cells[1] = book.derived(share, source, how, show=percent(2), row=row)
    return [*cells, book.number(*longest_game(book, order, n))]


def cycles_table(book: Book) -> Iterator[str]:
    """Deals by the length of their loop."""
    groups = []
    for order in ORDERS:
        rows = []
        for n in detailed(book, order):
            source = book.step(f"{order}-{n}.json")
            for place, period in enumerate(source["cycle_lengths"]):
                deals = book.number(source, "cycle_lengths", period)
                rows.append(["" if place else str(n), period, deals])
        rows += _long_rows(book, order, detailed(book, order)[-1])
        groups.append([[f"\\multicolumn{{3}}{{@{{}}l}}{{\\rulename{{{order}}}}}"], *rows])
    return booktabs("rrr", ["$n$", "battles", "deals"], groups)


def _long_rows(book: Book, order: str, after: int) -> list[list[str]]:
    """The same from the atlas, for more cards than the paper's own data have."""
    source, rows = atlas(book), []
    for row in source.content:
        if row["capture"] == order and row["n"] > after and row["never"] not in (0, "-"):
            for place, pair in enumerate(row["cycle_lengths"].split(";")):
                period, deals = map(int, pair.split(":"))
                how = f"n = {row['n']}, {order}: cycle_lengths"
                first = "" if place else str(row["n"])
                rows.append([first, str(period), book.derived(deals, source, how, row=row)])
    return rows


def positions_table(book: Book) -> Iterator[str]:
    """Every position of every split, and the cycles in them."""
    groups = []
    for order in ORDERS:
        rows = []
        for n in POSITIONS:
            source = book.step(f"graph-{order}-{n}.json")
            keys = ("positions", "never_end", "cycles_up_to_swap", "longest")
            rows.append([str(n), *(book.number(source, key) for key in keys)])
        groups.append([[f"\\multicolumn{{5}}{{@{{}}l}}{{\\rulename{{{order}}}}}"], *rows])
    header = ["$n$", "positions", "never end", "cycles", "longest"]
    return booktabs("rrrrr", header, groups)


TABLES = {"counts": counts_table, "cycles": cycles_table, "positions": positions_table}


# --- figures ------------------------------------------------------------------------------------


def share_figure(book: Book, figure: Figure) -> None:
    """The share of deals that never end."""
    axes = figure.add_subplot()
    for style, order in zip(LINES, ORDERS, strict=False):
        rows = terms(book, order).content
        n = [row["n"] for row in rows]
        axes.plot(
            n, [100 * row["term"] / factorial(row["n"]) for row in rows], **style, label=order
        )
    axes.set_xticks(range(1, rows[-1]["n"] + 1, 2))
    axes.set_xlabel("cards")
    axes.set_ylabel("deals that never end (%)")
    axes.legend(loc="upper left")


def axes_end(book: Book) -> int:
    """The greatest number of cards."""
    return max(row["n"] for row in growth(book).content)


def growth_figure(book: Book, figure: Figure) -> None:
    """Nodes beside deals."""
    axes = figure.add_subplot()
    last = axes_end(book)
    deals = [factorial(n) for n in range(2, last + 1)]
    axes.plot(range(2, last + 1), deals, color=MIDDLE, linewidth=1.6, label="deals, n!")
    for style, order in zip(LINES, ORDERS, strict=False):
        rows = [(n, row["nodes"]) for n, row in sorted(grown(book, order).items()) if row["nodes"]]
        axes.plot(*zip(*rows, strict=True), **style, label=f"nodes, {order}")
    axes.set_yscale("log")
    axes.set_xticks(range(1, last + 1, 2))
    axes.set_xlabel("cards")
    axes.legend()


def longest_figure(book: Book, figure: Figure) -> None:
    """The longest game that ends."""
    axes = figure.add_subplot()
    for style, order in zip(LINES, ORDERS, strict=False):
        rows = [(n, row["longest"]) for n, row in sorted(grown(book, order).items()) if n > 1]
        axes.plot(*zip(*rows, strict=True), **style, label=order)
    axes.set_yscale("log")
    axes.set_xticks(range(1, axes_end(book) + 1, 2))
    axes.set_xlabel("cards")
    axes.set_ylabel("battles of the longest game")
    axes.legend()


FIGURES = {"share": share_figure, "growth": growth_figure, "longest": longest_figure}
