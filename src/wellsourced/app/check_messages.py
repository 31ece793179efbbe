"""Messages of `wellsourced check`."""

from pathlib import Path

from wellsourced.presentation.wording import format_count

MODEL_NEEDED = "Name the language model that answers with --model (openai:NAME, ollama:NAME, local:FILE.gguf …)."


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


def cannot_read(name: str, reason: str) -> str:
    """A file cannot be opened."""
    return f"{name} cannot be read: {reason}."


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
