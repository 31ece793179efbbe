"""Verdicts: what all sources together say of a claim. One of them alone has to support it; they are never added up."""

from collections import Counter
from collections.abc import Mapping, Sequence

from wellsourced.checkup.pairing import RANKS, Found
from wellsourced.types import Checkup, Cited, Claim, Pairing, Traced, Verdict

RETRACTED = "the source was retracted"
UNREAD = "the source could not be read"
"""How reasons begin for which a source counts for nothing."""


def pairing(claim: Claim, source: str, found: Found | None, traced: Traced) -> Pairing:
    """What a source counts for a claim: nothing when it could not be read, or when it was retracted."""
    own = source in claim.cites
    if found is None:
        return Pairing(claim=claim.number, source=source, verdict=_silent(unread(traced)), own=own)
    verdict = _doubted(found.verdict, traced)
    return Pairing(
        claim=claim.number, source=source, verdict=verdict, quote=found.quote, start=found.start, end=found.end, own=own
    )


def unread(traced: Traced) -> str:
    """Why the words of a source could not be had."""
    what = f"{UNREAD} ({traced.fetched})"
    return f"{what}: {traced.reason}" if traced.reason else what


def was_read(pairing: Pairing) -> bool:
    """Whether words of the source were compared with the claim: they may be had although its address is dead."""
    return not pairing.verdict.reason.startswith(UNREAD)


def read_sources(checkup: Checkup) -> set[str]:
    """The keys of the sources whose words were had."""
    there = {one.key for one in checkup.traced if one.fetched == "ok"}
    return there | {one.source for one in checkup.pairings if was_read(one)}


def objection(traced: Traced) -> str:
    """What speaks against a work as evidence: "retracted (PubMed, 2020)"; "" when nothing is known."""
    return traced.reference.retraction.objection if traced.reference else ""


def is_retracted(traced: Traced) -> bool:
    """Whether it may not count as evidence at all; a concern is only told."""
    return objection(traced).startswith("retracted")


def _doubted(verdict: Verdict, traced: Traced) -> Verdict:
    """The verdict, unless the work was retracted; with what else its reader should know of the source."""
    if verdict.label != "supports":
        return verdict
    if is_retracted(traced):
        return _silent(f"{RETRACTED}{objection(traced).removeprefix('retracted')}, and cannot support it")
    told = [f"the source is {doubt}"] if (doubt := objection(traced)) else []
    if traced.standing == "misattributed":
        told.append("the source is another work than the text says")
    return _with_reason(verdict, *told)


def verdict_of(
    claim: Claim, pairings: Sequence[Pairing], sources: Sequence[Cited], traced: Mapping[str, Traced]
) -> Verdict:
    """The best of the claim's pairings: support, contradiction, not judged, silence; its own sources first.

    pairings   of this claim
    """
    best = best_of(pairings)
    if best is None or not any(map(was_read, pairings)):
        return _silent(_unsourced(claim, sources, pairings, traced))
    if best.verdict.label == "silent":
        retracted = [one for one in pairings if one.verdict.reason.startswith(RETRACTED)]
        return retracted[0].verdict if retracted else _said_nothing(best, pairings)
    if claim.cites and not best.own and best.verdict.label == "supports":
        return _with_reason(best.verdict, f"source {best.source} says so, whose mark it does not bear")
    return best.verdict


def best_of(pairings: Sequence[Pairing]) -> Pairing | None:
    """The pairing that decides; None without any."""
    return max(
        pairings,
        key=lambda one: (RANKS[one.verdict.label], was_read(one), one.own, one.verdict.score),
        default=None,
    )


def _said_nothing(best: Pairing, pairings: Sequence[Pairing]) -> Verdict:
    read = sum(map(was_read, pairings))
    reason = "not said by its source" if read == 1 else f"not said by any of {read} sources"
    why = best.verdict.reason if best.own or read == 1 else ""
    return best.verdict.model_copy(update={"reason": f"{reason}: {why}" if why else reason})


def _unsourced(
    claim: Claim, sources: Sequence[Cited], pairings: Sequence[Pairing], traced: Mapping[str, Traced]
) -> str:
    """Why nothing could be compared with the claim."""
    own = [one for one in pairings if one.own] or pairings
    if own:
        kinds = Counter(traced[one.source].fetched for one in own)
        whose = "its source" if claim.cites else "the text's source"
        if len(own) == 1:
            return f"{whose} could not be read ({traced[own[0].source].fetched})"
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"none of {whose}s could be read ({told})"
    if claim.dangling:
        marks = ", ".join(f"“{mark}”" for mark in claim.dangling)
        return f"no source of the text belongs to its mark {marks}"
    return "it names no source" if sources else "the text names no source"


def _with_reason(verdict: Verdict, *more: str) -> Verdict:
    return verdict.model_copy(update={"reason": "; ".join(filter(None, (verdict.reason, *more)))})


def _silent(reason: str) -> Verdict:
    return Verdict(label="silent", score=0.0, reason=reason)
