"""Messages of `wellsourced chat`."""

from pathlib import Path

GREETING = "Ask a question. Ctrl-C stops an answer, Ctrl-D ends the chat, /help explains more."

HELP = """\
Anything not starting with / is a question. Follow-up questions work, such as
"And in pregnancy?". The arrow keys bring back earlier lines.
  /sources     show the words behind the last answer, work by work
  /save FILE   write the chat into a new file that only you can read;
               FILE.json gets full details
  /help        show this help
  /quit        end the chat, as Ctrl-D does
Ctrl-C stops an answer, and the chat goes on. Nothing is saved without /save."""

INTERRUPT_HINT = "(/quit or Ctrl-D ends the chat)"
STOPPED = "Stopped. The chat is as it was before this question."
NOTHING_ANSWERED = "Nothing was answered yet."
NAME_FILE = "Name the file: /save gout.txt"


def file_exists(name: str) -> str:
    """The file for a chat is there already."""
    return f"{name} already exists. Name another file."


def not_saved(reason: str) -> str:
    """A chat could not be written."""
    return f"Not saved: {reason}"


def saved(path: Path) -> str:
    """A chat was written."""
    return f"Saved to {path}."


def unknown_word(word: str) -> str:
    """A line begins with a slash and an unknown word."""
    return f"Unknown command {word}. /help lists them."
