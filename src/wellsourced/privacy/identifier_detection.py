"""Addresses as they are looked at for identifiers: labelled numbers in the path, whatever a form holds in the query."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from wellsourced.clinical.deidentification import (
    Identifier,
    IdentifierKind,
    detect_explicit_identifiers,
    detect_identifiers,
)
from wellsourced.clinical.deidentification.identifiers import merge_overlaps

_AUTHOR_FIELD = re.compile(
    r"""(?:"[^"]*"|[\w'’.,-]+(?:\s+[\w'’.-]+){0,3})\s*\[\s*(?:\dau|f?au|lastau|author)[^\]]*\]"""
    r"""|(?:"[^"]*"|[\w'’,-]+(?:\s+[\w'’,-]+){0,3})\.au\.""",
    re.IGNORECASE,
)
"""A name in the field of authors, as PubMed ("Roe J[au]") and Ovid ("roe j.au.") write it."""

_DAY = r"\d{4}(?:[/-]\d{1,2}){0,2}"
_DATE_FIELD = re.compile(
    rf"{_DAY}(?:\s*\[[^\]]*\])?(?:\s*:\s*{_DAY})?\s*\[\s*(?:dp|pdat|edat|crdt|mhda|lr|date|publication)[^\]]*\]", re.I
)
"""Dates in a field of dates: "2015/01/01:2020/12/31[dp]"."""


def find_expression_identifiers(expression: str) -> list[Identifier]:
    """What in an expression may identify somebody; authors and dates of publication do not.

    What says that it is an identifier, and given names with a surname. The wider net of `detect_identifiers` held 21 of
    64 published strategies, whose eponyms and headings are nobody's. Offsets are those of the expression with authors
    and dates taken out.
    """
    from wellsourced.clinical.deidentification.person_names import find_given_names

    words = _DATE_FIELD.sub(" ", _AUTHOR_FIELD.sub(" ", expression))
    names = (one for one in find_given_names(words) if " " in words[one.start : one.end])
    return merge_overlaps((*detect_explicit_identifiers(words), *names))


_IGNORED_IN_PATHS: frozenset[IdentifierKind] = frozenset({"name", "date"})
"""Names and dates stand in the paths of articles every day."""

_KINDS_IN_TEXT: frozenset[IdentifierKind] = frozenset({"name", "address", "postcode"})
_NAME_FIELD = re.compile(r"(?i)(?:^|[_.-])(?:full|first|last|given|family|sur|fore|patient)?[_-]?name$")
_WORD_SEPARATOR = re.compile(r"[/_+;,~]|(?<=[a-zA-Z])-|-(?=[a-zA-Z])")
_MIN_TYPED_WORDS = 3
"""Words from which the value of a field is words that somebody typed, not a code."""


def find_url_identifiers(url: str) -> list[Identifier]:
    """What in an address may identify somebody; [] for what is no address.

    Numbers without a label are left alone: articles, trials and pages are known by such.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    path = _WORD_SEPARATOR.sub(" ", unquote(parts.path))
    found = [one for one in detect_explicit_identifiers(path) if one.kind not in _IGNORED_IN_PATHS]
    for name, value in parse_qsl(f"{parts.query}&{unquote(parts.fragment)}"):
        found += _find_in_field(name, value)
    return found


def _find_in_field(name: str, value: str) -> Iterator[Identifier]:
    yield from detect_explicit_identifiers(f"{_WORD_SEPARATOR.sub(' ', name)}: {value}")
    if _NAME_FIELD.search(name):
        yield from (one for one in detect_identifiers(f"Patient name: {value}") if one.kind == "name")
    elif len(value.split()) >= _MIN_TYPED_WORDS:
        yield from find_expression_identifiers(value)
        yield from (one for one in detect_identifiers(value) if one.kind in _KINDS_IN_TEXT)
