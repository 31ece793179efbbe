"""`wellsourced evaluate citations`: how well recorded answers are supported by what they cite."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import format_count
from wellsourced_evaluate.commands.common import limit_option
from wellsourced_evaluate.commands.verification import judge_option, labels_option

if TYPE_CHECKING:
    from wellsourced_evaluate.recorded_answers import MeasuredAnswer, RecordedAnswers
    from wellsourced_evaluate.tables import Block


@click.command(
    short_help="Measure what recorded answers cite: Link-Eval, ALCE.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate citations --answers answers.jsonl
      wellsourced evaluate citations --answers answers.jsonl --judge model --model ollama:qwen3 --json

    \b
    A line of FILE, plain or .gz:
      {"id": "q1", "answer": {…}, "gold": "…"}
    with the answer as `wellsourced ask --json` prints it; gold, as far as known, is what it should say.

    \b
    Exit status: 0 measured, 1 the file cannot be used, 2 bad use.
    """,
)
@click.option("--answers", "path", type=EXISTING_FILE, required=True, metavar="FILE", help="Answers that were given.")
@judge_option
@labels_option
@click.option(
    "--valid-above",
    type=click.FloatRange(0, 1),
    default=0.6,
    show_default=True,
    metavar="P",
    help="Passages above this relevance should be cited: whom the recall of citations counts.",
)
@limit_option("Take so many answers")
@json_option
@click.pass_context
def citations(
    ctx: click.Context,
    /,
    path: Path,
    judge: str,
    labels: tuple[str, ...],
    valid_above: float,
    limit: int,
    as_json: bool,
) -> None:
    """Say how well recorded answers are supported by what they cite, as Link-Eval and ALCE count it.

    The figures are as good as the judge: `wellsourced evaluate verification` measures it. An answer to which a metric
    does not apply is left out of its mean and counted. Intervals are 95 % (bootstrap over answers).
    """
    from wellsourced.config.judges import open_judge
    from wellsourced_evaluate.recorded_answers import measure_answers, read_answers
    from wellsourced_evaluate.tables import print_report

    data = read_answers(path, limit)

    async def measure() -> "tuple[str, list[MeasuredAnswer]]":
        async with open_judge(judge, config.load(ctx.obj), labels=labels) as opened:
            return opened.name, await measure_answers(data, opened, valid_above)

    with watch_progress() as watch:
        watch.show_step(f"Judging {format_count(len(data.rows), 'answer')}")
        name, measured = asyncio.run(measure())
    blocks = citation_blocks(data, name, measured, valid_above)
    print_report(blocks, lambda: citations_to_json(data, name, measured, valid_above), as_json=as_json, plain=True)


def citation_blocks(
    data: "RecordedAnswers", judge: str, measured: "Sequence[MeasuredAnswer]", valid_above: float
) -> "Iterator[Block]":
    """Everything, for people."""
    from wellsourced_evaluate.recorded_answers import average_answers
    from wellsourced_evaluate.tables import Interval, Part, Text, tabulate

    yield Text(f"{format_count(len(measured), 'answer')} of {data.file} (sha256 {data.sha256}), judged by {judge}")
    yield tabulate(
        average_answers(measured).items(),
        {
            "metric": lambda item: item[0],
            "mean": lambda item: item[1][0].mean,
            "95 % interval": lambda item: Interval(item[1][0].low, item[1][0].high),
            "answers": lambda item: Part(item[1][0].cases, len(measured)),
            "all together": lambda item: Part(item[1][1].part, item[1][1].whole) if item[1][1] else None,
        },
    )
    yield Text(f"Passages above a relevance of {valid_above:g} count as valid.")
    if unjudged := sum(answer.unjudged for answer in measured):
        yield Text(f"{format_count(unjudged, 'verdict')} of the judge missing: left out of both sides of every share.")


def citations_to_json(
    data: "RecordedAnswers", judge: str, measured: "Sequence[MeasuredAnswer]", valid_above: float
) -> dict[str, Any]:
    """Everything, for programs: the means, and each answer with its counts."""
    from wellsourced_evaluate.recorded_answers import average_answers

    return {
        **{"file": data.file, "sha256": data.sha256, "answers": len(measured), "recorded_answers": data.recorded},
        **{"judge": judge, "valid_above": valid_above, "unjudged": sum(answer.unjudged for answer in measured)},
        "metrics": {
            name: {**mean.to_json(), "pooled": pooled._asdict() if pooled else None}
            for name, (mean, pooled) in average_answers(measured).items()
        },
        "cases": [
            {"id": one.id, "values": one.to_values(), "counts": one.counts._asdict(), "unjudged": one.unjudged}
            for one in measured
        ],
    }
