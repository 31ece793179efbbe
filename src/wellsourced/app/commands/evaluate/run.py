"""`wellsourced evaluate run` and `report`: questions with known answers, put to the whole system."""

import asyncio
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import NEW_FILE, json_option, pack_options, set_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import print_data, print_utf8, sanitize_text

if TYPE_CHECKING:
    from wellsourced.evaluate.questions.answer_run import AnswerRun
    from wellsourced.evaluate.questions.cases import QuestionSet, Regime

EXIT_FAILED = 1
FORMS = (
    *("questions", "pubmedqa", "pubmedqa_star", "bioasq", "medqa", "medqa_mainland", "medqa_taiwan", "medmcqa"),
    *("mmlu_med", "mirage", "geneturing", "kqa", "healthsearchqa", "liveqa", "medication_qa", "expertqa"),
    *("pubmedrs200", "briefcontext_medq", "seer", "ddxplus", "mimic_ed", "guideline_facts", "evidence_inference"),
)
"""What question_sets/registry.py has, named here so that asking for help need not load it."""

FOLDER = click.Path(file_okay=False, path_type=Path)


class AnswerRunOptions(NamedTuple):
    """The options of `wellsourced evaluate run` that say what is asked, as they were typed."""

    data: Path | None
    form: str | None
    kinds: tuple[str, ...]
    limit: int
    seed: int
    regime: "Regime"
    out: Path | None
    judge: str
    fresh: bool


RUN_OPTIONS = (
    click.option("--data", type=FOLDER, metavar="FOLDER", help="The folder that holds the set NAME."),
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMS),
        metavar="NAME",
        help="Which set the file is of: `wellsourced evaluate sets` lists them [as its name or its content says].",
    ),
    click.option(
        "--kind",
        "kinds",
        type=click.Choice(("yesno", "factoid", "list", "summary")),
        multiple=True,
        help="Ask only questions of this kind; repeatable [all].",
    ),
    click.option(
        "--limit", type=click.IntRange(0), default=0, metavar="N", help="Ask so many cases, drawn with the seed."
    ),
    click.option("--seed", type=int, default=7, show_default=True, metavar="S", help="Draws the cases of --limit."),
    click.option(
        "--regime",
        type=click.Choice(("allowed", "excluded", "as-of")),
        default="allowed",
        show_default=True,
        help="Whether a case's own source may answer it, or only what was published by its date.",
    ),
    click.option(
        "--out", type=FOLDER, metavar="FOLDER", help="Record the answers here [in the folder `evaluate` of home]."
    ),
    click.option(
        "--judge",
        default="weighed",
        show_default=True,
        metavar="NAME",
        help="Who says whether an answer says a statement of must_have or nice_to_have, or contradicts it, for all "
        "arms: `wellsourced judges list` lists them.",
    ),
    click.option("--fresh", is_flag=True, help="Ask again what was answered before."),
)


