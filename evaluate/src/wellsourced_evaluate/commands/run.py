"""`wellsourced evaluate run`, `report`, `compare`, `sets`: questions with known answers, put to the whole system."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, set_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.errors import NotFoundError, UnreadableFile
from wellsourced.text.sanitization import sanitize_text
from wellsourced_evaluate.commands import common
from wellsourced_evaluate.recorded_rows import to_plain
from wellsourced_evaluate.tables import Block, Bullets, Heading, Text, print_report, tabulate, write_page

if TYPE_CHECKING:
    from wellsourced_evaluate.question_sets.registry import PublishedSet
    from wellsourced_evaluate.questions.answer_run import AnswerRun
    from wellsourced_evaluate.questions.cases import QuestionSet


@click.command(
    short_help="Ask the whole system questions with known answers, and score them.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate run questions.jsonl
      wellsourced evaluate run pubmedqa --data FOLDER --preset default --preset words --limit 100
      wellsourced evaluate run pubmedqa --data FOLDER --regime excluded --out excluded
      wellsourced evaluate run pubmedrs200 --data FOLDER --preset clinfo --model NAME --regime restricted
      wellsourced evaluate run mine.jsonl --preset rag --preset briefcontext --preset oracle --model NAME
        --same-searches --set policy.candidates=64 --set policy.passages=16
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
@common.limit_option("Ask this many cases", "the seed")
@common.seed_option()
@click.option(
    "--regime",
    "regimes",
    type=click.Choice(("allowed", "excluded", "as-of", "restricted")),
    multiple=True,
    default=("allowed",),
    show_default=True,
    help="Keep a case's own source from answering it (excluded), or what came out after its date (as-of); both are "
    "restricted. Several hold together.",
)
@click.option(
    "--same-searches",
    is_flag=True,
    help="Give all arms the searches of the first, recorded in --out; refuse arms that would search or read otherwise.",
)
@common.out_folder_option("answers")
@common.judge_option(
    "Who says whether an answer says a statement of must_have or nice_to_have, or contradicts it, for all arms: "
    "`wellsourced setup judges` lists them."
)
@common.fresh_option("Ask again what was answered before.")
@common.parallel_option(1, "cases")
@click.option(
    "--shared",
    is_flag=True,
    help="Share the cases with other processes that run the same command, also on other machines that see --out.",
)
@click.option(
    "--max-calls",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Maximum calls to language models for all arms together, earlier ones included; the rest is not asked.",
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
    """Ask every case of a set as `wellsourced ask` would, record each answer at once, and report how good they are.

    NAME is a published set in the folder --data, as JSON lines or as its authors publish it (`wellsourced evaluate
    sets` lists them), or any other file there. If a record cannot be used, the file is refused. Run the same command to
    continue a stopped run; what failed is asked again. Processes that share a run ask no case twice, and take over the
    cases of one that was killed. `wellsourced evaluate report` shows several runs side by side, `compare` says what
    differs. The preset oracle is given the passages that answer: `context` of a line, or else the documents of
    `source`.
    """
    from wellsourced_evaluate.questions.answer_report import build_blocks, report_runs
    from wellsourced_evaluate.questions.cases import find_set, list_forms, read_questions

    if typed["shared"] and any(typed[name] for name in ("fresh", "same_searches", "max_calls", "max_dollars")):
        raise click.UsageError("A run that is --shared has no --fresh, --same-searches, --max-calls and --max-dollars.")
    arms, judging = common.load_arms(ctx, presets, pairs)
    path = find_set(given, typed["data"])
    forms = list_forms(path, given, typed["form"] or "")
    sets = [read_questions(path, form, typed["limit"], typed["seed"], typed["kinds"]) for form in forms]
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
    from wellsourced_evaluate.corpus import EVALUATION_FOLDER
    from wellsourced_evaluate.opened_judges import open_judge
    from wellsourced_evaluate.questions.answer_run import read_answer_run
    from wellsourced_evaluate.questions.answering import DEFAULT_PRESET, AnswerTask, answer_questions
    from wellsourced_evaluate.questions.cases import combine_regimes
    from wellsourced_evaluate.questions.recorded_searches import SharedSearches, require_same_searches
    from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit

    runs, unbegun, tasks = [], list[str](), list[AnswerTask]()
    if typed["same_searches"]:
        require_same_searches((one.preset or DEFAULT_PRESET, one) for one in arms)
    budget = RunBudget(RunLimit(typed["max_calls"], typed["max_dollars"]))
    async with AsyncExitStack() as stack:
        watch = stack.enter_context(watch_progress())
        judge = await stack.enter_async_context(open_judge(typed["judge"], judging))
        for data, settings in product(sets, arms):
            preset, regime = settings.preset or DEFAULT_PRESET, combine_regimes(typed["regimes"])
            drawn = f"{data.name}-{len(data.cases)}-{data.seed}-{data.sha256[:8]}"
            out = typed["out"] or settings.home / EVALUATION_FOLDER / "answers" / drawn
            task = AnswerTask(data, regime, settings, out, judge, budget, typed["fresh"], typed["parallel"])
            task = task._replace(is_shared=typed["shared"])
            # What is known to answer may be read whatever the regime: an oracle is the bound of all arms.
            task = task._replace(regime="allowed") if task.is_oracle else task
            if typed["same_searches"]:
                begins = typed["fresh"] and not any(one.data is data and one.searches for one in tasks)
                shared = SharedSearches(out / f"{data.name}.{regime}.searches", begins)
                task = task._replace(searches=None if task.is_oracle else shared)
            tasks.append(task._replace(out=out / f"{data.name}.{preset}.{task.regime}.jsonl"))
            tasks[-1].require_fields()
        for task in tasks:
            arm = f"{task.data.name}, {task.settings.preset or DEFAULT_PRESET}"
            if not budget.stopped:
                runs.append(await answer_questions(task, watch, partial(_show_progress, watch, arm)))
            elif task.out.exists():
                runs.append(read_answer_run(task.out))
            else:
                unbegun.append(f"{arm} is not begun")
    return runs, budget.stopped and "; ".join((budget.stopped, *unbegun))


def _show_progress(watch: ProgressWatch, arm: str, done: int, every: int) -> None:
    watch.show_step(f"{arm}: answered {done:,} of {every:,} cases")


RUNS = click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=common.EXISTING_PATH)


@click.command(
    short_help="Report recorded answers to questions with known answers, arms side by side.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate report FOLDER
      wellsourced evaluate report FOLDER other/pubmedqa.words.excluded.jsonl --html report.html
      wellsourced evaluate report FOLDER --cutoff 2023-10-01
      wellsourced evaluate report gpt-4o qwen3 --published lins.csv
    """,
)
@RUNS
@common.html_option
@click.option(
    "--cutoff",
    type=click.DateTime(("%Y-%m-%d",)),
    metavar="YYYY-MM-DD",
    help="Report questions from before and after this date, the model's knowledge cutoff, separately.",
)
@click.option(
    "--published",
    type=EXISTING_FILE,
    metavar="FILE",
    help="Show published scores next to ours, in a separate column: set, system, value (0 to 1), metric.",
)
@json_option
def report(
    paths: tuple[Path, ...], html: Path | None, cutoff: datetime | None, published: Path | None, as_json: bool
) -> None:
    """Report the results of runs, as Markdown: files or folders that `wellsourced evaluate run` wrote.

    The worst results against their floor come first. Runs on one set are compared case by case; if they have different
    data or searched different libraries they are refused. Unfinished runs are marked. For runs on several sets and
    models, the report says how often an arm gains, and whether models gain on the same sets.
    """
    from wellsourced_evaluate.questions.answer_report import TITLE, build_blocks, read_published, report_runs
    from wellsourced_evaluate.questions.answer_run import find_runs

    theirs = read_published(published) if published else ()
    reports = report_runs(find_runs(list(paths)), cutoff.date() if cutoff else None, theirs)
    if without := sorted({one.set for one in theirs} - {one.name for one in reports}):
        click.echo(sanitize_text(f"No run is of {', '.join(without)}: these published scores are left out."), err=True)
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
    help="Test for numbers; yes or no outcomes use McNemar's exact test.",
)
@click.option("--every-pair", is_flag=True, help="Compare every two runs, not only each with the first.")
@json_option
def compare(paths: tuple[Path, ...], test: str, every_pair: bool, as_json: bool) -> None:
    """Say what differs between runs over the same cases, each against the first: answers, or rankings of documents.

    RUN is a file or folder that `wellsourced evaluate run` wrote, or a file of `wellsourced evaluate retrieval --out`.
    Differences have 95 % intervals (bootstrap over cases). If several are compared, p is given both as it is and after
    Holm's correction over the comparisons of one metric. Unfinished runs, and runs with other data or libraries, are
    refused.
    """
    from wellsourced_evaluate.questions.arm_comparison import compare_files, comparison_blocks

    found = compare_files(list(paths), test, every_pair=every_pair)
    print_report(comparison_blocks(found), lambda: to_plain(found), as_json=as_json)


