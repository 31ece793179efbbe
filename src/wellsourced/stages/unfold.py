"""Unfold: what was found by the digest of a document is read in the document itself."""

from collections.abc import Sequence

from wellsourced.errors import SourceError
from wellsourced.kit import Context
from wellsourced.stages.search import Candidate
from wellsourced.text.context import text_under_titles
from wellsourced.text.passages import cut_passages
from wellsourced.text.tokens import content_stems
from wellsourced.types import Document, Passage, Question
from wellsourced.worker_pool import run_in_worker

PASSAGES_PER_DIGEST = 8
"""Passages of one document that are judged when its digest was found."""


async def expand_digests(question: Question, candidates: Sequence[Candidate], kit: Context) -> list[Candidate]:
    """The candidates; in place of one that stands for its document, the passages nearest to the question's words.

    A document that cannot be opened is left as it was found, for `read` to say so. No passage comes twice.
    """
    unfolded: dict[str, Candidate] = {}
    for candidate in candidates:
        passages = [candidate.passage]
        if candidate.passage.stands_for_document:
            passages = await _open_nearest_passages(question, candidate, kit)
        for passage in passages:
            unfolded.setdefault(passage.id, candidate._replace(passage=passage))
    return list(unfolded.values())


async def _open_nearest_passages(question: Question, candidate: Candidate, kit: Context) -> list[Passage]:
    try:
        document = await kit.find_source(candidate.source).open(candidate.passage.reference.id)
    except SourceError:
        return [candidate.passage]
    known = candidate.passage.reference.retraction
    return [
        passage.model_copy(update={"reference": passage.reference.model_copy(update={"retraction": known})})
        for passage in await run_in_worker(_nearest_passages, question, document)
    ]


def _nearest_passages(question: Question, document: Document) -> list[Passage]:
    wanted = frozenset(content_stems(question.text))
    passages = cut_passages(document)
    shared = [len(wanted.intersection(content_stems(text_under_titles(passage)))) for passage in passages]
    best = sorted(range(len(passages)), key=lambda number: -shared[number])[:PASSAGES_PER_DIGEST]
    return [passages[number] for number in best]
