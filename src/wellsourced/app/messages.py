"""The messages of the terminal, each a function of what it is about."""

from pathlib import Path

from wellsourced.presentation.wording import format_count

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


def written_to(path: Path) -> str:
    """A report was written."""
    return f"Written to {path}"


def nothing_repaired(name: str) -> str:
    """A text needed no repair."""
    return f"{name}: nothing to repair"


def repaired(name: str, text: Path, changes: Path) -> str:
    """A text was repaired."""
    return f"{name}: repaired text in {text}, changes in {changes}"
