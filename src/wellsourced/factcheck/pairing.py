"""A source put to claims, a long one in parts: what it says of each, and the words of it that say so."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from itertools import groupby
from math import log
from typing import NamedTuple

from wellsourced.citations.markers import find_secondary_citation
from wellsourced.citations.quote_alignment import align_quote, is_verbatim
from wellsourced.compare.alignment import find_source_sentence
from wellsourced.compare.differences import describe_differences, find_differences
from wellsourced.compare.figure_clash import find_figure_clash
from wellsourced.compare.quantities import is_supposed, list_underived_quantities
from wellsourced.judges.base import UNLOCATED_SUPPORT, VERBATIM_VERDICT, Judge, Pair, QuestionAwareJudge
from wellsourced.medicine.names import find_names, mentions
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.text.blocks import ancestors, find_blocks
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.passages import cut_passages
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.types import Document, Value, Verdict, VerdictStatus, WordDifference

STATUS_RANKS: dict[VerdictStatus, int] = {
    "verbatim": 4,
    "verified": 4,
    "contradicted": 3,
    "unverified": 2,
    "unjudged": 1,
    "unsupported": 0,
}
"""Which of several verdicts on one claim counts: any support, then any contradiction (SourceCheckup, Methods)."""

MAX_QUOTE = 600
"""Characters of a quote that stands in one piece although parts of it were named."""

NEEDS_MODEL = "which needs a language model"
"""How reasons end that a language model would not have."""

NOTHING_NEAR = "no similar sentence in it"

NOT_VERBATIM = Verdict(label="silent", score=0.0, reason=NOTHING_NEAR)
"""Of the parts of a document in which a claim that stands in another part word for word does not stand."""

MAX_READ = 200_000
"""Characters of a source in which a name or a figure that it may lack is looked for."""

DIFFERS = "differs from its source"
"""How a reason begins that says in which words."""

MAX_ABOVE = 220
"""Characters of a line that a quote hangs on, beyond which it is not shown."""

LANGUAGE_SAMPLE = 4_000
"""Characters at the beginning of a text by which its language is recognised."""


class JudgingOptions(NamedTuple):
    """How sources are judged.

    window     characters of a part that the judge is shown at once
    max_parts   parts of a long document that a claim is put to
    any_language   the judge reads more than English
    question   what the text answers, with what it says of a patient; "" where nobody knows
    """

    window: int = 2_000
    max_parts: int = 4
    any_language: bool = False
    question: str = ""


class DocumentVerdict(Value):
    """What a source says of a claim, as a ClaimSourceVerdict has it."""

    verdict: Verdict
    quote: str = ""
    start: int = 0
    end: int = 0
    section: str = ""
    above: str = ""
    differences: tuple[WordDifference, ...] = ()
    missing: tuple[str, ...] = ()


MARGIN = 1_000
"""Characters before and behind words that stand in no part, or in two."""


class DocumentWindows:
    """The parts of a document, each whole sentences, short sections together with their headings.

    most   parts that a claim is put to, at most
    """

    def __init__(self, document: Document, limit: int, most: int) -> None:
        self.text, self.max_parts = document.text, most
        whole = _trim_span(document.text)
        if whole.end - whole.start <= limit:
            self.spans: Sequence[Span] = [whole] if whole.start < whole.end else []
        else:
            self.spans = _pack_spans([Span(part.start, part.end) for part in cut_passages(document, limit)], limit)

    def best_parts(self, claim: str) -> list[Span]:
        """The parts that share most of the claim's words, rare ones above all, in the order of the document.

        A document of few parts is put to the judge whole. A part without a word of the claim is never put to it; where
        no part has any, the first one is, so that every claim has a verdict of the judge.
        """
        if len(self.spans) <= self.max_parts:
            return [*self.spans]
        weights = self.weigh_stems(claim)
        scores = [add_shared(weights, had) for had in self._part_stems]
        ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[: self.max_parts]
        return [self.spans[at] for at in sorted(ranked) if scores[at]] or [self.spans[0]]

    def part_around(self, start: int, end: int) -> Span:
        """The part in which words stand; what lies between parts is shown with as much around it."""
        part = next((span for span in self.spans if span.start <= start and end <= span.end), None)
        return part or Span(max(0, start - MARGIN), min(len(self.text), end + MARGIN))

    def weigh_stems(self, claim: str) -> dict[str, float]:
        """The claim's stems that the document has, each weighing more the fewer parts have it."""
        counts = {stem: self._stem_counts[stem] for stem in sorted(set(content_stems(claim)))}
        return {stem: log(1 + len(self.spans) / count) for stem, count in counts.items() if count}

    @cached_property
    def _part_stems(self) -> list[frozenset[str]]:
        return [frozenset(content_stems(self.text[start:end])) for start, end in self.spans]

    @cached_property
    def _stem_counts(self) -> Counter[str]:
        """In how many parts a stem stands."""
        return Counter(stem for had in self._part_stems for stem in had)


