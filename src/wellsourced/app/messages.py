"""Messages of the terminal: what to do next, spelled as a command; errors; and what most commands say.

Those of `history`, `library` and `setup` are in modules beside this one. A constant with names in braces is a template,
whose values are given by these names with `format`; tests/test_messages.py holds every call against it.
"""

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from wellsourced.errors import NextStep, NextStepKind
from wellsourced.presentation.wording import format_count

RUN: dict[NextStepKind, str] = {
    "create library": "library create {name} --add PATH",
    "add files": "library add {name} PATH",
    "resume files": "library add {name}",
    "add recipe": "library add {name}",
    "embed library": "library embed {name}",
    "expect questions": "library expect {name}",
    "rebuild library": "library verify {name} --rebuild",
    "verify library": "library verify {name}",
    "retry files": "library errors {name} --retry",
    "list faults": "library errors {name}",
    "remove files": "library remove {name} FILE",
    "list libraries": "library list",
    "list presets": "help presets",
    "list judges": "setup judges",
    "list history": "history list",
    "install judge": "setup judges --install PATH|URL",
    "remove judge": "setup judges --remove {name}",
    "calibrate judge": "setup judges calibrate --judge {name} --pairs FILE",
    "open passage": "open {name}",
    "set up": "setup",
    "trust folder": "setup trust {name}",
    "remove telemetry": "doctor --remove-telemetry",
    "list live sources": "doctor --network",
    "list contacted hosts": "doctor --network",
}
"""What to do → the command that does it; {name} is the value of the step."""

DO: dict[NextStepKind, str] = {
    "choose model": "Name a language model: --model ollama:NAME, local:FILE.gguf, openai:NAME …",
    "set key": "Set the key: wellsourced setup set {name}.key - (or WELLSOURCED_{NAME}__KEY in the environment).",
    "go online": "Leave out --offline, or set network.offline=false.",
    "allow identifiers": "Or choose what happens to identifiers: --phi {name}.",
    "allow patient text": "Let {name} see the patient's text: --set patient_to={name}",
    "install extra": "In the checkout, run make full; or inside its .venv: pip install 'wellsourced[{name}]'",
    "install package": "Install it: pip install '{name}'",
    "reinstall package": "Install it again: pip install --force-reinstall --no-deps '{name}'",
    "rename judge": "Name it with --name NAME.",
    "give tokens": "Give a file of tokens: --tokens FILE",
    "make token": "Make a longer one, for example with: openssl rand -hex 32",
    "rephrase": "Ask one thing at a time, or use other words.",
    "read hits": "Read what was found: wellsourced search QUESTION",
    "search research": "Search PubMed too (your words leave this machine): wellsourced ask --live pubmed QUESTION",
    "show document": "All of it: --all",
    "show receipt": "Details: --receipt",
    "check sources": "Check what is searched: wellsourced doctor",
    "move home": "Make the folder writable, or set WELLSOURCED_HOME to another one.",
    "free disk": "Free some disk space before you add documents.",
    "close folder": "Close it, if it is yours: chmod -R go= {name}",
    "update plugin": "Update {name}, or remove it.",
}
"""What to do that is no command of its own → a sentence."""


LIVE_IDS = {"pubmed": "pubmed", "pmc": "pmc", "nct": "clinical_trials"}
"""How ids of documents begin that no library may have → the live source that has them."""

LARGE_EXTRAS = {"e5", "neural"}
"""Those that `make full` leaves out."""

INSTALL_LARGE_EXTRA = "Inside the .venv of the checkout, run: pip install 'wellsourced[{name}]'"


