"""`wellsourced evaluate build unanswerable-questions` and `altered-statements`: sets made from what there is."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import ProgressWatch
from wellsourced_evaluate.commands.build_output import (
    count_steps,
    finish,
    fresh_option,
    out_option,
    run_build,
    seed_option,
)
from wellsourced_evaluate.commands.common import FORMS

if TYPE_CHECKING:
    from wellsourced_evaluate.builders.built_set import Manifest
    from wellsourced_evaluate.builders.unanswerable_questions import UnanswerableKind

UNANSWERABLE = ("source-removed", "other-entity", "made-up-entity")
ALTERATIONS = (
    "negation", "direction", "number", "unit", "dose", "percentage", "interval", "p-value", "comparator", "population",
    "drug", "time", "role", "term", "paraphrase", "white space", "unicode", "abbreviation", "left out",
)  # fmt: skip


@click.command(
    "unanswerable-questions",
    short_help="Questions that your libraries do not answer, mixed with those that they do.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate build unanswerable-questions pubmedqa.jsonl --limit 100
      wellsourced evaluate build unanswerable-questions mine.jsonl --kind made-up-entity --out made-up.jsonl
      wellsourced evaluate run unanswerable-questions.jsonl
    """,
)
@click.argument("path", type=EXISTING_FILE, metavar="QUESTIONS")
@click.option("--format", "form", type=click.Choice(FORMS), help="How the file is written [as its name says].")
@click.option("--kind", "kinds", type=click.Choice(UNANSWERABLE), multiple=True, help="Make these; repeatable [all].")
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
    kinds: "tuple[UnanswerableKind, ...]",
    libraries: tuple[str, ...],
    limit: int,
    seed: int,
    out: Path,
    fresh: bool,
    as_json: bool,
) -> None:
    """Make of QUESTIONS that your libraries answer some that they do not, and write both: so refusals can be counted.

    source-removed: what answers is kept away. other-entity: a drug or disease stands where another stood.
    made-up-entity: it has a name that does not exist. That no document has the terms together is looked up in every
    library; where that is not certain, nothing is made. QUESTIONS have to say their source, which a library holds.
    """
    from wellsourced_evaluate.builders.unanswerable_questions import (
        UNANSWERABLE_KINDS,
        UnanswerableTask,
        build_unanswerable_questions,
    )
    from wellsourced_evaluate.questions.cases import read_questions

    settings = config.load(ctx.obj)
    data = read_questions(path, form or "", limit, seed)

    async def work(watch: ProgressWatch) -> "Manifest":
        async with config.open_context(settings, libraries=libraries, emit=watch) as context:
            task = UnanswerableTask(data, tuple(context.sources), out, kinds or UNANSWERABLE_KINDS, seed, fresh)
            return await build_unanswerable_questions(task, count_steps(watch, "Looked up", "questions"))

    finish(out, run_build(work), as_json)


@click.command(
    "altered-statements",
    short_help="Sentences with one thing changed, and reworded ones: pairs for judges.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate build altered-statements trials.jsonl --count 100
      wellsourced evaluate build altered-statements trials.jsonl --kind negation --kind dose --kind paraphrase
      wellsourced evaluate verification --pairs altered-statements.jsonl
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="ARTICLES…")
@click.option("--kind", "kinds", type=click.Choice(ALTERATIONS), multiple=True, help="Make these; repeatable [all].")
@click.option(
    "--count", type=click.IntRange(1), default=50, show_default=True, metavar="N", help="Make so many of each kind."
)
@seed_option
@out_option("altered-statements.jsonl")
@fresh_option
@json_option
def altered_statements(
    files: tuple[Path, ...], kinds: tuple[str, ...], count: int, seed: int, out: Path, fresh: bool, as_json: bool
) -> None:
    """Change one thing in sentences of ARTICLES, by rule: a “not”, a direction, a number, a dose, a population …

    The last five kinds change the wording alone, and stay supported. The evidence is the passage that the sentence is
    from. Whoever wrote the rules knew what would come of them: what a judge misses here is the least that it misses.
    """
    from wellsourced_evaluate.builders.altered_statements import AlterationTask, build_altered_statements

    task = AlterationTask(files, out, kinds or ALTERATIONS, count, seed, fresh)

    async def work(watch: ProgressWatch) -> "Manifest":
        watch.show_step("Altering sentences")
        return await asyncio.to_thread(build_altered_statements, task)

    finish(out, run_build(work), as_json)
