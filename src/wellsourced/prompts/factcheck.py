"""What is said to a model when a text that somebody else wrote is taken apart."""

from typing import Literal

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

    answer: str
    question: str = ""


class CleanUpReply(Reply):
    """What becomes of the statement; `excerpt` are the words of the source that the new one rests on, copied."""

    action: Literal["edit", "remove"]
    text: str = ""
    excerpt: str = ""


class CleanUp(Prompt[CleanUpReply]):
    """Change this statement as little as possible so that the words of the source support all of it, or remove it.

    Keep its wording wherever the source allows it. Every number, unit, direction, group of people and comparison has to
    be the source's. If the source says the opposite, say what it says. Copy the words that the new statement rests on,
    character for character, as the excerpt. Remove the statement if the source says nothing of what it is about: add
    nothing that it did not set out to say.
    """

    statement: str
    source: str
    reason: str
