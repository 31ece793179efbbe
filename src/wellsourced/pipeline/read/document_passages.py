"""Where the digest of a document was found, or a guideline, read the document itself, the sections of a guideline side
by side.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from wellsourced.citations.links import possible_ids
from wellsourced.claims.question_profile import read_question, subject_coverage
from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.pipeline.retrieve.search import Candidate, open_document
from wellsourced.question.required_entities import list_missing_terms
from wellsourced.sources.base import Source
from wellsourced.text.passages import cut_passages, text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Document, Evidence, Gap, Passage, Question
from wellsourced.worker_pool import run_in_worker


async def open_named_documents(
    ids: Sequence[str], sources: Sequence[Source]
) -> tuple[tuple[Candidate, ...], tuple[Gap, ...]]:
    """Every passage of the documents of these ids, in their order; those that no source holds, as gaps.

    An id may be written as people write it: “PMID 31234567”, a DOI with its address.
    """
    candidates: list[Candidate] = []
    gaps: list[Gap] = []
    for id in dict.fromkeys(ids):
        source, document = await _open_anywhere(id, sources)
        if source and document:
            candidates += (Candidate(passage, source.name) for passage in await run_in_worker(cut_passages, document))
        else:
            names = ", ".join(one.name for one in sources) or "any source"
            reason = f"no document of this id could be opened in {names}"
            gaps.append(Gap(source=id, status="failed", reason=reason))
    return tuple(candidates), tuple(gaps)


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
        passages = None
        # A digest is found in place of its document; what is read and quoted is the document.
        if candidate.passage.stands_for_document:
            passages = await _open_passages(candidate, context, partial(_nearest_passages, question))
        for passage in [candidate.passage] if passages is None else passages:
            unfolded.setdefault(passage.id, candidate._replace(passage=passage))
    return list(unfolded.values())


async def _open_passages(
    found: Candidate, context: Context, cut: Callable[[Document], Sequence[Passage]]
) -> list[Passage] | None:
    """Passages of its document; None when it cannot be opened."""
    document = await open_document(found.passage.reference.id, found.source, context)
    if document is None:
        return None
    known = found.passage.reference.retraction
    return [passage.with_retraction(known) for passage in await run_in_worker(cut, document)]


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
        # A sentence of a short work often leans on the one before it, so all of it is shown as one piece.
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


OFF_SUBJECT_FACTOR = 0.5
"""What remains of a section's probability, for the order, where its guideline's title and chapter are on none of it."""

MISSING_TERM_FACTOR = 0.6
"""The same for each thing that is asked and that the section does not name."""


async def open_guidelines(candidates: Sequence[Candidate], context: Context) -> list[Candidate]:
    """In place of what was found of guidelines, every section of those that stand first, as many as
    `policy.passages`; what is of another kind stays.

    A guideline that cannot be opened stays as it was found, for `read` to say so.
    """
    first = {one.passage.reference.id: one for one in reversed(candidates) if _is_guideline(one)}
    ranked = [one for one in candidates if one is first.get(one.passage.reference.id)][: context.policy.passages]
    opened = {
        one.passage.reference.id: [
            one._replace(passage=part) for part in await _open_passages(one, context, cut_passages) or ()
        ]
        for one in ranked
    }
    # What could not be opened stays as it was found, so that reading it tells the failure.
    unopened = {id for id, sections in opened.items() if not sections}
    kept = [one for one in candidates if not _is_guideline(one) or one.passage.reference.id in unopened]
    return [*(section for sections in opened.values() for section in sections), *kept]


def admit_slices(candidates: Sequence[Candidate], context: Context) -> Context:
    """The context, with room for the slices of each guideline where there are guidelines to read."""
    if not any(_is_guideline(one) for one in candidates):
        return context
    slices = context.read.guideline_slices
    room = {"passages": slices * context.policy.passages, "per_document": slices}
    return replace(context, policy=context.policy.model_copy(update=room))


def group_siblings(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence by works, the work of the first piece first; the pieces of a work in its own order."""
    works: dict[str, list[Evidence]] = {}
    for item in evidence:
        works.setdefault(item.passage.reference.id, []).append(item)
    return tuple(item for pieces in works.values() for item in sorted(pieces, key=lambda one: one.passage.start))


def order_guidelines(question: Question, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The evidence as a language model is shown it: the guideline first whose best section answers best, each one's
    sections side by side. What is no guideline stays at its place.

    How likely a section answers is told by its words: one on the first drugs for another disease that mentions this one
    in passing can come out above the guideline on this one. Here it counts, too, what the guideline is on. Of 104
    questions the first section shown is of the right guideline for .94 (.93 in the order of the probabilities alone).
    """
    guidelines = [item for item in evidence if item.passage.reference.kind == "guideline"]
    asked = read_question(question)
    best: dict[str, float] = {}
    for item in guidelines:
        work = item.passage.reference.id
        # A section on the first drugs for another disease that mentions this one in passing can be the likeliest by its
        # words.
        on_subject = min(1.0, OFF_SUBJECT_FACTOR + 2 * subject_coverage(asked.wordings, item.passage))
        missing = len(list_missing_terms(asked.terms, text_under_titles(item.passage)))
        best[work] = max(best.get(work, 0.0), float(item.relevance * on_subject * MISSING_TERM_FACTOR**missing))
    ranks = {work: rank for rank, work in enumerate(sorted(best, key=lambda work: -best[work]))}
    ordered = iter(sorted(guidelines, key=lambda item: ranks[item.passage.reference.id]))
    return tuple(next(ordered) if item.passage.reference.kind == "guideline" else item for item in evidence)


def _is_guideline(one: Candidate) -> bool:
    return one.passage.reference.kind == "guideline"
