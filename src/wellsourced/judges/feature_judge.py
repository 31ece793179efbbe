"""A judge of support by many weighed features: what of the claim is in the text, and which way it points; and the
sentence that it shows for it.

It knows wording, direction and the forms in which results are reported, not the world: where a text says the same
in words that no encoder holds alike, it is silent.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from wellsourced.claims.guard import find_disagreements
from wellsourced.claims.results.agreement import result_features
from wellsourced.encoders.base import TokenEncoder, in_one_thread
from wellsourced.errors import SettingsError
from wellsourced.judges.base import NO_TEXT, Pair, ScoredVerdict, ScoringJudge
from wellsourced.judges.claim_features import (
    DIRECTION_NAMES,
    PRESENCE_NAMES,
    CachingTextEncoder,
    ClaimMeasurements,
    EncodedClaim,
    EncodedSentence,
    Features,
    encode_claims,
    encode_sentence,
    measure_claim,
)
from wellsourced.judges.linear_model import LinearModel, SupportModel, TaskCalibration, load_support_model, softmax
from wellsourced.judges.overlap import rare_coverage
from wellsourced.lazy import lazy_regex
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
    """What was found of one pair: the calibrated probabilities of LABELS, float64 (3,), and the sentence to show."""

    probability: Floats
    span: Span


GUARD_GROUPS = {
    "number": frozenset({"number", "percentage", "interval", "p-value", "unit", "comparator"}),
    "time": frozenset({"time", "dose"}),
    "negation": frozenset({"negation"}),
    "direction": frozenset({"direction", "role"}),
    "named": frozenset({"population", "drug", "condition"}),
    "strength": frozenset({"strength"}),
}
"""Kinds of disagreement that count, those alike together: each alone is too rare to be fitted on."""

TOP_SENTENCES = 3
"""Sentences that bear most on a claim, whose directions count."""


WHOLE_TEXT_NAMES = (*PRESENCE_NAMES, "rarest", "closer", "closer_flat", "closer_whole")
"""Names of what all sentences as one are weighed by."""


def text_features(
    claim: EncodedClaim, parts: Sequence[EncodedSentence], seen: ClaimMeasurements, bearing: NDArray[np.float64]
) -> Features:
    """From what was measured, and from how much each sentence bears on the claim (as `rationale.score_sentences`)."""
    return measurement_features(seen, bearing) | statement_features(claim, parts, int(np.argmax(bearing)))


def measurement_features(seen: ClaimMeasurements, bearing: NDArray[np.float64]) -> Features:
    """What is held of the claim, and which way it points."""
    best = int(np.argmax(bearing))
    whole = {f"whole_{name}": seen.whole[name] for name in WHOLE_TEXT_NAMES}
    return whole | _best_presence_features(seen, best) | _direction_features(seen, best, bearing)


def statement_features(claim: EncodedClaim, parts: Sequence[EncodedSentence], best: int) -> Features:
    """What the text, and the best sentence with its neighbours, state: findings, and facts that are otherwise."""
    text = " ".join(part.text for part in parts)
    near = " ".join(part.text for part in parts[max(0, best - 1) : best + 2])
    return (
        {f"text_{name}": value for name, value in result_features(claim.text, text).items()}
        | {f"near_{name}": value for name, value in result_features(claim.text, near).items()}
        | _guard_features("text", claim.text, text)
        | _guard_features("best", claim.text, parts[best].text)
    )


def _best_presence_features(seen: ClaimMeasurements, best: int) -> Features:
    """The most that one sentence, or one with its neighbours, holds of the claim; and what the best one holds."""
    found: Features = {"window_closer": seen.windows[best]["closer"]}
    for name in PRESENCE_NAMES:
        values = np.array([one[name] for one in seen.sentences])
        found |= {f"most_{name}": float(values.max()), f"best_{name}": float(values[best])}
        found[f"window_{name}"] = max(one[name] for one in seen.windows)
        if name in ("flat", "cosine"):
            found |= {f"mean_{name}": float(values.mean()), f"second_{name}": float(np.sort(values)[-2:][0])}
    return found


def _direction_features(seen: ClaimMeasurements, best: int, bearing: NDArray[np.float64]) -> Features:
    """Directions in the best sentence, in the best three, and in all, each counting as it bears on the claim."""
    share = np.exp(bearing - bearing.max())
    share /= share.sum()
    top = np.argsort(-bearing, kind="stable")[:TOP_SENTENCES]
    found: Features = {}
    for name in DIRECTION_NAMES:
        values = np.array([one[name] for one in seen.sentences])
        found |= {f"best_{name}": float(values[best]), f"top_{name}": float(values[top].mean())}
        found[f"all_{name}"] = float(values @ share)
    return found


def _guard_features(of: str, claim: str, text: str) -> Features:
    found = {one.kind for one in find_disagreements(claim, text)}
    return {f"{of}_guard_{name}": float(not kinds.isdisjoint(found)) for name, kinds in GUARD_GROUPS.items()}


# Which sentence of a text bears a claim out, or speaks against it: the one to show.
#
# Aims and methods of a study share the words of its result, often more of them: "to determine whether screening
# improves vision" is no evidence that it does. So where a sentence stands and how it opens count beside what it
# shares.


_SENTENCE_CUES = {
    "aims": lazy_regex(
        r"\b(?:objective|aims?|aimed|purpose|background|sought|whether|unknown|unclear|poorly understood|remains?"
        r"|hypothesi[sz]ed?|little is known|controvers\w+|debated?|elusive|to (?:determine|assess|investigate|evaluate"
        r"|examine|explore|test|compare|study|estimate|identify|understand|address))\b",
        re.IGNORECASE,
    ),
    "method": lazy_regex(
        r"\b(?:methods?|design|setting|participants|patients were|randomi[sz]ed|data sources?|outcome measures?"
        r"|were (?:assigned|enrolled|collected|recruited|measured|assessed|included)|we (?:used|performed|conducted"
        r"|analy[sz]ed|searched|measured|included|enrolled|recruited|developed|studied|investigated|examined|compared"
        r"|assessed|evaluated))\b",
        re.IGNORECASE,
    ),
    "finds": lazy_regex(
        r"\b(?:results?|findings?|found|show(?:s|ed|n)?|demonstrate[sd]?|reveal(?:s|ed)?|observ(?:e|ed|ation)"
        r"|suggest(?:s|ed|ing)?|indicat(?:e|es|ed|ing)|conclu\w+|identif(?:y|ied)|report|associated|significant(?:ly)?"
        r"|thus|therefore|these|our|here|interpretation|lead(?:s|ing)? to|required|evidence|confirm\w*|moreover"
        r"|furthermore|additionally|importantly)\b",
        re.IGNORECASE,
    ),
    "concludes": lazy_regex(
        r"\b(?:conclu\w+|interpretation|in summary|together|collectively|(?:these|our) (?:results|data|findings)"
        r"|these observations|thus|therefore|suggest\w*)\b",
        re.IGNORECASE,
    ),
    "numbers": lazy_regex(r"\d"),
    "asks": lazy_regex(r"\?\s*$"),
}
"""What a sentence is for, as far as its words tell."""

MIN_SENTENCE_WORDS = 8
"""Words below which a sentence is rather a heading."""


def score_sentences(
    claim: EncodedClaim, parts: Sequence[EncodedSentence], seen: ClaimMeasurements, ranking: LinearModel
) -> NDArray[np.float64]:
    """float64 (sentences,): how much each bears on the claim; differences within one text are log odds."""
    return ranking.scores(sentence_features(claim, parts, seen))[:, 0]


def sentence_features(claim: EncodedClaim, parts: Sequence[EncodedSentence], seen: ClaimMeasurements) -> list[Features]:
    """What each sentence is ranked by."""
    held = {name: np.array([one[name] for one in seen.sentences]) for name in PRESENCE_NAMES}
    closest = max(one["closer"] for one in seen.sentences)
    return [
        _presence_features(held, place)
        | _position_features(place, held["recall"])
        | _cue_features(part.text)
        | _closest_direction_features(seen.sentences[place], closest)
        | _finding_features(claim.text, part.text)
        for place, part in enumerate(parts)
    ]


def _presence_features(held: dict[str, NDArray[np.float64]], place: int) -> Features:
    """Each measure, how far it is below the text's best, and the share of sentences with less."""
    found: Features = {}
    for name, values in held.items():
        here = float(values[place])
        found |= {name: here, f"{name}_gap": here - float(values.max()), f"{name}_rank": float(np.mean(values < here))}
    return found


