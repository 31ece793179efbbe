"""What the answers of one arm come to: figures, each with its interval, what it is of, and the floor it has to beat."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import bootstrap_mean, bootstrap_share, percentile, wilson_interval
from wellsourced.errors import SettingsError
from wellsourced.evaluate.questions.answer_run import OUTCOMES, AnswerRecord, AnswerRun
from wellsourced.evaluate.text_metrics import score_rouge

CaseCounts = Sequence[tuple[int, int]]
"""(part, whole) of each case."""


class AnswerFigure(NamedTuple):
    """A share, or a mean over cases, as `wellsourced evaluate list` spells it.

    value       None: nothing is known of which it could be, or what computes it is not installed
    low, high   95 % interval: bootstrap over cases; Wilson's of shares where all cases are alike, of which a bootstrap
                knows nothing
    part, of    what it is a share of, in things; of a mean, the cases that were answered, of all
    floor       what is reached without reading anything; None: nobody knows one
    floor_name  how that is reached
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    part: int
    of: int
    floor: float | None = None
    floor_name: str = ""

    @property
    def standing(self) -> str:
        """Where the interval lies: "below" the floor, "above" it, or around it, so that it is "not told apart"."""
        if self.floor is None or self.low is None or self.high is None:
            return ""
        return "below" if self.high < self.floor else "above" if self.low > self.floor else "not told apart"

    @property
    def margin(self) -> float:
        """How far above its floor; what has none comes last."""
        return float("inf") if self.value is None or self.floor is None else self.value - self.floor


class ArmCost(NamedTuple):
    """What an arm took. Seconds are of cases that did not fail; `dollars` None: a price is not known."""

    p50: float | None
    p95: float | None
    seconds: float
    calls: int
    cached: int
    tokens: int
    dollars: float | None


class ArmScore(NamedTuple):
    """All that is told of one arm.

    outcomes    of the cases with a known answer that should be answered
    statuses    of all cases
    by_gold     known answer → what was said → cases; the label, or the outcome where there is none
    floors      known answer → its share: what is reached by whoever always says it
    """

    run: AnswerRun
    figures: tuple[AnswerFigure, ...]
    outcomes: Mapping[str, int]
    statuses: Mapping[str, int]
    by_gold: Mapping[str, Mapping[str, int]]
    floors: Mapping[str, float]
    cost: ArmCost

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs; nothing that is no number."""
        header = self.run.header
        return {
            "arm": self.run.arm,
            "file": str(self.run.path),
            "header": header.model_dump(mode="json"),
            "cases": int(header.data["asked"]),
            "answered_so_far": len(self.run.records),
            "figures": [{**one._asdict(), "standing": one.standing} for one in self.figures],
            "outcomes": dict(self.outcomes),
            "statuses": dict(self.statuses),
            "by_gold": {gold: dict(said) for gold, said in self.by_gold.items()},
            "floors": dict(self.floors),
            "cost": self.cost._asdict(),
            "failed": {one.case: one.error for one in self.run.records.values() if one.status == "failed"},
        }


def score_run(run: AnswerRun) -> ArmScore:
    """Score what a run has recorded so far."""
    records = list(run.records.values())
    labelled = labelled_records(records)
    outcomes = Counter(one.outcome for one in labelled)
    golds = Counter(one.gold for one in labelled)
    floors = {gold: count / len(labelled) for gold, count in golds.most_common()}
    figures = (
        *_label_figures(labelled),
        *_mark_figures(records),
        *_text_figures(records),
        *_unknown_figures(records),
        *_refusal_figures(records),
        *_source_figures(records),
    )
    return ArmScore(
        run,
        figures,
        {one: outcomes[one] for one in OUTCOMES} if labelled else {},
        Counter(one.status for one in records),
        {gold: Counter(_describe_reply(one) for one in labelled if one.gold == gold) for gold in sorted(golds)},
        floors,
        measure_cost(records),
    )


def labelled_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with a known answer that what is searched should give."""
    return [one for one in records if one.gold and one.answerable is not False]