@click.command(
    short_help="List published question sets: how they are read, where to get them, which are installed.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate sets
      wellsourced evaluate sets --data FOLDER
      wellsourced evaluate sets medmcqa liveqa

    \b
    Exit status: 0 listed, 1 a file in FOLDER cannot be read, 2 bad use.
    """,
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--data", type=common.FOLDER, metavar="FOLDER", help="Look here, and count the cases.")
@json_option
@click.pass_context
def sets(ctx: click.Context, /, names: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    """List the sets that `wellsourced evaluate run` can ask, or describe those that are named.

    A set is read from JSON lines, or from the files that its authors publish. Nothing is fetched: the addresses and
    the sha256 of files that anybody may have are told.
    """
    from wellsourced_evaluate.question_sets.registry import OWN_FORM, PUBLISHED_SETS, locate_set

    if unknown := [name for name in names if name not in PUBLISHED_SETS]:
        raise NotFoundError(f"No set {unknown[0]}. Sets: {', '.join(PUBLISHED_SETS)}.")
    wanted = [one for one in PUBLISHED_SETS.values() if one.name in (names or PUBLISHED_SETS)]
    rows = []
    for one in wanted:
        path = locate_set(one.name, data) if data and one.name != OWN_FORM else None
        here: dict[str, Any] = {"path": None, "cases": None, "skipped": {}, "form": None, "fault": ""}
        if path:
            here |= {"path": str(path), **count_cases(path, one)}
        described = one.model_dump(mode="json", exclude={"forms", "rows_of"})
        forms = [{"name": form.name, "files": form.about, "kind": form.container} for form in one.forms]
        rows.append({**described, "forms": forms, **here})
    blocks = [block for row in rows for block in set_blocks(row)] if names else listing_blocks(rows, data)
    common.print_study(blocks, rows, as_json=as_json)
    ctx.exit(EXIT_FAILURE if any(row["fault"] for row in rows) else 0)


def count_cases(path: Path, one: "PublishedSet") -> dict[str, Any]:
    """How many cases there are to ask; what is wrong with the file, where it cannot be read."""
    from wellsourced_evaluate.questions.cases import list_forms, read_questions

    try:
        read = [read_questions(path, form) for form in list_forms(path, one.name)]
    except UnreadableFile as error:
        return {"fault": str(error)}
    skipped = sum((Counter(data.skipped) for data in read), Counter[str]())
    forms = ", ".join(dict.fromkeys(data.form for data in read))
    return {"cases": sum(data.recorded for data in read), "skipped": dict(skipped), "form": forms}


def listing_blocks(rows: list[dict[str, Any]], data: Path | None) -> Iterator[Block]:
    """All sets in a table."""
    here = {"cases here": lambda row: "unreadable" if row["fault"] else row["cases"]}
    yield tabulate(
        rows,
        {
            "set": lambda row: row["name"],
            **(here if data else {}),
            "access": lambda row: row["access"],
            "scored": lambda row: row["scored"],
            "read from": lambda row: "; ".join(form["files"] for form in row["forms"]),
        },
    )
    yield from (Text(row["fault"], True) for row in rows if row["fault"])
    yield Text("`wellsourced evaluate sets NAME` says more of one: who made it, its licence, where it is to be had.")


def set_blocks(row: dict[str, Any]) -> Iterator[Block]:
    """A set in some lines."""
    lines = [f"Licence: {row['licence']}.", f"Access: {row['access']}.", f"To be had at {row['address']}."]
    lines += [f"Scored: {row['scored']}.", *(f"Read from ({one['name']}): {one['files']}." for one in row["forms"])]
    if row["parts"]:
        lines.append(f"It is made up of {', '.join(row['parts'])}, which are asked each by itself.")
    for file in row["downloads"]:
        lines.append(f"{file['name']}: {file['url']} (sha256 {file['sha256'] or 'not known'}).")
    if row["path"]:
        skipped = ", ".join(f"{count:,} {kind}" for kind, count in row["skipped"].items())
        not_asked = f"; not asked: {skipped}" if skipped else ""
        lines.append(row["fault"] or f"Here: {row['path']}, {row['cases']:,} cases ({row['form']}){not_asked}.")
    yield Heading(2, f"{row['name']}: {row['paper']}")
    yield Bullets(lines)
