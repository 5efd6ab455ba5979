"""The vectors that the compiled frontier shares: parameters, rows, tallies, and a worker's scratch.

A *token* is a card whose strength is not known. A *row* is one entry of the frontier: the words
of its key, its multiplicity (a word, or two residues) and perhaps the most battles so far.
Every small array of a worker is a stretch of one scratch vector ``s``, because numba passes an
array as seven arguments.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

# Indices of the parameter vector.
N, WIDTH, KEY, ROW, FIRST0, FIRST1, STACKED, SWAP, ENDS, KEEP, DEPTH, TWO, BUCKETS, LAPS = range(14)
# Values of DEPTH: not kept, greatest kept in the last word, every depth a node of its own.
NO_DEPTH, MAX_DEPTH, EACH_DEPTH = range(3)
# What a run of forced battles comes to.
DECISION, WON0, WON1, LOOP = range(4)
PRIME = np.uint64(4294967291)
# Columns of a tally: period or battles, leaves, deals whose best card is with seat 0 and with
# seat 1 (modulo 2^64, then modulo PRIME).
PERIOD, LEAVES, DEALS, DEALS_PRIME = 0, 1, 2, 4
TALLY = 6
# Stretches of the scratch vector. SIZES: cards in the packets, cards in the won piles. BELOW and
# AFTER: by token, the mask of weaker ones, closed, before and after the comparison at hand.
RING, PILES, HEADS, SIZES, SAVED, ARR, PLACE, BELOW = 0, 128, 192, 194, 198, 240, 304, 368
AFTER, WEAKER, START, NUMBER, TOKEN, NIBBLES, FROM, LAP = 400, 432, 464, 504, 536, 568, 696, 704
SCRATCH = 736


def _ones(_: Any, x: Any) -> Any:
    return types.int64(types.int64), lambda _c, b, _s, args: b.ctpop(args[0])


def _lowest(_: Any, x: Any) -> Any:
    flag = ir.Constant(ir.IntType(1), 1)
    return types.int64(types.int64), lambda _c, b, _s, args: b.cttz(args[0], flag)


# Number of bits set, and the index of the lowest one (of an integer other than 0).
ones: Any = intrinsic(_ones)
lowest: Any = intrinsic(_lowest)
