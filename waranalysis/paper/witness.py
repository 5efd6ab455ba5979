"""Certificates for the deals that the answers of a paper name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waranalysis.certificate import certificate
from waranalysis.paper.book import content
from waranalysis.paper.folder import Paper
from waranalysis.rules import RuleSet
from waranalysis.termination import classify


def witnesses(paper: Paper, name: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield path and certificate for each deal that the answer of a step names.

    These are the longest game that ends, one game that never ends, and every deal that was
    classified. Certificates that are there already are left out.
    """
    directory = paper.folder / "certificates"
    for what, text, rules in _named(content(paper.data(name))):
        path = directory / f"{name.partition('.')[0]}_{what}.json"
        if not path.exists():
            deal = rules.read_deal(text)
            yield path, certificate(deal, rules, classify(deal, rules))


def _named(answer: Any) -> Iterator[tuple[str, str, RuleSet]]:
    if not isinstance(answer, dict):
        return
    if answer["schema"] == "waranalysis/classify/1":
        for number, entry in enumerate(answer["deals"], 1):
            yield str(number), entry["deal"], RuleSet.from_dict(entry["rules"])
        return
    rules = RuleSet.from_dict(answer.get("rules", {}))
    if "longest_deal" in answer:
        yield "longest", answer["longest_deal"], rules
    for deal in answer.get("examples", {}).get("never", [])[:1]:
        yield "loop", deal, rules
