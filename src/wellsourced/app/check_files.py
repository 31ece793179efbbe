"""The texts given to `wellsourced check`, from files, addresses and models, and the reports on them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.options import RegularFile, ReportFormat, read_bounded
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.terminal import detect_page, print_utf8, write_file
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.config.factcheck import open_check_context
from wellsourced.errors import ModelRefused, SettingsError, SourceRefused, UnreadableFile
from wellsourced.factcheck.check import CheckContext, CheckOptions, check_document
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.edited_text import apply_edits, diff_edits
from wellsourced.factcheck.load.input_texts import (
    MAX_TEXT_BYTES,
    InputText,
    cleaned_ending,
    fetch_text,
    is_address,
    output_path,
    read_input_file,
)
from wellsourced.factcheck.sourced_answers import write_input_text
from wellsourced.factcheck.verdicts import find_issues, is_cut_off, issue_kinds, pool_shares
from wellsourced.presentation.check_exports import export_csv, export_json
from wellsourced.presentation.checks import present_checks, summarize_check
from wellsourced.presentation.html import write_html_page
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import ShareInterval

REPORT_WIDTH = 100


async def read_texts(names: Sequence[str], settings: config.Settings) -> list[InputText]:
    """All texts of these files and addresses. Bad use, with the remedy, for one that cannot be read.

    Raises SourceUnavailable where an address may answer at another time.
    """
    try:
        return [text for name in names for text in await _read_named(name, settings)]
    except (SourceRefused, SettingsError) as error:
        raise click.UsageError(str(error)) from error


async def _read_named(name: str, settings: config.Settings) -> Sequence[InputText]:
    if is_address(name):
        async with config.open_client(settings) as client:
            return [InputText(name, await fetch_text(name, client))]
    texts, rejected = await read_input_file(name, _read_bytes(name))
    if rejected:
        rows, answers = format_count(len(texts) + len(rejected), "row"), format_count(len(texts), "answer")
        words = messages.ROWS_LEFT_OUT.format(name=name, rows=rows, answers=answers, rejected=len(rejected))
        click.echo(sanitize_line(words), err=True)
    for row, reason in rejected:
        click.echo(sanitize_line(f"  row {row}: {reason}"), err=True)
    return texts


def _read_bytes(name: str) -> bytes:
    if Path(name).is_dir():
        raise click.UsageError(messages.IS_FOLDER.format(name=name))
    return read_bounded(RegularFile().convert(name, None, click.get_current_context()), MAX_TEXT_BYTES)


async def answer_questions(
    questions: Sequence[str], tools: CheckContext, settings: config.Settings, watch: ProgressWatch
) -> list[InputText]:
    """What the model answers to each. Of several, one that its provider refuses is reported, and costs only itself."""
    answers = []
    for question in questions:
        if tools.writer is None:
            raise SettingsError(messages.MODEL_NEEDED)
        watch.show_step(f"Asking {tools.writer.name}")
        try:
            with use_cost_tracker(CostTracker(settings.budget, watch)):
                answers.append(await write_input_text(question, tools.writer))
        except ModelRefused as error:
            if len(questions) == 1:
                raise
            click.echo(sanitize_line(f"{question}: {error}"), err=True)
    return answers


async def check_texts(
    names: Sequence[str],
    questions: Sequence[str],
    settings: config.Settings,
    options: CheckOptions,
    judge: str,
    analyse: bool,
    watch: ProgressWatch,
) -> list[CheckedText]:
    """Check every text, one after another. Bad use for one that cannot be read."""
    watch.show_step("Reading")
    # All are read before any is checked: a misspelt name costs no work.
    texts = await read_texts(names, settings)
    results = []
    async with open_check_context(settings, judge=judge, analyse=analyse, emit=watch) as tools:
        texts += await answer_questions(questions, tools, settings, watch)
        for text in texts:
            watch.show_step(f"Checking {text.name}")
            with use_cost_tracker(CostTracker(settings.budget, watch)) as tracker:
                try:
                    judging = tools.judging._replace(question=text.origin.question)
                    done = await check_document(text.document, tools._replace(judging=judging), options, emit=watch)
                except UnreadableFile as error:
                    # Of many answers, one that nobody can take apart costs only itself.
                    if len(texts) == 1:
                        raise
                    click.echo(sanitize_line(f"{text.name}: {error.reason}"), err=True)
                    continue
            done = done.model_copy(update={"origin": text.origin, "notes": (*text.notes, *done.notes)})
            results.append(CheckedText(text.name, done, tracker.spent))
    return results


def find_issue_kinds(results: Sequence[CheckedText]) -> tuple[set[str], bool]:
    """The kinds of what was found, and whether of any text no source was reached: of it nothing counts as found."""
    known = [one.checkup for one in results if not is_cut_off(one.checkup)]
    return {kind for one in known for kind in issue_kinds(find_issues(one))}, len(known) < len(results)


def print_report(
    results: Sequence[CheckedText], report_format: ReportFormat, path: Path | None, *, details: bool = False
) -> None:
    """Print the report, or write it to a file and say what is in it.

    details   with figures, places by characters and who judged, which all other formats have
    """
    page = detect_page(True) if path is None else TerminalPage(REPORT_WIDTH, quotes=True)
    report = _write_report(results, report_format, page._replace(places=details, receipt=details))
    if path is None:
        print_utf8(report, end="")
        return
    write_file(path, report)
    for result in results:
        click.echo(sanitize_line(f"{result.name}: {summarize_check(result)}"))
    click.echo(sanitize_line(messages.WRITTEN.format(path=path)))


def _write_report(results: Sequence[CheckedText], report_format: ReportFormat, page: TerminalPage) -> str:
    together: Mapping[str, ShareInterval] = pool_shares([one.checkup for one in results]) if len(results) > 1 else {}
    match report_format:
        case "json":
            return export_json(results, together)
        case "html":
            return write_html_page(present_checks(results, together))
        case "csv":
            return export_csv(results)
        case "text":
            return write_terminal(present_checks(results, together), page, messages.spell_next_step)


def write_repaired_text(result: CheckedText, folder: Path) -> None:
    """Write the cleaned text and what differs; nothing where nothing had to be repaired."""
    submitted, edits = result.checkup.submitted, result.checkup.edits
    if not edits:
        click.echo(sanitize_line(messages.NOTHING_TO_REPAIR.format(name=result.name)), err=True)
        return
    text = output_path(result.name, folder, f".cleaned{cleaned_ending(result.name)}")
    changes = text.with_suffix(".diff")
    write_file(text, apply_edits(submitted, edits))
    write_file(changes, diff_edits(submitted, edits, Path(result.name).name))
    click.echo(sanitize_line(messages.REPAIRED.format(name=result.name, text=text, changes=changes)), err=True)