def spell_next_step(step: NextStep | None) -> str:
    """Say at the terminal what to do next; "" for nothing."""
    if step is None:
        return ""
    if step.kind == "change setting":
        return f"Use --set {step.value}." if "=" in step.value else f"Run: wellsourced setup set {step.value} VALUE"
    if step.kind == "install extra" and step.value in LARGE_EXTRAS:
        return INSTALL_LARGE_EXTRA.format(name=step.value)
    values = {"name": step.value or "NAME", "NAME": step.value.upper()}
    if step.kind in RUN:
        # Only a live source has what no library has; libraries are asked first.
        live = LIVE_IDS.get(step.value.partition(":")[0]) if step.kind == "open passage" else None
        # A folder may have blanks in its name.
        command = RUN[step.kind].format(name=shlex.quote(values["name"]))
        return f"Run: wellsourced {command}{f' --live {live}' if live else ''}"
    return DO[step.kind].format_map(values)


# --- the program


def unknown_name(what: str, near: Sequence[str], where: str = "") -> str:
    """No command, option or topic has this name. `where` lists all: "wellsourced help"."""
    guess = f" Did you mean {' or '.join(near)}?" if near else where and f" `{where}` lists all."
    return f"No {what}.{guess}"


SEE_HELP = "Help: {command} --help"
FIGURE_OF_PAPER = "Published, and here: {figure}."
COMMAND_OF_TOPIC = "Options of the command: wellsourced {name} --help"
RENAMED_COMMAND = "`wellsourced {old}` is now `wellsourced {new}`."
OTHER_DISTRIBUTION = "`{command}` needs another package. In the checkout, inside its .venv: pip install ./evaluate"
NOT_A_COMMAND = "{title} is not a command."
SERVER_NEEDS_PACKAGE = "The server needs {module}, which is not installed."
FILE_FAILED = "{name}: {reason}."
UNEXPECTED_ERROR = "Unexpected error ({name}: {text}). Add -v to see where."
KEPT = {
    "library add": "What was read is kept. Run the same command to continue.",
    "library create": "What was read is kept. Continue with: wellsourced library add",
    "library embed": "Vectors so far are kept. Run the same command to continue.",
    "library digest": "Finished digests are kept. Run the same command to continue.",
    "check": "Finished parts are kept. Run the same command to continue.",
    "history watch": "Finished answers are saved to history.",
    "serve": "Finished answers are saved to history.",
    "ask": "The unfinished answer was not saved.",
    "recommend": "The unfinished answer was not saved.",
    "explain": "Nothing was saved.",
}
"""Command → what is kept when Ctrl-C stops it."""


def settings_ignored(notice: str, folder: Path | str) -> str:
    """Settings of an untrusted file are ignored, as `notice` says."""
    return f"wellsourced: {notice} {spell_next_step(NextStep('trust folder', str(folder)))}"


def sending(host: str, to: str, concealed: str) -> str:
    """Words leave this machine. `concealed`: what is masked in them."""
    return f"Sending to {host} ({to}){f'; masked: {concealed}' if concealed else ''}"


# --- what is typed

QUESTION_MISSING = 'Missing question. Try: wellsourced ask "How is gout treated?"'
QUERY_MISSING = "Missing query. Try: wellsourced search --show-query 'gout[mh] AND colchicine[tiab]'"
TOO_FEW_CHOICES = "A choice needs two options or more, each with its own key: --option A=yes --option B=no"
SYNTAX_NEEDS_SHOW_QUERY = "--syntax is for --show-query: add it, or leave out --syntax."
NOT_KEY_VALUE = "“{typed}” is not {form}, for example {example}"
NOT_A_DATE = "“{typed}” is not a date. Write 2019, 2019-05 or 2019-05-31."
NOT_A_TEXT = "{name} is not a text file. Save it as plain text (UTF-8)."
IS_FOLDER = "{name} is a folder. Name the files in it."
TEXT_IS_EMPTY = "{name} is empty."
NOT_A_REGULAR_FILE = "{name} is not a regular file. Pipe it in, with - for the file."
TEXT_TOO_LARGE = "{name} is larger than {megabytes} MB. Give only the part that matters."
CANNOT_WRITE = "{path} cannot be written: {reason}. Choose another path."


# --- ask, search, open

