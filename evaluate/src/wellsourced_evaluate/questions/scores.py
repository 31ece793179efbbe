"""What the answers of one arm come to: figures, each with its interval, what it is of, and the floor it has to beat."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import bootstrap_mean, percentile, wilson_interval
from wellsourced_evaluate.questions.answer_figures import AnswerFigure, measure_share
from wellsourced_evaluate.questions.answer_marks import FactMark
from wellsourced_evaluate.questions.answer_run import OUTCOMES, AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.exact_scores import exact_figures, reference_figures, snippet_figures


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
        *exact_figures(records),
        *_text_figures(records),
        *_unknown_figures(records),
        # What was marked was not there to be found where it was excluded.
        *(snippet_figures(records) if run.header.regime != "excluded" else ()),
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
    return [one for one in records if _needed_marks(one) and one.answerable is not False]


def count_marks(record: AnswerRecord) -> tuple[int, int]:
    """How many of the things that should be said are said, of those that were judged."""
    judged = [mark.said for mark in _needed_marks(record) if mark.said is not None]
    return sum(judged), len(judged)


def count_contradictions(record: AnswerRecord) -> tuple[int, int]:
    """How many of the statements, those that are optional among them, are contradicted, of those that were judged."""
    judged = [mark.contradicted for mark in record.marks if mark.contradicted is not None]
    return sum(judged), len(judged)


def _needed_marks(record: AnswerRecord) -> list[FactMark]:
    return [mark for mark in record.marks if not mark.is_optional]


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
    leads = [[mark.leads for mark in _needed_marks(one) if mark.leads is not None] for one in marked]
    # Where labels are known too, coverage is that of labels.
    answered = [] if labelled_records(records) else [_count_cases("coverage", marked, _is_answered)]
    return [
        *answered,
        measure_share("facts_said", [count_marks(one) for one in marked]),
        measure_share("facts_in_short", [(sum(one), len(one)) for one in leads]),
        *_statement_figures(marked),
    ]


def _statement_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """K-QA's metrics (Manes et al., 2024): of all questions, then of those that were answered (there: “norm”)."""
    judged = [one for one in records if any(mark.is_judged for mark in one.marks)]
    if not judged:
        return []
    answered = [one for one in judged if _is_answered(one)]
    return [
        _mean("comprehensiveness", map(count_marks, judged), per_thing=True),
        _mean("contradiction_rate", map(count_contradictions, judged)),
        _mean("comprehensiveness_answered", map(count_marks, answered), per_thing=True),
        _mean("contradiction_rate_answered", map(count_contradictions, answered)),
    ]


def _mean(metric: str, counts: Iterable[tuple[int, int]], *, per_thing: bool = False) -> AnswerFigure:
    """The mean over cases of part by whole, or of the part alone; a case of which nothing was judged has none."""
    known = [(part, whole) for part, whole in counts if whole]
    # Where less is better, silence is the best: this is said, and is nothing to beat.
    silence = "" if per_thing else "silence has 0"
    if not known:
        return AnswerFigure(metric, None, None, None, 0, 0, None, silence)
    values = np.array([part / whole if per_thing else part for part, whole in known], dtype=np.float64)
    part, of = (sum(column) for column in zip(*known, strict=True))
    first, n = float(values[0]), len(values)
    is_alike = first in (0.0, 1.0) and bool((values == first).all())
    found = wilson_interval(n if first else 0, n) if is_alike else bootstrap_mean(values)
    return AnswerFigure(metric, *found, part, of, None, silence, n)


def referenced_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with a text to compare answers with."""
    return [one for one in records if one.references and one.answerable is not False]


def _text_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """How near answers are to their references; and who was answered, where nothing else counts that."""
    referenced = referenced_records(records)
    known = labelled_records(records) or marked_records(records)
    counted = [_count_cases("coverage", referenced, _is_answered)] if referenced and not known else []
    return [*counted, *reference_figures(referenced)]


def _unknown_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """Of questions of which nothing is known but themselves: who was answered, and an accuracy that there is not."""
    known = (labelled_records(records), marked_records(records), referenced_records(records))
    if not records or any(known) or any(one.answerable is not None or one.exact for one in records):
        return []
    return [measure_share("answer_accuracy", []), _count_cases("coverage", records, _is_answered)]


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
    cited = [one for one in records if one.own_source_cited is not None]
    return [
        *([_count_cases("own_source_read", known, lambda one: one.own_source is True)] if known else []),
        *([_count_cases("own_source_cited", cited, lambda one: one.own_source_cited is True)] if cited else []),
    ]


def _count_cases(
    metric: str,
    records: Sequence[AnswerRecord],
    is_so: Callable[[AnswerRecord], bool],
    floor: float | None = None,
    floor_name: str = "",
) -> AnswerFigure:
    return measure_share(metric, [(int(is_so(one)), 1) for one in records], floor, floor_name)
