"""How good a judge of support is, put to pairs whose labels are known, and how far it agrees with people who voted.

What a judge gives no verdict on (`unjudged`) is counted and left out of every other figure: it is never made a class.
Votes: SourceCheckup (Wu et al., Nature Communications 2025) validates its judge by people's labels, each rater's and
the majority's; K-QA has three physicians' votes.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced import config
from wellsourced.confidence import ConfidenceInterval
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, Pair, score_pairs
from wellsourced.presentation.wording import format_count
from wellsourced.types import Verdict, VerdictLabel
from wellsourced_evaluate.checkups.agreement import JUDGE, RaterStudy, agreement_blocks, compare_with_votes
from wellsourced_evaluate.labelled_pairs import (
    EVIDENCE_LABELS,
    FittedPairs,
    LabelledPair,
    LabelledPairs,
    list_fitted_pairs,
    list_measured_files,
    read_pairs,
)
from wellsourced_evaluate.opened_judges import find_fitted_statements, open_judge
from wellsourced_evaluate.recorded_rows import Progress, to_plain, write_rows
from wellsourced_evaluate.tables import Block, Interval, Table, Text

CLASSES: tuple[VerdictLabel, ...] = ("supports", "contradicts", "silent")
LABEL_WORDS = {"supports": "supported", "contradicts": "contradicted", "silent": "not enough", "unjudged": "unjudged"}

MAX_PAIRS_A_CALL = 32
"""Pairs that a judge is given at once; pairs of one text stay together."""

MAX_REASONS = 3
"""Reasons for pairs without a verdict that are shown."""

BIN_COUNT = 10
RESAMPLE_COUNT = 1_000
SEED = 7

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


# --- measures --------------------------------------------------------------------------------------------------------


class ReliabilityBin(NamedTuple):
    """Of the pairs whose score lies in one tenth: how many, their mean score, and the share that is supported."""

    n: int
    score: float
    supported: float


def macro_f1(known: Places, told: Places) -> float:
    """The mean F1 of the classes that come up among the known ones; NaN of nothing."""
    size = len(CLASSES)
    counts = np.bincount(known * size + told, minlength=size * size).reshape(size, size)
    hits, sizes = counts.diagonal(), counts.sum(axis=0) + counts.sum(axis=1)
    there = counts.sum(axis=1) > 0
    return _mean(2 * hits[there] / sizes[there])


def auroc(scores: Floats, so: Flags) -> float:
    """The chance that one that is so scores above one that is not; a tie counts half. NaN where all are alike."""
    from scipy.stats import rankdata

    yes, no = int(so.sum()), int((~so).sum())
    return float((rankdata(scores)[so].sum() - yes * (yes + 1) / 2) / (yes * no)) if yes and no else np.nan


def reliability_bins(scores: Floats, so: Flags) -> tuple[ReliabilityBin, ...]:
    """Ten equal bins of the score; an empty one has no mean and no share (NaN)."""
    bins = np.minimum((scores * BIN_COUNT).astype(int), BIN_COUNT - 1)
    within = [bins == place for place in range(BIN_COUNT)]
    return tuple(ReliabilityBin(int(here.sum()), _mean(scores[here]), _mean(so[here])) for here in within)


def ece(scores: Floats, so: Flags) -> float:
    """The mean distance between score and share over these bins, each as heavy as it is full (Guo et al., 2017)."""
    distances = [one.n * abs(one.score - one.supported) for one in reliability_bins(scores, so) if one.n]
    return float(sum(distances) / len(scores)) if distances else np.nan


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else np.nan


def resample_clusters(clusters: Sequence[int]) -> list[Places]:
    """The places of the sample itself, and of RESAMPLE_COUNT others that draw whole clusters with replacement."""
    names, member = np.unique(np.asarray(clusters, dtype=np.int64), return_inverse=True)
    places = np.arange(len(clusters))
    if not len(names):
        return [places]
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLE_COUNT)
    return [places, *(np.repeat(places, count[member]) for count in counts)]


def bootstrap_interval(draws: Sequence[Places], measure: Callable[[Places], float]) -> ConfidenceInterval:
    """A measure of the sample, and the interval between the percentiles of its resamples; NaN of nothing."""
    value, *others = (measure(at) for at in draws)
    able = [other for other in others if not np.isnan(other)]
    if np.isnan(value) or not able:
        return ConfidenceInterval(value, np.nan, np.nan)
    low, high = np.percentile(able, (2.5, 97.5))
    return ConfidenceInterval(value, float(low), float(high))


# --- judging ---------------------------------------------------------------------------------------------------------


class JudgedPair(NamedTuple):
    """A pair that was put to a judge; `against` as far as the judge tells it."""

    pair: LabelledPair
    verdict: Verdict
    against: float | None = None


async def judge_pairs(pairs: Sequence[LabelledPair], judge: Judge, say: Progress) -> tuple[list[JudgedPair], float]:
    """Every pair with its verdict, in order, and the seconds that judging took. Raises ModelError."""
    texts: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        texts.setdefault(pair.text, []).append(place)
    found: dict[int, JudgedPair] = {}
    begun = time.perf_counter()
    waiting: list[int] = []
    for places in (*texts.values(), []):
        waiting += places
        if waiting and (not places or len(waiting) >= MAX_PAIRS_A_CALL):
            odds = await score_pairs(judge, [Pair(pairs[place].claim, pairs[place].text) for place in waiting])
            for place, one in zip(waiting, odds, strict=True):
                found[place] = JudgedPair(pairs[place], one.verdict, one.against)
            waiting = []
            say(len(found), len(pairs))
    seconds = time.perf_counter() - begun
    return [found[place] for place in range(len(pairs))], seconds


def fold_support(said: Sequence[JudgedPair]) -> list[JudgedPair]:
    """The same where no more is known than whether a text supports a claim: all else is one class, “silent”."""

    def fold(label: VerdictLabel) -> VerdictLabel:
        return "supports" if label == "supports" else "silent"

    found = []
    for one in said:
        pair = one.pair._replace(label=fold(one.pair.label), votes=tuple(map(fold, one.pair.votes)))
        label = "silent" if one.verdict.label == "contradicts" else one.verdict.label
        found.append(one._replace(pair=pair, verdict=one.verdict.model_copy(update={"label": label})))
    return found


# --- figures ---------------------------------------------------------------------------------------------------------


class MajorityFloor(NamedTuple):
    """The commonest label of the known ones, and what it comes to where it is said of every pair; None of no pair."""

    label: VerdictLabel | None
    accuracy: float
    macro_f1: float


class VerificationFigures(NamedTuple):
    """What came of it; intervals are of the bootstrap over documents and groups.

    support         AUROC, supported against the rest, by the score
    contradiction   AUROC, contradicted against the rest, by the judge's own probability, or by its label alone
    ece, brier      of the score as a probability of support: expected calibration error, mean squared error
    matrix          (known, said) → pairs, the unjudged among them
    rationale       of pairs with marked sentences, the share for which the judge names one of them first; None: it
                    names none
    floor           what somebody comes to who says the commonest label of the judged pairs, whatever he is asked
    """

    n: int
    unjudged: int
    clusters: int
    accuracy: ConfidenceInterval
    macro_f1: ConfidenceInterval
    support: ConfidenceInterval
    contradiction: ConfidenceInterval
    ece: float
    brier: float
    bins: tuple[ReliabilityBin, ...]
    matrix: Mapping[tuple[VerdictLabel, VerdictLabel], int]
    rationale: ConfidenceInterval | None
    floor: MajorityFloor
    seconds: float

    @property
    def rate(self) -> float:
        """Pairs in a second."""
        return self.n / self.seconds if self.seconds else 0.0


def compute_figures(said: Sequence[JudgedPair], seconds: float) -> VerificationFigures:
    """Everything that can be said of these verdicts."""
    judged = [one for one in said if one.verdict.label != "unjudged"]
    known = np.array([CLASSES.index(one.pair.label) for one in judged], dtype=np.int64)
    told = np.array([CLASSES.index(one.verdict.label) for one in judged], dtype=np.int64)
    scores = np.array([one.verdict.score for one in judged])
    # The judge's own probability of contradiction where it tells one; else its label, all that it says of it.
    against = np.array(
        [float(one.verdict.label == "contradicts") if one.against is None else one.against for one in judged]
    )
    supported, contradicted = known == 0, known == 1
    draws = resample_clusters([one.pair.cluster for one in judged])
    commonest = int(np.bincount(known).argmax()) if judged else 0
    marked = [one for one in judged if one.pair.rationale]
    marked_draws = resample_clusters([one.pair.cluster for one in marked])
    first = np.array([_quotes_rationale(one.verdict.quote, one.pair.rationale) for one in marked])
    quotes = any(one.verdict.quote for one in marked)
    return VerificationFigures(
        n=len(said),
        unjudged=len(said) - len(judged),
        clusters=len({one.pair.cluster for one in said}),
        accuracy=bootstrap_interval(draws, lambda at: _mean(known[at] == told[at])),
        macro_f1=bootstrap_interval(draws, lambda at: macro_f1(known[at], told[at])),
        support=bootstrap_interval(draws, lambda at: auroc(scores[at], supported[at])),
        contradiction=bootstrap_interval(draws, lambda at: auroc(against[at], contradicted[at])),
        ece=ece(scores, supported),
        brier=_mean((scores - supported) ** 2),
        bins=reliability_bins(scores, supported),
        matrix=Counter((one.pair.label, one.verdict.label) for one in said),
        rationale=bootstrap_interval(marked_draws, lambda at: _mean(first[at])) if quotes else None,
        floor=MajorityFloor(
            CLASSES[commonest] if judged else None,
            _mean(known == commonest),
            macro_f1(known, np.full_like(known, commonest)),
        ),
        seconds=seconds,
    )


def _quotes_rationale(quote: str, rationale: Sequence[str]) -> bool:
    """Whether the words that are named first stand in a marked sentence, or hold one."""
    first = " ".join(quote.partition(" … ")[0].split())
    marked = [" ".join(sentence.split()) for sentence in rationale]
    return bool(first) and any(first in sentence or sentence in first for sentence in marked)


def compare_votes(said: Sequence[JudgedPair]) -> RaterStudy | None:
    """The judge beside the people who voted; None where no pair has votes. An item is a pair's place."""
    judged = {str(place): one.verdict.label for place, one in enumerate(said) if one.verdict.label != "unjudged"}
    return compare_with_votes(JUDGE, judged, {str(place): one.pair.votes for place, one in enumerate(said)})


