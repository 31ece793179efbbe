"""The figures of SourceCheckup (Wu et al., Nature Communications 2025), each with its bootstrap interval.

A source that could not be reached stays in the denominator, and a statement that names no source is not supported:
leaving either out would flatter. A share of nothing is None.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from wellsourced.confidence import bootstrap_share
from wellsourced.factcheck.verdicts import has_retraction
from wellsourced.types import Checkup, FetchOutcome, ShareInterval, SourceResolution, SourceStanding, VerdictStatus

VALID_CLASSES: frozenset[FetchOutcome] = frozenset({"ok", "soft 404"})
"""A page that answers, with words on it, is valid for the paper, although they may say "not found"."""

CountRule = Callable[[Checkup], list[bool]]
"""Of a checked text whatever a share is taken of, one after another: whether it counts."""


def _count_sources(counts: Callable[[SourceResolution], bool]) -> CountRule:
    return lambda checkup: [counts(one) for one in checkup.traced]


def _count_standing(standing: SourceStanding) -> CountRule:
    return _count_sources(lambda one: one.standing == standing)


def _count_claims(*wanted: VerdictStatus) -> CountRule:
    return lambda checkup: [verdict.status in wanted for verdict in checkup.verdicts]


def _count_response(checkup: Checkup) -> list[bool]:
    """One text, if it makes a statement: whether all of them are supported."""
    return [all(verdict.is_confirmed for verdict in checkup.verdicts)] if checkup.verdicts else []


def _count_unused_sources(checkup: Checkup) -> list[bool]:
    used = {one.source for one in checkup.pairings if one.verdict.is_confirmed}
    return [one.key not in used for one in checkup.traced]


MEASURES: Mapping[str, CountRule] = {
    "source validity": _count_sources(lambda one: one.fetched in VALID_CLASSES),
    "source validity, strict": _count_sources(lambda one: one.fetched == "ok"),
    "statement support": _count_claims("verbatim", "verified"),
    "statement support at best": _count_claims("verbatim", "verified", "unverified", "unjudged"),
    "response support": _count_response,
    "response support, all responses": lambda checkup: _count_response(checkup) or [False],
    "unused sources": _count_unused_sources,
    "pairing precision": lambda checkup: [one.verdict.is_confirmed for one in checkup.pairings if one.own],
    "verbatim statements": _count_claims("verbatim"),
    "unverified statements": _count_claims("unverified"),
    "contradicted statements": _count_claims("contradicted"),
    "unjudged statements": _count_claims("unjudged"),
    "statements without source": lambda checkup: [not claim.cites for claim in checkup.submitted.claims],
    "statements with dangling mark": lambda checkup: [bool(claim.dangling) for claim in checkup.submitted.claims],
    "sources found": _count_standing("found"),
    "sources misattributed": _count_standing("misattributed"),
    "sources unmatched": _count_standing("unmatched"),
    "sources invented": _count_standing("invented"),
    "sources unreachable": _count_standing("unreachable"),
    "sources retracted": _count_sources(has_retraction),
}
"""By name.

statement support           statements that are the source's own sentences, or verified by who can be believed
statement support at best   were all that nobody could verify or read supported
response support            texts of which every statement is supported, of those that make any; all responses: of
                            all of them, which is the paper's own denominator
pairing precision           pairs of a statement and a source whose mark it bears, in which the source supports it
"""


def measure_shares(checkup: Checkup) -> dict[str, ShareInterval]:
    """The figures of one text; its statements, its sources and its pairs are what is drawn again."""
    return {name: _build_share([(int(one), 1) for one in counted(checkup)]) for name, counted in MEASURES.items()}


def pool_shares(checkups: Sequence[Checkup]) -> dict[str, ShareInterval]:
    """The figures of several texts together, pooled; whole texts are what is drawn again."""
    return {
        name: _build_share([(sum(one), len(one)) for one in map(counted, checkups)])
        for name, counted in MEASURES.items()
    }


def _build_share(units: Sequence[tuple[int, int]]) -> ShareInterval:
    part, of = (sum(column) for column in zip(*units, strict=True)) if units else (0, 0)
    found = bootstrap_share(units)
    if math.isnan(found.mean):
        return ShareInterval(part=part, of=of)
    # Of one thing alone, drawing again tells nothing.
    low, high = (found.low, found.high) if len(units) > 1 else (None, None)
    return ShareInterval(part=part, of=of, share=found.mean, low=low, high=high)
