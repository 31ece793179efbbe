"""Messages of `wellsourced history`."""

from wellsourced.presentation.wording import format_count
from wellsourced.runs.table import RunLine

COLUMNS = ("id", "started (UTC)", "kind", "result", "title")
NO_RUNS = "No runs are stored here."
WORDS_NOT_SAVED = "It may be about a person, so its question and steps are not saved."
NO_REGISTRY = (
    "This asks registries whether cited works were retracted, and none is set: add --set retractions=crossref. "
    "To check that stored runs are unchanged, leave out the ID."
)
DELETE_WHAT = "Name one run, --keep N or --all."
WATCH_WHAT = "Name runs by their ids, or --all. To list them: wellsourced history list"


def describe_result(line: RunLine) -> str:
    """Result of a run, in a word or two."""
    if line.is_deleted:
        return "deleted"
    if line.state != "finished":
        return line.state
    if line.recorded is None:
        return "not saved"
    return format_count(line.statements, "statement") if line.statements else "no answer"


def run_without_answer(line: RunLine) -> str:
    """A run has no stored answer: it was deleted, still works, failed, or was stopped."""
    if line.is_deleted:
        return f"Run {line.short_id} was deleted."
    if line.is_working:
        known = "" if line.title else f" {WORDS_NOT_SAVED}"
        follow = f"wellsourced history show {line.short_id} --follow"
        return f"Run {line.short_id} is {line.state}.{known} To follow it: {follow}"
    if line.state == "failed":
        return f"Run {line.short_id} failed: {line.problem}"
    return f"Run {line.short_id} {line.state}, and no answer is stored."


def not_running(line: RunLine) -> str:
    """A run that is to be stopped has ended."""
    return f"Run {line.short_id} is not running ({describe_result(line)})."


def stop_result(line: RunLine) -> str:
    """Result of a request to stop a run."""
    if line.is_working:
        return f"Run {line.short_id} has not stopped yet. It stops after its current step."
    return f"Run {line.short_id} is stopped." if line.state == "stopped" else not_running(line)


WRITER_NOT_ASKED = (
    "{writer} wrote this answer and was not asked again: not all of its replies are stored, and a replay sends "
    "nothing. If it runs on this machine, name its server in models.local_servers."
)
SAME_ANSWER = "The same {count}, in the same order."


def runs_unchanged(kept: int, deleted: int) -> str:
    """No stored run was changed."""
    erased = f" and {deleted:,} deleted" if deleted else ""
    return f"{format_count(kept, 'run')}{erased}, unchanged since they were recorded."


RUNS_DELETED = "{count} deleted."
NO_FILE = "The file {name} does not exist."
NO_ANSWER_IN_FILE = "{name} contains no answer ({reason}). Give the output of `wellsourced ask --json`."


def compared_runs(since: str, before: str, later: str) -> str:
    """Two runs of a question were compared."""
    return f"since {since} UTC, run {before}{f'; now run {later}' if later else ''}"