# --- a run and its report --------------------------------------------------------------------------------------------


class VerificationRun(NamedTuple):
    """What came of it: who judged, what, every verdict, and the seconds it took.

    rejected_path   the file that says which lines could not be used; None: all could
    binary          no more is known of some pairs than that they are not supported: support alone is measured
    fitted          what of the judge was fitted on these pairs
    unknown         why it cannot be said what the user's own calibration was fitted on; "" where it can
    """

    judge: str
    pairs: LabelledPairs
    judged_pairs: list[JudgedPair]
    seconds: float
    rejected_path: Path | None
    binary: bool
    fitted: list[FittedPairs]
    unknown: str

    def list_notes(self) -> Iterator[str]:
        """What its reader should know, a sentence each without a full stop."""
        files = ", ".join(f"{name} (sha256 {digest})" for name, digest in self.pairs.files.items())
        yield f"the pairs are of {files}, read as {', '.join(self.pairs.sets)}"
        if measured := list_measured_files(self.judge, self.pairs.files):
            yield f"how far this judge is believed was measured on {', '.join(measured)}, its weights were not"
        if self.unknown:
            yield self.unknown.rstrip(".")
        if self.binary:
            yield "of some pairs no more is known than that they are not supported: what contradicts counts as that"
        if self.rejected_path:
            lines = format_count(len(self.pairs.rejected), "line")
            yield f"{lines} could not be used; {self.rejected_path} says why"
        silent = Counter(one.verdict.reason for one in self.judged_pairs if one.verdict.label == "unjudged")
        for why, pairs in silent.most_common(MAX_REASONS):
            yield f"{format_count(pairs, 'pair')} got no verdict: {why.rstrip('.')}"

    def write_verdicts(self, path: Path) -> None:
        """Who judged what, and every verdict, as JSON lines."""
        header = {"judge": self.judge, "files": dict(self.pairs.files), "seconds": round(self.seconds, 3)}
        rows = (
            {"id": one.pair.id, "known": one.pair.label, **one.verdict.model_dump(), "against": one.against}
            for one in self.judged_pairs
        )
        write_rows(path, (header, *rows))


