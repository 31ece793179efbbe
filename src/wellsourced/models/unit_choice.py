"""Which units are said, and in which order: whole sections of guidelines, single units of everything else."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage

MAX_OVERLAP = 0.6
"""Share of common content stems from which two units say the same and the better one stays."""

MAX_ANSWER_WORDS = 220
"""Words of an answer in the sources' own sentences."""

MIN_SECTION_SHARE = 0.72
"""Share of the best section's score from which another is shown too."""

MIN_UNIT_SHARE = 0.4
"""Share of its section's best unit from which a unit is shown with it."""


class QuoteCandidate(NamedTuple):
    """A unit that may be said, and how well it would serve."""

    unit: QuotableSpan
    passage: Passage
    score: float


def choose_sections(choices: Sequence[QuoteCandidate], limit: int) -> list[QuoteCandidate]:
    """Whole sections, best first, as far as the words reach; of what says the same twice, the better one.

    The best unit of the best section comes first, since it answers; the others follow as they stand in their section.
    """
    sections: dict[tuple[str, str], list[QuoteCandidate]] = defaultdict(list)
    for number, choice in enumerate(choices):
        part = choice.passage.section if choice.passage.reference.kind == "guideline" else str(number)
        sections[choice.passage.reference.id, part].append(choice)
    ranked = sorted(sections.values(), key=_section_score, reverse=True)
    chosen: list[QuoteCandidate] = []
    said: list[frozenset[str]] = []
    words = 0
    for section in ranked:
        if chosen and _section_score(section) < MIN_SECTION_SHARE * _section_score(ranked[0]):
            break
        for choice in section:
            its_words = frozenset(content_stems(choice.unit.own_text))
            length = len(choice.unit.text.split())
            if choice.score < MIN_UNIT_SHARE * section[0].score or len(chosen) >= limit:
                break
            if chosen and words + length > MAX_ANSWER_WORDS:
                continue
            if not any(_stem_overlap(its_words, other) >= MAX_OVERLAP for other in said):
                chosen.append(choice)
                said.append(its_words)
                words += length
    return chosen


def _section_score(section: Sequence[QuoteCandidate]) -> float:
    """The best unit counts most, and the next two how far the section goes on about it."""
    best = [choice.score for choice in section[:3]]
    return 0.7 * best[0] + 0.3 * sum(best) / len(best)


def _stem_overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Common stems as a share of the smaller set, so that a part of what was said counts as said."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 1.0


def order_for_reading(chosen: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """Source by source, the source of the best unit first.

    Within a source as it says them itself, but from its best passage on: what stands before that one comes last.
    """
    groups: dict[str, list[QuoteCandidate]] = defaultdict(list)
    for choice in chosen:
        groups[choice.passage.reference.id].append(choice)
    return [
        choice
        for group in groups.values()
        for choice in sorted(group, key=partial(_reading_position, group[0].passage))
    ]


def _reading_position(best: Passage, choice: QuoteCandidate) -> tuple[bool, int]:
    return choice.passage.start < best.start, choice.passage.start + choice.unit.spans[-1].start
