"""Judges of nearness: the cosine of two vectors, what a text shares with a question in meaning and in words, and
cross-encoders.

`rankings.json` is written by wellsourced_evaluate/fitting/ranking.py and by nobody's hand.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, Reranker, Role, in_one_thread
from wellsourced.errors import ModelError, SettingsError
from wellsourced.judges.base import (
    Calibration,
    Pair,
    Purpose,
    ScoredVerdict,
    ScoringJudge,
    best_part_verdict,
    read_calibrations,
    split_long_text,
)
from wellsourced.judges.overlap import overlap_features, stem_rarity
from wellsourced.storage.model_files import loading_with_torch
from wellsourced.text.tokens import content_stems
from wellsourced.types import Verdict, VerdictLabel
from wellsourced.worker_pool import run_in_worker

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


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
        raise SettingsError(f"The judge {judge} is not fitted. Fitted judges: {', '.join(sorted(known))}.")
    return known[judge]


# A judge that reads question and passage together: MedCPT's cross-encoder, BGE's rerankers, MiniLM on MS MARCO. Or,
# for support, a model of natural language inference (DeBERTa on MNLI), which reads the text, then the claim.
#
# One logit a pair, made a probability by the logistic function, or one for each class, as each of them was trained.
# The extra `[neural]`. Nogueira and Cho, 2019; Jin et al., Bioinformatics 2023; Xiao et al., 2023; Bowman et al., 2015.


MAX_TOKENS = 512
"""Tokens of a pair that are read, fewer when the model has no more places; the longer of the two is cut."""

BATCH_SIZE = 8
"""Pairs at once: on a processor larger batches gain nothing, and whoever waits wants the first soon."""

SUPPORT_THRESHOLD = 0.5
"""Probability from which a passage counts as bearing on the question, or a text as supporting or contradicting."""

ENTAILMENT, CONTRADICTION = ("entail", "support"), ("contradict", "refute")
"""How the names of classes begin by which a model of natural language inference says so."""


class PairClasses(NamedTuple):
    """The places of a model's classes; `against` None: it has none for contradiction."""

    support: int
    against: int | None


class CrossEncoderJudge(ScoringJudge):
    """Supports from a probability of one half on, contradicts likewise where it can tell, else silent; it ranks well,
    and what it says is not calibrated here.

    Loaded on first use; one call at a time.

    purpose   for support a long text is judged sentence by sentence, and counts as its best one: nothing is cut
    folder    a folder of transformers with weights in safetensors, and one output; for support, or with classes of
              which one is named entailment
    model     its name with its revision: verdicts are kept under it
    threads   processor threads, of the whole process

    Raises SettingsError when the extra is not installed, ModelError when the folder holds no such model.
    """

    def __init__(self, folder: Path, model: str, threads: int = 2, purpose: Purpose = "relevance") -> None:
        self.folder, self.threads, self.purpose = folder, threads, purpose
        self._name = f"cross-encoder:{model}" + ("/support" if purpose == "support" else "")
        self._busy = Lock()
        self._loaded: tuple[CrossEncoder, PairClasses | None] | None = None

    @property
    def name(self) -> str:
        return self._name

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        split = [self._split_pair(pair) for pair in pairs]
        asked = [one for some in split for one in some]
        found = iter(await run_in_worker(self._score_pairs, asked) if asked else [])
        return [_choose_verdict([next(found) for _ in some]) for some in split]

    def _split_pair(self, pair: Pair) -> list[Pair]:
        if not pair.claim.strip() or not pair.text.strip():
            return []
        return [Pair(pair.claim, part) for part in split_long_text(pair.text)] if self.purpose == "support" else [pair]

    def _score_pairs(self, pairs: Sequence[Pair]) -> list[tuple[float, float | None]]:
        """Of each pair the probability of support, and that of contradiction where the model tells it."""
        with self._busy:
            if self._loaded is None:
                self._loaded = _load_model(self.folder, self.threads, self.purpose)
            model, classes = self._loaded
            from torch.nn import Sigmoid, Softmax

            try:
                found = model.predict(
                    [(pair.text, pair.claim) if classes else (pair.claim, pair.text) for pair in pairs],
                    batch_size=BATCH_SIZE,
                    activation_fn=Softmax(dim=-1) if classes else Sigmoid(),
                    show_progress_bar=False,
                )
            except RuntimeError as error:
                raise ModelError(f"The judge {self.name} failed: {error}") from error
        rows = np.asarray(found, dtype=np.float64).reshape(len(pairs), -1).tolist()
        if not classes:
            return [(row[0], None) for row in rows]
        return [(row[classes.support], None if classes.against is None else row[classes.against]) for row in rows]


def _choose_verdict(parts: Sequence[tuple[float, float | None]]) -> ScoredVerdict:
    """That of the part which supports most; without one that does, of the part which contradicts most."""
    support = max((yes for yes, _ in parts), default=0.0)
    against = max((no for _, no in parts if no is not None), default=None)
    label: VerdictLabel = "supports" if support >= SUPPORT_THRESHOLD else "silent"
    if label == "silent" and against is not None and against >= SUPPORT_THRESHOLD:
        label = "contradicts"
    return ScoredVerdict(Verdict(label=label, score=support), against)


def _load_model(folder: Path, threads: int, purpose: Purpose) -> "tuple[CrossEncoder, PairClasses | None]":
    with loading_with_torch(folder, folder.name, "a cross-encoder", threads):
        from sentence_transformers import CrossEncoder
        from transformers import AutoConfig

        safe: dict[str, Any] = {"use_safetensors": True, "local_files_only": True}
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
        window = min(MAX_TOKENS, getattr(config, "max_position_embeddings", MAX_TOKENS))
        model = CrossEncoder(str(folder), max_length=window, local_files_only=True, model_kwargs=safe)
    if model.num_labels == 1:
        return model, None
    names = {place: str(name).lower() for place, name in config.id2label.items()}
    support = next((place for place, name in names.items() if name.startswith(ENTAILMENT)), None)
    if purpose != "support" or support is None:
        raise ModelError(
            f"{folder} returns {model.num_labels} numbers for a pair, and a ranking cross-encoder returns one. A model "
            "of inference, for support, needs a class “entailment” in config.json (id2label)."
        )
    against = next((place for place, name in names.items() if name.startswith(CONTRADICTION)), None)
    return model, PairClasses(support, against)


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
