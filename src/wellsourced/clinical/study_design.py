"""What kind of study a record is of, by its publication types, its title and its own words.

Levels are those of the Oxford Centre for Evidence-Based Medicine (OCEBM Levels of Evidence Working Group, “The Oxford
2011 Levels of Evidence”), column “Does this intervention help?”. A record that says nothing has no design: it is never
guessed from what it is about.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.late import compile_late
from wellsourced.text.tables import read_alternatives


class StudyDesign(NamedTuple):
    """A design, its level (None: it has none), the words that say so, and where they stand.

    where   "its publication type", "its title", "its text"
    """

    name: str
    level: int | None
    words: str
    where: str


NO_MATCH = r"(?!)"


class _DesignKind(NamedTuple):
    name: str
    level: int | None
    publication_types: tuple[str, ...]
    text_pattern: re.Pattern[str]
    title_pattern: re.Pattern[str]


def _load_kinds() -> tuple[_DesignKind, ...]:
    """Expressions for "title" are looked for in titles only: texts speak of other works too."""
    parts = read_alternatives("wellsourced.clinical", "study_designs.tsv")
    kinds = []
    for name in dict.fromkeys(name for name, _ in parts):
        level, types, titled, pattern = (
            parts.get((name, part), "") for part in ("level", "publication type", "title", "title or text")
        )
        kinds.append(
            _DesignKind(
                name,
                int(level) if level else None,
                tuple(filter(None, types.split("|"))),
                compile_late(pattern or NO_MATCH, re.IGNORECASE),
                compile_late("|".join(filter(None, (titled, pattern))), re.IGNORECASE),
            )
        )
    return tuple(kinds)


DESIGN_KINDS = _load_kinds()
"""In the order in which they are believed: a protocol first, and a review of trials says "randomised" too."""

_PEOPLE = compile_late(
    r"\b(?:patients?|participants?|people|persons?|men|women|children|adults?|volunteers?|infants?|students)\b",
    re.IGNORECASE,
)

_OTHER_WORKS_BEFORE = compile_late(
    r"(?:future|further|larger|previous|earlier|recent|other|prior|more|no|several|lack of|need(?:ed)? for|await\w*"
    r"|should be|remains? to be|confirmed in|warranted|are needed|is needed)\W+(?:\w+\W+){0,4}\Z",
    re.IGNORECASE,
)
"""What stands before a design that is not the record's own: "previous randomised trials"."""

_OTHER_WORKS_BEHIND = compile_late(
    r"[^.;]{0,40}?\b(?:(?:is|are) (?:proposed|planned|needed|required|warranted|awaited)"
    r"|(?:should|must|could) be (?:done|conducted|performed|planned)|will be (?:needed|required))\b",
    re.IGNORECASE,
)
"""What stands behind one: "a registry-based randomised trial is proposed"."""

_PLANNED = compile_late(
    r"\b(?:patients|participants|people|adults|women|men|children|infants|individuals|subjects)\b[^.;]{0,60}?"
    r"\bwill (?:then )?be (?:\w+ )?(?:enrol+ed|recruited|randomi[sz]ed|included|allocated|assigned)\b",
    re.IGNORECASE,
)
"""People who are still to be studied."""

_REPORTED = compile_late(
    r"(?:^|[.\n]\s*)(?:results?|findings)\s?:|\bwe found\b|\bp\s?[<=]\s?0?\.\d|\b95 ?% ?(?:CI|confidence)",
    re.IGNORECASE,
)
"""Results: a text that has some is no protocol, whatever it plans besides."""

MAX_CHARACTERS = 6_000
"""Characters of a text in which its design is looked for: what comes later is the discussion."""


def detect_design(publication_types: Sequence[str], title: str, text: str) -> StudyDesign | None:
    """The design; None when nothing says it. Types that indexers gave count most, the title more than the text."""
    types = {type_.casefold() for type_ in publication_types}
    by_type = list(_find_by_type(types))
    by_words = [*_find_by_words(title, "its title"), *_find_by_words(text[:MAX_CHARACTERS], "its text")]
    planned = _PLANNED.search(text[:MAX_CHARACTERS])
    if planned and not _REPORTED.search(text[:MAX_CHARACTERS]):
        return StudyDesign(DESIGN_KINDS[0].name, DESIGN_KINDS[0].level, planned.group(), "its text")
    if by_type:
        # Indexers say "Meta-Analysis" and leave open of what; "Clinical Trial" and "Review" are often all they say.
        return next((one for one in (*by_type, *by_words) if _is_narrower(one.name, by_type[0].name)), by_type[0])
    if not _PEOPLE.search(f"{title} {text[:MAX_CHARACTERS]}"):
        by_words.sort(key=lambda one: one.name != "animal study")
    return next(iter(by_words), None)


def _is_narrower(name: str, broad: str) -> bool:
    narrower = {
        "systematic review": {"systematic review of randomised trials"},
        "clinical trial": {"randomised controlled trial", "non-randomised controlled trial"},
        "narrative review": {"systematic review", "systematic review of randomised trials"},
    }
    return name in narrower.get(broad, ())


def _find_by_type(types: set[str]) -> Iterator[StudyDesign]:
    for kind in DESIGN_KINDS:
        if said := next((type_ for type_ in kind.publication_types if type_.casefold() in types), ""):
            yield StudyDesign(kind.name, kind.level, said, "its publication type")


def _find_by_words(text: str, where: str) -> Iterator[StudyDesign]:
    for kind in DESIGN_KINDS:
        pattern = kind.title_pattern if where == "its title" else kind.text_pattern
        for match in pattern.finditer(text):
            before, behind = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 80]
            if not _OTHER_WORKS_BEFORE.search(before) and not _OTHER_WORKS_BEHIND.match(behind):
                yield StudyDesign(kind.name, kind.level, match.group(), where)
                break
