"""`wellsourced evaluate run`, `report`, `compare`: questions with known answers, put to the whole system."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import json_option, set_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import sanitize_text
from wellsourced_evaluate.commands import common
from wellsourced_evaluate.recorded_rows import to_plain
from wellsourced_evaluate.tables import print_report, write_page

if TYPE_CHECKING:
    from wellsourced_evaluate.questions.answer_run import AnswerRun
    from wellsourced_evaluate.questions.cases import QuestionSet


@click.command(
    short_help="Put questions with known answers to the whole system, and score them.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate run questions.jsonl
      wellsourced evaluate run pubmedqa --data FOLDER --preset default --preset words --limit 100
      wellsourced evaluate run pubmedqa --data FOLDER --regime excluded --out excluded
      wellsourced evaluate run bioasq --data FOLDER --kind factoid --kind list --limit 100
      wellsourced evaluate run pubmedqa --data FOLDER --model NAME --parallel 8 --max-dollars 5
      wellsourced evaluate run facts.jsonl --json

    \b
    A line of FILE, plain or .gz; all but id and question may be left out:
      {"id": "q1", "question": "Does colchicine help?", "answer": "yes", "source": ["pubmed:1"],
       "as_of": "2020-12-31", "answerable": true, "options": {"A": "…", "B": "…"},
       "facts": [{"fact": "dose", "pattern": "0\\\\.5 ?mg"}], "must_have": ["It shortens flares."],
       "nice_to_have": ["It is an old drug."], "reference": "Yes. It shortens flares."}

    \b
    Exit status: 0 all answered, 1 some cases failed or were left unasked, or a file cannot be used, 2 bad use.
    """,
)
@click.argument("given", metavar="NAME|FILE")
@common.presets_option
@common.data_option
@click.option(
    *("--format", "form"),
    type=click.Choice(common.FORMS),
    metavar="NAME",
    help="Which set the file is of: `wellsourced evaluate sets` lists them [as its name or its content says].",
)
@click.option(
    *("--kind", "kinds"),
    type=click.Choice(("yesno", "factoid", "list", "summary")),
    multiple=True,
    help="Ask only questions of this kind; repeatable [all].",
)
@common.limit_option("Ask so many cases", "the seed")
@common.seed_option()
@click.option(
    "--regime",
    type=click.Choice(("allowed", "excluded", "as-of")),
    default="allowed",
    show_default=True,
    help="Whether a case's own source may answer it, or only what was published by its date.",
)
@common.out_folder_option("answers")
@common.judge_option(
    "Who says whether an answer says a statement of must_have or nice_to_have, or contradicts it, for all arms: "
    "`wellsourced judges list` lists them."
)
@common.fresh_option("Ask again what was answered before.")
@common.parallel_option(1, "cases")
@click.option(
    "--max-calls",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Calls to language models that all arms may take together, earlier ones included; the rest is not asked.",
)
@click.option(
    "--max-dollars",
    type=click.FloatRange(0),
    default=0.0,
    metavar="X",
    help="The same in US dollars, where the price of the model is known.",
)
@set_option
@json_option
@click.pass_context
def run(
    ctx: click.Context, /, given: str, presets: tuple[str, ...], pairs: dict[str, str], as_json: bool, **typed: Any
) -> None:
    """Ask every case of a set as `wellsourced ask` would, record each answer at once, and report what they are worth.

    NAME is a published set in the folder --data, as JSON lines or as its authors publish it (`wellsourced evaluate
    sets` lists them), or any other file there. A record that cannot be used refuses the file. A run that was stopped
    goes on when it is given again; what failed is asked again. `wellsourced evaluate report` puts several runs beside
    each other, `compare` says what differs.
    """
    from wellsourced_evaluate.questions.answer_report import build_blocks, report_runs
    from wellsourced_evaluate.questions.cases import find_set, list_forms, read_questions

    presets = common.join_presets(ctx, presets)
    common.require_distinct_presets(presets)
    path = find_set(given, typed["data"])
    forms = list_forms(path, given, typed["form"] or "")
    sets = [read_questions(path, form, typed["limit"], typed["seed"], typed["kinds"]) for form in forms]
    arms, judging = common.load_arms(ctx, presets, pairs)
    runs, stopped = asyncio.run(answer_arms(sets, arms, judging, typed))
    reports = report_runs(runs)
    print_report(build_blocks(reports), lambda: to_plain(reports), [one.path for one in runs], as_json=as_json)
    if stopped:
        click.echo(sanitize_text(f"Not every case was asked: {stopped}."), err=True)
    failed = any(record.status == "failed" for one in runs for record in one.records.values())
    ctx.exit(EXIT_FAILURE if failed or stopped else 0)


async def answer_arms(
    sets: "list[QuestionSet]", arms: list[config.Settings], judging: config.Settings, typed: Mapping[str, Any]
) -> "tuple[list[AnswerRun], str]":
    """Every set by every arm, one after the other, with one judge; and why not every case was asked, "" if all were.

    Of an arm that was to come after the budget was spent, what was recorded earlier is there, if anything was.
    """
    from wellsourced.config.judges import open_judge
    from wellsourced_evaluate.corpus import EVALUATION_FOLDER
    from wellsourced_evaluate.questions.answer_run import read_answer_run
    from wellsourced_evaluate.questions.answering import DEFAULT_PRESET, AnswerTask, answer_questions
    from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit

    runs, unbegun = [], []
    budget = RunBudget(RunLimit(typed["max_calls"], typed["max_dollars"]))
    async with AsyncExitStack() as stack:
        watch = stack.enter_context(watch_progress())
        judge = await stack.enter_async_context(open_judge(typed["judge"], judging))
        for data, settings in product(sets, arms):
            preset, regime = settings.preset or DEFAULT_PRESET, typed["regime"]
            arm = f"{data.name}, {preset}"
            drawn = f"{data.name}-{len(data.cases)}-{data.seed}-{data.sha256[:8]}"
            out = typed["out"] or settings.home / EVALUATION_FOLDER / "answers" / drawn
            path = out / f"{data.name}.{preset}.{regime}.jsonl"
            if not budget.stopped:
                task = AnswerTask(data, regime, settings, path, judge, budget, typed["fresh"], typed["parallel"])
                runs.append(await answer_questions(task, watch, partial(_show_progress, watch, arm)))
            elif path.exists():
                runs.append(read_answer_run(path))
            else:
                unbegun.append(f"{arm} is not begun")
    return runs, budget.stopped and "; ".join((budget.stopped, *unbegun))


def _show_progress(watch: ProgressWatch, arm: str, done: int, every: int) -> None:
    watch.show_step(f"{arm}: answered {done:,} of {every:,} cases")


RUNS = click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=common.EXISTING_PATH)


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
@common.html_option
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
