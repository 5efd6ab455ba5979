"""What the text takes from the data, the tables and the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from waranalysis.paper import Book, Source
from waranalysis.paper.book import Show, decimal, grouped, percent
from waranalysis.paper.figure import BLACK, LINES, WIDTH
from waranalysis.paper.tex import booktabs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = dict[str, Any]
ORDERS = ("winner-first", "loser-first", "seat-first", "natural", "descending", "ascending")
DOWN = (0, 1, 3)
SHORTS = ("lose", "use-remaining")
FILL = "waranalysis data fill data"


def atlas(book: Book) -> Source:
    """A row for every deck, order, cards face down and rule for short players."""
    return book.shared("data/atlas/decks.csv", f"{FILL}; each row: its column command")


def shuffled(book: Book) -> Source:
    """The same with chance."""
    return book.shared("data/atlas/shuffled.csv", f"{FILL}; each row: its column command")


def catalogue(book: Book) -> Source:
    """Searches for deals of big decks that never end."""
    command = "python -m waranalysis.construct.catalogue"
    return book.shared("data/endless/catalogue.jsonl", command)


def smallest(book: Book) -> Source:
    """The fewest cards with which a deal loops."""
    command = "python -m waranalysis.construct.catalogue"
    return book.shared("data/endless/smallest.jsonl", command)


def known(source: Source) -> list[Row]:
    """The rows that were within reach."""
    return [row for row in source.content if not beyond(row)]


def beyond(row: Row) -> bool:
    """Whether a row was out of reach."""
    return "-" in (row.get("never"), row.get("battles_lower"))


def decks(book: Book) -> list[str]:
    """The decks of the atlas, in its order, without those of one strength."""
    found = Counter(row["deck"] for row in known(atlas(book)))
    whole = len(ORDERS) * len(DOWN) * len(SHORTS)
    return [deck for deck, rows in found.items() if rows == whole and not deck.startswith("1x")]


def where(deck: str, capture: str, down: int = 0, short: str = "lose") -> Row:
    """What a row of the atlas is found by."""
    return {"deck": deck, "capture": capture, "face_down": down, "short": short}


def times(deck: str) -> str:
    """A deck in TeX."""
    return f"${deck.replace('x', chr(92) + 'times ')}$"


def periods(row: Row) -> dict[int, int]:
    """Deals by the period of their loop."""
    pairs = (pair.split(":") for pair in (row["cycle_lengths"] or "").split(";") if pair)
    return {int(period): int(deals) for period, deals in pairs}


def share(row: Row) -> Fraction:
    """The part of the deals that never end."""
    return Fraction(row["never"], row["deals"])


def numbers(book: Book) -> None:
    """The numbers of the text, by name."""
    _size(book)
    _extremes(book)
    _orders(book)
    _chance(book)
    _standard(book)


def _size(book: Book) -> None:
    source = atlas(book)
    rows = known(source)
    own = [row for row in rows if row["same_as"] is None]
    looping = [row for row in rows if row["never"]]
    counts = {
        "decks": len({row["deck"] for row in rows}),
        "rows": len(rows),
        "computed": len(own),
        "deals": sum(row["deals"] for row in own),
        "looping": len(looping),
    }
    how = {
        "decks": "different decks",
        "rows": "rows",
        "computed": "rows without same_as",
        "deals": "deals, added up over rows without same_as",
        "looping": "rows with never > 0",
    }
    for name, value in counts.items():
        book.derived(value, source, how[name], name=name)
    part = Fraction(len(looping), len(rows))
    book.derived(part, source, "rows with never > 0 / rows", name="looping-share", show=percent(0))
    quiet = sorted(set(decks(book)) - {row["deck"] for row in looping}, key=_size_of)
    listed = ", ".join(map(times, quiet)) or "none"
    book.derived(
        listed, source, "decks of two strengths or more without a row with never > 0", "quiet"
    )


def _size_of(deck: str) -> tuple[int, str]:
    strengths, copies = map(int, deck.split("x"))
    return strengths * copies, deck


def _told(row: Row) -> str:
    return f"row {row['deck']}, {row['capture']}, {row['face_down']}, {row['short']}"


def _extremes(book: Book) -> None:
    rows = known(atlas(book))
    suits = [row for row in rows if not row["deck"].endswith("x1")]
    for name, among in (("most-share", rows), ("most-share-suits", suits)):
        most = max(among, key=share)
        _extreme(book, name, most, share(most), "never / deals", percent(1))
    far = max(rows, key=lambda row: max(periods(row), default=0))
    _extreme(book, "most-period", far, max(periods(far)), "greatest of cycle_lengths")
    long = max(rows, key=lambda row: row["longest"])
    _extreme(book, "longest", long, long["longest"], "longest")


def _extreme(book: Book, name: str, row: Row, value: Any, how: str, show: Show = grouped) -> None:
    """A greatest value, and the deck and the order that have it."""
    source, told = atlas(book), _told(row)
    book.derived(value, source, f"{told}: {how}", name, show, row)
    book.derived(times(row["deck"]), source, f"{told}: deck", f"{name}-deck", row=row)
    book.derived(row["capture"], source, f"{told}: capture", f"{name}-order", row=row)


def _orders(book: Book) -> None:
    source = atlas(book)
    for order in ORDERS:
        rows = [row for row in known(source) if row["capture"] == order]
        loops = sum(bool(row["never"]) for row in rows)
        book.derived(loops, source, f"rows of {order} with never > 0", f"{order}-looping")
        book.derived(len(rows), source, f"rows of {order}", f"{order}-rows")
    suits = [row for row in known(source) if not row["deck"].endswith("x1")]
    for down in DOWN:
        loops = sum(bool(row["never"]) for row in suits if row["face_down"] == down)
        how = f"rows with equal cards, {down} face down, with never > 0"
        book.derived(loops, source, how, f"down-{down}-looping")
        rows = sum(row["face_down"] == down for row in suits)
        book.derived(rows, source, f"rows with equal cards, {down} face down", f"down-{down}-rows")
    by_depth = [sum(bool(r["never"]) for r in suits if r["face_down"] == down) for down in DOWN]
    assert by_depth == sorted(by_depth, reverse=True), "the text says that deeper wars loop less"
    others = {_war(row): row for row in suits if row["short"] == SHORTS[1]}
    ones = [row for row in suits if row["short"] == SHORTS[0] and _war(row) in others]
    pairs = [(row, others[_war(row)]) for row in ones]
    fewer = sum(one["never"] > other["never"] for one, other in pairs)
    more = sum(one["never"] < other["never"] for one, other in pairs)
    how = "pairs of rows with equal cards that differ in short"
    book.derived(len(pairs), source, how, "pairs")
    book.derived(fewer, source, f"{how}: fewer never under use-remaining", "pairs-fewer")
    book.derived(more, source, f"{how}: more never under use-remaining", "pairs-more")


def _war(row: Row) -> tuple[Any, ...]:
    return row["deck"], row["capture"], row["face_down"]


def _chance(book: Book) -> None:
    source = shuffled(book)
    rows = known(source)
    certain = sum(row["ending_certain"] for row in rows)
    book.derived(len(rows), source, "rows that were solved", "chance-rows")
    book.derived(certain, source, "sum of ending_certain", "chance-certain")
    most = max(rows, key=lambda row: row["positions"])
    book.derived(most["positions"], source, "greatest positions", "chance-positions")
    book.derived(times(most["deck"]), source, "deck of the greatest positions", "chance-deck")
    loops = {row["deck"] for row in known(atlas(book)) if row["never"]}
    solved = {row["deck"] for row in rows}
    book.derived(len(loops & solved), source, "decks solved that have loops", "chance-loop-decks")


def _standard(book: Book) -> None:
    source = catalogue(book)
    names = {row["name"] for row in source.content}
    standard = [row for row in source.content if row["name"].startswith("standard_")]
    found = [row for row in standard if row["deal"]]
    book.derived(len(standard), source, "names standard_...", "standard-rows")
    book.derived(len(found), source, "names standard_... with a deal", "standard-found")
    free = sum(row["ties"] == 0 for row in found)
    book.derived(free, source, "names standard_... with a deal and no ties", "standard-no-war")
    assert {f"standard_{order}_rows_bottom_0-down" for order in ORDERS} <= names
    row = {"name": "standard_loser-first_rows_bottom_3-down"}
    book.number(source, row, "period", name="standard-period")
    book.number(source, row, "tail", name="standard-tail")
    row = {"name": "standard_natural_rows_bottom_0-down"}
    book.number(source, row, "period", name="natural-period")


# --- tables -------------------------------------------------------------------------------------


def periods_table(book: Book) -> Iterator[str]:
    """Lengths of loops by deck and order: least, greatest, how many."""
    source, groups = atlas(book), {}
    for deck in decks(book):
        cells = []
        for order in ORDERS:
            row = source.value(where(deck, order))
            found = periods(row)
            text = "--"
            if found:
                least, most = min(found), max(found)
                text = grouped(least) + f"--{grouped(most)}" * (most > least)
                text += f" ({len(found)})" * (len(found) > 1)
                text = book.derived(text, source, f"{_told(row)}: cycle_lengths", row=row)
            cells.append(text)
        groups.setdefault(deck.partition("x")[2], []).append([times(deck), *cells])
    return booktabs("l" + "r" * len(ORDERS), ["deck", *ORDERS], groups.values())


def wars_table(book: Book) -> Iterator[str]:
    """Decks with equal cards that have loops, by order and by the rules about wars."""
    source, rows = atlas(book), []
    for order in ORDERS:
        cells = []
        for short in SHORTS:
            for down in DOWN:
                found = [
                    row for row in known(source)
                    if (row["capture"], row["short"], row["face_down"]) == (order, short, down)
                    and not row["deck"].endswith("x1")
                ]  # fmt: skip
                loops = sum(bool(row["never"]) for row in found)
                how = f"decks with equal cards and never > 0: {order}, {down}, {short}"
                cells.append(book.derived(loops, source, how))
        rows.append([f"\\rulename{{{order}}}", *cells])
    lines = booktabs("lRRRRRR", ["face down", *map(str, DOWN), *map(str, DOWN)], [rows])
    yield next(lines)
    heads = " & ".join(f"\\multicolumn{{3}}{{c}}{{\\rulename{{{short}}}}}" for short in SHORTS)
    yield f"& {heads} \\\\\n\\cmidrule(lr){{2-4}}\\cmidrule(l){{5-7}}\n"
    yield from lines


def smallest_table(book: Book) -> Iterator[str]:
    """The fewest cards that loop when they are dealt evenly."""
    source, rows = smallest(book), []
    for order in ORDERS:
        at = next(
            i for i, r in enumerate(source.content)
            if r["even"] and r["rules"]["capture"] == order and r["rules"]["face_down"] == 0
            and r["rules"]["layout"] == "rows" and not r["rules"]["reverse"]
            and r["rules"]["recycle"] == "bottom"
        )  # fmt: skip
        deal = str(source.value(at, "deal")).replace("|", "$|$")
        cells = [book.number(source, at, "cards"), f"\\deal{{{deal}}}"]
        rows.append([f"\\rulename{{{order}}}", *cells, book.number(source, at, "period")])
    return booktabs("lrlr", ["order", "cards", "a deal", "period"], [rows])


def standard_table(book: Book) -> Iterator[str]:
    """Periods of constructed loops of the decks with 52 and with 32 cards."""
    source, rows = catalogue(book), []
    for order in ORDERS:
        cells = []
        for deck in ("standard", "7-Ax4"):
            for down in DOWN:
                at = {"name": f"{deck}_{order}_rows_bottom_{down}-down"}
                looping = source.value(at, "deal") is not None
                cells.append(book.number(source, at, "period") if looping else "--")
        rows.append([f"\\rulename{{{order}}}", *cells])
    lines = booktabs("lRRRRRR", ["face down", *map(str, DOWN), *map(str, DOWN)], [rows])
    yield next(lines)
    heads = "\\multicolumn{3}{c}{$13\\times4$} & \\multicolumn{3}{c}{$8\\times4$}"
    yield f"& {heads} \\\\\n\\cmidrule(lr){{2-4}}\\cmidrule(l){{5-7}}\n"
    yield from lines


def chance_table(book: Book) -> Iterator[str]:
    """Battles of a random deal when pots are shuffled, beside the loops of the fixed orders."""
    source, fixed, groups = shuffled(book), atlas(book), {}
    there = {row["deck"] for row in source.content}
    for deck in filter(there.__contains__, decks(book)):
        row = source.value(where(deck, "shuffled"))
        if beyond(row):
            cells = ["--", "--"]
        else:
            cells = [book.number(source, where(deck, "shuffled"), "positions"), _mean(book, row)]
        never = [fixed.value(where(deck, order)) for order in ORDERS]
        most = max(never, key=share)
        how = f"{_told(most)}: never / deals, the greatest of the orders"
        worst = book.derived(share(most), fixed, how, show=percent(1), row=most)
        groups.setdefault(deck.partition("x")[2], []).append([times(deck), *cells, worst])
    header = ["deck", "positions", "battles", "loops"]
    return booktabs("lrrr", header, groups.values())


def _mean(book: Book, row: Row) -> str:
    lower, upper = (Fraction(str(row[f"battles_{side}"])) for side in ("lower", "upper"))
    assert round(lower, 3) == round(upper, 3)
    told = f"row {row['deck']}, shuffled, 0, lose: battles_lower, battles_upper"
    return book.derived(lower, shuffled(book), told, show=decimal(3), row=row)


TABLES = {
    "periods": periods_table,
    "wars": wars_table,
    "smallest": smallest_table,
    "standard": standard_table,
    "chance": chance_table,
}


# --- figures ------------------------------------------------------------------------------------


def heat_figure(book: Book, figure: Figure) -> None:
    """The share of deals that never end, for every deck, order and number of cards face down."""
    source, names = atlas(book), decks(book)
    columns = [(order, down) for order in ORDERS for down in DOWN]
    figure.set_size_inches(2 * WIDTH + 0.2, 0.178 * len(names) + 0.75)
    axes = figure.add_subplot()
    shares = [
        [float(100 * share(source.value(where(deck, *column)))) for column in columns]
        for deck in names
    ]
    axes.imshow(shares, cmap="Greys", vmin=0, vmax=130, aspect="auto")
    for y, line in enumerate(shares):
        for x, value in enumerate(line):
            if value:
                colour = "white" if value > 65 else "black"
                axes.text(x, y, _cell(value), ha="center", va="center", fontsize=7, color=colour)
    for x in range(len(DOWN), len(columns), len(DOWN)):
        axes.axvline(x - 0.5, color="black", linewidth=0.6)
    copies = [deck.partition("x")[2] for deck in names]
    for y in range(1, len(names)):
        if copies[y] != copies[y - 1]:
            axes.axhline(y - 0.5, color="black", linewidth=0.6)
    axes.set_yticks(range(len(names)), [deck.replace("x", "×") for deck in names])
    axes.set_xticks(range(len(columns)), [str(down) for _, down in columns])
    axes.tick_params(length=0)
    axes.set_xlabel("cards face down in a war")
    for number, order in enumerate(ORDERS):
        axes.text(len(DOWN) * number + 1, -0.75, order, ha="center", va="bottom", fontsize=8)
    axes.spines[:].set_visible(True)


def _cell(value: float) -> str:
    return "<.1" if value < 0.1 else f"{value:.1f}".removeprefix("0")


def sizes_figure(book: Book, figure: Figure) -> None:
    """The share of deals that never end by the number of distinct cards."""
    source = book.shared("data/atlas/distinct.csv", f"{FILL}; each row: its column command")
    axes = figure.add_subplot()
    for style, order in zip(LINES, ORDERS[:3], strict=False):
        rows = [row for row in known(source) if row["capture"] == order]
        x = [row["n"] for row in rows]
        axes.plot(x, [float(100 * share(row)) for row in rows], **style, label=order)
    axes.set_xticks(range(2, max(row["n"] for row in known(source)) + 1, 2))
    axes.set_xlabel("distinct cards")
    axes.set_ylabel("deals that never end (%)")
    axes.legend()


def lengths_figure(book: Book, figure: Figure) -> None:
    """Mean length of the deals that end, and of games with shuffled pots."""
    fixed, chance = atlas(book), shuffled(book)
    solved = [row["deck"] for row in known(chance)]
    names = [deck for deck in decks(book) if deck in solved and _size_of(deck)[0] > 4]
    axes = figure.add_subplot()
    for style, order in zip(LINES[1:], ORDERS[:3], strict=False):
        means = []
        for deck in names:
            row = fixed.value(where(deck, order))
            means.append(row["total_battles"] / (row["deals"] - row["never"]))
        axes.plot(range(len(names)), means, **style | {"linestyle": ""}, label=order)
    means = [chance.value(where(deck, "shuffled"))["battles_lower"] for deck in names]
    values = [float(Fraction(str(mean))) for mean in means]
    style = {
        "color": BLACK,
        "marker": "_",
        "markersize": 9,
        "linestyle": "",
        "markeredgewidth": 1.6,
    }
    axes.plot(range(len(names)), values, **style, label="shuffled")
    labels = [deck.replace("x", "×") for deck in names]
    axes.set_xticks(range(len(names)), labels, rotation=60, fontsize=7)
    axes.set_ylabel("mean battles of games that end")
    axes.set_ylim(0, 1.4 * max(values))
    axes.legend(ncols=2)


FIGURES = {"heat": heat_figure, "sizes": sizes_figure, "lengths": lengths_figure}
