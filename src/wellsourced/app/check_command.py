"""`wellsourced check`: whether the sources that somebody else's text cites say what it says."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.progress import Watch, watching
from wellsourced.app.stopping import stopping
from wellsourced.app.terminal import Page, emit, safe
from wellsourced.errors import ModelError, SettingsError, SourceUnavailable
from wellsourced.types import ShareInterval

# What checks takes time to load, which who only asks for help should not wait for.
if TYPE_CHECKING:
    from wellsourced.app.check.results import Result
    from wellsourced.checkup.whole import CheckOptions

FOUND, CUT_OFF = 1, 3

STOPPED = "stopped. The same command goes on where this one was."

Format = Literal["text", "json", "html", "csv", "sarif"]
Failing = Literal["unsupported", "contradicted", "fabricated", "retracted", "misattributed", "dead"]

WIDTH = 100


class Asked(NamedTuple):
    """How the command was typed.

    kinds   findings with which it ends with status 1
    """

    wish: "CheckOptions"
    form: Format
    out: Path | None
    kinds: tuple[Failing, ...]


@click.command(
    short_help="Check whether a text's sources say what it says.",
    epilog="""
    \b
    Examples:
      wellsourced check answer.md
      wellsourced check --repair answer.md                       also answer.cleaned.md and answer.cleaned.diff
      wellsourced check manuscript.docx --out report.html
      wellsourced check https://example.org/page --scope own
      pbpaste | wellsourced check -
      wellsourced check a.md b.md c.md --json > checked.json     with the figures of all three
      wellsourced check --fail-on fabricated --fail-on retracted --out check.sarif review.md
      wellsourced --model openai:NAME check answer.md            a language model judges

    \b
    Marks: ✓ a source says so, ✗ none does (or one says the opposite), ? nobody could judge it.
    A run that is stopped goes on when the command is given again.

    \b
    Exit status: 0 checked, whatever was found; 1 something that --fail-on names was found;
    2 a text that cannot be read; 3 no source could be reached, or the judge failed; 130 stopped.
    """,
)
@click.argument("texts", nargs=-1, required=True, metavar="FILE|-|URL...")
@click.option(
    "--scope",
    type=click.Choice(["all", "own"]),
    default="all",
    show_default=True,
    help="Put each statement to all sources, or to those whose marks it bears.",
)
@click.option("--repair", is_flag=True, help="Write the text with what does not stand edited or removed, and a diff.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the report there; its ending says the format.",
)
@click.option("--format", "form", type=click.Choice(get_args(Format)), help="Of the report [text].")
@json_option
@click.option(
    "--fail-on",
    "kinds",
    type=click.Choice(get_args(Failing)),
    multiple=True,
    help="End with status 1 when this is found; repeatable.",
)
@click.option("--judge", metavar="NAME", default="", help="Who judges [a language model if one is set, else locally].")
@click.option("--resume", is_flag=True, help="Show a run that came to its end again, without asking anybody.")
@click.option("--fresh", is_flag=True, help="Forget what a run that was stopped came to.")
@click.option("--analyse-urls", "analyse", is_flag=True, help="Also ask archives and registries about the addresses.")
@click.pass_context
def check(
    ctx: click.Context,
    /,
    texts: tuple[str, ...],
    form: Format | None,
    as_json: bool,
    out: Path | None,
    kinds: tuple[Failing, ...],
    judge: str,
    analyse: bool,
    **wish: Any,
) -> None:
    """Check each text: do the sources that it cites exist, do they stand, and do they say what it says?

    A text is a file (Markdown, plain text, HTML, DOCX, PDF), - for standard input, or an address. Its statements,
    marks, references and addresses are found; every source is looked for and read; each statement is put to each
    source, and what supports or contradicts it is shown in the source's own words. A source that cannot be reached
    counts in the figures (SourceCheckup, Wu et al., 2025).
    """
    from wellsourced.checkup.whole import CheckOptions

    if wish["resume"] and wish["fresh"]:
        raise click.UsageError("--resume shows what is there, and --fresh forgets it: give one of them.")
    asked = Asked(CheckOptions(**wish), form_of(form, as_json, out), out, kinds)
    try:
        with watching() as watch, stopping(STOPPED):
            results = asyncio.run(checked(texts, config.load(ctx.obj), asked, judge, analyse, watch))
    except (SourceUnavailable, ModelError) as error:
        click.echo(f"wellsourced: {safe(str(error))}", err=True)
        ctx.exit(CUT_OFF)
    report(results, asked)
    ctx.exit(status(results, asked.kinds))


def form_of(form: Format | None, as_json: bool, out: Path | None) -> Format:
    """The format that was named, or that the ending of the file says. Bad use for two, or for an unknown ending."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} are two formats: give one of them.")
    if form or as_json:
        return form or "json"
    if out is None:
        return "text"
    endings: dict[str, Format] = {f".{one}": one for one in get_args(Format)}
    endings |= {".txt": "text", ".htm": "html", ".md": "text"}
    if out.suffix.lower() not in endings:
        raise click.UsageError(f"{out} has an ending that no format has: name it with --format.")
    return endings[out.suffix.lower()]


