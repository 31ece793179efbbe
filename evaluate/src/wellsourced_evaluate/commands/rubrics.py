"""`wellsourced evaluate rubrics` and `grader`: answers graded by criteria with points, and graders by physicians."""

import asyncio
import hashlib
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, pack_options, set_option
from wellsourced.app.progress import watch_progress
from wellsourced_evaluate.commands.common import (
    fresh_option,
    join_presets,
    limit_option,
    load_arms,
    out_folder_option,
    out_option,
    presets_option,
    print_report,
    seed_option,
)
from wellsourced_evaluate.commands.verification import judge_option

if TYPE_CHECKING:
    from wellsourced_evaluate.rubrics.grader_check import CheckedGrader
    from wellsourced_evaluate.rubrics.rubric_files import RubricSet, VoteSet
    from wellsourced_evaluate.rubrics.rubric_grading import AnswerArm
    from wellsourced_evaluate.rubrics.rubric_run import RubricRun


class RubricOptions(NamedTuple):
    """The options of `wellsourced evaluate rubrics`, as they were typed."""

    answers: tuple[Path, ...]
    ideal: bool
    grader: str
    judge: str
    floors: bool
    limit: int
    seed: int
    out: Path | None
    fresh: bool


grader_option = click.option(
    "--grader", default="", metavar="MODEL", help="The language model that grades: openai:NAME, ollama:NAME …"
)
drawn_options = (limit_option("Take so many cases", "the seed"), seed_option())
anew_option = fresh_option("Begin anew what was begun before.")

RUBRIC_OPTIONS = (
    click.option(
        "--answers", type=EXISTING_FILE, multiple=True, metavar="FILE", help="Grade these answers; repeatable."
    ),
    click.option("--ideal", is_flag=True, help="Grade what physicians answered, as FILE has it."),
    grader_option,
    judge_option,
    click.option("--floors", is_flag=True, help="Grade silence too, and one answer given to all conversations."),
    *drawn_options,
    out_folder_option("grades"),
    anew_option,
)


