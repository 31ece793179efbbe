"""The report of a check, printed or written, and the texts that it cleaned."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from wellsourced.app.answer_output import detect_page
from wellsourced.app.factcheck.checked_text import CheckedText, render_json, summary_line
from wellsourced.app.factcheck.csv_report import render_csv
from wellsourced.app.factcheck.html_report import render_html
from wellsourced.app.factcheck.input_texts import cleaned_ending, output_path
from wellsourced.app.factcheck.sarif_report import render_sarif
from wellsourced.app.factcheck.text_report import render_text
from wellsourced.app.options import ReportFormat
from wellsourced.app.terminal import TerminalPage, print_utf8, sanitize_line
from wellsourced.errors import SettingsError
from wellsourced.factcheck.edited_text import apply_edits, diff_edits
from wellsourced.factcheck.metrics import pool_shares
from wellsourced.types import ShareInterval

REPORT_WIDTH = 100


def output_report(results: Sequence[CheckedText], report_format: ReportFormat, path: Path | None) -> None:
    """Print the report, or write it to a file and say what is in it."""
    page = detect_page(None) if path is None else TerminalPage(width=REPORT_WIDTH)
    told = _render_report(results, report_format, page)
    if path is None:
        print_utf8(told, end="")
        return
    write_file(path, told)
    for result in results:
        click.echo(sanitize_line(f"{result.name}: {summary_line(result)}"))
    click.echo(sanitize_line(f"Written to {path}"))


def _render_report(results: Sequence[CheckedText], report_format: ReportFormat, page: TerminalPage) -> str:
    together: Mapping[str, ShareInterval] = pool_shares([one.checkup for one in results]) if len(results) > 1 else {}
    match report_format:
        case "json":
            return render_json(results, together)
        case "html":
            return render_html(results, together)
        case "csv":
            return render_csv(results)
        case "sarif":
            return render_sarif(results) + "\n"
        case "text":
            return render_text(results, together, page)


def write_repaired_text(result: CheckedText, folder: Path) -> None:
    """Write the cleaned text and what differs; nothing where nothing had to be repaired."""
    submitted, edits = result.checkup.submitted, result.checkup.edits
    if not edits:
        click.echo(sanitize_line(f"{result.name}: nothing was repaired."), err=True)
        return
    text = output_path(result.name, folder, f".cleaned{cleaned_ending(result.name)}")
    changes = text.with_suffix(".diff")
    write_file(text, apply_edits(submitted, edits))
    write_file(changes, diff_edits(submitted, edits, Path(result.name).name))
    click.echo(sanitize_line(f"{result.name}: cleaned text in {text}, changes in {changes}"), err=True)


def write_file(path: Path, text: str) -> None:
    """Write a file as it is to be read by other programs. Raises SettingsError for a place that cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror or error}. Name another place.") from error
