"""Every message, hint and label of the pages that is not in a template: what happened, and what to do on a page."""

from collections.abc import Sequence

from wellsourced.errors import NextStep, NextStepKind, WellsourcedError
from wellsourced.server import messages

PAGE_STEPS: dict[NextStepKind, str] = {
    "create library": "Create the library {value} on the page Library.",
    "add files": "Add files on the page Library.",
    "resume files": "Add the files again on the page Library.",
    "retry files": "Add the files again on the page Library.",
    "list faults": "The page Library lists them, with the reasons.",
    "remove files": "Remove the files on the page Library.",
    "list libraries": "The page Library lists the libraries.",
    "list presets": "The page Settings lists the presets.",
    "list history": "The page History lists what was asked.",
    "list live sources": "The page Library lists the sources.",
    "allow identifiers": "Remove what identifies a person, and try again.",
    "search research": "Add articles on the page Library. The operator of this server can also let it search PubMed.",
    "install extra": "On the server: pip install 'wellsourced[{value}]'.",
    "rephrase": "Ask one thing at a time, or use other words.",
    "read hits": "Read what was found, under “Left out, and why”.",
    "check sources": "Read under “Gaps” which source could not be searched.",
    "show receipt": "Open “What was searched, and how”.",
    "show document": "Open the document to read all of it.",
    "open passage": "Open the document to read them.",
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
        return messages.UNEXPECTED_ERROR.format(kind=type(error).__name__)
    return " ".join(filter(None, (str(error), spell_next_step(error.next_step))))


# Asking, checking, explaining

NO_SOURCE_CHOSEN = "No source is chosen. Choose at least one."
UNKNOWN_SOURCE = "The chosen source is not open here. Choose one from the list."
NOTHING_TO_CHECK = "Paste a text, choose a file, or enter the address of a page."
SEVERAL_TO_CHECK = "Give only one: a text, a file or an address."
OFFLINE = "This server fetches no pages: its setting network.offline is on."
NO_ADDRESS = "This is not the address of a web page. Such an address begins with https:// or http://."
NO_DATE = "“{given}” is not a date. Write it as 2019-05-31."
NO_ORDER = "Type or paste the order."
UNKNOWN_TOKEN = "This server does not know that token."
ASK_ABOUT_WORK = "What does “{title}” say?"
ASK_ABOUT_SECTION = "What does “{title}” say under {heading}?"
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


# History

TWO_ANSWERS_NEEDED = "Select two answers to compare."
ONLY_ANSWERS_AGAIN = "Only a question that was answered can be asked again."
NO_REGISTRY = "No registry of retractions is set (setting retractions)."
RECHECK_TITLE = "Retracted since? {title}"
NO_EXPORT = "This result has no file of that format."
SAVING_FAILED = "Not saved to history: {reason}"
NOT_SAVED = {
    "": "",
    "patient": "Not saved to history: the answer is about a patient. It is lost when the server stops.",
    "personal": "Not saved to history: the answer may contain personal data. It is lost when the server stops.",
}


# Documents

NO_PICTURE = "This document has no such page."
NO_PDF = "No PDF of this document is known, so here is its text."
PDF_GONE = "The PDF was moved or deleted, so here is its text as it was read."
READ_AGAIN = "{sentence} To read the file again, add it to {library} on the page Library."
NO_PUBLISHED_SYSTEM = "This is not a published system. Published systems: {names}."
NO_PAGE = "This document has {pages} pages, so there is none with the number {page}."
PAGE_NOT_SHOWN = "This page cannot be shown as printed: {reason}."
PDF_CHANGED = "The PDF has changed since it was read, so here is its text as it was then."
QUOTE_IN_PART = "Only part of the quote could be marked on the page. All of it is in the text below."
QUOTE_NOT_MARKED = "The quote could not be marked on the page. It is in the text below."


# Libraries, settings, prompts

EXTRA_NEEDED = "Reading {kinds} needs an extra. {step}"
NO_FILES_CHOSEN = "Choose the files to add."
BAD_FILE_NAME = "“{name}” cannot be the name of a file."
ONLY_SENT_FILES = "You may remove only files that were added from a page. Ask the operator of this server for others."
NOT_WRITTEN = "The library {library} cannot be written now ({reason}). What it held is still there. Try again later."
IN_USE = "another program writes to it"
FILES_TITLE = "Files for the library {library}"
TYPE_THE_NAME = "To delete the library and everything in it, type its name: {library}."
NO_PROMPT = "No prompt has that name."
FILE_STATES = {"failed": "cannot be read", "queued": "waiting to be read", "reading": "not read to its end"}
"""State of a file in a library → what its row says."""
