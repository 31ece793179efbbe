"""Identifiers of works, made plain once: as they are printed, typed or served → as they are compared and asked for."""

import html
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

from wellsourced.lazy import lazy_regex
from wellsourced.types import Reference

_UNSEEN = lazy_regex(
    # A soft hyphen parts a word at the end of its line.
    r"&(?:amp;){0,3}(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31}\d{0,2});|\u00ad[ \t]*\n[ \t]*|"
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
    # A blank that does not break, inside of a number that a publisher's page keeps together.
    r"|(?<=[./_-])[\u00a0\u2007\u2009\u202f](?=\d)"
)
"""Entities of HTML, and format characters that a text keeps and no identifier has."""

_LOOK_ALIKES = str.maketrans(
    "‐‑‒–—―−﹘﹣⁄∕․。∶АВЕЅІЈКМНОРСТХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "---------//..:ABESIJKMHOPCTXaeopcyxijsABEZHIKMNOPTYXo",
) | {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Dashes, slashes and stops, Cyrillic and Greek letters that look like ours, fullwidth forms: one sign for one."""

_DOI = lazy_regex(r"(10\.\d{4,9}(?:\.\d{1,9}){0,3}/\S+)")
_DOI_FIELD = lazy_regex(
    r"^(?:https?://(?:dx\.|www\.)?doi\.org/|(?:info:)?doi[\s:=/]*)?"
    r"(10\.\d{1,9}(?:\.\d{1,9}){0,3}/.+?)(?:\s+[\[(]*[^\W\d_]{3}.*)?$",
    re.IGNORECASE,
)
"""A record may give a DOI that has blanks in it."""

_PMID = lazy_regex(r"(?:(?:pmid|pubmed|medline)(?:\s?id)?\s*[:#=]?\s*)?0*([1-9]\d{0,8})(?:\.\d)?", re.IGNORECASE)
_PMCID = lazy_regex(r"(?:pmc(?:\s?id)?\s*[:#=]?\s*)?(pmc\s?)?0*([1-9]\d{0,8})(?:\.\d)?", re.IGNORECASE)
_TRIAL = lazy_regex(
    r"\S*\bclinicaltrials\.gov/\S*?NCT(?P<address>\d{8})\b\S*|(?:NCT\s*:\s*)?NCT\s?(?P<number>\d{8})", re.IGNORECASE
)
_ADDRESS_END = lazy_regex(r"(?:\?\w+=\S*|#[A-Za-z]\w*)$")
_TRAILING_MARKS = ".,;:!?'\"’”‘*_~…†(["
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}

ID_PREFIXES = {"doi": "doi:", "pmid": "pubmed:", "pmcid": "pmc:"}
"""What stands before an id in the id of a document, by the kind of the id."""


class PlainText(NamedTuple):
    """A text as identifiers are looked for in it; its character i is what stands from starts[i] to ends[i]."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def plain_text(text: str) -> PlainText:
    """The text with look-alikes as what they look like, without escapes, and without characters that nobody sees."""
    plain = text if text.isascii() else text.translate(_LOOK_ALIKES)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in _UNSEEN.finditer(plain):
        shown = _decode_entity(found.group()) if found[0][0] == "&" else ""
        parts += plain[at : found.start()], shown
        starts += [*range(at, found.start()), *[found.start()] * len(shown)]
        ends += [*range(at + 1, found.start() + 1), *[found.end()] * len(shown)]
        at = found.end()
    places = range(at, len(plain))
    if not parts:
        return PlainText(plain, places, range(1, len(plain) + 1))
    return PlainText("".join(parts) + plain[at:], [*starts, *places], [*ends, *(at + 1 for at in places)])


def _decode_entity(escaped: str) -> str:
    """The sign that an entity stands for, escaped once or more; "" for one that nobody sees."""
    while escaped != (shown := html.unescape(escaped)):
        escaped = shown
    return _UNSEEN.sub("", shown.translate(_LOOK_ALIKES)) if shown[0] != "&" else shown


def visible_text(text: str) -> str:
    """The text without characters that nobody sees."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def plain_identifier(text: str) -> str:
    """An identifier without what nobody sees or means: escapes, look-alikes, blanks around it."""
    # Nearly every one is plain, and there are millions in PubMed.
    return " ".join((text if text.isascii() and "&" not in text else plain_text(text).text).split())


def plain_doi(field: str) -> str:
    """The DOI that a field of a record gives, bare, in upper and lower case as it is written; "" when it gives none."""
    whole = "" if " " in field else _find_doi(_DOI, field)
    return whole or _find_doi(_DOI_FIELD, field) or _find_doi(_DOI, field)


def normalize_doi(text: str) -> str:
    """A DOI as DOIs are compared: bare, in small letters (ISO 26324: case does not count); "" when there is none.

    "https://doi.org/10.1000/ABC", "doi:10.1000/abc" and "10.1000/Abc." are one.
    """
    return _find_doi(_DOI, text).lower()


def _find_doi(pattern: re.Pattern[str], text: str) -> str:
    plain = plain_identifier(text)
    # Who sent the reader, and where on the page: of an address, and of no DOI.
    plain = _ADDRESS_END.sub("", plain) if "doi.org/" in plain.lower() else plain
    if "%" in plain:
        decoded = unquote(unquote(plain))
        # An escape that would be a blank is the DOI's own.
        plain = plain if len(decoded.split()) > len(plain.split()) else decoded
    found = pattern.search(plain)
    # A tag may follow in a page that was copied.
    return trim_trailing_marks(found[1].partition("</")[0]) if found else ""


def normalize_pmid(text: str) -> str:
    """A PMID as digits alone, of "PMID: 31234567." too; "" for what is none, 0 among it."""
    found = _PMID.fullmatch(trim_trailing_marks(plain_identifier(text)))
    return found[1] if found else ""


def normalize_pmcid(text: str) -> str:
    """A PMC id as "PMC123", of "PMC 123", "PMCID: PMC123." and "123" too; "" for what is none."""
    found = _PMCID.fullmatch(trim_trailing_marks(plain_identifier(text)))
    return f"PMC{found[2]}" if found else ""


def normalize_trial_id(text: str) -> str:
    """ClinicalTrials.gov's number of a trial as "NCT01234567"; "" for what is none."""
    found = _TRIAL.fullmatch(trim_trailing_marks(plain_identifier(text)))
    return f"NCT{found['address'] or found['number']}" if found else ""


def trim_trailing_marks(written: str) -> str:
    """Without punctuation at the end, and brackets there that nothing in it opens."""
    bare = written.rstrip(_TRAILING_MARKS)
    while bare and bare[-1] in _BRACKETS and bare.count(bare[-1]) > bare.count(_BRACKETS[bare[-1]]):
        bare = bare[:-1].rstrip(_TRAILING_MARKS)
    return bare


class WorkIds(NamedTuple):
    """The ids of a work: its DOI in lower case, its PMID in digits; "" for what it lacks."""

    doi: str
    pmid: str


def reference_ids(reference: Reference) -> WorkIds:
    """The ids that a card gives, its own id among them."""
    kind, _, id = reference.id.partition(":")
    doi = normalize_doi(reference.doi) or (normalize_doi(id) if kind == "doi" else "")
    return WorkIds(doi, normalize_pmid(reference.pmid) or (normalize_pmid(id) if kind == "pubmed" else ""))


def document_ids(reference: Reference) -> list[str]:
    """The ids under which somebody may have the words of a work, the most of them first: full text, then abstract."""
    named = {"pmc:": reference.pmcid, "pubmed:": reference.pmid, "doi:": normalize_doi(reference.doi)}
    ids = [prefix + id for prefix, id in named.items() if id]
    first = [reference.id] if reference.id.partition(":")[0] not in ("pmc", "pubmed", "doi") else []
    return list(dict.fromkeys((*first, *ids, reference.id)))
