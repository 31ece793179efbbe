"""Messages of the terminal: what to do next, spelled as a command; errors; and what each command says.

A constant with names in braces is a template, whose values are given by these names with `format`;
tests/test_messages.py holds every call against it.
"""

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.errors import NextStep, NextStepKind
from wellsourced.presentation.wording import format_count, format_size

if TYPE_CHECKING:
    from wellsourced.runs.table import RunLine

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
    "calibrate judge": "setup judges calibrate --judge {name} --pairs FILE",
    "open passage": "open {name}",
    "set up": "setup",
    "trust folder": "setup trust {name}",
    "list live sources": "doctor --network",
    "list contacted hosts": "doctor --network",
}
"""What to do → the command that does it; {name} is the value of the step."""

DO: dict[NextStepKind, str] = {
    "choose model": "Name a language model: --model ollama:NAME, openai:NAME …",
    "set key": "Set the key: wellsourced setup set {name}.key - (or WELLSOURCED_{NAME}__KEY in the environment).",
    "go online": "Leave out --offline, or set network.offline=false.",
    "allow identifiers": "Or choose what happens to identifiers: --phi {name}.",
    "allow patient text": "Let {name} see the patient's text: --set patient_to={name}",
    "install extra": "In the checkout, run make full; or inside its .venv: pip install 'wellsourced[{name}]'",
    "install package": "Install it: pip install '{name}'",
    "reinstall package": "Install it again: pip install --force-reinstall --no-deps '{name}'",
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

LARGE_EXTRAS = {"neural", "ray"}
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


def unknown_id(id: str, asked: Sequence[str]) -> str:
    """No source has a document of this id."""
    places = f"{', '.join(asked[:-1])} or {asked[-1]}" if len(asked) > 1 else "".join(asked) or "any library"
    return f"{id} was not found in {places}."


ID_OF_LIVE_SOURCE = "{id} is not on this machine. To ask {name} for it, add --live {name}."
READ_AS = "Read as {syntax} syntax"
QUERY_NOTE = "Note: {note}."
REPORT_SENT_TO = "Sent to {name}:"


# --- check

MODEL_NEEDED = "Name the language model that answers with --model (openai:NAME, ollama:NAME …)."
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
  /help        show this help
  /quit        end the chat, as Ctrl-D does
Ctrl-C stops an answer, and the chat goes on. Nothing is saved. To keep what is printed,
start it as: wellsourced chat --quotes | tee chat.txt"""

CHAT_INTERRUPT_HINT = "(/quit or Ctrl-D ends the chat)"
CHAT_STOPPED = "Stopped. The chat is as it was before this question."
CHAT_NOTHING_ANSWERED = "Nothing was answered yet."
CHAT_UNKNOWN_WORD = "Unknown command {word}. /help lists them."


# --- history

RUN_COLUMNS = ("id", "started (UTC)", "kind", "result", "title")
NO_RUNS = "No runs are stored here."
WORDS_NOT_SAVED = "It may be about a person, so its question and steps are not saved."
NO_REGISTRY = (
    "This asks registries whether cited works were retracted, and none is set: add --set retractions=crossref. "
    "To check that stored runs are unchanged, leave out the ID."
)
DELETE_WHAT = "Name one run, --keep N or --all."


def describe_result(line: "RunLine") -> str:
    """Result of a run, in a word or two."""
    if line.is_deleted:
        return "deleted"
    if line.state != "finished":
        return line.state
    if line.recorded is None:
        return "not saved"
    return format_count(line.statements, "statement") if line.statements else "no answer"


def run_without_answer(line: "RunLine") -> str:
    """A run has no stored answer: it was deleted, still works, failed, or was stopped."""
    if line.is_deleted:
        return f"Run {line.short_id} was deleted."
    if line.is_working:
        known = "" if line.title else f" {WORDS_NOT_SAVED}"
        follow = f"wellsourced history show {line.short_id} --follow"
        return f"Run {line.short_id} is {line.state}.{known} To follow it: {follow}"
    if line.problem:
        return f"Run {line.short_id} {line.state}: {line.problem}"
    return f"Run {line.short_id} {line.state}, and no answer is stored."


def not_running(line: "RunLine") -> str:
    """A run that is to be stopped has ended."""
    return f"Run {line.short_id} is not running ({describe_result(line)})."


def stop_result(line: "RunLine") -> str:
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


# --- library create, embed, remove, digest

MAX_NAMED_ENDINGS = 6

PUT_ADD_FIRST = "Unexpected argument {path}. Put --add before the files."
LIBRARY_CREATED = "Created the library {name}."
FILL_NEXT = "Add files: wellsourced library add {name} PATH"
EMBEDDED = "{name}: {vectors:,} of {passages} embedded."
VECTORS_NEED_IDS = "Give an --ids for each --vectors."
VECTORS_IMPORTED = "{documents:,} documents got a vector; {left_out:,} rows left out (not in the library, or embedded)."
CONFIRM_DELETION = "Delete the library {name} with all its documents?"
MOVED_ALREADY = "{name} is searched there already ({engine})."
CATALOGUE_MOVED = "The documents of {name} moved to the database in storage.url."
LIBRARY_DELETED = "Deleted the library {name}."
NO_SUCH_DOCUMENTS = "The library {name} has none of these documents: {ids}."


def documents_removed(name: str, number: int, missing: int) -> str:
    """Documents were removed."""
    absent = f"; {missing:,} not found" if missing else ""
    return f"Removed {format_count(number, 'document')} from {name}{absent}."


DIGEST_NEEDS_MODEL = "A language model writes digests, and none is set."
READING_FILE = "Reading {path}"
REBUILDING = "Rebuilding the index of {name}"


# --- library expect

EXPECT_NEEDS_MODEL = "A language model writes the questions, and none is set. To take yours, name a file with --from."
EXPECT_PLAN = "{sections} to write{done}: about {tokens_in:,} tokens in and {tokens_out:,} out, {price}."
SECTIONS_WRITTEN = " ({written:,} written already)"
ABOUT_DOLLARS = "about ${dollars:.2f}"
PRICE_UNKNOWN = "price unknown"
CONFIRM_EXPECT = "Have {model} write the questions?"


def questions_added(name: str, added: int, known: int, replaced: int, total: int) -> str:
    """Questions were added to a library."""
    others = [f"{known:,} known already"] if known else []
    others += [f"{replaced:,} outdated removed"] if replaced else []
    aside = f" ({', '.join(others)})" if others else ""
    return f"Added {format_count(added, 'question')} to {name}{aside}; it has {total:,}."


QUESTIONS_STALE = "{count} ignored: the lines that answer have changed."
EXPECT_FAULTS = "{count} gave no question; everything else was added:"
MORE_FAULTS = "and {number:,} more"


# --- library add

PATH_MISSING = "Missing PATH: every file of this library was read already."


def files_skipped(endings: Sequence[tuple[str, int]]) -> str:
    """Files of types that no reader knows were skipped: each ending with its number of files."""
    if not endings:
        return ""
    named = ", ".join(f"{ending} ({number:,})" for ending, number in endings[:MAX_NAMED_ENDINGS])
    rest = len(endings) - MAX_NAMED_ENDINGS
    others = f" and {format_count(rest, 'other type')}" if rest > 0 else ""
    return (
        f"Skipped {format_count(sum(number for _, number in endings), 'file')} of unsupported types: {named}{others}."
    )


STARTING_RAY = "Starting Ray"
FILE_PROBLEMS = "{count}; everything else was added:"
NOT_A_RECIPE = "{name} is not a public collection: leave out {option}."


def unknown_library(reason: str, recipe: str) -> str:
    """A name is neither a library's nor a recipe's."""
    near = f" Did you mean the public collection {recipe}?" if recipe else ""
    return f"{reason}.{near} `wellsourced library recipes` lists public collections."


# --- library recipes

BY_HAND = "by hand"
RECIPE_DETAILS = "Licence, size and origin of one: wellsourced library add NAME --dry-run"


def download_size(number: int) -> str:
    """How much a recipe downloads; 0: it is not known before its list of files is read."""
    return f"about {format_size(number)}" if number else "size not known yet"


RECIPE_LICENCE = "Licence: {licence}."
RECIPE_ORIGIN = "From {url}, {size}"
DISK_SPACE = "Disk space: about {size}."
ADD_BY_HAND = "Then run: wellsourced library add {name} FOLDER"
LIST_UNAVAILABLE = "Its list of files is not available: {reason}"
READS_PATHS = "Reads {count} on this machine into {target}."


def to_download(files: int, size: int, disk: int, free: int, target: str) -> str:
    """Files would be downloaded."""
    amount = f"{format_count(files, 'file')}, {format_size(size) if size else 'size unknown'}"
    space = f"needs about {format_size(disk)}, " if disk else ""
    return f"Downloads {amount}, into {target}; {space}{format_size(free)} free."


EMBED_LATER = "Found by words now. To find them by meaning too, run: wellsourced library embed {library}"
GOES_INTO_GRAPH = "{name} goes into the graph, not into a library: leave out {option}."
OTHER_KIND = "The library {library} holds “{kind}”, and {recipe} is “{goes}”. Name another with --into."
DISK_TOO_SMALL = (
    "It needs about {needed}, and {free} are free. "
    "Free some space, take part of it with --files N, or continue with --yes."
)
CONFIRM_DOWNLOAD = "Download {size}?"


# --- setup

SETUP_GREETING = (
    "Enter keeps the value in brackets, “none” removes it. Nothing is written before the end. Ctrl-C changes nothing."
)
NO_TERMINAL = "No terminal to ask at. Set each value with `wellsourced setup set NAME VALUE`."
SETUP_STOPPED = "stopped. Nothing was written."
NOTHING_WRITTEN = "Nothing was written."
WRITE_THIS = "Write this?"
HIDDEN = "(hidden)"
SETUP_DONE = """\
Try the model: wellsourced doctor --ask-models
Public collections: wellsourced library recipes
In a browser: wellsourced serve
Next: wellsourced ask "How is an acute gout flare treated?\""""


SETTINGS_WRITTEN = "Written to {path}, which only you can read."
CHANGES_IN = "Changes in {path}:"
NO_CHANGES_IN = "No changes in {path}."
DEFAULT_APPLIES = "{name}: removed; the default applies"
OVERRIDDEN = "{name} is set {place}, which overrides your file."
NOT_READY = "{name} does not work yet: {reason}."


# --- setup: its questions

ASK_MODEL = "Language model, such as ollama:NAME or openai:NAME"
ASK_SOURCES = "Live sources to search, such as pubmed,europe_pmc"
ASK_EMAIL = "Your e-mail address, for NCBI and Crossref"
NCBI_OPTIONAL = "NCBI, optional"
NOT_A_KEY = "That is not a key. Keys are one word of plain letters, digits and signs."


def key_of(label: str, *, is_set: bool) -> str:
    """A key is asked for."""
    return f"Key for {label}, hidden [{'unchanged' if is_set else 'none'}]"


KEY_IN_ENVIRONMENT = "The key for {label} comes from the environment."
ITS_ADDRESS = "Its address, for example {example}"
ADDRESS_OF = "Address of your {name} server"
NOT_AN_EMAIL = "“{typed}” is not an e-mail address. Write it as name@example.org."


# --- setup show, trust

NOTHING_TRUSTED = "No folder is trusted."
FILE_UNCHANGED = "unchanged"
FILE_CHANGED = "changed or missing: not trusted until you trust it again"
IGNORED_PLACE = "{place} (ignored: {file})"


def trust_withdrawn(folder: Path, *, was_trusted: bool) -> str:
    """A folder is no longer trusted."""
    return f"{folder} {'is no longer trusted' if was_trusted else 'was not trusted'}."


NOTHING_TO_TRUST = "No {name} in {folder}."


def now_trusted(path: Path, number: int) -> str:
    """A file is trusted; its settings follow."""
    return f"Now trusting {path}, with {format_count(number, 'setting')}:"


# --- setup judges

CALIBRATIONS = "Your calibrations:"
