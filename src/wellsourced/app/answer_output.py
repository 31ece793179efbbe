"""What commands that print an answer share: opening its context, the options for printing it, its exit status."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.exits import EXIT_NOTHING, describe_error
from wellsourced.app.options import NEW_FILE, is_quiet, pack_options
from wellsourced.app.progress import watch_progress
from wellsourced.app.question_input import QuestionLimits
from wellsourced.app.terminal import detect_page, print_json, print_result, write_file
from wellsourced.citations.reference_styles import CitationStyle, ReferenceFormat, render_reference_file
from wellsourced.context import Context
from wellsourced.errors import NextStep, SettingsError
from wellsourced.events import Emit
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.progress import describe_event
from wellsourced.presentation.references import number_references
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import LiveRun, RunRecorder
from wellsourced.runs.table import RunKind
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer, Question, Reference

REFERENCE_FORMATS: dict[str, ReferenceFormat] = {
    ".bib": "bibtex",
    ".ris": "ris",
    ".json": "csl",
    ".csv": "csv",
}

T = TypeVar("T")


class OutputOptions(NamedTuple):
    """How an answer is printed, as it was typed. `references`: the file into which the cited works are written."""

    as_json: bool
    quotes: bool | None
    style: CitationStyle | None = None
    references: Path | None = None
    receipt: bool = False


def check_reference_file(_ctx: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """The file, before anything is searched for it. Raises SettingsError for an ending of no format."""
    if path and path.suffix.lower() not in REFERENCE_FORMATS:
        raise SettingsError(messages.unknown_format(path, REFERENCE_FORMATS))
    return path


references_option = click.option(
    "--references",
    type=NEW_FILE,
    callback=check_reference_file,
    metavar="FILE",
    help="Write the works to a .bib, .ris, .json or .csv.",
)
quotes_option = click.option("--quotes/--no-quotes", default=None, help="Show the exact words behind each statement.")
answer_json_option = click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
receipt_option = click.option("--receipt", is_flag=True, help="Show every search, and what was left out.")
add_output_options = pack_options(
    "output",
    OutputOptions,
    (
        quotes_option,
        receipt_option,
        click.option("--style", type=click.Choice(get_args(CitationStyle)), help="Style of the references."),
        references_option,
        answer_json_option,
    ),
)
"""Decorator for the options by which an answer is printed."""


def new_run(ctx: click.Context, kind: RunKind, question: Question | None = None) -> LiveRun:
    """Return a run of this command, which the other programs of this home see, follow and stop."""
    settings = config.load(ctx.obj)
    recorder = RunRecorder(RunHistory(settings.home, settings.storage.url) if settings.runs else None, describe_event)
    return recorder.new_question(question, "terminal") if question else LiveRun(kind, "", recorder, surface="terminal")


def run_with_context(
    ctx: click.Context,
    limits: QuestionLimits,
    work: Callable[[Context, Any], Coroutine[object, object, T]],
    run: LiveRun | None = None,
) -> T:
    """Do the work with a context that is opened for it, and show its progress.

    work   also gets what hears its events: a ProgressWatch, unless `run` hears them as well
    run    is recorded while it works; the caller concludes it
    """

    async def work_in_context(emit: Emit) -> T:
        watch.show_step(messages.OPENING_LIBRARIES)
        async with config.open_context(
            settings, libraries=limits.libraries, live=limits.live or None, emit=watch
        ) as context:
            return await work(context, emit)

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        return asyncio.run(run.perform(work_in_context, watch, conclude=False) if run else work_in_context(watch))


def answer_question(
    ctx: click.Context,
    question: Question,
    limits: QuestionLimits,
    output: OutputOptions,
    answer: Callable[[Question, Context, Emit], Coroutine[object, object, Answer]],
) -> None:
    """Answer a question as a run, print the answer, save it to history, and end with its exit status."""
    run = new_run(ctx, "question", question)
    given = run_with_context(ctx, limits, lambda context, emit: answer(question, context, emit), run)
    try:
        print_answer(given, output)
    finally:
        run.conclude(given)
        is_personal = run.unkept == "personal" and run.recorder.history is not None
        _report_unsaved(run.fault, is_personal=is_personal)
    ctx.exit(EXIT_NOTHING if given.abstained else 0)


def print_answer(answer: Answer, output: OutputOptions) -> None:
    """Print an answer, and write its references into a file if one is named.

    Raises SettingsError for the ending of that file.
    """
    if output.references:
        write_references(number_references(answer).list_references(), output.references)
    if output.as_json:
        print_json(answer.model_dump_json(indent=2))
    else:
        page = detect_page(output.quotes, receipt=output.receipt)
        hint = "" if output.receipt or is_quiet() else messages.spell_next_step(NextStep("show receipt"))
        print_result(build_answer(answer, output.style), page, hint)


def _report_unsaved(fault: Exception | None, *, is_personal: bool) -> None:
    """Say why an answer is not in the history; nothing of a patient's, of which nobody expects it."""
    if fault:
        click.echo(sanitize_line(messages.ANSWER_NOT_SAVED.format(reason=describe_error(fault))), err=True)
    elif is_personal and not is_quiet():
        click.echo(messages.ANSWER_IDENTIFIES, err=True)


def write_references(works: Sequence[Reference], path: Path) -> None:
    """Write works into a file for reference managers, of a format that its ending names."""
    write_file(path, render_reference_file(works, REFERENCE_FORMATS[path.suffix.lower()]))
