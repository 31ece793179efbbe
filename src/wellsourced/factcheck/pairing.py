"""A source put to claims: what it says of each, and the words of it that say so."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.citations.secondary_citation import find_secondary_citation
from wellsourced.claims.guard import REVERSAL_KINDS, find_disagreements
from wellsourced.claims.guard.hedging import withhold_hedged_support
from wellsourced.factcheck.document_windows import DocumentWindows
from wellsourced.judges.base import Judge, Pair
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Document, Value, Verdict, VerdictLabel

LABEL_RANKS: dict[VerdictLabel, int] = {"supports": 3, "contradicts": 2, "unjudged": 1, "silent": 0}
"""Which of several verdicts on one claim counts: any support, then any contradiction (SourceCheckup, Methods)."""

MAX_QUOTE = 600
"""Characters of a quote that stands in one piece although parts of it were named."""

MIN_COVERAGE = 0.5
"""Share of a claim's content words that the sentence has which contradicts it, where the judge names none."""

LANGUAGE_SAMPLE = 4_000
"""Characters at the beginning of a text by which its language is recognised."""


class JudgingOptions(NamedTuple):
    """How sources are judged.

    window     characters of a part that the judge is shown at once
    max_parts   parts of a long document that a claim is put to
    any_language   the judge reads more than English
    guarded    the judge has a guard of its own; False: facts are compared with the words that it names, since a whole
               article has every number, and a "not" for every claim
    """

    window: int = 2_000
    max_parts: int = 4
    any_language: bool = False
    guarded: bool = True


class DocumentVerdict(Value):
    """What a source says of a claim; `quote` stands from `start` to `end` of its document, "" when it is silent."""

    verdict: Verdict
    quote: str = ""
    start: int = 0
    end: int = 0


async def judge_document(
    document: Document, claims: Sequence[str], judge: Judge, manner: JudgingOptions
) -> dict[str, DocumentVerdict]:
    """What the document says of each claim, all judged in one call. Raises ModelError as the judge does."""
    if foreign := "" if manner.any_language else _language_obstacle(document.text, " ".join(claims)):
        verdict = Verdict(label="unjudged", score=0.0, reason=foreign)
        return {claim: DocumentVerdict(verdict=verdict) for claim in claims}
    windows = DocumentWindows(document, manner.window, manner.max_parts)
    asked = [(claim, span) for claim in claims for span in windows.best_parts(claim)]
    verdicts = await judge.judge([Pair(claim, document.text[span.start : span.end]) for claim, span in asked])
    told = zip(asked, verdicts, strict=True)
    return {
        claim: _best_verdict([_quote_verdict(document, span, claim, verdict, manner) for (_, span), verdict in some])
        for claim, some in groupby(told, key=lambda one: one[0][0])
    }


def _language_obstacle(text: str, claims: str) -> str:
    """Why a judge of English cannot compare the two; "" when it can."""
    source, said = detect_language(text[:LANGUAGE_SAMPLE]), detect_language(claims[:LANGUAGE_SAMPLE])
    if source == "en" and said == "en":
        return ""
    if source == said:
        return f"it is in {language_name(source)}, which only a language model could compare: name one with --model"
    return (
        f"the source is in {language_name(source)} and the statement in {language_name(said)}, which only a language "
        "model could compare: name one with --model"
    )


def _best_verdict(found: Sequence[DocumentVerdict]) -> DocumentVerdict:
    return max(found, key=lambda one: (LABEL_RANKS[one.verdict.label], one.verdict.score))


def _quote_verdict(
    document: Document, window: Span, claim: str, verdict: Verdict, manner: JudgingOptions
) -> DocumentVerdict:
    """The verdict with its words. A contradiction needs words that are about the claim, or it is none."""
    if verdict.label in ("silent", "unjudged"):
        return DocumentVerdict(verdict=verdict)
    named = _locate_quote(document.text, window, verdict.quote)
    span = named or nearest_sentence(document.text, window, claim)
    quote = document.text[span.start : span.end]
    if verdict.label == "contradicts" and not named and stem_coverage(claim, quote) < MIN_COVERAGE:
        reason = f"no sentence of it is about this, although {verdict.reason}" if verdict.reason else "it is not said"
        return DocumentVerdict(verdict=Verdict(label="silent", score=0.0, reason=reason))
    if not manner.guarded:
        verdict = refuse_unfaithful(claim, verdict, quote, document.text[slice(*window)])
    verdict = withhold_hedged_support(claim, quote if named else document.text[slice(*window)], verdict)
    if verdict.label == "silent":
        return DocumentVerdict(verdict=verdict)
    told = _note_secondary_citation(verdict, quote)
    return DocumentVerdict(
        verdict=told.model_copy(update={"quote": quote}), quote=quote, start=span.start, end=span.end
    )


def refuse_unfaithful(claim: str, verdict: Verdict, quote: str, text: str) -> Verdict:
    """The verdict, unless the words that support it say the opposite, or all of the text lacks the claim's numbers."""
    if verdict.label != "supports" or detect_language(quote) != "en" or detect_language(claim) != "en":
        return verdict
    found = find_disagreements(claim, quote)
    opposite = next((one for one in found if one.kind in REVERSAL_KINDS), None)
    missing = {one.claim for one in find_disagreements(claim, text)} if found else set()
    worst = opposite or next((one for one in found if one.claim in missing), None)
    if worst is None:
        return verdict
    reason = worst.describe("statement", "source")
    return Verdict(label="contradicts" if opposite else "silent", score=verdict.score, reason=reason)


def _note_secondary_citation(verdict: Verdict, quote: str) -> Verdict:
    mark = find_secondary_citation(quote) if verdict.label == "supports" else ""
    if not mark:
        return verdict
    reason = f"it has this from another work (“{mark}”), which was not read for it"
    return verdict.model_copy(update={"reason": "; ".join(filter(None, (verdict.reason, reason)))})


def _locate_quote(text: str, window: Span, quote: str) -> Span | None:
    """Where the words stand that the judge named: from the first to the last of them when that is short."""
    places = align_quote(quote, text[window.start : window.end]) if quote else ()
    if not places:
        return None
    first, last = places[0], places[-1]
    end = last.end if last.end - first.start <= MAX_QUOTE else first.end
    return Span(window.start + first.start, window.start + end)


def nearest_sentence(text: str, window: Span, claim: str) -> Span:
    """The sentence that shares most of the claim's words, the shorter one of two."""
    spans = split_sentences(text, window.start, window.end) or [window]
    return max(spans, key=lambda span: (stem_coverage(claim, text[span.start : span.end]), span.start - span.end))
