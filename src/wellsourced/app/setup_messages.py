"""Messages of `wellsourced setup`, and of the commands below it."""

from collections.abc import Collection, Sequence
from pathlib import Path

from wellsourced.app.messages import not_key_value
from wellsourced.presentation.wording import format_count, format_size

__all__ = ["not_key_value"]

WELCOME = (
    "A few questions. Enter keeps the value in brackets. Nothing is written before the end, nothing is sent unless you "
    "agree, and Ctrl-C leaves everything unchanged."
)
NO_TERMINAL = (
    "No terminal to ask at. Give the answers as flags, with --yes: "
    "`wellsourced setup --yes --model ollama:qwen3 --live pubmed --email name@example.org`."
)
STOPPED = "stopped. Nothing was written."
NOTHING_WRITTEN = "Nothing was written."
PLAN = "Changes"
CONTINUE = "Continue?"
HIDDEN = "(hidden)"
NEXT = """\
In a browser: wellsourced serve
Next: wellsourced ask "How is an acute gout flare treated?\""""
THEN = NEXT.replace("Next:", "Then:")
YES_OR_NO = "Type y for yes or n for no."


def report_writing(path: Path) -> str:
    """The settings were written."""
    return f"Written to {path}, which only you can read."


def changes_to(path: str) -> str:
    """Changes of a file follow."""
    return f"In {path}:"


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


# --- keys

KEY_STANDS = "Enter keeps the current key, “none” removes it"
KEY_MISSING = "Enter: none"
NOT_A_KEY = "That is not a key. Keys are one word of plain letters, digits and signs."


def about_keys(place: str, variable: str) -> str:
    """Keys are asked for."""
    return (
        f"Keys are hidden as you type. They go into {place}, which only you can read. "
        f"Or press Enter and set them in the environment ({variable} …)."
    )


def key_of(label: str) -> str:
    """A key is asked for."""
    return f"Key for {label}"


def report_issued_by(name: str, issuer: str) -> str:
    """A source whose key is asked for, and who issues it."""
    return f"{name}, from {issuer}"


def key_in_environment(label: str) -> str:
    """A key is set in the environment."""
    return f"The key for {label} comes from the environment."


def key_unreadable(name: str) -> str:
    """The file of a key cannot be read, or holds none."""
    return f"{name} has no key in its first line, or cannot be read."


def unknown_service(name: str, known: Collection[str]) -> str:
    """A flag names a service that does not exist."""
    return f"No service “{name}”. Services: {', '.join(known)}."


# --- model

MODEL = "Language model"
ABOUT_MODEL = (
    "Without a language model, answers quote the sources' own sentences. A model writes them instead, and unsupported "
    "statements are dropped. Providers receive your questions and what was found, with personal identifiers masked as "
    "far as they are detected."
)
NO_ASSISTANT = "Without a model, the assistant is removed too."
OFFLINE = "offline mode is on"


def its_address(example: str) -> str:
    """The address of a model's server is asked for."""
    return f"Its address, for example {example}"


def explain_trial_skipped(name: str, reason: str) -> str:
    """A model was not tried."""
    return f"{name} was not tried: {reason}."


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


def try_model(host: str) -> str:
    """Whether to try a model. `host`: where it runs; "" on this machine."""
    effect = f"It goes to {host} and may cost a little" if host else "Loading the file takes a moment"
    return f"Try it with one small question? {effect}."


# --- sources

SOURCES = "Live sources"
ABOUT_SOURCES = (
    "The built-in guidelines and your own libraries are on this machine. Services on the network can be searched too, "
    "and receive the words of your questions, without personal identifiers as far as they are detected."
)
WHICH_SOURCES = "Sources, separated by commas"
CONTACT = "Contact"
ABOUT_CONTACT = "NCBI (PubMed) and Crossref ask for an e-mail address, so they can contact you before blocking you."
EMAIL = "Your e-mail address"
NCBI_KEY = "With an NCBI key, PubMed answers ten requests a second instead of three."


def unknown_source(name: str, near: str) -> str:
    """A live source does not exist."""
    return f"No live source “{name}”. Did you mean {near}?"


def address_of(name: str) -> str:
    """The address of the user's own server is asked for."""
    return f"Address of your {name} server"


def not_an_email(typed: str) -> str:
    """An e-mail address cannot be one."""
    return f"“{typed}” is not an e-mail address. Write it as name@example.org."


# --- folder and collections

HOME = "Folder"
ABOUT_HOME = "One folder holds your libraries, history and caches."
FOLDER = "Folder"
FOLDER_NEEDED = "Name a folder."
COLLECTIONS = "Public collections"
ABOUT_COLLECTIONS = (
    "Public collections can be downloaded, and are then searched on this machine. "
    "`wellsourced library add NAME` adds one at any time."
)
WHICH_COLLECTIONS = "Collections to download, separated by commas"
FETCHING_OFFLINE = "Nothing can be downloaded in offline mode."
FETCHED_BEFORE = " Downloaded before."


def libraries_stay(before: Path) -> str:
    """The folder changes, and its libraries do not move."""
    return f"Your libraries stay in {before}. Move them yourself if you want them here."


def no_such_user(typed: str) -> str:
    """A folder names an unknown user."""
    return f"“{typed}” names a user without a home folder here. Name another folder."


def folder_not_writable(path: Path, reason: str) -> str:
    """A folder cannot be used."""
    return f"{path} is not writable ({reason}). Name another folder."


def unknown_collection(name: str, near: Sequence[str], known: Collection[str]) -> str:
    """A collection does not exist."""
    return f"No collection “{name}”. " + (f"Did you mean {near[0]}?" if near else f"Collections: {', '.join(known)}.")


def collections_too_large(names: Sequence[str], needed: int, free: int) -> str:
    """Collections do not fit the disk."""
    return (
        f"{' and '.join(names)}: about {format_size(needed)} needed, {format_size(free)} free. "
        "Choose fewer, or another folder."
    )


def to_fetch(collections: str) -> str:
    """Collections would be downloaded."""
    return f"Download: {collections}."


def fetching(name: str) -> str:
    """A collection is being downloaded."""
    return f"Downloading {name}."


def report_incomplete(name: str) -> str:
    """A collection was not downloaded completely."""
    return f"{name} is not complete. To continue, run: wellsourced library add {name}"


def fetch_stopped(name: str) -> str:
    """A download was stopped."""
    return f"stopped. Your settings are saved. To continue, run: wellsourced library add {name}"


# --- setup show, trust

NOTHING_TRUSTED = "No folder is trusted."
FILE_UNREADABLE = "cannot be read"
FILE_MISSING = "missing"
FILE_UNCHANGED = "unchanged"
FILE_CHANGED = "changed: not trusted until you trust it again"


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
