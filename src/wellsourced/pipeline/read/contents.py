"""What else the works have that a writer was shown parts of, by headings: it names what to read of them.

A search knows words and likeness; which chapter has the doses of a drug that its own section only names, whoever reads
a table of contents sees at once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.answering.sections import LaidOutSection, find_parts
from wellsourced.controls.record import clean_key
from wellsourced.pipeline.read.section_reading import build_passage
from wellsourced.types import Document, Evidence, short_key

MAX_OF_WORK, MAX_LISTED = 40, 100
"""Headings of one work, those next to what is shown of it, and of all works."""

MAX_READ = 6
"""Sections that are read because a writer named them."""


CONTINUED = " (further part)"
"""Behind a heading of which another part is shown."""


class TableOfContents(NamedTuple):
    """Headings of sections that are not shown, under the titles of their works, and the sections by their keys."""

    text: str = ""
    sections: Mapping[str, Sequence[LaidOutSection]] = {}

    def read(self, keys: Sequence[str], relevance: float) -> tuple[Evidence, ...]:
        """The sections that are named, in this order; a key that nobody knows names none."""
        named = (part for key in dict.fromkeys(map(clean_key, keys)) for part in self.sections.get(key, ()))
        return tuple(Evidence(passage=build_passage(part), relevance=relevance) for part in named)[:MAX_READ]


def list_contents(shown: Sequence[Evidence], documents: Mapping[str, Document], length: int) -> TableOfContents:
    """The headings of what is not shown of the works that are shown most.

    length   characters above which a section is read in parts
    """
    lines: list[str] = []
    sections: dict[str, Sequence[LaidOutSection]] = {}
    # A work of which several sections are near is what the question is about; where there is none, all are.
    counts = Counter(item.passage.reference.id for item in shown)
    least = min(2, max(counts.values(), default=0))
    for id in (one for one, count in counts.items() if count >= least and one in documents):
        spans = [(one.passage.start, one.passage.end) for one in shown if one.passage.reference.id == id]
        parts = find_parts(documents[id], length)
        seen = [
            place for place, one in enumerate(parts) if any(one.start < end and start < one.end for start, end in spans)
        ]
        known = {parts[place].path for place in seen}
        unread: dict[str, list[int]] = {}
        for place, one in enumerate(parts):
            if one.path and place not in seen:
                unread.setdefault(one.path + CONTINUED * (one.path in known), []).append(place)
        near = sorted(unread, key=lambda path: min((abs(unread[path][0] - one) for one in seen), default=0))
        kept = {*near[: min(MAX_OF_WORK, MAX_LISTED - len(sections))]}
        listed = [path for path in unread if path in kept]
        keys = {short_key(f"{id}\n{path}"): path for path in listed}
        sections |= {key: [parts[place] for place in unread[path]] for key, path in keys.items()}
        if keys:
            lines += ["", documents[id].reference.title, *(f"[{key}] {path}" for key, path in keys.items())]
    return TableOfContents("\n".join(lines[1:]), sections)
