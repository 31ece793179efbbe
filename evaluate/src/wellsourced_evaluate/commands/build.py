"""`wellsourced evaluate build …`: data sets for evaluation, with what they were made from and what was left out."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import parse_partial_date, since_option
from wellsourced.app.terminal import format_count, print_data, print_utf8, sanitize_line
from wellsourced.errors import SettingsError
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.commands.common import FORMS

if TYPE_CHECKING:
    from wellsourced_evaluate.builders.built_set import Manifest

SPECIALTIES = tuple(row[0] for row in read_rows("wellsourced_evaluate.builders", "specialties.tsv"))
NEEDS_MODEL = "A question is made by a language model: --model ollama:NAME, local:FILE.gguf, openai:NAME …"

seed_option = click.option("--seed", type=int, default=7, show_default=True, metavar="S", help="Draws the questions.")
fresh_option = click.option("--fresh", is_flag=True, help="Start over: delete what was built before under this name.")
Work = Callable[[ProgressWatch], Awaitable["Manifest"]]


def out_option(name: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Where the set goes, with a name that says what it is."""
    return click.option(
        "--out",
        type=NEW_FILE,
        default=name,
        show_default=True,
        metavar="FILE",
        callback=_require_lines,
        help="Write the set here; its manifest and what was left out come beside it.",
    )


def _require_lines(_: click.Context, __: click.Parameter, path: Path) -> Path:
    if path.suffix != ".jsonl":
        raise click.BadParameter(f"{path} does not end in .jsonl, in which the other commands look for JSON lines.")
    return path


@click.group(name="build", short_help="Build questions for evaluation.")
def build() -> None:
    """Build questions for evaluation, with a manifest of how they were made and what was left out.

    A set comes as JSON lines that `wellsourced evaluate run` takes. Beside questions.jsonl are
    questions.manifest.json (when, with which seed, from which files by their sha256, how many rows of what) and
    questions.left-out.jsonl (from what no row was made, and why). A build that was stopped goes on when it is given
    again; one that is finished is not repeated. Exit status: 0 built, 3 there was nothing to make a row from.
    """


