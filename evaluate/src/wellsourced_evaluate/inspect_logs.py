"""Recorded runs as eval logs of inspect_ai, whose viewer shows every case; `inspect_solver.py` is the other way."""

import math
import string
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wellsourced.errors import SettingsError
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, Outcome
from wellsourced_evaluate.questions.scores import labelled_records, score_run

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

OURS = "wellsourced"
"""What is called after us: the metadata that is ours, the solver, the scorer."""

LETTERS = string.ascii_uppercase
"""What inspect_ai calls choices: the first is A, whatever it was called before."""

LABEL_METRIC = "answer_accuracy"
"""The metric whose scores are letters: inspect_ai has C for right, I for wrong, N for no answer."""

VERDICTS: Mapping[Outcome, tuple[str, Any]] = {
    "right": ("C", None),
    "wrong": ("I", None),
    "unparsed": ("I", "invalid_response_format"),
    "abstained": ("N", "refusal"),
    "failed": ("N", "no_response"),
}
"""Outcome → its letter, and how inspect_ai calls the reason why the score is not what it should be."""

MetricCounts = Mapping[str, tuple[int, int]]
"""Metric → what one case counts for in it: so many of so many."""


def require_inspect() -> None:
    """Raise SettingsError when inspect_ai is not installed."""
    try:
        import inspect_ai.log  # noqa: F401
    except ImportError as error:
        remedy = "pip install 'wellsourced-evaluate[inspect]'"
        raise SettingsError(f"Eval logs need inspect_ai, which is not installed: {remedy}.") from error


def relabel(options: Mapping[str, str], label: str) -> str:
    """The letter by which inspect_ai calls one of these options."""
    return dict(zip(options, LETTERS, strict=False)).get(label, "")


def export_run(run: AnswerRun, path: Path) -> None:
    """Write a run as an eval log; the ending of the path, .eval or .json, says in which form.

    Raises SettingsError without inspect_ai.
    """
    require_inspect()
    from inspect_ai.log import write_eval_log

    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(_build_log(run), str(path))


def count_cases(run: AnswerRun) -> dict[str, MetricCounts]:
    """Case → what it counts for by every metric that applies to it: these add up to the figures of the run."""
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


def _build_log(run: AnswerRun) -> "EvalLog":
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalResults, EvalSpec, EvalStats

    header, records, counts = run.header, list(run.records.values()), count_cases(run)
    name, asked, model = str(header.data["name"]), int(header.data["asked"]), f"{OURS}/{header.model}"
    written = datetime.fromtimestamp(run.path.stat().st_mtime, UTC)
    begun = (written - timedelta(seconds=sum(record.seconds for record in records))).isoformat()
    return EvalLog(
        status="cancelled" if run.missing else "success",
        eval=EvalSpec(
            created=begun,
            eval_id=header.hash,
            run_id=header.hash,
            task=name,
            task_display_name=f"{name}: {run.arm}",
            solver=f"{OURS}/{header.preset}",
            solver_args={"regime": header.regime, **header.settings},
            model=model,
            dataset=EvalDataset(name=name, samples=asked, sample_ids=list(run.records), shuffled=False),
            config=EvalConfig(epochs=1, limit=header.data.get("limit") or None),
            packages={OURS: header.wellsourced, "inspect_ai": version("inspect_ai")},
            metadata={OURS: {"header": header.model_dump(mode="json"), "floors": dict(score_run(run).floors)}},
        ),
        results=EvalResults(
            total_samples=asked,
            completed_samples=sum(record.status != "failed" for record in records),
            scores=_build_scores(run, counts),
        ),
        stats=EvalStats(started_at=begun, completed_at=written.isoformat(), model_usage=_measure_usage(model, records)),
        samples=[_build_sample(run, record, counts[record.case]) for record in records],
    )


def _build_scores(run: AnswerRun, counts: Mapping[str, MetricCounts]) -> "list[EvalScore]":
    """The share of each metric, its standard error, its 95 % interval and its floor, as far as there are any."""
    from inspect_ai.log import EvalMetric, EvalScore

    found = []
    for figure in score_run(run).figures:
        of_cases = [case[figure.metric] for case in counts.values() if figure.metric in case]
        values = {"share": figure.value, "stderr": standard_error(of_cases)}
        values |= {name: getattr(figure, name) for name in ("low", "high", "floor")}
        metrics = {name: EvalMetric(name=name, value=value) for name, value in values.items() if value is not None}
        score = EvalScore(name=figure.metric, scorer=figure.metric, scored_samples=len(of_cases), metrics=metrics)
        score.unscored_samples = len(run.records) - len(of_cases)
        score.metadata = {"part": figure.part, "of": figure.of, "floor_name": figure.floor_name}
        found.append(score)
    return found


def _build_sample(run: AnswerRun, record: AnswerRecord, counts: MetricCounts) -> "EvalSample":
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    model = f"{OURS}/{run.header.model}"
    usage, output = _measure_usage(model, [record]), ModelOutput.from_content(model, record.text)
    output.usage, output.time = usage.get(model), record.seconds
    asked = "\n".join([record.question, *(f"{letter}. {text}" for letter, text in record.choices.items())])
    said = record.text or f"({record.status}: {record.error or record.reason})"
    failure = EvalError(message=record.error, traceback=record.error, traceback_ansi=record.error)
    known = record.gold or "\n".join(mark.fact for mark in record.marks)
    return EvalSample(
        id=record.case,
        epoch=1,
        input=record.question,
        choices=[*record.choices.values()] or None,
        target=relabel(record.choices, record.gold) if record.choices else known,
        messages=[
            ChatMessageUser(content=asked, source="input"),
            ChatMessageAssistant(content=said, model=model, source="generate"),
        ],
        output=output,
        scores={metric: _build_score(record, metric, *count) for metric, count in counts.items()},
        metadata={OURS: record.model_dump(mode="json")},
        model_usage=usage,
        total_time=record.seconds,
        error=failure if record.status == "failed" else None,
    )


def _build_score(record: AnswerRecord, metric: str, part: int, of: int) -> "Score":
    from inspect_ai.scorer import Score

    score = Score(value=part / of, explanation=_explain_score(record, metric), metadata={"part": part, "of": of})
    if metric == LABEL_METRIC:
        score.value, score.reason = VERDICTS[record.outcome]
        score.answer = relabel(record.choices, record.label) or record.label
    return score


def _explain_score(record: AnswerRecord, metric: str) -> str:
    """Why a case has its score, in words: what was read, what is said and what is not, and the words it cites."""
    words = {True: "said", False: "not said", None: "no verdict"}
    reason = {"failed": record.error, "abstained": record.reason}.get(record.status, "")
    lines = [f"Outcome: {record.outcome}{f' ({reason})' if reason else ''}"]
    for mark in record.marks:
        said = words[mark.leads if metric == "facts_in_short" else mark.said]
        lines.append(f"- {said}: {mark.fact}{' (judged)' if mark.is_judged else ''}")
    quoted = [f"- statement {one.statement + 1} cites {one.document}: “{one.quote}”" for one in record.quotes]
    return "\n".join([*lines, *(quoted or [f"- cites {document}" for document in record.cited])])


def _measure_usage(model: str, records: Sequence[AnswerRecord]) -> "dict[str, ModelUsage]":
    """What the model was asked for; nothing where none was."""
    from inspect_ai.model import ModelUsage

    if not any(record.calls or record.tokens for record in records):
        return {}
    costs = [record.cost for record in records if record.cost is not None]
    cost = sum(costs) if len(costs) == len(records) else None
    return {model: ModelUsage(total_tokens=sum(record.tokens for record in records), total_cost=cost)}
