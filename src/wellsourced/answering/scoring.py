"""How near sections and their units are to a question: one sum of three for sections, of two for units.

A section's place in the ranking of the search, the weight of the question's words that it has (BM25), and the cosine of
its passage that was found, each in [0, 1]; a unit's weight and its own cosine, under its headings. Robertson and
Zaragoza, 2009, for BM25; the sum was measured against each of its parts and against other sums (docs/design/0003).
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wellsourced.answering.sections import LaidOutSection, Unit
from wellsourced.encoders.base import Encoder
from wellsourced.expected_questions.matching import ExpectedAnswer
from wellsourced.question.word_rarity import rate_rarity
from wellsourced.text.passages import SEPARATOR, text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage

MAX_PLACES = 30
"""Passages of the ranking whose sections are considered."""

MAX_SCORED = 5
"""Sections whose units are scored: a unit that no library knows takes 6 ms."""

EXPECTED_WEIGHT = 2.0
"""How much it counts that a line answers a question which was expected, and is surely what is asked."""

K1, B, MEAN_SECTION_STEMS, MEAN_UNIT_STEMS = 1.2, 0.75, 90, 25
"""BM25's parameters as usual, and how long a section and a unit under its headings are on average."""


class ScoredUnit(NamedTuple):
    """A unit of a section, and how near it is to the question, from 0 to 2."""

    section: LaidOutSection
    unit: Unit
    score: float

    @property
    def headings(self) -> str:
        """What its lines stand under, line by line: the last heading of its section's path, labels and steps, its own
        among them where it has lines below; no rows."""
        section, unit = self.section, self.unit
        lines = unit.lines[: len(unit.above) + bool(section.find_below(unit.own))]
        above = (section.line(place) for place in lines if section.lines[place].kind != "row")
        return "\n".join((section.path.rpartition(SEPARATOR)[2], *above))


class FoundSection(NamedTuple):
    """A section, the best passage of the search that it holds, and the place of that in the ranking, from 0."""

    section: LaidOutSection
    passage: Passage
    place: int


class ScoredSection(NamedTuple):
    """A section, how near it is to the question, from 0 to 5, and its units, the nearest first.

    known   how much of the score is that it answers a question which was expected
    """

    section: LaidOutSection
    score: float
    units: tuple[ScoredUnit, ...] = ()
    known: float = 0.0


def score_sections(
    wordings: Sequence[str],
    found: Sequence[FoundSection],
    encoder: Encoder | None,
    expected: Sequence[ExpectedAnswer] = (),
) -> list[ScoredSection]:
    """The sections, best first; units are scored in the first few of them, and none in the others.

    wordings   of the question, at least one; the best of each text counts
    encoder    None: by words alone
    expected   lines that answer questions which were expected and may be what is asked
    """
    asked = [sorted(set(content_stems(wording))) for wording in wordings]
    near = _find_cosines(wordings, [text_under_titles(one.passage) for one in found], encoder)
    scored = []
    for one, cosine in zip(found, near, strict=True):
        words = weigh_words(asked, one.section.text_under_heading, MEAN_SECTION_STEMS)
        known = EXPECTED_WEIGHT * rate_expected(expected, one.section, one.section.start, one.section.end)
        scored.append(ScoredSection(one.section, 1 - one.place / MAX_PLACES + words + cosine + known, known=known))
    scored.sort(key=lambda one: -one.score)
    return [*_score_units(asked, wordings, scored[:MAX_SCORED], encoder, expected), *scored[MAX_SCORED:]]


def _score_units(
    asked: Sequence[Sequence[str]],
    wordings: Sequence[str],
    scored: Sequence[ScoredSection],
    encoder: Encoder | None,
    expected: Sequence[ExpectedAnswer],
) -> list[ScoredSection]:
    units = [(one.section, unit) for one in scored for unit in one.section.units]
    texts = [section.unit_text(unit) for section, unit in units]
    found: dict[int, list[ScoredUnit]] = {}
    for (section, unit), text, cosine in zip(units, texts, _find_cosines(wordings, texts, encoder), strict=True):
        own = section.lines[unit.own].span
        known = EXPECTED_WEIGHT * rate_expected(expected, section, own.start, own.end)
        score = weigh_words(asked, text, MEAN_UNIT_STEMS) + cosine + known
        found.setdefault(id(section), []).append(ScoredUnit(section, unit, score))
    return [
        one._replace(units=tuple(sorted(found.get(id(one.section), ()), key=lambda unit: -unit.score)))
        for one in scored
    ]


def rate_expected(expected: Sequence[ExpectedAnswer], section: LaidOutSection, start: int, end: int) -> float:
    """How far what stands there is expected to be the answer, from 0 to 1."""
    id = section.document.reference.id
    within = (one.agreement for one in expected if one.document_id == id and one.start < end and start < one.end)
    return max(within, default=0.0)


def _find_cosines(wordings: Sequence[str], texts: Sequence[str], encoder: Encoder | None) -> list[float]:
    if encoder is None or not texts:
        return [0.0] * len(texts)
    vectors, asked = encoder.encode(texts, "passage"), encoder.encode(list(wordings), "query")
    best: list[float] = np.clip((vectors @ asked.T).max(axis=1), 0, 1).tolist()
    return best


def weigh_words(asked: Sequence[Sequence[str]], text: str, mean: float) -> float:
    """BM25 of a text as a share of the most that the question's words could weigh, of its best wording: 0 to 1."""
    counts = Counter(content_stems(text))
    norm = K1 * (1 - B + B * sum(counts.values()) / mean)
    best = 0.0
    for stems in asked:
        most = math.fsum(map(rate_rarity, stems))
        had = math.fsum(rate_rarity(stem) * counts[stem] / (counts[stem] + norm) for stem in stems if counts[stem])
        best = max(best, had / most if most else 0.0)
    return best
