"""Every message of the HTTP API: what went wrong with a request, and what its sender can do.

Programs show these to people whom we do not know: no command, no flag and no page is named here. A constant with names
in braces is a template, whose values are given by these names with `format`; tests/test_messages.py holds every call.
"""

import math
import re
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

from wellsourced import errors
from wellsourced.errors import NextStep, NextStepKind, WellsourcedError
from wellsourced.presentation.wording import format_count

API_STEPS: dict[NextStepKind, str] = {
    "list libraries": "GET /api/v1/libraries lists the libraries.",
    "list history": "GET /api/v1/runs lists the runs.",
    "allow identifiers": "Remove what identifies a person, and send the request again.",
    "rephrase": "Ask one thing at a time, or use other words.",
    "read hits": "POST /api/v1/search returns what was found.",
    "check sources": "GET /api/v1/sources lists what is searched.",
    "show receipt": "The answer holds every search, in attempts.",
    "show document": "GET /api/v1/document reads on from `start`.",
    "open passage": "GET /api/v1/document reads on from `start`.",
}
"""What a sender can do through this API."""

CHAT_STEPS: dict[NextStepKind, str] = {"rephrase": API_STEPS["rephrase"], "open passage": "They are in {value}."}
"""What somebody can do who chats."""

TOOL_STEPS: dict[NextStepKind, str] = {
    "rephrase": API_STEPS["rephrase"],
    "read hits": "The tool search returns what was found.",
    "show receipt": API_STEPS["show receipt"],
    "open passage": "The tool open reads them.",
    "list history": "The links in the results of ask, check and explain name those that there are.",
}
"""What an assistant can do with the tools."""

SERVER_STEPS: dict[NextStepKind, str] = {
    "add files": "add files to the library {value}",
    "resume files": "finish adding files to the library {value}",
    "add recipe": "add the collection {value}",
    "retry files": "add the files of the library {value} again",
    "list faults": "look at the files of the library {value} that could not be read",
    "remove files": "remove the files from the library {value}",
    "choose model": "set a language model (model in wellsourced.toml)",
    "set key": "set the key of {value} ({value}.key in wellsourced.toml)",
    "go online": "set network.offline = false in wellsourced.toml",
    "change setting": "change the setting {value} in wellsourced.toml",
    "allow patient text": "let {value} see the patient's text (patient_to in wellsourced.toml)",
    "reinstall package": "install the package {value} again",
    "set up": "run the first-time setup",
    "give tokens": "give a file of tokens",
    "make token": "make longer tokens",
    "move home": "make the folder of wellsourced writable, or move it",
    "free disk": "free some disk space",
    "close folder": "close the folder {value} to other users",
    "update plugin": "update or remove {value}",
    "search research": "add articles, or set a live source such as pubmed",
}
"""What only the operator can do, where the kind of the step and its value do not say it: for pages and programs."""

PROBLEMS: tuple[tuple[type[WellsourcedError], int, str], ...] = (
    (errors.RunStopped, 409, "Stopped"),
    (errors.QuestionError, 422, "Question cannot be answered"),
    (errors.UnreadableFile, 422, "Text cannot be read"),
    (errors.NotFoundError, 404, "Not found"),
    (errors.SourceUnavailable, 503, "Source not available"),
    (errors.SourceError, 502, "Source refused"),
    (errors.ModelUnavailable, 503, "Language model not available"),
    (errors.BudgetSpent, 503, "Budget spent"),
    (errors.ModelError, 502, "Language model failed"),
    (errors.SettingsError, 500, "Server not set up for this"),
)
"""Kind of error, status of HTTP, title; the first that an error is counts."""

UNEXPECTED_TITLE = "Unexpected error"
UNREADABLE_TITLE = "Request cannot be read"
NO_TOKEN_TITLE = "No token"
RATE_TITLE = "Too many requests"
TOO_LARGE_TITLE = "Too large"
OTHER_SERVER_TITLE = "Another server was meant"
OTHER_ORIGIN_TITLE = "Request from another site"

