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
In a browser: wellsourced serve
Next: wellsourced ask "How is an acute gout flare treated?\""""


def report_writing(path: Path) -> str:
    """The settings were written."""
    return f"Written to {path}, which only you can read."


def changes_to(path: str) -> str:
    """Changes of a file follow."""
    return f"Changes in {path}:"


def no_changes_to(path: str) -> str:
    """Nothing would change."""
    return f"No changes in {path}."


def describe_removal(name: str) -> str:
    """A setting goes back to its default."""
    return f"{name}: removed; the default applies"


def explain_override(name: str, place: str) -> str:
    """A stronger place sets a value here."""
    return f"{name} is set {place}, which overrides your file."


def not_ready(name: str, reason: str) -> str:
    """A source or a model lacks something."""
    return f"{name} does not work yet: {reason}."


# --- questions

MODEL = "Language model, such as ollama:NAME, openai:NAME or local:FILE.gguf"
SOURCES = "Live sources to search, such as pubmed,europe_pmc"
EMAIL = "Your e-mail address, for NCBI and Crossref"
NCBI = "NCBI, optional"
COLLECTION = "Public collection to download, such as medquad"
NOT_A_KEY = "That is not a key. Keys are one word of plain letters, digits and signs."


def key_of(label: str, *, is_set: bool) -> str:
    """A key is asked for."""
    return f"Key for {label}, hidden [{'unchanged' if is_set else 'none'}]"


def key_in_environment(label: str) -> str:
    """A key is set in the environment."""
    return f"The key for {label} comes from the environment."


def its_address(example: str) -> str:
    """The address of a model's server is asked for."""
    return f"Its address, for example {example}"


def address_of(name: str) -> str:
    """The address of the user's own server is asked for."""
    return f"Address of your {name} server"


def try_model(host: str) -> str:
    """Whether to try a model. `host`: where it runs; "" on this machine."""
    effect = f"It goes to {host} and may cost a little" if host else "Loading the file takes a moment"
    return f"Try it with one small question? {effect}."


def asking_model(name: str) -> str:
    """A model is being tried."""
    return f"Asking {name} …"


def model_answered(name: str, seconds: float) -> str:
    """A model works."""
    return f"{name} answered in {seconds:.1f} s."


def model_silent(name: str, reason: str) -> str:
    """A model does not work."""
    return f"{name} does not answer: {reason}"


def another_model(problem: str) -> str:
    """A model does not work, and is asked for again."""
    return f"{problem} Name another, or none; Enter tries this one again."


def unknown_collection(name: str) -> str:
    """A public collection does not exist."""
    return f"No collection “{name}”. `wellsourced library recipes` lists them."


def not_an_email(typed: str) -> str:
    """An e-mail address cannot be one."""
    return f"“{typed}” is not an e-mail address. Write it as name@example.org."


# --- setup show, trust

NOTHING_TRUSTED = "No folder is trusted."
FILE_UNCHANGED = "unchanged"
FILE_CHANGED = "changed or missing: not trusted until you trust it again"


def ignored_place(place: str, file: str) -> str:
    """A setting comes from `place`, since an untrusted file is ignored."""
    return f"{place} (ignored: {file})"


def trust_withdrawn(folder: Path, *, was_trusted: bool) -> str:
    """A folder is no longer trusted."""
    return f"{folder} {'is no longer trusted' if was_trusted else 'was not trusted'}."


def nothing_to_trust(name: str, folder: Path) -> str:
    """A folder has no file of settings."""
    return f"No {name} in {folder}."


def now_trusted(path: Path, number: int) -> str:
    """A file is trusted; its settings follow."""
    return f"Now trusting {path}, with {format_count(number, 'setting')}:"


# --- setup judges

CALIBRATIONS = "Your calibrations:"


def judge_exists(name: str) -> str:
    """A judge of this name is installed."""
    return f"A judge “{name}” is already installed. Choose another name with --name, or remove it."


def judge_facts(origin: str, size: int, sha256: str, licence: str) -> list[str]:
    """What a judge to install is."""
    known = licence or "unknown; check with its publisher before you use it"
    return [f"From: {origin}", f"Size: {format_size(size)}", f"sha256: {sha256}", f"Licence: {known}"]


def confirm_judge(name: str) -> str:
    """A judge is about to be installed."""
    return f"Install it as {name}?"


def judge_installed(name: str) -> str:
    """A judge was installed."""
    return (
        f"Installed {name}: use it with --judge {name}. It has no track record yet; to measure it, run:\n"
        f"  wellsourced setup judges measure {name} --pairs FILE"
    )


def confirm_judge_removal(name: str) -> str:
    """A judge is about to be deleted."""
    return f"Delete the judge {name}?"


def judge_removed(name: str) -> str:
    """A judge was deleted."""
    return f"Removed {name}."
