"""What the answers of one arm come to: figures, each with its interval, what it is of, and the floor it has to beat."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced_evaluate.questions.answer_figures import (
    ROUGE_PARTS,
    AnswerFigure,
    CaseMetrics,
    mean_counts,
    mean_figures,
    measure_share,
    score_factoid,
    score_list,
    score_quotes,
    score_references,
)
from wellsourced_evaluate.questions.answer_run import OUTCOMES, AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.cases import Regime, forbids_sources
from wellsourced_evaluate.statistics import average_cases, percentile

ECHO = "what the question says"
"""The floor of exact answers: how much of them the question itself has."""

REFUSAL = "refusing everything"

EXACT_SCORES: Mapping[str, tuple[Callable[..., CaseMetrics], tuple[str, ...]]] = {
    "factoid": (score_factoid, ("strict_accuracy", "lenient_accuracy", "MRR")),
    "list": (score_list, ("list_precision", "list_recall", "list_f1")),
}
READ_METRICS = ("own_source_read", "own_source_cited", "reference_read")
SNIPPET_METRICS = ("snippet_precision", "snippet_recall", "snippet_f1")


class ArmCost(NamedTuple):
    """What an arm took. Seconds are of cases that did not fail; `dollars` None: a price is not known.

    depth   calls that had to wait for each other, the mean over cases; None: not recorded
    """

    p50: float | None
    p95: float | None
    seconds: float
    calls: int
    cached: int
    tokens: int
    dollars: float | None
    depth: float | None


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
        """Everything, for programs, as values."""
        run, header = self.run, self.run.header
        told = {name: value for name, value in self._asdict().items() if name != "run"}
        return {
            **{"arm": run.arm, "file": str(run.path), "header": header.model_dump(mode="json")},
            **{"cases": int(header.data["asked"]), "answered_so_far": len(run.records)},
            **told,
            "failed": {one.case: one.error for one in run.records.values() if one.status == "failed"},
        }


def score_run(run: AnswerRun) -> ArmScore:
    """Score what a run has recorded so far."""
    records = list(run.records.values())
    labelled = labelled_records(records)
    outcomes = Counter(record.outcome for record in labelled)
    golds = Counter(record.gold for record in labelled)
    said: dict[str, Counter[str]] = {gold: Counter() for gold in sorted(golds)}
    for one in labelled:
        said[one.gold][one.label if one.is_decided else one.outcome] += 1
    return ArmScore(
        run,
        tuple(_list_figures(records, run.header.regime)),
        {outcome: outcomes[outcome] for outcome in OUTCOMES} if labelled else {},
        Counter(record.status for record in records),
        said,
        {gold: count / len(labelled) for gold, count in golds.most_common()},
        _measure_cost(records),
    )


def labelled_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with a known answer that what is searched should give."""
    return [record for record in records if record.gold and record.answerable is not False]


