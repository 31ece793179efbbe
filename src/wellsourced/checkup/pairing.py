"""Pairing: what one source says of claims, and the words of it that say so."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.checkup.windows import Windows
from wellsourced.judges.base import Judge, Pair
from wellsourced.text.guard import REVERSED, disagreements
from wellsourced.text.guard.doubts import asserted
from wellsourced.text.languages import language, language_name
from wellsourced.text.quotes import aligned
from wellsourced.text.secondary import cites_another
from wellsourced.text.sentences import Span, sentences
from wellsourced.text.tokens import coverage
from wellsourced.types import Document, Label, Value, Verdict

RANKS: dict[Label, int] = {"supports": 3, "contradicts": 2, "unjudged": 1, "silent": 0}
"""Which of several verdicts on one claim counts: any support, then any contradiction (SourceCheckup, Methods)."""

SHOWN = 600
"""Characters of a quote that stands in one piece although parts of it were named."""

ABOUT = 0.5
"""Share of a claim's content words that the sentence has which contradicts it, where the judge names none."""

READ = 4_000
"""Characters from which the language of a text is told."""


class Manner(NamedTuple):
    """How sources are judged.

    window     characters of a part that the judge is shown at once
    most       parts of a long document that a claim is put to
    any_language   the judge reads more than English
    guarded    the judge has a guard of its own; False: facts are compared with the words that it names, since a whole
               article has every number, and a "not" for every claim
    """

    window: int = 2_000
    most: int = 4
    any_language: bool = False
    guarded: bool = True


class Found(Value):
    """What a source says of a claim; `quote` stands from `start` to `end` of its document, "" when it is silent."""

    verdict: Verdict
    quote: str = ""
    start: int = 0
    end: int = 0


async def found_in(document: Document, claims: Sequence[str], judge: Judge, manner: Manner) -> dict[str, Found]:
    """What the document says of each claim, all judged in one call. Raises ModelError as the judge does."""
    if foreign := "" if manner.any_language else _foreign(document.text, " ".join(claims)):
        verdict = Verdict(label="unjudged", score=0.0, reason=foreign)
        return {claim: Found(verdict=verdict) for claim in claims}
    windows = Windows(document, manner.window, manner.most)
    asked = [(claim, span) for claim in claims for span in windows.best(claim)]
    verdicts = await judge.judge([Pair(claim, document.text[span.start : span.end]) for claim, span in asked])
    told = zip(asked, verdicts, strict=True)
    return {
        claim: _best([_found(document, span, claim, verdict, manner) for (_, span), verdict in some])
        for claim, some in groupby(told, key=lambda one: one[0][0])
    }


def _foreign(text: str, claims: str) -> str:
    """Why a judge of English cannot compare the two; "" when it can."""
    source, said = language(text[:READ]), language(claims[:READ])
    if source == "en" and said == "en":
        return ""
    if source == said:
        return f"it is in {language_name(source)}, which only a language model could compare: name one with --model"
    return (
        f"the source is in {language_name(source)} and the statement in {language_name(said)}, which only a language "
        "model could compare: name one with --model"
    )


def _best(found: Sequence[Found]) -> Found:
    return max(found, key=lambda one: (RANKS[one.verdict.label], one.verdict.score))


def _found(document: Document, window: Span, claim: str, verdict: Verdict, manner: Manner) -> Found:
    """The verdict with its words. A contradiction needs words that are about the claim, or it is none."""
    if verdict.label in ("silent", "unjudged"):
        return Found(verdict=verdict)
    named = _named(document.text, window, verdict.quote)
    span = named or nearest(document.text, window, claim)
    quote = document.text[span.start : span.end]
    if verdict.label == "contradicts" and not named and coverage(claim, quote) < ABOUT:
        reason = f"no sentence of it is about this, although {verdict.reason}" if verdict.reason else "it is not said"
        return Found(verdict=Verdict(label="silent", score=0.0, reason=reason))
    if not manner.guarded:
        verdict = faithful(claim, verdict, quote, document.text[slice(*window)])
    verdict = asserted(claim, quote if named else document.text[slice(*window)], verdict)
    if verdict.label == "silent":
        return Found(verdict=verdict)
    told = _secondary(verdict, quote)
    return Found(verdict=told.model_copy(update={"quote": quote}), quote=quote, start=span.start, end=span.end)


def faithful(claim: str, verdict: Verdict, quote: str, text: str) -> Verdict:
    """The verdict, unless the words that support it say the opposite, or all of the text lacks the claim's numbers."""
    if verdict.label != "supports" or language(quote) != "en" or language(claim) != "en":
        return verdict
    found = disagreements(claim, quote)
    opposite = next((one for one in found if one.kind in REVERSED), None)
    missing = {one.claim for one in disagreements(claim, text)} if found else set()
    worst = opposite or next((one for one in found if one.claim in missing), None)
    if worst is None:
        return verdict
    there = f"“{worst.evidence}”" if worst.evidence else "nothing"
    reason = f"the {worst.kind} differs: “{worst.claim}” in the statement, {there} in the source"
    return Verdict(label="contradicts" if opposite else "silent", score=verdict.score, reason=reason)


def _secondary(verdict: Verdict, quote: str) -> Verdict:
    mark = cites_another(quote) if verdict.label == "supports" else ""
    if not mark:
        return verdict
    reason = f"it has this from another work (“{mark}”), which was not read for it"
    return verdict.model_copy(update={"reason": "; ".join(filter(None, (verdict.reason, reason)))})


def _named(text: str, window: Span, quote: str) -> Span | None:
    """Where the words stand that the judge named: from the first to the last of them when that is short."""
    places = aligned(quote, text[window.start : window.end]) if quote else ()
    if not places:
        return None
    first, last = places[0], places[-1]
    end = last.end if last.end - first.start <= SHOWN else first.end
    return Span(window.start + first.start, window.start + end)


def nearest(text: str, window: Span, claim: str) -> Span:
    """The sentence that shares most of the claim's words, the shorter one of two."""
    spans = sentences(text, window.start, window.end) or [window]
    return max(spans, key=lambda span: (coverage(claim, text[span.start : span.end]), span.start - span.end))
