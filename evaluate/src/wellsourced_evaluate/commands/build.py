"""`wellsourced evaluate build …`: data sets for evaluation, with what they were made from and what was left out."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, OptionDecorator, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.question_input import parse_partial_date, since_option
from wellsourced.app.terminal import print_data, print_utf8
from wellsourced.errors import SettingsError
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.commands.common import fresh_option, seed_option

if TYPE_CHECKING:
    from wellsourced_evaluate.builders.built_set import SetRecipe
    from wellsourced_evaluate.builders.written_questions import QuestionWriter

    Recipes = AsyncIterator[SetRecipe[Any]]
    OpenRecipe = Callable[..., AbstractAsyncContextManager[SetRecipe[Any]]]

SPECIALTY = click.Choice([row[0] for row in read_rows("wellsourced_evaluate.builders", "specialties.tsv")])
NEEDS_MODEL = "A question is made by a language model: --model ollama:NAME, openai:NAME …"


@click.group(name="build", short_help="Build questions for evaluation.")
def build() -> None:
    """Build questions for evaluation, with a manifest of how they were made and what was left out.

    A set is written as JSON lines that `wellsourced evaluate run` takes. Next to questions.jsonl are
    questions.manifest.json (when, with which seed, from which files by their sha256, how many rows of what) and
    questions.left-out.jsonl (what gave no row, and why). Run the same command to continue a stopped build; a finished
    one is not repeated. Exit status: 0 built, 3 there was nothing to make a row from.
    """


def build_command(
    name: str, short_help: str, examples: Sequence[str], *options: OptionDecorator
) -> "Callable[[OpenRecipe], click.Command]":
    """Make a command of a function that opens what a set is made from, and yields the recipe.

    The function gets the settings, a watch of the progress and what was typed for the options; its docstring is the
    help. The command writes the set, and prints what was made, and what was left out and why.
    """

    def decorate(open_recipe: "OpenRecipe") -> click.Command:
        def command(ctx: click.Context, /, out: Path, fresh: bool, as_json: bool, **typed: Any) -> None:
            from wellsourced_evaluate.builders.built_set import Manifest, NothingBuilt, build_set

            settings = config.load(ctx.obj)

            async def write_set(watch: ProgressWatch) -> Manifest:
                async with open_recipe(settings, watch, **typed) as recipe:
                    return await build_set(out, recipe, watch.show_step, fresh=fresh)

            try:
                with watch_progress() as watch:
                    made = asyncio.run(write_set(watch))
            except NothingBuilt as nothing:
                click.echo(sanitize_line(str(nothing)), err=True)
                ctx.exit(EXIT_NOTHING)
            if as_json:
                print_data(made.model_dump(mode="json"))
                return
            lines = [f"{format_count(made.rows, 'row')} in {out}, from {format_count(made.items, 'item')}."]
            counted = {
                name: [f"{value} {count:,}" for value, count in one.items()] for name, one in made.counts.items()
            }
            lines += [f"{name}: {', '.join(counts)}" for name, counts in counted.items() if counts]
            lines += [f"Left out {count:,}: {reason}" for reason, count in made.left_out.items()]
            print_utf8("\n".join(map(sanitize_line, [*lines, *made.notes])))

        out_option = click.option(
            "--out",
            type=NEW_FILE,
            default=f"{name}.jsonl",
            show_default=True,
            metavar="FILE",
            callback=_require_lines,
            help="Write the set here, with its manifest and the list of what was left out.",
        )
        fresh = fresh_option("Start over: delete what was built before under this name.")
        decorated: Callable[..., Any] = click.pass_context(command)
        every: list[OptionDecorator] = [*options, out_option, fresh, json_option]
        for option in reversed(every):
            decorated = option(decorated)
        epilog = "\n".join(["\b", "Examples:", *(f"  wellsourced {example}" for example in examples)])
        return build.command(name, short_help=short_help, epilog=epilog, help=open_recipe.__doc__)(decorated)

    return decorate


def _require_lines(_: click.Context, __: click.Parameter, path: Path) -> Path:
    if path.suffix != ".jsonl":
        raise click.BadParameter(f"{path} does not end in .jsonl, in which the other commands look for JSON lines.")
    return path


@build_command(
    "review-questions",
    "Questions that titles of systematic reviews ask, from PubMed.",
    (
        "evaluate build review-questions --since 2023 --records 2000",
        "evaluate build review-questions --specialty gastroenterology --specialty dermatology",
        "evaluate build review-questions --topic '\"heart failure\"[mh]' --out failure.jsonl",
    ),
    click.option("--topic", default="", metavar="QUERY", help="Only reviews that this PubMed query finds."),
    click.option("--specialty", "specialties", type=SPECIALTY, multiple=True, help="By its MeSH headings; repeatable."),
    click.option(
        "--records",
        type=click.IntRange(1, 10_000),
        default=500,
        show_default=True,
        metavar="N",
        help="Look through this many reviews, of each specialty.",
    ),
    since_option,
    click.option(
        "--until",
        metavar="DATE",
        callback=lambda _, __, given: parse_partial_date(given, last=True) if given else None,
        help="Only what was published on this date or earlier.",
    ),
)
@asynccontextmanager
async def review_questions(settings: config.Settings, _: ProgressWatch, **options: Any) -> "Recipes":
    """Search PubMed for systematic reviews whose title asks a question and whose conclusion answers it.

    Each question has the review as its source, for `--regime excluded`; the day before the review was public, for
    `--regime as-of`; the works that the review cites, from PubMed or PMC; and its conclusion, without what it says
    about itself and about future research (Lozano et al., PSB 2024). PubMed is asked over the network.
    """
    from wellsourced_evaluate.builders.review_questions import ReviewOptions, review_recipe
    from wellsourced_evaluate.builders.review_search import open_review_search

    async with open_review_search(settings) as finder:
        service = settings.find_service("pubmed").url or "eutils.ncbi.nlm.nih.gov"
        yield review_recipe(ReviewOptions(**options), finder, service)


@build_command(
    "page-questions",
    "Questions that pages answer, by a language model.",
    (
        "--model ollama:qwen3 evaluate build page-questions leaflets/*.pdf",
        "--model openai:gpt-4o evaluate build page-questions https://medlineplus.gov/gout.html",
    ),
    click.argument("pages", nargs=-1, required=True, metavar="PAGE…"),
)
@asynccontextmanager
async def page_questions(settings: config.Settings, watch: ProgressWatch, pages: tuple[str, ...]) -> "Recipes":
    """Make a question from each PAGE (a file or an address), with the page as its source and the words that answer it.

    As SourceCheckup does (Wu et al. 2025). A question that mentions “this page”, or whose answer is not in it, is left
    out and counted. It needs a language model (--model).
    """
    from wellsourced_evaluate.builders.written_questions import page_recipe
    from wellsourced_evaluate.probing import open_page

    async with open_writer(settings, watch) as writer:
        yield page_recipe(pages, writer, lambda name: open_page(name, settings))


@build_command(
    "imported-questions",
    "Questions that people asked elsewhere, with near duplicates and personal data marked.",
    (
        "evaluate build imported-questions forum.csv",
        "evaluate build imported-questions forum.jsonl pages.jsonl --out both.jsonl",
    ),
    click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE…"),
)
@asynccontextmanager
async def imported_questions(_: config.Settings, __: ProgressWatch, files: tuple[Path, ...]) -> "Recipes":
    """Import the questions in each FILE (.csv, .jsonl, .json): fields title, body or question, and id, tag.

    Each comes with what you should know before asking it: an earlier question that it nearly repeats (SourceCheckup: .8
    of the five-letter sequences), kinds of possible personal data (name, phone …), and whether it is short or long. You
    decide what to leave out. A row without words, or with another row's id, is left out and counted.
    """
    from wellsourced_evaluate.builders.imported_questions import import_recipe

    yield import_recipe(files)


@build_command(
    "pico-questions",
    "Clinical questions that articles answer, by a language model.",
    (
        "--model ollama:qwen3 evaluate build pico-questions trials.jsonl",
        "--model ollama:qwen3 evaluate build pico-questions pubmed25n0001.xml.gz --limit 200",
    ),
    click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="ARTICLES…"),
    click.option("--limit", type=click.IntRange(0), default=0, metavar="N", help="Look at the first N articles."),
)
@asynccontextmanager
async def pico_questions(
    settings: config.Settings, watch: ProgressWatch, files: tuple[Path, ...], limit: int
) -> "Recipes":
    """Make a clinical question (population, intervention, comparison, outcome) from each article that answers one.

    ARTICLES are files that `wellsourced library add` takes: PubMed XML, JATS, JSON lines, … The question has the
    article as its source and the words of its finding as the known answer. Only self-contained questions are kept. It
    needs a language model (--model).
    """
    from wellsourced_evaluate.builders.written_questions import pico_recipe

    async with open_writer(settings, watch) as writer:
        yield pico_recipe(files, writer, limit)


@asynccontextmanager
async def open_writer(settings: config.Settings, watch: ProgressWatch) -> AsyncIterator["QuestionWriter"]:
    """The language model of the settings. Raises SettingsError where none is named."""
    from wellsourced_evaluate.builders.written_questions import QuestionWriter

    if not settings.model:
        raise SettingsError(NEEDS_MODEL)
    async with config.open_context(settings, emit=watch) as context:
        yield QuestionWriter(settings.model, context.model)


@build_command(
    "reviewed-questions",
    "Questions that people wrote, as far as others who reviewed them agree.",
    (
        "evaluate build reviewed-questions authored.jsonl --decisions anna.csv --decisions ben.csv",
        "evaluate build reviewed-questions records.jsonl --decisions screened.csv --sample 75 --seed 7",
        "evaluate build reviewed-questions review-questions.jsonl --decisions annotators.csv",
        "evaluate sealed create reviewed-questions.jsonl --out sealed",
    ),
    click.argument("path", type=EXISTING_FILE, metavar="ROWS"),
    click.option(
        "--decisions",
        type=EXISTING_FILE,
        multiple=True,
        required=True,
        metavar="FILE",
        help="Reviews of the rows (id, decision, reason, question, answer, reviewer, senior); repeatable.",
    ),
    click.option(
        "--sample",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Draw this many of the kept rows, at random.",
    ),
    seed_option("Draws the rows of --sample."),
)
@asynccontextmanager
async def reviewed_questions(
    _: config.Settings, __: ProgressWatch, path: Path, decisions: tuple[Path, ...], sample: int, seed: int
) -> "Recipes":
    """Make a set from ROWS that people wrote and FILEs with reviewers' decisions, as CSV or JSON lines.

    A row is a multiple choice (question, options or columns A, B, …, answer, specialty), a patient (patient), a case
    whose order is explained (patient, examination, diagnosis, treatment), or a question. A decision is "keep", or the
    reason why not ("unclear", "found online"); it may bring the question, or the answer that the reviewer took from the
    review. Where reviewers disagree, one marked as senior decides. These are left out, each with its reason: undecided
    rows, disagreements, a key that is not an option, duplicate options, words that identify a person, and near
    duplicates of an earlier row (four fifths of its 5-grams).
    """
    from wellsourced_evaluate.builders.reviewed_questions import reviewed_recipe

    yield reviewed_recipe(path, decisions, sample, seed)
