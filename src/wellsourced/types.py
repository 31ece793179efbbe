"""The values an answer is made of, in the order in which they come about. Frozen; no I/O.

    Question → Plan → Passage → Evidence → Statement → Answer

A Passage is a slice of a Document and carries its Reference, so nothing is ever looked up by position.
Offsets are half-open and count Unicode code points (browsers count UTF-16 units: a page converts).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, NonNegativeInt, computed_field, model_validator

from wellsourced.errors import BrokenSpan, Misquote, Uncited, UnknownPassage

Kind = Literal["book", "guideline", "research", "wiki", "graph", "consumer", "web", "own"]
"""What sort of thing a source holds; a library holds one kind, so that planning can choose."""

Depth = Literal["digest", "abstract", "excerpt", "full text", "web page", "record"]
"""What was read of a work: somebody's summary of it, its abstract, some of its sentences, all of it, a page; of a table
or a vocabulary a record, put into sentences by us."""

Label = Literal["supports", "contradicts", "silent"]
Basis = Literal["evidence", "parametric", "none"]


class Value(BaseModel):
    """Frozen, strict about names, and equal when its fields are."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Computing(Value):
    """A value with computed fields: what we print we can read back, although they are no arguments."""

    @model_validator(mode="before")
    @classmethod
    def _drop_computed(cls, given: Any) -> Any:
        if isinstance(given, dict) and cls.model_computed_fields.keys() & given.keys():
            return {key: value for key, value in given.items() if key not in cls.model_computed_fields}
        return given


QueryKind = Literal["text", "boolean", "term"]
"""Words, an expression of PubMed's query language, or the names of concepts."""

Widening = Literal["spelling", "abbreviation", "brand", "synonym", "lay term"]
"""In which way words of a question were understood as others."""


class Expansion(Value):
    """Words of a question that were understood as others; told, and to be switched off by its kind.

    said     the words as they stand in the question
    meant    one other wording of them
    source   who says so: "the words of the library research", "graph (HPO)", "wellsourced"
    """

    kind: Widening
    said: str
    meant: str
    source: str


