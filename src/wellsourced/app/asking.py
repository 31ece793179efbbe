"""What commands share that take a question: its words, the dates and the sources that it is limited to."""

import calendar
import re
import sys
from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

import click

from wellsourced import config
from wellsourced.stages.frame import tidy
from wellsourced.types import Question

MOST_READ = 1_000_000
"""Bytes of stdin that are read; far fewer make a question."""

Command = TypeVar("Command", bound=Callable[..., Any])


def first_day(_: click.Context, __: click.Parameter, given: str | None) -> date | None:
    """The first day of a year, a month or a day."""
    return day(given, last=False) if given else None


def last_day(_: click.Context, __: click.Parameter, given: str | None) -> date | None:
    """The last day of a year, a month or a day."""
    return day(given, last=True) if given else None


def day(given: str, *, last: bool) -> date:
    """The first or the last day that is meant. Bad use when there is no such day."""
    found = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", given, re.ASCII)
    try:
        year, month, number = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
        month = month or (12 if last else 1)
        return date(year, month, number or (calendar.monthrange(year, month)[1] if last else 1))
    except ValueError as error:
        raise click.BadParameter(f"“{given}” is no date: write 2019, 2019-05 or 2019-05-31.") from error


since_option = click.option(
    "--since", metavar="DATE", callback=first_day, help="Only what was published on this date or later."
)
as_of_option = click.option(
    "--as-of", metavar="DATE", callback=last_day, help="Only what was published on this date or earlier."
)

OPTIONS = (
    click.option(
        "--library",
        "libraries",
        metavar="NAME",
        multiple=True,
        help="Search only this library, or the graph; repeatable.",
    ),
    click.option(
        "--live", type=click.Choice(config.LIVE), multiple=True, help="Search this over the network too; repeatable."
    ),
    since_option,
    as_of_option,
    click.option(
        "--exclude", metavar="ID", multiple=True, help="Leave out this document, for example pubmed:31234567."
    ),
)


def limits(command: Command) -> Command:
    """Give a command the options by which a question is limited: sources, dates, documents."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def question_of(words: tuple[str, ...], since: date | None, as_of: date | None, exclude: tuple[str, ...]) -> Question:
    """The question as it was typed or piped in, with its limits. Bad use when nothing can lie between the dates.

    Raises QuestionError for what is no question: nobody should wait for libraries to be told so.
    """
    if since and as_of and since > as_of:
        raise click.UsageError(f"--since {since} is later than --as-of {as_of}: nothing can lie between them.")
    return tidy(
        Question(
            text=typed(words, 'question. Try: wellsourced ask "How is gout treated?"'),
            since=since,
            as_of=as_of,
            exclude=exclude,
        )
    )


def typed(words: tuple[str, ...], missing: str) -> str:
    """The words as they were typed or piped in. Bad use, which says what is `missing`, when nobody gives any."""
    if words and words != ("-",):
        text = " ".join(words)
    elif sys.stdin is None or (not words and sys.stdin.isatty()):
        raise click.UsageError(f"Missing {missing}")
    else:
        text = sys.stdin.buffer.read(MOST_READ).decode("utf-8", "replace")
    # What no encoding could read comes as half characters, which no JSON could hold.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
