"""A judge of support by many weighed features: what of the claim is in the text, and which way it points.

It knows wording, direction and the forms in which results are reported, not the world: where a text says the same
in words that no encoder holds alike, it is silent.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import TokenEncoder, in_one_thread
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Pair, ScoredVerdict, ScoringJudge
from wellsourced.judges.features.claim_features import (
    EncodedClaim,
    EncodedSentence,
    Features,
    encode_claims,
    encode_sentence,
    measure_claim,
)
from wellsourced.judges.features.encoded_text import CachingTextEncoder
from wellsourced.judges.features.linear_model import (
    SupportModel,
    TaskCalibration,
    load_support_model,
    softmax,
)
from wellsourced.judges.features.rationale import score_sentences
from wellsourced.judges.features.text_features import text_features
from wellsourced.judges.long_texts import NO_TEXT
from wellsourced.judges.overlap import rare_coverage
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.types import Verdict, VerdictLabel
from wellsourced.worker_pool import run_in_worker

Floats = NDArray[np.float64]

LABELS: tuple[VerdictLabel, ...] = get_args(VerdictLabel)[:3]
"""What the three probabilities say, in order."""

MAX_SENTENCES = 40
"""Sentences of a text that are read; of a longer one those that share most of the claim's rare words."""

PAIRS_PER_CALL = 16
"""Pairs whose sentences are read in one call of the encoder: batches of texts of one length waste least."""


class PairJudgement(NamedTuple):
    """What was found of one pair.

    probability   float64 (3,), of LABELS, calibrated
    span          of the sentence to show, in the text
    """

    probability: Floats
    span: Span


class FeatureJudge(ScoringJudge):
    """Supports, contradicts or is silent, whichever is likeliest; the score is the probability that the text supports.

    The quote is the sentence that bears most on the claim, the reason the three probabilities. Beside it stand
    GuardedJudge and its rule, that a text which disagrees on a fact never supports: here a disagreement only weighs.

    encoder      the one that was fitted on; it is asked for the states of tokens, which no other judge keeps
    task         the calibration, by its name in weighed.json; "" for any text

    Raises SettingsError when nothing was fitted on the encoder, or for the task.
    """

    def __init__(self, encoder: TokenEncoder, task: str = "", fitted: SupportModel | None = None) -> None:
        self.encoder = CachingTextEncoder(encoder)
        self.support_model = fitted or load_support_model()
        if self.support_model.encoder != encoder.name:
            raise SettingsError(
                f"The judge by weighed features was fitted on {self.support_model.encoder}, not on {encoder.name}. "
                "Give it that encoder, or fit it with wellsourced_evaluate/fitting/support.py."
            )
        self.task = _select_task(self.support_model.tasks, task)

    @property
    def name(self) -> str:
        """Names the encoder, the task and the numbers: verdicts of two fittings are never mixed up."""
        numbers = self.support_model.model_dump_json().encode()
        task = f"/{self.task.name}" if self.task.name else ""
        return f"weighed:{self.support_model.encoder}{task}@{sha256(numbers).hexdigest()[:8]}"

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        found = await run_in_worker(self.examine, pairs)
        return [
            _build_verdict(pair, one) if one else ScoredVerdict(NO_TEXT, 0.0)
            for pair, one in zip(pairs, found, strict=True)
        ]

    def rank_rationales(self, claim: str, text: str) -> list[Span]:
        """Where sentences stand, those that bear most on the claim first; none in an empty text."""
        pair = Pair(claim, text)
        spans = _select_sentences(pair)
        if not spans:
            return []
        with in_one_thread():
            lines = [text[start:end] for start, end in spans]
            read = encode_claims([claim], self.encoder, lines)
            parts = encode_sentences(text, spans, self.encoder)
            seen = measure_claim(read[claim], parts)
            bearing = score_sentences(read[claim], parts, seen, self.support_model.rationale)
        order = np.argsort(-bearing, kind="stable")
        return [spans[place] for place in order]

    def examine(self, pairs: Sequence[Pair]) -> list[PairJudgement | None]:
        """What is found of each pair, in order; None for an empty text. Raises ModelError."""
        spans = [_select_sentences(pair) for pair in pairs]
        worded = [place for place, some in enumerate(spans) if some]
        with in_one_thread():
            seen = self._extract_features([pairs[place] for place in worded], [spans[place] for place in worded])
        found: list[PairJudgement | None] = [None] * len(pairs)
        if worded:
            probabilities = self.task_probabilities([features for features, _ in seen])
            for place, (_, best), probability in zip(worded, seen, probabilities, strict=True):
                found[place] = PairJudgement(probability, spans[place][best])
        return found

    def task_probabilities(self, seen: Sequence[Features]) -> Floats:
        """float64 (texts, 3), from the features of each."""
        return calibrate_scores(self.support_model.plain.scores(seen), self.task)

    def _extract_features(self, pairs: Sequence[Pair], spans: Sequence[Sequence[Span]]) -> list[tuple[Features, int]]:
        """The features of each pair, and the place of its best sentence."""
        batches = (slice(start, start + PAIRS_PER_CALL) for start in range(0, len(pairs), PAIRS_PER_CALL))
        return [one for batch in batches for one in self._extract_batch(pairs[batch], spans[batch])]

    def _extract_batch(self, pairs: Sequence[Pair], spans: Sequence[Sequence[Span]]) -> list[tuple[Features, int]]:
        """The same of so few pairs that their readings are remembered."""
        lines = [pair.text[start:end] for pair, some in zip(pairs, spans, strict=True) for start, end in some]
        read = encode_claims([pair.claim for pair in pairs], self.encoder, lines)
        cut = [encode_sentences(pair.text, some, self.encoder) for pair, some in zip(pairs, spans, strict=True)]
        return [self._build_features(read[pair.claim], parts) for pair, parts in zip(pairs, cut, strict=True)]

    def _build_features(self, claim: EncodedClaim, parts: Sequence[EncodedSentence]) -> tuple[Features, int]:
        seen = measure_claim(claim, parts)
        bearing = score_sentences(claim, parts, seen, self.support_model.rationale)
        return text_features(claim, parts, seen, bearing), int(np.argmax(bearing))


