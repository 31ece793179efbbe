"""`wellsourced ask`: a question in, an answer or an abstention out."""

import asyncio
import shutil
import sys
from datetime import date

import click

from wellsourced import config
from wellsourced.app.asking import limits, question_of
from wellsourced.app.progress import Watch, watching
from wellsourced.app.render import render
from wellsourced.app.terminal import Page, emit
from wellsourced.stream import ask as answer_to
from wellsourced.types import Answer, Question

ABSTAINED = 3


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
@limits
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
    asked = question_of(question, since, as_of, exclude)
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


def page(quotes: bool | None) -> Page:
    """How to set the answer on this terminal, or in a file."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    return Page(width=width, quotes=terminal if quotes is None else quotes, colour=terminal and config.colours())
