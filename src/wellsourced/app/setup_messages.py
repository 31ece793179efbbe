"""Messages of `wellsourced setup`, and of the commands below it."""

from pathlib import Path

from wellsourced.presentation.wording import format_count, format_size

WELCOME = (
    "Enter keeps the value in brackets, “none” removes it. Nothing is written before the end. Ctrl-C changes nothing."
)
NO_TERMINAL = "No terminal to ask at. Set each value with `wellsourced setup set NAME VALUE`."
STOPPED = "stopped. Nothing was written."
NOTHING_WRITTEN = "Nothing was written."
CONTINUE = "Write this?"
HIDDEN = "(hidden)"
NEXT = """\
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


# --- questions

MODEL = "Language model, such as ollama:NAME, openai:NAME or local:FILE.gguf"
SOURCES = "Live sources to search, such as pubmed,europe_pmc"
EMAIL = "Your e-mail address, for NCBI and Crossref"
NCBI = "NCBI, optional"
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
JUDGE_EXISTS = "A judge “{name}” is already installed. Choose another name with --name, or remove it."


def judge_facts(origin: str, size: int, sha256: str, licence: str) -> list[str]:
    """What a judge to install is."""
    known = licence or "unknown; check with its publisher before you use it"
    return [f"From: {origin}", f"Size: {format_size(size)}", f"sha256: {sha256}", f"Licence: {known}"]


CONFIRM_JUDGE = "Install it as {name}?"
JUDGE_INSTALLED = """\
Installed {name}: use it with --judge {name}. It has no track record yet; to measure it, run:
  wellsourced setup judges measure {name} --pairs FILE"""


CONFIRM_JUDGE_REMOVAL = "Delete the judge {name}?"
JUDGE_REMOVED = "Removed {name}."
