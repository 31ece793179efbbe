"""Documents of a context: which answers a case and which do not, and a source that holds just these, in their order."""

import random
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.sources.base import DocumentCatalogue, SearchResult
from wellsourced.sources.fake import FakeSource
from wellsourced.text.dates import is_eligible
from wellsourced.text.passages import cut_passages
from wellsourced.text.ranking import bm25_scores
from wellsourced.types import Document, Hit, Passage, Query, Reference, Section
from wellsourced_evaluate.questions.case_rows import QuestionCase

NEAR = 64
"""Documents nearest to a question that are not drawn as random ones."""

PASSAGES_PER_DOCUMENT = 4
"""Passages that are asked for to find one more document among them."""

LISTED_AT_ONCE = 1_000
"""Documents of a library that are listed at once."""

MAX_READ = 200
"""Passages that an answer reads, at most, whatever the policy."""


def fix_source(documents: Sequence[Document]) -> FakeSource:
    """A source of these documents alone. A search finds all of their passages, in that order."""
    kind = documents[0].reference.kind if documents else "own"
    return FakeSource("context", documents, [passage for one in documents for passage in cut_passages(one)], kind)


class CaseSource(FakeSource):
    """The contexts that cases have in their own lines, a document for each case, found by BM25."""

    def __init__(self, cases: Sequence[QuestionCase]) -> None:
        documents = [document for case in cases if (document := build_case_document(case))]
        documents.sort(key=lambda one: one.reference.id)
        whole = [Passage(reference=one.reference, text=one.text, start=0, end=len(one.text)) for one in documents]
        super().__init__("context", documents, whole)

    async def search(self, query: Query, limit: int) -> SearchResult:
        """The nearest documents, each as one passage."""
        scores = bm25_scores(" ".join(query.terms), [one.text for one in self.passages])
        hits = [Hit(passage=one, score=score) for one, score in zip(self.passages, scores, strict=True)]
        return SearchResult(sorted(hits, key=lambda hit: -hit.score)[:limit])

    async def list_references(self, after: str, limit: int) -> list[Reference]:
        """So many of the references, in the order of their ids, after this one."""
        return [one.reference for id, one in self.documents.items() if id > after][:limit]


async def rank_documents(library: DocumentCatalogue, question: str, limit: int) -> list[str]:
    """Ids of the documents nearest to a question by their words."""
    found = await library.search(Query(terms=(question,)), limit * PASSAGES_PER_DOCUMENT)
    return list(dict.fromkeys(hit.passage.reference.id for hit in found.hits))[:limit]


async def list_ids(library: DocumentCatalogue) -> list[str]:
    """Ids of all documents, in order."""
    ids: list[str] = []
    while page := await library.list_references(ids[-1] if ids else "", LISTED_AT_ONCE):
        ids += (one.id for one in page)
    return ids


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

    def arrange(self, distractors: int, place: int | None) -> list[Document]:
        """The first of the distractors, in an order drawn by the seed; the gold document at this place among them."""

        def draw(document: Document) -> bytes:
            return sha256(f"{self.seed} {self.gold.reference.id} {document.reference.id}".encode()).digest()

        # In the order of BM25 they would agree with the ranking that a preflight holds against the one it is given.
        documents = sorted(self.distractors[:distractors], key=draw)
        if place is not None:
            documents.insert(place, self.gold)
        return documents


class LeftOutCase(Exception):
    """Why a case is not asked."""


async def find_case_documents(
    case: QuestionCase, library: DocumentCatalogue, wanted: int, seed: int, every: Sequence[str] = ()
) -> CaseDocuments:
    """The gold document of a case, the first one with words that is there, else the context of its own line, and as
    many others. No other gold document of it is among them. Raises LeftOutCase.

    every   ids of all documents: others are drawn from these, but for the nearest; none: they are the nearest
    """
    gold = await _find_gold(case, library)
    golds = {gold.reference.id, *case.source_ids}
    ranked = await rank_documents(library, case.question, max(NEAR, wanted + len(golds)))
    others = [id for id in every or ranked if id not in golds]
    if every:
        near = {*ranked}
        others = [id for id in others if id not in near]
        random.Random(f"{seed}:{case.id}").shuffle(others)  # noqa: S311
    # A title alone distracts nobody, and words that come twice would be in two places.
    taken, texts = list[Document](), {"", gold.text.strip()}
    unlike = Query(terms=(case.question,), exclude=tuple(golds))
    for id in others:
        if len(taken) == wanted:
            break
        document = await library.open(id)
        if document.text.strip() not in texts and is_eligible(unlike, document.reference):
            texts.add(document.text.strip())
            taken.append(document)
    if len(taken) < wanted:
        kind = "random" if every else "similar"
        raise LeftOutCase(f"only {len(taken):,} of {wanted:,} {kind} distractors are there")
    return CaseDocuments(gold, tuple(taken), seed)


async def _find_gold(case: QuestionCase, library: DocumentCatalogue) -> Document:
    for id in case.source_ids:
        try:
            document = await library.open(id)
        except SourceError:
            continue
        if document.text.strip():
            return document
    if own := build_case_document(case):
        return own
    if not case.sources:
        raise LeftOutCase("neither its source nor a context is named")
    raise LeftOutCase("no document of its source has words in the corpus")


def fix_context(context: Context, documents: Sequence[Document]) -> Context:
    """The context with these documents for its only source, all of which are read.

    A language model is shown them in the order in which a question names them. Where none writes, the sections that are
    nearest come first.
    """
    source = fix_source(documents)
    read = min(MAX_READ, max(context.policy.passages, len(source.passages)))
    return replace(
        context,
        sources=(source,),
        policy=context.policy.model_copy(update={"passages": read, "per_document": MAX_READ}),
        registries=(),
        setup_gaps=(),
        unset_sources=frozenset(),
        left_out=(),
    )


def without_documents(context: Context) -> Context:
    """The context in which the language model answers from what it knows, and nothing is searched."""
    write = context.write.model_copy(update={"memory": "always"})
    return replace(context, sources=(), write=write, setup_gaps=(), left_out=(), registries=())
