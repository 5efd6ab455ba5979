from __future__ import annotations

import json
import random
import sys
from collections import deque
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from waranalysis.cards import Deal, Deck
from waranalysis.certificate import certificate, read, verify
from waranalysis.cli import run
from waranalysis.construct import compose, layer_pattern, longest, pattern, several, war_pattern
from waranalysis.construct.batch import Batch
from waranalysis.construct.fit import bits, chain_lengths, fit, inverse, vary
from waranalysis.construct.search import Effort, find, suited
from waranalysis.construct.smallest import smallest
from waranalysis.errors import CardsError, FileError, LimitError, RulesError
from waranalysis.kernels import layer_pattern as layer_kernel
from waranalysis.kernels.ring import CYCLE, OUTCOME, PERIOD, PLAYED, TAIL, WARRED
from waranalysis.play import Game, State
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify

LOSER_FIRST = RuleSet(capture="loser-first")
WINNER_FIRST = RuleSet(capture="winner-first")
STANDARD = Deck.parse("standard")
QUICK = Effort(longest_word=8, longest_war_word=8, samples=500, climbs=1)


@pytest.fixture(scope="module")
def tie_free() -> Deal:
    answer = find(STANDARD, LOSER_FIRST, effort=QUICK)
    assert answer.pattern is not None
    assert answer.deal is not None
    return answer.deal


# --- partial orders and decks ------------------------------------------------------------------


def random_order(size: int, generator: random.Random) -> list[int]:
    below = [0] * size
    for card in range(size):
        for other in range(card):
            if generator.random() < 0.3:
                below[card] |= 1 << other | below[other]
    return below


def fits(below: list[int], levels: tuple[int, ...]) -> bool:
    return all(levels[y] < levels[x] for x in range(len(below)) for y in bits(below[x]))


@pytest.mark.parametrize("seed", range(60))
def test_fit_agrees_with_all_assignments(seed: int) -> None:
    generator = random.Random(seed)
    copies = generator.choice([(2, 2, 2), (1, 3, 2), (3, 3), (2, 1, 2, 1), (1, 1, 2, 2)])
    below = random_order(6, generator)
    wanted = [level for level, count in enumerate(copies) for _ in range(count)]
    exists = any(fits(below, levels) for levels in set(permutations(wanted)))
    found = fit(below, copies)
    assert (found is not None) == exists
    if found is not None:
        assert fits(below, found)
        assert sorted(found) == wanted
        other = vary(below, found, generator, 50)
        assert fits(below, other)
        assert sorted(other) == wanted


def test_fit_gives_up_at_its_limit() -> None:
    with pytest.raises(LimitError, match="in 2 choices"):
        fit([0, 0, 0, 0], [1, 1, 1, 1], most=2)


def test_chains_and_inverse() -> None:
    below = [0, 0b1, 0b11, 0]
    assert chain_lengths(below) == [1, 2, 3, 1]
    assert inverse(below) == [0b110, 0b100, 0, 0]


# --- patterns ----------------------------------------------------------------------------------


def follow_slowly(
    lead: str, word: str, sizes: tuple[int, int], winner_first: bool
) -> tuple[int, list[set[int]]] | None:
    """Play words on numbered cards with nothing but deques and sets."""
    n = sum(sizes)
    packets = deque(range(sizes[0])), deque(range(sizes[0], n))
    below: list[set[int]] = [set() for _ in range(n)]
    start = None
    battles = 0
    while True:
        if battles >= len(lead) and (battles - len(lead)) % len(word) == 0:
            state = tuple(map(tuple, packets))
            if start is None:
                start = state
            elif state == start:
                return battles - len(lead), below
        if not all(packets):
            return None
        a, b = packets[0].popleft(), packets[1].popleft()
        letter = lead[battles] if battles < len(lead) else word[(battles - len(lead)) % len(word)]
        winner, loser = (a, b) if letter == "A" else (b, a)
        for x in range(n):
            if x == winner or winner in below[x]:
                below[x] |= below[loser] | {loser}
        if winner in below[winner]:
            return None
        packets["AB".index(letter)].extend((winner, loser) if winner_first else (loser, winner))
        battles += 1


