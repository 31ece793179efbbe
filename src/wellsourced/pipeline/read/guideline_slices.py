"""Open the guidelines that were found and read their sections side by side, as LINS does (Wang et al., 2025)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wellsourced.claims.asked_terms import list_missing_terms
from wellsourced.claims.question_profile import QuestionProfile, read_question, subject_coverage
from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.text.passages import cut_passages, text_under_titles
from wellsourced.types import Evidence, Question
from wellsourced.worker_pool import run_in_worker

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
    opened = {one.passage.reference.id: await _list_sections(one, context) for one in ranked}
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
        best[work] = max(best.get(work, 0.0), _weigh_subject(item, asked))
    ranks = {work: rank for rank, work in enumerate(sorted(best, key=lambda work: -best[work]))}
    ordered = iter(sorted(guidelines, key=lambda item: ranks[item.passage.reference.id]))
    return tuple(next(ordered) if item.passage.reference.kind == "guideline" else item for item in evidence)


def _weigh_subject(item: Evidence, asked: QuestionProfile) -> float:
    on_subject = min(1.0, OFF_SUBJECT_FACTOR + 2 * subject_coverage(asked.wordings, item.passage))
    missing = len(list_missing_terms(asked.terms, text_under_titles(item.passage)))
    return float(item.relevance * on_subject * MISSING_TERM_FACTOR**missing)


def _is_guideline(one: Candidate) -> bool:
    return one.passage.reference.kind == "guideline"


async def _list_sections(found: Candidate, context: Context) -> list[Candidate]:
    """Every passage of its document; none when it cannot be opened."""
    try:
        document = await context.find_source(found.source).open(found.passage.reference.id)
    except SourceError:
        return []
    known = found.passage.reference.retraction
    passages = await run_in_worker(cut_passages, document)
    return [found._replace(passage=passage.with_retraction(known)) for passage in passages]
