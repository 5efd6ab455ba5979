"""A game turn by turn, as rows for people, for programs and for LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from waranalysis.cards import Naming
from waranalysis.play import Game, State


@dataclass(frozen=True)
class Row:
    """One turn.

    Attributes
    ----------
    turn : int
        Counted from 1.
    before : State
        The state before it.
    laid : tuple of packets
        What each seat laid, in order.
    up : tuple of tuple of bool
        Which of these cards lay face up.
    wars : int
    captor : int or None
        The seat that captured; None if nobody did.
    sizes : tuple of int
        Cards each player holds afterwards.
    """

    turn: int
    before: State
    laid: tuple[tuple[int, ...], ...]
    up: tuple[tuple[bool, ...], ...]
    wars: int
    captor: int | None
    sizes: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """The turn as programs read it; state and laid cards as lists of cards."""
        return {
            "turn": self.turn,
            "packets": list(map(list, self.before.packets)),
            "laid": list(map(list, self.laid)),
            "up": list(map(list, self.up)),
            "wars": self.wars,
            "captor": self.captor,
            "sizes": list(self.sizes),
        }


def rows(game: Game, turns: int) -> Iterator[Row]:
    """Play on for up to `turns` turns and yield each."""
    while game.ending is None and turns > 0:
        before, wars = game.state(), game.wars
        game.turn()
        yield _row(game, before, game.wars - wars)
        turns -= 1


def _row(game: Game, before: State, wars: int) -> Row:
    faces = set(game.faces)
    up = tuple(
        tuple(place == 0 or (seat, place) in faces for place in range(len(row)))
        for seat, row in enumerate(game.rows)
    )
    sizes = tuple(len(p) + len(q) for p, q in zip(game.packets, game.piles, strict=True))
    laid = tuple(map(tuple, game.rows))
    return Row(game.battles, before, laid, up, wars, game.captor, sizes)


def shortened(length: int, most: int) -> tuple[int, int]:
    """How many rows to show from the start and from the end of `length`, so that few are left."""
    if length <= most:
        return length, 0
    return (most + 1) // 2, most // 2


def laid_text(cards: Sequence[int], up: Sequence[bool], naming: Naming) -> str:
    """The cards one player laid, those face down in brackets: ``7 [4 9 2] J``."""
    words = []
    for place, card in enumerate(cards):
        opens = "[" * (not up[place] and up[place - 1])
        closes = "]" * (not up[place] and (place + 1 == len(cards) or up[place + 1]))
        words.append(opens + naming.write(card) + closes)
    return " ".join(words)


def state_text(state: State, naming: Naming) -> str:
    """A state on one line: packets as in a deal, a won pile in (), cards left over in {}."""
    parts = []
    for packet, pile in zip(state.packets, state.piles, strict=True):
        won = f"({naming.write_all(pile)})" if pile else ""
        parts.append(" ".join(filter(None, [naming.write_all(packet), won])))
    table = f" {{{naming.write_all(state.table)}}}" if state.table else ""
    return " | ".join(parts) + table