def encode_sentences(text: str, spans: Sequence[Span], reader: CachingTextEncoder) -> list[EncodedSentence]:
    """The sentences of a text, read."""
    lines = [text[start:end] for start, end in spans]
    read = reader.encode(lines)
    return [encode_sentence(line, read[line]) for line in lines]


def calibrate_scores(scores: Floats, task: TaskCalibration) -> Floats:
    """Probabilities: the scores made milder or stronger and shifted for the task, then the softmax."""
    return softmax(scores / task.temperature + np.array(task.shifts))


def _select_sentences(pair: Pair) -> list[Span]:
    """The sentences that are read, in order."""
    found = split_sentences(pair.text)
    if len(found) <= MAX_SENTENCES:
        return found
    shared = [rare_coverage(pair.claim, pair.text[start:end]) for start, end in found]
    chosen = sorted(range(len(found)), key=lambda place: (-shared[place], place))[:MAX_SENTENCES]
    return [found[place] for place in sorted(chosen)]


def _select_task(tasks: Sequence[TaskCalibration], name: str) -> TaskCalibration:
    found = {task.name: task for task in tasks}
    if name not in found:
        raise SettingsError(
            f"The judge by weighed features is not calibrated for {name or 'texts in general'}; calibrated are "
            f"{', '.join(sorted(filter(None, found))) or 'none'}. Leave the task out, or choose one of them."
        )
    return found[name]


def _build_verdict(pair: Pair, found: PairJudgement) -> ScoredVerdict:
    label = LABELS[int(np.argmax(found.probability))]
    told = ", ".join(f"{name} {value:.2f}" for name, value in zip(LABELS, found.probability, strict=True))
    words = pair.text[found.span.start : found.span.end]
    supports, contradicts, _ = map(float, found.probability)
    return ScoredVerdict(Verdict(label=label, score=supports, reason=told, quote=words), contradicts)
