"""What is wrong in the guideline digests, and is shown beside the line: `errata.toml`.

An entry names its lines by document, offsets and hash, as expected questions do. Where a line reads otherwise, in a
digest of another release or a document of the same id, it is not shown. What a language model reads is not changed.
"""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Annotated, NamedTuple, TypeVar

from pydantic import Field, StringConstraints, TypeAdapter

from wellsourced.errors import UnreadableFile
from wellsourced.types import (
    Answer,
    AnswerSection,
    Citation,
    Erratum,
    LineToCheck,
    Passage,
    Statement,
    TextSpan,
    Value,
    hash_words,
)

ERRATA_FILE = "errata.toml"

FROM_MEMORY = "from memory of the document"

Words = Annotated[str, StringConstraints(min_length=1)]

Noted = TypeVar("Noted", Statement, AnswerSection, LineToCheck)


class WrongLine(NamedTuple):
    """Where lines stand in the text of their document, and the hash of their words."""

    start: int
    end: int
    sha256: str


class ErrataEntry(Value):
    """An entry of the file; its other fields are those of an Erratum.

    document   id of the document
    places     lines that are wrong in this way: what stands in one place is hashed as one
    """

    document: Words
    places: tuple[WrongLine, ...] = Field(min_length=1)
    fault: Annotated[str, StringConstraints(pattern=r"\.$")]
    source: Words
    says: Words
    checked: Annotated[str, StringConstraints(pattern=rf"^({FROM_MEMORY}|against \S+#\d+-\d+)$")]


@cache
def read_errata() -> tuple[ErrataEntry, ...]:
    """All entries that come with wellsourced. Raises UnreadableFile when the file is damaged."""
    return parse_errata((files("wellsourced.answering") / ERRATA_FILE).read_text(encoding="utf-8"))


def parse_errata(text: str) -> tuple[ErrataEntry, ...]:
    """The entries of a file. Raises UnreadableFile."""
    try:
        return TypeAdapter(dict[str, tuple[ErrataEntry, ...]]).validate_python(tomllib.loads(text))["errata"]
    except (ValueError, KeyError) as error:
        reason = "the list of errors in the guideline digests is damaged"
        raise UnreadableFile(ERRATA_FILE, reason, "Reinstall wellsourced.") from error


def find_errata(document: str, text: str, start: int = 0) -> list[Erratum]:
    """What is wrong in lines that stand, whole and unchanged, in this text of a document.

    start   where the text begins in the document

    Raises UnreadableFile as `read_errata` does.
    """
    return [
        Erratum(start=place.start, end=place.end, **entry.model_dump(exclude={"document", "places"}))
        for entry in read_errata()
        if entry.document == document
        for place in entry.places
        if place.start >= start and hash_words(text[place.start - start : place.end - start]) == place.sha256
    ]


def note_errata(answer: Answer) -> Answer:
    """Return the answer with what is wrong in its lines beside each section, statement and line to check."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    known: dict[str, object] = {
        "statements": tuple(
            _note(one, [(passages[each.passage_id], each) for each in one.citations]) for one in answer.statements
        ),
        "sections": tuple(
            _note(one, [(passages[one.passage_id], span) for span in one.shown]) for one in answer.sections
        ),
    }
    if made := answer.recommendation:
        lines = tuple(_note(one, [(one.passage, each) for each in one.citations]) for one in made.lines)
        known["recommendation"] = made.model_copy(update={"lines": lines})
    return answer.model_copy(update=known)


def _note(one: Noted, shown: Iterable[tuple[Passage, Citation | TextSpan]]) -> Noted:
    """One of these with what is wrong in the stretches of passages that it shows, each once."""
    errata = (
        erratum
        for passage, span in shown
        for erratum in find_errata(passage.reference.id, passage.text, passage.start)
        if span.start < erratum.end and erratum.start < span.end
    )
    return one.model_copy(update={"errata": tuple(dict.fromkeys(errata))})
