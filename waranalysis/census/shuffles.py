"""Shuffled decks by number, in plain Python: the same ones as `waranalysis.kernels.random`."""

from __future__ import annotations

from collections.abc import Iterator

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


def mix(word: int) -> int:
    """Scramble 64 bits, one to one: the output function of SplitMix64."""
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
    return word ^ word >> 31


def draws(seed: int, game: int, stream: int) -> Iterator[int]:
    """The random 64-bit numbers of a game; stream 0 deals, stream 1 plays."""
    state = mix((mix(seed) + 2 * game + stream) & _WORD)
    while True:
        state = (state + _GOLDEN) & _WORD
        yield mix(state)


def shuffled(size: int, numbers: Iterator[int]) -> list[int]:
    """The numbers from 0 to `size` - 1 in a random order."""
    cards = list(range(size))
    for last in range(size - 1, 0, -1):
        chosen = _below(last + 1, numbers)
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return cards


def _below(bound: int, numbers: Iterator[int]) -> int:
    """A number below `bound`, from the upper halves of draws (Lemire's multiplication)."""
    while True:
        product = (next(numbers) >> 32) * bound
        if (product & 0xFFFFFFFF) >= (1 << 32) % bound:
            return product >> 32
