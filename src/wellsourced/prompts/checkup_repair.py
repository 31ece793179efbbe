"""What is said to a model when a statement of somebody else's text does not stand (SourceCleanup)."""

from typing import ClassVar, Literal

from wellsourced.models.base import Prompt, Reply


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

    reply: ClassVar[type[Reply]] = CleanUpReply

    statement: str
    source: str
    reason: str
