"""`wellsourced check`: whether the sources that somebody else's text cites say what it says."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from wellsourced import config
from wellsourced.app.answer_output import new_run
from wellsourced.app.exits import exit_on_interrupt
from wellsourced.app.options import NEW_FILE, ReportFormat, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.errors import ModelError, ModelRefused, SettingsError, SourceUnavailable, UnreadableFile
from wellsourced.text.sanitization import sanitize_line

# What checks takes time to load, which who only asks for help should not wait for.
if TYPE_CHECKING:
    from wellsourced.app.factcheck.checked_text import CheckedText
    from wellsourced.app.factcheck.input_texts import InputText
    from wellsourced.factcheck.check import CheckContext, CheckOptions

EXIT_FOUND, EXIT_CUT_OFF = 1, 3

NO_MODEL = (
    "A question is answered by a language model: name one with --model (openai:NAME, ollama:NAME, local:FILE.gguf …)."
)

STOPPED_NOTICE = "stopped. The same command goes on where this one was."

FailureKind = Literal["unsupported", "contradicted", "fabricated", "retracted", "misattributed", "dead", "unverified"]


@click.command(
    epilog="""
    \b
    Examples:
      wellsourced check answer.md
      wellsourced check --repair answer.md                       also answer.cleaned.md and answer.cleaned.diff
      wellsourced check manuscript.docx --out report.html
      wellsourced check https://example.org/page --scope own
      pbpaste | wellsourced check -
      wellsourced check a.md b.md c.md --json > checked.json     with the figures of all three
      wellsourced check answers.jsonl --out checked.json         an answer of somebody's system in each row
      wellsourced check --fail-on fabricated --fail-on retracted --out check.sarif review.md
      wellsourced --model openai:NAME check answer.md            a language model judges
      wellsourced --model openai:NAME check --question "Does colchicine prevent flares?" --judge weighed

    \b
    Marks: ✓ verbatim in a source, or verified by a judge that has earned it; ~ near its source and not verified, with
    the words that differ; ✗ the source says otherwise, or none counts; ? its source could not be read.
    Without a language model (--model) little is verified: it says where to look.
    A run that is stopped goes on when the command is given again.

    \b
    Exit status: 0 checked, whatever was found; 1 something that --fail-on names was found;
    2 a text that cannot be read; 3 no source could be reached, or the judge failed; 130 stopped.
    """
)
@click.argument("texts", nargs=-1, metavar="FILE|-|URL...")
@click.option("--question", "questions", multiple=True, metavar="TEXT", help="Ask --model this; check its answer.")
@click.option(
    "--scope",
    type=click.Choice(["all", "own"]),
    default="all",
    show_default=True,
    help="Put each statement to all sources, or to those whose marks it bears.",
)
@click.option("--repair", is_flag=True, help="Write the text with what does not stand edited or removed, and a diff.")
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write the report there; its ending says the format.")
@click.option("--format", "form", type=click.Choice(get_args(ReportFormat)), help="Of the report [text].")
@json_option
@click.option(
    "--fail-on",
    "kinds",
    type=click.Choice(get_args(FailureKind)),
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
    questions: tuple[str, ...],
    form: ReportFormat | None,
    as_json: bool,
    out: Path | None,
    kinds: tuple[FailureKind, ...],
    judge: str,
    analyse: bool,
    **wish: Any,
) -> None:
    """Check each text: do the sources that it cites exist, do they stand, and do they say what it says?

    A text is a file (Markdown, plain text, HTML, DOCX, PDF), - for standard input, or an address. A file of rows
    (.jsonl, .csv, .tsv) holds a text in each: its fields are answer and, where there are any, sources (a list, or a
    line for each), question, system, kind and id; a row that cannot be used is told and left out. Statements,
    marks, references and addresses are found; every source is looked for and read; each statement is put to each
    source, and what supports or contradicts it is shown in the source's own words. A source that cannot be reached
    counts in the figures (SourceCheckup, Wu et al., 2025). With --question the language model of --model answers first,
    in statements with addresses, and that answer is checked; --judge says who judges it, else that model does itself.
    """
    from wellsourced.app.factcheck.report_output import output_report, write_repaired_text
    from wellsourced.factcheck.check import CheckOptions

    validate_inputs(texts, questions, config.load(ctx.obj))
    if wish["resume"] and wish["fresh"]:
        raise click.UsageError("--resume shows what is there, and --fresh forgets it: give one of them.")
    options, report_format = CheckOptions(**wish), choose_format(form, as_json, out)
    try:
        with watch_progress() as watch, exit_on_interrupt(STOPPED_NOTICE):
            settings = config.load(ctx.obj)
            results = asyncio.run(
                new_run(ctx, "text").perform(
                    lambda _: check_texts(texts, questions, settings, options, judge, analyse, watch)
                )
            )
    except (SourceUnavailable, ModelError) as error:
        click.echo(f"wellsourced: {sanitize_line(str(error))}", err=True)
        ctx.exit(EXIT_CUT_OFF)
    output_report(results, report_format, out)
    if options.repair:
        for result in results:
            write_repaired_text(result, out.parent if out else Path())
    ctx.exit(exit_status(results, kinds))


def validate_inputs(texts: Sequence[str], questions: Sequence[str], settings: config.Settings) -> None:
    """Bad use for neither texts nor questions, and for both. Raises SettingsError where nobody could answer."""
    if bool(texts) == bool(questions):
        both = "Texts and --question are two things to check" if texts else "There is nothing to check"
        raise click.UsageError(f"{both}: give texts (FILE, - or URL), or --question.")
    if twice := next((one for one in questions if questions.count(one) > 1), ""):
        raise click.UsageError(f"“{twice}” is asked twice.")
    if questions and not settings.model:
        raise SettingsError(NO_MODEL)


def choose_format(form: ReportFormat | None, as_json: bool, out: Path | None) -> ReportFormat:
    """The format that was named, or that the ending of the file says. Bad use for two, or for an unknown ending."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} are two formats: give one of them.")
    if form or as_json:
        return form or "json"
    if out is None:
        return "text"
    endings: dict[str, ReportFormat] = {f".{one}": one for one in get_args(ReportFormat)}
    endings |= {".txt": "text", ".htm": "html", ".md": "text"}
    if out.suffix.lower() not in endings:
        raise click.UsageError(f"{out} has an ending that no format has: name it with --format.")
    return endings[out.suffix.lower()]