async def run_verification(
    settings: config.Settings,
    say: Progress,
    *,
    files: Sequence[Path],
    corpus: Path | None,
    judge: str,
    limit: int,
    bare: bool,
    pairs_form: str | None = None,
    meanings: Mapping[str, VerdictLabel] = EVIDENCE_LABELS,
    out: Path | None = None,
) -> VerificationRun:
    """Put every pair to the judge. Raises what read_pairs and open_judge raise, and ModelError.

    bare      neither calibrated by the user's own pairs nor guarded
    meanings  what a line may say, and what it means
    out       lines that cannot be used are told in a file beside this one; None: in the user's home
    """
    pairs = read_pairs(files, corpus, limit, meanings, pairs_form or "")
    beside = out or settings.home / "evaluate" / files[0].name
    rejected = beside.with_name(f"{beside.name.partition('.')[0]}.rejected.jsonl") if pairs.rejected else None
    if rejected:
        rejected.parent.mkdir(parents=True, exist_ok=True)
        write_rows(rejected, (one._asdict() for one in pairs.rejected))
    async with open_judge(judge, settings, bare=bare) as opened:
        calibrated, unknown = frozenset[str](), ""
        try:
            calibrated = find_fitted_statements(opened).claims
        except SettingsError as error:
            unknown = str(error)
        said, seconds = await judge_pairs(pairs.rows, opened, say)
    binary = any("unjudged" in (one.label, *one.votes) for one in pairs.rows)
    fitted = list_fitted_pairs(opened.name, pairs.rows, calibrated)
    return VerificationRun(
        opened.name, pairs, fold_support(said) if binary else said, seconds, rejected, binary, fitted, unknown
    )