def marked_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with something that should be said."""
    return [record for record in records if record.needed_marks and record.answerable is not False]


def count_marks(record: AnswerRecord) -> tuple[int, int]:
    """How many of the things that should be said are said, of those that were judged."""
    return _count_true(mark.said for mark in record.needed_marks)


def _count_true(values: Iterable[bool | None]) -> tuple[int, int]:
    known = [value for value in values if value is not None]
    return sum(known), len(known)


def count_case(record: AnswerRecord) -> dict[str, tuple[int, int]]:
    """Metric → (part, whole) of a case, for each share that applies to it: 1 or 0 of 1 of what is so or not."""
    found: dict[str, tuple[int, int]] = {}
    if labelled_records([record]):
        right = int(record.outcome == "right"), 1
        found["answer_accuracy"], found["coverage"] = right, (int(record.is_decided), 1)
        found |= {"decided_accuracy": right} if record.is_decided else {}
    if marked_records([record]):
        found["facts_said"] = count_marks(record)
        found["facts_in_short"] = _count_true(mark.leads for mark in record.needed_marks)
    if record.answerable is not None:
        refused = record.status == "abstained"
        found |= {"refusal_precision": (int(not record.answerable), 1)} if refused else {}
        found |= {} if record.answerable else {"refusal_recall": (int(refused), 1)}
    if record.exact and record.kind in EXACT_SCORES and record.answerable is not False:
        found[f"{record.kind}_said"] = _count_exact(record, "said")
        found[f"{record.kind}_in_short"] = _count_exact(record, "leads")
    read_metrics = (record.own_source, record.own_source_cited, record.reference_read)
    for metric, read in zip(READ_METRICS, read_metrics, strict=True):
        found |= {} if read is None else {metric: (int(read), 1)}
    return found


def _list_figures(records: Sequence[AnswerRecord], regime: Regime) -> Iterator[AnswerFigure]:
    """Every figure for which there are cases."""
    counts = [count_case(record) for record in records]

    def share(metric: str, floor: float | None = None, floor_name: str = "") -> AnswerFigure:
        return measure_share(metric, [case[metric] for case in counts if metric in case], floor, floor_name)

    expected = [record for record in records if record.answerable is not False]
    labelled, marked = labelled_records(records), marked_records(records)
    referenced = [record for record in expected if record.references]
    # Of questions of which nothing is known but themselves an accuracy is told that there is not.
    nothing_known = not (labelled or marked or referenced) and not any(
        one.answerable is not None or one.exact for one in records
    )
    if labelled:
        yield share("answer_accuracy", *_majority(labelled))
        yield share("decided_accuracy", *_majority([record for record in labelled if record.is_decided]))
        yield share("coverage")
    elif marked:
        yield _count_answered(marked)
    if marked:
        yield share("facts_said")
        yield share("facts_in_short")
        yield from _judged_figures([record for record in marked if any(mark.is_judged for mark in record.marks)])
    for kind in EXACT_SCORES:
        if exact := [record for record in expected if record.exact and record.kind == kind]:
            asked, of = (sum(column) for column in zip(*(_count_exact(one, "asked") for one in exact), strict=True))
            yield share(f"{kind}_said", asked / of, ECHO)
            yield share(f"{kind}_in_short", asked / of, ECHO)
            score, names = EXACT_SCORES[kind]
            # Where answers name candidates, who gives no answer names none.
            silence = () if any(one.candidates is not None for one in exact) else None
            named = [silence if one.candidates is None and not one.is_answered else one.candidates for one in exact]
            scored = [{} if some is None else score(one.exact, some) for one, some in zip(exact, named, strict=True)]
            yield from mean_figures(names, scored)
    if referenced:
        if not (labelled or marked):
            yield _count_answered(referenced)
        texts = [score_references(one.references, one.text if one.is_answered else "") for one in referenced]
        yield from mean_figures([*ROUGE_PARTS], texts)
    if nothing_known and records:
        yield measure_share("answer_accuracy", [])
        yield _count_answered(records)
    # What is marked as evidence has to be there to be found.
    cited = [one for one in expected if one.snippets and not forbids_sources(regime, one.references)]
    if cited:
        yield from mean_figures(SNIPPET_METRICS, [score_quotes(one.quotes, one.snippets) for one in cited])
    if unanswerable := len(records) - len(expected):
        floor = unanswerable / sum(record.answerable is not None for record in records)
        yield share("refusal_precision", floor, REFUSAL)
        yield share("refusal_recall", 1.0, REFUSAL)
    for metric in READ_METRICS:
        if any(metric in case for case in counts):
            yield share(metric)


def _count_answered(records: Sequence[AnswerRecord]) -> AnswerFigure:
    return measure_share("coverage", [(int(record.is_answered), 1) for record in records])


def _majority(records: Sequence[AnswerRecord]) -> tuple[float | None, str]:
    """What is reached by whoever always gives the commonest answer."""
    if not records:
        return None, ""
    ((label, count),) = Counter(record.gold for record in records).most_common(1)
    return count / len(records), f"always “{label}”"


def _judged_figures(judged: Sequence[AnswerRecord]) -> Iterator[AnswerFigure]:
    """K-QA's metrics (Manes et al., 2024) of all questions, then of those that were answered."""
    for ending in ("", "_answered") if judged else ():
        some = [record for record in judged if record.is_answered or not ending]
        yield mean_counts(f"comprehensiveness{ending}", map(count_marks, some), per_thing=True)
        # The statements that are optional count here: they may be left out, and not contradicted.
        clashes = (_count_true(mark.contradicted for mark in record.marks) for record in some)
        yield mean_counts(f"contradiction_rate{ending}", clashes)


def _count_exact(record: AnswerRecord, field: str) -> tuple[int, int]:
    """A factoid is one thing by several names; of a list each member counts."""
    marks = [bool(getattr(mark, field)) for mark in record.exact]
    return (int(any(marks)), 1) if record.kind == "factoid" else (sum(marks), len(marks))


def _measure_cost(records: Sequence[AnswerRecord]) -> ArmCost:
    times = np.array([record.seconds for record in records if record.status != "failed"], dtype=np.float64)
    p50, p95 = (percentile(times, share) if len(times) else None for share in (50, 95))
    sums = {name: sum(getattr(record, name) for record in records) for name in ("calls", "cached", "tokens")}
    costs = [record.cost for record in records]
    dollars = None if None in costs else sum(cost for cost in costs if cost is not None)
    depth = average_cases(record.depth for record in records).mean
    return ArmCost(p50, p95, round(sum(record.seconds for record in records), 1), **sums, dollars=dollars, depth=depth)
