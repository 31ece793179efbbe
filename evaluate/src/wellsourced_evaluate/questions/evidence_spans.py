"""Which words an answer quotes, and which somebody marked as the evidence: how far the two overlap, in characters.

Precision, recall and F1 of a question are BioASQ's for snippets (task b, phase A): spans of one document that overlap
are one span, and what is counted is characters. Their F1 is the official measure since BioASQ 9; mean average precision
is not told, since by that definition it can exceed 1, and neither is its geometric mean.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from wellsourced.citations.quote_alignment import locate_quote
from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.types import Answer, Document, Value
from wellsourced_evaluate.questions.case_rows import QuestionCase

Spans = Mapping[str, Sequence[tuple[int, int]]]
"""Document → what of it, half-open, in characters."""


class QuotedSpan(Value):
    """Words that a statement cites: document.text[start:end]; `statement` is its place in the answer, from 0."""

    statement: int
    document: str
    start: int
    end: int
    quote: str = ""


class GoldSpan(Value):
    """Words that somebody marked as evidence.

    start   where they stand in the document that is held; None: it is not held, or has other words
    """

    document: str
    start: int | None
    characters: int


def list_quotes(answer: Answer) -> tuple[QuotedSpan, ...]:
    """What the statements of an answer quote, statement by statement."""
    documents = {one.passage.id: one.passage.reference.id for one in answer.evidence}
    return tuple(
        QuotedSpan(statement=place, document=documents[one.passage_id], start=one.start, end=one.end, quote=one.quote)
        for place, statement in enumerate(answer.statements)
        for one in statement.citations
    )


async def locate_snippets(case: QuestionCase, context: Context) -> tuple[GoldSpan, ...]:
    """Where the evidence that is marked for a case stands in the libraries that are searched."""
    held: dict[str, Document | None] = {}
    found = []
    for one in case.snippets:
        if one.document not in held:
            held[one.document] = await _open_document(one.document, context)
        found.append(_locate_snippet(one.text, one.document, held[one.document]))
    return tuple(found)


async def _open_document(id: str, context: Context) -> Document | None:
    for source in context.sources:
        if (await source.describe()).live:
            continue
        for name in (id, f"pubmed:{id}"):
            with suppress(SourceError):
                return await source.open(name)
    return None


def _locate_snippet(text: str, id: str, document: Document | None) -> GoldSpan:
    if document is None:
        return GoldSpan(document=id, start=None, characters=len(text))
    # As marked it may begin or end inside a word, where a quote never does.
    start = document.text.find(text)
    if start < 0 and (place := locate_quote(text, document.text)):
        return GoldSpan(document=document.reference.id, start=place.start, characters=place.end - place.start)
    return GoldSpan(document=document.reference.id, start=start if start >= 0 else None, characters=len(text))


def score_quotes(quotes: Sequence[QuotedSpan], gold: Sequence[GoldSpan]) -> dict[str, float | None]:
    """Precision, recall and F1 of the characters that are quoted; precision None where nothing is quoted.

    Evidence that stands in no document that is held counts for recall: it cannot be met.
    """
    said = merge_spans((one.document, one.start, one.end) for one in quotes)
    marked = merge_spans((one.document, one.start, one.start + one.characters) for one in gold if one.start is not None)
    lost = {(one.document, one.characters) for one in gold if one.start is None}
    met = sum(_shared_characters(said[name], marked[name]) for name in said.keys() & marked.keys())
    of_said, of_marked = count_characters(said), count_characters(marked) + sum(count for _, count in lost)
    precision = met / of_said if of_said else None
    recall = met / of_marked if of_marked else None
    f1 = 2 * met / (of_said + of_marked) if of_marked else None
    return {"snippet_precision": precision if gold else None, "snippet_recall": recall, "snippet_f1": f1}


def merge_spans(spans: Iterable[tuple[str, int, int]]) -> Spans:
    """Spans of each document in order, those that overlap or touch as one."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for document, start, end in sorted(spans):
        own = found[document]
        if own and start <= own[-1][1]:
            own[-1] = (own[-1][0], max(own[-1][1], end))
        else:
            own.append((start, end))
    return found


def count_characters(spans: Spans) -> int:
    """How many characters spans have together."""
    return sum(end - start for own in spans.values() for start, end in own)


def _shared_characters(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> int:
    return sum(_overlaps(one, other))


def _overlaps(one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]) -> Iterator[int]:
    for start, end in one:
        for its_start, its_end in other:
            yield max(0, min(end, its_end) - max(start, its_start))