async def checked(
    names: Sequence[str], settings: config.Settings, asked: Asked, judge: str, analyse: bool, watch: Watch
) -> "list[Result]":
    """Every text checked, one after another."""
    from wellsourced.accounts import Account, use_account
    from wellsourced.app.check.results import Result
    from wellsourced.app.check.texts import texts_of
    from wellsourced.checkup.whole import check_document
    from wellsourced.config.checkups import open_tools

    watch.say("Reading")
    texts = await texts_of(tuple(names), settings)
    results = []
    async with open_tools(settings, judge=judge, analyse=analyse, tell=watch) as tools:
        for text in texts:
            watch.say(f"Checking {text.name}")
            with use_account(Account(settings.budget, watch)) as account:
                done = await check_document(text.document, tools, asked.wish, tell=watch)
            results.append(Result(text.name, done, text.plain, account.spent))
    return results


def report(results: "Sequence[Result]", asked: Asked) -> None:
    """Print the report, or write it; then the cleaned texts."""
    from wellsourced.app.check.results import summary

    told = rendered(results, asked)
    if asked.out is None:
        emit(told, end="")
    else:
        written(asked.out, told)
        for result in results:
            click.echo(safe(f"{result.name}: {summary(result)}"))
        click.echo(safe(f"Written to {asked.out}"))
    if asked.wish.repair:
        for result in results:
            repaired(result, asked.out.parent if asked.out else Path())


def rendered(results: "Sequence[Result]", asked: Asked) -> str:
    """The report in its format."""
    from wellsourced.app.answering import page
    from wellsourced.checkup.metrics import pool_shares

    together: Mapping[str, ShareInterval] = pool_shares([one.checkup for one in results]) if len(results) > 1 else {}
    if asked.form == "json":
        from wellsourced.app.check.data import as_json

        return as_json(results, together)
    if asked.form == "html":
        from wellsourced.app.check.html import as_html

        return as_html(results, together)
    if asked.form == "csv":
        from wellsourced.app.check.rows import as_csv

        return as_csv(results)
    if asked.form == "sarif":
        from wellsourced.app.check.sarif import as_sarif

        return as_sarif(results) + "\n"
    from wellsourced.app.check.said import said

    return said(results, together, page(None) if asked.out is None else Page(width=WIDTH))


def repaired(result: "Result", folder: Path) -> None:
    """Write the cleaned text and what differs; nothing where nothing had to be repaired."""
    from wellsourced.app.check.texts import beside, ending
    from wellsourced.checkup.rewriting import apply_edits, diff_edits

    submitted, edits = result.checkup.submitted, result.checkup.edits
    if not edits:
        click.echo(safe(f"{result.name}: nothing was repaired."), err=True)
        return
    text = beside(result.name, folder, f".cleaned{ending(result.name)}")
    written(text, apply_edits(submitted, edits))
    written(text.with_suffix(".diff"), diff_edits(submitted, edits, Path(result.name).name))
    click.echo(safe(f"{result.name}: cleaned text in {text}, changes in {text.with_suffix('.diff')}"), err=True)


def written(path: Path, text: str) -> None:
    """Write a file as it is to be read by other programs. Raises SettingsError for a place that cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror or error}. Name another place.") from error


def status(results: "Sequence[Result]", kinds: Sequence[Failing]) -> int:
    """How the command ends. Of a text none of whose sources was reached, nothing is found: its sources may be there."""
    from wellsourced.checkup import findings

    known = [one.checkup for one in results if not findings.is_cut_off(one.checkup)]
    found = {kind for one in known for kind in findings.issue_kinds(findings.find_issues(one))}
    if found.intersection(kinds):
        return FOUND
    return CUT_OFF if len(known) < len(results) else 0
