"""A context whose documents are given, in a given order: what a model reads is then the same whoever searches."""

from collections.abc import Sequence
from dataclasses import replace

from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.judges.base import Judge, Pair
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.text.passages import cut_passages, text_under_titles
from wellsourced.types import Document, Hit, Passage, Query, Question, Verdict

SOURCE_NAME = "context"

MAX_READ = 200
"""Passages that an answer reads, at most, whatever the policy."""

LEAST_PLACED = 0.9
"""Relevance of the last of the given passages; that of the first is 1, so that all count as relevant."""

LESSER_SHARE = 0.5
"""What counts of a verdict on anything else: it may choose what to quote, and never moves a passage."""


class FixedSource:
    """Documents that were chosen beforehand. A search finds all of their passages, in that order."""

    name = SOURCE_NAME

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = {one.reference.id: one for one in documents}
        self.passages: list[Passage] = [passage for one in documents for passage in cut_passages(one)]

    async def describe(self) -> SourceInfo:
        """What it holds."""
        kind = next(iter(self.documents.values())).reference.kind if self.documents else "own"
        return SourceInfo(self.name, kind, len(self.documents), len(self.passages))

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Its passages, in order, but for documents that the query excludes."""
        allowed = [one for one in self.passages if one.reference.id not in query.exclude]
        return SearchResult([Hit(passage=one, score=1 / rank) for rank, one in enumerate(allowed[:limit], start=1)])

    async def open(self, document_id: str) -> Document:
        """The document of this id. Raises NotFoundError."""
        if document_id not in self.documents:
            raise NotFoundError(f"The context holds no document {document_id}.")
        return self.documents[document_id]


class OrderJudge:
    """Finds passages the more relevant the earlier they were given; what is no whole passage is judged by another."""

    def __init__(self, passages: Sequence[Passage], inner: Judge) -> None:
        self.inner = inner
        step = (1 - LEAST_PLACED) / max(1, len(passages))
        self.scores = {text_under_titles(one): 1 - place * step for place, one in enumerate(passages)}

    @property
    def name(self) -> str:
        """By what it goes."""
        return f"given order, {self.inner.name}"

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """A verdict for each pair, in order."""
        verdicts = await self.inner.judge(pairs)
        return [
            Verdict(label="supports", score=self.scores[pair.text])
            if pair.text in self.scores
            else verdict.model_copy(update={"score": LESSER_SHARE * verdict.score})
            for pair, verdict in zip(pairs, verdicts, strict=True)
        ]


def fix_context(context: Context, documents: Sequence[Document]) -> Context:
    """The context with these documents for its only source, all of which are read.

    A language model is shown them in their order. Where none writes, the order is that in which they were found: the
    judge of relevance ranks them as it ranks what a search finds.
    """
    source = FixedSource(documents)
    read = min(MAX_READ, max(context.policy.passages, len(source.passages)))
    fixed = replace(
        context,
        sources=(source,),
        policy=context.policy.model_copy(update={"passages": read, "per_document": MAX_READ}),
        registries=(),
        setup_gaps=(),
        unset_sources=frozenset(),
        left_out=(),
    )
    if not context.has_model:
        return fixed
    return replace(fixed, relevance_judge=OrderJudge(source.passages, context.relevance_judge))


def without_documents(context: Context) -> Context:
    """The context in which the language model answers from what it knows, and nothing is searched."""
    write = context.write.model_copy(update={"memory": "always"})
    return replace(context, sources=(), write=write, setup_gaps=(), left_out=(), registries=())


def ask_of_documents(question: Question, documents: Sequence[Document]) -> Question:
    """The question put to just these documents."""
    return question.model_copy(update={"given": tuple(one.reference.id for one in documents)})
