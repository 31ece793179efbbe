# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Identifiers that say what they are: behind a label or a title, or of a form that nothing else has.

For words that are about literature (expressions, references, addresses of pages, fields of requests): the wider net of
`deidentification.detector` would hold DOIs, numbers of articles, compounds and eponyms there, and a search would be lost.
"""

import re
from collections.abc import Iterator

from wellsourced.clinical.deidentification.dates_and_ages import find_dates
from wellsourced.clinical.deidentification.identifiers import (
    EMAIL_RULE,
    US_SSN_RULE,
    Identifier,
    IdentifierRule,
    apply_rules,
    merge_overlaps,
)
from wellsourced.clinical.deidentification.postal_addresses import find_addresses

_NUMBER_NOUN = r"(?i:\s{0,2}(?:no|nr|number|num|id|code|card)?\b\.?)\s{0,2}[#:=./_-]{0,2}\s{0,2}(?:is\s)?"
_CODE = r"((?=[A-Za-z0-9/ -]{0,8}\d{3})[A-Za-z]{0,4}[ -]?\d[\dA-Za-z]{2,20}(?:[-/ ]\d{2,10}){0,4}(?:-[A-Za-z])?)\b"
_RECORD_LABEL = (
    r"(?i:(?<![a-z])(?:MRN|medical[ _-]record|hosp(?:ital)?[ _-]?(?=no|num|id|nr)|NHS|CHI|patient(?:en)?[ _-]?(?=no|num|id|nr)"
    r"|chart|NHC|insurance|policy|member|subscriber|medicare|medicaid|versicherten|KVNR)(?![a-z]{3}))"
)
_PERSONAL_LABEL = (
    r"(?i:(?<![a-z])(?:SSN|social[ _-]security|national[ _-]insurance|passport|DNI|PESEL|CPF|BSN|aadhaar)(?![a-z]{3}))"
)
_PHONE_LABEL = r"(?i:(?<![a-z])(?:tel|telephone|telefon|phone|mobile|cell|fax|whatsapp)(?![a-z]))"
_BIRTH_LABEL = re.compile(
    r"(?i)(?<![a-z])(?:DOB|date[ _]of[ _]birth|birth[ _]?da(?:te|y)|born(?: on)?|geb(?:oren)?(?: am)?|nacid[oa](?: el)?|n[ée]e? le"
    r"|fecha de nacimiento)(?![a-z])[\s:=.*]{0,4}"
)
_STREET_WITH_NUMBER = re.compile(r"\d{1,5}[A-Za-z]?,? [A-ZÀ-ÖØ-Þ]")
_TITLE = r"\b(?i:Mr|Mrs|Ms|Mme|Herrn?|Frau|Señora?|Sra?|Signora?|Monsieur|Madame)\b\.?\s{1,2}"
_NAME_PART = r"[A-ZÀ-ÖØ-Þ][\w'’À-ÿ-]{1,30}"

_EXPLICIT_RULES: tuple[IdentifierRule, ...] = (
    EMAIL_RULE,
    US_SSN_RULE,
    IdentifierRule("ssn", re.compile(_PERSONAL_LABEL + _NUMBER_NOUN + _CODE)),
    IdentifierRule("record", re.compile(_RECORD_LABEL + _NUMBER_NOUN + _CODE)),
    IdentifierRule("phone", re.compile(_PHONE_LABEL + r"[\s:=.#]{0,4}(\+?\(?\d[\d ().-]{5,18}\d)")),
    IdentifierRule("phone", re.compile(r"(?<![\w.(-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?![\w/-])")),
    IdentifierRule("name", re.compile(_TITLE + rf"({_NAME_PART}(?: {_NAME_PART}){{0,2}})")),
    IdentifierRule("name", re.compile(rf"(?i:\b(?:patient|pt|client)(?:['’]s)? (?:name|called|named)\b|\bpatient\s?[:=])[\s:=]{{1,3}}({_NAME_PART}(?: {_NAME_PART}){{0,2}})")),
)  # fmt: skip


def find_explicit_identifiers(text: str) -> list[Identifier]:
    """Identifiers that a label, a title or their form makes certain, in order, none within another."""
    streets = (one for one in find_addresses(text) if _STREET_WITH_NUMBER.match(text, one.start))
    return merge_overlaps((*apply_rules(text, _EXPLICIT_RULES), *_find_birth_dates(text), *streets))


def _find_birth_dates(text: str) -> Iterator[Identifier]:
    """Dates directly behind a word that says that somebody was born then."""
    if labels := {label.end() for label in _BIRTH_LABEL.finditer(text)}:
        yield from (one for one in find_dates(text) if one.start in labels)
