"""Where the documents of a context come from: the one that answers a case, and others that do not."""

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, Protocol

from wellsourced.errors import NotFoundError, SourceError
from wellsourced.sources.base import DocumentCatalogue
from wellsourced.text.ranking import bm25_scores
from wellsourced.types import Document, Query, Reference, Section
from wellsourced_evaluate.questions.case_rows import QuestionCase

Filler = Literal["similar", "random"]
"""Which other documents stand around the one that answers: those nearest to the question by BM25, or any."""

NEAR = 64
"""Documents nearest to a question that are not drawn as random ones."""

PASSAGES_PER_DOCUMENT = 4
"""Passages that are asked for to find one more document among them."""


LISTED_AT_ONCE = 1_000
"""Documents of a library that are listed at once."""


class DocumentPool(Protocol):
    """Documents by their ids, and which of them are nearest to a question by their words.

    Raises SourceError where a document cannot be opened.
    """

    async def open(self, document_id: str) -> Document: ...

    async def rank(self, question: str, limit: int) -> list[str]: ...

    async def list_ids(self) -> list[str]: ...


class LibraryPool:
    """The documents of a library."""

    def __init__(self, library: DocumentCatalogue) -> None:
        self.library = library
        self._ids: list[str] = []

    async def open(self, document_id: str) -> Document:
        """The document. Raises SourceError."""
        return await self.library.open(document_id)

    async def rank(self, question: str, limit: int) -> list[str]:
        """The nearest documents, each once."""
        found = await self.library.search(Query(terms=(question,)), limit * PASSAGES_PER_DOCUMENT)
        return list(dict.fromkeys(hit.passage.reference.id for hit in found.hits))[:limit]

    async def list_ids(self) -> list[str]:
        """All of them, in the order of their ids; listed once."""
        if not self._ids:
            last = ""
            while page := await self.library.list_references(last, LISTED_AT_ONCE):
                self._ids += (one.id for one in page)
                last = page[-1].id
        return self._ids


class CasePool:
    """The contexts that cases have in their own lines, a document for each case."""

    def __init__(self, cases: Sequence[QuestionCase]) -> None:
        made = [document for case in cases if (document := build_case_document(case))]
        self._documents = {one.reference.id: one for one in made}

    async def open(self, document_id: str) -> Document:
        """The document. Raises NotFoundError."""
        if document_id not in self._documents:
            raise NotFoundError(f"No case has a context {document_id}.")
        return self._documents[document_id]

    async def rank(self, question: str, limit: int) -> list[str]:
        """The nearest documents by BM25."""
        ids = await self.list_ids()
        scores = bm25_scores(question, [self._documents[id].text for id in ids])
        return [id for _, id in sorted(zip(scores, ids, strict=True), key=lambda one: (-one[0], one[1]))][:limit]

    async def list_ids(self) -> list[str]:
        """All of them, in the order of their ids."""
        return sorted(self._documents)


def build_case_document(case: QuestionCase) -> Document | None:
    """The context of a case as one document; None where its line has none."""
    text = "\n".join(one.strip() for one in case.context)
    if not text:
        return None
    reference = Reference(id=f"case:{case.id}", kind="research")
    return Document(reference=reference, text=text, sections=(Section(title="", start=0, end=len(text)),))


class CaseDocuments(NamedTuple):
    """What a case can be answered from, and what does not answer it, the nearest to the question first."""

    gold: Document
    distractors: tuple[Document, ...]
    seed: int = 0

    def draw_distractors(self, count: int) -> list[Document]:
        """The first of the distractors, in an order drawn by the seed.

        In the order of BM25 they would agree with the ranking that a preflight holds against the one it is given.
        """
        return sorted(self.distractors[:count], key=self._place)

    def _place(self, document: Document) -> bytes:
        return sha256(f"{self.seed} {self.gold.reference.id} {document.reference.id}".encode()).digest()


class LeftOutCase(Exception):
    """Why a case is not asked."""


async def find_case_documents(
    case: QuestionCase, pool: DocumentPool, wanted: int, filler: Filler, seed: int
) -> CaseDocuments:
    """The gold document of a case, the first one with words that the pool has, else the context of its own line, and
    as many others. No other gold document of it is among them. Raises LeftOutCase.
    """
    gold = await _find_gold(case, pool)
    golds = {gold.reference.id, *case.source_ids}
    ranked = await pool.rank(case.question, max(NEAR, wanted + len(golds)))
    if filler == "random":
        near = {*ranked, *golds}
        others = [id for id in await pool.list_ids() if id not in near]
        random.Random(f"{seed}:{case.id}").shuffle(others)  # noqa: S311
    else:
        others = [id for id in ranked if id not in golds]
    taken, texts = list[Document](), {gold.text.strip()}
    for id in others:
        if len(taken) == wanted:
            break
        document = await pool.open(id)
        # A title alone distracts nobody, and words that come twice would be in two places.
        if document.text.strip() and document.text.strip() not in texts and _ids_of(document).isdisjoint(golds):
            texts.add(document.text.strip())
            taken.append(document)
    if len(taken) < wanted:
        raise LeftOutCase(f"only {len(taken):,} of {wanted:,} {filler} distractors are there")
    return CaseDocuments(gold, tuple(taken), seed)


async def _find_gold(case: QuestionCase, pool: DocumentPool) -> Document:
    for id in case.source_ids:
        try:
            document = await pool.open(id)
        except SourceError:
            continue
        if document.text.strip():
            return document
    if own := build_case_document(case):
        return own
    if not case.sources:
        raise LeftOutCase("neither its source nor a context is named")
    raise LeftOutCase("no document of its source has words in the corpus")


def _ids_of(document: Document) -> set[str]:
    reference = document.reference
    return {reference.id, f"pubmed:{reference.pmid}", f"doi:{reference.doi}"} - {"pubmed:", "doi:"}
