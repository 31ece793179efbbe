"""Recorded runs and cases as files of inspect_ai, whose viewer shows them, and its eval logs as recorded runs.

The whole run is in the metadata of the log and of its samples, so that `read_log` gives the same run again. In a log of
others a sample with choices, or whose target is yes, no or maybe, has a label; of any other the scorer says whether its
target is said.

Answers to conversations that HealthBench grades by criteria (Arora et al., 2025) are written as an unscored log: the
grading is that of inspect_evals, by `inspect_ai.score(log, healthbench_scorer(…))`.
"""

import math
import re
import string
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import SettingsError, SourceRefused, UnreadableFile
from wellsourced.types import Question, Turn
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.questions.answer_marks import FactMark, join_texts, match_opening_label
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, AnswerRunHeader, Outcome, hash_parts
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow
from wellsourced_evaluate.questions.scores import labelled_records, score_run
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words, build_rows, refuse_faults
from wellsourced_evaluate.retrieval import hash_code

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore
    from inspect_ai.model import ModelUsage
    from inspect_ai.scorer import Score

OURS = "wellsourced"
"""What is called after us: the metadata that is ours, the solver, the scorer."""

LETTERS = string.ascii_uppercase
"""What inspect_ai calls choices: the first is A, whatever it was called before."""

LOG_REMEDY = "Give a log that inspect_ai wrote, with its samples: FILE.eval or FILE.json."

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


def letter_choices(choices: Collection[str]) -> dict[str, str]:
    """Letter → each of the choices. Raises BadRow for more than the alphabet has letters."""
    if len(choices) > len(LETTERS):
        raise BadRow(f"it has {len(choices)} choices, and only {len(LETTERS)} have letters")
    return dict(zip(LETTERS, choices, strict=False))


def relabel(options: Mapping[str, str], label: str) -> str:
    """The letter by which inspect_ai calls one of these options."""
    return dict(zip(options, LETTERS, strict=False)).get(label, "")


def export_run(run: AnswerRun, path: Path) -> None:
    """Write a run as an eval log; the ending of the path, .eval or .json, says in which form.

    Raises SettingsError without inspect_ai, SourceRefused when the run does not say what was asked.
    """
    require_inspect()
    from inspect_ai.log import write_eval_log

    if silent := [record.case for record in run.records.values() if not record.question]:
        remedy = "It is of an earlier version, which did not record questions: give `evaluate run` again with --fresh."
        raise SourceRefused(f"{run.path} does not say what was asked in {len(silent):,} cases. {remedy}")
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
            task_id=hash_parts([header.data, header.preset, header.regime]),
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
        choices=list(letter_choices(record.choices.values()).values()) or None,
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
    cost = _sum_costs([record.cost for record in records])
    return {model: ModelUsage(total_tokens=sum(record.tokens for record in records), total_cost=cost)}


