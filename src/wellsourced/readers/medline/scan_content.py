"""The abstract and the headings of a record, found in XML as NLM writes it."""

import functools
import re
from itertools import chain
from typing import NamedTuple

from wellsourced.readers.medline.record import (
    MedlineAbstractPart,
    MedlineHeading,
    normalize_label,
    pair_qualifiers,
)
from wellsourced.readers.medline.scan_words import WORDS_PATTERN, IrregularRecord, scan_text, unescape

ABSTRACT_PART = re.compile(r'\s*<AbstractText(?: Label="([^"]*)")?(?: NlmCategory="[^"]*")?>')


def scan_abstract(region: str) -> tuple[MedlineAbstractPart, ...]:
    """The parts of an abstract, from what stands in <Abstract>. Raises IrregularRecord."""
    *pieces, behind = region.split("</AbstractText>")
    if "<AbstractText" in behind:
        raise IrregularRecord
    return tuple(map(_scan_part, pieces))


def _scan_part(piece: str) -> MedlineAbstractPart:
    start = piece.find(">") + 1
    return MedlineAbstractPart(_scan_label(piece[:start]), scan_text(piece[start:]))


@functools.lru_cache(maxsize=1 << 12)
def _scan_label(opening: str) -> str:
    """The label in the tag that opens a part of an abstract. A few hundred make up nearly all that there are."""
    found = ABSTRACT_PART.fullmatch(opening)
    if not found:
        raise IrregularRecord
    return normalize_label(unescape(found[1])) if found[1] else ""


ATTRIBUTES = r'((?:[A-Za-z]+="[^"<>]*" ?)*)'
QUALIFIER = re.compile(rf"<QualifierName {ATTRIBUTES}>{WORDS_PATTERN}</QualifierName>\s*")
HEADING = re.compile(
    rf"\s*<MeshHeading>\s*<DescriptorName {ATTRIBUTES}>{WORDS_PATTERN}</DescriptorName>\s*"
    rf"((?:{QUALIFIER.pattern.replace('(?:', '(').replace('(', '(?:')})*)"
)
MAJOR_ATTRIBUTE = 'MajorTopicYN="Y"'


def scan_mesh(region: str) -> tuple[str, ...]:
    """The headings in a <MeshHeadingList>, first those of what the work is mainly about. Raises IrregularRecord."""
    *pieces, behind = region.split("</MeshHeading>")
    if behind.strip():
        raise IrregularRecord
    if not pieces:
        return ()
    major, minor = zip(*map(_scan_heading, pieces), strict=True)
    return (*chain.from_iterable(major), *chain.from_iterable(minor))


class ScannedHeading(NamedTuple):
    """What one <MeshHeading> says: what the work is mainly about, and the rest."""

    major: tuple[str, ...]
    minor: tuple[str, ...]


@functools.lru_cache(maxsize=1 << 14)
def _scan_heading(piece: str) -> ScannedHeading:
    """What one <MeshHeading> says. A few thousand of them make up nearly all that there are."""
    heading = HEADING.fullmatch(piece)
    if not heading:
        raise IrregularRecord
    attributes, name, qualifiers = heading.groups()
    found = [(attributes, name), *QUALIFIER.findall(qualifiers)]
    parts = [MedlineHeading(unescape(name), MAJOR_ATTRIBUTE in attributes) for attributes, name in found]
    paired = pair_qualifiers(parts)
    return ScannedHeading(
        tuple(name for name, is_major in paired if is_major), tuple(name for name, is_major in paired if not is_major)
    )
