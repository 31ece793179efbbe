"""Where the digest of a document was found, read the document itself."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.citations.deduplication import possible_ids
from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.sources.base import Source
from wellsourced.text.passages import cut_passages, text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Document, Evidence, Gap, Passage, Question
from wellsourced.worker_pool import run_in_worker


class NamedDocuments(NamedTuple):
    """Every passage of the documents, in their order; those that no source holds, as gaps."""

    candidates: tuple[Candidate, ...] = ()
    gaps: tuple[Gap, ...] = ()


async def open_named_documents(ids: Sequence[str], sources: Sequence[Source]) -> NamedDocuments:
    """The documents of these ids. An id may be written as people write it: “PMID 31234567”, a DOI with its address."""
    candidates: list[Candidate] = []
    gaps: list[Gap] = []
    for id in dict.fromkeys(ids):
        source, document = await _open_anywhere(id, sources)
        if source and document:
            candidates += (Candidate(passage, source.name) for passage in await run_in_worker(cut_passages, document))
        else:
            names = ", ".join(one.name for one in sources) or "no source"
            reason = f"no document of this id could be opened; {names} was asked for it"
            gaps.append(Gap(source=id, status="failed", reason=reason))
    return NamedDocuments(tuple(candidates), tuple(gaps))


async def _open_anywhere(id: str, sources: Sequence[Source]) -> tuple[Source | None, Document | None]:
    for source in sources:
        for written in dict.fromkeys((id, *possible_ids(id))):
            try:
                return source, await source.open(written)
            except SourceError:
                continue
    return None, None


PASSAGES_PER_DIGEST = 8
"""Passages of one document that are judged when its digest was found."""


async def expand_digests(question: Question, candidates: Sequence[Candidate], context: Context) -> list[Candidate]:
    """The candidates; in place of one that stands for its document, the passages nearest to the question's words.

    A document that cannot be opened is left as it was found, for `read` to say so. No passage comes twice.
    """
    unfolded: dict[str, Candidate] = {}
    for candidate in candidates:
        passages = [candidate.passage]
        if candidate.passage.stands_for_document:
            passages = await _open_nearest_passages(question, candidate, context)
        for passage in passages:
            unfolded.setdefault(passage.id, candidate._replace(passage=passage))
    return list(unfolded.values())


async def _open_nearest_passages(question: Question, candidate: Candidate, context: Context) -> list[Passage]:
    try:
        document = await context.find_source(candidate.source).open(candidate.passage.reference.id)
    except SourceError:
        return [candidate.passage]
    known = candidate.passage.reference.retraction
    return [passage.with_retraction(known) for passage in await run_in_worker(_nearest_passages, question, document)]


def _nearest_passages(question: Question, document: Document) -> list[Passage]:
    wanted = frozenset(content_stems(question.text))
    passages = cut_passages(document)
    shared = [len(wanted.intersection(content_stems(text_under_titles(passage)))) for passage in passages]
    best = sorted(range(len(passages)), key=lambda number: -shared[number])[:PASSAGES_PER_DIGEST]
    return [passages[number] for number in best]


def show_short_works_whole(read: Sequence[tuple[Evidence, Document]], whole: int) -> list[Evidence]:
    """The evidence, best first; of a work with no more than `whole` characters one piece, which is all of its text.

    That piece is as relevant as the best passage of the work, and stands in its place.
    """
    widest: dict[str, Evidence] = {}
    for item, document in read:
        passage = item.passage
        if len(document.text) <= whole:
            passage = whole_document_passage(document, passage)
        known = widest.get(passage.id)
        if known is None or item.relevance > known.relevance:
            widest[passage.id] = item.model_copy(update={"passage": passage})
    return sorted(widest.values(), key=lambda item: (-item.relevance, item.passage.id))


def show_abstracts_whole(read: Sequence[tuple[Evidence, Document]], whole: int) -> list[Evidence]:
    """The evidence, best first; of a study with no more than `whole` characters all of its text, of all else as it is.

    A sentence of an abstract often leans on the one before it, which may stand in the passage before.
    """
    studies = [(item, document) for item, document in read if item.passage.reference.kind == "research"]
    others = [item for item, _ in read if item.passage.reference.kind != "research"]
    both = (*show_short_works_whole(studies, whole), *others)
    return sorted(both, key=lambda item: (-item.relevance, item.passage.id))


def whole_document_passage(document: Document, passage: Passage) -> Passage:
    """The whole text of a passage's document as one passage, white space at its ends left out."""
    text = document.text.strip()
    start = document.text.index(text)
    return passage.model_copy(
        update={
            "text": text,
            "start": start,
            "end": start + len(text),
            "section": "",
            "page": document.page(start, start + len(text)),
            "stands_for_document": False,
        }
    )