def add_shared(weights: Mapping[str, float], stems: Set[str]) -> float:
    """What those of the weighed stems that are among these weigh together."""
    return sum(weight for stem, weight in weights.items() if stem in stems)


def _pack_spans(spans: Sequence[Span], limit: int) -> list[Span]:
    """Neighbours together, as far as the limit allows: every part of a judge's work costs a call."""
    found: list[Span] = []
    for span in spans:
        if found and span.end - found[-1].start <= limit:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return found


def _trim_span(text: str) -> Span:
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))


async def judge_document(
    document: Document, claims: Sequence[str], judge: Judge, judging: JudgingOptions
) -> dict[str, DocumentVerdict]:
    """What the document says of each claim, all judged in one call. Raises ModelError as the judge does."""
    # Before anything is judged: a judge of English finds nothing in another language, and would call that silence.
    if foreign := "" if judging.any_language else _language_obstacle(document.text, " ".join(claims)):
        verdict = Verdict(label="unjudged", score=0.0, reason=foreign)
        return {claim: DocumentVerdict(verdict=verdict) for claim in claims}
    windows = DocumentWindows(document, judging.window, judging.max_parts)
    put = [(claim, span) for claim in claims for span in windows.best_parts(claim)]
    pairs = [Pair(claim, document.text[span.start : span.end]) for claim, span in put]
    # Nobody is asked about what is the source's own sentences.
    own = {pair.claim for pair in pairs if is_verbatim(*pair)}
    asked = [pair for pair in pairs if pair.claim not in own]
    judge = (
        judge.for_question(judging.question) if judging.question and isinstance(judge, QuestionAwareJudge) else judge
    )
    heard = dict(zip(asked, await judge.judge(asked), strict=True)) if asked else {}
    told = [
        (one, heard.get(pair) or (VERBATIM_VERDICT if is_verbatim(*pair) else NOT_VERBATIM))
        for one, pair in zip(put, pairs, strict=True)
    ]
    found = {
        claim: _best_verdict(
            claim,
            windows,
            [_quote_verdict(document, span, claim, verdict, judging.question) for (_, span), verdict in some],
        )
        for claim, some in groupby(told, key=lambda one: one[0][0])
    }
    return {claim: _add_missing(document, claim, _add_place(document, claim, one)) for claim, one in found.items()}


def _add_missing(document: Document, claim: str, found: DocumentVerdict) -> DocumentVerdict:
    """With what of a claim that nobody verified stands nowhere in the source."""
    text = document.text[:MAX_READ]
    if found.verdict.status not in ("unverified", "unsupported") or detect_language(text[:LANGUAGE_SAMPLE]) != "en":
        return found
    names = [one.words for one in find_names(claim) if not mentions(text, one)]
    near = [found.quote] if found.quote else []
    figures = [one.words for one in list_underived_quantities(claim, [text], near) if not is_supposed(one, claim)]
    return found.model_copy(update={"missing": tuple(dict.fromkeys((*names, *figures)))})


