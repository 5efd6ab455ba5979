"""Statements about War, and whether they are true: a register, and checks that run the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
    claims: Iterable[Claim], seed: int = SEED, done: Callable[[int], None] = lambda _: None
) -> list[Finding]:
    """Check claims one after the other.

    Parameters
    ----------
    claims : iterable of Claim
    seed : int
        Of all that is sampled; the same seed gives the same findings.
    done : callable
        Told how many are done.
    """
    findings = []
    for number, claim in enumerate(claims, 1):
        findings.append(claim.find(seed))
        done(number)
    return findings