@build.command(
    "review-questions",
    short_help="Questions that titles of systematic reviews ask, from PubMed.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate build review-questions --since 2023 --records 2000
      wellsourced evaluate build review-questions --specialty gastroenterology --specialty dermatology
      wellsourced evaluate build review-questions --topic '"heart failure"[mh]' --out failure.jsonl
    """,
)
@click.option("--topic", default="", metavar="QUERY", help="Only reviews that this expression of PubMed finds.")
@click.option(
    "--specialty",
    "specialties",
    type=click.Choice(SPECIALTIES),
    multiple=True,
    help="By its MeSH headings; repeatable.",
)
@click.option(
    "--records",
    type=click.IntRange(1, 10_000),
    default=500,
    show_default=True,
    metavar="N",
    help="Look through so many reviews, of each specialty.",
)
@since_option
@click.option(
    "--until",
    metavar="DATE",
    callback=lambda _, __, given: parse_partial_date(given, last=True) if given else None,
    help="Only what was published on this date or earlier.",
)
@out_option("review-questions.jsonl")
@fresh_option
@json_option
@click.pass_context
def review_questions(
    ctx: click.Context,
    topic: str,
    specialties: tuple[str, ...],
    records: int,
    since: date | None,
    until: date | None,
    out: Path,
    fresh: bool,
    as_json: bool,
) -> None:
    """Look through systematic reviews in PubMed, and keep those whose title asks a question and whose conclusion
    answers.

    Each question has the review as its source, for `--regime excluded`; the day before the review was public, for
    `--regime as-of`; the works that the review cites, from PubMed or PMC; and its conclusion without what it says of
    itself and of research to come (Lozano et al., PSB 2024). PubMed is asked over the network.
    """
    from wellsourced.config.network import open_review_search
    from wellsourced_evaluate.builders.review_questions import ReviewTask, build_review_questions

    settings = config.load(ctx.obj)
    service = settings.find_service("pubmed").url or "eutils.ncbi.nlm.nih.gov"
    task = ReviewTask(out, topic, specialties, records, since, until, service, fresh)

    async def work(watch: ProgressWatch) -> "Manifest":
        async with open_review_search(settings) as finder:
            return await build_review_questions(task, finder, count_steps(watch, "Looked through", "records"))

    run_build(work, out, as_json)


@build.command(
    "page-questions",
    short_help="Questions that pages answer, by a language model.",
    epilog="""
    \b
    Examples:
      wellsourced --model ollama:qwen3 evaluate build page-questions leaflets/*.pdf
      wellsourced --model openai:gpt-4o evaluate build page-questions https://medlineplus.gov/gout.html
    """,
)
@click.argument("pages", nargs=-1, required=True, metavar="PAGE…")
@out_option("page-questions.jsonl")
@fresh_option
@json_option
@click.pass_context
def page_questions(ctx: click.Context, pages: tuple[str, ...], out: Path, fresh: bool, as_json: bool) -> None:
    """Make a question from each PAGE (a file or an address), with the page as its source and the words that answer it.

    As SourceCheckup does (Wu et al. 2025). A question that speaks of “this page”, or whose answer is not in it, is left
    out and counted. It takes a language model (--model).
    """
    from wellsourced.config.network import open_page
    from wellsourced_evaluate.builders.written_questions import QuestionWriter, build_page_questions

    settings = require_model(ctx)

    async def work(watch: ProgressWatch) -> "Manifest":
        async with config.open_context(settings, emit=watch) as context:
            writer, say = QuestionWriter(settings.model, context.model), count_steps(watch, "Asked about", "pages")
            return await build_page_questions(
                pages, writer, lambda name: open_page(name, settings), out, say, fresh=fresh
            )

    run_build(work, out, as_json)


@build.command(
    "pico-questions",
    short_help="Clinical questions that articles answer, by a language model.",
    epilog="""
    \b
    Examples:
      wellsourced --model ollama:qwen3 evaluate build pico-questions trials.jsonl
      wellsourced --model ollama:qwen3 evaluate build pico-questions pubmed25n0001.xml.gz --limit 200
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="ARTICLES…")
@click.option("--limit", type=click.IntRange(0), default=0, metavar="N", help="Look at the first N articles.")
@out_option("pico-questions.jsonl")
@fresh_option
@json_option
@click.pass_context
def pico_questions(
    ctx: click.Context, files: tuple[Path, ...], limit: int, out: Path, fresh: bool, as_json: bool
) -> None:
    """Make a clinical question (population, intervention, comparison, outcome) from each article that answers one.

    ARTICLES are files that `wellsourced library add` takes: PubMed XML, JATS, JSON lines, … The question has the
    article as its source and the words of its finding as the known answer. Only questions that stand alone are kept.
    It takes a language model (--model).
    """
    from wellsourced_evaluate.builders.written_questions import QuestionWriter, build_pico_questions

    settings = require_model(ctx)

    async def work(watch: ProgressWatch) -> "Manifest":
        async with config.open_context(settings, emit=watch) as context:
            writer, say = QuestionWriter(settings.model, context.model), count_steps(watch, "Read", "articles")
            return await build_pico_questions(files, writer, limit, out, say, fresh=fresh)

    run_build(work, out, as_json)


@build.command(
    "unanswerable-questions",
    short_help="Questions that your libraries do not answer, mixed with those that they do.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate build unanswerable-questions pubmedqa.jsonl --limit 100
      wellsourced evaluate run unanswerable-questions.jsonl
    """,
)
@click.argument("path", type=EXISTING_FILE, metavar="QUESTIONS")
@click.option("--format", "form", type=click.Choice(FORMS), help="How the file is written [as its name says].")
@click.option("--library", "libraries", metavar="NAME", multiple=True, help="Look up in this one; repeatable [all].")
@click.option("--limit", type=click.IntRange(0), default=0, metavar="N", help="Take N questions, drawn with the seed.")
@seed_option
@out_option("unanswerable-questions.jsonl")
@fresh_option
@json_option
@click.pass_context
def unanswerable_questions(
    ctx: click.Context,
    path: Path,
    form: str | None,
    libraries: tuple[str, ...],
    limit: int,
    seed: int,
    out: Path,
    fresh: bool,
    as_json: bool,
) -> None:
    """Make of QUESTIONS that your libraries answer some that they do not, and write both: so refusals can be counted.

    The document that answers is kept away. That no other has the question's rarest words together is looked up in every
    library; where that is not certain, nothing is made. QUESTIONS have to say their source, which a library holds.
    """
    from wellsourced_evaluate.builders.unanswerable_questions import UnanswerableTask, build_unanswerable_questions
    from wellsourced_evaluate.questions.cases import read_questions

    settings = config.load(ctx.obj)
    data = read_questions(path, form or "", limit, seed)

    async def work(watch: ProgressWatch) -> "Manifest":
        async with config.open_context(settings, libraries=libraries, emit=watch) as context:
            task = UnanswerableTask(data, tuple(context.sources), out, fresh)
            return await build_unanswerable_questions(task, count_steps(watch, "Looked up", "questions"))

    run_build(work, out, as_json)


def require_model(ctx: click.Context) -> config.Settings:
    """The settings, in which a language model is named. Raises SettingsError."""
    settings = config.load(ctx.obj)
    if not settings.model:
        raise SettingsError(NEEDS_MODEL)
    return settings


def count_steps(watch: ProgressWatch, did: str, things: str) -> Callable[[int, int], None]:
    """Show how far a build is: "Read 20 of 400 articles"."""
    return lambda done, every: watch.show_step(f"{did} {done:,} of {every:,} {things}")


def run_build(work: Work, out: Path, as_json: bool) -> None:
    """Build while progress is shown; print what was made, and what was left out and why."""
    from wellsourced_evaluate.builders.built_set import NothingBuilt

    async def build_it() -> "Manifest":
        return await work(watch)

    try:
        with watch_progress() as watch:
            made = asyncio.run(build_it())
    except NothingBuilt as nothing:
        click.echo(sanitize_line(str(nothing)), err=True)
        click.get_current_context().exit(EXIT_NOTHING)
    if as_json:
        print_data(made.model_dump(mode="json"))
        return
    lines = [f"{format_count(made.rows, 'row')} in {out}, from {format_count(made.items, 'item')}."]
    for name, counts in made.counts.items():
        lines += [f"{name}: " + ", ".join(f"{value} {count:,}" for value, count in counts.items())] if counts else []
    lines += [f"Left out {count:,}: {reason}" for reason, count in made.left_out.items()]
    print_utf8("\n".join(map(sanitize_line, [*lines, *made.notes])))
