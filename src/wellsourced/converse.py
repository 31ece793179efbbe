"""Questions that follow each other. The caller keeps the conversation; nothing is kept here between calls."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import NotFoundError, SourceError
from wellsourced.events import Emit, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.sources.base import SearchResult, Source, SourceInfo
from wellsourced.text.dates import is_eligible
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, Document, Evidence, Hit, Query, Question, Turn, Value, cited_passage_ids

CITED_BEFORE = "earlier answers"
"""The name, in plans and attempts, of the source that holds the evidence of earlier answers."""

MAX_CARRIED_PASSAGES = 48
"""Passages that a conversation carries on, the latest first."""


class Conversation(Value):
    """What was said so far, oldest first, and the evidence that its answers cite, the latest first."""

    turns: tuple[Turn, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class ConversationAnswer(NamedTuple):
    """An answer, and the conversation with it."""

    answer: Answer
    conversation: Conversation


async def continue_conversation(
    conversation: Conversation, asked: str | Question, context: Context, emit: Emit = ignore_event
) -> ConversationAnswer:
    """Answer what follows on a conversation, and give back the conversation with question and answer in it.

    What earlier answers cite can be found again, as a source of its own beside the context's. What was said before is
    shown to the model that makes a question stand alone, as far as it has room; a note counts the turns that were left
    out. Raises as `answer_question` does, and then the conversation is as it was.
    """
    question = Question(text=asked) if isinstance(asked, str) else asked
    following = question.model_copy(update={"history": conversation.turns})
    given = await answer_question(following, add_cited_source(conversation, context), emit)
    return ConversationAnswer(given, extend_conversation(conversation, question.text, given))


def extend_conversation(conversation: Conversation, asked: str, given: Answer) -> Conversation:
    """The conversation with one more question and its answer in it."""
    told = " ".join(statement.text for statement in given.statements) or given.choice or given.reason or "(no answer)"
    turns = (Turn(role="user", text=asked), Turn(role="assistant", text=told))
    return Conversation(turns=(*conversation.turns, *turns), evidence=_carry_evidence(given, conversation))


def add_cited_source(conversation: Conversation, context: Context) -> Context:
    """The context with what was cited before as one more source; itself when nothing was."""
    if not conversation.evidence:
        return context
    return replace(context, sources=(*context.sources, CitedPassagesSource(conversation.evidence, context.sources)))


class CitedPassagesSource:
    """The passages that earlier answers cite, as a source; their documents are opened where they lie.

    Of one conversation, and gone with the call that it was made for.
    """

    def __init__(self, evidence: Sequence[Evidence], sources: Sequence[Source]) -> None:
        self.passages = [item.passage for item in evidence]
        self.sources = tuple(sources)

    @property
    def name(self) -> str:
        return CITED_BEFORE

    async def describe(self) -> SourceInfo:
        documents = {passage.reference.id for passage in self.passages}
        years = [passage.reference.year for passage in self.passages if passage.reference.year]
        return SourceInfo(
            CITED_BEFORE,
            "own",
            len(documents),
            len(self.passages),
            vectors=len(self.passages),
            first=min(years, default=0),
            last=max(years, default=0),
            about="Works that earlier answers of this conversation cite.",
        )

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages that share words with the query, those with most of them first."""
        wanted = set(content_stems(" ".join((*query.terms, *query.also))))
        found = [
            Hit(passage=passage, score=shared / len(wanted))
            for passage in self.passages
            if is_eligible(query, passage.reference)
            and (shared := len(wanted.intersection(content_stems(text_under_titles(passage)))))
        ]
        return SearchResult(sorted(found, key=lambda hit: -hit.score)[:limit])

    async def open(self, document_id: str) -> Document:
        """The document, from the source that holds it. Raises NotFoundError when none does any more."""
        for source in self.sources:
            try:
                return await source.open(document_id)
            except (SourceError, TimeoutError):
                continue
        raise NotFoundError(f"{CITED_BEFORE}: {document_id} can no longer be opened")


def _carry_evidence(given: Answer, conversation: Conversation) -> tuple[Evidence, ...]:
    """What the answer cites, then what was carried on before, each passage once."""
    cited = cited_passage_ids(given.statements)
    latest = (item for item in given.evidence if item.passage.id in cited)
    once = {item.passage.id: item for item in reversed((*latest, *conversation.evidence))}
    return tuple(reversed(once.values()))[:MAX_CARRIED_PASSAGES]
