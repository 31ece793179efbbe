"""`wellsourced evaluate rubrics`: answers to conversations of HealthBench, written for inspect_evals to grade."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import format_count, print_utf8, sanitize_line
from wellsourced.errors import UnreadableFile, WellsourcedError
from wellsourced_evaluate.commands.common import limit_option

if TYPE_CHECKING:
    from wellsourced_evaluate.rubric_export import RubricCase


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
    from wellsourced_evaluate.inspect_logs import require_inspect
    from wellsourced_evaluate.recorded_rows import read_recorded
    from wellsourced_evaluate.rubric_export import RubricCase, WrittenCompletion, write_rubric_log

    if not out.name.endswith(".jsonl"):
        require_inspect()
    data, settings = read_recorded(path, RubricCase, limit), config.load(ctx.obj)
    arm, errors = settings.preset or "default", dict[str, str]()
    if answers:
        arm = answers.name.split(".")[0]
        given = {row.id: row.completion for row in read_recorded(answers, WrittenCompletion).rows}
        if lacking := [case.id for case in data.rows if case.id not in given]:
            named = f"{len(lacking):,} of {len(data.rows):,} cases ({', '.join(lacking[:3])} …)"
            line = 'A line reads {"prompt_id": "…", "completion": "…"}.'
            raise UnreadableFile(answers, f"it has no completion for {named}", line)
    else:
        given = asyncio.run(_ask_all(data.rows, settings, errors))
    if out.name.endswith(".jsonl"):
        lines = [json.dumps({"prompt_id": id, "completion": text}, ensure_ascii=False) for id, text in given.items()]
        out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    else:
        write_rubric_log(data, given, errors, arm, out)
    print_utf8(f"{format_count(len(data.rows), 'conversation')} in {sanitize_line(str(out))}")
    for id, error in errors.items():
        click.echo(f"FAILED {sanitize_line(f'{id}: {error}')}", err=True)
    ctx.exit(EXIT_FAILURE if errors else 0)


async def _ask_all(cases: "Sequence[RubricCase]", settings: config.Settings, errors: dict[str, str]) -> dict[str, str]:
    """The answer to each conversation; of one that goes wrong its error is noted, and the answer is empty."""
    from wellsourced_evaluate.rubric_export import answer_case

    found = {}
    with watch_progress() as watch:
        async with config.open_context(settings, emit=watch) as context:
            for place, case in enumerate(cases):
                watch.show_step(f"Answered {place:,} of {len(cases):,} conversations")
                try:
                    found[case.id] = await answer_case(case, context)
                except WellsourcedError as error:
                    found[case.id], errors[case.id] = "", str(error)
    return found
