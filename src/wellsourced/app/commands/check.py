"""`wellsourced check`: whether the sources that a text cites say what the text says."""

import asyncio
from pathlib import Path
from typing import Any, Literal, get_args

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.answer_output import new_run
from wellsourced.app.options import NEW_FILE, ReportFormat, SectionedCommand, json_option
from wellsourced.app.progress import watch_progress
from wellsourced.errors import ModelError, SettingsError, SourceUnavailable
from wellsourced.text.sanitization import sanitize_line

EXIT_FOUND, EXIT_CUT_OFF = 1, 3

REPORT_ENDINGS: dict[str, ReportFormat] = {
    ".html": "html",
    ".csv": "csv",
    ".json": "json",
    ".txt": "text",
    ".md": "text",
}

FailureKind = Literal["unsupported", "contradicted", "fabricated", "retracted", "misattributed", "dead", "unverified"]


@click.command(cls=SectionedCommand)
@click.argument("texts", nargs=-1, metavar="FILE|-|URL...")
@click.option("--question", "questions", multiple=True, metavar="TEXT", help="Ask --model this; check its answer.")
@click.option(
    "--scope",
    type=click.Choice(["all", "own"]),
    default="all",
    show_default=True,
    help="Compare each statement with all sources, or only with those it cites.",
)
@click.option("--repair", is_flag=True, help="Also write a corrected text and a diff.")
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the report to FILE; its ending sets the format.")
@json_option
@click.option(
    "--fail-on",
    "kinds",
    type=click.Choice(get_args(FailureKind)),
    multiple=True,
    help="Exit with status 1 if this is found; repeatable.",
)
@click.option("--judge", metavar="NAME", default="", help="Judge to use [the language model if set, else local].")
@click.option("--fresh", is_flag=True, help="Start over instead of continuing a stopped check.")
@click.option("--details", is_flag=True, help="Also show figures, addresses, character offsets, and the judge.")
@click.option("--analyse-urls", "analyse", is_flag=True, help="Also ask archives and registries about the addresses.")
@click.pass_context
def check(
    ctx: click.Context,
    /,
    texts: tuple[str, ...],
    questions: tuple[str, ...],
    as_json: bool,
    out: Path | None,
    kinds: tuple[FailureKind, ...],
    judge: str,
    analyse: bool,
    details: bool,
    **options: Any,
) -> None:
    """Check each text: do the sources that it cites exist, are they still valid, and do they say what it says?

    A text is a file (Markdown, plain text, HTML, DOCX, PDF), - for standard input, or an address. A .jsonl, .csv or
    .tsv file holds an answer per row: fields answer, sources, question, system, kind, id. Every source is looked up
    and read, and the report quotes what supports or contradicts each statement. A source that cannot be reached counts
    in the figures (SourceCheckup, Wu et al., 2025). With --question, --model answers first, citing addresses.
    """
    # What checks takes time to load, which who only asks for help should not wait for.
    from wellsourced.app import check_files
    from wellsourced.factcheck.check import CheckOptions

    settings, given = config.load(ctx.obj), (*texts, *questions)
    if not given:
        raise click.UsageError(messages.TEXT_MISSING)
    if texts and questions:
        raise click.UsageError(messages.ONLY_ONE_OF.format(one="texts", other="--question"))
    if twice := next((one for one in given if given.count(one) > 1), ""):
        raise click.UsageError(messages.GIVEN_TWICE.format(value=twice))
    if questions and not settings.model:
        raise SettingsError(messages.MODEL_NEEDED)
    wanted, report_format = CheckOptions(**options), choose_format(as_json, out)
    try:
        with watch_progress() as watch:
            work = check_files.check_texts(texts, questions, settings, wanted, judge, analyse, watch)
            results = asyncio.run(new_run(ctx, "text").perform(lambda _: work))
    except (SourceUnavailable, ModelError) as error:
        click.echo(f"wellsourced: {sanitize_line(str(error))}", err=True)
        ctx.exit(EXIT_CUT_OFF)
    check_files.print_report(results, report_format, out, details=details)
    if wanted.repair:
        for result in results:
            check_files.write_repaired_text(result, out.parent if out else Path())
    found, is_cut_off = check_files.find_issue_kinds(results)
    ctx.exit(EXIT_FOUND if found.intersection(kinds) else EXIT_CUT_OFF if is_cut_off else 0)


def choose_format(as_json: bool, out: Path | None) -> ReportFormat:
    """Return JSON where it is asked for, else the format that the file's ending gives. Bad use for an unknown one."""
    if as_json or out is None:
        return "json" if as_json else "text"
    if out.suffix.lower() not in REPORT_ENDINGS:
        raise click.UsageError(messages.unknown_format(out, REPORT_ENDINGS))
    return REPORT_ENDINGS[out.suffix.lower()]
