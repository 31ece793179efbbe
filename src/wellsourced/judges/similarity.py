"""A judge by nearness of meaning: the cosine of two vectors, and the words that are shared."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, Role
from wellsourced.judges.base import Pair
from wellsourced.judges.calibration import Calibration
from wellsourced.judges.long_texts import best_part_verdict, split_long_text
from wellsourced.judges.overlap import overlap_features
from wellsourced.types import Verdict
from wellsourced.worker_pool import run_in_worker

ClaimPart = tuple[str, str]
"""A claim and a part of its text."""


class SimilarityJudge:
    """Supports when claim and text are near enough; else silent. A long text supports by its best sentence.

    It cannot tell that a text contradicts: "reduces mortality" and "does not reduce mortality" are neighbours (cosine
    tells support from refutation with AUROC .57). GuardedJudge looks for numbers, negation and direction.

    encoder       the one the calibration was fitted with; give one that remembers, sentences come again
    calibration   for relevance the claim is a question and is encoded as a query
    """

    def __init__(self, encoder: Encoder, calibration: Calibration) -> None:
        self.encoder = encoder
        self.calibration = calibration
        self.role: Role = "query" if calibration.purpose == "relevance" else "passage"

    @property
    def name(self) -> str:
        return self.calibration.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return await run_in_worker(self._judge_pairs, pairs)

    def _judge_pairs(self, pairs: Sequence[Pair]) -> list[Verdict]:
        split = [self._split_text(pair.text) for pair in pairs]
        cosines = self._compute_cosines(
            [(pair.claim, part) for pair, some in zip(pairs, split, strict=True) for part in some]
        )
        return [
            best_part_verdict(
                self.calibration,
                [{"cosine": cosines[pair.claim, part], **overlap_features(pair.claim, part)} for part in some],
            )
            for pair, some in zip(pairs, split, strict=True)
        ]

    def _split_text(self, text: str) -> list[str]:
        """A passage bears on a question as a whole, its titles included; a claim is supported by one sentence."""
        return [text][: bool(text.strip())] if self.calibration.purpose == "relevance" else split_long_text(text)

    def _compute_cosines(self, wanted: Sequence[ClaimPart]) -> dict[ClaimPart, float]:
        claims = self._encode_texts([claim for claim, _ in wanted], self.role)
        texts = self._encode_texts([text for _, text in wanted], "passage")
        # Below zero means as little as zero does; features lie in [0, 1].
        return {(claim, text): min(1.0, max(0.0, float(claims[claim] @ texts[text]))) for claim, text in wanted}

    def _encode_texts(self, texts: Sequence[str], role: Role) -> dict[str, NDArray[np.float32]]:
        once = list(dict.fromkeys(texts))
        return dict(zip(once, self.encoder.encode(once, role), strict=True)) if once else {}
