"""Paths of headings, as sections have them: "Pharmacotherapy › Beta-blockers"."""

import re
from collections.abc import Iterable

from wellsourced.types import Section

SEPARATOR = " › "


def last_heading(title: str) -> str:
    """The heading of a section itself: "Beta-blockers" of "Pharmacotherapy › Beta-blockers"."""
    return title.rpartition(SEPARATOR)[2]


def is_below(title: str, other: str) -> bool:
    """Whether a section stands below another one."""
    return bool(other) and title.startswith(other + SEPARATOR)


def list_subsections(title: str, sections: Iterable[Section]) -> list[Section]:
    """The sections that stand below one, at any depth, in their order."""
    return [section for section in sections if is_below(section.title, title)]


def list_chapters(title: str) -> list[str]:
    """The path of a section and of all that it stands below, innermost first: "A › B" → ["A › B", "A"]."""
    parts = title.split(SEPARATOR)
    return [SEPARATOR.join(parts[:count]) for count in range(len(parts), 0, -1)] if title else []


def branch_below(title: str, chapter: str) -> str:
    """The part of a chapter in which a section stands: "A › B" for "A › B › C" below "A"; "" for the chapter itself."""
    if not is_below(title, chapter):
        return ""
    return chapter + SEPARATOR + title[len(chapter + SEPARATOR) :].partition(SEPARATOR)[0]


_ANSWERING_HEADING = re.compile(r"conclu|recommend|summary|interpretation|key point|first-line|initial", re.IGNORECASE)
_INTRODUCTORY_HEADING = re.compile(
    r"background|introduction|method|material|objective|\baims?\b|purpose|design|setting|limitation",
    re.IGNORECASE,
)
_SIDE_HEADING = re.compile(r"algorithm|special population|refractory|switching", re.IGNORECASE)


def section_weight(section: str) -> float:
    """How much a part of a text counts by its own heading: conclusions more than one, methods and limits less."""
    heading = last_heading(section)
    if _INTRODUCTORY_HEADING.search(heading):
        return 0.6
    if _SIDE_HEADING.search(heading):
        return 0.85
    return 1.15 if _ANSWERING_HEADING.search(heading) else 1.0
