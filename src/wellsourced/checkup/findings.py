"""Findings: what somebody has to look at in a checked text, and where it stands."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from wellsourced.checkup.places import places
from wellsourced.checkup.verdicts import is_retracted, objection, read_sources, was_read
from wellsourced.types import Checkup, Cited, Claim, Fetched, Traced

Kind = Literal["unsupported", "contradicted", "fabricated", "retracted", "misattributed", "dead", "dangling"]
"""
unsupported     a statement that no source says             contradicted    one whose source says the opposite
fabricated      a source that nobody knows who would        retracted       one that was withdrawn
misattributed   one that is another work than the text      dead            one that is not there any more
                says, or words quoted from another
dangling        a mark that belongs to no source
"""

DEAD: frozenset[Fetched] = frozenset({"dead", "soft 404", "unknown host", "malformed"})
"""The address leads nowhere; one that was only not reached this time is none of these."""

DOWN: frozenset[Fetched] = frozenset({"timeout", "server error", "unknown host", "tls", "offline", "not asked"})
"""What a machine without a network finds of every source."""


_QUOTED = re.compile(r"[“\"«„](?:[\w’'-]+[^“”\"«»„\w]+){3,}[\w’'-]+[^\w]?[”\"»]")
"""Four words or more in quotation marks."""


class Finding(NamedTuple):
    """One thing that is wrong, from `start` to `end` of the text."""

    kind: Kind
    start: int
    end: int
    says: str


def findings(checkup: Checkup) -> list[Finding]:
    """All of them, in the order of the text."""
    found = [*_of_claims(checkup), *_of_sources(checkup)]
    return sorted(found, key=lambda one: (one.start, one.end))


def kinds(found: Collection[Finding]) -> set[Kind]:
    """The kinds that there are; a statement that is contradicted is not supported either."""
    there: set[Kind] = {one.kind for one in found}
    return there | ({"unsupported"} if "contradicted" in there else set())


def is_cut_off(checkup: Checkup) -> bool:
    """Whether nothing can be said of the text, since no source was reached, or since its judge failed throughout."""
    reached = any(one.fetched not in DOWN for one in checkup.traced)
    if checkup.traced and not reached and not read_sources(checkup):
        return True
    judged = any(one.verdict.label != "unjudged" for one in checkup.pairings)
    return bool(checkup.pairings) and not checkup.complete and not judged


def borne_out_elsewhere(checkup: Checkup) -> list[Claim]:
    """Claims whose own sources were read and do not say them, while another source of the text does."""
    saying: dict[int, set[bool]] = defaultdict(set)
    read: set[int] = set()
    for pair in checkup.pairings:
        if pair.verdict.label == "supports":
            saying[pair.claim].add(pair.own)
        if pair.own and was_read(pair):
            read.add(pair.claim)
    return [one for one in checkup.submitted.claims if one.number in read and saying[one.number] == {False}]


def _of_claims(checkup: Checkup) -> Iterator[Finding]:
    own = places(checkup.submitted.document.text, checkup.submitted.claims)
    elsewhere = {one.number for one in borne_out_elsewhere(checkup)}
    for claim, verdict in zip(checkup.submitted.claims, checkup.verdicts, strict=True):
        at = own[claim.number]
        if verdict.label == "contradicts":
            quote = f": “{verdict.quote}”" if verdict.quote else ""
            yield Finding("contradicted", *at, f"A source contradicts “{claim.text}”{quote}")
        elif verdict.label == "silent":
            yield Finding("unsupported", *at, f"“{claim.text}”: {verdict.reason or 'not said'}")
        if claim.number in elsewhere and _QUOTED.search(claim.text):
            yield Finding("misattributed", *at, f"“{claim.text}” quotes another source than it names: {verdict.reason}")
        for mark in claim.dangling:
            yield Finding("dangling", *at, f"No source of the text belongs to the mark “{mark}”")


def _of_sources(checkup: Checkup) -> Iterator[Finding]:
    traced = {one.key: one for one in checkup.traced}
    for cited in checkup.submitted.sources:
        if cited.key in traced:
            for kind, says in _said_of(cited, traced[cited.key]):
                yield Finding(kind, cited.start, cited.end, says)


def _said_of(cited: Cited, traced: Traced) -> Iterator[tuple[Kind, str]]:
    name = f"Source {cited.key} (“{cited.written[:120]}”)"
    why = f": {traced.reason}" if traced.reason else ""
    if is_retracted(traced):
        yield "retracted", f"{name} was {objection(traced)}"
    if traced.standing == "invented":
        yield "fabricated", f"{name} is known to nobody who would know it{why}"
    if traced.standing == "misattributed":
        yield "misattributed", f"{name} is another work than the text says{why}"
    if traced.fetched in DEAD:
        yield "dead", f"{name} leads nowhere ({traced.fetched}){why}"
