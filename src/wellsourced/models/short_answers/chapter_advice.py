"""The foremost advice of the chapters that answer a broad question together: "How is gout managed?"

Of each main part of a chapter one thing is said: what is strong before what is weak, what is first line before what
is an alternative, and of guidelines that do not grade what stands first.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from wellsourced.claims.advice_signs import list_advice_signs
from wellsourced.clinical.broad_questions import rate_chapter
from wellsourced.clinical.recommendation_grades import rate_advice
from wellsourced.models.unit_choice import GrowingAnswer, QuoteCandidate, SectionCandidate
from wellsourced.text.section_paths import branch_below, is_below, last_heading, list_chapters, section_weight

MAX_CHAPTERS = 4
"""Chapters that are opened for one answer."""

MIN_BRANCHES = 3
"""Parts of a chapter from which each is taken as a whole."""

PLAIN_ADVICE = 0.25
"""Rating of advice without a grade."""

MIN_KEY_SHARE = 0.6
"""Share of the rating of the foremost advice of all chapters from which that of another is in the short answer."""


class ChapterAdvice(NamedTuple):
    """What is said of the chapters, one after the other, and what of it is the short answer."""

    chosen: tuple[QuoteCandidate, ...] = ()
    leads: tuple[QuoteCandidate, ...] = ()


def choose_chapter_advice(
    ranked: Sequence[SectionCandidate], chapters: Sequence[str], max_lead_words: int
) -> ChapterAdvice:
    """The foremost advice of chapters, what is done first before what is done later; the best of each leads.

    ranked           sections of what may be said, best first
    max_lead_words   words of the short answer, at most, after its first sentence
    """
    found_in = {chapter: found for chapter in chapters if (found := list_key_advice(ranked, chapter))}
    order = sorted(found_in, key=lambda one: (rate_chapter(one), rate_key_advice(found_in[one][0])), reverse=True)
    opened = [found for found in open_chapters([found_in[one] for one in order]) if found]
    least = MIN_KEY_SHARE * max((rate_key_advice(found[0])[0] for found in opened), default=0.0)
    leads: list[QuoteCandidate] = []
    for place, found in enumerate(opened):
        for advice in found[: 1 if len(opened) > 1 else 2]:
            words = sum(len(one.unit.text.split()) for one in (*leads, advice))
            if (not place or rate_key_advice(advice)[0] >= least) and (not leads or words <= max_lead_words):
                leads.append(advice)
    return ChapterAdvice(tuple(one for found in opened for one in found), tuple(leads))


def list_key_advice(ranked: Sequence[SectionCandidate], chapter: str) -> list[QuoteCandidate]:
    """Of each main part of a chapter its foremost advice, the best first; nothing of parts without any.

    Of a chapter of a part or two, each section is one.
    """
    main = [
        section
        for section in ranked
        if is_below(section.path, chapter) and all(section_weight(path) >= 1 for path in list_chapters(section.path))
    ]
    branches = {section.path: branch_below(section.path, chapter) for section in main}
    is_flat = len(set(branches.values())) < MIN_BRANCHES
    parts: dict[str, list[QuoteCandidate]] = defaultdict(list)
    for section in main:
        parts[section.path if is_flat else branches[section.path]] += section.units
    best = [max(units, key=_rank_advice) for units in parts.values()]
    return sorted((one for one in best if rate_key_advice(one)[0]), key=rate_key_advice, reverse=True)


def _rank_advice(choice: QuoteCandidate) -> tuple[float, float]:
    """Which advice of a part is its foremost: the best of what is graded or comes first, else what stands first."""
    rating, score = rate_key_advice(choice)
    is_rated = rate_advice(choice.unit.own_text) > 0
    return rating, score if is_rated else -choice.passage.start - choice.unit.spans[-1].start


def rate_key_advice(choice: QuoteCandidate) -> tuple[float, float]:
    """How far it is what a reader has to know first, by its words and its heading (`rate_advice`), and its score.

    Of guidelines that do not grade, what tells to do something counts a little.
    """
    rating = rate_advice(f"{last_heading(choice.passage.section)}: {choice.unit.text}")
    return rating or PLAIN_ADVICE * (1 in list_advice_signs(choice.unit.text)), choice.score


def open_chapters(chapters: Sequence[Sequence[QuoteCandidate]]) -> list[list[QuoteCandidate]]:
    """Of several chapters that answer together their foremost advice, as far as the words reach.

    chapters   the advice of each, best first: of each the best is taken before a second of any
    """
    answer = GrowingAnswer()
    for row in zip_longest(*chapters[:MAX_CHAPTERS]):
        for advice in filter(None, row):
            answer.add([advice])
    return [[one for one in advice if any(one is other for other in answer.chosen)] for advice in chapters]
