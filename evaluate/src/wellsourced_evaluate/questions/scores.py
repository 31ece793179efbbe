"""What the answers of one arm come to: figures, each with its interval, what it is of, and the floor it has to beat."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import percentile
from wellsourced_evaluate.questions.answer_figures import (
    AnswerFigure,
    mean_counts,
    mean_figures,
    measure_share,
    score_factoid,
    score_list,
    score_quotes,
    score_references,
)
from wellsourced_evaluate.questions.answer_marks import FactMark
from wellsourced_evaluate.questions.answer_run import OUTCOMES, AnswerRecord, AnswerRun

ECHO = "what the question says"
"""The floor of exact answers: how much of them the question itself has."""

EXACT_SCORES: Mapping[str, tuple[Callable[..., Mapping[str, float | None]], tuple[str, ...]]] = {
    "factoid": (score_factoid, ("strict_accuracy", "lenient_accuracy", "MRR")),
    "list": (score_list, ("list_precision", "list_recall", "list_f1")),
}


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

    def find(self, metric: str) -> AnswerFigure | None:
        """The figure of a metric; None where the arm has none."""
        return next((figure for figure in self.figures if figure.metric == metric), None)

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs, as values."""
        run, header = self.run, self.run.header
        return {
            **{"arm": run.arm, "file": str(run.path), "header": header.model_dump(mode="json")},
            **{"cases": int(header.data["asked"]), "answered_so_far": len(run.records)},
            "figures": [{**figure._asdict(), "standing": figure.standing} for figure in self.figures],
            **{"outcomes": self.outcomes, "statuses": self.statuses, "by_gold": self.by_gold, "floors": self.floors},
            "cost": self.cost,
            "failed": {one.case: one.error for one in run.records.values() if one.status == "failed"},
        }


def score_run(run: AnswerRun) -> ArmScore:
    """Score what a run has recorded so far."""
    records = list(run.records.values())
    labelled = labelled_records(records)
    outcomes = Counter(record.outcome for record in labelled)
    golds = Counter(record.gold for record in labelled)
    figures = (
        *_label_figures(labelled),
        *_mark_figures(records),
        *_exact_figures(records),
        *_text_figures(records),
        *_unknown_figures(records),
        # What was marked was not there to be found where it was excluded.
        *(_snippet_figures(records) if run.header.regime != "excluded" else ()),
        *_refusal_figures(records),
        *_source_figures(records),
    )
    return ArmScore(
        run,
        figures,
        {outcome: outcomes[outcome] for outcome in OUTCOMES} if labelled else {},
        Counter(record.status for record in records),
        {gold: Counter(_describe_reply(one) for one in labelled if one.gold == gold) for gold in sorted(golds)},
        {gold: count / len(labelled) for gold, count in golds.most_common()},
        measure_cost(records),
    )


def labelled_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with a known answer that what is searched should give."""
    return [record for record in records if record.gold and record.answerable is not False]


def marked_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with something that should be said."""
    return [record for record in records if _needed_marks(record) and record.answerable is not False]


def referenced_records(records: Iterable[AnswerRecord]) -> list[AnswerRecord]:
    """The cases with a text to compare answers with."""
    return [record for record in records if record.references and record.answerable is not False]


def count_marks(record: AnswerRecord) -> tuple[int, int]:
    """How many of the things that should be said are said, of those that were judged."""
    judged = [mark.said for mark in _needed_marks(record) if mark.said is not None]
    return sum(judged), len(judged)


def _count_contradictions(record: AnswerRecord) -> tuple[int, int]:
    """How many of the statements, those that are optional among them, are contradicted, of those that were judged."""
    judged = [mark.contradicted for mark in record.marks if mark.contradicted is not None]
    return sum(judged), len(judged)


def _needed_marks(record: AnswerRecord) -> list[FactMark]:
    return [mark for mark in record.marks if not mark.is_optional]


