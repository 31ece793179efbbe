"""What is found and opened without an answer: passages of a search, a stretch of a document."""

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from wellsourced.types.answers import Attempt, Gap
from wellsourced.types.documents import Errata, Passage, Reference, Section, Value
from wellsourced.types.public_result import PublicResult
from wellsourced.types.questions import Question


class FoundPassage(Passage):
    """A passage, and the name of the source that has it."""

    source: str


class FoundWork(Value):
    """A work, how many of its passages were found, and the names of the sources that have these."""

    reference: Reference
    passages: PositiveInt
    sources: tuple[str, ...]


class SearchFindings(PublicResult):
    """The passages that a question would be answered from, best first.

    question   as it was understood
    works      in place of passages, where works were asked for
    attempts   each search of each source
    notes      how it was searched, a phrase each
    gaps       what could not be searched
    """

    kind: Literal["search"] = "search"
    question: Question
    passages: tuple[FoundPassage, ...] = ()
    works: tuple[FoundWork, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()


class DocumentExcerpt(PublicResult):
    """A stretch of a document: text is document.text[start:end]; `length` is that of the whole text.

    errata   what is wrong in lines that begin or end in the stretch
    """

    kind: Literal["document"] = "document"
    reference: Reference
    sections: tuple[Section, ...] = ()
    length: NonNegativeInt
    start: NonNegativeInt
    end: NonNegativeInt
    text: str
    errata: Errata = ()
