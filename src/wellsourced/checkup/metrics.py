"""The figures of SourceCheckup (Wu et al., Nature Communications 2025), each with its bootstrap interval.

A source that could not be reached stays in the denominator, and a statement that names no source is not supported:
leaving either out would flatter. A share of nothing is None.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from wellsourced.bootstrap import pooled
from wellsourced.checkup.verdicts import is_retracted
from wellsourced.types import Checkup, Fetched, Label, Share, Standing, Traced

VALID: frozenset[Fetched] = frozenset({"ok", "soft 404"})
"""A page that answers, with words on it, is valid for the paper, although they may say "not found"."""

Counted = Callable[[Checkup], list[bool]]
"""Of a checked text whatever a share is taken of, one after another: whether it counts."""


def _sources(counts: Callable[[Traced], bool]) -> Counted:
    return lambda checkup: [counts(one) for one in checkup.traced]


def _standing(standing: Standing) -> Counted:
    return _sources(lambda one: one.standing == standing)


def _claims(*labels: Label) -> Counted:
    return lambda checkup: [verdict.label in labels for verdict in checkup.verdicts]


def _response(checkup: Checkup) -> list[bool]:
    """One text, if it makes a statement: whether all of them are supported."""
    return [all(_claims("supports")(checkup))] if checkup.verdicts else []


def _any_response(checkup: Checkup) -> list[bool]:
    """One text, whatever it says: the paper's own denominator."""
    return _response(checkup) or [False]


def _unused(checkup: Checkup) -> list[bool]:
    used = {one.source for one in checkup.pairings if one.verdict.label == "supports"}
    return [one.key not in used for one in checkup.traced]


def _own(checkup: Checkup) -> list[bool]:
    return [one.verdict.label == "supports" for one in checkup.pairings if one.own]


def _unmarked(checkup: Checkup) -> list[bool]:
    return [not claim.cites for claim in checkup.submitted.claims]


def _dangling(checkup: Checkup) -> list[bool]:
    return [bool(claim.dangling) for claim in checkup.submitted.claims]


MEASURES: Mapping[str, Counted] = {
    "source validity": _sources(lambda one: one.fetched in VALID),
    "source validity, strict": _sources(lambda one: one.fetched == "ok"),
    "statement support": _claims("supports"),
    "statement support at best": _claims("supports", "unjudged"),
    "response support": _response,
    "response support, all responses": _any_response,
    "unused sources": _unused,
    "pairing precision": _own,
    "contradicted statements": _claims("contradicts"),
    "unjudged statements": _claims("unjudged"),
    "statements without source": _unmarked,
    "statements with dangling mark": _dangling,
    "sources found": _standing("found"),
    "sources misattributed": _standing("misattributed"),
    "sources unmatched": _standing("unmatched"),
    "sources invented": _standing("invented"),
    "sources unreachable": _standing("unreachable"),
    "sources retracted": _sources(is_retracted),
}
"""By name.

statement support at best   were all that could not be judged supported
response support            texts of which every statement is supported, of those that make any
pairing precision           pairs of a statement and a source whose mark it bears, in which the source supports it
"""


def shares(checkup: Checkup) -> dict[str, Share]:
    """The figures of one text; its statements, its sources and its pairs are what is drawn again."""
    return {name: _share([(int(one), 1) for one in counted(checkup)]) for name, counted in MEASURES.items()}


def combined(checkups: Sequence[Checkup]) -> dict[str, Share]:
    """The figures of several texts together, pooled; whole texts are what is drawn again."""
    return {
        name: _share([(sum(one), len(one)) for one in map(counted, checkups)]) for name, counted in MEASURES.items()
    }


def _share(units: Sequence[tuple[int, int]]) -> Share:
    part, of = (sum(column) for column in zip(*units, strict=True)) if units else (0, 0)
    found = pooled(units)
    if math.isnan(found.mean):
        return Share(part=part, of=of)
    if len(units) == 1:
        # Of one thing alone, drawing again tells nothing.
        return Share(part=part, of=of, share=found.mean)
    return Share(part=part, of=of, share=found.mean, low=found.low, high=found.high)
