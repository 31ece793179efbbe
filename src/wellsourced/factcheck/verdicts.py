"""What all sources together say of a claim, what somebody has to look at in the text, and the figures of
SourceCheckup.

One of the sources alone has to support a claim; they are never added up.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from wellsourced.compare.differences import HARMLESS_KINDS
from wellsourced.confidence import bootstrap_share
from wellsourced.factcheck.pairing import NOTHING_NEAR, STATUS_RANKS, DocumentVerdict
from wellsourced.factcheck.resolve.base import ADDRESS_FAULTS
from wellsourced.factcheck.text_outline import claim_spans
from wellsourced.judges.base import PARTIAL, UNLOCATED_CONTRADICTION
from wellsourced.types import (
    Checkup,
    CitedSource,
    Claim,
    ClaimSourceVerdict,
    FetchOutcome,
    ShareInterval,
    SourceResolution,
    SourceStanding,
    Verdict,
    VerdictStatus,
    WordDifference,
)

RETRACTED_REASON = "the source was retracted"
UNREAD_REASON = "the source could not be read"
"""How reasons begin for which a source counts for nothing."""


def build_pairing(
    claim: Claim, source: str, found: DocumentVerdict | None, traced: SourceResolution
) -> ClaimSourceVerdict:
    """What a source counts for a claim: nothing when it could not be read, or when it was retracted."""
    if found:
        found = found.model_copy(update={"verdict": _apply_objections(found.verdict, traced)})
    else:
        why = f": {traced.reason}" if traced.reason else ""
        found = DocumentVerdict(verdict=_unread_verdict(f"{UNREAD_REASON} ({traced.fetched}){why}"))
    return ClaimSourceVerdict(claim=claim.number, source=source, own=source in claim.cites, **dict(found))


def was_read(pairing: ClaimSourceVerdict) -> bool:
    """Whether words of the source were compared with the claim: they may be had although its address is dead."""
    return not pairing.verdict.reason.startswith(UNREAD_REASON)


def sources_with_text(checkup: Checkup) -> set[str]:
    """The keys of the sources whose words were had."""
    there = {one.key for one in checkup.traced if one.fetched == "ok"}
    return there | {one.source for one in checkup.pairings if was_read(one)}


def objection(traced: SourceResolution) -> str:
    """What speaks against a work as evidence: "retracted (PubMed, 2020)"; "" when nothing is known."""
    return traced.reference.retraction.objection if traced.reference else ""


def has_retraction(traced: SourceResolution) -> bool:
    """Whether it may not count as evidence at all; a concern is only mentioned."""
    return objection(traced).startswith("retracted")


def _apply_objections(verdict: Verdict, traced: SourceResolution) -> Verdict:
    if not verdict.is_confirmed:
        return verdict
    doubt = objection(traced)
    # The words are there, and may not be relied on: silence and not contradiction, since nobody says the opposite.
    if has_retraction(traced):
        return _known_verdict(f"{RETRACTED_REASON}{doubt.removeprefix('retracted')}, and cannot support it")
    told = [f"the source is {doubt}"] if doubt else []
    if traced.standing == "misattributed":
        told.append("the source is not the work that the text names")
    return _add_reasons(verdict, *told)


def combine_verdicts(
    claim: Claim,
    pairings: Sequence[ClaimSourceVerdict],
    sources: Sequence[CitedSource],
    traced: Mapping[str, SourceResolution],
) -> Verdict:
    """The best of the claim's pairings: support, contradiction, what is near, silence; its own sources first.

    Where one of its sources could not be read, the silence of the others says nothing.

    pairings   of this claim
    """
    best = best_pairing(pairings)
    if best is None or not any(map(was_read, pairings)):
        reason = _unsourced_reason(claim, sources, pairings, traced)
        return _unread_verdict(reason) if pairings else _known_verdict(reason)
    if best.verdict.status in ("unsupported", "unjudged") or not best.quote:
        retracted = [one for one in pairings if one.verdict.reason.startswith(RETRACTED_REASON)]
        unread = [one for one in pairings if not was_read(one) and (one.own or not claim.cites)]
        # Why it fell tells more than that nobody else says it.
        if retracted:
            return retracted[0].verdict
        if best.verdict.status == "unjudged" and was_read(best):
            return best.verdict
        if not unread:
            return _explain_silence(best, pairings)
        named = f"{'source' if len(unread) == 1 else 'sources'} {', '.join(one.source for one in unread)}"
        return _unread_verdict(f"not found in what could be read; {named} could not be read")
    # Another source of the text supports it: the claim stands, and its author cited the wrong one.
    if claim.cites and not best.own and best.verdict.is_confirmed:
        return _add_reasons(best.verdict, f"supported by source {best.source}, not cited here")
    return best.verdict


def best_pairing(pairings: Sequence[ClaimSourceVerdict]) -> ClaimSourceVerdict | None:
    """The pairing that decides; None without any."""
    return max(
        pairings,
        key=lambda one: (STATUS_RANKS[one.verdict.status], was_read(one), one.own, bool(one.quote), one.verdict.score),
        default=None,
    )


def _explain_silence(best: ClaimSourceVerdict, pairings: Sequence[ClaimSourceVerdict]) -> Verdict:
    read = sum(map(was_read, pairings))
    if best.verdict.status == "unverified" and best.verdict.reason not in ("", NOTHING_NEAR):
        return best.verdict
    if best.verdict.status == "unverified":
        whose = "its source" if read == 1 else f"any of {read} sources"
        return best.verdict.model_copy(update={"reason": f"no sentence in {whose} is similar"})
    reason = "not supported by its source" if read == 1 else f"not supported by any of {read} sources"
    why = best.verdict.reason if best.own or read == 1 else ""
    if why.startswith((PARTIAL, UNLOCATED_CONTRADICTION)):
        return best.verdict
    return best.verdict.model_copy(update={"reason": f"{reason}: {why}" if why else reason})


def _unsourced_reason(
    claim: Claim,
    sources: Sequence[CitedSource],
    pairings: Sequence[ClaimSourceVerdict],
    traced: Mapping[str, SourceResolution],
) -> str:
    if own := [one for one in pairings if one.own] or pairings:
        kinds = Counter(traced[one.source].fetched for one in own)
        whose = "its source" if claim.cites else "the text's source"
        if len(own) == 1:
            return f"{whose} could not be read ({', '.join(kinds)})"
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"none of {whose}s could be read ({told})"
    if claim.dangling:
        marks = ", ".join(f"“{mark}”" for mark in claim.dangling)
        return f"its mark {marks} has no source"
    return "it names no source" if sources else "the text names no source"


def _add_reasons(verdict: Verdict, *more: str) -> Verdict:
    return verdict.model_copy(update={"reason": "; ".join(filter(None, (verdict.reason, *more)))})


def _unread_verdict(reason: str) -> Verdict:
    return Verdict(label="unjudged", score=0.0, reason=reason)


def _known_verdict(reason: str) -> Verdict:
    return Verdict(label="silent", score=0.0, reason=reason, basis="record")


ClaimGroup = Literal["contradicted", "differs", "unsupported", "nowhere", "wording", "unread", "verified", "verbatim"]
"""What a reader has to do with a statement, the most urgent first.