async def answer_questions(
    questions: Sequence[str], tools: "CheckContext", settings: config.Settings, watch: ProgressWatch
) -> "list[InputText]":
    """What the model answers to each. Of several, one that its provider refuses is told, and costs only itself."""
    answered = []
    for question in questions:
        try:
            answered.append(await _answer_question(question, tools, settings, watch))
        except ModelRefused as error:
            if len(questions) == 1:
                raise
            click.echo(sanitize_line(f"{question}: {error}"), err=True)
    return answered


async def _answer_question(
    question: str, tools: "CheckContext", settings: config.Settings, watch: ProgressWatch
) -> "InputText":
    """What the model of the settings answers, with its sources, as a text that is taken apart."""
    from wellsourced.app.factcheck.input_texts import InputText
    from wellsourced.budget import Account, use_account
    from wellsourced.factcheck.check import text_to_document
    from wellsourced.factcheck.load.decomposition import decompose_by_worker
    from wellsourced.factcheck.sourced_answers import ask_with_sources

    if tools.writer is None:
        raise SettingsError(NO_MODEL)
    watch.show_step(f"Asking {tools.writer.name}")
    with use_account(Account(settings.budget, watch)):
        said = await ask_with_sources(question, tools.writer)
    # It is in statements already: a model would only word them anew.
    submitted = await decompose_by_worker(text_to_document(said.text))
    return InputText(said.origin.question, submitted, origin=said.origin, notes=said.notes)


async def check_texts(
    names: Sequence[str],
    questions: Sequence[str],
    settings: config.Settings,
    options: "CheckOptions",
    judge: str,
    analyse: bool,
    watch: ProgressWatch,
) -> "list[CheckedText]":
    """Every text checked, one after another."""
    from wellsourced.app.factcheck.checked_text import CheckedText
    from wellsourced.app.factcheck.input_texts import read_texts
    from wellsourced.budget import Account, use_account
    from wellsourced.config.factcheck import open_check_context
    from wellsourced.factcheck.check import check_document

    watch.show_step("Reading")
    texts = await read_texts(tuple(names), settings)
    results = []
    async with open_check_context(settings, judge=judge, analyse=analyse, emit=watch) as tools:
        texts += await answer_questions(questions, tools, settings, watch)
        for text in texts:
            watch.show_step(f"Checking {text.name}")
            with use_account(Account(settings.budget, watch)) as account:
                try:
                    manner = tools.manner._replace(question=text.origin.question)
                    done = await check_document(text.document, tools._replace(manner=manner), options, emit=watch)
                except UnreadableFile as error:
                    # Of many answers, one that nobody can take apart costs only itself.
                    if len(texts) == 1:
                        raise
                    click.echo(sanitize_line(f"{text.name}: {error.reason}"), err=True)
                    continue
            done = done.model_copy(update={"origin": text.origin, "notes": (*text.notes, *done.notes)})
            results.append(CheckedText(text.name, done, text.has_file_offsets, account.spent))
    return results


def exit_status(results: "Sequence[CheckedText]", kinds: Sequence[FailureKind]) -> int:
    """How the command ends. Of a text none of whose sources was reached, nothing is found: its sources may be there."""
    from wellsourced.factcheck import verdicts as findings

    known = [one.checkup for one in results if not findings.is_cut_off(one.checkup)]
    found = {kind for one in known for kind in findings.issue_kinds(findings.find_issues(one))}
    if found.intersection(kinds):
        return EXIT_FOUND
    return EXIT_CUT_OFF if len(known) < len(results) else 0
