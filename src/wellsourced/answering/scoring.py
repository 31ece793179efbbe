"""How near sections and their units are to a question: one sum of three for sections, of two for units.

A section's place in the ranking of the search, the weight of the question's words that it has (BM25), and the cosine of
its nearest unit, each in [0, 1]. Robertson and Zaragoza, 2009, for BM25; the sum was measured against each of its parts
and against other sums (docs/design/0003).
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wellsourced.answering.sections import Section, Unit
from wellsourced.encoders.base import Encoder
from wellsourced.medicine.word_forms import rate_rarity
from wellsourced.text.tokens import content_stems

MAX_PLACES = 30
"""Passages of the ranking whose sections are considered."""

K1, B, MEAN_SECTION_STEMS, MEAN_UNIT_STEMS = 1.2, 0.75, 90, 25
"""BM25's parameters as usual, and how long a section and a unit under its headings are on average."""


class ScoredUnit(NamedTuple):
    """A unit of a section, and how near it is to the question, from 0 to 2."""

    section: Section
    unit: Unit
    score: float


class ScoredSection(NamedTuple):
    """A section, how near it is to the question, from 0 to 3, and its units, the nearest first."""

    section: Section
    score: float
    units: tuple[ScoredUnit, ...]


def score_sections(
    wordings: Sequence[str], found: Sequence[tuple[Section, int]], encoder: Encoder | None
) -> list[ScoredSection]:
    """The sections, best first.

    wordings   of the question, at least one; the best of each text counts
    found      each section with the place of its best passage in the ranking, from 0
    encoder    None: by words alone
    """
    asked = [sorted(set(content_stems(wording))) for wording in wordings]
    units = [(section, unit) for section, _ in found for unit in section.units]
    texts = [section.unit_text(unit) for section, unit in units]
    cosines = _find_cosines(wordings, texts, encoder)
    by_section: dict[int, list[ScoredUnit]] = {}
    nearest: dict[int, float] = {}
    for (section, unit), text, cosine in zip(units, texts, cosines, strict=True):
        score = weigh_words(asked, text, MEAN_UNIT_STEMS) + cosine
        by_section.setdefault(id(section), []).append(ScoredUnit(section, unit, score))
        nearest[id(section)] = max(nearest.get(id(section), 0.0), cosine)
    scored = []
    for section, place in found:
        words = weigh_words(asked, f"{section.heading}\n{section.text}", MEAN_SECTION_STEMS)
        score = 1 - place / MAX_PLACES + words + nearest.get(id(section), 0.0)
        ranked = sorted(by_section.get(id(section), ()), key=lambda one: -one.score)
        scored.append(ScoredSection(section, score, tuple(ranked)))
    return sorted(scored, key=lambda one: -one.score)


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
