"""Formats of model checkers: Aldebaran, PRISM's and Storm's explicit files, DRN.

A model without choices is a discrete-time Markov chain, one with choices a Markov decision
process in which an action stands for the choices of everybody. Every end gets a loop of its own,
since a state has to have a successor there. States that deals start in are labelled "init"
(with several deals the checker answers for each of them), ends "end" and "player_1", "player_2",
… or "draw". The reward "battles" is 1 for every turn. Where a strategy is marked, the states of
its region are labelled "region", and names of actions that it chooses end in "chosen".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from waranalysis.errors import RulesError
from waranalysis.graph.model import StateGraph
from waranalysis.graph.records import about, as_float, choice_text
from waranalysis.graph.structure import Structure

Lines = Iterator[str]


def _labels(found: Structure) -> dict[int, list[str]]:
    """The labels of every node that has any."""
    graph = found.graph
    labels: dict[int, list[str]] = {node: ["init"] for node in graph.starts.tolist()}
    for node, winner in enumerate(graph.ends, graph.first_end):
        name = "draw" if winner is None else f"player_{winner + 1}"
        labels.setdefault(node, []).extend(["end", name])
    if found.marks is not None:
        for node in np.flatnonzero(found.marks.region).tolist():
            labels.setdefault(node, []).append("region")
    return dict(sorted(labels.items()))


def _names(found: Structure) -> list[str]:
    """All labels that occur."""
    names = {name for names in _labels(found).values() for name in names}
    return [name for name in ("init", "end") if name in names] + sorted(names - {"init", "end"})


def _is_chain(graph: StateGraph) -> bool:
    return not graph.rules.choice_fields


def _action_names(found: Structure) -> list[str]:
    """The name of every action: letters, digits and underscores."""
    graph = found.graph
    texts = (choice_text(label, graph.naming) for label in graph.choices)
    names = [re.sub(r"\W+", "_", text) or "turn" for text in texts]
    labels = graph.labels.tolist()
    if found.marks is None:
        return [names[label] for label in labels]
    chosen = found.marks.chosen.tolist()
    return [names[label] + "_chosen" * told for label, told in zip(labels, chosen, strict=True)]


def _floats(graph: StateGraph) -> list[str]:
    """Probabilities as floats; `RulesError` if some are symbols."""
    numbers = [as_float(value) for value in graph.values]
    if None in numbers:
        raise RulesError(
            "probabilities are symbols: expected a format that takes them (drn, json, graphml, "
            "gexf, dot, csv), or a rule set with numbers"
        )
    return [repr(number) if number != 1 else "1" for number in numbers]


# --- Aldebaran -------------------------------------------------------------------------------


def aut_lines(found: Structure) -> Lines:
    """Yield an Aldebaran file, a labelled transition system.

    Labels are "turn", the choices, or who wins; a chance is written behind, "turn; prob 0.5".
    The format knows one initial state: with several deals it is one more, behind the ends, from
    which a transition "deal" leads to each.
    """
    graph = found.graph
    starts = graph.starts.tolist()
    one = len(starts) == 1
    extra = 0 if one else len(starts)
    states = graph.nodes + (not one)
    yield f"des ({starts[0] if one else graph.nodes}, {graph.transitions + extra}, {states})"
    chances = [f"; prob {text}" if text != "1" else "" for text in _floats(graph)]
    choices = [choice_text(label, graph.naming) or "turn" for label in graph.choices]
    for node, action, edge in _edges(graph):
        target = int(graph.indices[edge])
        label = choices[graph.labels[action]]
        if target >= graph.first_end:
            label = graph.text(target) if label == "turn" else f"{label}; {graph.text(target)}"
        label += "; chosen" * bool(found.chosen[edge])
        yield f'({node}, "{label}{chances[graph.chances[edge]]}", {target})'
    if not one:
        yield from (f'({graph.nodes}, "deal", {start})' for start in starts)


def _edges(graph: StateGraph) -> Iterator[tuple[int, int, int]]:
    """Node, action and transition of every transition; the targets of an action ascend."""
    for node in range(graph.first_end):
        for action in range(int(graph.actions[node]), int(graph.actions[node + 1])):
            for edge in _outcomes(graph, action):
                yield node, action, edge


def _outcomes(graph: StateGraph, action: int) -> list[int]:
    edges = range(int(graph.indptr[action]), int(graph.indptr[action + 1]))
    return sorted(edges, key=graph.indices.__getitem__)


# --- explicit files --------------------------------------------------------------------------


def prism_transitions(found: Structure) -> Lines:
    """Yield a PRISM .tra file."""
    graph = found.graph
    ends = len(graph.ends)
    counts = [graph.nodes, len(graph.labels) + ends, graph.transitions + ends]
    if _is_chain(graph):
        del counts[1]
    yield " ".join(map(str, counts))
    yield from _transitions(found, names=True)


def storm_transitions(found: Structure) -> Lines:
    """Yield a .tra file as Storm reads it: it begins with the kind of model."""
    yield "dtmc" if _is_chain(found.graph) else "mdp"
    yield from _transitions(found, names=False)


def _transitions(found: Structure, names: bool) -> Lines:
    graph = found.graph
    chances = _floats(graph)
    actions = _action_names(found)
    for node, action, edge in _edges(graph):
        chance = chances[graph.chances[edge]]
        if _is_chain(graph):
            yield f"{node} {graph.indices[edge]} {chance}"
            continue
        name = f" {actions[action]}" if names else ""
        number = action - graph.actions[node]
        yield f"{node} {number} {graph.indices[edge]} {chance}{name}"
    loop = "" if _is_chain(graph) else " 0"
    for end in range(graph.first_end, graph.nodes):
        yield f"{end}{loop} {end} 1"


def prism_states(found: Structure) -> Lines:
    """Yield a PRISM .sta file: the node and the cards of each player (0 at ends)."""
    graph = found.graph
    seats = range(graph.rules.players)
    yield "(node," + ",".join(f"cards_{seat + 1}" for seat in seats) + ")"
    for node in range(graph.nodes):
        held = [0 for _ in seats]
        if node < graph.first_end:
            position = node if node < graph.positions else graph.moments[node - graph.positions]
            state = graph.state(int(position))
            held = [len(state.packets[seat]) + len(state.piles[seat]) for seat in seats]
        yield f"{node}:({node}," + ",".join(map(str, held)) + ")"


def prism_labels(found: Structure) -> Lines:
    """Yield a PRISM .lab file."""
    names = _names(found)
    yield " ".join(f'{place}="{name}"' for place, name in enumerate(names))
    for node, labels in _labels(found).items():
        yield f"{node}: " + " ".join(str(names.index(label)) for label in labels)


def storm_labels(found: Structure) -> Lines:
    """Yield a .lab file as Storm reads it."""
    yield "#DECLARATION"
    yield " ".join(_names(found))
    yield "#END"
    for node, labels in _labels(found).items():
        yield f"{node} " + " ".join(labels)


def prism_rewards(found: Structure) -> Lines:
    """Yield a PRISM .srew file: one battle a turn."""
    graph = found.graph
    yield f"{graph.nodes} {graph.positions}"
    yield from storm_rewards(found)


def storm_rewards(found: Structure) -> Lines:
    """Yield a file of state rewards as Storm reads it."""
    return (f"{node} 1" for node in range(found.graph.positions))


# --- DRN -------------------------------------------------------------------------------------


def drn_lines(found: Structure) -> Lines:
    """Yield Storm's DRN; probabilities are exact, symbols are parameters."""
    graph = found.graph
    symbols = {str(s) for value in graph.values for s in getattr(value, "free_symbols", ())}
    yield f"// {json.dumps(about(graph))}"
    yield "@type: " + ("DTMC" if _is_chain(graph) else "MDP")
    yield "@parameters"
    yield " ".join(sorted(symbols))
    yield "@reward_models"
    yield "battles"
    yield "@nr_states"
    yield str(graph.nodes)
    yield "@nr_choices"
    yield str(len(graph.labels) + len(graph.ends))
    yield "@model"
    yield from _drn_states(found)


def _drn_states(found: Structure) -> Lines:
    graph = found.graph
    labels = _labels(found)
    names = _action_names(found)
    chances = list(map(_exact, graph.values))
    for node in range(graph.nodes):
        reward = int(node < graph.positions)
        yield " ".join([f"state {node} [{reward}]", *labels.get(node, [])])
        if node >= graph.first_end:
            yield "\taction turn [0]"
            yield f"\t\t{node} : 1"
        for action in range(int(graph.actions[node]), int(graph.actions[node + 1])):
            yield f"\taction {names[action]} [0]"
            for edge in _outcomes(graph, action):
                yield f"\t\t{graph.indices[edge]} : {chances[graph.chances[edge]]}"


def _exact(value: Any) -> str:
    """A fraction, or an expression with ^ for powers."""
    return str(value).replace("**", "^")
