"""How much of a claim's wording a text shares: plainly, and with rare words counting for more.

That a text shares "patients" with a question says nothing; that it shares "romosozumab" says nearly everything.
`stem_counts.tsv` says how rare: the passages of 53,069 that hold a stem, for stems in ten or more, counted by
wellsourced_evaluate/fitting/calibrations.py (bdac1cd3). A stem that is not listed is rare.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache

from wellsourced.judges.base import Calibration, Pair, best_part_verdict, split_long_text
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.types import Verdict
from wellsourced.worker_pool import run_in_worker


def overlap_features(claim: str, text: str) -> dict[str, float]:
    """The features "coverage" and "rare_coverage" in [0, 1]; both 0 for a claim without content words."""
    return {"coverage": stem_coverage(claim, text), "rare_coverage": rare_coverage(claim, text)}


def rare_coverage(claim: str, text: str) -> float:
    """The share of the claim's stems that the text has, each weighed by its rarity."""
    asked = sorted(set(content_stems(claim)))
    had = set(content_stems(text))
    total = math.fsum(stem_rarity(stem) for stem in asked)
    return math.fsum(stem_rarity(stem) for stem in asked if stem in had) / total if total else 0.0


def stem_rarity(stem: str) -> float:
    """The inverse document frequency of a stem, from 0 (in every passage) upwards."""
    passages, counts = _load_stem_counts()
    return math.log(1 + passages / counts.get(stem, UNLISTED_COUNT))


UNLISTED_COUNT = 5
"""Passages that a stem counts as being in when it is in fewer than ten."""


@cache
def _load_stem_counts() -> tuple[int, Mapping[str, int]]:
    (_, passages), *rows = read_rows("wellsourced.judges", "stem_counts.tsv")
    return int(passages), {stem: int(count) for stem, count in rows}


class OverlapJudge:
    """Supports when enough of the claim's words, the rare ones above all, stand together in the text; else silent.

    Words in common cannot tell that a text contradicts: see GuardedJudge. A long text is judged by its best sentence.
    """

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration

    @property
    def name(self) -> str:
        return self.calibration.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        def judge_pair(pair: Pair) -> Verdict:
            parts = split_long_text(pair.text)
            return best_part_verdict(self.calibration, [overlap_features(pair.claim, part) for part in parts])

        return await run_in_worker(lambda: list(map(judge_pair, pairs)))
