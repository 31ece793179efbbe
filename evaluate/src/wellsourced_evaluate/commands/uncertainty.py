"""`wellsourced evaluate uncertainty`: how far several answers to one question agree."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE, json_option, set_option
from wellsourced_evaluate.commands.study_options import (
    EXIT_STATUS,
    StudyOptions,
    answer_study,
    corpus_option,
    print_study,
    read_arms,
    study_options,
)

if TYPE_CHECKING:
    from wellsourced_evaluate.contexts.study_file import StudyRun
    from wellsourced_evaluate.contexts.uncertainty_report import ArmUncertainty


@click.command(
    short_help="Measure how far several answers to one question agree (LUQ), and whether that tells errors.",
    epilog=f"""
    \b
    Examples:
      wellsourced evaluate uncertainty pubmedqa --data FOLDER --model ollama:qwen3 --samples 9 --limit 30
      wellsourced evaluate uncertainty --answers sampled.jsonl

    \b
    A line of --answers, plain or .gz; correct, from 0 to 1, may be left out:
      {{"id": "q1", "answers": ["It helps.", "It does not."], "correct": true}}
    {EXIT_STATUS}""",
)
@click.argument("given", metavar="[NAME|FILE]", required=False, default="")
@click.option("--answers", "path", type=EXISTING_FILE, metavar="FILE", help="Answers that were sampled elsewhere.")
@corpus_option
@click.option(
    "--samples",
    type=click.IntRange(2, 50),
    default=9,
    show_default=True,
    metavar="N",
    help="Answers that are sampled of each question.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 2),
    default=0.7,
    show_default=True,
    metavar="T",
    help="At which they are sampled; the answer that is scored is given at 0.",
)
@study_options
@set_option
@json_option
@click.pass_context
def uncertainty(
    ctx: click.Context,
    /,
    given: str,
    path: Path | None,
    corpus: str,
    samples: int,
    temperature: float,
    typed: StudyOptions,
    pairs: dict[str, Any],
    as_json: bool,
) -> None:
    """Let a model answer each question several times, and say how far the answers support each other.

    The judge (--judge) says whether each sentence of one answer is supported by each other answer. The uncertainty of a
    question is compared with whether its answer at temperature 0 is right (Spearman). It does not apply where the
    sources' own sentences answer, which are the same each time, unless answers are given in a file.
    """
    from wellsourced_evaluate.contexts.uncertainty_report import TITLE, uncertainty_blocks

    if bool(given) == bool(path):
        raise click.UsageError("Name a set of questions, or with --answers a file of answers: one of the two.")
    runs: list[StudyRun] = []
    if path:
        told = [measure_file(path, typed.judge, config.load({**ctx.obj, **pairs}))]
    else:
        told, runs = measure_samples(ctx, given, corpus, samples, temperature, typed, pairs)
    data = {"study": "uncertainty", "arms": [one.to_json() for one in told]}
    blocks = list(uncertainty_blocks(told))
    print_study(ctx, TITLE, blocks, data, runs, typed.html, as_json=as_json)


def measure_file(path: Path, judge: str, settings: config.Settings) -> "ArmUncertainty":
    """The uncertainty of answers that a file has."""
    from wellsourced.config.judges import open_judge
    from wellsourced_evaluate.contexts.sampled_answers import read_sampled
    from wellsourced_evaluate.contexts.uncertainty_report import measure_uncertainty

    questions, sha256 = read_sampled(path)

    async def measure() -> "ArmUncertainty":
        async with open_judge(judge, settings) as opened:
            return await measure_uncertainty(path.name, "", sha256, questions, opened)

    return asyncio.run(measure())


def measure_samples(
    ctx: click.Context,
    given: str,
    corpus: str,
    samples: int,
    temperature: float,
    typed: StudyOptions,
    pairs: dict[str, Any],
) -> "tuple[list[ArmUncertainty], list[StudyRun]]":
    """The uncertainty of each arm, whose answers are sampled."""
    from wellsourced.config.judges import open_judge
    from wellsourced_evaluate.contexts.luq import spearman
    from wellsourced_evaluate.contexts.sampled_answers import collect_samples, sample_answers
    from wellsourced_evaluate.contexts.uncertainty_report import measure_uncertainty

    spearman([])  # says that scipy is missing before anything is asked
    arms = read_arms(ctx, given, typed, pairs)
    runs = answer_study(
        "uncertainty",
        arms,
        typed,
        (corpus, samples, temperature),
        lambda task: sample_answers(task, corpus, samples, temperature),
    )

    async def measure() -> "list[ArmUncertainty]":
        async with open_judge(typed.judge, arms.judging) as opened:
            return [
                await measure_uncertainty(run.arm, run.header.model, "", collect_samples(run), opened) for run in runs
            ]

    return asyncio.run(measure()), runs
