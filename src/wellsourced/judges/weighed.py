"""A judge of support that reads words in their context: what of the claim is there, and which way it points.

It knows wording, direction and the forms in which results are reported, not the world: where a text says the same
in words that no encoder holds alike, it is silent. A model of entailment may be asked too, see `Entailment`.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import TokenEncoder, in_one_thread
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Pair
from wellsourced.judges.features import Claim, Features, Measured, Part, claims, measured, part
from wellsourced.judges.learnt import Blend, Learnt, Task, learnt, softmax
from wellsourced.judges.odds import Odds
from wellsourced.judges.parts import NOTHING
from wellsourced.judges.rationale import bearings
from wellsourced.judges.reading import LIMIT, Reader
from wellsourced.judges.weighing import text_features
from wellsourced.judges.words import rare_coverage
from wellsourced.text.sentences import Span, sentences
from wellsourced.types import Label, Verdict
from wellsourced.worker_pool import run_in_worker

Floats = NDArray[np.float64]

Entailment = Callable[[Sequence[Pair]], Floats]
"""Another model's word on each pair, in order: float64 (pairs, 3), probabilities that the text supports, contradicts
and is silent."""

LABELS: tuple[Label, ...] = get_args(Label)[:3]
"""What the three probabilities say, in order."""

MOST = 40
"""Sentences of a text that are read; of a longer one those that share most of the claim's rare words."""

TOGETHER = 16
"""Pairs whose sentences are read in one call of the encoder: batches of texts of one length waste least."""

CERTAIN = 6.0
"""Log odds beyond which another model's certainty counts no more."""


class Judged(NamedTuple):
    """What was found of one pair.

    probability   float64 (3,), of LABELS, calibrated
    span          of the sentence to show, in the text
    """

    probability: Floats
    span: Span


class WeighedJudge:
    """Supports, contradicts or is silent, whichever is likeliest; the score is the probability that the text supports.

    The quote is the sentence that bears most on the claim, the reason the three probabilities. Beside it stand
    GuardedJudge and its rule, that a text which disagrees on a fact never supports: here a disagreement only weighs.

    encoder      the one that was fitted on; it is asked for the states of tokens, which no other judge keeps
    entailment   a model to be asked too; the weights are then those that were fitted with one
    task         the calibration, by its name in weighed.json; "" for any text
    remembered   sentences whose readings are kept

    Raises SettingsError when nothing was fitted on the encoder, with such a model, or for the task.
    """

    def __init__(
        self,
        encoder: TokenEncoder,
        entailment: Entailment | None = None,
        task: str = "",
        fitted: Learnt | None = None,
        remembered: int = LIMIT,
    ) -> None:
        self.reader = Reader(encoder, remembered)
        self.entailment = entailment
        self.fitted = fitted or learnt()
        if self.fitted.encoder != encoder.name:
            raise SettingsError(
                f"The judge by weighed features was fitted on {self.fitted.encoder}, not on {encoder.name}. "
                "Give it that encoder, or fit it with benchmarks/fit_support.py."
            )
        self.model = _model(self.fitted, entailment is not None)
        self.task = _task(self.fitted.tasks if entailment is None else self.fitted.entailed_tasks, task)

    @property
    def name(self) -> str:
        """Names the encoder, the task and the numbers: verdicts of two fittings are never mixed up."""
        numbers = self.fitted.model_dump_json().encode()
        kind = "weighed" if self.entailment is None else "weighed+entailment"
        task = f"/{self.task.name}" if self.task.name else ""
        return f"{kind}:{self.fitted.encoder}{task}@{sha256(numbers).hexdigest()[:8]}"

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; an empty text is silent."""
        return [odds.verdict for odds in await self.weigh(pairs)]

    async def weigh(self, pairs: Sequence[Pair]) -> list[Odds]:
        """The same, with the probability that the text contradicts."""
        found = await run_in_worker(self.examine, pairs)
        return [_odds(pair, one) if one else Odds(NOTHING, 0.0) for pair, one in zip(pairs, found, strict=True)]

    def rationale(self, claim: str, text: str) -> Span | None:
        """Where the sentence stands that bears most on the claim, for or against it; None in an empty text."""
        found = self.examine([Pair(claim, text)])[0]
        return found.span if found else None

    def examine(self, pairs: Sequence[Pair]) -> list[Judged | None]:
        """What is found of each pair, in order; None for an empty text. Raises ModelError."""
        spans = [_spans(pair) for pair in pairs]
        worded = [place for place, some in enumerate(spans) if some]
        with in_one_thread():
            seen = self._seen([pairs[place] for place in worded], [spans[place] for place in worded])
        found: list[Judged | None] = [None] * len(pairs)
        if worded:
            probabilities = self.task_probabilities([features for features, _ in seen])
            for place, (_, best), probability in zip(worded, seen, probabilities, strict=True):
                found[place] = Judged(probability, spans[place][best])
        return found

    def task_probabilities(self, seen: Sequence[Features]) -> Floats:
        """float64 (texts, 3), from the features of each."""
        return calibrated(self.model.scores(seen), self.task)

    def _seen(self, pairs: Sequence[Pair], spans: Sequence[Sequence[Span]]) -> list[tuple[Features, int]]:
        """The features of each pair, and the place of its best sentence."""
        found = [
            one
            for start in range(0, len(pairs), TOGETHER)
            for one in self._few(pairs[start : start + TOGETHER], spans[start : start + TOGETHER])
        ]
        if self.entailment is None or not pairs:
            return found
        said = entailment_features(self.entailment(pairs))
        return [(features | more, best) for (features, best), more in zip(found, said, strict=True)]

    def _few(self, pairs: Sequence[Pair], spans: Sequence[Sequence[Span]]) -> list[tuple[Features, int]]:
        """The same of so few pairs that their readings are remembered."""
        lines = [pair.text[start:end] for pair, some in zip(pairs, spans, strict=True) for start, end in some]
        read = claims([pair.claim for pair in pairs], self.reader, lines)
        cut = [parts_of(pair.text, some, self.reader) for pair, some in zip(pairs, spans, strict=True)]
        return [self._features(read[pair.claim], parts) for pair, parts in zip(pairs, cut, strict=True)]

    def _features(self, claim: Claim, parts: Sequence[Part]) -> tuple[Features, int]:
        seen: Measured = measured(claim, parts)
        bearing = bearings(claim, parts, seen, self.fitted.rationale)
        return text_features(claim, parts, seen, bearing), int(np.argmax(bearing))


def parts_of(text: str, spans: Sequence[Span], reader: Reader) -> list[Part]:
    """The sentences of a text, read."""
    lines = [text[start:end] for start, end in spans]
    read = reader.read(lines)
    return [part(line, read[line]) for line in lines]


def entailment_features(probabilities: Floats) -> list[Features]:
    """Another model's word as log odds, none beyond CERTAIN."""
    with np.errstate(divide="ignore"):
        odds = np.clip(np.log(probabilities) - np.log(1 - probabilities), -CERTAIN, CERTAIN)
    return [{f"entailment_{label}": float(one) for label, one in zip(LABELS, row, strict=True)} for row in odds]


