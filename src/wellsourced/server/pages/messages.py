"""Every message, hint and label of the pages that is not in a template: what happened, and what to do on a page."""

from collections.abc import Sequence
from datetime import date

from wellsourced.errors import NextStep, NextStepKind, WellsourcedError
from wellsourced.server import messages

PAGE_STEPS: dict[NextStepKind, str] = {
    "create library": "Create the library {value} on the page Library.",
    "add files": "Add files on the page Library.",
    "resume files": "Add the files again on the page Library.",
    "retry files": "Add the files again on the page Library.",
    "remove files": "Remove the files on the page Library.",
    "list libraries": "The page Library lists the libraries.",
    "list settings": "The page Settings lists every setting.",
    "list presets": "The page Settings lists the presets.",
    "list history": "The page History lists what was asked.",
    "list live sources": "The page Library lists the sources.",
    "allow identifiers": "Remove what identifies a person, and try again.",
    "search research": "Add articles on the page Library. The operator of this server can also let it search PubMed.",
    "rephrase": "Ask one thing at a time, in other words.",
    "read hits": "Read what was found, under “Left out, and why”.",
    "check sources": "Read under “Gaps” which source could not be searched.",
    "show receipt": "Open “What was searched, and how”.",
    "show json": "All of it is in the JSON export.",
    "show document": "Open the document to read all of it.",
}
"""What a reader can do on a page."""


def spell_next_step(step: NextStep | None) -> str:
    """What to do about an error or an abstention; "" for nothing."""
    return messages.spell_next_step(step, PAGE_STEPS)


def describe_failure(error: BaseException) -> str:
    """Why something failed; of an error that is not ours, which may repeat what was typed, only the kind."""
    if isinstance(error, OSError):
        return f"{error.strerror or type(error).__name__}."
    if not isinstance(error, WellsourcedError):
        return messages.unexpected_error(error)
    return " ".join(filter(None, (str(error), spell_next_step(error.next_step))))


# Asking, checking, explaining

NO_SOURCE_CHOSEN = "No source is chosen. Choose at least one."
UNKNOWN_SOURCE = "The chosen source is not open here. Choose one from the list."
NOTHING_TO_CHECK = "Paste a text, choose a file, or enter the address of a page."
SEVERAL_TO_CHECK = "Give only one: a text, a file or an address."
OFFLINE = "This server fetches no pages: its setting network.offline is on."
NO_ADDRESS = "This is not the address of a web page. Such an address begins with https:// or http://."
NO_ORDER = "Type or paste the order."
UNKNOWN_TOKEN = "This server does not know that token."
CHOOSE_ONLINE = "{names} can be left out below, under “Sources and preset”."
NO_ONLINE = (
    'PubMed is not searched here. The operator can set live = ["pubmed"] and network.offline = false in '
    "wellsourced.toml, and restart."
)
STAYS_HERE = "Nothing you type leaves the machine this server runs on."


def destinations(live: Sequence[str], model: str, *, sees_patient: bool) -> str:
    """Where the words of a question may go. `model`: its name, "" for none."""
    sentences = ["Searches never contain the patient's text."]
    if model:
        words = "the question and the patient's text" if sees_patient else "the question, but not the patient's text"
        sentences.insert(0, f"The language model {model} sees {words}.")
    if live:
        sentences.insert(0, f"Search terms go to {', '.join(live)}, without personal identifiers.")
    return " ".join(sentences)


def reversed_dates(since: date, until: date) -> str:
    return f"“From” ({since}) is later than “Until” ({until}), so nothing lies between them."


def no_date(given: str) -> str:
    return f"“{given[:40]}” is not a date. Write it as 2019-05-31."


# History

RUN_GONE = "The history has no such entry: it was deleted, or the server restarted since."
TWO_ANSWERS_NEEDED = "Select two answers to compare."
ONLY_ANSWERS_AGAIN = "Only a question that was answered can be asked again."
NO_REGISTRY = "No registry of retractions is set (setting retractions)."
NO_EXPORT = "This result has no file of that format."
NOT_SAVED = {
    "": "",
    "patient": "Not saved to history: the answer is about a patient. It is lost when the server stops.",
    "personal": "Not saved to history: the answer may contain personal data. It is lost when the server stops.",
}


def recheck_title(title: str) -> str:
    return f"Retracted since? {title}"


def explain_unsaved(reason: object) -> str:
    return f"Not saved to history: {reason}"


# Documents

NO_PICTURE = "This document has no such page."
NO_PDF = "No PDF of this document is known, so here is its text."
PDF_GONE = "The PDF was moved or deleted, so here is its text as it was read."
PDF_CHANGED = "The PDF has changed since it was read, so here is its text as it was then."
QUOTE_IN_PART = "Only part of the quote could be marked on the page. All of it is in the text below."
QUOTE_NOT_MARKED = "The quote could not be marked on the page. It is in the text below."


def read_again(sentence: str, library: str) -> str:
    return f"{sentence} To read the file again, add it to {library} on the page Library."


def no_page(pages: int, page: int) -> str:
    return f"This document has {pages} pages, so there is none with the number {page}."


def page_not_shown(reason: str) -> str:
    return f"This page cannot be shown as printed: {reason.rstrip('.')}."


# Libraries, settings, prompts

OPERATOR_ONLY = "This works only in a browser on the server's own machine."
EXTRA_NEEDED = "Reading {kinds} needs an extra. On the server: pip install 'wellsourced[{extra}]'."
NO_FILES_CHOSEN = "Choose the files to add."
NO_PROMPT = "No prompt has that name."
NO_STATIC_FILE = "No such file."
FILE_STATES = {"failed": "cannot be read", "queued": "waiting to be read", "reading": "not read to its end"}
"""State of a file in a library → what its row says."""


def bad_file_name(name: str) -> str:
    return f"“{name[:80]}” cannot be the name of a file."


def files_title(library: str) -> str:
    return f"Files for the library {library}"


def type_the_name(library: str) -> str:
    return f"To delete the library and everything in it, type its name: {library}."