def verification_blocks(run: VerificationRun, found: VerificationFigures) -> Iterator[Block]:
    """Everything: figures against their floors, calibration, what was said of what is known, agreement with people."""
    yield Text(f"{format_count(found.n, 'pair')} of {format_count(found.clusters, 'group')} put to {run.judge}")
    yield from (Text(f"FITTED: {one.describe(found.n)}.", True) for one in run.fitted)
    # Of an order without any knowledge, half of all comparisons are right.
    figures: list[tuple[str, ConfidenceInterval | None, float | None]] = [
        ("accuracy", found.accuracy, found.floor.accuracy),
        ("macro-F1", found.macro_f1, found.floor.macro_f1),
        ("AUROC supported", found.support, 0.5),
        ("AUROC contradicted", found.contradiction, 0.5),
        ("rationale P@1", found.rationale, None),
    ]
    rows = [
        (name, one.mean, Interval(one.low, one.high), floor, _place_interval(one, floor), bool(run.fitted))
        for name, one, floor in figures
        if one
    ]
    yield Table(("measure", "value", "95 % interval", "floor", "against it", "fitted on"), rows)
    if found.floor.label:
        yield Text(f"The floor of accuracy and macro-F1 is to say “{LABEL_WORDS[found.floor.label]}” of every pair.")
    yield Text(f"Calibration of support: ECE {found.ece:.3f}, Brier {found.brier:.3f}")
    bins = [(f"{place / 10:.1f}–{place / 10 + 0.1:.1f}", *one) for place, one in enumerate(found.bins) if one.n]
    yield Table(("score", "pairs", "mean score", "supported"), bins)
    yield Text("What is known, and what was said:")
    said: Sequence[VerdictLabel] = (*CLASSES, "unjudged") if found.unjudged else CLASSES
    counts = [(LABEL_WORDS[known], *(found.matrix.get((known, label), 0) for label in said)) for known in CLASSES]
    yield Table(("known", *(LABEL_WORDS[label] for label in said)), counts)
    if found.unjudged:
        yield Text(f"{format_count(found.unjudged, 'pair')} without a verdict: left out of every other figure.")
    if votes := compare_votes(run.judged_pairs):
        yield Text("What people said of the same pairs:")
        yield from agreement_blocks(votes, "pair", LABEL_WORDS)
    yield Text(f"{found.rate:,.1f} pairs a second ({found.seconds:,.1f} s).")
    yield from (Text(f"Note: {note}.") for note in run.list_notes())


def _place_interval(one: ConfidenceInterval, floor: float | None) -> str | None:
    if floor is None or np.isnan(one.low):
        return None
    return "above" if one.low > floor else "below" if one.high < floor else "around"


def _tell_votes(votes: RaterStudy) -> dict[str, Any]:
    voted = {*votes.majority, *votes.ties}
    return {
        **{"voted": len(voted), "unjudged": len(voted - votes.judged.keys()), "raters": votes.raters},
        **{"judge": votes.judge, "ties": len(votes.ties), "majority": votes.floor},
    }


def verification_data(run: VerificationRun, found: VerificationFigures) -> dict[str, Any]:
    """Everything, for programs; a number that is none is null."""
    votes = compare_votes(run.judged_pairs)
    figures = found._asdict()
    figures["matrix"] = [
        {"known": known, "said": said, "pairs": pairs} for (known, said), pairs in sorted(found.matrix.items())
    ]
    return {
        "judge": run.judge,
        "files": run.pairs.files,
        "sets": run.pairs.sets,
        "support_alone": run.binary,
        "rejected": len(run.pairs.rejected),
        "rejected_file": run.rejected_path,
        "pairs_per_second": round(found.rate, 2),
        "fitted": to_plain(run.fitted),
        "votes": votes and to_plain(_tell_votes(votes)),
        **to_plain(figures),
    }
