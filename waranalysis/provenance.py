"""What a written result carries so that it can be made again."""

from __future__ import annotations

from typing import Any

from waranalysis import __version__
from waranalysis.rules import RuleSet


def provenance(kind: str, rules: RuleSet | None = None, **more: Any) -> dict[str, Any]:
    """Return version, schema and rules of a result, and whatever else it takes to repeat it.

    Parameters
    ----------
    kind : str
        Name of the schema, such as "certificate" or "enumerate".
    rules : RuleSet, optional
    **more
        Further fields, such as deck or seed; those that are None are left out.
    """
    record: dict[str, Any] = {"schema": f"waranalysis/{kind}/1", "version": __version__}
    if rules is not None:
        told = rules.to_dict().items()
        record["rules"] = {k: v for k, v in told if k not in ("title", "source", "deck")}
    return record | {field: value for field, value in more.items() if value is not None}
