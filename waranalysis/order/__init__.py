"""Counts over all deals of distinct cards, without dealing them.

Where all cards differ there is no war, and a game depends on the strengths only through the
results of comparisons. So the cards are *tokens* with a partial order of what is known of them.

**Paths.** Start with the packets and the empty order, and play. When the two tokens that are
turned up are related, the result is forced. When they are not, branch: in one branch the first is
the weaker, in the other the stronger, and the order is closed transitively. A branch stops when a
seat is out, or when an arrangement of the tokens (packets and piles, in order) comes back with no
new comparison made since it was seen.

*A stopped branch is settled.* If the arrangement came back with no new comparison, every
comparison of the lap is known; the same arrangement and the same results give the same lap again,
for ever. Conversely a game that goes on for ever in a branch makes only finitely many new
comparisons (each adds a pair to a finite order), and after the last of them it is the orbit of a
deterministic map on the finitely many arrangements, so an arrangement comes back: every branch
stops. The orbit may have a tail, because a turn can be reached from two others (either seat may
have won it); so the first arrangement after a new comparison need not be the one that comes back,
and Brent's search is used. Its period is the period of the concrete game: cards are all
different, so equal states are equal arrangements.

*Deals and paths.* A deal (a total order of the tokens) decides every branching in one way, so it
goes exactly one path. It goes a given path just if it agrees with every result on it, that is, if
it extends the order at its end (the closure adds nothing but consequences). So the deals of a path
are the linear extensions of its final order, and the deals that never end are the sum of their
numbers over the paths that stop with a loop.

**Merging.** Rename the tokens by their present places. What follows depends on the sizes of the
packets and piles and the renamed order only, and the number of linear extensions does not depend
on names. So all unfinished paths with the same (sizes, renamed order) at a branching are one
*node*, and it is enough to know how many paths there are: its multiplicity m. With e(P) the number
of linear extensions of P, the number of deals that never end is the sum of m e(P) over the leaves
that are loops; and for every cut through the tree the sum of m e(P) is n!, which is checked with
``detail="battles"``. Where the rules treat both seats alike, exchanging them maps a node to a
node with the same future but for the names of the seats, so the lesser of the two keys stands for
both.

**Layers.** Every branching adds at least one pair to the order, so nodes are worked through by
the number of related pairs, from 0 to n(n-1)/2; when a layer's turn comes, all its paths have
arrived and multiplicities are final.

**Winners.** The strongest card wins every battle, so it never changes hands, and the winner of a
game that ends is the seat it was dealt to. There are k (n-1)! deals with that card among the k of
a seat; those of them that never end are the extensions of the loops' orders in which a token of
that seat is the last; the rest is what the seat wins.

**Arithmetic.** The sum of m e(P) over any cut is n!, so for n up to 20 every product and sum is
below 2^64. Above that, counts are kept modulo 2^64 and modulo a prime below 2^32, and joined by
the Chinese remainder theorem: exact below 2^95, so up to 24 cards (24! < 2^80).

**Cost.** Measured (``data/order/growth.csv``, a busy machine): a node costs 1.2 microseconds of CPU
where few branches loop (even n) and 5 to 6 where most do (odd n: their extensions are counted), and
a row 40 to 56 bytes (64 from 20 cards on). Two more cards make, from 10 to 18 cards, winner-first,
18, 53, 27 and 116 times the nodes, from 11 to 19 cards 37, 8, 23 and 9 times. 18 cards are 7.9e9
nodes and took 17,500 s of CPU on a loaded machine (2.2 microseconds a node), 8 gigabytes of memory
and 101 of disk. Carried on, 20 cards are of the order of 4e11 nodes: about 240 hours of CPU, 7e10
rows (5 terabytes) live at once, 40 terabytes written in all. That is an extrapolation, good to a
factor of 3 at best. 17 cards seat-first are 4.7e9 nodes and took 4,640 s, 13 gigabytes of memory
and 60 of disk. 18 cards loser-first have 1.07 times the nodes of winner-first in the first 97
layers of 154, and 16 cards had twice as many in all: so 8e9 to 16e9, up to 10 hours of CPU and 200
gigabytes of disk. 19 cards took 666 s (winner-first, 1.2e8 nodes) and 926 s (loser-first, 1.6e8). A
checkpoint costs some 20 ms where few rows are new, 2 s in all at 15 cards.
"""

from waranalysis.order.counts import OrderCounts, enumerate_orders
from waranalysis.order.cycles import count_cycles, loop_examples
from waranalysis.order.extensions import count_extensions

__all__ = [
    "OrderCounts",
    "count_cycles",
    "count_extensions",
    "enumerate_orders",
    "loop_examples",
]
