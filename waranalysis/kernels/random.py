"""The random numbers of a game: a pure function of seed, game, stream and draw.

Draw number ``d`` (from 1) of stream ``t`` of game ``i`` under seed ``s`` is
``mix(key + d * GOLDEN)`` with ``key = mix(mix(s) + 2 * i + t)``, all modulo 2**64, where ``mix``
is the output function of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number
generators, OOPSLA 2014). Stream 0 deals, stream 1 plays. So a game is the same whoever plays it,
and two rule sets can be given the same deals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels.jit import jit

Stream = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE, _TWO = np.uint64(1), np.uint64(2)


@jit
def mix(word: np.uint64) -> np.uint64:
    """Scramble 64 bits, one to one."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@jit
def draw(rng: Stream) -> np.uint64:
    """The next 64 random bits."""
    rng[0] += GOLDEN
    return mix(rng[0])


@jit
def shuffle(cards: NDArray[np.uint8], row: int, size: int, rng: Stream) -> None:
    """Put the first `size` cards of a row into a random order, all equally likely.

    Numbers below a bound come from the upper half of a draw by Lemire's multiplication.
    """
    for last in range(size - 1, 0, -1):
        many = np.uint64(last + 1)
        product = (draw(rng) >> _S32) * many
        while (product & _LOW) < (_LOW + _ONE) % many:
            product = (draw(rng) >> _S32) * many
        chosen = product >> _S32
        cards[row, last], cards[row, chosen] = cards[row, chosen], cards[row, last]


@jit
def shuffled_decks(
    seed: np.uint64, start: np.uint64, rng: Stream, decks: NDArray[np.uint8]
) -> None:
    """Write the shuffled deck of the games from number `start` on, one into each row.

    The cards are numbered from 0.
    """
    for row in range(len(decks)):
        rng[0] = mix(mix(seed) + _TWO * (start + np.uint64(row)))
        for i in range(decks.shape[1]):
            decks[row, i] = i
        shuffle(decks, row, decks.shape[1], rng)
