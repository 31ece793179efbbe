"""Paths of headings, as sections have them: "Pharmacotherapy › Beta-blockers"."""

from collections.abc import Iterable

from wellsourced.types import Section

SEPARATOR = " › "


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
    """Which of the parts of a chapter a section stands in: "A › B" of "A › B › C" below "A"; "" for the chapter itself."""
    if not is_below(title, chapter):
        return ""
    return chapter + SEPARATOR + title[len(chapter + SEPARATOR) :].partition(SEPARATOR)[0]