def calibrated(scores: Floats, task: Task) -> Floats:
    """Probabilities: the scores made milder or stronger and shifted for the task, then the softmax."""
    return softmax(scores / task.temperature + np.array(task.shifts))


def _spans(pair: Pair) -> list[Span]:
    """The sentences that are read, in order."""
    found = sentences(pair.text)
    if len(found) <= MOST:
        return found
    shared = [rare_coverage(pair.claim, pair.text[start:end]) for start, end in found]
    chosen = sorted(range(len(found)), key=lambda place: (-shared[place], place))[:MOST]
    return [found[place] for place in sorted(chosen)]


def _model(fitted: Learnt, with_entailment: bool) -> Blend:
    if not with_entailment:
        return fitted.plain
    if fitted.entailed is None:
        raise SettingsError(
            "The judge by weighed features was fitted without a model of entailment. Leave that model out, or fit the "
            "judge with what it says: benchmarks/fit_support.py --entailment FILE."
        )
    return fitted.entailed


def _task(tasks: Sequence[Task], name: str) -> Task:
    found = {task.name: task for task in tasks}
    if name not in found:
        raise SettingsError(
            f"The judge by weighed features is not calibrated for {name or 'texts in general'}; calibrated are "
            f"{', '.join(sorted(filter(None, found))) or 'none'}. Leave the task out, or choose one of them."
        )
    return found[name]


def _odds(pair: Pair, found: Judged) -> Odds:
    label = LABELS[int(np.argmax(found.probability))]
    told = ", ".join(f"{name} {value:.2f}" for name, value in zip(LABELS, found.probability, strict=True))
    words = pair.text[found.span.start : found.span.end]
    supports, contradicts, _ = map(float, found.probability)
    return Odds(Verdict(label=label, score=supports, reason=told, quote=words), contradicts)
