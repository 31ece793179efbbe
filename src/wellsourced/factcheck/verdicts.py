"""What all sources together say of a claim. One of them alone has to support it; they are never added up."""

from collections import Counter
from collections.abc import Mapping, Sequence

from wellsourced.factcheck.pairing import NOTHING_NEAR, STATUS_RANKS, DocumentVerdict
from wellsourced.judges.base import PARTIAL, UNLOCATED_CONTRADICTION
from wellsourced.types import Checkup, CitedSource, Claim, ClaimSourceVerdict, SourceResolution, Verdict

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
    """The verdict, unless the work was retracted; with what else its reader should know of the source."""
    if not verdict.is_confirmed:
        return verdict
    doubt = objection(traced)
    # The words are there, and may not be relied on: silence and not contradiction, since nobody says the opposite.
    if has_retraction(traced):
        return _known_verdict(f"{RETRACTED_REASON}{doubt.removeprefix('retracted')}, and cannot support it")
    told = [f"the source is {doubt}"] if doubt else []
    if traced.standing == "misattributed":
        told.append("the source is another work than the text says")
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
        return _unread_verdict(_partly_read_reason(unread)) if unread else _explain_silence(best, pairings)
    # Another source of the text supports it: the claim stands, and its author cited the wrong one.
    if claim.cites and not best.own and best.verdict.is_confirmed:
        return _add_reasons(best.verdict, f"source {best.source} says so, whose mark it does not bear")
    return best.verdict


def best_pairing(pairings: Sequence[ClaimSourceVerdict]) -> ClaimSourceVerdict | None:
    """The pairing that decides; None without any."""
    return max(
        pairings,
        key=lambda one: (
            STATUS_RANKS[one.verdict.status],
            was_read(one),
            one.own,
            bool(one.quote),
            one.verdict.score,
        ),
        default=None,
    )


def _explain_silence(best: ClaimSourceVerdict, pairings: Sequence[ClaimSourceVerdict]) -> Verdict:
    read = sum(map(was_read, pairings))
    if best.verdict.status == "unverified" and best.verdict.reason not in ("", NOTHING_NEAR):
        return best.verdict
    if best.verdict.status == "unverified":
        whose = "its source" if read == 1 else f"any of {read} sources"
        return best.verdict.model_copy(update={"reason": f"no sentence of {whose} is near it"})
    reason = "not said by its source" if read == 1 else f"not said by any of {read} sources"
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
    """Why nothing could be compared with the claim."""
    if own := [one for one in pairings if one.own] or pairings:
        kinds = Counter(traced[one.source].fetched for one in own)
        whose = "its source" if claim.cites else "the text's source"
        if len(own) == 1:
            return f"{whose} could not be read ({', '.join(kinds)})"
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"none of {whose}s could be read ({told})"
    if claim.dangling:
        marks = ", ".join(f"“{mark}”" for mark in claim.dangling)
        return f"no source of the text belongs to its mark {marks}"
    return "it names no source" if sources else "the text names no source"


def _add_reasons(verdict: Verdict, *more: str) -> Verdict:
    return verdict.model_copy(update={"reason": "; ".join(filter(None, (verdict.reason, *more)))})


def _partly_read_reason(unread: Sequence[ClaimSourceVerdict]) -> str:
    """That what was read does not say it, and what was not read."""
    named = ", ".join(f"[{one.source}]" for one in unread)
    return f"not found in what could be read; {named} could not be read"


def _unread_verdict(reason: str) -> Verdict:
    return Verdict(label="unjudged", score=0.0, reason=reason)


def _known_verdict(reason: str) -> Verdict:
    """What is known without reading: that there is no source that counts."""
    return Verdict(label="silent", score=0.0, reason=reason, basis="record")
