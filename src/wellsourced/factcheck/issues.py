"""What somebody has to look at in a checked text, and where it stands."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from wellsourced.factcheck.claim_spans import claim_spans
from wellsourced.factcheck.resolve.base import ADDRESS_FAULTS
from wellsourced.factcheck.verdicts import has_retraction, objection, sources_with_text, was_read
from wellsourced.types import Checkup, CitedSource, Claim, FetchOutcome, SourceResolution

IssueKind = Literal[
    "unsupported", "contradicted", "fabricated", "retracted", "misattributed", "dead", "dangling", "unverified"
]
"""
unsupported     a statement that no source says             contradicted    one whose source says the opposite
unverified      one that nobody who can be believed judged
fabricated      a source that nobody knows who would        retracted       one that was withdrawn
misattributed   one that is another work than the text      dead            one that is not there any more
                says, or words quoted from another
dangling        a mark that belongs to no source
"""

UNREACHED_CLASSES: frozenset[FetchOutcome] = frozenset(
    {"timeout", "server error", "unknown host", "tls", "offline", "not asked"}
)
"""What a machine without a network finds of every source."""

_QUOTED = re.compile(r"[“\"«„](?:[\w’'-]+[^“”\"«»„\w]+){3,}[\w’'-]+[^\w]?[”\"»]")
"""Four words or more in quotation marks."""


class TextIssue(NamedTuple):
    """One thing that is wrong, from `start` to `end` of the text."""

    kind: IssueKind
    start: int
    end: int
    message: str


def find_issues(checkup: Checkup) -> list[TextIssue]:
    """All of them, in the order of the text."""
    found = [*_claim_issues(checkup), *_source_issues(checkup)]
    return sorted(found, key=lambda one: (one.start, one.end))


def issue_kinds(found: Collection[TextIssue]) -> set[IssueKind]:
    """The kinds that there are; a statement that is contradicted is not supported either."""
    there: set[IssueKind] = {one.kind for one in found}
    return there | ({"unsupported"} if "contradicted" in there else set())


def is_cut_off(checkup: Checkup) -> bool:
    """Whether nothing can be said of the text, since no source was reached, or since its judge failed throughout."""
    reached = any(one.fetched not in UNREACHED_CLASSES for one in checkup.traced)
    # A machine without a network finds every source missing, which says nothing of the text.
    if checkup.traced and not reached and not sources_with_text(checkup):
        return True
    judged = any(one.verdict.label != "unjudged" for one in checkup.pairings)
    return bool(checkup.pairings) and not checkup.complete and not judged


def find_supported_elsewhere(checkup: Checkup) -> list[Claim]:
    """Claims whose own sources were read and do not say them, while another source of the text does."""
    saying: dict[int, set[bool]] = defaultdict(set)
    read: set[int] = set()
    for pair in checkup.pairings:
        if pair.verdict.is_confirmed:
            saying[pair.claim].add(pair.own)
        if pair.own and was_read(pair):
            read.add(pair.claim)
    return [one for one in checkup.submitted.claims if one.number in read and saying[one.number] == {False}]


def _claim_issues(checkup: Checkup) -> Iterator[TextIssue]:
    own = claim_spans(checkup.submitted.document.text, checkup.submitted.claims)
    elsewhere = {one.number for one in find_supported_elsewhere(checkup)}
    for claim, verdict in zip(checkup.submitted.claims, checkup.verdicts, strict=True):
        at = own[claim.number]
        if verdict.status == "contradicted":
            quote = f": “{verdict.quote}”" if verdict.quote else ""
            yield TextIssue("contradicted", *at, f"A source contradicts “{claim.text}”{quote}")
        elif verdict.status == "unsupported":
            yield TextIssue("unsupported", *at, f"“{claim.text}”: {verdict.reason or 'not said'}")
        elif verdict.status in ("unverified", "unjudged"):
            yield TextIssue("unverified", *at, f"“{claim.text}”: {verdict.reason or 'nobody judged it'}")
        # Only a literal quote can be attributed wrongly for certain; a paraphrase may rest on several works.
        if claim.number in elsewhere and _QUOTED.search(claim.text):
            yield TextIssue(
                "misattributed", *at, f"“{claim.text}” quotes another source than it names: {verdict.reason}"
            )
        for mark in claim.dangling:
            yield TextIssue("dangling", *at, f"No source of the text belongs to the mark “{mark}”")


def _source_issues(checkup: Checkup) -> Iterator[TextIssue]:
    traced = {one.key: one for one in checkup.traced}
    for cited in checkup.submitted.sources:
        if cited.key in traced:
            for kind, says in _describe_faults(cited, traced[cited.key]):
                yield TextIssue(kind, cited.start, cited.end, says)


def _describe_faults(cited: CitedSource, traced: SourceResolution) -> Iterator[tuple[IssueKind, str]]:
    name = f"Source {cited.key} (“{cited.written[:120]}”)"
    why = f": {traced.reason}" if traced.reason else ""
    if has_retraction(traced):
        yield "retracted", f"{name} was {objection(traced)}"
    if traced.standing == "invented":
        yield "fabricated", f"{name} is known to nobody who would know it{why}"
    if traced.standing == "misattributed":
        yield "misattributed", f"{name} is another work than the text says{why}"
    if traced.fetched in ADDRESS_FAULTS:
        yield "dead", f"{name} leads nowhere ({traced.fetched}){why}"
