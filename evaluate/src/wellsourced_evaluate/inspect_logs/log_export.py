"""A recorded run as an eval log of inspect_ai, which its viewer shows: a sample for each case, and what they come to.

The whole run is in the metadata of the log and of its samples, so that `log_import` gives the same run again. The log
has a score for each sample, and metrics with standard errors. Ours are shares over all cases: the parts and
wholes of the cases add up to them.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced_evaluate.inspect_logs.dataset_rows import METADATA_KEY, letter_choices, relabel_gold
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, Outcome, hash_parts
from wellsourced_evaluate.questions.scores import labelled_records, score_run

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

SCORER = "wellsourced"
REMEDY = "pip install 'wellsourced-evaluate[inspect]'"

LABEL_METRIC = "answer_accuracy"
"""The metric whose scores are letters: inspect_ai has C for right, I for wrong, N for no answer."""

VERDICTS: Mapping[Outcome, str] = {"right": "C", "wrong": "I", "unparsed": "I", "abstained": "N", "failed": "N"}

REASONS: Mapping[Outcome, str] = {
    **{"unparsed": "invalid_response_format", "abstained": "refusal", "failed": "no_response"}
}
"""Outcome → how inspect_ai calls the reason why a score is not what it should be."""

MetricCounts = Mapping[str, tuple[int, int]]
"""Metric → what one case counts for in it: so many of so many."""


def require_inspect() -> None:
    """Raise SettingsError when inspect_ai is not installed."""
    try:
        import inspect_ai.log  # noqa: F401
    except ImportError as error:
        reason = "Eval logs are read and written by inspect_ai, which is not installed"
        raise SettingsError(f"{reason}: {REMEDY}.") from error


def export_run(run: AnswerRun, path: Path) -> None:
    """Write a run as an eval log; the ending of the path, .eval or .json, says in which form.

    Raises SettingsError without inspect_ai, SourceRefused when the run does not say what was asked.
    """
    require_inspect()
    from inspect_ai.log import write_eval_log

    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(build_log(run), str(path))


def count_cases(run: AnswerRun) -> dict[str, MetricCounts]:
    """Case → what it counts for by every metric that applies to it."""
    labelled = {record.case for record in labelled_records(run.records.values())}
    return {
        case: {
            # A run of one case has the figures of this case; where labels are known of any, coverage is of those alone.
            figure.metric: (figure.part, figure.of)
            for figure in score_run(run._replace(records={case: record})).figures
            if figure.of and (figure.metric != "coverage" or not labelled or case in labelled)
        }
        for case, record in run.records.items()
    }


def standard_error(counts: Sequence[tuple[int, int]]) -> float | None:
    """The standard error of the share over (part, whole) of each case; None for fewer than two cases.

    Linearised, as of a ratio: where every whole is 1 it is the deviation of the sample by the root of its size.
    """
    cases, whole = len(counts), sum(of for _, of in counts)
    if cases < 2 or not whole:
        return None
    share = sum(part for part, _ in counts) / whole
    squares = sum((part - share * of) ** 2 for part, of in counts)
    return math.sqrt(squares / (cases * (cases - 1))) / (whole / cases)


def build_log(run: AnswerRun) -> "EvalLog":
    """The log of a run. Raises SourceRefused when the run does not say what was asked."""
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalPlan,
        EvalPlanStep,
        EvalResults,
        EvalSpec,
        EvalStats,
    )

    if silent := [record.case for record in run.records.values() if not record.question]:
        remedy = "It is of an earlier version, which did not record questions: give `evaluate run` again with --fresh."
        raise SourceRefused(f"{run.path} does not say what was asked in {len(silent):,} cases. {remedy}")
    header, records, counts = run.header, list(run.records.values()), count_cases(run)
    name, asked, model = str(header.data["name"]), int(header.data["asked"]), f"{SCORER}/{header.model}"
    written = datetime.fromtimestamp(run.path.stat().st_mtime, UTC)
    begun = written - timedelta(seconds=sum(record.seconds for record in records))
    floors = score_run(run).floors
    usage = _measure_usage(records)
    return EvalLog(
        status="cancelled" if run.missing else "success",
        eval=EvalSpec(
            created=begun.isoformat(),
            eval_id=header.hash,
            run_id=header.hash,
            task_id=hash_parts([header.data, header.preset, header.regime]),
            task=name,
            task_display_name=f"{name}: {run.arm}",
            solver=f"{SCORER}/{header.preset}",
            solver_args={"regime": header.regime, **header.settings},
            model=model,
            dataset=EvalDataset(name=name, samples=asked, sample_ids=list(run.records), shuffled=False),
            config=EvalConfig(epochs=1, limit=header.data.get("limit") or None),
            packages={SCORER: header.wellsourced, "inspect_ai": version("inspect_ai")},
            metadata={METADATA_KEY: {"header": header.model_dump(mode="json"), "floors": dict(floors)}},
            tags=[header.preset, header.regime],
        ),
        plan=EvalPlan(steps=[EvalPlanStep(solver=f"{SCORER} ask", params=header.settings)]),
        results=EvalResults(
            total_samples=asked,
            completed_samples=sum(record.status != "failed" for record in records),
            scores=_build_scores(run, counts),
        ),
        stats=EvalStats(
            started_at=begun.isoformat(), completed_at=written.isoformat(), model_usage={model: usage} if usage else {}
        ),
        samples=[_build_sample(run, record, counts[record.case]) for record in records],
    )


def _build_scores(run: AnswerRun, counts: Mapping[str, MetricCounts]) -> "list[EvalScore]":
    """The share of each metric, its standard error, its 95 % interval and its floor, as far as there are any."""
    from inspect_ai.log import EvalMetric, EvalScore

    found = []
    for figure in score_run(run).figures:
        of_cases = [case[figure.metric] for case in counts.values() if figure.metric in case]
        values = {"share": figure.value, "stderr": standard_error(of_cases), "low": figure.low, "high": figure.high}
        known = {name: value for name, value in {**values, "floor": figure.floor}.items() if value is not None}
        found.append(
            EvalScore(
                name=figure.metric,
                scorer=figure.metric,
                scored_samples=len(of_cases),
                unscored_samples=len(run.records) - len(of_cases),
                metrics={name: EvalMetric(name=name, value=value) for name, value in known.items()},
                metadata={"part": figure.part, "of": figure.of, "floor_name": figure.floor_name},
            )
        )
    return found


def _build_sample(run: AnswerRun, record: AnswerRecord, counts: MetricCounts) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    model = f"{SCORER}/{run.header.model}"
    usage = _measure_usage([record])
    output = ModelOutput.from_content(model, record.text)
    output.usage, output.time = usage, record.seconds
    asked = "\n".join([record.question, *(f"{letter}. {text}" for letter, text in record.choices.items())])
    said = record.text or f"({record.status}: {record.error or record.reason})"
    failure = EvalError(message=record.error, traceback=record.error, traceback_ansi=record.error)
    # The known answer, or what should be said.
    target = record.gold or "\n".join(mark.fact for mark in record.marks)
    return EvalSample(
        id=record.case,
        epoch=1,
        input=record.question,
        choices=list(letter_choices(list(record.choices.values())).values()) or None,
        target=relabel_gold(record.choices, record.gold) if record.choices else target,
        messages=[
            ChatMessageUser(content=asked, source="input"),
            ChatMessageAssistant(content=said, model=model, source="generate"),
        ],
        output=output,
        scores={metric: _build_score(record, metric, *count) for metric, count in counts.items()},
        metadata={
            **{"preset": run.header.preset, "regime": run.header.regime, "status": record.status},
            **{"abstained_because": record.reason, "short": record.short, "cited": list(record.cited)},
            **{"quotes": [quote.model_dump() for quote in record.quotes], "gaps": list(record.gaps)},
            METADATA_KEY: record.model_dump(mode="json"),
        },
        model_usage={model: usage} if usage else {},
        total_time=record.seconds,
        error=failure if record.status == "failed" else None,
    )


def _build_score(record: AnswerRecord, metric: str, part: int, of: int) -> "Score":
    from inspect_ai.scorer import Score

    is_label = metric == LABEL_METRIC
    return Score(
        value=VERDICTS[record.outcome] if is_label else part / of,
        answer=(relabel_gold(record.choices, record.label) or record.label) if is_label else None,
        explanation=explain_score(record, metric),
        reason=REASONS.get(record.outcome) if is_label else None,
        metadata={"part": part, "of": of},
    )


def explain_score(record: AnswerRecord, metric: str) -> str:
    """Why a case has its score, in words: what was read, what is said and what is not, and the words it cites."""
    if record.status == "failed":
        return f"The question failed: {record.error}"
    if record.quotes:
        cited = [f"- statement {one.statement + 1}, {one.document}: “{one.quote}”" for one in record.quotes]
    else:
        cited = [f"- {document}" for document in record.cited]
    quotes = ["\n".join(["Cites:", *cited])] if cited else []
    if metric in ("facts_said", "facts_in_short"):
        words = {True: "said", False: "not said", None: "no verdict"}
        said = [mark.said if metric == "facts_said" else mark.leads for mark in record.marks]
        marks = [f"{one.fact}{' (judged)' if one.is_judged else ''}" for one in record.marks]
        lines = [f"- {words[is_said]}: {mark}" for is_said, mark in zip(said, marks, strict=True)]
        return "\n".join(["Expected:", *lines, *quotes])
    outcome = f"Abstained: {record.reason}" if record.status == "abstained" else f"Outcome: {record.outcome}"
    return "\n\n".join([outcome, *quotes]) if metric == LABEL_METRIC else outcome


def _measure_usage(records: Sequence[AnswerRecord]) -> "ModelUsage | None":
    """What models were asked for; None: none was."""
    from inspect_ai.model import ModelUsage

    if not any(record.calls or record.tokens for record in records):
        return None
    costs = [record.cost for record in records]
    total = None if None in costs else sum(cost for cost in costs if cost is not None)
    return ModelUsage(total_tokens=sum(record.tokens for record in records), total_cost=total)