def measure_cost(records: Sequence[AnswerRecord]) -> ArmCost:
    """What answering these took."""
    times = np.array([record.seconds for record in records if record.status != "failed"], dtype=np.float64)
    costs = [record.cost for record in records]
    return ArmCost(
        percentile(times, 50) if len(times) else None,
        percentile(times, 95) if len(times) else None,
        round(sum(record.seconds for record in records), 1),
        sum(record.calls for record in records),
        sum(record.cached for record in records),
        sum(record.tokens for record in records),
        None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _describe_reply(record: AnswerRecord) -> str:
    return record.label if _is_decided(record) else record.outcome


def _is_decided(record: AnswerRecord) -> bool:
    return record.outcome in ("right", "wrong")


def _is_right(record: AnswerRecord) -> bool:
    return record.outcome == "right"


def _is_answered(record: AnswerRecord) -> bool:
    return record.status == "answered"


def _count_cases(
    metric: str,
    records: Sequence[AnswerRecord],
    is_so: Callable[[AnswerRecord], bool],
    floor: float | None = None,
    floor_name: str = "",
) -> AnswerFigure:
    return measure_share(metric, [(int(is_so(record)), 1) for record in records], floor, floor_name)


def _label_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    if not records:
        return []
    decided = [record for record in records if _is_decided(record)]
    return [
        _count_cases("answer_accuracy", records, _is_right, *_majority(records)),
        _count_cases("decided_accuracy", decided, _is_right, *_majority(decided)),
        _count_cases("coverage", records, _is_decided),
    ]


def _majority(records: Sequence[AnswerRecord]) -> tuple[float | None, str]:
    """What is reached by whoever always gives the commonest answer."""
    if not records:
        return None, ""
    ((label, count),) = Counter(record.gold for record in records).most_common(1)
    return count / len(records), f"always “{label}”"


def _mark_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """What should be said; K-QA's metrics (Manes et al., 2024) of all questions, then of those that were answered."""
    marked = marked_records(records)
    if not marked:
        return []
    leads = [[mark.leads for mark in _needed_marks(record) if mark.leads is not None] for record in marked]
    # Where labels are known too, coverage is that of labels.
    found = [] if labelled_records(records) else [_count_cases("coverage", marked, _is_answered)]
    found.append(measure_share("facts_said", [count_marks(record) for record in marked]))
    found.append(measure_share("facts_in_short", [(sum(said), len(said)) for said in leads]))
    judged = [record for record in marked if any(mark.is_judged for mark in record.marks)]
    for ending, some in (("", judged), ("_answered", [*filter(_is_answered, judged)])) if judged else ():
        found.append(mean_counts(f"comprehensiveness{ending}", map(count_marks, some), per_thing=True))
        found.append(mean_counts(f"contradiction_rate{ending}", map(_count_contradictions, some)))
    return found


def _exact_figures(records: Iterable[AnswerRecord]) -> list[AnswerFigure]:
    """Of factoids and of lists: what of the exact answer is said; and BioASQ's measures, over what gives candidates."""
    asked = [record for record in records if record.exact and record.answerable is not False]
    found = []
    for kind, (score, names) in EXACT_SCORES.items():
        own = [record for record in asked if record.kind == kind]
        if own:
            found += _said_figures(kind, own)
            # Where answers name candidates, who gives no answer names none.
            is_usual = any(record.candidates is not None for record in own)
            named = [
                () if is_usual and one.candidates is None and not _is_answered(one) else one.candidates for one in own
            ]
            scored = [{} if some is None else score(one.exact, some) for one, some in zip(own, named, strict=True)]
            found += mean_figures(names, scored)
    return found


def _said_figures(kind: str, records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """A factoid is one thing by several names; of a list each member counts."""
    asked, of = (sum(column) for column in zip(*(_count_exact(one, "asked") for one in records), strict=True))
    return [
        measure_share(f"{kind}_{name}", [_count_exact(record, field) for record in records], asked / of, ECHO)
        for name, field in (("said", "said"), ("in_short", "leads"))
    ]


def _count_exact(record: AnswerRecord, field: str) -> tuple[int, int]:
    marks = [bool(getattr(mark, field)) for mark in record.exact]
    return (int(any(marks)), 1) if record.kind == "factoid" else (sum(marks), len(marks))


def _text_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """How near answers are to their references; and who was answered, where nothing else counts that."""
    referenced = referenced_records(records)
    if not referenced:
        return []
    known = labelled_records(records) or marked_records(records)
    scored = [score_references(one.references, one.text if _is_answered(one) else "") for one in referenced]
    counted = [] if known else [_count_cases("coverage", referenced, _is_answered)]
    return [*counted, *mean_figures(("ROUGE-2", "ROUGE-2-recall", "ROUGE-L"), scored)]


def _unknown_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    """Of questions of which nothing is known but themselves: who was answered, and an accuracy that there is not."""
    known = (labelled_records(records), marked_records(records), referenced_records(records))
    if not records or any(known) or any(one.answerable is not None or one.exact for one in records):
        return []
    return [measure_share("answer_accuracy", []), _count_cases("coverage", records, _is_answered)]


def _snippet_figures(records: Iterable[AnswerRecord]) -> list[AnswerFigure]:
    """How far quotes and the marked evidence overlap, of cases for which any is marked."""
    marked = [record for record in records if record.snippets and record.answerable is not False]
    scored = [score_quotes(record.quotes, record.snippets) for record in marked]
    return mean_figures(("snippet_precision", "snippet_recall", "snippet_f1"), scored) if marked else []


def _refusal_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    known = [record for record in records if record.answerable is not None]
    unanswerable = [record for record in known if not record.answerable]
    if not unanswerable:
        return []
    refused = [record for record in known if record.status == "abstained"]
    floor = len(unanswerable) / len(known)
    return [
        _count_cases("refusal_precision", refused, lambda one: one.answerable is False, floor, "refusing everything"),
        _count_cases("refusal_recall", unanswerable, lambda one: one.status == "abstained", 1.0, "refusing everything"),
    ]


def _source_figures(records: Sequence[AnswerRecord]) -> list[AnswerFigure]:
    known = {
        metric: [bool(value) for one in records if (value := getattr(one, field)) is not None]
        for metric, field in (("own_source_read", "own_source"), ("own_source_cited", "own_source_cited"))
    }
    return [measure_share(metric, [(int(so), 1) for so in values]) for metric, values in known.items() if values]
