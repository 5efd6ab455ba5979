"""Statements about War, and whether they are true: a register, and checks that run the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from waranalysis.census.campaign import Record, inline, processes
from waranalysis.claims.finding import Finding
from waranalysis.claims.register import Claim, claim_of, register

__all__ = ["Claim", "Finding", "chosen", "register", "run"]

SEED = 1


def chosen(ids: Iterable[str] = (), long: bool = False) -> list[Claim]:
    """The claims of the given ids; without any all quick ones, or all there are.

    Raises
    ------
    ClaimsError
        For an id that is not in the register.
    """
    named = [claim_of(name) for name in dict.fromkeys(ids)]
    return named or [claim for claim in register().values() if long or not claim.long]


def run(
    claims: Iterable[Claim],
    seed: int = SEED,
    done: Callable[[int], None] = lambda _: None,
    workers: int = 1,
) -> list[Finding]:
    """Check claims of the register.

    Parameters
    ----------
    claims : iterable of Claim
    seed : int
        Of all that is sampled; the same seed gives the same findings.
    done : callable
        Told how many are done.
    workers : int
        Processes. The findings do not depend on it.
    """
    about: Record = {"ids": [claim.id for claim in claims], "seed": seed}
    execute = inline if workers == 1 else processes(workers)
    findings: dict[int, Finding] = {}
    for (number, _), record in execute(
        _find, about, [(i, i + 1) for i in range(len(about["ids"]))]
    ):
        findings[number] = record["finding"]
        done(len(findings))
    return [findings[number] for number in sorted(findings)]


def _find(about: Record, number: int, _: int) -> Record:
    return {"finding": claim_of(about["ids"][number]).find(about["seed"])}
