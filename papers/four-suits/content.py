"""What the text takes from the data, the tables and the figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waranalysis.paper import Book, Source
from waranalysis.paper.book import decimal, percent
from waranalysis.paper.figure import LINES
from waranalysis.paper.tex import booktabs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERS = ("natural", "descending")
SMALL = ("2x4", "3x4", "4x4")
PLACED = ("2x4", "3x4")
BIG = ("5x4", "8x4", "13x4")
CATALOGUE = "python -m waranalysis.construct.catalogue"
CERTIFICATES = {
    "loop-natural": "preset-natural",
    "loop-descending": "preset-descending",
    "loop-32": "7-Ax4_natural_rows_bottom_0-down",
}
FOUND = {
    "loop-natural": ("$13\\times4$", "natural", "waranalysis endless standard --rules natural"),
    "loop-descending": (
        "$13\\times4$",
        "descending",
        "waranalysis endless standard --rules descending",
    ),
    "loop-32": ("$8\\times4$", "natural", "waranalysis endless 7-Ax4 --rules natural"),
}


def found(book: Book, name: str) -> Source:
    """The certificate of a constructed loop, which is its own proof."""
    file = f"data/endless/certificates/{CERTIFICATES[name]}.json"
    return book.shared(file, FOUND[name][2], file)


def times(deck: str) -> str:
    """A deck in TeX."""
    return f"${deck.replace('x', chr(92) + 'times ')}$"


def numbers(book: Book) -> None:
    """The numbers of the text, by name."""
    for order in ORDERS:
        for deck in SMALL:
            census = book.step(f"{order}-{deck}.json")
            for key in ("deals", "never", "draws", "longest"):
                book.number(census, key, name=f"{order}-{deck}-{key}")
            if deck not in PLACED:
                continue
            positions = book.step(f"{order}-{deck}-positions.json")
            for key in ("positions", "never", "longest"):
                book.number(positions, key, name=f"{order}-{deck}-all-{key}")
    for deck in ("3x4", "4x4"):
        census = book.step(f"natural-{deck}.json")
        (period,) = census["cycle_lengths"]
        how = "cycle_lengths: the only key"
        book.derived(int(period), census, how, name=f"natural-{deck}-period")
        book.number(census, "never", of="deals", name=f"natural-{deck}-share", show=percent(3))
    for deck in BIG:
        sample = book.step(f"natural-{deck}-sample.json")
        book.number(sample, "games", name=f"{deck}-games")
        book.number(sample, "battles", "quantiles", "1", name=f"{deck}-longest")
        book.number(sample, "never", name=f"{deck}-never")
        bound = sample.value("proportions", "never", "high")
        how = "proportions > never > high"
        book.derived(bound, sample, how, name=f"{deck}-bound", show=percent(4))
    _published(book)
    _loops(book)


def _published(book: Book) -> None:
    """How many published values come out the same."""
    literature = book.shared("papers/four-suits/literature.json", "copied from the publication")
    equal = []
    for deck in SMALL:
        for order in ORDERS:
            census = book.step(f"{order}-{deck}.json")
            stated = literature.content.get(f"{deck} {order}", {})
            equal += [census[key] == value for key, value in stated.items()]
    book.derived(len(equal), literature, "values for 2x4, 3x4, 4x4", name="published")
    book.derived(sum(equal), literature, "of these, equal to ours", name="published-equal")
    five = "5x4 natural"
    book.number(literature, five, "deals up to swap", name="literature-5x4-deals")
    book.number(literature, five, "most pairs laid", name="literature-5x4-pairs")
    for cards, deck in ((20, "5x4"), (52, "13x4")):
        record = book.step(f"record-{cards}.json")
        stated = literature.value(f"{deck} natural", "longest battles")
        assert record.value("deals", 0, "battles") == stated
        for key in ("battles", "wars"):
            book.number(record, "deals", 0, key, name=f"record-{cards}-{key}")


def _loops(book: Book) -> None:
    for name in FOUND:
        for key in ("tail", "period", "identity_period"):
            book.number(found(book, name), key, name=f"{name}-{key.replace('_', '-')}")
    same = found(book, "loop-natural")["deal"] == found(book, "loop-descending")["deal"]
    assert same, "the text says that one deal loops under both orders"
    catalogue = book.shared("data/endless/catalogue.jsonl", CATALOGUE)
    entry = {"name": "preset-natural"}
    book.number(catalogue, entry, "ties", name="loop-wars")
    word = catalogue.value(entry, "pattern", "word")
    book.derived(word, catalogue, "name = preset-natural > pattern > word", name="loop-word")
    how = "pattern > word: letters, two for the war"
    pairs = sum(letter in "AB" for letter in word) + 1
    book.derived(pairs, catalogue, how, name="loop-pairs")
    for key in ("longest_word", "loops", "unfit"):
        name = f"pattern-{key.replace('_', '-')}"
        book.number(catalogue, entry, "searched", 0, key, name=name)
    open_case = {"name": "7-Ax4_descending_rows_bottom_0-down"}
    book.number(catalogue, open_case, "searched", 1, "longest_word", name="open-32-word")
    book.number(catalogue, open_case, "searched", 1, "patterns", name="open-32-patterns")
    longest = book.shared(
        "data/endless/longest/standard_natural.json",
        "waranalysis endless standard --rules natural --longest",
        "data/endless/longest/standard_natural.json",
    )
    book.number(longest, "battles", name="climbed-longest")
    book.number(longest, "wars", name="climbed-wars")


# --- tables -------------------------------------------------------------------------------------


def counts_table(book: Book) -> Iterator[str]:
    """Every deal of the three small decks."""
    groups = []
    for order in ORDERS:
        rows = []
        for deck in SMALL:
            census = book.step(f"{order}-{deck}.json")
            wins = book.number(census, "wins", 0)
            keys = ("draws", "never", "longest")
            cells = [book.number(census, "deals"), wins, *(book.number(census, k) for k in keys)]
            mean = census["total_battles"] / (census["deals"] - census["never"])
            how = "total_battles / (deals - never)"
            rows.append([times(deck), *cells, book.derived(mean, census, how, show=decimal(2))])
        groups.append([[f"\\multicolumn{{7}}{{@{{}}l}}{{\\rulename{{{order}}}}}"], *rows])
    header = ["", "deals", "each wins", "draws", "never", "longest", "mean"]
    return booktabs("lrrrrrr", header, groups)


def positions_table(book: Book) -> Iterator[str]:
    """Every position of the smallest decks."""
    groups = []
    for order in ORDERS:
        rows = []
        for deck in PLACED:
            found = book.step(f"{order}-{deck}-positions.json")
            keys = ("positions", "never", "longest")
            rows.append([times(deck), *(book.number(found, key) for key in keys)])
        groups.append([[f"\\multicolumn{{4}}{{@{{}}l}}{{\\rulename{{{order}}}}}"], *rows])
    return booktabs("lrrr", ["", "positions", "never end", "longest"], groups)


def sample_table(book: Book) -> Iterator[str]:
    """Random games of bigger decks."""
    groups = []
    for order in ORDERS:
        rows = []
        for deck in BIG:
            sample = book.step(f"{order}-{deck}-sample.json")
            cells = [book.number(sample, "games"), book.number(sample, "never")]
            cells.append(book.number(sample, "battles", "mean", show=decimal(1)))
            cells += [book.number(sample, "battles", "quantiles", q) for q in ("0.5", "0.99", "1")]
            rows.append([times(deck), *cells])
        groups.append([[f"\\multicolumn{{7}}{{@{{}}l}}{{\\rulename{{{order}}}}}"], *rows])
    header = ["", "games", "never", "mean", "median", "99\\,\\%", "longest"]
    return booktabs("lrrrrrr", header, groups)


def loops_table(book: Book) -> Iterator[str]:
    """The constructed deals."""
    rows = []
    for name, (deck, order, _) in FOUND.items():
        certificate = found(book, name)
        keys = ("tail", "period", "identity_period")
        cells = [book.number(certificate, key) for key in keys]
        rows.append([deck, f"\\rulename{{{order}}}", *cells])
    return booktabs("llrrr", ["deck", "order", "tail", "period", "every card"], [rows])


_SUITS = {"♠": "\\spadesuit", "♥": "\\heartsuit", "♦": "\\diamondsuit", "♣": "\\clubsuit"}


def deal_table(book: Book) -> Iterator[str]:
    """The deal of 52 cards that never ends, card by card."""
    catalogue = book.shared("data/endless/catalogue.jsonl", CATALOGUE)
    packets = catalogue.value({"name": "preset-natural"}, "cards")
    yield "\\begin{tabular}{@{}*{13}{r@{\\hspace{3.5pt}}}@{}}\n\\toprule\n"
    for number, packet in enumerate(packets, 1):
        yield f"\\multicolumn{{13}}{{@{{}}l}}{{Player {number}, top card first}}\\\\\n"
        for row in (packet[:13], packet[13:]):
            yield " & ".join(f"{card[:-1]}${_SUITS[card[-1]]}$" for card in row) + "\\\\\n"
        yield "\\midrule\n" if number == 1 else "\\bottomrule\n"
    yield "\\end{tabular}\n"


TABLES = {
    "counts": counts_table,
    "positions": positions_table,
    "sample": sample_table,
    "loops": loops_table,
    "deal": deal_table,
}


# --- figures ------------------------------------------------------------------------------------


def _going_on(battles: dict[str, Any]) -> tuple[list[int], list[float]]:
    """Lengths, and the share of games that take longer."""
    lengths = sorted(map(int, battles))
    total = sum(battles.values())
    left, shares = total, []
    for length in lengths:
        left -= battles[str(length)]
        shares.append(left / total)
    return lengths[:-1], shares[:-1]


def lengths_figure(book: Book, figure: Figure) -> None:
    """Deals of 3x4 and 4x4 whose game takes longer than so many battles."""
    axes = figure.add_subplot()
    styles = iter(LINES)
    for deck in ("4x4", "3x4"):
        for order in ORDERS:
            x, y = _going_on(book.step(f"{order}-{deck}.json")["battles"])
            style = next(styles) | {"markevery": max(len(x) // 9, 1)}
            axes.plot(x, y, **style, label=f"{deck.replace('x', '×')} {order}")
    axes.set_yscale("log")
    axes.set_xlim(0)
    axes.set_xlabel("battles")
    axes.set_ylabel("share of ending games\nthat take longer")
    axes.legend()


def growth_figure(book: Book, figure: Figure) -> None:
    """Mean and longest game by the size of the deck."""
    axes = figure.add_subplot()
    styles = iter(LINES)
    for what in ("longest", "mean"):
        for order in ORDERS:
            sizes, values = [], []
            for deck in SMALL:
                census = book.step(f"{order}-{deck}.json")
                ending = census["deals"] - census["never"]
                mean = census["total_battles"] / ending
                sizes.append(4 * int(deck.split("x")[0]))
                values.append(census["longest"] if what == "longest" else mean)
            for deck in BIG:
                battles = book.step(f"{order}-{deck}-sample.json")["battles"]
                sizes.append(4 * int(deck.split("x")[0]))
                values.append(battles["quantiles"]["1"] if what == "longest" else battles["mean"])
            axes.plot(sizes, values, **next(styles), label=f"{what}, {order}")
    axes.set_yscale("log")
    axes.axvline(18, color="#8c8c8c", linewidth=0.6)
    place = {"y": 0.95, "fontsize": 7, "transform": axes.get_xaxis_transform()}
    axes.text(17.6, s="all deals", ha="right", **place)
    axes.text(18.4, s="samples", **place)
    axes.set_xticks([8, 12, 16, 20, 32, 52])
    axes.set_xlabel("cards")
    axes.set_ylabel("battles")
    axes.legend()


FIGURES = {"lengths": lengths_figure, "growth": growth_figure}
