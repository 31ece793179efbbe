"""Messages of `wellsourced check`."""


from wellsourced.presentation.wording import format_count

MODEL_NEEDED = "Name the language model that answers with --model (openai:NAME, ollama:NAME, local:FILE.gguf …)."


def texts_or_questions(*, has_both: bool) -> str:
    """Both texts and questions are given, or neither."""
    if has_both:
        return "Give either texts or --question, not both."
    return "There are no texts to check. Give a FILE, a URL, - or --question TEXT."


GIVEN_TWICE = "“{value}” is given twice."
ONLY_ONE_OF = "Use either {one} or {other}."
UNKNOWN_ENDING = "Unknown report format: {path}. Name it with --format."
IS_FOLDER = "{name} is a folder. Name the files in it."
CANNOT_READ = "{name} cannot be read: {reason}."


def rows_left_out(name: str, answers: int, rejected: int) -> str:
    """Some rows of a file of answers cannot be used."""
    return f"{name}: {format_count(answers + rejected, 'row')}, {format_count(answers, 'answer')}, {rejected} skipped"


REPORT_PLACE = "Written to {path}"
NOTHING_TO_REPAIR = "{name}: nothing to repair"
REPAIR_PLACES = "{name}: repaired text in {text}, changes in {changes}"