def _position_features(place: int, recall: NDArray[np.float64]) -> Features:
    count = len(recall)
    beside = [float(recall[other]) for other in (place - 1, place + 1) if 0 <= other < count]
    return {
        "beside": sum(beside) / len(beside) if beside else 0.0,
        "first": float(place == 0),
        "last": float(place == count - 1),
        "near_end": float(place >= count - 2),
        "place": place / max(count - 1, 1),
    }


def _cue_features(text: str) -> Features:
    words = max(len(text.split()), 1)
    cues = {name: float(bool(cue.search(text))) for name, cue in _SENTENCE_CUES.items()}
    return cues | {"length": float(np.log(words)), "short": float(words < MIN_SENTENCE_WORDS)}


def _closest_direction_features(one: Features, closest: float) -> Features:
    found = {name: one[name] for name in ("closer", "agreeing", "opposing")}
    either = {f"{name}_either": abs(value) for name, value in found.items()}
    return found | either | {"closer_gap": one["closer"] - closest}


def _finding_features(claim: str, text: str) -> Features:
    found = result_features(claim, text)
    return {f"finding_{name}": found[name] for name in ("agrees", "opposes", "finding", "outcome")}


class FeatureJudge(ScoringJudge):
    """Supports, contradicts or is silent, whichever is likeliest; the score is the probability that the text supports.

    The quote is the sentence that bears most on the claim, the reason the three probabilities. Beside it stand
    GuardedJudge and its rule, that a text which disagrees on a fact never supports: here a disagreement only weighs.

    encoder      the one that was fitted on; it is asked for the states of tokens, which no other judge keeps

    Raises SettingsError when nothing was fitted on the encoder.
    """

    def __init__(self, encoder: TokenEncoder, fitted: SupportModel | None = None) -> None:
        self.encoder = CachingTextEncoder(encoder)
        self.support_model = fitted or load_support_model()
        if self.support_model.encoder != encoder.name:
            raise SettingsError(
                f"The judge “weighed” was fitted on {self.support_model.encoder}, not on {encoder.name}. Choose "
                "that encoder, "
                "or fit the judge again."
            )
        # Of the calibrations that were fitted the one for any text.
        self.task = next(task for task in self.support_model.tasks if not task.name)

    @property
    def name(self) -> str:
        """Names the encoder and the numbers: verdicts of two fittings are never mixed up."""
        numbers = self.support_model.model_dump_json().encode()
        return f"weighed:{self.support_model.encoder}@{sha256(numbers).hexdigest()[:8]}"

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
            scores = self.support_model.plain.scores([features for features, _ in seen])
            probabilities = calibrate_scores(scores, self.task)
            for place, (_, best), probability in zip(worded, seen, probabilities, strict=True):
                found[place] = PairJudgement(probability, spans[place][best])
        return found

    def _extract_features(self, pairs: Sequence[Pair], spans: Sequence[Sequence[Span]]) -> list[tuple[Features, int]]:
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
    found = split_sentences(pair.text)
    if len(found) <= MAX_SENTENCES:
        return found
    shared = [rare_coverage(pair.claim, pair.text[start:end]) for start, end in found]
    chosen = sorted(range(len(found)), key=lambda place: (-shared[place], place))[:MAX_SENTENCES]
    return [found[place] for place in sorted(chosen)]


def _build_verdict(pair: Pair, found: PairJudgement) -> ScoredVerdict:
    label = LABELS[int(np.argmax(found.probability))]
    told = ", ".join(f"{name} {value:.2f}" for name, value in zip(LABELS, found.probability, strict=True))
    words = pair.text[found.span.start : found.span.end]
    supports, contradicts, _ = map(float, found.probability)
    return ScoredVerdict(Verdict(label=label, score=supports, reason=told, quote=words), contradicts)
