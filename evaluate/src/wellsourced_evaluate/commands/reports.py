"""`wellsourced evaluate report` and `compare`: what recorded runs came to, and what differs between them."""

from datetime import datetime
from pathlib import Path

import click

from wellsourced.app.options import json_option
from wellsourced_evaluate.commands.common import EXISTING_PATH, html_option
from wellsourced_evaluate.recorded_rows import to_plain
from wellsourced_evaluate.tables import print_report, write_page

RUNS = click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=EXISTING_PATH)


@click.command(
    short_help="Report recorded answers to questions with known answers, arms beside each other.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate report FOLDER
      wellsourced evaluate report FOLDER other/pubmedqa.words.excluded.jsonl --html report.html
      wellsourced evaluate report FOLDER --cutoff 2023-10-01
    """,
)
@RUNS
@html_option
@click.option(
    "--cutoff",
    type=click.DateTime(("%Y-%m-%d",)),
    metavar="YYYY-MM-DD",
    help="Report apart the questions that were made before the model's knowledge ends here, and those after.",
)
@json_option
def report(paths: tuple[Path, ...], html: Path | None, cutoff: datetime | None, as_json: bool) -> None:
    """Report what runs came to, as Markdown: files or folders that `wellsourced evaluate run` wrote.

    What is worst against its floor comes first. Runs on one set are compared case by case; when they are of different
    data or searched different libraries they are refused. A run that is not finished is said to be.
    """
    from wellsourced_evaluate.questions.answer_report import TITLE, build_blocks, report_runs
    from wellsourced_evaluate.questions.answer_run import find_runs

    reports = report_runs(find_runs(list(paths)), cutoff.date() if cutoff else None)
    blocks = list(build_blocks(reports))
    write_page(html, TITLE, blocks)
    print_report(blocks, lambda: to_plain(reports), as_json=as_json)


@click.command(
    short_help="Compare recorded runs case by case: differences, intervals, tests.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate compare FOLDER
      wellsourced evaluate compare base/pubmedqa.default.allowed.jsonl new/pubmedqa.default.allowed.jsonl
      wellsourced evaluate compare words.jsonl hybrid.jsonl reranked.jsonl --every-pair
    """,
)
@RUNS
@click.option(
    "--test",
    type=click.Choice(("randomisation", "wilcoxon")),
    default="randomisation",
    show_default=True,
    help="Of what is a number; what is so or not has McNemar's exact test.",
)
@click.option("--every-pair", is_flag=True, help="Compare every two runs, not only each with the first.")
@json_option
def compare(paths: tuple[Path, ...], test: str, every_pair: bool, as_json: bool) -> None:
    """Say what differs between runs over the same cases, each against the first: answers, or rankings of documents.

    RUN is a file or folder that `wellsourced evaluate run` wrote, or a file of `wellsourced evaluate retrieval --out`.
    Differences have 95 % intervals (bootstrap over cases). Where several are compared, p stands as it is and after
    Holm's correction over the comparisons of one metric. Runs of other data or other libraries are refused, and so is
    one that is not finished.
    """
    from wellsourced_evaluate.questions.arm_comparison import compare_files, comparison_blocks

    found = compare_files(list(paths), test, every_pair=every_pair)
    print_report(comparison_blocks(found), lambda: to_plain(found), as_json=as_json)
