"""Every file format is read back by a program that knows nothing of this package."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import networkx as nx
import pygraphviz
import pytest

import waranalysis.graph
from waranalysis.errors import FileError, LimitError, RulesError
from waranalysis.graph import records
from waranalysis.graph.build import state_graph
from waranalysis.graph.export import FORMATS, export
from waranalysis.graph.records import to_networkx
from waranalysis.graph.structure import Structure, structure
from waranalysis.rules import RuleSet

ONE_DOWN = RuleSet(face_down=1)
GRAPHS = {
    "5x1": ("5x1", {}),
    "4x2": ("4x2", {}),
    "shuffled": ("3x2", {"capture": "shuffled"}),
    "side": ("4x1", {"capture": "chosen-side"}),
    "symbol": ("4x1", {"capture": "coin", "winner_first_probability": "p"}),
    "moments": ("4x1", {"capture": "chosen-side", "recognition": "1/3"}),
}


@pytest.fixture(scope="module", params=GRAPHS)
def found(request: pytest.FixtureRequest) -> Structure:
    deck, fields = GRAPHS[request.param]
    return structure(state_graph(deck, ONE_DOWN.replace(**fields)))


def write(found: Structure, directory: Path, form: str, name: str = "war") -> Path:
    return export(found, directory / f"{name}.{form}", form)[0]


Edges = list[tuple[int, int, list[tuple[str, Any]]]]


def nodes_of(graph: Any) -> dict[int, dict[str, Any]]:
    return {node: dict(data) for node, data in graph.nodes(data=True)}


def edges_of(graph: Any, *without: str) -> Edges:
    return sorted(
        (a, b, sorted((k, v) for k, v in data.items() if k not in without))
        for a, b, data in graph.edges(data=True)
    )


def same(one: Any, two: Any, *without: str) -> None:
    assert nodes_of(one) == nodes_of(two)
    assert edges_of(one, *without) == edges_of(two, *without)


# --- networkx --------------------------------------------------------------------------------


def test_networkx_has_the_transitions_of_the_arrays(found: Structure) -> None:
    graph = found.graph
    view = to_networkx(found)
    assert view.is_multigraph() == bool(graph.rules.choice_fields)
    assert list(view) == list(range(graph.nodes))
    edges = [(a, b, data["probability"]) for a, b, data in view.edges(data=True)]
    assert sorted(edges) == sorted(
        (int(graph.sources[e]), int(graph.indices[e]), str(graph.probability(e)))
        for e in range(graph.transitions)
    )
    assert view.graph["positions"] == graph.positions


def test_networkx_gives_the_same_answers(found: Structure) -> None:
    view = to_networkx(found.graph)
    for members in nx.strongly_connected_components(view):
        assert {view.nodes[v]["component"] for v in members} == {min(members)}
    if found.fate is not None:
        on_cycles = set().union(*nx.simple_cycles(view))
        assert {v for v in view if view.nodes[v]["on_cycle"]} == on_cycles
        ends = {v for v in view if view.nodes[v]["kind"] == "end"}
        for node, data in view.nodes(data=True):
            ways = nx.descendants(view, node) & ends | ({node} & ends)
            assert (data["outcome"] == "never") == (not ways)


def test_attributes_of_a_loop() -> None:
    view = state_graph("4 2 | 3 5 1", ONE_DOWN).to_networkx()
    assert view.nodes[0] == {
        "kind": "position",
        "state": "4 2 | 3 5 1",
        "sizes": "2/3",
        "deals": 1,
        "component": 0,
        "on_cycle": True,
        "cycle": 0,
        "period": 6,
        "tail": 0,
        "outcome": "never",
    }
    assert view.edges[0, 1] == {"probability": "1", "p": 1.0}
    sided = state_graph("2 | 3", ONE_DOWN.replace(capture="chosen-side")).to_networkx()
    assert [data for _, _, data in sided.edges(data=True)] == [
        {"probability": "1", "p": 1.0, "action": 0, "choice": "player 2: winner first"},
        {"probability": "1", "p": 1.0, "action": 1, "choice": "player 2: loser first"},
    ]


def test_networkx_refuses_large_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST", 100)
    with pytest.raises(LimitError, match="are too many for networkx: expected at most 100"):
        state_graph("4x2", ONE_DOWN).to_networkx()


# --- formats for graphs ----------------------------------------------------------------------


def test_graphml(found: Structure, tmp_path: Path) -> None:
    back = nx.read_graphml(write(found, tmp_path, "graphml"), node_type=int)
    same(back, to_networkx(found), "id")
    about = json.loads(back.graph["about"])
    assert about["positions"] == found.graph.positions
    assert RuleSet.from_dict(about["rules"]) == found.graph.rules


def test_gexf(found: Structure, tmp_path: Path) -> None:
    back = nx.read_gexf(write(found, tmp_path, "gexf"), node_type=int)
    for data in dict(back.nodes(data=True)).values():
        assert data.pop("label") == data["state"]
    same(back, to_networkx(found), "id")


def test_json(found: Structure, tmp_path: Path) -> None:
    text = write(found, tmp_path, "json").read_text()
    schema = (Path(waranalysis.graph.__file__).parent / "schema.json").read_text()
    data = json.loads(text)
    jsonschema.validate(data, json.loads(schema))
    same(nx.node_link_graph(data, edges="links"), to_networkx(found))
    assert len(data["links"]) == data["transitions"] == found.graph.transitions


def test_dot(found: Structure, tmp_path: Path) -> None:
    back = pygraphviz.AGraph(str(write(found, tmp_path, "dot")))
    wanted = to_networkx(found)
    assert {int(node) for node in back.nodes()} == set(wanted)
    assert [
        (int(a), int(b)) for a, b in sorted(back.edges(), key=lambda e: tuple(map(int, e)))
    ] == [(a, b) for a, b, _ in edges_of(wanted)]
    for node in list(wanted)[:50] + list(wanted)[-3:]:
        for field, value in wanted.nodes[node].items():
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            assert back.get_node(node).attr[field] == shown
    chances = sorted(edge.attr["probability"] for edge in back.edges())
    assert chances == sorted(data["probability"] for _, _, data in wanted.edges(data=True))


def test_csv(found: Structure, tmp_path: Path) -> None:
    nodes, edges, about = export(found, tmp_path / "war.csv")
    assert [p.name for p in (nodes, edges, about)] == [
        "war-nodes.csv",
        "war-edges.csv",
        "war-about.json",
    ]
    wanted = to_networkx(found)
    for row in csv.DictReader(nodes.read_text().splitlines()):
        data = wanted.nodes[int(row.pop("id"))]
        assert {k: v for k, v in row.items() if v} == {
            k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in data.items()
        }
    back = nx.MultiDiGraph()
    for row in csv.DictReader(edges.read_text().splitlines()):
        back.add_edge(int(row["source"]), int(row["target"]), probability=row["probability"])
    assert edges_of(back) == sorted(
        (a, b, [("probability", data["probability"])]) for a, b, data in wanted.edges(data=True)
    )
    assert json.loads(about.read_text())["transitions"] == found.graph.transitions


# --- formats for model checkers --------------------------------------------------------------


def test_aldebaran(found: Structure, tmp_path: Path) -> None:
    graph = found.graph
    if not all(isinstance(value, Fraction) for value in graph.values):
        with pytest.raises(RulesError, match="probabilities are symbols"):
            export(found, tmp_path / "war.aut")
        assert list(tmp_path.iterdir()) == []
        return
    head, *lines = export(found, tmp_path / "war.aut")[0].read_text().splitlines()
    first, transitions, states = map(int, re.fullmatch(r"des \((.*)\)", head)[1].split(", "))
    assert (first, states) == (graph.nodes, graph.nodes + 1)
    assert transitions == len(lines) == graph.transitions + len(graph.starts)
    read = [re.fullmatch(r'\((\d+), "(.*)", (\d+)\)', line) for line in lines]
    back = [(int(m[1]), m[2], int(m[3])) for m in read]
    assert sorted((a, b) for a, label, b in back if label != "deal") == sorted(
        zip(graph.sources.tolist(), graph.indices.tolist(), strict=True)
    )
    assert {b for _, label, b in back if label == "deal"} == set(graph.starts.tolist())
    for _, label, target in back:
        assert ("wins" in label or "draw" in label) == (graph.first_end <= target < graph.nodes)


def test_aldebaran_with_one_deal(tmp_path: Path) -> None:
    found = structure(state_graph("4 2 | 3 5 1", ONE_DOWN))
    lines = export(found, tmp_path / "war.aut")[0].read_text().splitlines()
    assert lines[:2] == ["des (0, 6, 6)", '(0, "turn", 1)']


@pytest.mark.parametrize("form", ["prism", "storm"])
def test_explicit_files(found: Structure, form: str, tmp_path: Path) -> None:
    graph = found.graph
    if not all(isinstance(value, Fraction) for value in graph.values):
        with pytest.raises(RulesError, match="probabilities are symbols"):
            export(found, tmp_path / "war.tra", form)
        return
    files = {p.name: p.read_text().splitlines() for p in export(found, tmp_path / "war.tra", form)}
    head, *rows = files["war.tra"]
    ends, choice = len(graph.ends), bool(graph.rules.choice_fields)
    sizes = [graph.nodes, *[len(graph.labels) + ends] * choice, graph.transitions + ends]
    wanted = " ".join(map(str, sizes)) if form == "prism" else "mdp" if choice else "dtmc"
    assert head == wanted
    assert len(rows) == graph.transitions + ends
    sums: dict[tuple[str, ...], float] = {}
    for row in rows:
        words = row.split()
        key = tuple(words[: 1 + choice])
        sums[key] = sums.get(key, 0) + float(words[2 + choice])
    assert len(sums) == len(graph.labels) + ends
    assert all(abs(total - 1) < 1e-12 for total in sums.values())
    if form == "prism":
        assert len(files["war.sta"]) == graph.nodes + 1
        assert files["war.sta"][0] == "(node,cards_1,cards_2)"
        assert files["war.srew"][0] == f"{graph.nodes} {graph.positions}"
        assert files["war.lab"][0].startswith('0="init" 1="end" 2="')
    else:
        assert len(files["war.rew"]) == graph.positions


def test_drn_of_a_symbol(tmp_path: Path) -> None:
    found = structure(state_graph("2 | 3 4", ONE_DOWN.replace(recognition="p", capture="coin")))
    text = write(found, tmp_path, "drn").read_text()
    assert "@parameters\np\n" in text
    assert re.search(r" : p/2\n", text)
    assert re.search(r" : 1/2 - p/2\n", text)


# --- TeX -------------------------------------------------------------------------------------


def test_tikz_of_a_loop(tmp_path: Path) -> None:
    found = structure(state_graph("4 2 | 3 5 1", ONE_DOWN))
    text = write(found, tmp_path, "tikz").read_text()
    assert text.count("\\node[looping]") == text.count("\\draw[->]") == 6
    assert "{4 2 $|$ 3 5 1}" in text


def test_tikz_refuses_large_graphs(tmp_path: Path) -> None:
    found = structure(state_graph("3x4", ONE_DOWN))
    with pytest.raises(LimitError, match="93,875 nodes are too many for TeX"):
        export(found, tmp_path / "war.tikz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a TeX")
@pytest.mark.parametrize("start", ["5x1", "4x2", "4 2 | 3 5 1", "2 3 | 4"])
def test_tikz_compiles(start: str, tmp_path: Path) -> None:
    found = structure(state_graph(start, ONE_DOWN))
    export(found, tmp_path / "picture.tikz")
    (tmp_path / "input.tex").write_text(
        "\\documentclass{article}\\usepackage{tikz}\\begin{document}\n"
        "\\input{picture.tikz}\n\\end{document}\n"
    )
    names = ["input.tex"]
    if subprocess.run(["kpsewhich", "standalone.cls"], capture_output=True, check=False).stdout:
        export(found, tmp_path / "alone.tex")
        names.append("alone.tex")
    for name in names:
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        assert (tmp_path / name).with_suffix(".pdf").exists()


# --- any format ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_graph_gives_the_same_bytes(form: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        found = structure(state_graph("5x1", ONE_DOWN))
        export(found, tmp_path / name / "war.out", form)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_files_that_may_not_be_written(tmp_path: Path) -> None:
    found = structure(state_graph("3x1", ONE_DOWN))
    with pytest.raises(FileError, match=r"expected a name ending in \.json, \.graphml"):
        export(found, tmp_path / "war.xyz")
    with pytest.raises(FileError, match="format 'xyz': expected json, graphml, gexf, dot"):
        export(found, tmp_path / "war.json", "xyz")
    with pytest.raises(FileError, match="is a directory"):
        export(found, tmp_path, "json")
    (tmp_path / "war.lab").write_text("mine")
    with pytest.raises(FileError, match=r"war\.lab' exists"):
        export(found, tmp_path / "war.tra")
    assert [p.name for p in tmp_path.iterdir()] == ["war.lab"]
    assert len(export(found, tmp_path / "war.tra", force=True)) == 5