def marked_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with something that should be said."""
    return [one for one in records if one.marks and one.answerable is not False]


def count_marks(record: AnswerRecord) -> tuple[int, int]:
    """How many of the things that should be said are said, of those that were judged."""
    judged = [mark.said for mark in record.marks if mark.said is not None]
    return sum(judged), len(judged)


def measure_cost(records: Sequence[AnswerRecord]) -> ArmCost:
    """What answering these took."""
    times = np.array([one.seconds for one in records if one.status != "failed"], dtype=np.float64)
    costs = [one.cost for one in records]
    return ArmCost(
        percentile(times, 50) if len(times) else None,
        percentile(times, 95) if len(times) else None,
        round(sum(one.seconds for one in records), 1),
        sum(one.calls for one in records),
        sum(one.cached for one in records),
        sum(one.tokens for one in records),
        None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _describe_reply(record: AnswerRecord) -> str:
    return record.label if record.outcome in ("right", "wrong") else record.outcome


def _label_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    if not records:
        return []
    decided = [one for one in records if one.outcome in ("right", "wrong")]
    return [
        _count_cases("answer_accuracy", records, _is_right, *_majority(records)),
        _count_cases("decided_accuracy", decided, _is_right, *_majority(decided)),
        _count_cases("coverage", records, lambda one: one.outcome in ("right", "wrong")),
    ]


def _is_right(record: AnswerRecord) -> bool:
    return record.outcome == "right"


def _is_answered(record: AnswerRecord) -> bool:
    return record.status == "answered"


def _majority(records: Sequence[AnswerRecord]) -> tuple[float | None, str]:
    """What is reached by whoever always gives the commonest answer."""
    if not records:
        return None, ""
    ((label, count),) = Counter(one.gold for one in records).most_common(1)
    return count / len(records), f"always “{label}”"


def _mark_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    marked = marked_records(records)
    if not marked:
        return []
    leads = [[mark.leads for mark in one.marks if mark.leads is not None] for one in marked]
    # Where labels are known too, coverage is that of labels.
    answered = [] if labelled_records(records) else [_count_cases("coverage", marked, _is_answered)]
    return [
        *answered,
        _share("facts_said", [count_marks(one) for one in marked]),
        _share("facts_in_short", [(sum(one), len(one)) for one in leads]),
    ]


def referenced_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with a text to compare answers with."""
    return [one for one in records if one.references and one.answerable is not False]


def _text_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """The mean nearness to a reference. Who gave no answer has said nothing: 0, and not left out."""
    referenced = referenced_records(records)
    if not referenced:
        return []
    answered = sum(map(_is_answered, referenced))
    known = labelled_records(records) or marked_records(records)
    counted = [] if known else [_count_cases("coverage", referenced, _is_answered)]
    try:
        values = np.array(
            [
                score_rouge(references=one.references, hypothesis=one.text) if _is_answered(one) else 0.0
                for one in referenced
            ]
        )
    except SettingsError:
        return [*counted, AnswerFigure("ROUGE-L", None, None, None, answered, len(referenced))]
    found = bootstrap_mean(values)
    # Of values that are all alike a bootstrap knows nothing: its interval would be a point.
    low, high = (found.low, found.high) if np.ptp(values) else (None, None)
    return [*counted, AnswerFigure("ROUGE-L", found.mean, low, high, answered, len(referenced))]


def _unknown_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """Of questions of which nothing is known but themselves: who was answered, and an accuracy that there is not."""
    known = (labelled_records(records), marked_records(records), referenced_records(records))
    if not records or any(known) or any(one.answerable is not None for one in records):
        return []
    return [_share("answer_accuracy", []), _count_cases("coverage", records, _is_answered)]


def _refusal_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    known = [one for one in records if one.answerable is not None]
    unanswerable = [one for one in known if not one.answerable]
    if not unanswerable:
        return []
    refused = [one for one in known if one.status == "abstained"]
    floor = len(unanswerable) / len(known)
    return [
        _count_cases("refusal_precision", refused, lambda one: one.answerable is False, floor, "refusing everything"),
        _count_cases("refusal_recall", unanswerable, lambda one: one.status == "abstained", 1.0, "refusing everything"),
    ]


def _source_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    known = [one for one in records if one.own_source is not None]
    return [_count_cases("own_source_read", known, lambda one: one.own_source is True)] if known else []


def _count_cases(
    metric: str,
    records: Sequence[AnswerRecord],
    is_so: Callable[[AnswerRecord], bool],
    floor: float | None = None,
    floor_name: str = "",
) -> AnswerFigure:
    return _share(metric, [(int(is_so(one)), 1) for one in records], floor, floor_name)


def _share(metric: str, counts: CaseCounts, floor: float | None = None, floor_name: str = "") -> AnswerFigure:
    part, of = sum(one for one, _ in counts), sum(one for _, one in counts)
    if not of:
        return AnswerFigure(metric, None, None, None, 0, 0, floor, floor_name)
    # Of cases, also where several facts of one are counted: they do not come independently.
    cases = sum(whole > 0 for _, whole in counts)
    found = wilson_interval(cases if part else 0, cases) if part in (0, of) else bootstrap_share(counts)
    return AnswerFigure(metric, found.mean, found.low, found.high, part, of, floor, floor_name)
