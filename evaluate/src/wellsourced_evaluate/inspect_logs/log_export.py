"""A recorded run as an eval log of inspect_ai, which its viewer shows: a sample for each case, and what they come to.

The whole run stands in the metadata of the log and of its samples, so that `log_import` gives the same run again.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced_evaluate.inspect_logs.case_scores import (
    LABEL_METRIC,
    REASONS,
    VERDICTS,
    CaseCount,
    RunFigure,
    ScoredCases,
    explain_score,
    score_cases,
)
from wellsourced_evaluate.inspect_logs.dataset_rows import METADATA_KEY, letter_choices, relabel_gold
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, hash_parts

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.scorer import Score

SCORER = "wellsourced"
REMEDY = "pip install 'wellsourced[inspect]'"


def require_inspect() -> None:
    """Raise SettingsError when inspect_ai is not installed."""
    try:
        import inspect_ai.log  # noqa: F401
    except ImportError as error:
        raise SettingsError(
            f"Eval logs are read and written by inspect_ai, which is not installed: {REMEDY}."
        ) from error


def export_run(run: AnswerRun, path: Path) -> None:
    """Write a run as an eval log; the ending of the path, .eval or .json, says in which form.

    Raises SettingsError without inspect_ai, SourceRefused when the run does not say what was asked.
    """
    require_inspect()
    from inspect_ai.log import write_eval_log

    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(build_log(run), str(path))


def name_log(run: AnswerRun) -> str:
    """The name of its log among others."""
    return f"{run.path.name.removesuffix('.jsonl')}.eval"


def build_log(run: AnswerRun) -> "EvalLog":
    """The log of a run. Raises SourceRefused when the run does not say what was asked."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalPlan, EvalPlanStep, EvalSpec, EvalStats

    if silent := [one.case for one in run.records.values() if not one.question]:
        remedy = "It is of an earlier version, which did not record questions: give `evaluate run` again with --fresh."
        raise SourceRefused(f"{run.path} does not say what was asked in {len(silent):,} cases. {remedy}")
    header, scored = run.header, score_cases(run)
    written = datetime.fromtimestamp(run.path.stat().st_mtime, UTC)
    begun = written - timedelta(seconds=sum(one.seconds for one in run.records.values()))
    own = {"header": header.model_dump(mode="json"), "floors": dict(scored.arm.floors)}
    return EvalLog(
        status="cancelled" if run.missing else "success",
        eval=EvalSpec(
            created=begun.isoformat(),
            eval_id=header.hash,
            run_id=header.hash,
            task_id=hash_parts([header.data, header.preset, header.regime]),
            task=str(header.data["name"]),
            task_display_name=f"{header.data['name']}: {run.arm}",
            solver=f"{SCORER}/{header.preset}",
            solver_args={"regime": header.regime, **header.settings},
            model=f"{SCORER}/{header.model}",
            dataset=EvalDataset(
                name=str(header.data["name"]),
                samples=int(header.data["asked"]),
                sample_ids=list(run.records),
                shuffled=False,
            ),
            config=EvalConfig(epochs=1, limit=header.data.get("limit") or None),
            packages={SCORER: header.wellsourced, "inspect_ai": version("inspect_ai")},
            metadata={METADATA_KEY: own},
            tags=[header.preset, header.regime],
        ),
        plan=EvalPlan(steps=[EvalPlanStep(solver=f"{SCORER} ask", params=header.settings)]),
        results=_build_results(run, scored),
        stats=EvalStats(started_at=begun.isoformat(), completed_at=written.isoformat(), model_usage=_sum_usage(run)),
        samples=[_build_sample(run, one, scored.cases[one.case]) for one in run.records.values()],
    )


