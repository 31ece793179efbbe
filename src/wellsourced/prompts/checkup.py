"""What is said to a model when a text that somebody else wrote is taken apart."""

from typing import ClassVar

from wellsourced.models.base import Prompt, Reply
from wellsourced.types import Value


class StandaloneStatement(Value):
    """A statement in words that stand alone, and the words of the answer that say it, copied as they are."""

    text: str
    span: str


class StatementsReply(Reply):
    """The statements in their order, and the sentences that state nothing about medicine, copied."""

    statements: tuple[StandaloneStatement, ...] = ()
    other: tuple[str, ...] = ()


class SplitStatements(Prompt[StatementsReply]):
    """List the medical statements of this answer, in order, each so that it can be understood and checked alone.

    Put what a pronoun or the lead-in of a list stands for in its place. Split a sentence that states several facts.
    Add nothing, leave nothing out, and correct nothing, wrong as it may be. Leave marks of citation out of a statement.
    Copy for each the words of the answer that it was made from, character for character. Copy greetings, questions,
    disclaimers, headings and advice to see a doctor to the others.
    """

    reply: ClassVar[type[Reply]] = StatementsReply

    answer: str
    question: str = ""