@pytest.mark.parametrize("winner_first", [True, False])
@pytest.mark.parametrize("n", [5, 9, 10, 12, 20, 70])
def test_patterns_agree_with_slow_play(n: int, winner_first: bool) -> None:
    table = pattern.Table(n, (winner_first, winner_first))
    generator = random.Random(n)
    loops = 0
    for _ in range(150):
        half = generator.randint(1, 4)
        word = "".join(generator.sample("A" * half + "B" * half, 2 * half))
        lead = "".join(generator.choices("AB", k=generator.randint(0, 2)))
        first = generator.randint(1, n - 1)
        slow = follow_slowly(lead, word, (first, n - first), winner_first)
        quick = table.follow(lead, word, first)
        assert (quick is None) == (slow is None)
        if quick is not None and slow is not None:
            loops += 1
            assert quick.period == slow[0]
            assert [set(bits(mask)) for mask in quick.below] == slow[1]
    assert loops or n in (12, 20, 70)


def test_scan_tries_every_word_from_every_size() -> None:
    table = pattern.Table(9, (True, False))
    for length in (2, 4, 6):
        tried: list[int] = []
        hits = {hit for hit in table.scan(length, tried.append) if not isinstance(hit, int)}
        words = {
            "".join(word)
            for word in product("AB", repeat=length)
            if all(word[:i].count("A") >= word[:i].count("B") for i in range(length))
            and word.count("A") == word.count("B")
        }
        assert sum(tried) == len(words)
        expected = set()
        for word in words:
            for first in range(1, 9):
                if table.follow("", word, first) is not None:
                    expected.add((word, first))
        assert hits == expected


def test_no_loop_of_distinct_cards_is_missed_for_nine_cards() -> None:
    """Of 9 distinct cards some deals go round under both orders, of 8 none does (published)."""
    for leads in ((True, True), (False, False)):
        for n, expected in ((8, False), (9, True)):
            table = pattern.Table(n, leads)
            hits = [h for k in range(2, 13, 2) for h in table.scan(k, lambda _: None)]
            assert any(not isinstance(hit, int) for hit in hits) == expected


def test_words() -> None:
    assert pattern.words_up_to(8) == 1 + 2 + 5 + 14
    assert pattern.is_repeated("ABAB")
    assert not pattern.is_repeated("AABB")


# --- deals -------------------------------------------------------------------------------------