def _add_place(document: Document, claim: str, found: DocumentVerdict) -> DocumentVerdict:
    """With the headings over its words, and what they hang on; of a table and a list all of the row or of the item."""
    sections = [one for one in document.sections if one.start <= found.start and found.end <= one.end]
    if not found.quote:
        return found
    start, end = (sections[-1].start, sections[-1].end) if sections else (0, len(document.text))
    section, text = sections[-1].title if sections else "", document.text
    blocks = find_blocks(text, start, end)
    place = next((at for at, one in enumerate(blocks) if one.span.start <= found.start < one.span.end), None)
    if place is None:
        return found.model_copy(update={"section": section})
    above = [text[slice(*blocks[at].span)] for at in ancestors(blocks, place)]
    found = found.model_copy(
        update={"section": section, "above": "\n".join(one for one in reversed(above) if len(one) <= MAX_ABOVE)}
    )
    line, quote = blocks[place].span, text[slice(*blocks[place].span)]
    if blocks[place].kind == "paragraph" or not found.end <= line.end or len(quote) > MAX_QUOTE:
        return found
    verdict, differences = found.verdict.model_copy(update={"quote": quote}), found.differences
    if differences:
        differences = find_differences(claim, quote, text[start:end])
        if verdict.status == "unverified" and verdict.reason.startswith(DIFFERS):
            verdict = verdict.model_copy(update={"reason": describe_differences(claim, quote, differences)})
    update = {"verdict": verdict, "quote": quote, "start": line.start, "end": line.end, "differences": differences}
    return found.model_copy(update=update)


def _language_obstacle(text: str, claims: str) -> str:
    source, said = detect_language(text[:LANGUAGE_SAMPLE]), detect_language(claims[:LANGUAGE_SAMPLE])
    if source == "en" and said == "en":
        return ""
    if source == said:
        return f"it is in {language_name(source)}, {NEEDS_MODEL}"
    return f"the source is in {language_name(source)} and the statement in {language_name(said)}, {NEEDS_MODEL}"


def _best_verdict(claim: str, windows: DocumentWindows, found: Sequence[DocumentVerdict]) -> DocumentVerdict:
    """What counts of the parts of a document; of those that nobody verified, the one with the nearest line."""
    weights = windows.weigh_stems(claim)

    def rate_nearness(one: DocumentVerdict) -> float:
        if one.verdict.status != "unverified" or not one.quote:
            return 0.0
        text = windows.text
        start, end = text.rfind("\n", 0, one.start) + 1, text.find("\n", one.end)
        line = text[start : end if end >= 0 else len(text)][:MAX_QUOTE]
        return add_shared(weights, frozenset(content_stems(line)))

    return max(
        found,
        key=lambda one: (STATUS_RANKS[one.verdict.status], bool(one.quote), rate_nearness(one), one.verdict.score),
    )


def _quote_verdict(document: Document, window: Span, claim: str, verdict: Verdict, question: str) -> DocumentVerdict:
    if verdict.status in ("unjudged", "unsupported"):
        return DocumentVerdict(verdict=verdict)
    if verdict.status == "unverified":
        doubt = verdict.reason if verdict.reason == UNLOCATED_SUPPORT else ""
        return _compare_with_nearest(document.text, window, claim, verdict, doubt)
    # The judge's yes does not cover a figure that stands nowhere: it is beside the question whether the rest is said.
    if verdict.status == "verified" and (
        figure := _find_unstated_figure(claim, document.text, window, verdict.quote, question)
    ):
        doubt = f"{verdict.reason.rstrip('.') or 'it was found there'}, but “{figure}” is not in the source"
        unsure = Verdict(label="silent", score=0.0, quote=verdict.quote)
        return _compare_with_nearest(document.text, window, claim, unsure, doubt)
    span = _locate_quote(document.text, window, claim, verdict.quote) or _find_near(document.text, window, claim)
    # A contradiction that shows no words cannot be checked by anybody: it does not count.
    if span is None and verdict.status == "contradicted":
        reason = f"judged contradicted, but {NOTHING_NEAR}"
        return DocumentVerdict(verdict=Verdict(label="silent", score=0.0, reason=reason))
    span = span or nearest_sentence(document.text, window, claim)
    quote = document.text[span.start : span.end]
    told = _note_secondary_citation(verdict, quote).model_copy(update={"quote": quote})
    around = document.text[window.start : window.end]
    differences = find_differences(claim, quote, around) if verdict.status == "contradicted" else ()
    return DocumentVerdict(verdict=told, quote=quote, start=span.start, end=span.end, differences=differences)


