"""The messages of the terminal: what to do next, spelled as a command."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from wellsourced.errors import NextStep, NextStepKind
from wellsourced.presentation.blocks import List, Presentation
from wellsourced.presentation.wording import format_count
from wellsourced.runs.table import RunLine

RUN: dict[NextStepKind, str] = {
    "create library": "library create {name} --add PATH",
    "add files": "library add {name} PATH",
    "add recipe": "library add {name}",
    "embed library": "library embed {name}",
    "rebuild library": "library rebuild {name}",
    "verify library": "library verify {name}",
    "retry files": "library errors {name} --retry",
    "remove files": "library remove {name} FILE",
    "list libraries": "library list",
    "list settings": "settings",
    "list presets": "presets",
    "list judges": "judges list",
    "list history": "history list",
    "install judge": "judges install PATH|URL",
    "remove judge": "judges remove {name}",
    "calibrate judge": "judges calibrate {name} --pairs FILE",
    "set up": "setup",
    "trust folder": "trust {name}",
    "remove telemetry": "doctor --remove-telemetry",
    "list live sources": "source list",
    "list contacted hosts": "egress",
}
"""What to do → the command that does it; {name} is the value of the step."""

DO: dict[NextStepKind, str] = {
    "choose model": "Name a language model: --model ollama:NAME, local:FILE.gguf, openai:NAME …",
    "set key": "Set the key: --set {name}.key=KEY, or WELLSOURCED_{NAME}__KEY in the environment.",
    "go online": "Leave out --offline, or set network.offline=false.",
    "allow identifiers": "Send it with identifiers masked: --phi mask.",
    "install extra": "Install it: pip install 'wellsourced[{name}]'",
    "rephrase": "Ask one thing at a time, in other words.",
    "read hits": "Read what was found: wellsourced search QUESTION",
    "search research": "Search PubMed too (your words leave this machine): wellsourced ask --live pubmed QUESTION",
    "show receipt": "Details: --receipt",
    "show json": "All of it: --json",
    "check sources": "Check what is searched: wellsourced doctor",
    "move home": "Make the folder writable, or set WELLSOURCED_HOME to another one.",
    "free disk": "Free some disk space before you add documents.",
    "close folder": "Close it, if it is yours: chmod -R go= {name}",
    "update plugin": "Update {name}, or remove it.",
}
"""What to do that is no command of its own → a sentence."""


def spell_next_step(step: NextStep | None) -> str:
    """Say at the terminal what to do next; "" for nothing."""
    if step is None:
        return ""
    if step.kind == "change setting":
        return f"Use --set {step.value}." if "=" in step.value else f"Change the setting {step.value}."
    values = {"name": step.value or "NAME", "NAME": step.value.upper()}
    if step.kind in RUN:
        return f"Run: wellsourced {RUN[step.kind].format_map(values)}"
    return DO[step.kind].format_map(values)


# --- check

MODEL_NEEDED = "Name the language model that answers with --model (openai:NAME, ollama:NAME, local:FILE.gguf …)."
CHECK_STOPPED = "stopped. Run the same command to continue."


def texts_or_questions(*, has_both: bool) -> str:
    """Both texts and questions are given, or neither."""
    if has_both:
        return "Give either texts or --question, not both."
    return "There are no texts to check. Give a FILE, a URL, - or --question TEXT."


def given_twice(value: str) -> str:
    """A text or a question is repeated."""
    return f"“{value}” is given twice."


def only_one_of(one: str, other: str) -> str:
    """Two options exclude each other."""
    return f"Use either {one} or {other}."


def unknown_ending(path: Path) -> str:
    """The ending of a report says no format."""
    return f"Unknown report format: {path}. Name it with --format."


def is_folder(name: str) -> str:
    """A folder is given for a file."""
    return f"{name} is a folder. Name the files in it."


def is_no_regular_file(name: str) -> str:
    """A device or a pipe is given for a file."""
    return f"{name} is not a regular file. Pipe it in: … | wellsourced check -"


def cannot_read(name: str, reason: str) -> str:
    """A file cannot be opened."""
    return f"{name} cannot be read: {reason}."


def cannot_write(path: Path, reason: str) -> str:
    """A file cannot be written."""
    return f"{path} cannot be written: {reason}. Choose another path."


def text_is_empty(name: str) -> str:
    """A text has no words."""
    return f"{'Standard input' if name == '-' else name} is empty."


def text_too_large(name: str, most: int) -> str:
    """A text is longer than is read."""
    return f"{name} is larger than {most // 1_000_000} MB. Give only the part to check."


def rows_left_out(name: str, answers: int, rejected: int) -> str:
    """Some rows of a file of answers cannot be used."""
    return f"{name}: {format_count(answers + rejected, 'row')}, {format_count(answers, 'answer')}, {rejected} skipped"


def report_place(path: Path) -> str:
    """A report was written."""
    return f"Written to {path}"


def nothing_to_repair(name: str) -> str:
    """A text needed no repair."""
    return f"{name}: nothing to repair"


def repair_places(name: str, text: Path, changes: Path) -> str:
    """A text was repaired."""
    return f"{name}: repaired text in {text}, changes in {changes}"


# --- history

RUN_COLUMNS = ("id", "started (UTC)", "kind", "result", "title")
NO_RUNS = "No runs are stored here."
WORDS_NOT_SAVED = "This run may be about a person, so its question and its steps are not saved."
NO_REGISTRY = "No registry of retractions is set. To ask Crossref: --set retractions=crossref"
DELETE_ONE = "Name one run, --keep N or --all."
WATCH_WHAT = "Name runs by their ids, or --all. To list them: wellsourced history list"
NOTHING_CHANGED = "  Nothing changed."
NOT_SAVED_PERSONAL = "wellsourced: Not saved to history: the answer may contain personal data."


def not_saved(error: Exception) -> str:
    return f"wellsourced: Not saved to history: {error} To save none: --set runs=false"


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
    return f"Run {line.short_id} is not running ({run_result(line)})."


def run_stopped(line: RunLine) -> str:
    if line.is_working:
        return f"Run {line.short_id} has not stopped yet. It stops after its current step."
    return f"Run {line.short_id} is stopped." if line.state == "stopped" else run_not_working(line)


def same_answer(statements: int) -> str:
    return f"The same {format_count(statements, 'statement')}, in the same order."


def runs_unchanged(count: int) -> str:
    return f"{format_count(count, 'run')}, unchanged since they were recorded."


def no_file(name: str) -> str:
    return f"The file {name} does not exist."


def no_answer_in_file(name: str, error: Exception) -> str:
    reason = str(error).splitlines()[0]
    return f"{name} contains no answer ({reason}). Give the output of `wellsourced ask --json`."


def unknown_export(file: Path) -> str:
    return f"Unknown format {file.suffix or file.name}; use .json, .bib or .ris."


def file_written(file: Path) -> str:
    return f"Written to {file}."


def no_interval(given: str) -> str:
    return f"“{given}” is not a time: write 30m, 12h, 1d or 1w."


def next_round(due: datetime) -> str:
    return f"Next round at {due:%Y-%m-%d %H:%M:%S} UTC. Stop with Ctrl-C."


def compared_runs(since: str, before: str, later: str) -> str:
    return f"since {since} UTC, run {before}{f'; now run {later}' if later else ''}"


def list_items(presentation: Presentation) -> Iterator[str]:
    """The lines of the lists of a result."""
    for block in presentation.blocks:
        yield from (item.text for item in block.items) if isinstance(block, List) else ()
