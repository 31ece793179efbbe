"""Boolean expressions as they are looked at for identifiers: authors and dates of publication are structure."""

import re

from wellsourced.text.deidentification.spans import merge_overlaps
from wellsourced.text.identifiers import Identifier, detect_explicit_identifiers

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

    What says that it is an identifier, and given names with a surname. The wider net of `text.identifiers` held 21 of
    64 published strategies, whose eponyms and headings are nobody's. Offsets are those of the expression with authors
    and dates taken out.
    """
    from wellsourced.text.deidentification.person_names import find_given_names

    words = _DATE_FIELD.sub(" ", _AUTHOR_FIELD.sub(" ", expression))
    names = (one for one in find_given_names(words) if " " in words[one.start : one.end])
    return merge_overlaps((*detect_explicit_identifiers(words), *names))
