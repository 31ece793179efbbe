"""What commands share that print an answer: opening a context for it, the options for printing it, its exit status."""

import asyncio
import shutil
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.messages import spell_next_step
from wellsourced.app.options import NEW_FILE, is_plain, is_quiet, pack_options
from wellsourced.app.progress import watch_progress
from wellsourced.app.question_input import QuestionLimits
from wellsourced.app.terminal import print_json, print_result
from wellsourced.citations.reference_styles import CitationStyle, ReferenceFormat, render_reference_file
from wellsourced.config.loader import wants_colours
from wellsourced.context import Context
from wellsourced.errors import NextStep, SettingsError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.progress import describe_event
from wellsourced.presentation.references import number_references
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import LiveRun, RunRecorder
from wellsourced.runs.table import RunKind
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Answer, Question

WHOLE_LINE = 1_000_000
"""Characters of a line that is not to be broken."""

REFERENCE_FORMATS: dict[str, ReferenceFormat] = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}

T = TypeVar("T")


class OutputOptions(NamedTuple):
    """How an answer is printed, as it was typed.

    references   the file that its references are written into too
    receipt      with all that is known of how it was found
    """

    as_json: bool
    quotes: bool | None
    style: CitationStyle | None
    references: Path | None
    receipt: bool


quotes_option = click.option(
    "--quotes/--no-quotes", default=None, help="Show the words each statement rests on, and where."
)
answer_json_option = click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
receipt_option = click.option(
    "--receipt",
    is_flag=True,
    help="Show each search, what was left out and why, references in full, and where each quote stands.",
)
add_output_options = pack_options(
    "output",
    OutputOptions,
    (
        answer_json_option,
        quotes_option,
        click.option(
            "--style",
            type=click.Choice(get_args(CitationStyle)),
            help="Print references as journals do [with what was read of each].",
        ),
        click.option(
            "--references",
            type=NEW_FILE,
            metavar="FILE",
            help="Write the cited works to FILE.bib, FILE.ris or FILE.json (CSL) as well.",
        ),
        receipt_option,
    ),
)
"""Gives a command the options by which its answer is printed."""


def new_run(ctx: click.Context, kind: RunKind, question: Question | None = None) -> LiveRun:
    """A run of this command, which the other programs of this home see, follow and stop."""
    settings = config.load(ctx.obj)
    recorder = RunRecorder(RunHistory(settings.home) if settings.runs else None, describe_event)
    return recorder.new_question(question, "terminal") if question else LiveRun(kind, "", recorder, surface="terminal")


def run_with_context(
    ctx: click.Context,
    limits: QuestionLimits,
    work: Callable[[Context, Any], Coroutine[object, object, T]],
    run: LiveRun | None = None,
) -> T:
    """Return what the work comes to, with a context that is opened for it, while its progress is shown.

    work   gets whoever hears its events, too: a ProgressWatch, unless `run` hears them as well
    run    is written down while it works; the caller concludes it
    """

    async def work_in_context(emit: Emit) -> T:
        watch.show_step("Opening the libraries")
        async with config.open_context(
            settings, libraries=limits.libraries, live=limits.live or None, emit=watch
        ) as context:
            return await work(context, emit)

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        return asyncio.run(run.perform(work_in_context, watch, conclude=False) if run else work_in_context(watch))


def finish_with_answer(ctx: click.Context, answer: Answer, output: OutputOptions, run: LiveRun | None = None) -> None:
    """Print an answer, write its references into a file if one is named, and end with its exit status.

    run   of an answer that was given now, and is saved to the history

    Raises SettingsError for the ending of that file.
    """
    try:
        _print_answer(answer, output)
    finally:
        if run:
            run.conclude(answer)
            is_personal = run.unkept == "personal" and run.recorder.history is not None
            _report_unsaved(run.fault, is_personal=is_personal)
    ctx.exit(EXIT_NOTHING if answer.abstained else 0)


def _print_answer(answer: Answer, output: OutputOptions) -> None:
    if output.references:
        write_references(answer, output.references)
    if output.as_json:
        print_json(answer.model_dump_json(indent=2))
    else:
        page = detect_page(output.quotes, receipt=output.receipt)
        hint = "" if is_quiet() else spell_next_step(NextStep("show receipt"))
        print_result(build_answer(answer, output.style), page, hint)


def record_run(settings: config.Settings, answer: Answer) -> str:
    """Save an answer that was given in a round of many; its id, "" where it is not saved, which is reported."""
    id, fault = "", None
    try:
        id = RunHistory(settings.home).record(answer, surface="terminal") if settings.runs else ""
    except (WellsourcedError, OSError) as error:
        fault = error
    _report_unsaved(fault, is_personal=settings.runs and not id and not answer.question.patient)
    return id


def _report_unsaved(fault: Exception | None, *, is_personal: bool) -> None:
    """Say why an answer is not in the history; nothing of a patient's, of which nobody expects it."""
    if fault:
        click.echo(sanitize_line(messages.not_saved(fault)), err=True)
    elif is_personal and not is_quiet():
        click.echo(messages.NOT_SAVED_PERSONAL, err=True)


def write_references(answer: Answer, path: Path) -> None:
    """The cited works as a file that reference managers read, by its ending."""
    if path.suffix.lower() not in REFERENCE_FORMATS:
        raise SettingsError(f"{path} has an ending that no form of references has: name it .bib, .ris or .json.")
    path.write_text(
        render_reference_file(number_references(answer).list_references(), REFERENCE_FORMATS[path.suffix.lower()]),
        encoding="utf-8",
    )


def detect_page(quotes: bool | None, *, receipt: bool = False) -> TerminalPage:
    """How to set the answer on this terminal, or in a file.

    quotes    with the words of every statement and their places, or without; None: on a terminal, those that a
              statement does not consist of
    receipt   with everything; quotes only where they are not declined
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return TerminalPage(
        width=WHOLE_LINE if is_plain() else max(40, min(shutil.get_terminal_size().columns, 100)),
        quotes=(terminal or receipt) if quotes is None else quotes,
        colour=terminal and wants_colours() and not is_plain(),
        places=receipt if quotes is None else quotes,
        receipt=receipt,
    )
