"""Documents, their references, and passages of their text; and the base class of all values."""

from base64 import b32encode
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, computed_field, model_validator

from wellsourced.errors import BrokenSpan
from wellsourced.types.field_meanings import describe_fields

SourceKind = Literal["book", "guideline", "research", "trial", "wiki", "graph", "consumer", "web", "own"]
"""What sort of thing a source holds; a library holds one kind, so that planning can choose."""

ReadingDepth = Literal["digest", "abstract", "excerpt", "full text", "web page", "record"]
"""What was read of a work: somebody's summary of it, its abstract, some of its sentences, all of it, a page; of a table
or a vocabulary a record, put into sentences by us."""


class Value(BaseModel):
    """Frozen, strict about names, and equal when its fields are."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, json_schema_extra=describe_fields)


class ComputedValue(Value):
    """A value with computed fields: what we print we can read back, although they are no arguments."""

    @model_validator(mode="before")
    @classmethod
    def _drop_computed(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        fields, computed = cast("dict[str, Any]", given), cls.model_computed_fields
        return {name: value for name, value in fields.items() if name not in computed}


def hash_text(text: str) -> str:
    """Sixteen hexadecimal digits that tell one text from another: the beginning of its SHA-256."""
    return sha256(text.encode()).hexdigest()[:16]


HASH_DIGITS = 8
"""Of the SHA-256 of a line's words: it tells whether they read as they did."""


def hash_words(words: str) -> str:
    """Return what tells whether a line reads as it did, however its words are spaced."""
    return hash_text(" ".join(words.split()))[:HASH_DIGITS]


class Erratum(Value):
    """What is wrong in a line of a document, as far as wellsourced knows.

    start, end   where the line stands in the document's text
    fault        what is wrong
    source       the guideline, label or study that says otherwise, with its section or table
    says         what that says
    checked      how it is known: "from memory of the document", or "against" the id of a passage that shows it
    """

    start: NonNegativeInt
    end: NonNegativeInt
    fault: str
    source: str
    says: str
    checked: str

    @property
    def note(self) -> str:
        """What is shown beside the line."""
        place = self.checked.removeprefix("against ")
        how = "Not re-read here; check it." if place == self.checked else f"See {place}; its source was not re-read."
        return f"wellsourced notes: {self.fault} {self.source}: {self.says}. {how}"


Errata = Annotated[tuple[Erratum, ...], Field(exclude_if=lambda errata: not errata)]
"""Of what is shown; not in JSON where there are none."""


def short_key(words: str) -> str:
    """Six letters and digits that stand for these words where a model has to copy them: made from them, no number."""
    return b32encode(sha256(words.encode()).digest())[:6].decode().lower()


NoticeKind = Literal["retraction", "concern", "correction", "republication"]


class Notice(Value):
    """A notice that was published about a work after it: a retraction, a correction, an expression of concern.

    kind        a correction (an erratum) and a republication do not speak against a work
    source      who says so: "PubMed", "Crossref", "Retraction Watch"
    id          of the notice itself: "pubmed:…", "doi:…"; "" when the source does not name it
    published   ISO 8601, as precise as the source is; "" when unknown
    """

    kind: NoticeKind
    source: str
    id: str = ""
    published: str = ""
    reason: str = ""


class Retraction(Value):
    """Whether a work was withdrawn, the date of the snapshot that says so, and the notices that it rests on.

    status   "false" only when somebody who keeps count of retractions knows the work and lists none
    """

    status: Literal["true", "false", "unknown"] = "unknown"
    as_of: date | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def objection(self) -> str:
        """Why it may not count as evidence: "retracted (PubMed, 2020-05)"; "" when nothing is known against it."""
        against = next((n for kind in ("retraction", "concern") for n in self.notices if n.kind == kind), None)
        if self.status != "true" and (against is None or against.kind == "retraction"):
            return ""
        word = "retracted" if self.status == "true" else "under an expression of concern"
        told = [against.source, against.published, against.reason] if against else [str(self.as_of or "")]
        return f"{word} ({', '.join(filter(None, told))})" if any(told) else word


