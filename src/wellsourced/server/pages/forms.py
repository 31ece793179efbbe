"""What a form sends, as what is meant by it; and what a form says of where its words may go."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartParser

from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.context import Context
from wellsourced.errors import QuestionError
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.server.access import MAX_BODY_BYTES
from wellsourced.types import Question

MAX_FIELDS = 500
"""Each source that can be chosen is one."""

# A file that is sent stays in memory: it may be a patient's, and beyond this size it would be laid down in /tmp.
MultiPartParser.spool_max_size = MAX_BODY_BYTES


class SentFile(NamedTuple):
    """A file that was sent with a form: its name and its bytes."""

    name: str
    content: bytes


async def read_form(request: Request, max_files: int = 1) -> FormData:
    """The form of a request; its size is limited by AccessControl."""
    return await request.form(max_files=max_files, max_fields=MAX_FIELDS, max_part_size=MAX_BODY_BYTES)


def read_field(form: Mapping[str, object], name: str) -> str:
    """A field's text, with line ends as everywhere; "" for none."""
    value = form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


async def read_file(form: FormData, name: str) -> SentFile | None:
    """A file, without the folders of its name; None where none was chosen."""
    return next(iter(await read_files(form, name)), None)


async def read_files(form: FormData, name: str) -> list[SentFile]:
    """The files of a field, without the folders of their names."""
    sent = [one for one in form.getlist(name) if isinstance(one, UploadFile) and one.filename]
    return [
        SentFile((one.filename or "").replace("\\", "/").rpartition("/")[2] or "file", await one.read()) for one in sent
    ]


def read_question(form: Mapping[str, object]) -> Question:
    """The question of a form. Raises QuestionError for none, and for what is no date."""
    since, as_of = (_read_date(form, name) for name in ("since", "as_of"))
    # A search between them would find nothing, and the answer would blame the sources.
    if since and as_of and since > as_of:
        raise QuestionError(f"“From” ({since}) is later than “until” ({as_of}): nothing lies between them.")
    question = Question(
        text=read_field(form, "question"), patient=read_field(form, "patient"), since=since, as_of=as_of
    )
    return tidy_question(question)


def _read_date(form: Mapping[str, object], name: str) -> date | None:
    given = read_field(form, name)
    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise QuestionError(f"“{given[:40]}” is no date: write 2019-05-31.") from error


def choose_sources(form: FormData, context: Context) -> Context:
    """The context with the sources that were chosen; all of them where the form lets nobody choose.

    Raises QuestionError for none.
    """
    if not form.getlist("source"):
        # A form without a choice of sources sends none; one with a choice and no mark means none.
        if read_field(form, "may_choose"):
            raise QuestionError("No source is chosen: choose at least one.")
        return context
    chosen = [source for source in context.sources if source.name in form.getlist("source")]
    if not chosen:
        raise QuestionError("No source of that name is open here: choose at least one of those that are listed.")
    # An answer says which sources were not searched, so that their silence is not taken for agreement.
    left_out = [source.name for source in context.sources if source not in chosen]
    return replace(context, sources=tuple(chosen), left_out=(*context.left_out, *left_out))


def describe_destinations(context: Context) -> str:
    """Where the words of a question may go, for whoever types them."""
    live = [source.name for source in context.sources if source.name in LIVE_SOURCES]
    if not context.outbound:
        return "Nothing that you type leaves the machine on which this server runs."
    told = []
    if live:
        told.append(f"The words of searches go to {', '.join(live)}; identifiers of people are taken out before")
    if context.has_model:
        seen = "also sees" if context.sees_patient else "never sees"
        told.append(f"the language model {context.model.name} sees the question, and {seen} the patient's text")
    told.append("a patient's text is in no search")
    return f"{'; '.join(told)}."
