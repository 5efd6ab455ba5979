"""Random games of two players by the compiled kernels."""

from __future__ import annotations

import numpy as np

from waranalysis.census.forward import KINDS, Player, Tally
from waranalysis.census.sample import Games, Table, order_of
from waranalysis.kernels import MOST_CARDS, ring
from waranalysis.kernels import encode as codes
from waranalysis.kernels.random import shuffled_decks

_BATCH = 1 << 14


def quick_games(table: Table, seed: int, start: int, stop: int, keep: int, bound: int) -> Games:
    """`waranalysis.census.sample.play_games` for tables whose games are compiled."""
    cards = table.deck.cards
    place = codes.places(cards, table.rules)
    numbered = np.array([place[card] for card in cards], np.uint8)
    player, order = Player(table.rules, cards, bound), order_of(table)
    games = Games(start, [], [], [], Tally(keep).census(lambda key: key))
    tally, rng = Tally(keep), np.zeros(1, np.uint64)
    for first in range(start, stop, _BATCH):
        decks = np.zeros((min(_BATCH, stop - first), len(cards)), np.uint8)
        shuffled_decks(np.uint64(seed), np.uint64(first), rng, decks)
        deals = np.zeros((len(decks), MOST_CARDS), np.uint8)
        deals[:, : len(order)] = numbered[decks[:, order]]
        fates = player.fates(deals, table.sizes, seed, first)
        tally.add(fates, range(first, first + len(decks)))
        games.kinds.extend(KINDS[outcome] for outcome in fates[:, ring.OUTCOME].tolist())
        games.battles.extend(fates[:, ring.PLAYED].tolist())
        held = deals[:, : table.sizes[0]] == place[table.prized]
        games.prized.extend(held.sum(axis=1).tolist())
    return Games(start, games.kinds, games.battles, games.prized, tally.census(lambda key: key))
