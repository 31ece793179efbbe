"""A judge that ranks: what a text shares with a question in meaning, in words that both suggest, and in rare words.

`rankings.json` is written by wellsourced_evaluate/fitting/ranking.py and by nobody's hand.
"""

from collections.abc import Sequence

import numpy as np

from wellsourced.encoders.base import Encoder, Reranker, in_one_thread
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Pair
from wellsourced.judges.calibration import Calibration, read_calibrations
from wellsourced.judges.long_texts import best_part_verdict
from wellsourced.judges.overlap import stem_rarity
from wellsourced.text.tokens import content_stems
from wellsourced.types import Verdict
from wellsourced.worker_pool import run_in_worker

Features = dict[str, float]


class RankingJudge:
    """Says how likely a passage answers, fitted so that the order is best; a few pairs at once cost no more each.

    It knows likeness, not truth: see SimilarityJudge.

    matcher       SPLADE: 1.4 ms for a passage of 90 tokens, 3 ms for an abstract
    encoder       that remembers: it was told the vectors of a library's passages, and computes those of others (30 to
                  110 ms each). None: without meaning, for passages that no library holds
    calibration   by default the one that was fitted for these two

    Raises SettingsError when nothing was fitted for them.
    """

    def __init__(
        self, matcher: Reranker, encoder: Encoder | None = None, calibration: Calibration | None = None
    ) -> None:
        self.matcher, self.encoder = matcher, encoder
        self.calibration = calibration or load_ranking_calibration(calibration_name(matcher, encoder))

    @property
    def name(self) -> str:
        return self.calibration.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return await run_in_worker(self._judge_pairs, pairs)

    def _judge_pairs(self, pairs: Sequence[Pair]) -> list[Verdict]:
        texts: dict[str, dict[str, None]] = {}
        for pair in pairs:
            texts.setdefault(pair.claim, {})[pair.text] = None
        found = {
            Pair(claim, text): features
            for claim, some in texts.items()
            for text, features in zip(some, self.features(claim, list(some)), strict=True)
        }
        return [best_part_verdict(self.calibration, [found[pair]] if pair.text.strip() else []) for pair in pairs]

    def features(self, claim: str, texts: Sequence[str]) -> list[Features]:
        """Of each text, in order, all in [0, 1]; "cosine" only with an encoder."""
        suggested = self.matcher.score(claim, texts).tolist()
        matches = zip(suggested, _rare_word_features(claim, texts), strict=True)
        found = [{"suggested": min(1.0, match), **shared} for match, shared in matches]
        if self.encoder and texts:
            passages, asked = self.encoder.encode(texts, "passage"), self.encoder.encode([claim], "query")[0]
            with in_one_thread():
                cosines = passages @ asked
            for features, cosine in zip(found, np.clip(cosines, 0, 1).tolist(), strict=True):
                features["cosine"] = cosine
        return found


def _rare_word_features(claim: str, texts: Sequence[str]) -> list[Features]:
    """How much of the claim's rare words each text has, and whether it has the rarest of them."""
    weights = {stem: stem_rarity(stem) for stem in sorted(set(content_stems(claim)))}
    total = sum(weights.values())
    if not total:
        return [{"rare_coverage": 0.0, "rarest": 0.0} for _ in texts]
    rarest = max(weights, key=weights.__getitem__)
    found: list[Features] = []
    for had in (set(content_stems(text)) for text in texts):
        covered = sum(weight for stem, weight in weights.items() if stem in had)
        found.append({"rare_coverage": min(1.0, covered / total), "rarest": float(rarest in had)})
    return found


def calibration_name(matcher: Reranker, encoder: Encoder | None) -> str:
    """The name under which a calibration for these two is kept."""
    return f"ranking:{matcher.name}" + (f"+{encoder.name}" if encoder else "")


def load_ranking_calibration(judge: str) -> Calibration:
    """The calibration that comes with this package. Raises SettingsError when there is none for that judge."""
    known = {one.judge: one for one in read_calibrations("rankings.json")}
    if judge not in known:
        raise SettingsError(
            f"The judge {judge} is not fitted; fitted are {', '.join(sorted(known))}. "
            "Choose one of them, or fit it with wellsourced_evaluate/fitting/ranking.py."
        )
    return known[judge]
