"""`wellsourced evaluate rubrics`: answers to conversations of HealthBench, written for inspect_evals to grade."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import format_count, print_utf8, sanitize_line
from wellsourced_evaluate.commands.common import limit_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wellsourced_evaluate.recorded_rows import RecordedFile
    from wellsourced_evaluate.rubric_export import GivenAnswer, RubricCase


@click.command(
    short_help="Write answers to HealthBench's conversations for inspect_evals to grade.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate rubrics oss_eval.jsonl --limit 50 --out answered.eval
      wellsourced evaluate rubrics hard.jsonl --answers theirs.jsonl --out theirs.eval
      wellsourced evaluate rubrics hard.jsonl --out ours.jsonl

    \b
    A line of FILE, plain or .gz, as HealthBench publishes it:
      {"prompt_id": "p1", "prompt": [{"role": "user", "content": "…"}], "example_tags": ["theme:…"],
       "rubrics": [{"criterion": "States that …", "points": 5, "tags": ["axis:accuracy"]}]}
    A line of --answers:
      {"prompt_id": "p1", "completion": "…"}

    \b
    Exit status: 0 written, 1 answers failed or a file cannot be used, 2 bad use.
    """,
)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@click.option("--answers", type=EXISTING_FILE, metavar="FILE", help="Take these answers, in place of asking.")
@click.option(
    "--out",
    type=NEW_FILE,
    required=True,
    metavar="FILE",
    help="Write a log of inspect_ai here (.eval, .json), or lines as of --answers (.jsonl).",
)
@limit_option("Take so many conversations")
@click.pass_context
def rubrics(ctx: click.Context, path: Path, answers: Path | None, out: Path, limit: int) -> None:
    """Answer the last message of each conversation, and write a log of inspect_ai that inspect_evals grades.

    The log has each conversation with its criteria, its tags and the answer, unscored. The scorer of HealthBench in
    inspect_evals grades it with a language model of your choice.
    """
    from wellsourced_evaluate.inspect_logs.log_export import require_inspect
    from wellsourced_evaluate.rubric_export import read_completions, read_rubrics, write_completions, write_rubric_log

    if not out.name.endswith(".jsonl"):
        require_inspect()
    data = read_rubrics(path, limit)
    settings = config.load(ctx.obj)
    given = read_completions(answers, data.rows) if answers else asyncio.run(_ask_all(data, settings))
    if out.name.endswith(".jsonl"):
        write_completions(given, out)
    else:
        write_rubric_log(data, given, answers.name.split(".")[0] if answers else settings.preset or "default", out)
    failed = [f"{id}: {answer.error}" for id, answer in given.items() if answer.error]
    print_utf8(f"{format_count(len(data.rows), 'conversation')} in {sanitize_line(str(out))}")
    for line in failed:
        click.echo(f"FAILED {sanitize_line(line)}", err=True)
    ctx.exit(EXIT_FAILURE if failed else 0)


async def _ask_all(data: "RecordedFile[RubricCase]", settings: config.Settings) -> "Mapping[str, GivenAnswer]":
    from wellsourced_evaluate.rubric_export import answer_cases

    with watch_progress() as watch:
        async with config.open_context(settings, emit=watch) as context:
            return await answer_cases(
                data.rows, context, lambda done, every: watch.show_step(f"Answered {done:,} of {every:,} conversations")
            )
