"""Does a game end with probability one? From the graph alone, without a number solved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.graph.build import state_graph
from waranalysis.graph.model import Positions, StateGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Ends:
    """Where a chain can end.

    From a node of rank k an end can be reached within k turns. A finite chain that can reach an
    end from everywhere reaches one with probability one (Lakshtanov and Roshchina use the same
    argument, AMM 119 (2012)); nodes of rank -1 never do.

    Attributes
    ----------
    graph : Positions
        A `StateGraph`, or a `waranalysis.chance.survey.Survey`.
    rank : (nodes,) int32
        Fewest turns to an end, chance (and choices) willing; -1 where there is no way to one.
    """

    graph: Positions
    rank: NDArray[np.int32]

    @property
    def certain(self) -> bool:
        """Whether every position ends with probability one."""
        return bool((self.rank >= 0).all())

    def to_dict(self) -> dict[str, Any]:
        """Counts as programs read them."""
        graph = self.graph
        return {
            "deals": int(graph.deals.sum()),
            "positions": graph.positions,
            "ends": len(graph.ends),
            "transitions": graph.transitions,
            "closed_classes": len(graph.ends) + len(self.traps),
            "closed_classes_without_end": len(self.traps),
            "ending_certain": self.certain,
        }

    @cached_property
    def traps(self) -> tuple[NDArray[np.int64], ...]:
        """The closed classes without an end, each as its nodes; ordered by the first."""
        from scipy.sparse.csgraph import connected_components

        lost = np.flatnonzero(self.rank < 0)
        if not len(lost):
            return ()
        matrix = self._among(lost)
        _, label = connected_components(matrix, connection="strong")
        source, target = matrix.nonzero()
        left = np.unique(label[source[label[source] != label[target]]])
        closed = np.setdiff1d(label, left)
        return tuple(
            sorted((lost[label == each] for each in closed), key=lambda nodes: int(nodes[0]))
        )

    def _among(self, lost: NDArray[np.int64]) -> csr_array:
        """The transitions among positions that never end, which nothing leads out of."""
        if isinstance(self.graph, StateGraph):
            return self.graph.adjacency()[lost][:, lost]
        states = list(map(self.graph.state, lost.tolist()))
        return state_graph(states, self.graph.rules).adjacency()


def find_ends(graph: StateGraph) -> Ends:
    """Find the rank of every node, in time linear in the transitions."""
    from waranalysis.kernels.attract import backward

    target = np.zeros(graph.nodes, dtype=np.bool_)
    target[graph.first_end :] = True
    return Ends(graph, backward(graph.arrows, graph.indices, target))
