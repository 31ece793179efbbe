"""An eval log that inspect_ai wrote, of any task with choices or texts, as a recorded run that reports can score.

A sample with choices, or whose target is yes, no or maybe, has a label; it is read from what its scorer took as the
answer, else from the output. Any other target is a text: whether it is said is what the scorer of the log says.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.inspect_logs.dataset_rows import METADATA_KEY, letter_choices, read_input, read_targets
from wellsourced_evaluate.inspect_logs.log_export import require_inspect
from wellsourced_evaluate.questions.answer_marks import FactMark, match_opening_label
from wellsourced_evaluate.questions.answer_run import (
    ANSWER_LOG,
    AnswerRecord,
    AnswerRun,
    AnswerRunHeader,
    hash_parts,
    read_answer_run,
)
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow
from wellsourced_evaluate.record_log import RecordLog
from wellsourced_evaluate.recorded_rows import refuse_faults
from wellsourced_evaluate.retrieval_runs import hash_code

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score

REMEDY = "Give a log that inspect_ai wrote, with its samples: FILE.eval or FILE.json."

_ANSWER_LINE = re.compile(r"ANSWER\s*:\s*\(?(?P<answer>[A-Za-z]+)\b", re.IGNORECASE)
"""How inspect_ai asks models to end: "ANSWER: B"."""


class ImportedLog(NamedTuple):
    """A run out of a log, and what was noticed on the way: epochs that were left out, verdicts that say otherwise."""

    header: AnswerRunHeader
    records: tuple[AnswerRecord, ...]
    notes: tuple[str, ...]

    @property
    def file_name(self) -> str:
        """How its file is called among others."""
        parts = (self.header.data["name"], self.header.preset, self.header.regime)
        return ".".join(re.sub(r"[^\w-]+", "-", str(part)).strip("-") or "run" for part in parts) + ".jsonl"


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
        raise UnreadableFile(path, f"inspect_ai cannot read it ({type(error).__name__}: {error})", REMEDY) from error
    if not log.samples:
        raise UnreadableFile(path, "it holds no samples", REMEDY)
    # Files have samples in an order of their own.
    order = {str(id): place for place, id in enumerate(log.eval.dataset.sample_ids or [])}
    log.samples.sort(key=lambda sample: order.get(str(sample.id), len(order)))
    own = (log.eval.metadata or {}).get(METADATA_KEY)
    return _restore_run(path, log, own) if isinstance(own, dict) else _translate_log(path, log, scorer, epoch)


def write_imported(imported: ImportedLog, path: Path, *, fresh: bool = False) -> AnswerRun:
    """Record what came of a log. Raises SourceRefused when the file holds another run, and is not to be begun anew."""
    with RecordLog(path, imported.header, ANSWER_LOG, fresh=fresh) as log:
        for record in imported.records:
            if record.case not in log.records:
                log.add(record)
    return read_answer_run(path)


def _restore_run(path: Path, log: "EvalLog", own: Mapping[str, Any]) -> ImportedLog:
    """What was exported, as it was; scores that somebody edited in the log do not change what was recorded."""
    samples = log.samples or []
    try:
        header = AnswerRunHeader.model_validate(own.get("header"))
        records = tuple(AnswerRecord.model_validate(sample.metadata.get(METADATA_KEY)) for sample in samples)
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
    chosen = scorer or (scorers[0] if scorers else "")
    records: dict[str, AnswerRecord] = {}
    faults = []
    for sample in samples:
        try:
            if str(sample.id) in records:
                raise BadRow("the id stands there twice")
            records[str(sample.id)] = read_sample(sample, (sample.scores or {}).get(chosen))
        except BadRow as bad:
            faults.append(f"sample {sample.id}: {bad}")
    refuse_faults(path, faults)
    notes = [f"Samples of other epochs, left out: {len(every) - len(samples):,}."] if len(every) > len(samples) else []
    if others := [name for name in scorers if name != chosen]:
        notes.append(f"Scored by {chosen}; the log has {', '.join(others)} besides (--scorer).")
    if log.status != "success":
        notes.append(f"The log did not end well: its status is “{log.status}”.")
    notes += _note_verdicts(samples, records, chosen)
    return ImportedLog(_build_header(path, log, list(records.values()), chosen), tuple(records.values()), tuple(notes))


def _note_verdicts(samples: Sequence["EvalSample"], records: Mapping[str, AnswerRecord], scorer: str) -> list[str]:
    """Where the scorer of the log says otherwise than what was read here, or says neither."""
    verdicts = {str(sample.id): read_verdict((sample.scores or {}).get(scorer)) for sample in samples}
    answered = [record for record in records.values() if record.status == "answered"]
    unlike = [one.case for one in answered if one.gold and verdicts[one.case] not in (None, one.outcome == "right")]
    silent = [one.case for one in answered if not one.gold and one.marks and verdicts[one.case] is None]
    notes = []
    if unlike:
        notes.append(f"Labels that count otherwise than {scorer} has them: {len(unlike):,} ({', '.join(unlike[:5])}).")
    if silent:
        judge = scorer or "any scorer"
        notes.append(f"Answers without a verdict, neither right nor wrong by {judge}: {len(silent):,}.")
    return notes


def _build_header(path: Path, log: "EvalLog", records: Sequence[AnswerRecord], scorer: str) -> AnswerRunHeader:
    spec = log.eval
    asked = max(len(spec.dataset.sample_ids or []) or spec.dataset.samples or 0, len(records))
    content = sorted(
        [one.case, one.question, list(one.choices.values()), one.gold, *(mark.fact for mark in one.marks)]
        for one in records
    )
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


def read_sample(sample: "EvalSample", score: "Score | None") -> AnswerRecord:
    """What one sample says. Raises BadRow for what cannot be taken."""
    given = sample.input if isinstance(sample.input, str) else [message.model_dump() for message in sample.input]
    choices = letter_choices(sample.choices or [])
    targets = read_targets(sample.target)
    labels = _read_labels(choices, targets)
    text = sample.output.completion
    used = list(sample.model_usage.values())
    costs = [usage.total_cost for usage in used]
    known: dict[str, Any] = {
        **{"case": str(sample.id), "group": str(sample.metadata.get("group") or sample.id)},
        **{"question": read_input(given), "choices": choices, "options": len(choices)},
        "seconds": round(sample.total_time or 0.0, 3),
        "gaps": (f"inspect_ai: stopped at its limit of {sample.limit.type}",) if sample.limit else (),
        "calls": sum(event.event == "model" for event in sample.events),
        "tokens": sum(usage.total_tokens for usage in used),
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
    }
    if labels:
        known["gold"] = ", ".join(sorted(labels)) if choices else labels[0]
    elif targets:
        mark = FactMark(fact=" / ".join(targets), said=read_verdict(score), leads=None, is_judged=True)
        known["marks"] = (mark,)
    if sample.error or sample.invalidation:
        reason = sample.error.message if sample.error else "it was made invalid in the log"
        lost = [mark.model_copy(update={"said": False}) for mark in known.get("marks", ())]
        known |= {"marks": lost, "status": "failed", "error": reason or "no reason"}
    elif score is not None and score.reason == "refusal":
        known |= {"status": "abstained", "reason": score.explanation or "refused", "text": text}
    else:
        short = (score.answer if score else None) or ""
        label = _read_label(choices, labels, short, text)
        known |= {"status": "answered", "label": label, "text": text, "short": short}
    return AnswerRecord.model_validate(known)


def read_verdict(score: "Score | None") -> bool | None:
    """Whether a scorer says that an answer is right; None: it says neither, as of an answer that is right in part."""
    value: Any = score.value if score else None
    if isinstance(value, str):
        return {"C": True, "I": False, "N": False}.get(value)
    return bool(value) if isinstance(value, bool | int | float) and value in (0, 1) else None


def _read_labels(choices: Mapping[str, str], targets: Sequence[str]) -> list[str]:
    """The right label, or labels; none when the target is a text."""
    if choices:
        letters = [letter for target in targets for letter in split_letters(target)]
        if not letters or not all(letter in choices for letter in letters):
            raise BadRow(f"its target {', '.join(targets) or '(none)'} is no letter of its {len(choices)} choices")
        return letters
    folded = [target.casefold() for target in targets]
    return folded if len(folded) == 1 and folded[0] in YES_NO_LABELS else []


def _read_label(choices: Mapping[str, str], labels: Sequence[str], taken: str, text: str) -> str:
    """What the scorer took as the answer, else the line in which an output ends, else the word with which it begins."""
    if not labels:
        return ""
    found = [taken, *[match["answer"] for match in _ANSWER_LINE.finditer(text)][-1:]]
    if choices:
        spelled = map(split_letters, found)
        return next((", ".join(sorted(one)) for one in spelled if one and choices.keys() >= set(one)), "")
    words = (word.strip(" .").casefold() for word in found)
    return next((word for word in words if word in YES_NO_LABELS), "") or match_opening_label(text)


def split_letters(text: str) -> list[str]:
    """The letters of choices that a text lists: "b, C" has B and C."""
    return [letter for letter in re.split(r"[,\s]+", text.upper()) if letter]
