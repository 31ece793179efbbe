"""The seam to what makes sense of the words of a question without a language model."""

from typing import Protocol, runtime_checkable

from wellsourced.medicine.emergencies import detect_emergency
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Emergency, Expansion, Question


@runtime_checkable
class Understanding(Protocol):
    """What the words of a question mean.

    `expansions` says which words may be understood as others, in the order in which they stand in the question; the
    likeliest of one wording first. `keywords` gives the words and terms that a search should keep, the most important
    first. A source of words that fails is left out: neither raises.
    """

    async def find_expansions(self, question: Question) -> tuple[Expansion, ...]: ...

    async def extract_keywords(self, question: Question, limit: int = 8) -> tuple[str, ...]: ...


def list_other_meanings(question: Question) -> tuple[str, ...]:
    """What the question's words may mean besides, without what it says itself: for `Query.also`."""
    said = set(tokenize(question.text))
    return tuple(dict.fromkeys(one.meant for one in question.expansions if not said.issuperset(tokenize(one.meant))))


class LiteralUnderstanding:
    """Understands every word as it is written: what there is without libraries and graph."""

    async def find_expansions(self, question: Question) -> tuple[Expansion, ...]:
        """None."""
        return ()

    async def extract_keywords(self, question: Question, limit: int = 8) -> tuple[str, ...]:
        """The content words in their order."""
        content = [word for word in tokenize(question.text) if word not in STOP_WORDS]
        return tuple(dict.fromkeys(content))[:limit]


@runtime_checkable
class EmergencyDetector(Protocol):
    """Who looks for signs that somebody may be in danger now, before anything is searched; it never raises.

    None is no promise that there is no danger.
    """

    async def detect(self, text: str) -> Emergency | None: ...


class RuleEmergencyDetector:
    """Looks for signs of an emergency by rules alone, which needs no encoder."""

    async def detect(self, text: str) -> Emergency | None:
        """As `detect_emergency`."""
        return detect_emergency(text)