def _sum_costs(costs: Sequence[float | None]) -> float | None:
    """None when one is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


class ImportedLog(NamedTuple):
    """A run out of a log, and what was noticed on the way: epochs that were left out, verdicts that say otherwise."""

    header: AnswerRunHeader
    records: tuple[AnswerRecord, ...]
    notes: tuple[str, ...]


def read_log(path: Path, scorer: str = "", epoch: int = 1) -> ImportedLog:
    """The run that a log tells of; of several epochs one, and by one scorer: the first, unless one is named.

    Raises SettingsError without inspect_ai, UnreadableFile that names the samples which cannot be taken.
    """
    require_inspect()
    from inspect_ai.log import read_eval_log

    try:
        log = read_eval_log(str(path), resolve_attachments="core")
    except Exception as error:
        # It raises whatever its readers of ZIP, JSON and models raise.
        fault = f"inspect_ai cannot read it ({type(error).__name__}: {error})"
        raise UnreadableFile(path, fault, LOG_REMEDY) from error
    if not log.samples:
        raise UnreadableFile(path, "it holds no samples", LOG_REMEDY)
    # Files have samples in an order of their own.
    order = {str(id): place for place, id in enumerate(log.eval.dataset.sample_ids or [])}
    log.samples.sort(key=lambda sample: order.get(str(sample.id), len(order)))
    own = (log.eval.metadata or {}).get(OURS)
    return _restore_run(path, log, own) if isinstance(own, dict) else _translate_log(path, log, scorer, epoch)


def _restore_run(path: Path, log: "EvalLog", own: Mapping[str, Any]) -> ImportedLog:
    """What was exported, as it was; scores that somebody edited in the log do not change what was recorded."""
    samples = log.samples or []
    try:
        header = AnswerRunHeader.model_validate(own.get("header"))
        records = tuple(AnswerRecord.model_validate(sample.metadata.get(OURS)) for sample in samples)
    except ValidationError as error:
        reason = f"what it says of a run of this package is not whole ({error.error_count()} fields)"
        raise UnreadableFile(path, reason, "Export the run again.") from error
    edited = sum(bool(score.history) for sample in samples for score in (sample.scores or {}).values())
    note = f"Scores that were edited in the log, instead of which the recorded ones were taken: {edited:,}."
    return ImportedLog(header, records, (note,) if edited else ())


def _translate_log(path: Path, log: "EvalLog", scorer: str, epoch: int) -> ImportedLog:
    every = log.samples or []
    samples = [sample for sample in every if sample.epoch == epoch]
    if not samples:
        raise UnreadableFile(path, f"it has no epoch {epoch}", f"It has {max(one.epoch for one in every)}: name one.")
    scorers = list(dict.fromkeys(name for sample in samples for name in sample.scores or {}))
    if scorer and scorer not in scorers:
        raise UnreadableFile(path, f"it has no scorer “{scorer}”", f"It has {', '.join(scorers) or 'none'}.")
    chosen = scorer or next(iter(scorers), "")
    scores = {str(sample.id): (sample.scores or {}).get(chosen) for sample in samples}

    def read(sample: "EvalSample") -> AnswerRecord:
        return _read_sample(sample, scores[str(sample.id)])

    places = ((f"sample {sample.id}", sample) for sample in samples)
    records, faults = build_rows(places, read, lambda one: [("the id", one.case)])
    refuse_faults(path, faults)
    notes = [f"Samples of other epochs, left out: {len(every) - len(samples):,}."] if len(every) > len(samples) else []
    if others := [name for name in scorers if name != chosen]:
        notes.append(f"Scored by {chosen}; the log also has {', '.join(others)} (--scorer).")
    if log.status != "success":
        notes.append(f"The log did not end well: its status is “{log.status}”.")
    answered = [(one, _read_verdict(scores[one.case])) for one in records if one.status == "answered"]
    if unlike := [one.case for one, said in answered if one.gold and said not in (None, one.outcome == "right")]:
        notes.append(f"Labels that count otherwise than {chosen} has them: {len(unlike):,} ({', '.join(unlike[:5])}).")
    if silent := sum(not one.gold and bool(one.marks) and said is None for one, said in answered):
        notes.append(f"Answers without a verdict, neither right nor wrong by {chosen or 'any scorer'}: {silent:,}.")
    return ImportedLog(_build_header(path, log, records, chosen), tuple(records), tuple(notes))


def _build_header(path: Path, log: "EvalLog", records: Sequence[AnswerRecord], scorer: str) -> AnswerRunHeader:
    spec = log.eval
    asked = max(len(spec.dataset.sample_ids or []) or spec.dataset.samples or 0, len(records))
    facts = {one.case: [mark.fact for mark in one.marks] for one in records}
    content = sorted([one.case, one.question, [*one.choices.values()], one.gold, *facts[one.case]] for one in records)
    data = {
        **{"name": spec.dataset.name or spec.task, "form": "inspect_ai", "sha256": hash_parts(content)},
        **{"recorded": max(spec.dataset.samples or 0, asked), "limit": 0, "seed": 0, "skipped": {}, "asked": asked},
    }
    settings = {"task": spec.task, "task_args": spec.task_args, "log": hash_file(path)[:16], "packages": spec.packages}
    return AnswerRunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        preset=f"{spec.model}, {spec.solver}" if spec.solver else spec.model,
        model=spec.model,
        judge=f"inspect_ai/{scorer}" if scorer else "nobody",
        data=data,
        regime="allowed",
        sources=(),
        settings=settings,
    )


def _read_sample(sample: "EvalSample", score: "Score | None") -> AnswerRecord:
    """What one sample says. Raises BadRow for what cannot be taken."""
    choices = letter_choices(sample.choices or ())
    given = [sample.target] if isinstance(sample.target, str) else sample.target
    targets = [one.strip() for one in given if one.strip()]
    labels = _read_labels(choices, targets)
    text, used = sample.output.completion, list(sample.model_usage.values())
    known: dict[str, Any] = {
        "case": str(sample.id),
        "group": str(sample.metadata.get("group") or sample.id),
        "question": _read_input(sample),
        "choices": choices,
        "options": len(choices),
        "seconds": round(sample.total_time or 0.0, 3),
        "gaps": (f"inspect_ai: stopped at its limit of {sample.limit.type}",) if sample.limit else (),
        "calls": sum(event.event == "model" for event in sample.events),
        "tokens": sum(usage.total_tokens for usage in used),
        "cost": _sum_costs([usage.total_cost for usage in used]),
    }
    fact = " / ".join(targets)
    marks = [FactMark(fact=fact, said=_read_verdict(score), leads=None, is_judged=True)] if targets else []
    if labels:
        known["gold"], marks = ", ".join(sorted(labels)) if choices else labels[0], []
    if sample.error or sample.invalidation:
        reason = sample.error.message if sample.error else "it was made invalid in the log"
        marks = [mark.model_copy(update={"said": False}) for mark in marks]
        known |= {"status": "failed", "error": reason or "no reason"}
    elif score is not None and score.reason == "refusal":
        known |= {"status": "abstained", "reason": score.explanation or "refused", "text": text}
    else:
        short = (score.answer if score else None) or ""
        label = _read_label(choices, short, text) if labels else ""
        known |= {"status": "answered", "label": label, "text": text, "short": short}
    return AnswerRecord.model_validate({**known, "marks": marks})


def _read_input(sample: "EvalSample") -> str:
    """What a sample asks: a text, or what the user says in a conversation. Raises BadRow."""
    if isinstance(sample.input, str) and sample.input.strip():
        return sample.input.strip()
    said = [message.content for message in sample.input if not isinstance(message, str) and message.role == "user"]
    texts = [text for text in said if isinstance(text, str)]
    if not texts or len(texts) < len(said):
        raise BadRow("its input is neither a text nor a conversation of texts")
    return "\n\n".join(texts)


def _read_verdict(score: "Score | None") -> bool | None:
    """Whether a scorer says that an answer is right; None: it says neither, as of an answer that is right in part."""
    value: Any = score.value if score else None
    if isinstance(value, str):
        return {"C": True, "I": False, "N": False}.get(value)
    return bool(value) if isinstance(value, bool | int | float) and value in (0, 1) else None


def _read_labels(choices: Mapping[str, str], targets: Sequence[str]) -> list[str]:
    """The right label, or labels; none when the target is a text."""
    if not choices:
        folded = [target.casefold() for target in targets]
        return folded if len(folded) == 1 and folded[0] in YES_NO_LABELS else []
    letters = _split_letters(" ".join(targets))
    if not letters or not choices.keys() >= set(letters):
        raise BadRow(f"its target {', '.join(targets) or '(none)'} is not a letter of its {len(choices)} choices")
    return letters


def _read_label(choices: Mapping[str, str], taken: str, text: str) -> str:
    """What the scorer took as the answer, else the line in which an output ends, else the word with which it begins."""
    # inspect_ai asks models to end with "ANSWER: B".
    found = [taken, *re.findall(r"ANSWER\s*:\s*\(?([A-Za-z]+)\b", text, re.IGNORECASE)[-1:]]
    if choices:
        spelled = map(_split_letters, found)
        return next((", ".join(sorted(one)) for one in spelled if one and choices.keys() >= set(one)), "")
    words = (word.strip(" .").casefold() for word in found)
    return next((word for word in words if word in YES_NO_LABELS), "") or match_opening_label(text)


def _split_letters(text: str) -> list[str]:
    """The letters of choices that a text lists: "b, C" has B and C."""
    return [letter for letter in re.split(r"[,\s]+", text.upper()) if letter]


# --- conversations that inspect_evals grades ------------------------------------------------------------------------

SHARED_TAGS = ("theme:", "physician_agreed_category:")
"""Tags of a conversation that inspect_evals looks for at each of its criteria."""


class ConversationTurn(RecordedRow):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: Words


class RubricCriterion(RecordedRow):
    """What an answer is graded by. Points below 0 are for a fault: whoever meets it loses them."""

    criterion: Words
    points: Annotated[float, Field(strict=True, allow_inf_nan=False)]
    tags: tuple[str, ...] = ()


class RubricCase(RecordedRow):
    """A conversation that ends with what a user says, and the criteria of an answer to it."""

    id: Words = Field(alias="prompt_id")
    prompt: Annotated[tuple[ConversationTurn, ...], Field(min_length=1)]
    rubrics: Annotated[tuple[RubricCriterion, ...], Field(min_length=1)]
    example_tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_conversation(self) -> Self:
        if self.prompt[-1].role != "user":
            raise ValueError("its conversation does not end with what a user says")
        return self


class WrittenCompletion(RecordedRow):
    """An answer that somebody gave to a conversation."""

    id: Words = Field(alias="prompt_id")
    completion: str


async def answer_case(case: RubricCase, context: Context) -> str:
    """What this system says, as its reader meets it: what to do first in an emergency, what is said, or why not."""
    before = tuple(Turn(role=turn.role, text=turn.content) for turn in case.prompt[:-1])
    given = await ask(Question(text=case.prompt[-1].content, history=before), context)
    advice = given.emergency.advice if given.emergency else ""
    return "\n".join(filter(None, (advice, join_texts(given.statements) or given.reason)))


def write_rubric_log(
    data: RecordedFile[RubricCase], answers: Mapping[str, str], errors: Mapping[str, str], arm: str, path: Path
) -> None:
    """Write conversations with their answers as an unscored log; it needs inspect_ai.

    An error is shown as such, and graded as silence.
    """
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    kinds: dict[str, Any] = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    spec = EvalSpec(
        created=datetime.now(UTC).isoformat(),
        task="inspect_evals/healthbench",
        task_display_name=f"{data.file}: {arm}",
        model="none/none",  # nobody is asked again: inspect_ai opens the model that it finds here
        dataset=EvalDataset(name=data.file, samples=len(data.rows), sample_ids=[case.id for case in data.rows]),
        config=EvalConfig(epochs=1),
        metadata={"sha256": data.sha256, "recorded": data.recorded},
    )
    samples = []
    for case in data.rows:
        messages = [kinds[turn.role](content=turn.content) for turn in case.prompt]
        metadata = case.model_dump(mode="json", by_alias=True) | {"error": errors.get(case.id)}
        metadata["conversation"] = metadata.pop("prompt")
        for rubric in metadata["rubrics"]:
            rubric["tags"] += [tag for tag in case.example_tags if tag.startswith(SHARED_TAGS)]
        sample = EvalSample(id=case.id, epoch=1, input=messages, target="", metadata=metadata)
        sample.messages = [*messages, ChatMessageAssistant(content=answers[case.id])]
        sample.output = ModelOutput.from_content(arm, answers[case.id])
        samples.append(sample)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_eval_log(EvalLog(status="success", eval=spec, samples=samples), str(path))