def _find_unstated_figure(claim: str, text: str, window: Span, quote: str, question: str) -> str:
    """A figure of the claim that neither stands in the text nor in the question, nor follows, nor is supposed.

    quote   the words that the judge named, from which others may be worked out
    """
    there = text[window.start : window.end]
    if detect_language(there[:LANGUAGE_SAMPLE]) != detect_language(claim):
        return ""
    near = nearest_sentence(text, window, claim)
    supposed = [one.words for one in extract_quantities(claim) if is_supposed(one, claim)]
    found = list_underived_quantities(claim, [there, question, *supposed], [text[near.start : near.end], quote])
    return found[0].words if found else ""


def _compare_with_nearest(text: str, window: Span, claim: str, verdict: Verdict, doubt: str = "") -> DocumentVerdict:
    """What nobody verified, beside the sentence that it is nearest to; a figure that clashes there contradicts it.

    doubt   why somebody's word that the source supports it does not count
    """
    span = _find_near(text, window, claim) or (_locate_quote(text, window, claim, verdict.quote) if doubt else None)
    if span is None:
        return DocumentVerdict(verdict=Verdict(label="silent", score=verdict.score, reason=doubt or NOTHING_NEAR))
    sentence, around = text[span.start : span.end], text[window.start : window.end]
    differences = find_differences(claim, sentence, around)
    # Of what somebody says is supported, words that differ are a paraphrase: the doubt is all there is to tell.
    reason = doubt or describe_differences(claim, sentence, differences)
    told = verdict.model_copy(update={"reason": reason, "quote": sentence})
    if clash := find_figure_clash(claim, sentence, around):
        told = Verdict(
            label="contradicts", score=verdict.score, reason=clash.describe(), quote=sentence, basis="figures"
        )
    return DocumentVerdict(verdict=told, quote=sentence, start=span.start, end=span.end, differences=differences)


def _find_near(text: str, window: Span, claim: str) -> Span | None:
    found = find_source_sentence(claim, text[window.start : window.end])
    return Span(window.start + found.start, window.start + found.end) if found else None


def _note_secondary_citation(verdict: Verdict, quote: str) -> Verdict:
    mark = find_secondary_citation(quote) if verdict.label == "supports" else ""
    if not mark:
        return verdict
    reason = f"it cites another work for this (“{mark}”), which was not read"
    return verdict.model_copy(update={"reason": "; ".join(filter(None, (verdict.reason, reason)))})


def _locate_quote(text: str, window: Span, claim: str, quote: str) -> Span | None:
    """Where the words stand that the judge named: from the first to the last of them when that is short, else those
    that share most of the claim's words.
    """
    places = align_quote(quote, text[window.start : window.end]) if quote else ()
    if not places:
        return None
    start, end = places[0].start, places[-1].end
    # Pieces named from all over a part would be shown as one long quote, most of which nobody meant.
    if end - start > MAX_QUOTE:
        shown = text[window.start : window.end]
        start, end, _ = max(places, key=lambda one: stem_coverage(claim, shown[one.start : one.end]))
    return Span(window.start + start, window.start + end)


def nearest_sentence(text: str, window: Span, claim: str) -> Span:
    """The sentence that shares most of the claim's words, the shorter one of two."""
    spans = split_sentences(text, window.start, window.end) or [window]
    return max(spans, key=lambda span: (stem_coverage(claim, text[span.start : span.end]), span.start - span.end))
