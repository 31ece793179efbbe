"""`wellsourced evaluate verification`: how good a judge of support is, on pairs whose labels are known."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count
from wellsourced.config.judges import DEFAULT_JUDGE
from wellsourced.config.settings import split_names
from wellsourced_evaluate.commands.common import limit_option

# What judges takes seconds to load: who asks for help should not wait for it.

pairs_option = click.option(
    "--pairs",
    "files",
    type=EXISTING_FILE,
    required=True,
    multiple=True,
    metavar="FILE",
    help="Claims with labels; repeatable.",
)
corpus_option = click.option(
    "--corpus",
    type=EXISTING_FILE,
    metavar="FILE",
    help="The documents that doc_id names [x.corpus.jsonl.gz beside x.pairs…].",
)
judge_option = click.option(
    "--judge",
    default=DEFAULT_JUDGE,
    show_default=True,
    metavar="NAME|PATH",
    help="Who judges: `wellsourced judges list` says who can; an ONNX file or folder; A+B for several together.",
)
labels_option = click.option(
    "--labels",
    default="",
    metavar="A,B,C",
    callback=lambda _, __, given: tuple(split_names(given)),
    help="The classes of an ONNX model in its order [as its config.json says].",
)
pairs_limit_option = limit_option("Take so many pairs")

PAIR_FORMS = (
    "scifact", "healthver", "evidence_inference", "kqa", "nli", "sourcecheckup", "patient_records", "pairs",
)  # fmt: skip
"""Sets of pairs that can be read; the registry of evaluate/pair_sets says what each is."""


@click.command(
    short_help="Measure a judge of support: accuracy, F1, AUROC, calibration, pairs a second.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate verification --pairs scifact.pairs.jsonl.gz
      wellsourced evaluate verification --pairs mine.jsonl --judge ~/models/deberta-nli
      wellsourced evaluate verification --pairs mine.jsonl --judge model --model ollama:qwen3 --limit 100
      wellsourced evaluate verification --pairs mine.jsonl --judge similarity+overlap --format json

    \b
    A line of FILE, plain or .gz:
      {"claim": "…", "evidence": "…", "label": "supported"}     or contradicted, not_enough
    and as far as known "id", "group", "evidence_sentences", "doc_id" (in place of evidence: see --corpus), "votes".
    SciFact, HealthVer, Evidence Inference, K-QA, MedNLI and other NLI files, and rows of SourceCheckup (statement,
    source, label or votes) are read as they were released.

    \b
    Exit status: 0 measured, 1 failure or no verdict on any pair, 2 bad use.
    """,
)
@pairs_option
@corpus_option
@judge_option
@labels_option
@pairs_limit_option
@click.option(
    "--pairs-format",
    "pairs_form",
    type=click.Choice(PAIR_FORMS),
    default=None,
    help="The set that the files are of [as the fields of the first row tell].",
)
@click.option("--no-guard", is_flag=True, help="Leave out the guard for numbers, negation and direction.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Of what is printed.",
)
@json_option
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write every verdict here, a line of JSON each.")
@click.option("--plot", type=NEW_FILE, metavar="FILE.svg", help="Draw how far scores are probabilities.")
@click.pass_context
def verification(
    ctx: click.Context, /, no_guard: bool, form: str, as_json: bool, out: Path | None, plot: Path | None, **typed: Any
) -> None:
    """Put pairs whose labels are known to a judge, and say how often it is right and how far its scores can be trusted.

    Intervals are 95 % (bootstrap over documents and groups). Pairs that the judge gives no verdict on are counted, and
    left out of the other figures. Lines that cannot be used are written to a file beside the results, with the reason.
    """
    from wellsourced_evaluate import verification as study
    from wellsourced_evaluate.plots import Point, draw_series
    from wellsourced_evaluate.tables import print_report

    task, settings = study.VerificationTask(**typed), config.load(ctx.obj)
    with watch_progress() as watch:
        run = asyncio.run(study.run_verification(task, settings, show_pairs(watch), bare=no_guard, out=out))
    found = study.compute_figures(run.judged_pairs, run.seconds)
    if out:
        run.write_verdicts(out)
    if plot:
        title = f"{run.judge}: score and support, {format_count(found.n, 'pair')}"
        points = {run.judge: [Point(one.score, one.supported, weight=one.n) for one in found.bins if one.n]}
        drawn = draw_series(title, ("score", "supported"), points, diagonal=True, x_range=(0, 1))
        plot.write_text(drawn, "utf-8")
    blocks = study.verification_blocks(run, found)
    as_json = as_json or form == "json"
    print_report(blocks, lambda: study.verification_data(run, found), as_json=as_json, plain=True)
    ctx.exit(EXIT_FAILURE if found.unjudged == found.n else 0)


def show_pairs(watch: ProgressWatch, noun: str = "pairs") -> Callable[[int, int], None]:
    """Show how many of them are judged."""
    return lambda done, every: watch.show_step(f"Judged {done:,} of {every:,} {noun}")
