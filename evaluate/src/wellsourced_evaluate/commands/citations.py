"""`wellsourced evaluate citations`: how well recorded answers are supported by what they cite."""

import asyncio
from collections.abc import Iterator
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
    from wellsourced_evaluate.recorded_answers import MeasuredAnswer


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
    from wellsourced_evaluate.recorded_answers import average_answers, measure_answers, read_answers
    from wellsourced_evaluate.tables import Block, Interval, Part, Table, Text, print_report

    data = read_answers(path, limit)

    async def measure() -> "tuple[str, list[MeasuredAnswer]]":
        async with open_judge(judge, config.load(ctx.obj), labels=labels) as opened:
            return opened.name, await measure_answers(data, opened, valid_above)

    with watch_progress() as watch:
        watch.show_step(f"Judging {format_count(len(data.rows), 'answer')}")
        name, measured = asyncio.run(measure())
    means, unjudged = average_answers(measured), sum(answer.unjudged for answer in measured)

    def list_blocks() -> Iterator[Block]:
        yield Text(f"{format_count(len(measured), 'answer')} of {data.file} (sha256 {data.sha256}), judged by {name}")
        rows = [
            (
                *(metric, mean.mean, Interval(mean.low, mean.high), Part(mean.cases, len(measured))),
                pooled and Part(pooled.part, pooled.whole),
            )
            for metric, (mean, pooled) in means.items()
        ]
        yield Table(("metric", "mean", "95 % interval", "answers", "all together"), rows)
        yield Text(f"Passages above a relevance of {valid_above:g} count as valid.")
        if unjudged:
            missing = f"{format_count(unjudged, 'verdict')} of the judge missing"
            yield Text(f"{missing}: left out of both sides of every share.")

    def to_data() -> dict[str, Any]:
        cases = [
            {"id": one.id, "values": one.to_values(), "counts": one.counts._asdict(), "unjudged": one.unjudged}
            for one in measured
        ]
        pooled = {
            metric: {**mean.to_json(), "pooled": pooled and pooled._asdict()}
            for metric, (mean, pooled) in means.items()
        }
        return {
            **{"file": data.file, "sha256": data.sha256, "answers": len(measured), "recorded_answers": data.recorded},
            **{"judge": name, "valid_above": valid_above, "unjudged": unjudged, "metrics": pooled, "cases": cases},
        }

    print_report(list_blocks(), to_data, as_json=as_json, plain=True)
