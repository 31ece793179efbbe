"""What the indexes keep of a passage: where it is, what searches are limited by, and the words it is found by."""

from collections.abc import Collection, Sequence
from datetime import date
from hashlib import blake2b
from typing import NamedTuple, Self

from wellsourced.text.dates import DayRange, day_range, limit_days
from wellsourced.text.passages import cut_index_passages, text_under_titles
from wellsourced.types import Document, Passage, Query, SourceKind


class PassageSpan(NamedTuple):
    """One passage that was found, by the number that it has in both indexes. Its words are in the catalogue, once."""

    number: int
    id: str
    document_id: str
    document_hash: int
    start: int
    end: int
    section: str
    stands_for_document: bool


class PassageRow(NamedTuple):
    """A passage to be indexed.

    text_hash   tells whether the words that it is found by have changed
    days        of publication, as yyyymmdd (text/dates.py)
    searched    the words it is found by, see `search_text`
    """

    id: str
    document_id: str
    document_hash: int
    start: int
    end: int
    section: str
    stands_for_document: bool
    text_hash: int
    kind: SourceKind
    days: DayRange
    publication_types: tuple[str, ...]
    searched: str


class PassageFilter(NamedTuple):
    """What may be found, decided before anything is ranked. Empty means anything; `only` are ids of documents."""

    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    kinds: tuple[SourceKind, ...] = ()
    publication_types: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @classmethod
    def from_query(cls, query: Query, kinds: Collection[SourceKind], publication_types: Collection[str]) -> Self:
        """The limits of a query; the rule of text.dates.is_eligible, but for exclusions by a DOI, PMID or PMC id."""
        return cls(query.since, query.as_of, query.exclude, tuple(kinds), tuple(publication_types))

    @property
    def period(self) -> DayRange | None:
        """The days in which a document may have been published; None for any, and for none."""
        return limit_days(self.since, self.as_of)


class DocumentPassages(NamedTuple):
    """A document with the hash it is stored under and the passages it is cut into."""

    document: Document
    hash: int
    passages: Sequence[Passage]


def cut_document(document: Document, hash: int) -> DocumentPassages:
    """A document with its passages, as it is indexed."""
    return DocumentPassages(document, hash, cut_index_passages(document))


def build_rows(cuts: Sequence[DocumentPassages]) -> list[PassageRow]:
    """One row for each passage."""
    return [row for cut in cuts for row in _build_document_rows(cut)]


def _build_document_rows(cut: DocumentPassages) -> list[PassageRow]:
    days = day_range(cut.document.reference.published)
    return [_build_row(cut, passage, days) for passage in cut.passages]


def _build_row(cut: DocumentPassages, passage: Passage, days: DayRange) -> PassageRow:
    reference, text = cut.document.reference, search_text(cut.document, passage)
    return PassageRow(
        passage.id,
        reference.id,
        cut.hash,
        passage.start,
        passage.end,
        passage.section,
        passage.stands_for_document,
        int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True),
        reference.kind,
        days,
        reference.publication_types,
        text,
    )


def search_text(document: Document, passage: Passage) -> str:
    """The words by which a passage is found: its own, under the titles that they stand under on the page."""
    # The digest says what the whole document is about; its first words mostly say who wrote it.
    if passage.stands_for_document and document.digest:
        return f"{document.reference.title}\n{document.digest}"
    return text_under_titles(passage)