NO_TOKEN = "Send a token that this server knows: Authorization: Bearer TOKEN."
REVOKED = "This token was revoked while the request was answered."
UNREADABLE_TOKENS = "The tokens cannot be read from {path} ({error})."
BAD_TOKENS = "Each line of {path} must be a token of at least {least} ASCII letters and digits."
OTHER_SERVER = "This server does not answer to the name {name!r}."
TOO_MANY_REQUESTS = "Send the next request in {seconds} s."
TOO_LARGE = "A request may have up to {limit:,} bytes."
FAULT = "{place}: {fault}"
UNEXPECTED_ERROR = "Something unexpected went wrong ({kind})."
OTHER_ORIGIN = "Only pages of this server may send requests to it."
NO_LOCAL_DOCUMENT = "No library here has this document. It was found online, or removed since."
PAST_END = "{document} has {length:,} characters; start {start:,} is past its end."
NOTHING_HERE = "Nothing is at this address."
OTHER_METHOD = "This address does not answer such a request; the header Allow lists what it answers."
TOOL_INSTRUCTIONS = (
    "Every statement comes with the words of a source that support it. Give the quotes and addresses with what you "
    "repeat. Say that nothing was found where an answer abstains. A statement marked as not verified has not been "
    "checked. None of it is medical advice."
)
QUESTION_PROMPT = (
    "Answer this medical question with the tool ask. Repeat the quotes and the addresses of its sources. "
    "Say so if it abstains.\n\n{question}"
)
CHECK_PROMPT = (
    "Check this text with the tool check. List each statement that its sources do not support, "
    "with their words. List each source that was not found, or was retracted.\n\n{text}"
)
NO_PROMPT = "No prompt has this name. Prompts: {names}."
PROMPT_TAKES = "The prompt {name} takes {names}, as text."
WHOLE_RESULT = "The whole result, with what was searched and left out"
BUSY_TITLE = "Server busy"
QUEUE_FULL = "Too many questions are waiting. Send it again in {seconds} s."
NOT_READY = "The server takes no questions now. Try again in a few seconds."
TOO_SLOW = "The request took too long to arrive. Send it again."
NOT_JSON = "The body is not JSON."
NO_JSON_TITLE = "No JSON"
NO_JSON = "Send JSON, and say so: Content-Type: application/json."
NO_SUCH_PROTOCOL = "Of this protocol only /v1/chat/completions and /v1/models are here."
NO_MODEL = "The model {name} does not exist. This server has {model}."
REFUSED_PARTS = {
    "image_url": "Images are not read. Send the words of the question.",
    "input_audio": "Audio is not read. Send the words of the question.",
    "file": "Files are not read here. Add them to a library of the server.",
}
REFUSED_PART = "Only parts of the type text are read."
NO_TOOLS = "Tools are not called: the server searches by itself. Leave this out."
ONE_ANSWER = "A question has one answer. Leave this out, or send 1."
ONLY_MARKDOWN = "Answers are Markdown. The whole answer as JSON is in wellsourced of the reply."
NO_STOP = "An answer is not cut, since its quotes were checked as a whole. Leave this out."
NO_LOGPROBS = "There are no probabilities of tokens. Leave this out."
ONLY_TEXT = "Answers are text. Audio is not produced."
NO_PREDICTION = "Predicted output is not used. Leave this out."
NO_WEB_OPTIONS = "The settings of the server say what is searched. Leave this out."
NOT_STORED = "Chats are not stored. Leave this out, or send false."
NO_USER_MESSAGE = "The last message must have the role user: it is the question."
NO_LIBRARY = "This server searches no library with this name. GET /api/v1/libraries lists them."
EDITOR_ONLY = "Your token may not change the libraries. Ask the operator of this server for one with the role editor."
UNKNOWN_ROLE = "“{role}” in {path} is not a role. Write “editor” behind a token that may add files, or nothing."
OPERATOR_ONLY = "This works only in a browser on the server's own machine."
KEY_REUSED = "This Idempotency-Key came with another request before. Send a new one."
PRESET_OF_COMMAND = "The preset {name} is for {command}, and answers no questions."
PRESET_NEEDS_MODEL = "The preset {name} needs a language model, and this server has none."
NO_RUN = "No run has this id: it was deleted, or the server restarted since."
JOB_HELD_ELSEWHERE = (
    "This job is done. Another server did it, and its result may not be stored. Send a new key to have it done again."
)
NO_JOB = "No job was started with this key in the last hour."
BAD_ARGUMENTS = "The tool {tool} takes {names}: {faults}."
UNKNOWN_ARGUMENT = "{name} is none of them"
MISSING_ARGUMENT = "{name} is missing"
BAD_ARGUMENT = "{name} cannot be used ({fault})"
BAD_DAY = "write a day as 2019-05-31"

STATUS_MEANINGS = {
    400: "The body is not JSON",
    401: NO_TOKEN_TITLE,
    404: "Not found",
    405: "Another method is needed; Allow lists them",
    409: "The run was stopped meanwhile, or another server holds its result",
    413: TOO_LARGE_TITLE,
    415: "The body is not declared as JSON",
    422: "The request or the question cannot be read",
    429: "Too many requests, or the daily quota is used up; Retry-After says when to send again",
    500: "Unexpected error, or the server is not set up for this",
    502: "A source or a language model failed",
    503: "Not available now; Retry-After may say when to send again",
}
"""What the description of the API says of each status."""


def spell_next_step(step: NextStep | None, own: Mapping[NextStepKind, str] = MappingProxyType(API_STEPS)) -> str:
    """What to do about an error: on this surface, else on the server; "" for nothing."""
    if step is None:
        return ""
    sentence = own.get(step.kind) or f"On the server: {SERVER_STEPS.get(step.kind, f'{step.kind} {{value}}')}."
    # Without a value nothing is named: "create the library."
    return re.sub(r" +(?=[ .])", "", sentence.format(value=step.value))


def describe_status(status: int, detail: str) -> str:
    """What went wrong, where Starlette only repeats the name of the status."""
    is_bare = detail == HTTPStatus(status).phrase
    return {404: NOTHING_HERE, 405: OTHER_METHOD}.get(status, detail) if is_bare else detail


_QUOTA_NOUNS = {
    "answers": ("answer", ""),
    "calls": ("call", " to language models"),
    "tokens": ("token", " of language models"),
}


def quota_spent(what: str, limit: int, seconds: int) -> str:
    """`what`: which of the settings quota.*; `seconds`: until the next day begins."""
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    noun, of = _QUOTA_NOUNS[what]
    spent = f"This token has used up its {format_count(limit, noun)}{of} for today (quota.{what})."
    return f"{spent} The next day begins in {hours} h {minutes} min (UTC)."
