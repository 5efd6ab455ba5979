"""Does a game end with probability one? From the graph alone, without a number solved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from waranalysis.graph.model import StateGraph


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a chain can end.

    From a node of rank k an end can be reached within k turns. A finite chain that can reach an
    end from everywhere reaches one with probability one (Lakshtanov and Roshchina use the same
    argument, AMM 119 (2012)); nodes of rank -1 never do.

    Attributes
    ----------
    graph : StateGraph
    rank : (nodes,) int32
        Fewest turns to an end, chance (and choices) willing; -1 where there is no way to one.
    """

    graph: StateGraph
    rank: NDArray[np.int32]

    @property
    def certain(self) -> bool:
        """Whether every position ends with probability one."""
        return bool((self.rank >= 0).all())

    @cached_property
    def traps(self) -> tuple[NDArray[np.int64], ...]:
        """The closed classes without an end, each as its nodes; ordered by the first."""
        from scipy.sparse.csgraph import connected_components

        lost = np.flatnonzero(self.rank < 0)
        if not len(lost):
            return ()
        matrix = self.graph.adjacency()[lost][:, lost]
        _, label = connected_components(matrix, connection="strong")
        source, target = matrix.nonzero()
        left = np.unique(label[source[label[source] != label[target]]])
        closed = np.setdiff1d(label, left)
        return tuple(
            sorted((lost[label == each] for each in closed), key=lambda nodes: int(nodes[0]))
        )


def find_ends(graph: StateGraph) -> Ends:
    """Find the rank of every node, in time linear in the transitions."""
    from waranalysis.kernels.attract import backward

    target = np.zeros(graph.nodes, dtype=np.bool_)
    target[graph.first_end :] = True
    return Ends(graph, backward(graph.arrows, graph.indices, target))
