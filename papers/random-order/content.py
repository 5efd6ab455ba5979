"""What the text takes from the data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, factorial, floor
from typing import TYPE_CHECKING, Any

from waranalysis.paper import Book, Source
from waranalysis.paper.book import decimal, percent
from waranalysis.paper.figure import BLACK, LINES, MIDDLE
from waranalysis.paper.tex import booktabs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DECKS = ["2x1", "3x1", "4x1", "5x1", "6x1", "7x1", "8x1", "2x2", "3x2", "4x2", "2x3", "3x3"]
DECKS += ["2x4", "3x4"]
THREE = ["3x1", "4x1", "5x1", "6x1", "3x2", "2x3"]
SPLITS = [(n, k) for n in range(2, 9) for k in range(1, n)]


def endings(book: Book, deck: str, players: int = 2) -> Source:
    """The table of house rules with chance for a deck."""
    three = "three-players-" if players == 3 else ""
    setting = " --set players=3" if players == 3 else ""
    command = f"waranalysis chance {deck}{setting} --table"
    return book.shared(f"data/chance/endings-{three}{deck}.csv", command)


def deals_of(deck: str) -> int:
    """All deals of R strengths with C copies each."""
    strengths, copies = map(int, deck.split("x"))
    return int(factorial(strengths * copies) // factorial(copies) ** strengths)


def ruin(k: int, n: int, horizon: int) -> list[Fraction]:
    """Chances that a fair walk from k first comes to 0 or n after 0, 1, …, horizon steps."""
    at = [Fraction(int(place == k)) for place in range(n + 1)]
    over = [at[0] + at[n]]
    for _ in range(horizon):
        inside = [0, *at[1:n], 0]
        at = [(a + b) / 2 for a, b in zip([0, *inside], [*inside[1:], 0], strict=False)]
        over.append(at[0] + at[n])
    return over


def law_pairs(book: Book) -> Iterator[tuple[int, int, bool]]:
    """Cards, cards of the first player, and whether mean, variance and winner are those of ruin."""
    for n, k in SPLITS:
        source = book.step(f"coin-{n}-{k}.json")
        mean, square = k * (n - k), k * k + (n - k) ** 2
        found = (source["expected_battles"], source["variance_battles"], source["winners"][0])
        law = (Fraction(mean), Fraction(mean * (square - 2), 3), Fraction(k, n))
        yield n, k, tuple(map(Fraction, found)) == law


def numbers(book: Book) -> None:
    """The numbers of the text, by name."""
    _certain(book)
    _law(book)
    for number in range(1, 5):
        book.number(
            book.step(f"deal-{number}.json"), "expected_battles", name=f"deal-{number}-mean"
        )
    book.number(book.step("deal-1.json"), "expected_battles", name="loop-mean-decimal", show=_two)
    book.number(book.step("deal-1.json"), "variance_battles", name="loop-variance")
    book.number(book.step("deal-1.json"), "positions", name="loop-positions")
    book.number(book.step("fixed-1.json"), "deals", 0, "period", name="loop-period")
    _shuffled(book)
    _standard(book)


def _two(value: Any) -> str:
    return decimal(2)(value)


def _certain(book: Book) -> None:
    sources = [endings(book, deck) for deck in DECKS] + [endings(book, d, 3) for d in THREE]
    rows = [(source, row) for source in sources for row in source.content]
    how = "all tables of endings together"
    last = sources[len(DECKS) - 1]
    book.derived(len(rows), last, f"{how}: rows", name="rule-sets")
    certain = sum(row["ending_certain"] for _, row in rows)
    book.derived(certain, last, f"{how}: sum of ending_certain", name="rule-sets-certain")
    source, row = max(rows, key=lambda pair: (pair[1]["positions"], pair[1]["transitions"]))
    where = f"{how}: most positions, then most transitions"
    book.derived(row["positions"], source, where, name="most-positions")
    book.derived(row["deck"].replace("x", r"\times "), source, where, name="most-positions-deck")
    book.derived(row["transitions"], source, "transitions there", name="most-transitions")
    source, row = max(rows, key=lambda pair: pair[1]["rank"])
    book.derived(row["rank"], source, f"{how}: greatest rank", name="most-rank")
    loops = [(s, r) for s, r in rows if r["capture"] == "shuffled" and fixed_loop(r)]
    book.derived(len(loops), last, f"{how}: shuffled, some never_ORDER > 0", name="rule-sets-loop")
    shuffled = [r for _, r in rows if r["capture"] == "shuffled"]
    book.derived(len(shuffled), last, f"{how}: shuffled", name="rule-sets-shuffled")


def fixed_loop(row: dict[str, Any]) -> bool:
    """Whether some fixed order of the pot makes a deal go round for ever."""
    return any(row[key] for key in row if key.startswith("never_"))


def _law(book: Book) -> None:
    found = list(law_pairs(book))
    n, k, _ = found[-1]
    source = book.step(f"coin-{n}-{k}.json")
    book.derived(len(found), source, "coin-N-K.json: files", name="law-pairs")
    book.derived(sum(same for *_, same in found), source, "of these as ruin", name="law-equal")
    book.derived(max(n for n, *_ in found), source, "most cards", name="law-most-cards")
    lengths = book.step("coin-6-3-lengths.json")
    told = list(map(Fraction, lengths["distribution"]))
    horizon = lengths["horizon"]
    same = sum(a == b for a, b in zip(told, ruin(3, 6, horizon), strict=True))
    book.number(lengths, "horizon", name="law-horizon")
    book.derived(same, lengths, "distribution: terms as in ruin", name="law-terms-equal")
    book.derived(len(told), lengths, "distribution: terms", name="law-terms")
    book.derived(
        1 - Fraction(lengths["over_within"]), lengths, "1 - over_within", "law-left", show=_tiny
    )
    five = book.step("coin-5-3.json")
    book.number(five, "expected_battles", name="five-mean")
    book.number(five, "variance_battles", name="five-variance")
    both = book.step("shuffled-5.json")
    book.number(both, "deals", name="five-deals")
    book.number(both, "compare", 0, "never", name="five-never")


def _tiny(value: Fraction) -> str:
    mantissa, exponent = f"{float(value):.1e}".split("e")
    return rf"${mantissa}\cdot10^{{{int(exponent)}}}$"


def _shuffled(book: Book) -> None:
    for deck in ("3x2", "4x2", "5x2"):
        source = book.step(f"shuffled-{deck}.json")
        book.number(source, "deals", name=f"shuffled-{deck}-deals")
        book.number(source, "positions", name=f"shuffled-{deck}-positions")
        book.number(source, "transitions", name=f"shuffled-{deck}-transitions")
    three, four, five = (book.step(f"shuffled-{deck}.json") for deck in ("3x2", "4x2", "5x2"))
    book.number(three, "expected_battles", name="shuffled-3x2-mean")
    book.number(three, "expected_battles", name="shuffled-3x2-decimal", show=decimal(4))
    mean = Fraction(four["expected_battles"])
    book.derived(mean, four, "expected_battles", "shuffled-4x2-decimal", show=decimal(10))
    book.derived(
        len(str(mean.numerator)), four, "digits of the numerator", name="shuffled-4x2-digits"
    )
    book.number(five, "expected_battles", "lower", name="shuffled-5x2-low", show=_down)
    book.number(five, "expected_battles", "upper", name="shuffled-5x2-high", show=_up)
    book.number(three, "draw", name="shuffled-3x2-draw")
    book.number(four, "draw", name="shuffled-4x2-draw", show=percent(2))
    book.number(five, "draw", "upper", name="shuffled-5x2-draw", show=percent(2))


def _down(value: float) -> str:
    return decimal(9)(Fraction(floor(value * 10**9), 10**9))


def _up(value: float) -> str:
    return decimal(9)(Fraction(ceil(value * 10**9), 10**9))


def _standard(book: Book) -> None:
    for name in ("shuffled", "coin"):
        source = book.step(f"standard-{name}.json")
        for key in ("mean", "low", "high"):
            book.number(source, "battles", key, name=f"{name}-{key}", show=decimal(1))
        book.number(source, "games", name=f"{name}-games")
        book.number(source, "undecided", name=f"{name}-undecided")
        book.number(source, "battles", "quantiles", "1", name=f"{name}-longest")
        for held in ("0", "4"):
            book.number(source, "held", held, "win", "value", name=f"{name}-aces-{held}", show=_one)


def _one(value: float) -> str:
    return percent(1)(value)


# --- tables -------------------------------------------------------------------------------------


def certain_table(book: Book) -> Iterator[str]:
    """Decks whose every position ends with probability one."""
    header = ["deck", "rule sets", "end", "positions", "transitions", "rank"]
    groups = [[_certain_row(book, deck, 2) for deck in DECKS]]
    three = ["\\multicolumn{6}{@{}l}{three players}"]
    groups.append([three, *(_certain_row(book, deck, 3) for deck in THREE)])
    return booktabs("lrrrrr", header, groups)


def _certain_row(book: Book, deck: str, players: int) -> list[str]:
    source = endings(book, deck, players)
    rows = source.content
    cells = [
        (len(rows), "rows"),
        (sum(row["ending_certain"] for row in rows), "sum of ending_certain"),
        *((max(row[key] for row in rows), f"greatest {key}") for key in _MOST),
    ]
    return [
        f"${deck.replace('x', chr(92) + 'times ')}$",
        *(book.derived(value, source, how) for value, how in cells),
    ]


_MOST = ("positions", "transitions", "rank")


def law_table(book: Book) -> Iterator[str]:
    """Mean and variance by packet sizes."""
    rows = []
    for n in range(2, 9):
        k = (n + 1) // 2
        source = book.step(f"coin-{n}-{k}.json")
        cells = [book.number(source, key) for key in ("positions", "transitions")]
        cells += [book.number(source, key) for key in ("expected_battles", "variance_battles")]
        rows.append([str(n), f"{k} : {n - k}", *cells])
    header = ["cards", "packets", "positions", "transitions", "mean", "variance"]
    return booktabs("rcrrrr", header, [rows])


def deals_table(book: Book) -> Iterator[str]:
    """Four deals under a fixed order and under a coin."""
    rows = []
    for number in range(1, 5):
        fixed, coin = book.step(f"fixed-{number}.json"), book.step(f"deal-{number}.json")
        verdict = fixed.value("deals", 0)
        key, how = ("period", "loops, period") if "period" in verdict else ("battles", "ends after")
        outcome = f"{how} {book.number(fixed, 'deals', 0, key)}"
        mean = book.number(coin, "expected_battles")
        rows.append([f"\\deal{{{coin['deal'].replace('|', '$|$')}}}", outcome, mean])
    return booktabs("llr", ["deal", "winner's card first", "coin: mean"], [rows])


ORDERS = ("winner-first", "loser-first", "seat-first", "natural", "descending", "ascending")


def contrast_table(book: Book) -> Iterator[str]:
    """Deals that never end in a fixed order beside the expected battles when pots are shuffled."""
    rows = []
    for deck in DECKS:
        source = endings(book, deck)
        at = next(
            i for i, r in enumerate(source.content)
            if r["capture"] == "shuffled" and r["face_down"] in (None, 0)
        )  # fmt: skip
        total = deals_of(deck)
        cells = [book.derived(total, source, "deals of the deck")]
        cells += [book.number(source, at, f"never_{order}") for order in ORDERS]
        cells.append(_battles(book, source, at))
        rows.append([f"${deck.replace('x', chr(92) + 'times ')}$", *cells])
    header = ["deck", "deals", *ORDERS, "shuffled: battles"]
    return booktabs("l" + "r" * 8, header, [rows[:7], rows[7:]])


def _battles(book: Book, source: Source, at: int) -> str:
    lower, upper = (source.value(at, f"battles_{end}") for end in ("lower", "upper"))
    if lower is None:
        return "--"
    lower, upper = Fraction(str(lower)), Fraction(str(upper))
    assert round(lower, 4) == round(upper, 4)
    return book.derived(lower, source, f"{at} > battles_lower, battles_upper", show=decimal(4))


TABLES = {
    "certain": certain_table,
    "law": law_table,
    "deals": deals_table,
    "contrast": contrast_table,
}


# --- figures ------------------------------------------------------------------------------------


def law_figure(book: Book, figure: Figure) -> None:
    """How long a game of six cards takes, and how long a fair walk."""
    told = list(map(Fraction, book.step("coin-6-3-lengths.json")["distribution"]))
    walk = ruin(3, 6, len(told) - 1)
    axes = figure.add_subplot()
    shown = [b for b in range(len(told)) if told[b] and b <= 41]
    axes.plot(shown, [float(walk[b]) for b in shown], color=MIDDLE, label="gambler's ruin")
    axes.plot(
        shown, [float(told[b]) for b in shown], "o", color=BLACK, markerfacecolor="white",
        label="War, six cards, fair coin",
    )  # fmt: skip
    axes.set_yscale("log")
    axes.set_xlabel("battles")
    axes.set_ylabel("probability")
    axes.legend()


def contrast_figure(book: Book, figure: Figure) -> None:
    """Shares of deals that never end, by deck and order."""
    axes = figure.add_subplot()
    decks = ["5x1", "6x1", "7x1", "8x1", "3x2", "4x2", "2x3", "3x3", "2x4", "3x4"]
    for number, order in enumerate(("winner-first", "loser-first", "seat-first", "ascending")):
        shares = []
        for deck in decks:
            source = endings(book, deck)
            row = next(r for r in source.content if r["face_down"] in (None, 0))
            shares.append(100 * row[f"never_{order}"] / deals_of(deck))
        axes.plot(range(len(decks)), shares, **LINES[number] | {"linestyle": ""}, label=order)
    axes.axhline(0, color=BLACK, linewidth=0.6)
    axes.set_xticks(range(len(decks)), [deck.replace("x", "×") for deck in decks])
    axes.set_xlabel("deck")
    axes.set_ylabel("deals that never end (%)")
    axes.legend(ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.22))


FIGURES = {"law": law_figure, "contrast": contrast_figure}
