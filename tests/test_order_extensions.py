from collections import Counter
from math import factorial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waranalysis.order.extensions import count_extensions, extensions_of, random_extension


@st.composite
def orders(draw, most=7):
    n = draw(st.integers(0, most))
    order = [0] * n
    names = draw(st.permutations(range(n)))
    for at, y in enumerate(names):
        for x in names[:at]:
            if draw(st.booleans()):
                order[y] |= order[x] | 1 << x
    return tuple(order)


@given(orders())
def test_the_count_is_that_of_the_list(order):
    extensions = list(extensions_of(order))
    assert count_extensions(order) == len(set(extensions)) == len(extensions)
    for ranks in extensions:
        assert sorted(ranks) == list(range(len(order)))
        assert all(
            ranks[x] < ranks[y]
            for y, mask in enumerate(order)
            for x in range(len(order))
            if mask >> x & 1
        )


def test_random_extensions_are_equally_likely():
    # A zigzag of five, which has 16 extensions.
    order = (0, 0b101, 0, 0b10100, 0)
    generator = Random(1)
    seen = Counter(random_extension(order, generator) for _ in range(16_000))
    assert len(seen) == count_extensions(order) == 16
    assert all(850 < times < 1150 for times in seen.values())


@pytest.mark.parametrize("n", [30, 52])
def test_no_overflow(n):
    assert count_extensions((0,) * n) == factorial(n)
    chains = tuple(1 << x - 1 if x % 2 else 0 for x in range(n))
    assert count_extensions(chains) == factorial(n) // 2 ** (n // 2)


def test_zigzags_are_euler_numbers():
    zigzag = [1, 1, 1, 2, 5, 16, 61, 272, 1385, 7936, 50521]
    for n, count in enumerate(zigzag):
        order = tuple(
            0 if x % 2 == 0 else 1 << x - 1 | (1 << x + 1 if x + 1 < n else 0) for x in range(n)
        )
        assert count_extensions(order) == count
