"""What is kept of a document, so that it can be selected by its words, headings, dates and names: the same for every
engine.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from wellsourced.citations.links import possible_ids
from wellsourced.citations.people import parse_author
from wellsourced.sources.library.documents import StoredDocument
from wellsourced.text.dates import DayRange, day_range

SEPARATOR = "\ue000"
"""A word of nobody's, for it is in no script: it stands between two headings, so that no phrase reaches across."""

WORD_FIELDS = ("title", "abstract", "heading", "type", "author", "journal")
"""The columns of words. "abstract" is all the text there is of a work, and the digest that stands for it."""


_WORDS = re.compile(r"\w+")


class HeadingTag(NamedTuple):
    """A heading of a document and, where it has one, the qualifier under it; both as `fold_words` writes them."""

    heading: str
    qualifier: str


class WordIndexEntry(NamedTuple):
    """A document in the word index.

    identities   the names it is asked for by, in lower case: "pubmed:31234567", "doi:10.1161/…"
    words        its words, a string for each of WORD_FIELDS
    """

    id: str
    hash: int
    days: DayRange
    identities: frozenset[str]
    tags: frozenset[HeadingTag]
    words: tuple[str, ...]


def build_entry(record: StoredDocument) -> WordIndexEntry:
    """What is kept of a record."""
    card: dict[str, Any] = json.loads(record.reference)
    mesh: list[str] = card.get("mesh", [])
    authors: list[str] = card.get("authors", [])
    tags = frozenset(parse_heading(heading) for heading in mesh)
    return WordIndexEntry(
        record.id,
        record.hash,
        day_range(card.get("published", "")),
        frozenset(_list_identities(record.id, card)),
        tags,
        (
            card.get("title", ""),
            # A digest has the names that a guideline's own text may lack, and is found by them as the text is.
            _join_parts([record.text, record.digest]) if record.digest else record.text,
            _join_parts(part for heading in mesh for part in heading.split("/")),
            _join_parts(card.get("publication_types", [])),
            # "doe a" is found as "doe ann" is: a catalogue is asked for either.
            _join_parts([*authors, *map(_plain_author, authors), card.get("organisation", "")]),
            card.get("journal", ""),
        ),
    )


@lru_cache(maxsize=1 << 15)
def parse_heading(heading: str) -> HeadingTag:
    """A heading as it stands in a record: "Asthma", "Asthma/drug therapy"."""
    name, _, qualifier = heading.partition("/")
    return HeadingTag(fold_words(name), fold_words(qualifier))


@lru_cache(maxsize=1 << 14)
def _plain_author(author: str) -> str:
    return str(parse_author(author))


def fold_words(words: str) -> str:
    """Words to be compared: in lower case, without accents and punctuation, a blank between two."""
    return " ".join(_WORDS.findall(strip_accents(words)))


def strip_accents(words: str) -> str:
    """In lower case and without accents, as the tokenizer of the index has them."""
    plain = words.lower()
    # Nearly every word, and taking it apart costs ten times as much as this look.
    if plain.isascii():
        return plain
    parts = unicodedata.normalize("NFD", plain)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


def possible_identities(identity: str) -> tuple[str, ...]:
    """The names by which a document may be meant that was asked for by an id, a PMID, a DOI or a PMC id."""
    return tuple(id.lower() for id in possible_ids(identity))


def _list_identities(id: str, card: dict[str, Any]) -> Iterable[str]:
    yield id.lower()
    for kind, field in (("pubmed", "pmid"), ("doi", "doi"), ("pmc", "pmcid")):
        if card.get(field):
            yield f"{kind}:{card[field]}".lower()


def _join_parts(parts: Iterable[str]) -> str:
    return f" {SEPARATOR} ".join(part for part in parts if part)