OPENING_LIBRARIES = "Opening the libraries"
SEARCHING = "Searching"
ANSWER_IDENTIFIES = "Not saved to history: the answer may contain personal data."
ANSWER_NOT_SAVED = "Not saved to history: {reason} To save none, use --set runs=false."


def count_works(total: int) -> str:
    """How many works a Boolean query finds, however many of them are shown."""
    return f"{format_count(total, 'work')} found by the query"


def unknown_format(path: Path, known: Collection[str]) -> str:
    """The ending of a file to write says no format."""
    *most, last = known
    return f"Unknown format {path.suffix or path.name}; use {', '.join(most)} or {last}."


WRITTEN = "Written to {path}."
ASKING = "Asking {name}"
NOTE_ON = "{source}: {note}."
OTHER_NAMES = "other names: {names}"


def unknown_id(id: str, asked: Sequence[str], near: Sequence[str]) -> str:
    """No source has a document of this id."""
    places = f"{', '.join(asked[:-1])} or {asked[-1]}" if len(asked) > 1 else "".join(asked) or "any library"
    guess = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"{id} was not found in {places}.{guess}"


ID_OF_LIVE_SOURCE = "{id} is not on this machine. To ask {name} for it, add --live {name}."
READ_AS = "Read as {syntax} syntax"
QUERY_NOTE = "Note: {note}."
REPORT_SENT_TO = "Sent to {name}:"


# --- check

MODEL_NEEDED = "Name the language model that answers with --model (openai:NAME, ollama:NAME, local:FILE.gguf …)."
TEXT_MISSING = "There are no texts to check. Give a FILE, a URL, - or --question TEXT."
GIVEN_TWICE = "“{value}” is given twice."
ONLY_ONE_OF = "Use either {one} or {other}."
NOTHING_TO_REPAIR = "{name}: nothing to repair"
REPAIRED = "{name}: repaired text in {text}, changes in {changes}"
ROWS_LEFT_OUT = "{name}: {rows}, {answers}, {rejected} skipped"


# --- serve, doctor

CAN_ANSWER = "Questions can be answered."
CAN_ANSWER_WITH_FAULTS = "Questions can be answered, but not as your settings ask: see !! above."
CANNOT_ANSWER = "Questions cannot be answered before that is fixed."
CANNOT_LISTEN = "Cannot listen on {host}:{port}. Choose another --port."
LISTENING = "Listening on {address}. Ctrl-C stops it."


def count_contacts(requests: int, hosts: int) -> str:
    """How many requests left this machine."""
    if not requests:
        return "Nothing has left this machine."
    return f"{format_count(requests, 'request')} to {format_count(hosts, 'host')}."


SEARCH_LIVE = "Search one: wellsourced ask --live NAME; always: --set live=NAME,NAME, or live in wellsourced.toml."


# --- chat

CHAT_GREETING = "Ask a question. Ctrl-C stops an answer, Ctrl-D ends the chat, /help explains more."
CHAT_HELP = """\
Anything not starting with / is a question. Follow-up questions work, such as
"And in pregnancy?". The arrow keys bring back earlier lines.
  /sources     show the last answer with its quotes and their places
  /save FILE   write the chat into a new file that only you can read;
               FILE.json gets full details
  /help        show this help
  /quit        end the chat, as Ctrl-D does
Ctrl-C stops an answer, and the chat goes on. Nothing is saved without /save."""

CHAT_INTERRUPT_HINT = "(/quit or Ctrl-D ends the chat)"
CHAT_STOPPED = "Stopped. The chat is as it was before this question."
CHAT_NOTHING_ANSWERED = "Nothing was answered yet."
CHAT_NAME_FILE = "Name the file: /save gout.txt"
CHAT_FILE_EXISTS = "{name} already exists. Name another file."
CHAT_NOT_SAVED = "Not saved: {reason}"
CHAT_UNKNOWN_WORD = "Unknown command {word}. /help lists them."
