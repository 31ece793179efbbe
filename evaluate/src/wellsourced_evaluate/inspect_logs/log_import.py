"""An eval log that inspect_ai wrote, of any task with choices or texts, as a recorded run that reports can score."""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.inspect_logs.dataset_rows import METADATA_KEY
from wellsourced_evaluate.inspect_logs.log_export import require_inspect
from wellsourced_evaluate.inspect_logs.sample_records import read_sample, read_verdict
from wellsourced_evaluate.questions.answer_run import (
    ANSWER_LOG,
    AnswerRecord,
    AnswerRun,
    AnswerRunHeader,
    hash_parts,
    read_answer_run,
)
from wellsourced_evaluate.questions.case_rows import BadRow
from wellsourced_evaluate.record_log import RecordLog
from wellsourced_evaluate.recorded_rows import refuse_faults
from wellsourced_evaluate.run_file import hash_code

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

REMEDY = "Give a log that inspect_ai wrote, with its samples: FILE.eval or FILE.json."


class ImportedLog(NamedTuple):
    """A run out of a log, and what was noticed on the way: epochs that were left out, verdicts that say otherwise."""

    header: AnswerRunHeader
    records: tuple[AnswerRecord, ...]
    notes: tuple[str, ...]

    @property
    def file_name(self) -> str:
        """How its file is called among others."""
        parts = (self.header.data["name"], self.header.preset, self.header.regime)
        return ".".join(re.sub(r"[^\w-]+", "-", str(one)).strip("-") or "run" for one in parts) + ".jsonl"


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
    log.samples.sort(key=lambda one: order.get(str(one.id), len(order)))
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
        records = tuple(AnswerRecord.model_validate(one.metadata.get(METADATA_KEY)) for one in samples)
    except ValidationError as error:
        reason = f"what it says of a run of this package is not whole ({error.error_count()} fields)"
        raise UnreadableFile(path, reason, "Export the run again.") from error
    edited = sum(bool(score.history) for one in samples for score in (one.scores or {}).values())
    notes = (
        (f"Scores that were edited in the log, instead of which the recorded ones were taken: {edited:,}.",)
        if edited
        else ()
    )
    return ImportedLog(header, records, notes)


def _translate_log(path: Path, log: "EvalLog", scorer: str, epoch: int) -> ImportedLog:
    every = log.samples or []
    samples = [one for one in every if one.epoch == epoch]
    if not samples:
        raise UnreadableFile(path, f"it has no epoch {epoch}", f"It has {max(one.epoch for one in every)}: name one.")
    scorers = list(dict.fromkeys(name for one in samples for name in one.scores or {}))
    if scorer and scorer not in scorers:
        raise UnreadableFile(path, f"it has no scorer “{scorer}”", f"It has {', '.join(scorers) or 'none'}.")
    chosen = scorer or (scorers[0] if scorers else "")
    records: dict[str, AnswerRecord] = {}
    faults = []
    for one in samples:
        try:
            if str(one.id) in records:
                raise BadRow("the id stands there twice")
            records[str(one.id)] = read_sample(one, (one.scores or {}).get(chosen))
        except BadRow as bad:
            faults.append(f"sample {one.id}: {bad}")
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
    verdicts = {str(one.id): read_verdict((one.scores or {}).get(scorer)) for one in samples}
    answered = [one for one in records.values() if one.status == "answered"]
    unlike = [one.case for one in answered if one.gold and verdicts[one.case] not in (None, one.outcome == "right")]
    silent = [one.case for one in answered if not one.gold and one.marks and verdicts[one.case] is None]
    notes = []
    if unlike:
        notes.append(f"Labels that count otherwise than {scorer} has them: {len(unlike):,} ({', '.join(unlike[:5])}).")
    if silent:
        notes.append(
            f"Answers without a verdict, neither right nor wrong by {scorer or 'any scorer'}: {len(silent):,}."
        )
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
    return AnswerRunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        preset=f"{spec.model}, {spec.solver}" if spec.solver else spec.model,
        model=spec.model,
        judge=f"inspect_ai/{scorer}" if scorer else "nobody",
        data=data,
        regime="allowed",
        sources=(),
        settings={
            "task": spec.task,
            "task_args": spec.task_args,
            "log": hash_file(path)[:16],
            "packages": spec.packages,
        },
    )
