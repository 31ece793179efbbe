"""The statements of a text as a language model words them, each held against the words that it was made from."""

import asyncio
import re
from collections.abc import Iterator, Sequence

from wellsourced.citations.markers import CitationMarker
from wellsourced.claims.extraction import MIN_COVERAGE, TextSegment, split_segments, strip_citation_markers
from wellsourced.errors import ModelError
from wellsourced.factcheck.load.decomposition import build_claim, parse_text
from wellsourced.models.base import Model, complete_or_error
from wellsourced.prompts.verification import SplitStatements, StatementsReply
from wellsourced.text.sanitization import short_line
from wellsourced.text.sentences import Span
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import SubmittedText

MAX_PART = 3_000
"""Characters that a model is shown at once, unless one paragraph is longer."""

PlacedStatement = tuple[Span, str]
"""Where the words of a statement stand, and the statement."""


async def decompose_by_model(model: Model, submitted: SubmittedText) -> SubmittedText:
    """The same text, its statements as a language model words them: parts of PART characters, asked for in one wave.

    A statement has to name the words that it was made from, as they stand, and to share half of its content words with
    them. A part for which one does not keeps the claims of the rules, and so does a part that the model gave no reply
    for; a sentence that a reply passes over keeps its own. The notes say so. Never raises ModelError.
    """
    text = submitted.document.text
    read = parse_text(text)
    parts = [
        part
        for part in _split_parts(text, read.listed.spans)
        if any(part.start <= one.start < part.end for one in submitted.claims)
    ]
    prompts = [SplitStatements(answer=text[part.start : part.end]) for part in parts]
    replies = await asyncio.gather(*(complete_or_error(model, prompt) for prompt in prompts))
    made: list[PlacedStatement] = []
    other, notes = list(submitted.other), list(submitted.notes)
    refused = passed = 0
    for part, reply in zip(parts, replies, strict=True):
        ruled = [(Span(one.start, one.end), one.text) for one in submitted.claims if part.start <= one.start < part.end]
        told = _locate_statements(text, part, reply)
        if isinstance(reply, ModelError) or isinstance(told, str):
            refused += 1
            notes += [str(told)] if told not in notes else []
            made += ruled
            continue
        left = [
            one for one in ruled if not any(span.start < one[0].end and one[0].start < span.end for span, _ in told)
        ]
        unstated = [one for one in left if _names_words(reply.other, text[one[0].start : one[0].end])]
        other += [(span.start, span.end) for span, _ in unstated]
        missed = [one for one in left if one not in unstated]
        passed += len(missed)
        made += told + missed
    if refused:
        notes.append(f"in {refused} of {len(parts)} parts of the text, rules extracted the statements")
    if passed:
        notes.append(f"rules added {passed} sentences that the model skipped")
    sentences = list(split_segments(text, read.marks, read.listed.spans))
    stated = [
        build_claim(number, words, span, _marks_of(read.marks, span, text, sentences), read.sources)
        for number, (span, words) in enumerate(sorted(made))
    ]
    return submitted.model_copy(
        update={"claims": tuple(stated), "other": tuple(sorted(set(other))), "notes": tuple(notes)}
    )


def _names_words(sentences: Sequence[str], words: str) -> bool:
    return any(" ".join(words.split()) in " ".join(sentence.split()) for sentence in sentences)


def _locate_statements(text: str, part: Span, reply: StatementsReply | ModelError) -> list[PlacedStatement] | str:
    if isinstance(reply, ModelError):
        return f"the model could not split a part of the text ({short_line(str(reply))})"
    found: list[PlacedStatement] = []
    for one in reply.statements:
        words = one.span.split()
        place = re.compile(r"\s+".join(map(re.escape, words))).search(text, part.start, part.end) if words else None
        if place is None:
            return "the model quoted words that are not in the text"
        if stem_coverage(one.text, place.group()) < MIN_COVERAGE:
            return "the model's statement does not match the words it quoted"
        found.append((Span(*place.span()), strip_citation_markers(one.text) or " ".join(one.text.split())))
    return found


def _marks_of(
    found: Sequence[CitationMarker], span: Span, text: str, sentences: Sequence[TextSegment]
) -> list[CitationMarker]:
    """The marks in a span and directly behind it; where it is a part of a sentence and has none, the next ones of it.

    "Flares fell, and nausea rose [3]." cites the same source for both.
    """
    own = list(_marks_within(found, span, text))
    if own:
        return own
    sentence = next((one for one in sentences if one.start <= span.start and span.end <= one.end), None)
    behind = [mark for mark in sentence.marks if mark.start >= span.end] if sentence else []
    return list(_marks_within(behind, Span(behind[0].start, behind[0].end), text)) if behind else []


def _marks_within(found: Sequence[CitationMarker], span: Span, text: str) -> Iterator[CitationMarker]:
    end = span.end
    for mark in found:
        if mark.start >= span.start and (mark.start < end or not re.search(r"\w|\n\n", text[end : mark.start])):
            end = max(end, mark.end)
            yield mark
        elif mark.start >= end:
            return


def _split_parts(text: str, skip: Sequence[Span]) -> Iterator[Span]:
    """Paragraphs together as far as PART, none of the list of references."""
    start = end = 0
    for found in re.finditer(r"(?:[^\n]|\n(?!\s*\n))+", text):
        inside = any(found.start() < stop and begins < found.end() for begins, stop in skip)
        if inside or (end > start and found.end() - start > MAX_PART):
            if end > start:
                yield Span(start, end)
            start = end = found.end() if inside else found.start()
        if not inside:
            start, end = (found.start() if start == end else start), found.end()
    if end > start:
        yield Span(start, end)