class Reference(ComputedValue):
    """The bibliographic record of one document; it travels with every word taken from it.

    id          from the record itself: "doi:…", "pubmed:…", "pmc:…", or the id that its file gives it
    published   ISO 8601, as precise as the source is: "2022", "2022-05", "2022-05-03"; "" when unknown
    year        follows from `published`
    pmid        digits alone; `pmcid` begins with "PMC": with the DOI, they tell that two records are of one work
    mesh        headings that indexers gave it, the main ones first
    tldr        one line on it by the source itself; may be shown, never cited
    accessed    the day on which a web page was read
    depth       what was read of the work
    """

    id: str
    title: str = ""
    url: str = ""
    kind: SourceKind = "own"
    organisation: str = ""
    published: str = ""
    authors: tuple[str, ...] = ()
    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    mesh: tuple[str, ...] = ()
    tldr: str = ""
    accessed: date | None = None
    publication_types: tuple[str, ...] = ()
    retraction: Retraction = Retraction()
    depth: ReadingDepth = "full text"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def year(self) -> int | None:
        """The year of publication, or None when the source does not say."""
        return int(self.published[:4]) if self.published[:4].isdecimal() else None

    def with_retraction(self, retraction: Retraction) -> "Reference":
        """Return the same record with what is known now of a retraction."""
        return self if retraction == self.retraction else self.model_copy(update={"retraction": retraction})


class Section(Value):
    """A part of a document: its heading and the span of its words, heading line left out.

    title   the path of headings, outermost first: "Pharmacotherapy › Beta-blockers"; "" for an unnamed part
    """

    title: str
    start: NonNegativeInt
    end: NonNegativeInt


class Document(Value):
    """One work as it was read. Everything that is ever quoted is a slice of `text`.

    sections   in order, not overlapping; what lies between them (headings) is kept but never cut into passages
    digest     a summary by which search finds the document, beside its own words; what is read and quoted is the text
    pages      where each printed page begins in `text`, in order; none when it has no pages
    """

    reference: Reference
    text: str
    sections: tuple[Section, ...] = ()
    digest: str = ""
    pages: tuple[NonNegativeInt, ...] = ()

    @property
    def id(self) -> str:
        """The id of its reference."""
        return self.reference.id

    def page(self, start: int, end: int) -> str:
        """The printed page of a span, counted from 1: "12", "12–13"; "" when the document has no pages."""
        return printed_pages(self.pages, start, end)


def printed_pages(starts: Sequence[int], start: int, end: int) -> str:
    """The pages on which a span stands, by where each page begins; see Document.page."""
    if not starts:
        return ""
    first, last = bisect_right(starts, start), bisect_right(starts, max(start, end - 1))
    return str(max(first, 1)) if first == last else f"{max(first, 1)}–{last}"


class Passage(ComputedValue):
    """A slice of one document: the only thing an answer may quote.

    text         document.text[start:end] as printed; cut once, never joined or tidied afterwards
    section      the heading path it stands under
    page         the printed page, or pages, that it stands on; "" when its document has none
    start, end   half-open, in code points of the document

    Raises BrokenSpan when the offsets and the words differ in length.
    Offsets follow the W3C Web Annotation Data Model, Text Position Selector.
    """

    reference: Reference
    text: str
    start: NonNegativeInt
    end: NonNegativeInt
    section: str = ""
    page: str = ""
    stands_for_document: bool = False

    @computed_field  # type: ignore[prop-decorator]
    @property
    def id(self) -> str:
        """The document's id and the span: "doi:10.1161/…#120-480"."""
        return f"{self.reference.id}#{self.start}-{self.end}"

    @property
    def key(self) -> str:
        """Six letters and digits that a model is shown in place of the id: made from it, so never from a position."""
        return short_key(self.id)

    def with_retraction(self, retraction: Retraction) -> "Passage":
        """Return the same passage; its reference says what is known now of a retraction."""
        reference = self.reference.with_retraction(retraction)
        return self if reference is self.reference else self.model_copy(update={"reference": reference})

    @model_validator(mode="after")
    def _check_span(self) -> Self:
        if self.end - self.start != len(self.text):
            raise BrokenSpan(self.reference.id, self.start, self.end, len(self.text))
        return self
