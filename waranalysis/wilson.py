"""The interval for a proportion that claims and samples share."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054


def wilson(count: int, games: int) -> tuple[float, float]:
    """The ends of the interval at 95 % for `count` of `games`, above 0.

    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927).
    """
    share, z2 = count / games, Z_95**2 / games
    middle = (share + z2 / 2) / (1 + z2)
    reach = Z_95 * sqrt(share * (1 - share) / games + z2 / (4 * games)) / (1 + z2)
    return middle - reach, middle + reach
