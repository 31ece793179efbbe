"""Ways in which clinicians ask, and guidelines' words for it: "Who can't have …?" is answered under contraindications.

Patterns and wordings stand in `asking_phrases.tsv`. A judge of likeness holds "Which patients can't have bupropion?" to
be far from "contraindicated in seizure disorders"; the wording of guidelines is near it.
"""

import re
from collections.abc import Iterator
from functools import cache

from wellsourced.text.tables import read_rows
from wellsourced.types import Expansion
from wellsourced.understanding.term_tables import TABLE_SOURCE


def expand_asking_phrases(question: str) -> Iterator[Expansion]:
    """What a question in a clinician's words asks for, in a guideline's; of phrases that overlap only the first."""
    end = 0
    for match, meant in sorted(_find_phrases(question), key=lambda found: found[0].start()):
        if match.start() >= end:
            yield Expansion(kind="synonym", said=match.group(), meant=meant, source=TABLE_SOURCE)
            end = match.end()


def _find_phrases(question: str) -> Iterator[tuple[re.Match[str], str]]:
    return ((match, meant) for pattern, meant in _load_phrases() for match in pattern.finditer(question))


@cache
def _load_phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = read_rows("wellsourced.understanding", "asking_phrases.tsv")
    return tuple((re.compile(rf"\b{asked}", re.IGNORECASE), meant) for asked, meant in rows)
