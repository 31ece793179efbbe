"""`wellsourced ask`: a question in, an answer or an abstention out."""

import asyncio
import calendar
import re
import shutil
import sys
from datetime import date

import click

from wellsourced import config
from wellsourced.app.progress import Watch, watching
from wellsourced.app.render import render
from wellsourced.app.terminal import Page, emit
from wellsourced.stream import ask as answer_to
from wellsourced.types import Answer, Question

ABSTAINED = 3
MOST_READ = 1_000_000
"""Bytes of stdin that are read; far fewer make a question."""


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


@click.command(
    short_help="Answer a question from the sources.",
    epilog="""
    \b
    Examples:
      wellsourced ask "What is first-line therapy for heart failure with reduced ejection fraction?"
      wellsourced ask --live pubmed "Does semaglutide slow diabetic kidney disease?"
      wellsourced ask --since 2015 --as-of 2020-06 --library trials "Does colchicine prevent gout flares?"
      echo "When is aspirin stopped before surgery?" | wellsourced ask --json
    """,
)
@click.argument("question", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@click.option("--quotes/--no-quotes", default=None, help="Show the words each statement rests on [on a terminal: yes].")
@click.option(
    "--library", "libraries", metavar="NAME", multiple=True, help="Search only this library, or the graph; repeatable."
)
@click.option(
    "--live",
    "live",
    type=click.Choice(config.LIVE),
    multiple=True,
    help="Search this over the network too; repeatable.",
)
@click.option("--since", metavar="DATE", callback=first_day, help="Only what was published on this date or later.")
@click.option("--as-of", metavar="DATE", callback=last_day, help="Only what was published on this date or earlier.")
@click.option("--exclude", metavar="ID", multiple=True, help="Leave out this document, for example pubmed:31234567.")
@click.pass_context
def ask(
    ctx: click.Context,
    question: tuple[str, ...],
    as_json: bool,
    quotes: bool | None,
    libraries: tuple[str, ...],
    live: tuple[config.Live, ...],
    since: date | None,
    as_of: date | None,
    exclude: tuple[str, ...],
) -> None:
    """Answer QUESTION in the sources' own words, each with its place; without sources, say so (exit status 3).

    Nothing leaves this machine unless --live, or the setting `live`, names a source on the network. The question may
    also come on standard input: give - or nothing.
    """
    if since and as_of and since > as_of:
        raise click.UsageError(f"--since {since} is later than --as-of {as_of}: nothing can lie between them.")
    asked = Question(text=wording(question), since=since, as_of=as_of, exclude=exclude)
    with watching() as watch:
        answer = asyncio.run(answered(asked, config.load(ctx.obj), libraries, live, watch))
    if as_json:
        emit(answer.model_dump_json(indent=2))
    else:
        click.echo(render(answer, page(quotes)), nl=False)
    ctx.exit(ABSTAINED if answer.abstained else 0)


async def answered(
    question: Question,
    settings: config.Settings,
    libraries: tuple[str, ...],
    live: tuple[config.Live, ...],
    watch: Watch,
) -> Answer:
    """One answer, from a kit that is opened for it."""
    watch.say("Opening the libraries")
    async with config.kit(settings, libraries=libraries, live=live or None, tell=watch) as kit:
        return await answer_to(question, kit, watch)


def wording(words: tuple[str, ...]) -> str:
    """The question as it was typed or piped in."""
    if words and words != ("-",):
        text = " ".join(words)
    elif sys.stdin is None or (not words and sys.stdin.isatty()):
        raise click.UsageError('Missing question. Try: wellsourced ask "How is gout treated?"')
    else:
        text = sys.stdin.buffer.read(MOST_READ).decode("utf-8", "replace")
    # What no encoding could read comes as half characters, which no JSON could hold.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def page(quotes: bool | None) -> Page:
    """How to set the answer on this terminal, or in a file."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    return Page(width=width, quotes=terminal if quotes is None else quotes, colour=terminal and config.colours())
