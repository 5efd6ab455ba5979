"""Pictures: layouts that keep nodes apart, and files that are the same every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from waranalysis.errors import CardsError, FileError, LimitError, MissingError
from waranalysis.graph import draw as pictures
from waranalysis.graph.build import state_graph
from waranalysis.graph.draw import draw, game
from waranalysis.graph.layout import layout, path_layout
from waranalysis.graph.structure import Structure, structure
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

ONE_DOWN = RuleSet(face_down=1)


def found(start: str, **fields: Any) -> Structure:
    return structure(state_graph(start, ONE_DOWN.replace(**fields)))


@pytest.mark.parametrize(
    ("deck", "fields"),
    [("5x1", {}), ("3x2", {}), ("6x1", {"capture": "seat-first"}), ("3x2", {"capture": "coin"})],
)
def test_nodes_are_kept_apart(deck: str, fields: dict[str, str]) -> None:
    points = layout(found(deck, **fields))
    assert np.isfinite(points).all()
    assert pdist(points).min() > 0.05


def test_loops_are_rings() -> None:
    five = found("5x1")
    points = layout(five)
    for cycle in five.cycles:
        ring = points[cycle.nodes]
        middle = ring.mean(axis=0)
        assert np.ptp(np.hypot(*(ring - middle).T)) < 1e-9
        steps = np.hypot(*(ring - np.roll(ring, 1, axis=0)).T)
        assert np.ptp(steps) < 1e-9


@pytest.mark.parametrize(("tail", "period"), [(0, 6), (40, 0), (3, 12), (500, 30)])
def test_paths_wind_without_touching(tail: int, period: int) -> None:
    points = path_layout(tail, period)
    assert points.shape == (tail + max(period, 1), 2)
    steps = np.hypot(*np.diff(points, axis=0).T)
    assert (steps > 0.4).all()
    assert (steps < 1.6).all()
    assert pdist(points).min() > 0.4


def test_the_game_of_a_deal() -> None:
    nine = found("9x1")
    for start in nine.graph.starts[::40_000].tolist():
        nodes = game(nine, start)
        verdict = classify(ONE_DOWN.read_deal(nine.graph.text(start)), ONE_DOWN)
        wanted = verdict.battles + 1 if verdict.ending else verdict.tail + verdict.period
        assert len(set(nodes.tolist())) == len(nodes) == wanted


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
@pytest.mark.parametrize("what", ["graph", "loop", "path", "lengths", "periods"])
def test_pictures_are_the_same_every_time(what: str, form: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        draw(found("5x1"), tmp_path / f"{name}.{form}", what)
    one, two = ((tmp_path / f"{name}.{form}").read_bytes() for name in ("one", "two"))
    assert one == two
    start = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form]
    assert one.startswith(start)
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"one.{form}", f"two.{form}"]


@pytest.mark.parametrize(
    ("start", "fields"),
    [
        ("3x2", {"capture": "shuffled"}),
        ("3x1", {"capture": "chosen-side"}),
        ("4x1", {"capture": "chosen-side", "recognition": "p"}),
        ("3x2", {"players": 3, "capture": "seat-first"}),
        ("2 3 |", {}),
    ],
)
def test_other_graphs_can_be_drawn(start: str, fields: dict[str, Any], tmp_path: Path) -> None:
    draw(found(start, **fields), tmp_path / "war.svg")
    assert (tmp_path / "war.svg").stat().st_size > 1000


def test_width(tmp_path: Path) -> None:
    draw(found("5x1"), tmp_path / "war.svg", width=6.5)
    assert 'width="468pt"' in (tmp_path / "war.svg").read_text()


def test_what_cannot_be_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "war.svg"
    with pytest.raises(CardsError, match="no cycle 4: the graph has 4, counted from 0"):
        draw(found("5x1"), path, "loop", cycle=4)
    with pytest.raises(CardsError, match="no cycle: there are no periods"):
        draw(found("4x1"), path, "periods")
    with pytest.raises(CardsError, match="no deal decides its game"):
        draw(found("4x1", capture="coin"), path, "path")
    with pytest.raises(CardsError, match="no deal ends"):
        draw(found("4 2 | 3 5 1"), path, "lengths")
    with pytest.raises(FileError, match=r"expected a name ending in \.svg, \.pdf, \.png"):
        draw(found("4x1"), tmp_path / "war.gif")
    monkeypatch.setattr(pictures, "MOST", 10)
    with pytest.raises(LimitError, match="74 nodes are too many for a picture"):
        draw(found("4x1", capture="coin"), path)
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    with pytest.raises(MissingError, match=r"pip install 'waranalysis\[papers\]'"):
        draw(found("4x1"), path)
    assert list(tmp_path.iterdir()) == []
