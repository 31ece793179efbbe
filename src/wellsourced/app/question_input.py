"""What commands that take a question share: its words, its patient, the dates and sources that limit it."""

import calendar
import re
import sys
from datetime import date
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import click

from wellsourced.app import messages
from wellsourced.app.options import RegularFile, pack_options, read_bounded
from wellsourced.config.settings import LIVE_SOURCES, LiveSourceName
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.types import Question

MAX_INPUT_BYTES = 4_000_000
"""Bytes of stdin, or of a file, that are read; far fewer make a question, or 200 pages on a patient."""

MIN_CHARACTERS_PER_FAULT = 10
"""A text in which more than one in this number of characters is not UTF-8 is in an old encoding, or no text."""


def parse_partial_date(given: str, *, last: bool) -> date:
    """Return the first or the last day that a year, a month or a day means. Bad use when there is no such day."""
    found = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", given, re.ASCII)
    try:
        year, month, number = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
        month = month or (12 if last else 1)
        return date(year, month, number or (calendar.monthrange(year, month)[1] if last else 1))
    except ValueError as error:
        raise click.BadParameter(messages.NOT_A_DATE.format(typed=given)) from error


def _parse_date_option(_: click.Context, param: click.Parameter, given: str | None) -> date | None:
    return parse_partial_date(given, last=param.name == "as_of") if given else None


_date_option = partial(click.option, metavar="DATE", callback=_parse_date_option)
since_option = _date_option("--since", help="Published on this date or later.")
as_of_option = _date_option("--as-of", help="Published on this date or earlier.")


def parse_choices(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The options of a multiple-choice question: A=yes, B=no."""
    pairs = [one.partition("=") for one in given]
    for (key, equals, text), whole in zip(pairs, given, strict=True):
        if not (key.strip() and equals and text.strip()):
            raise click.BadParameter(messages.NOT_KEY_VALUE.format(typed=whole, form="KEY=TEXT", example="A=yes"))
    options = {key.strip(): text.strip() for key, _, text in pairs}
    if len(options) < len(given) or len(options) == 1:
        raise click.BadParameter(messages.TOO_FEW_CHOICES)
    return options


def read_text_file(_: click.Context, __: click.Parameter, file: BinaryIO | None) -> str:
    """Return the text of a file as UTF-8; "" without one. Bad use for one that is empty, too large, or no text."""
    if file is None:
        return ""
    text = read_bounded(file, MAX_INPUT_BYTES).decode("utf-8", "replace").strip()
    if "\0" in text or text.count("\ufffd") * MIN_CHARACTERS_PER_FAULT > len(text):
        raise click.BadParameter(messages.NOT_A_TEXT.format(name=file.name))
    return text


patient_option = click.option(
    "--patient",
    type=RegularFile(),
    callback=read_text_file,
    metavar="FILE",
    help="A patient's record, which stays on this machine.",
)
choice_option = click.option(
    "--option",
    "options",
    metavar="KEY=TEXT",
    multiple=True,
    callback=parse_choices,
    help="An answer to choose from; repeatable.",
)
given_option = click.option(
    "--given", metavar="ID", multiple=True, help="Answer from this document, without searching; repeatable."
)


class QuestionLimits(NamedTuple):
    """The sources, the dates and the documents that a question is limited to, as they were typed."""

    libraries: tuple[str, ...] = ()
    live: tuple[LiveSourceName, ...] = ()
    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()


library_option = click.option(
    "--library", "libraries", metavar="NAME", multiple=True, help="Search only this library; repeatable."
)
live_option = click.option(
    "--live",
    type=click.Choice(LIVE_SOURCES),
    metavar="NAME",
    multiple=True,
    help="Search over the network too: pubmed, pmc …; repeatable.",
)
exclude_option = click.option("--exclude", metavar="ID", multiple=True, help="Leave out this document; repeatable.")

add_source_options = pack_options("limits", QuestionLimits, (library_option, live_option))
"""Decorator for the options that choose sources."""

add_limit_options = pack_options(
    "limits", QuestionLimits, (library_option, live_option, since_option, as_of_option, exclude_option)
)
"""Decorator for the options that limit a question: sources, dates, documents."""


def build_question(words: tuple[str, ...], limits: QuestionLimits, **more: Any) -> Question:
    """The question as it was typed or piped in, with its limits.

    more   other fields of the question: options, patient, given

    Raises QuestionError for what is no question: nobody should wait for libraries to be told so.
    """
    text = read_words(words, messages.QUESTION_MISSING)
    return tidy_question(Question(text=text, since=limits.since, as_of=limits.as_of, exclude=limits.exclude, **more))


def read_words(words: tuple[str, ...], missing: str) -> str:
    """The words as they were typed or piped in. Bad use, with this message, when they are missing."""
    if words and words != ("-",):
        text = " ".join(words)
    elif sys.stdin is None or (not words and sys.stdin.isatty()):
        raise click.UsageError(missing)
    else:
        text = sys.stdin.buffer.read(MAX_INPUT_BYTES).decode("utf-8", "replace")
    # What no encoding could read comes as half characters, which no JSON could hold.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