contradicted   a source says the opposite           wording    it differs from the nearest place in its words alone
differs        the nearest place has another        unread     no source of it could be read, or nobody judged it
               figure, negation, condition …        verified   who can be believed says that a source supports it
unsupported    who can be believed found nothing    verbatim   it is the source's own sentence
nowhere        nothing near, or a name or a figure
               of it stands nowhere in the source
"""


def group_claim(verdict: Verdict, deciding: ClaimSourceVerdict | None, claim: str) -> ClaimGroup:
    """Where a statement belongs in a report.

    deciding   the pairing that decides; None: no source could be read
    """
    if verdict.status in ("contradicted", "verified", "verbatim"):
        return verdict.status
    if verdict.status == "unsupported":
        return "unsupported"
    if verdict.status == "unjudged" or deciding is None:
        return "unread"
    harmful = list_harmful(deciding.differences, claim)
    has_other_figure = any(one.kind == "figure" and one.source_start < one.source_end for one in harmful)
    # A figure that stands nowhere is another than that of the nearest place, where that has one.
    is_figure = has_other_figure and all(any(map(str.isdigit, one)) for one in deciding.missing)
    if not deciding.quote or (deciding.missing and not is_figure):
        return "nowhere"
    return "differs" if harmful else "wording"


def list_harmful(differences: Sequence[WordDifference], claim: str) -> list[WordDifference]:
    """Those that may change what is said: whatever is known of them, a figure that is added; and not "when" alone."""
    words = {one: claim[one.claim_start : one.claim_end] for one in differences}
    return [
        one
        for one, said in words.items()
        if (one.kind not in HARMLESS_KINDS and (said.lower() != "when" or one.source_start < one.source_end))
        or any(map(str.isdigit, said))
    ]


IssueKind = Literal["unsupported", "contradicted", "fabricated", "retracted", "misattributed", "dead", "unverified"]
"""
unsupported     a statement that no source says             contradicted    one whose source says the opposite
unverified      one that nobody who can be believed judged
fabricated      a source that nobody knows who would        retracted       one that was withdrawn
misattributed   one that is another work than the text      dead            one that is not there any more
                says, or words quoted from another
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
        if verdict.status in ("contradicted", "unsupported"):
            yield TextIssue(verdict.status, *at)
        elif verdict.status in ("unverified", "unjudged"):
            yield TextIssue("unverified", *at)
        # Only a literal quote can be attributed wrongly for certain; a paraphrase may rest on several works.
        if claim.number in elsewhere and _QUOTED.search(claim.text):
            yield TextIssue("misattributed", *at)


def _source_issues(checkup: Checkup) -> Iterator[TextIssue]:
    traced = {one.key: one for one in checkup.traced}
    for cited in checkup.submitted.sources:
        for kind in _list_faults(traced[cited.key]) if cited.key in traced else ():
            yield TextIssue(kind, cited.start, cited.end)


def _list_faults(traced: SourceResolution) -> Iterator[IssueKind]:
    if has_retraction(traced):
        yield "retracted"
    if traced.standing == "invented":
        yield "fabricated"
    if traced.standing == "misattributed":
        yield "misattributed"
    if traced.fetched in ADDRESS_FAULTS:
        yield "dead"


# The figures of SourceCheckup (Wu et al., Nature Communications 2025), each with its bootstrap interval.
#
# A source that could not be reached stays in the denominator, and a statement that names no source is not supported:
# leaving either out would flatter. A share of nothing is None.


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
