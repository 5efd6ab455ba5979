"""Big loops laid together from small ones.

A loop is *aligned* when, round after round, both packets are used up together and are equal again
after it, with no war running over the end of a round. Aligned loops of disjoint cards can be laid
one behind the other: each plays its own game, and the whole goes round with the least common
multiple of their rounds. So a deck is covered by small loops, each on strengths of its own choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

import numpy as np

from waranalysis.cards import Deal, Deck
from waranalysis.construct.batch import Batch
from waranalysis.errors import LimitError
from waranalysis.kernels.ring import CYCLE, OUTCOME
from waranalysis.play import Game, State
from waranalysis.rules import RuleSet

BLOCK = 8
NODES = 200_000
_COPIES = 4
_MOST_BATTLES = 10_000


@dataclass(frozen=True)
class Block:
    """An aligned loop on strengths 1, 2, …; `copies` says how often each occurs."""

    packets: tuple[tuple[int, ...], tuple[int, ...]]
    copies: tuple[int, ...]


def is_aligned(deal: Deal, rules: RuleSet) -> bool:
    """Whether a deal goes round by whole rounds from its very first battle."""
    half = deal.sizes[0]
    start = State.of(deal)
    game = Game(rules, start)
    while game.battles < _MOST_BATTLES:
        left = half
        while left > 0 and game.ending is None:
            game.turn()
            left -= len(game.rows[0])
        if left or game.ending is not None or len(game.packets[0]) != half:
            return False
        if game.state() == start:
            return True
    return False


@cache
def blocks(rules: RuleSet, most_copies: int = _COPIES) -> tuple[Block, ...]:
    """One aligned loop of `BLOCK` cards for each way the numbers of copies can be; a few seconds.

    All deals of all decks of so many cards are played.
    """
    found = []
    for copies in _compositions(BLOCK, most_copies):
        deck = Deck.parse(",".join(f"{i}:{c}" for i, c in enumerate(copies, 1)))
        batch = Batch(deck, rules, (BLOCK // 2, BLOCK // 2))
        rows = np.array([deal.cards for deal in rules.deals(deck).iterate()], np.uint8)
        place = {card: number for number, card in enumerate(sorted(set(deck.cards)))}
        if rules.best == "lowest":
            place = {card: len(place) - 1 - number for card, number in place.items()}
        numbers = np.vectorize(place.__getitem__, otypes=[np.uint8])(rows)
        loops = np.flatnonzero(batch.fates(numbers, _MOST_BATTLES)[:, OUTCOME] == CYCLE)
        for row in loops:
            deal = batch.deal(numbers[row])
            if is_aligned(deal, rules):
                one, two = deal.packets
                found.append(Block((one, two), copies))
                break
    return tuple(found)


def _compositions(cards: int, most: int) -> Iterator[tuple[int, ...]]:
    """Numbers of copies of 2, 3, … strengths, each 1 to `most`, that sum to `cards`."""
    for parts in range(2, cards):
        for cuts in combinations(range(1, cards), parts - 1):
            ends = (0, *cuts, cards)
            sizes = tuple(b - a for a, b in pairwise(ends))
            if max(sizes) <= most:
                yield sizes


def applies(deck: Deck, rules: RuleSet) -> bool:
    """Whether a deal of equal packets may be a row of blocks.

    Only `natural` has aligned loops of so few cards: under the other orders that treat both seats
    alike there is none, with none, one or three face down, and where the seats differ random
    deals do.
    """
    plain = rules.recycle == "bottom" and rules.automatic_rank is None
    return plain and rules.capture == "natural" and deck.size % BLOCK == 0


def compose(deck: Deck, rules: RuleSet, most: int = NODES) -> Deal | None:
    """Cover a deck with aligned loops; None if these loops cannot.

    Raises
    ------
    LimitError
        After `most` blocks were tried in vain.
    """
    found = _cover(deck, blocks(rules), most)
    if found is None:
        return None
    packets = tuple(
        tuple(strengths[card - 1] for block, strengths in found for card in block.packets[seat])
        for seat in (0, 1)
    )
    return Deal(packets, deck.naming)


def _cover(
    deck: Deck, known: tuple[Block, ...], most: int
) -> list[tuple[Block, tuple[int, ...]]] | None:
    """Depth first; the greatest strength that is left is covered next."""
    strengths = [strength for strength, _ in deck.counts]
    start = tuple(copies for _, copies in deck.counts)
    chosen: list[tuple[Block, tuple[int, ...], tuple[int, ...]]] = []
    stack = [_placements(start, known)]
    tried = 0
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            del chosen[-1:]
            continue
        tried += 1
        if tried > most:
            raise LimitError(f"no cover by small loops in {most} tries")
        chosen.append(step)
        if not any(step[2]):
            return [(block, tuple(strengths[p] for p in places)) for block, places, _ in chosen]
        stack.append(_placements(step[2], known))
    return None


def _placements(
    left: tuple[int, ...], known: tuple[Block, ...]
) -> Iterator[tuple[Block, tuple[int, ...], tuple[int, ...]]]:
    """Blocks on cards that are left, the greatest among them, and what they leave."""
    top = max(place for place, copies in enumerate(left) if copies)
    for block in known:
        for others in combinations(range(top), len(block.copies) - 1):
            places = (*others, top)
            after = list(left)
            for place, copies in zip(places, block.copies, strict=True):
                after[place] -= copies
            if min(after) >= 0:
                yield block, places, tuple(after)
