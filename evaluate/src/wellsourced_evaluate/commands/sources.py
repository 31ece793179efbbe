"""`wellsourced evaluate sources`: whether the sources that recorded answers cite support them (SourceCheckup)."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced_evaluate.commands.common import fresh_option, limit_option, out_option, print_study

if TYPE_CHECKING:
    from wellsourced.factcheck.check import Scope
    from wellsourced_evaluate.source_checks import AnswerCheck


@click.command(
    short_help="Measure whether the sources that answers cite support them: SourceCheckup.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate sources --answers answers.jsonl
      wellsourced evaluate sources --answers answers.csv --scope own --judge weighed --json

    \b
    A row of FILE, as `wellsourced check` reads it:
      {"id": "q1", "question": "…", "answer": "…", "sources": ["https://…"], "system": "…"}
    with "label" (supported, not_supported) or "votes" as people said of the whole answer, where they did.

    \b
    Exit status: 0 measured, 1 the file cannot be used or some answers could not be checked, 2 bad use.
    """,
)
@click.option(
    "--answers", "path", type=EXISTING_FILE, required=True, metavar="FILE", help="Answers, and what they cite."
)
@click.option(
    "--scope",
    type=click.Choice(("all", "own")),
    default="all",
    show_default=True,
    help="Put each statement to all sources of its answer, or to those whose marks it bears.",
)
@click.option("--judge", metavar="NAME", default="", help="Who judges [a language model if one is set, else locally].")
@limit_option("Take so many answers")
@out_option("Keep the counts of each answer", "`evaluate` of home")
@fresh_option("Check again what was checked before.")
@json_option
@click.pass_context
def sources(
    ctx: click.Context,
    /,
    path: Path,
    scope: "Scope",
    judge: str,
    limit: int,
    out: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Check recorded answers of any system as `wellsourced check` does, and count as SourceCheckup counts.

    Every source is looked for and read, and each statement is put to it. Of each answer the counts are kept as soon as
    it is checked: a run that was stopped goes on. Where people said whether an answer is supported, the check is held
    against them. Intervals are 95 % (bootstrap over answers).
    """
    from wellsourced.config.factcheck import open_check_context
    from wellsourced_evaluate.source_checks import check_answers, read_cited_answers, source_blocks, sources_to_json

    data, settings = read_cited_answers(path, limit), config.load(ctx.obj)
    name = f"{data.file.partition('.')[0]}-{len(data.rows)}-{data.sha256[:8]}.jsonl"
    log = out or settings.home / "evaluate" / "sources" / name

    async def check(watch: ProgressWatch) -> "tuple[str, list[AnswerCheck]]":
        def say(done: int, every: int) -> None:
            watch.show_step(f"Checked {done:,} of {every:,} answers")

        async with open_check_context(settings, judge=judge, emit=watch) as tools:
            return tools.judge.name, await check_answers(data, tools, scope, log, say, fresh=fresh)

    with watch_progress() as watch:
        used, checks = asyncio.run(check(watch))
    print_study(source_blocks(data, used, checks), sources_to_json(data, used, checks), as_json=as_json)
    ctx.exit(EXIT_FAILURE if any(check.error for check in checks) else 0)
