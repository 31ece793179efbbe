"""Messages of `wellsourced history`."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from wellsourced.presentation.blocks import List, Presentation
from wellsourced.presentation.wording import format_count
from wellsourced.runs.table import RunLine

RUN_COLUMNS = ("id", "started (UTC)", "kind", "result", "title")
NO_RUNS = "No runs are stored here."
WORDS_NOT_SAVED = "This run may be about a person, so its question and its steps are not saved."
NO_REGISTRY = "No registry of retractions is set. To ask Crossref: --set retractions=crossref"
DELETE_ONE = "Name one run, --keep N or --all."
WATCH_WHAT = "Name runs by their ids, or --all. To list them: wellsourced history list"
NOTHING_CHANGED = "  Nothing changed."


def run_result(line: RunLine) -> str:
    """What came of a run, in a word or two."""
    if line.is_deleted:
        return "deleted"
    if line.state != "finished":
        return line.state
    if line.recorded is None:
        return "not saved"
    return format_count(line.statements, "statement") if line.statements else "no answer"


def run_without_answer(line: RunLine) -> str:
    """A run has no answer to show."""
    if line.is_deleted:
        return f"Run {line.short_id} was deleted."
    if line.is_working:
        known = "" if line.title else f" {WORDS_NOT_SAVED}"
        follow = f"wellsourced history show {line.short_id} --follow"
        return f"Run {line.short_id} is {line.state}.{known} To follow it: {follow}"
    if line.state == "failed":
        return f"Run {line.short_id} failed: {line.problem}"
    return f"Run {line.short_id} {line.state}, and no answer is stored."


def run_not_working(line: RunLine) -> str:
    """A run that is to be stopped does not work."""
    return f"Run {line.short_id} is not running ({run_result(line)})."


def run_stopped(line: RunLine) -> str:
    """A run was asked to stop."""
    if line.is_working:
        return f"Run {line.short_id} has not stopped yet. It stops after its current step."
    return f"Run {line.short_id} is stopped." if line.state == "stopped" else run_not_working(line)


def same_answer(statements: int) -> str:
    """A replayed answer is the same."""
    return f"The same {format_count(statements, 'statement')}, in the same order."


def runs_unchanged(count: int) -> str:
    """All runs are as they were recorded."""
    return f"{format_count(count, 'run')}, unchanged since they were recorded."


def no_file(name: str) -> str:
    """A file does not exist."""
    return f"The file {name} does not exist."


def no_answer_in_file(name: str, error: Exception) -> str:
    """A file holds no answer."""
    reason = str(error).splitlines()[0]
    return f"{name} contains no answer ({reason}). Give the output of `wellsourced ask --json`."


def unknown_export(file: Path) -> str:
    """The ending of a file says no format."""
    return f"Unknown format {file.suffix or file.name}; use .json, .bib or .ris."


def file_written(file: Path) -> str:
    """A file was written."""
    return f"Written to {file}."


def no_interval(given: str) -> str:
    """A time cannot be read."""
    return f"“{given}” is not a time: write 30m, 12h, 1d or 1w."


def next_round(due: datetime) -> str:
    """A watch waits."""
    return f"Next round at {due:%Y-%m-%d %H:%M:%S} UTC. Stop with Ctrl-C."


def compared_runs(since: str, before: str, later: str) -> str:
    """Two runs are compared."""
    return f"since {since} UTC, run {before}{f'; now run {later}' if later else ''}"


def list_items(presentation: Presentation) -> Iterator[str]:
    """The lines of the lists of a result."""
    for block in presentation.blocks:
        yield from (item.text for item in block.items) if isinstance(block, List) else ()
