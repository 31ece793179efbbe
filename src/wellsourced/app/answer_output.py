"""What commands that print an answer share: opening its context, the options for printing it, its exit code."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple, TypeVar, get_args

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.exits import EXIT_NOTHING, describe_error
from wellsourced.app.options import NEW_FILE, is_quiet, pack_options
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import QuestionLimits
from wellsourced.app.terminal import detect_page, print_json, print_result, write_file
from wellsourced.citations.reference_styles import CitationStyle, ReferenceFormat, render_reference_file
from wellsourced.context import Context
from wellsourced.errors import NextStep, SettingsError, WellsourcedError
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.references import number_references
from wellsourced.runs import RunHistory
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer

REFERENCE_FORMATS: dict[str, ReferenceFormat] = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}

T = TypeVar("T")


class OutputOptions(NamedTuple):
    """How an answer is printed, as it was typed. `references`: the file into which the cited works are written."""

    as_json: bool
    quotes: bool | None
    style: CitationStyle | None
    references: Path | None
    receipt: bool


quotes_option = click.option("--quotes/--no-quotes", default=None, help="Show the exact words behind each statement.")
answer_json_option = click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
add_output_options = pack_options(
    "output",
    OutputOptions,
    (
        answer_json_option,
        quotes_option,
        click.option(
            "--style",
            type=click.Choice(get_args(CitationStyle)),
            help="Print references in a journal style.",
        ),
        click.option(
            "--references",
            type=NEW_FILE,
            metavar="FILE",
            help="Write the cited works to a .bib, .ris or .json file.",
        ),
        click.option(
            "--receipt",
            is_flag=True,
            help="Show how it was found: every search, and what was left out.",
        ),
    ),
)
"""Decorator for the options by which an answer is printed."""


def run_with_context(
    ctx: click.Context, limits: QuestionLimits, work: Callable[[Context, ProgressWatch], Awaitable[T]]
) -> T:
    """Do the work with a context that is opened for it, and show its progress."""

    async def run() -> T:
        watch.show_step(messages.OPENING_LIBRARIES)
        async with config.open_context(
            settings, libraries=limits.libraries, live=limits.live or None, emit=watch
        ) as context:
            return await work(context, watch)

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        return asyncio.run(run())


def finish_with_answer(ctx: click.Context, answer: Answer, output: OutputOptions, *, is_new: bool = True) -> None:
    """Print an answer, write its references into a file if one is named, and end with its exit code.

    is_new   it was given now, and is saved to history

    Raises SettingsError for the ending of that file.
    """
    if output.references:
        write_references(answer, output.references)
    if output.as_json:
        print_json(answer.model_dump_json(indent=2))
    else:
        page = detect_page(output.quotes, receipt=output.receipt)
        hint = "" if output.receipt or is_quiet() else messages.spell_next_step(NextStep("show receipt"))
        print_result(build_answer(answer, output.style), page, hint)
    if is_new:
        record_run(config.load(ctx.obj), answer)
    ctx.exit(EXIT_NOTHING if answer.abstained else 0)


def record_run(settings: config.Settings, answer: Answer) -> str:
    """Save an answer to history, unless the settings say otherwise. Returns its id, "" where it is not saved.

    An answer that cannot be saved was printed all the same: a message says why.
    """
    if not settings.runs:
        return ""
    try:
        id = RunHistory(settings.home).record(answer)
    except (WellsourcedError, OSError) as error:
        click.echo(sanitize_line(messages.answer_not_saved(describe_error(error))), err=True)
        return ""
    if not id and not answer.question.patient and not is_quiet():
        click.echo(messages.ANSWER_IDENTIFIES, err=True)
    return id


def write_references(answer: Answer, path: Path) -> None:
    """Write the cited works into a file for reference managers. Raises SettingsError for an ending of no format."""
    if path.suffix.lower() not in REFERENCE_FORMATS:
        raise SettingsError(messages.unknown_reference_format(path, REFERENCE_FORMATS))
    works = number_references(answer).list_references()
    write_file(path, render_reference_file(works, REFERENCE_FORMATS[path.suffix.lower()]))