@click.command(
    short_help="Put questions with known answers to the whole system, and score them.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate run questions.jsonl
      wellsourced evaluate run pubmedqa --data FOLDER --preset default --preset words --limit 100
      wellsourced evaluate run pubmedqa --data FOLDER --regime excluded --out excluded
      wellsourced evaluate run bioasq --data FOLDER --kind factoid --kind list --limit 100
      wellsourced evaluate run facts.jsonl --json

    \b
    A line of FILE, plain or .gz; all but id and question may be left out:
      {"id": "q1", "question": "Does colchicine help?", "answer": "yes", "source": ["pubmed:1"],
       "as_of": "2020-12-31", "answerable": true, "options": {"A": "…", "B": "…"},
       "facts": [{"fact": "dose", "pattern": "0\\\\.5 ?mg"}], "must_have": ["It shortens flares."],
       "nice_to_have": ["It is an old drug."], "reference": "Yes. It shortens flares."}

    \b
    Exit status: 0 all answered, 1 some cases failed or the file cannot be used, 2 bad use.
    """,
)
@click.argument("given", metavar="NAME|FILE")
@click.option(
    "--preset",
    "presets",
    metavar="NAME",
    multiple=True,
    help="Answer with these settings; repeatable, an arm each [those that hold].",
)
@pack_options("typed", AnswerRunOptions, RUN_OPTIONS)
@set_option
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    given: str,
    presets: tuple[str, ...],
    typed: AnswerRunOptions,
    pairs: dict[str, str],
    as_json: bool,
) -> None:
    """Ask every case of a set as `wellsourced ask` would, record each answer at once, and report what they are worth.

    NAME is a published set in the folder --data, as JSON lines or as its authors publish it (`wellsourced evaluate
    sets` lists them), or any other file there. A record that cannot be used refuses the file. A run that was stopped
    goes on when it is given again; what failed is asked again. `wellsourced evaluate report` puts several runs beside
    each other.
    """
    from wellsourced.evaluate.questions.answer_report import build_blocks, report_runs
    from wellsourced.evaluate.questions.cases import find_set, list_forms, read_questions
    from wellsourced.evaluate.questions.report_blocks import blocks_to_markdown

    # Wherever they are typed, options of the whole program come to it, and not to its commands.
    presets = (*ctx.find_root().params.get("presets", ()), *presets)
    if len(set(presets)) < len(presets):
        raise click.UsageError("A preset is named twice: each is an arm of its own.")
    path = find_set(given, typed.data)
    forms = list_forms(path, given, typed.form or "")
    sets = [read_questions(path, form, typed.limit, typed.seed, typed.kinds) for form in forms]
    arms = [config.load({**ctx.obj, **({"preset": one} if one else {}), **pairs}) for one in presets or ("",)]
    common = {name: value for name, value in ctx.obj.items() if name != "preset"}
    runs = asyncio.run(answer_arms(sets, arms, typed, config.load({**common, **pairs})))
    reports = report_runs(runs)
    if as_json:
        print_data([one.to_json() for one in reports])
    else:
        print_utf8(sanitize_text(blocks_to_markdown(build_blocks(reports))))
        print_utf8("Recorded in " + ", ".join(str(one.path) for one in runs))
    ctx.exit(EXIT_FAILED if any(record.status == "failed" for one in runs for record in one.records.values()) else 0)


async def answer_arms(
    sets: "list[QuestionSet]", arms: list[config.Settings], typed: AnswerRunOptions, judge_settings: config.Settings
) -> "list[AnswerRun]":
    """Every set by every arm, one after the other, and one judge for all of them."""
    from wellsourced.config.judges import open_judge
    from wellsourced.evaluate.corpus import EVALUATION_FOLDER
    from wellsourced.evaluate.questions.answering import DEFAULT_PRESET, AnswerTask, answer_questions

    runs = []
    async with AsyncExitStack() as stack:
        watch = stack.enter_context(watch_progress())
        judge = await stack.enter_async_context(open_judge(typed.judge, judge_settings))
        for data, settings in product(sets, arms):
            preset = settings.preset or DEFAULT_PRESET
            drawn = f"{data.name}-{len(data.cases)}-{data.seed}-{data.sha256[:8]}"
            out = typed.out or settings.home / EVALUATION_FOLDER / "answers" / drawn
            path = out / f"{data.name}.{preset}.{typed.regime}.jsonl"
            runs.append(
                await answer_questions(
                    AnswerTask(data, typed.regime, settings, path, judge, typed.fresh),
                    watch,
                    lambda done, every, arm=f"{data.name}, {preset}": watch.show_step(  # type: ignore[misc]
                        f"{arm}: answered {done:,} of {every:,} cases"
                    ),
                )
            )
    return runs


@click.command(
    short_help="Report recorded answers to questions with known answers, arms beside each other.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate report FOLDER
      wellsourced evaluate report FOLDER other/pubmedqa.words.excluded.jsonl --html report.html
    """,
)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--html", type=NEW_FILE, metavar="FILE", help="Write the report here too, as one page with pictures.")
@json_option
def report(paths: tuple[Path, ...], html: Path | None, as_json: bool) -> None:
    """Report what runs came to, as Markdown: files or folders that `wellsourced evaluate run` wrote.

    What is worst against its floor comes first. Runs on one set are compared case by case; when they are of different
    data or searched different libraries they are refused. A run that is not finished is said to be.
    """
    from wellsourced.evaluate.questions.answer_report import TITLE, build_blocks, report_runs
    from wellsourced.evaluate.questions.answer_run import find_runs
    from wellsourced.evaluate.questions.report_blocks import blocks_to_markdown, blocks_to_page

    reports = report_runs(find_runs(list(paths)))
    blocks = list(build_blocks(reports))
    if html:
        html.write_text(blocks_to_page(TITLE, blocks), encoding="utf-8")
    if as_json:
        print_data([one.to_json() for one in reports])
    else:
        print_utf8(sanitize_text(blocks_to_markdown(blocks)))
