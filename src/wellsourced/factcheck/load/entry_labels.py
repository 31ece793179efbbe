"""By which marks a text may refer to an entry of its list: its number, its first author and year, an acronym."""

import re

from wellsourced.citations.reference_lists import ReferenceEntry
from wellsourced.citations.reference_styles import parse_author_name

_LETTERED = re.compile(r"\b((?:19|20)\d\d)([a-z])\b")


def build_labels(text: str, entry: ReferenceEntry) -> list[str]:
    """The labels of marks that refer to it, its own first: "3", "smith 2020", "smith 2020a", "who 2021"."""
    labels = [entry.label] if entry.label else []
    work = entry.reference
    if not (work.authors and work.year):
        return labels
    first = work.authors[0]
    lettered = _LETTERED.search(text, entry.start, entry.end)
    years = [work.year, *([lettered[1] + lettered[2]] if lettered and lettered[1] == work.year else [])]
    names = [parse_author_name(first).family, first.partition(",")[0], first.split()[0], first, _acronym(first)]
    return [*labels, *dict.fromkeys(f"{name.lower()} {year}" for name in names if len(name) > 1 for year in years)]


def _acronym(name: str) -> str:
    """ "World Health Organization" → "WHO"; "" for fewer than three words."""
    capitals = re.findall(r"\b[A-ZÀ-Þ](?=[a-zà-þ])", name)
    return "".join(capitals) if len(capitals) > 2 else ""