@click.command(
    short_help="Grade answers to conversations by criteria with points, as HealthBench does.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate rubrics oss_eval.jsonl --grader openai:gpt-5 --preset default --limit 50
      wellsourced evaluate rubrics hard.jsonl --grader ollama:qwen3 --answers theirs.jsonl --floors
      wellsourced evaluate rubrics oss_eval.jsonl --json

    \b
    A line of FILE, plain or .gz, as HealthBench publishes it:
      {"prompt_id": "p1", "prompt": [{"role": "user", "content": "…"}], "example_tags": ["theme:…"],
       "rubrics": [{"criterion": "States that …", "points": 5, "tags": ["axis:accuracy"]}]}
    A line of --answers:
      {"prompt_id": "p1", "completion": "…"}

    \b
    Exit status: 0 graded, 1 answers or grades are missing or a file cannot be used, 2 bad use.
    """,
)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@presets_option
@pack_options("typed", RubricOptions, RUBRIC_OPTIONS)
@set_option
@json_option
@click.pass_context
def rubrics(
    ctx: click.Context,
    /,
    path: Path,
    presets: tuple[str, ...],
    typed: RubricOptions,
    pairs: dict[str, str],
    as_json: bool,
) -> None:
    """Answer every conversation of FILE, grade the answers criterion by criterion, and report HealthBench's scores.

    The last thing that the user says is asked as `wellsourced converse` would, knowing what was said before; or the
    answers are taken from --answers, or from the physicians. Without --grader the judge of support stands in, for
    criteria that are plain statements, and these are not HealthBench's scores. A grade that cannot be read is none. A
    run that was stopped goes on when it is given again.
    """
    from wellsourced_evaluate.rubrics.grader_check import find_checks
    from wellsourced_evaluate.rubrics.rubric_figures import build_figures, contrast_figures
    from wellsourced_evaluate.rubrics.rubric_files import read_rubrics
    from wellsourced_evaluate.rubrics.rubric_report import RubricReport, build_rubric_blocks

    presets = join_presets(ctx, presets)
    names = [*presets, *(one.name for one in typed.answers)]
    if len(set(names)) < len(names):
        raise click.UsageError("A preset, or a file of answers, is named twice: each is an arm of its own.")
    data = read_rubrics(path, typed.limit, typed.seed)
    arms, settings = load_arms(ctx, presets, pairs)
    systems = [] if (typed.answers or typed.ideal) and not presets else arms
    runs = asyncio.run(_grade_arms(data, systems, typed, settings))
    figures = [build_figures(data, one) for one in runs]
    told = RubricReport(data, figures, contrast_figures(figures), find_checks(settings.home, runs[0].header.grader))
    print_report(build_rubric_blocks(told), told.to_json, [one.path for one in runs], as_json=as_json)
    ctx.exit(EXIT_FAILURE if any(map(_has_failures, runs)) else 0)


def _has_failures(run: "RubricRun") -> bool:
    """Whether anything has no answer or no grade that could have one."""
    is_lost = any(one.status == "failed" for one in run.answers.values())
    return is_lost or any(one.outcome in ("failed", "unparsed") for one in run.grades.values())


async def _grade_arms(
    data: "RubricSet", systems: list[config.Settings], typed: RubricOptions, settings: config.Settings
) -> "list[RubricRun]":
    """Every arm, one after the other, and one grader for all of them."""
    from wellsourced_evaluate.beir import hash_file
    from wellsourced_evaluate.corpus import EVALUATION_FOLDER
    from wellsourced_evaluate.rubrics.graders import open_grader
    from wellsourced_evaluate.rubrics.rubric_files import read_completions
    from wellsourced_evaluate.rubrics.rubric_grading import (
        RubricTask,
        build_written_arm,
        find_ideal_texts,
        grade_rubrics,
        open_system_arm,
    )

    file = data.file
    stem = file.name.split(".")[0]
    folder = f"{stem}-{len(data.cases)}-{file.seed}-{file.sha256[:8]}"
    out = typed.out or settings.home / EVALUATION_FOLDER / "rubrics" / folder
    written = [
        build_written_arm(
            one.name.split(".")[0], f"{one.name} {hash_file(one)[:16]}", read_completions(one, data.cases)
        )
        for one in typed.answers
    ]
    if typed.ideal:
        written.append(build_written_arm("physicians", "physicians", find_ideal_texts(data)))
    runs: list[RubricRun] = []
    async with AsyncExitStack() as stack:
        watch = stack.enter_context(watch_progress())
        grader = await stack.enter_async_context(open_grader(typed.grader, typed.judge, settings))
        who = hashlib.sha256(grader.name.encode()).hexdigest()[:6]

        async def grade(arm: "AnswerArm") -> "RubricRun":
            task = RubricTask(data, grader, out / f"{stem}.{arm.name}.{who}.jsonl", typed.floors, typed.fresh)
            title = f"{file.name}, {arm.name}"
            return await grade_rubrics(
                task, arm, lambda done, every: watch.show_step(f"{title}: graded {done:,} of {every:,} criteria")
            )

        runs += [await grade(arm) for arm in written]
        for one in systems:
            async with open_system_arm(one, watch) as arm:
                runs.append(await grade(arm))
    return runs


@click.command(
    short_help="Measure who grades by criteria against physicians' votes, as HealthBench does.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate grader oss_meta_eval.jsonl --grader openai:gpt-5 --limit 500
      wellsourced evaluate grader oss_meta_eval.jsonl --json

    \b
    A line of FILE, plain or .gz, as HealthBench publishes it:
      {"prompt": [{"role": "user", "content": "…"}], "completion": "…", "rubric": "…", "category": "…",
       "binary_labels": [true, false], "anonymized_physician_ids": ["…", "…"], "prompt_id": "…"}

    \b
    Exit status: 0 graded, 1 grades are missing or the file cannot be used, 2 bad use.
    """,
)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@grader_option
@judge_option
@limit_option("Take so many cases", "the seed")
@seed_option()
@out_option("Record the grades")
@anew_option
@json_option
@click.pass_context
def grader(
    ctx: click.Context,
    /,
    path: Path,
    grader: str,
    judge: str,
    limit: int,
    seed: int,
    out: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Grade completions that physicians have graded, and say how far the grader agrees with them, by category.

    Beside it stands how far physicians agree among each other: more cannot be expected. What it reaches is kept in
    home, and `wellsourced evaluate rubrics` tells it of the same grader. A run that was stopped goes on when it is
    given again.
    """
    from wellsourced_evaluate.rubrics.grader_check import check_grader, find_checks_folder, name_check
    from wellsourced_evaluate.rubrics.grader_report import build_grader_blocks, count_outcomes, grader_to_json
    from wellsourced_evaluate.rubrics.graders import open_grader
    from wellsourced_evaluate.rubrics.rubric_files import read_votes

    data: VoteSet = read_votes(path, limit, seed)
    settings = config.load(ctx.obj)

    async def check() -> "CheckedGrader":
        with watch_progress() as watch:
            async with open_grader(grader, judge, settings) as opened:
                place = out or find_checks_folder(settings.home) / name_check(data, opened)
                return await check_grader(
                    data,
                    opened,
                    place,
                    lambda done, every: watch.show_step(f"Graded {done:,} of {every:,} completions"),
                    fresh=fresh,
                )

    found = asyncio.run(check())
    blocks = build_grader_blocks(data, found)
    print_report(blocks, lambda: grader_to_json(data, found), [found.path], as_json=as_json)
    counts = count_outcomes(found)
    ctx.exit(EXIT_FAILURE if counts["failed"] + counts["unparsed"] else 0)
