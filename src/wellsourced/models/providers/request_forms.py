"""How a server has to be asked for a typed reply, learned from what it refuses and remembered.

Servers that speak OpenAI's language differ in what they take: many know no `response_format` of type `json_schema`,
some none at all, some no tools, and chat templates of some models have no system message. What is refused is asked for
in the next simpler form: a schema, an object of JSON, plain words.
"""

import json
import re
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.errors import ModelRefused
from wellsourced.models.providers.provider_registry import ApiLanguage
from wellsourced.storage.private_files import write_private_file

ReplyForm = Literal["tools", "schema", "json", "prompted"]
"""A tool to be called; a schema; any object of JSON, its form in words; words alone."""

SIMPLER_FORMS: dict[ReplyForm, ReplyForm] = {"schema": "json", "tools": "json", "json": "prompted"}
"""What is asked for when the form before it is refused. Only OpenAI's chat completions have an object without a
schema."""

FORM_STATUSES = {400, 404, 415, 422, 500, 501}
"""With which servers refuse a form: 404 of a router that knows no server for it, 500 of one that fails at it."""

_SYSTEM_MESSAGE = re.compile(
    r"system (?:role|message|prompt|instruction)|developer instruction|roles? must alternate|role.{0,20}\bsystem\b",
    re.IGNORECASE,
)
_REPLY_FORM = re.compile(
    r"response[ _]?format|json[ _]?(?:schema|object)|structured[ _]output|\bschema\b|guided[ _]|grammar|\btools?\b"
    r"|tool[ _](?:choice|use)|function[ _]call",
    re.IGNORECASE,
)


class RequestForm(NamedTuple):
    """How a reply is asked for; `has_system`: the instruction stands in a message of its own."""

    reply: ReplyForm
    has_system: bool = True


class FormRefused(ModelRefused):
    """A server does not take a form of request; it would take the same words in another."""

    def __init__(self, refusal: ModelRefused, *, is_system_refused: bool) -> None:
        super().__init__(str(refusal), next_step=refusal.next_step)
        self.is_system_refused = is_system_refused


def read_form_refusal(status: int, body: object, refusal: ModelRefused) -> ModelRefused:
    """The refusal, as FormRefused where its words are about the form of the request."""
    said = json.dumps(body, ensure_ascii=False, default=str) if body else ""
    if status not in FORM_STATUSES or not said:
        return refusal
    if _SYSTEM_MESSAGE.search(said):
        return FormRefused(refusal, is_system_refused=True)
    return FormRefused(refusal, is_system_refused=False) if _REPLY_FORM.search(said) else refusal


def choose_simpler_form(form: RequestForm, refused: FormRefused, language: ApiLanguage) -> RequestForm | None:
    """What to ask in after this form was refused; None when there is nothing simpler."""
    if refused.is_system_refused:
        return form._replace(has_system=False) if form.has_system else None
    simpler = SIMPLER_FORMS.get(form.reply)
    if simpler == "json" and language != "chat":
        simpler = "prompted"
    return form._replace(reply=simpler) if simpler else None


class KnownForms:
    """The forms that servers take, by model and address, for this process and in a file for the next ones.

    A file that cannot be read or written costs one refused request in each process, and nothing else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._forms = self._load()

    def find(self, server: str) -> RequestForm | None:
        """The form that this server took when it refused another; None when it refused none."""
        return self._forms.get(server)

    def remember(self, server: str, form: RequestForm) -> None:
        """This server takes this form."""
        # Read again: another process may have learned of other servers meanwhile.
        self._forms = {**self._load(), **self._forms, server: form}
        if self._path:
            kept = {name: [known.reply, known.has_system] for name, known in self._forms.items()}
            try:
                write_private_file(self._path, json.dumps(kept, indent=1))
            except OSError:
                return

    def _load(self) -> dict[str, RequestForm]:
        try:
            kept = json.loads(self._path.read_text("utf-8")) if self._path else {}
            forms = {name: RequestForm(reply, bool(has_system)) for name, (reply, has_system) in kept.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
        known = {*SIMPLER_FORMS, *SIMPLER_FORMS.values()}
        return {name: form for name, form in forms.items() if form.reply in known}
