"""`wellsourced evaluate build …`: data sets for evaluation, with what they were made from and what was left out."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import ProgressWatch
from wellsourced.app.question_input import parse_partial_date, since_option
from wellsourced_evaluate.commands.build_output import (
    count_steps,
    finish,
    fresh_option,
    out_option,
    require_model,
    run_build,
)
from wellsourced_evaluate.commands.build_variants import altered_statements, unanswerable_questions

if TYPE_CHECKING:
    from wellsourced_evaluate.builders.built_set import Manifest

SPECIALTIES = (
    "allergy and immunology", "anesthesiology", "cardiovascular medicine", "dermatology", "diagnostic radiology",
    "emergency medicine", "endocrinology", "family medicine", "gastroenterology", "infectious disease",
    "medical genetics", "nephrology", "neurology", "obstetrics and gynecology", "oncology", "pediatrics", "psychiatry",
    "pulmonology", "rheumatology",
)  # fmt: skip


@click.group(name="build", short_help="Build questions and pairs for evaluation.")
def build() -> None:
    """Build questions and pairs for evaluation, with a manifest of how they were made and what was left out.

    A set comes as JSON lines that `wellsourced evaluate run` and `verification` take. Beside questions.jsonl stand
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

    finish(out, run_build(work), as_json)


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
    out, and told. It takes a language model (--model).
    """
    from wellsourced.config.network import open_page
    from wellsourced_evaluate.builders.page_questions import PageTask, build_page_questions

    settings = require_model(ctx)
    task = PageTask(pages, out, settings.model, fresh)

    async def work(watch: ProgressWatch) -> "Manifest":
        async with config.open_context(settings, emit=watch) as context:
            say = count_steps(watch, "Asked about", "pages")
            return await build_page_questions(task, context.model, lambda name: open_page(name, settings), say)

    finish(out, run_build(work), as_json)


@build.command(
    "pico-questions",
    short_help="Clinical questions that articles answer, by rule or by a language model.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate build pico-questions trials.jsonl
      wellsourced --model ollama:qwen3 evaluate build pico-questions pubmed25n0001.xml.gz --limit 200 --by model
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="ARTICLES…")
@click.option(
    "--by",
    type=click.Choice(["rules", "model"]),
    default="rules",
    show_default=True,
    help="Read titles and aims by rule, or have a language model write.",
)
@click.option("--limit", type=click.IntRange(0), default=0, metavar="N", help="Look at the first N articles.")
@out_option("pico-questions.jsonl")
@fresh_option
@json_option
@click.pass_context
def pico_questions(
    ctx: click.Context, files: tuple[Path, ...], by: str, limit: int, out: Path, fresh: bool, as_json: bool
) -> None:
    """Make a clinical question (population, intervention, comparison, outcome) from each article that answers one.

    ARTICLES are files that `wellsourced library add` takes: PubMed XML, JATS, JSON lines, … The question has the
    article as its source and its conclusion as the known answer. Only questions that stand alone are kept; the share
    is told. By rule that is one in twenty articles of any kind, and more of trials.
    """
    from wellsourced_evaluate.builders.pico_questions import PicoTask, build_pico_questions

    settings = require_model(ctx) if by == "model" else config.load(ctx.obj)
    task = PicoTask(files, out, settings.model if by == "model" else "", limit, fresh)

    async def work(watch: ProgressWatch) -> "Manifest":
        say = count_steps(watch, "Read", "articles")
        if by == "rules":
            return await build_pico_questions(task, None, say)
        async with config.open_context(settings, emit=watch) as context:
            return await build_pico_questions(task, context.model, say)

    finish(out, run_build(work), as_json)


build.add_command(unanswerable_questions)
build.add_command(altered_statements)