def _build_results(run: AnswerRun, scored: ScoredCases) -> "EvalResults":
    from inspect_ai.log import EvalResults, EvalScore

    failed = sum(one.status == "failed" for one in run.records.values())
    return EvalResults(
        total_samples=int(run.header.data["asked"]),
        completed_samples=len(run.records) - failed,
        scores=[
            EvalScore(
                name=one.figure.metric,
                scorer=one.figure.metric,
                scored_samples=one.cases,
                unscored_samples=len(run.records) - one.cases,
                metrics={metric.name: metric for metric in _list_metrics(one)},
                metadata={"part": one.figure.part, "of": one.figure.of, "floor_name": one.figure.floor_name},
            )
            for one in scored.figures
        ],
    )


def _list_metrics(one: RunFigure) -> Iterator[Any]:
    """The share, its standard error, its 95 % interval and its floor, as far as there are any."""
    from inspect_ai.log import EvalMetric

    figure = one.figure
    named = {"share": figure.value, "stderr": one.stderr, "low": figure.low, "high": figure.high, "floor": figure.floor}
    for name, value in named.items():
        if value is not None:
            yield EvalMetric(name=name, value=value)


def _build_sample(run: AnswerRun, record: AnswerRecord, scores: tuple[CaseCount, ...]) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    model = f"{SCORER}/{run.header.model}"
    usage = _measure_usage([record])
    output = ModelOutput.from_content(model, record.text)
    output.usage = usage
    output.time = record.seconds
    return EvalSample(
        id=record.case,
        epoch=1,
        input=record.question,
        choices=list(letter_choices(list(record.choices.values())).values()) or None,
        target=_say_target(record),
        messages=_list_messages(record, model),
        output=output,
        scores={one.metric: _build_score(record, one) for one in scores},
        metadata={
            **{"preset": run.header.preset, "regime": run.header.regime, "status": record.status},
            **{"abstained_because": record.reason, "short": record.short, "cited": list(record.cited)},
            **{"quotes": [one.model_dump() for one in record.quotes], "gaps": list(record.gaps)},
            METADATA_KEY: record.model_dump(mode="json"),
        },
        model_usage={model: usage} if usage else {},
        total_time=record.seconds,
        error=EvalError(message=record.error, traceback=record.error, traceback_ansi=record.error)
        if record.status == "failed"
        else None,
    )


def _say_target(record: AnswerRecord) -> str:
    """The known answer, or what should be said."""
    if record.choices:
        return relabel_gold(record.choices, record.gold)
    return record.gold or "\n".join(mark.fact for mark in record.marks)


def _list_messages(record: AnswerRecord, model: str) -> "list[ChatMessage]":
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    options = [f"{letter}. {text}" for letter, text in record.choices.items()]
    asked = ChatMessageUser(content="\n".join([record.question, *options]), source="input")
    said = record.text or f"({record.status}: {record.error or record.reason})"
    return [asked, ChatMessageAssistant(content=said, model=model, source="generate")]


def _build_score(record: AnswerRecord, one: CaseCount) -> "Score":
    from inspect_ai.scorer import Score

    is_label = one.metric == LABEL_METRIC
    return Score(
        value=VERDICTS[record.outcome] if is_label else one.part / one.of,
        answer=(relabel_gold(record.choices, record.label) or record.label) if is_label else None,
        explanation=explain_score(record, one.metric),
        reason=REASONS.get(record.outcome) if is_label else None,
        metadata={"part": one.part, "of": one.of},
    )


def _measure_usage(records: list[AnswerRecord]) -> "ModelUsage | None":
    """What models were asked for; None: none was."""
    from inspect_ai.model import ModelUsage

    if not any(one.calls or one.tokens for one in records):
        return None
    costs = [one.cost for one in records]
    total = None if None in costs else sum(cost for cost in costs if cost is not None)
    return ModelUsage(total_tokens=sum(one.tokens for one in records), total_cost=total)


def _sum_usage(run: AnswerRun) -> "dict[str, ModelUsage]":
    usage = _measure_usage(list(run.records.values()))
    return {f"{SCORER}/{run.header.model}": usage} if usage else {}
