"""A judge that counts shared words: it needs no model, and knows nothing that is said in other words."""

from collections.abc import Sequence

from wellsourced.judges.base import Pair
from wellsourced.judges.calibration import Calibration
from wellsourced.judges.parts import best_part_verdict, split_long_text
from wellsourced.judges.words import overlap_features
from wellsourced.types import Verdict
from wellsourced.worker_pool import run_in_worker


class OverlapJudge:
    """Supports when enough of the claim's words, the rare ones above all, stand together in the text; else silent.

    Words in common cannot tell that a text contradicts: see GuardedJudge. A long text is judged by its best sentence.
    """

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration

    @property
    def name(self) -> str:
        """Names the calibration too."""
        return self.calibration.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order."""
        return await run_in_worker(lambda: [self._verdict(pair) for pair in pairs])

    def _verdict(self, pair: Pair) -> Verdict:
        return best_part_verdict(
            self.calibration, [overlap_features(pair.claim, part) for part in split_long_text(pair.text)]
        )
