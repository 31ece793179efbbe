"""Sections: which parts of a text tend to answer, by their headings."""

import re

_ANSWERING_HEADING = re.compile(r"conclu|recommend|summary|interpretation|key point|first-line|initial", re.IGNORECASE)
_INTRODUCTORY_HEADING = re.compile(
    r"background|introduction|method|material|objective|\baims?\b|purpose|design|setting|limitation|algorithm"
    r"|special population|refractory|switching",
    re.IGNORECASE,
)


def section_weight(section: str) -> float:
    """How much a part of a text counts by its own heading: conclusions more than one, methods and limits less."""
    heading = section.rpartition(" › ")[2]
    if _INTRODUCTORY_HEADING.search(heading):
        return 0.6
    return 1.15 if _ANSWERING_HEADING.search(heading) else 1.0
