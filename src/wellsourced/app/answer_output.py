"""What commands share that print an answer: opening a context for it, the options for printing it, its exit status."""

import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from wellsourced import config
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.render.answer import render_answer
from wellsourced.app.render.references import number_references
from wellsourced.app.terminal import TerminalPage, print_json
from wellsourced.citations.reference_files import ReferenceFormat, render_reference_file
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.context import Context
from wellsourced.errors import SettingsError
from wellsourced.types import Answer

EXIT_ABSTAINED = 3

REFERENCE_FORMATS: dict[str, ReferenceFormat] = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])

quotes_option = click.option(
    "--quotes/--no-quotes", default=None, help="Show the words each statement rests on [on a terminal: yes]."
)
style_option = click.option(
    "--style",
    type=click.Choice(get_args(CitationStyle)),
    help="Print references as journals do [with what was read of each].",
)
answer_json_option = click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
references_option = click.option(
    "--references",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the cited works to FILE.bib, FILE.ris or FILE.json (CSL) as well.",
)


def add_output_options(command: Command) -> Command:
    """Give a command the options by which its answer is printed."""
    for option in (references_option, style_option, quotes_option, answer_json_option):
        command = option(command)
    return command


async def run_with_context(
    settings: config.Settings,
    libraries: tuple[str, ...],
    live: tuple[config.LiveSourceName, ...],
    watch: ProgressWatch,
    work: Callable[[Context], Awaitable[T]],
) -> T:
    """What the work comes to, with a context that is opened for it."""
    watch.show_step("Opening the libraries")
    async with config.open_context(settings, libraries=libraries, live=live or None, emit=watch) as context:
        return await work(context)


def print_answer(
    answer: Answer, as_json: bool, quotes: bool | None, style: CitationStyle | None, references: Path | None
) -> None:
    """Print an answer, and write its references into a file if one is named. Raises SettingsError for its ending."""
    if references:
        write_references(answer, references)
    if as_json:
        print_json(answer.model_dump_json(indent=2))
    else:
        click.echo(render_answer(answer, detect_page(quotes), style), nl=False)


def write_references(answer: Answer, path: Path) -> None:
    """The cited works as a file that reference managers read, by its ending."""
    if path.suffix.lower() not in REFERENCE_FORMATS:
        raise SettingsError(f"{path} has an ending that no form of references has: name it .bib, .ris or .json.")
    path.write_text(
        render_reference_file(number_references(answer).list_references(), REFERENCE_FORMATS[path.suffix.lower()]),
        encoding="utf-8",
    )


def detect_page(quotes: bool | None) -> TerminalPage:
    """How to set the answer on this terminal, or in a file."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    return TerminalPage(
        width=width, quotes=terminal if quotes is None else quotes, colour=terminal and config.wants_colours()
    )