def test_standard_deck_loser_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    args = ["endless", "standard", "--set", "capture=loser-first", "--json"]
    assert run([*args, "--certificates", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["tail"], answer["period"], answer["ties"]) == (2, 1440, 0)
    assert answer["pattern"] == {"lead_in": "AA", "word": "AAAABBBB"}
    deal = Deal.parse(answer["deal"])
    assert deal.sizes == (26, 26)
    assert deal.counts() == dict(STANDARD.counts)
    packed = [card for packet in answer["cards"] for card in packet]
    assert len(set(packed)) == 52
    assert {card[-1] for card in packed} == set("♠♥♦♣")
    proof = tmp_path / "endless.json"
    assert run(["verify", str(proof)]) == 0
    record = json.loads(proof.read_text())
    assert record["identity_period"] == answer["identity_period"]
    assert verify(read(json.dumps(record | {"period": 720}))) is not None


def test_the_same_loop_under_every_rule_about_wars(tie_free: Deal) -> None:
    expected = classify(tie_free, LOSER_FIRST)
    for down, short, all_short, layout in product(
        (0, 1, 2, 3, 7, "by-rank"),
        ("lose", "use-remaining", "last-card", "short-packet", "draw"),
        ("draw", "first-player-loses"),
        ("rows", "layers"),
    ):
        rules = RuleSet(
            capture="loser-first", face_down=down, short=short, all_short=all_short, layout=layout
        )
        game = Game(rules, State.of(tie_free))
        for _ in range(2):
            game.turn()
        entry = game.state()
        for _ in range(1440):
            game.turn()
        assert game.state() == entry
        assert game.wars == 0
    assert (expected.tail, expected.period) == (2, 1440)


def test_distinct_cards_winner_first() -> None:
    answer = find(Deck.parse("52x1"), WINNER_FIRST)
    assert answer.verdict is not None
    assert (answer.verdict.period, answer.ties) == (31_920, 0)


@pytest.mark.parametrize(
    ("spec", "order", "period"),
    [("11x4", "winner-first", 1152), ("9x4", "loser-first", 336), ("27x2", "winner-first", 1512)],
)
def test_other_decks_without_a_tie(spec: str, order: str, period: int) -> None:
    answer = find(Deck.parse(spec), RuleSet(capture=order), effort=QUICK)
    assert answer.verdict is not None
    assert (answer.verdict.period, answer.ties, answer.method) == (period, 0, "pattern")


def test_best_lowest_turns_the_strengths_round() -> None:
    answer = find(STANDARD, LOSER_FIRST.replace(best="lowest"), effort=QUICK)
    assert answer.verdict is not None
    assert (answer.verdict.period, answer.ties) == (1440, 0)


def test_lead_ins_that_fit_no_deck_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["endless", "standard", "--word", "8", "--war-word", "8", "--samples", "500"]
    args += ["--climbs", "1", "--json"]
    assert run(args) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["deal"] is None
    assert answer["none_exists"] is False
    covered = {row["method"]: row for row in answer["searched"]}
    assert covered["pattern"]["loops"] == covered["pattern"]["unfit"] == 3
    assert covered["pattern"]["words"] == 22
    assert covered["sample"]["deals"] == 500
    assert run(args[:-1]) == 3
    assert "Nothing was found." in capsys.readouterr().out


def test_small_decks_are_decided(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["endless", "4x1"]) == 3
    assert "No deal goes round for ever." in capsys.readouterr().out
    assert run(["endless", "5x1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["method"] == "all deals"
    assert answer["period"] == 6


def test_sampling_where_loops_are_common() -> None:
    rules = RuleSet(capture="seat-first", face_down=1, recycle="pile-stacked")
    answer = find(STANDARD, rules, effort=QUICK)
    assert answer.method == "sample"
    assert answer.deal is not None
    assert answer.verdict is not None
    assert verify(certificate(answer.deal, rules, answer.verdict)) is None


def test_three_players_are_sampled() -> None:
    answer = find(Deck.parse("12x1"), load("three-players"), effort=Effort(samples=20))
    assert answer.deal is None
    assert [e.method for e in answer.extents] == ["sample"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["1x1"], "expected a card for every player"),
        (["5x1", "--split", "5/0"], "expected a card for every player"),
        (["standard", "--rules", "rounds-100"], "every game ends"),
        (["standard", "--rules", "coin"], "chance"),
        (["standard", "--checkpoint", "x"], "--longest"),
        (["half:standard"], "random half"),
        (["65x1", "--longest"], "64 cards"),
    ],
)
def test_wrong_questions(args: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["endless", *args]) == 2
    assert told in capsys.readouterr().err


def test_library_errors() -> None:
    with pytest.raises(CardsError):
        find(Deck.parse("1x1"), WINNER_FIRST)
    with pytest.raises(RulesError):
        find(STANDARD, load("rounds-100"))


def test_suits_only_where_they_tell_cards_apart() -> None:
    jokers = Deck.parse("1x2+2j")
    assert suited(Deal(((2, 15), (2, 15)), jokers.naming)) == [["2♠", "*"], ["2♥", "*"]]
    assert suited(Deal(((2, 2, 2), (2, 2)), jokers.naming)) == [["2"] * 3, ["2"] * 2]


@pytest.mark.parametrize("order", ["natural", "descending"])
def test_standard_deck_with_wars(order: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Delahaye and Mathieu pose both as challenges (1995, 2025); we know of no earlier deal."""
    assert run(["endless", "standard", "--rules", order, "--samples", "0", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["pattern"] == {"word": "AAAAB(B2)ABBAABBAABB"}
    assert (answer["tail"], answer["period"], answer["identity_period"]) == (10, 1020, 3060)
    deal = Deal.parse(answer["deal"])
    assert deal.sizes == (26, 26)
    assert deal.counts() == dict(STANDARD.counts)
    assert play_by_hand(deal, order) == (10, 1020)


def play_by_hand(deal: Deal, order: str) -> tuple[int, int]:
    """Tail and period by code that shares nothing with the package; none face down."""
    packets = [list(packet) for packet in deal.packets]
    seen: dict[str, int] = {}
    while str(packets) not in seen:
        seen[str(packets)] = len(seen)
        laid: list[list[int]] = []
        while not laid or laid[-1][0] == laid[-1][1]:
            laid.append([packet.pop(0) for packet in packets])
        winner = laid[-1].index(max(laid[-1]))
        pot = [card for pair in reversed(laid) for card in sorted(pair, reverse=True)]
        packets[winner] += sorted(pot, reverse=True) if order == "descending" else pot
    tail = seen[str(packets)]
    return tail, len(seen) - tail


def test_war_patterns_of_28_cards() -> None:
    deck = Deck.parse("7x4")
    deal, found, _ = war_pattern.find(deck, load("natural"), (14, 14), 14)
    assert deal is not None
    assert str(found) == "AAB(A2)ABBAABBBB"
    verdict = classify(deal, load("natural"), identities=True)
    assert (verdict.tail, verdict.period, verdict.identity_period) == (5, 52, 104)


@pytest.mark.parametrize("order", ["natural", "descending", "winner-first", "loser-first"])
@pytest.mark.parametrize("down", [0, 1, 3])
def test_war_patterns_are_played_as_their_words_say(order: str, down: int) -> None:
    """Fitted to a deck of its own levels, a pattern is what the game does."""
    rules = RuleSet(capture=order, face_down=down)
    if not war_pattern.applies(Deck.parse("24x1"), rules):
        return
    played = 0
    for n in (10, 12, 16):
        table = war_pattern.WarTable(n, rules, 4)
        for length in range(2, 15, 2):
            for hit in table.scan(length, 2, lambda _: None):
                if not isinstance(hit, int):
                    played += check_war_pattern(hit, n, rules)
    assert played or down


def check_war_pattern(hit: war_pattern.WarPattern, n: int, rules: RuleSet) -> bool:
    """Replay a pattern on strengths made from its order; True if these could be made."""
    strengths = [1 + sum(1 for y in range(n) if hit.below[x] >> y & 1) for x in range(n)]
    deal = Deal((tuple(strengths[: hit.first]), tuple(strengths[hit.first :])))
    game = Game(rules, State.of(deal))
    start = game.state()
    at = 0
    while game.battles < 20_000:
        pairs = hit.turns[at % len(hit.turns)]
        place = sum(hit.turns[: at % len(hit.turns)])
        game.turn()
        assert game.ending is None
        assert len(game.rows[0]) == pairs
        assert game.captor == "AB".index(hit.word[place])
        at += 1
        if game.state() == start:
            return True
    raise AssertionError("the loop is longer than any expected here")


# --- wars that change nothing ------------------------------------------------------------------

BY_LAYERS = RuleSet(layout="layers")


def test_standard_deck_winner_first() -> None:
    """A deal of the full deck that never ends under `winner-first`; none was known."""
    word = war_pattern.WarPattern("AAAAAABBBBABBBAABB", (1,) * 18, 28, (), ())
    state = layer_pattern.state_of(word, STANDARD, BY_LAYERS)
    assert state is not None
    deal = war_pattern.deal_near(state, BY_LAYERS, (26, 26))
    assert deal is not None
    assert deal.sizes == (26, 26)
    assert deal.counts() == dict(STANDARD.counts)
    verdict = classify(deal, BY_LAYERS)
    assert play_layers_by_hand(deal, 3) == (verdict.tail, verdict.period)
    assert verdict.wars
    for short in ("use-remaining", "last-card", "short-packet", "draw"):
        assert classify(deal, BY_LAYERS.replace(short=short)) == verdict


def play_layers_by_hand(deal: Deal, down: int) -> tuple[int, int]:
    """Tail and period by code that shares nothing with the package."""
    packets = [list(packet) for packet in deal.packets]
    seen: dict[str, int] = {}
    while str(packets) not in seen:
        seen[str(packets)] = len(seen)
        laid = [[packet.pop(0) for packet in packets]]
        while laid[-1][0] == laid[-1][1]:
            laid += [[packet.pop(0) for packet in packets] for _ in range(down + 1)]
        winner = laid[-1].index(max(laid[-1]))
        packets[winner] += [card for pair in laid for card in (pair[winner], pair[1 - winner])]
    tail = seen[str(packets)]
    return tail, len(seen) - tail


@pytest.mark.slow
def test_standard_deck_winner_first_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["endless", "standard", "--set", "layout=layers", "--json"]
    assert run(args) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["method"] == "layer pattern"
    assert answer["pattern"] == {"word": "AAAAAABBBBABBBAABB"}
    assert answer["ties"] > 0


def ways(length: int, down: int) -> list[str]:
    """How a stretch of battles that one player wins may go: Win, Tie, or face down."""
    if length == 0:
        return [""]
    rest = ["W" + way for way in ways(length - 1, down)]
    if length > down + 1:
        after = (way for way in ways(length - down - 1, down))
        rest += ["T" + "d" * down + way for way in after]
    return rest


@pytest.mark.parametrize("down", [0, 1, 2, 3])
def test_what_is_certain_of_a_word(down: int) -> None:
    generator = random.Random(down)
    for _ in range(100):
        runs = [generator.randint(1, 9) for _ in range(2 * generator.randint(1, 3))]
        word = np.array(
            [1 - k % 2 for k, length in enumerate(runs) for _ in range(length)], np.int8
        )
        expected = []
        for length in runs:
            for told in zip(*ways(length, down), strict=True):
                kind = layer_kernel.STRONGER if set(told) == {"W"} else layer_kernel.NOT_WEAKER
                expected.append(layer_kernel.OPEN if "d" in told else kind)
        turn = generator.randrange(len(word))
        known = np.zeros(len(word), np.int64)
        layer_kernel.certain(np.roll(word, turn), down, known)
        assert list(known) == list(np.roll(expected, turn))


@pytest.mark.parametrize("down", [0, 1, 3])
@pytest.mark.parametrize("order", ["winner-first", "loser-first"])
def test_layer_patterns_go_round(order: str, down: int) -> None:
    """Every deal that is found goes round, and loops without a tie are among the words."""
    rules = RuleSet(capture=order, layout="layers", face_down=down)
    fitted = 0
    for spec in ("5x2", "7x2", "11x1"):
        deck = Deck.parse(spec)
        table = pattern.Table(deck.size, (order == "winner-first",) * 2)
        for length in (2, 4, 6, 8):
            hits = [
                hit for hit in layer_pattern.candidates(deck.size, rules, length, lambda _: None)
                if not isinstance(hit, int)
            ]  # fmt: skip
            plain = {hit for hit in table.scan(length, lambda _: None) if not isinstance(hit, int)}
            for word, first in plain:
                turns = {word[i:] + word[:i] for i in range(length)}
                assert pattern.is_repeated(word) or any(hit.word in turns for hit in hits), first
            for hit in hits:
                state = layer_pattern.state_of(hit, deck, rules)
                if state is not None:
                    fitted += 1
                    assert classify(state, rules).tail == 0
                    letters = play_layers(state, rules)
                    word = hit.word * (2 * len(letters) // length + 2)
                    assert letters in word
    assert fitted


def play_layers(state: Deal, rules: RuleSet) -> str:
    """Who captures each pair of cards, once around a loop."""
    game, letters = Game(rules, State.of(state)), ""
    while not letters or game.state() != State.of(state):
        game.turn()
        assert game.captor is not None
        letters += "AB"[game.captor] * len(game.rows[0])
    return letters


def test_formula_counts_strengths() -> None:
    for copies in ((2, 1, 3), (1, 1, 1, 1), (4, 2)):
        n = sum(copies)
        free: set[layer_pattern.Stretch] = {((x, x + 1),) for x in range(0, n - 1, n)}
        levels = layer_pattern.fit(free, n, copies, 1)
        assert levels is not None
        assert [levels.count(level) for level in range(len(copies))] == list(copies)
        assert levels[0] > levels[1]
    chain: set[layer_pattern.Stretch] = {((0, 1),), ((1, 2),)}
    assert layer_pattern.fit(chain, 4, (2, 2), 1) is None
    assert layer_pattern.fit({((0, 1), (1, 2)), ((3, 0),)}, 4, (1, 2, 1), 0) == [1, 1, 0, 2]


def test_without_a_solver_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    answer = find(STANDARD, BY_LAYERS, effort=Effort(2, 0, 2, samples=1, climbs=0))
    assert answer.deal is None
    told = {extent.method: extent.told for extent in answer.extents}
    assert told["layer pattern"].startswith("not tried: words with wars by layers need python-sat")


# --- small loops laid in a row -----------------------------------------------------------------


def test_aligned_loops() -> None:
    natural = load("natural")
    assert compose.is_aligned(Deal.parse("2 1 3 3 | 3 2 3 1"), natural)
    assert not compose.is_aligned(Deal.parse("1 2 | 3 4"), natural)
    kinds = {block.copies for block in compose.blocks(natural)}
    assert {(2, 2, 4), (1, 1, 2, 4), (2, 1, 1, 4)} <= kinds


@pytest.mark.parametrize("spec", ["8x4", "12x4"])
def test_composed_decks(spec: str) -> None:
    deck = Deck.parse(spec)
    deal = compose.compose(deck, load("natural"))
    assert deal is not None
    assert deal.counts() == dict(deck.counts)
    assert classify(deal, load("natural")).kind == "cycles"


def test_decks_without_a_cover() -> None:
    assert compose.compose(Deck.parse("16x2"), load("natural")) is None


# --- the batch kernel and local search ---------------------------------------------------------


def test_batch_agrees_with_plain_play() -> None:
    deck = Deck.parse("5x2")
    for rules in (load("natural"), RuleSet(capture="seat-first", face_down=1)):
        batch = Batch(deck, rules, (5, 5))
        rows = batch.shuffled(1, 0, 60)
        for row, fate in zip(rows, batch.fates(rows, 10_000), strict=True):
            verdict = classify(batch.deal(row), rules)
            assert (fate[OUTCOME] == CYCLE) == (verdict.kind == "cycles")
            if verdict.kind == "cycles":
                assert (fate[TAIL], fate[PERIOD]) == (verdict.tail, verdict.period)
            else:
                assert (fate[PLAYED], fate[WARRED]) == (verdict.battles, verdict.wars)


def test_random_deals_are_the_same_for_the_same_seed() -> None:
    batch = Batch(STANDARD, WINNER_FIRST, (26, 26))
    assert np.array_equal(batch.shuffled(3, 7, 4), batch.shuffled(3, 7, 4))
    assert not np.array_equal(batch.shuffled(3, 7, 4), batch.shuffled(4, 7, 4))


def test_longest_is_resumed_from_its_checkpoint(tmp_path: Path) -> None:
    natural = load("natural")
    whole = longest.find(STANDARD, natural, climbs=3, steps=300)
    checkpoint = tmp_path / "state.json"
    for climbs in (1, 3):
        part = longest.find(STANDARD, natural, climbs=climbs, steps=300, checkpoint=checkpoint)
    assert part == whole
    assert verify(certificate(whole.deal, natural, whole.verdict)) is None
    assert whole.verdict.battles > 700
    with pytest.raises(FileError, match="another search"):
        longest.find(STANDARD, natural, seed=1, steps=300, checkpoint=checkpoint)
    checkpoint.write_text("[]")
    with pytest.raises(FileError, match="no checkpoint"):
        longest.find(STANDARD, natural, steps=300, checkpoint=checkpoint)


def test_longest_finds_the_longest_of_a_small_deck() -> None:
    """Published: no game of 3x4 under `natural` that ends takes more than 37 battles."""
    found = longest.find(Deck.parse("3x4"), load("descending"), climbs=3, steps=3000)
    assert found.verdict.battles == 34


def test_longest_passes_by_games_without_end() -> None:
    """Most deals of 11 distinct cards never end; the latest end of the others is published."""
    found = longest.find(Deck.parse("11x1"), WINNER_FIRST, climbs=4, steps=20_000)
    assert found.verdict.battles == 41


def test_longest_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    args = ["endless", "4x4", "--rules", "descending", "--longest", "--climbs", "1"]
    assert run([*args, "--json", "--certificates", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["battles"] <= 102
    assert run(["verify", str(tmp_path / "longest.json")]) == 0
    capsys.readouterr()
    assert run(args) == 0
    assert "battles" in capsys.readouterr().out


# --- smallest decks, several orders ------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "cards"),
    [
        ("winner-first", 5), ("loser-first", 3), ("seat-first", 4),
        ("natural", 5), ("descending", 5), ("ascending", 3),
    ],
)  # fmt: skip
def test_smallest_decks(order: str, cards: int) -> None:
    found = smallest(RuleSet(capture=order, face_down=0), even=True, most=5)
    assert found.cards == cards
    assert classify(Deal.parse(found.deal), found.rules).period == found.period


def test_smallest_is_told_when_there_is_none() -> None:
    found = smallest(WINNER_FIRST, even=True, most=4)
    assert found.cards is None
    assert found.told_size == "over 4"


def test_one_deal_of_distinct_cards_for_both_orders() -> None:
    """The orders of a loop under one and of a loop under the other do not contradict."""
    deal = Deal.parse("8 9 1 10 2 11 7 | 3 4 12 5 13 6")
    for rules, tail, period in ((WINNER_FIRST, 1, 56), (LOSER_FIRST, 6, 60)):
        verdict = classify(deal, rules)
        assert (verdict.tail, verdict.period) == (tail, period)


def test_one_deal_for_several_orders(tie_free: Deal) -> None:
    five = [RuleSet(capture=o) for o in ("winner-first", "loser-first", "natural", "ascending")]
    assert str(several.common(five, 5)) == "2 3 4 | 3 4"
    answer = find(STANDARD, LOSER_FIRST, effort=QUICK)
    assert answer.pattern is not None
    three = [RuleSet(capture=o) for o in ("loser-first", "ascending", "seat-first")]
    found = several.vary(STANDARD, answer.pattern, three, 30)
    assert found is not None
    assert [verdict.kind for verdict in found[1]] == ["cycles"] * 3


# --- the catalogue -----------------------------------------------------------------------------

DATA = Path(__file__).parent.parent / "data" / "endless"


def test_every_deal_of_the_catalogue_has_its_certificate() -> None:
    text = (DATA / "catalogue.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    names = {line["name"] for line in lines if line["deal"]}
    assert {path.stem for path in (DATA / "certificates").iterdir()} == names
    for line in lines:
        if line["deal"]:
            text = (DATA / "certificates" / f"{line['name']}.json").read_text(encoding="utf-8")
            record = json.loads(text)
            assert record["deal"] == line["deal"]
            assert (record["tail"], record["period"]) == (line["tail"], line["period"])


@pytest.mark.slow
def test_every_certificate_of_the_catalogue_is_right() -> None:
    for folder in ("certificates", "longest"):
        for path in sorted((DATA / folder).iterdir()):
            assert verify(read(path.read_text(encoding="utf-8"))) is None, path.name