class Question(Value):
    """What is asked, and under which regime.

    expansions   how words of it were understood, the likeliest of one wording first; made by `frame`

    since, as_of   only what was published from `since` to `as_of` (both included) may count as evidence
    exclude        ids of references that may not count ("pubmed:31234567", "doi:10.1161/…")
    options        letter → text, for a multiple-choice question
    patient        the patient's own text; it never leaves the machine unless the user says so
    """

    text: str
    patient: str = ""
    options: dict[str, str] = {}
    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    language: str = "en"
    expansions: tuple[Expansion, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        """The question as it was asked, then as it was understood, where that differs."""
        meant: dict[str, str] = {}
        for expansion in self.expansions:
            meant.setdefault(expansion.said, expansion.meant)
        if not meant:
            return (self.text,)
        said = "|".join(re.escape(words) for words in sorted(meant, key=len, reverse=True))
        other = re.sub(rf"(?<!\w)(?:{said})(?!\w)", lambda found: meant[found.group()], self.text)
        return tuple(dict.fromkeys((self.text, other)))


class Query(Value):
    """What one source is asked.

    terms    for `text` the words of a question, most important first once they are keywords; for `boolean` one
             expression; for `term` the names of concepts
    also     further words that may stand for the terms: they count for less, and nothing has to hold them
    """

    terms: tuple[str, ...]
    kind: QueryKind = "text"
    also: tuple[str, ...] = ()
    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The terms in one line, as a search box would take them."""
        return " ".join(self.terms)

    def relaxed(self) -> Iterator["Query"]:
        """Ever weaker queries: the least important term goes first, the most important stays to the end."""
        for kept in range(len(self.terms) - 1, 0, -1):
            yield self.model_copy(update={"terms": self.terms[:kept]})


class Search(Value):
    """One source asked one thing."""

    source: str
    query: Query


class Tier(Value):
    """Searches that are made together; a later tier is opened only when this one did not give enough."""

    name: str
    searches: tuple[Search, ...]


class Plan(Value):
    """Tiers in order of authority. No tier at all when no search is needed.

    planner   who made it
    notes     what its reader should know of how it was made: a heading that does not exist, a reply that was no plan
    """

    tiers: tuple[Tier, ...]
    planner: str = ""
    notes: tuple[str, ...] = ()


class Notice(Value):
    """What was published about a work after it.

    kind        a correction (an erratum) and a republication do not speak against a work
    source      who says so: "PubMed", "Crossref", "Retraction Watch"
    id          of the notice itself: "pubmed:…", "doi:…"; "" when the source does not name it
    published   ISO 8601, as precise as the source is; "" when unknown
    """

    kind: Literal["retraction", "concern", "correction", "republication"]
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


class Reference(Computing):
    """The catalogue card of one document; it travels with every word taken from it.

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
    kind: Kind = "own"
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
    depth: Depth = "full text"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def year(self) -> int | None:
        """The year of publication, or None when the source does not say."""
        return int(self.published[:4]) if self.published[:4].isdigit() else None


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

    def page(self, start: int, end: int) -> str:
        """The printed page of a span, counted from 1: "12", "12–13"; "" when the document has no pages."""
        return printed_pages(self.pages, start, end)


def printed_pages(starts: Sequence[int], start: int, end: int) -> str:
    """The pages on which a span stands, by where each page begins; see Document.page."""
    if not starts:
        return ""
    first, last = bisect_right(starts, start), bisect_right(starts, max(start, end - 1))
    return str(max(first, 1)) if first == last else f"{max(first, 1)}–{last}"


class Passage(Computing):
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

    @model_validator(mode="after")
    def _spans_its_words(self) -> Self:
        if self.end - self.start != len(self.text):
            raise BrokenSpan(self.reference.id, self.start, self.end, len(self.text))
        return self


class Hit(Value):
    """A passage that a search brought up. Scores rank one result list; between two lists they mean nothing."""

    passage: Passage
    score: float


class Verdict(Value):
    """Does a text support a claim? `score` is a probability in [0, 1], comparable within one judge only."""

    label: Label
    score: float
    reason: str = ""


class Evidence(Value):
    """A passage that bears on the question.

    relevance   probability in [0, 1] that it does, as the judge of relevance says
    quotes      the words that show it, verbatim; Misquote when they are not in the passage
    """

    passage: Passage
    relevance: float
    gist: str = ""
    quotes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _quotes_are_verbatim(self) -> Self:
        for quote in self.quotes:
            if quote not in self.passage.text:
                raise Misquote(self.passage.id, quote)
        return self


class Citation(Value):
    """The words a statement rests on: document.text[start:end] == quote."""

    passage_id: str
    quote: str
    start: NonNegativeInt
    end: NonNegativeInt


class Statement(Value):
    """One claim and the words it rests on.

    topic   the heading it is grouped under; statements of one topic stand together
    lead    it answers so directly that the TL;DR says it
    """

    text: str
    citations: tuple[Citation, ...] = ()
    verdict: Verdict
    topic: str = ""
    lead: bool = False


class Gap(Value):
    """Something that could have been searched and was not, or could not be; the answer may lack what it holds."""

    source: str
    status: Literal["failed", "empty library", "not indexed", "not configured"]
    reason: str


class Attempt(Value):
    """One source asked one thing, and what came of it. `failed` and `empty` are different answers.

    notes   what the source said of it beside its hits: records that are missing, a threshold that it lowered
    """

    search: Search
    tier: str
    status: Literal["ok", "empty", "failed"]
    found: NonNegativeInt = 0
    error: str = ""
    notes: tuple[str, ...] = ()


class Dropped(Value):
    """What was considered and left out, and why: nothing disappears without a word."""

    what: Literal["passage", "statement"]
    id: str
    text: str
    reason: str


class Answer(Computing):
    """A closed world: everything an answer says can be walked back to characters that it carries.

    tldr         the text of the statements that lead
    statements   in reading order
    reason       why nothing is said, when `abstained`
    notes        what its reader should know of how it was searched for, a sentence each without a full stop
    dropped      passages and statements that were left out, with the reason
    timings      seconds per step; the only part that may differ between two equal runs

    Raises UnknownPassage, Misquote or Uncited rather than exist with a dangling citation.
    """

    question: Question
    statements: tuple[Statement, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    choice: str = ""
    abstained: bool = False
    reason: str = ""
    notes: tuple[str, ...] = ()
    basis: Basis = "evidence"
    timings: dict[str, float] = {}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def tldr(self) -> str:
        """The short answer: what the leading statements say."""
        return " ".join(statement.text for statement in self.statements if statement.lead)

    @model_validator(mode="after")
    def _closes(self) -> Self:
        passages = {item.passage.id: item.passage for item in self.evidence}
        for statement in self.statements:
            if self.basis == "evidence" and not statement.citations:
                raise Uncited(statement.text)
            for citation in statement.citations:
                _found_in(passages, citation)
        return self


def _found_in(passages: dict[str, Passage], citation: Citation) -> None:
    if citation.passage_id not in passages:
        raise UnknownPassage(citation.passage_id)
    passage = passages[citation.passage_id]
    start, end = citation.start - passage.start, citation.end - passage.start
    if not citation.quote or start < 0 or passage.text[start:end] != citation.quote:
        raise Misquote(citation.passage_id, citation.quote)
