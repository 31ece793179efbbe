"""`wellsourced judges calibrate` and `judges measure`: fit a judge to your own pairs, measure what it has earned."""

import asyncio
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import NEW_FILE, json_option
from wellsourced.app.progress import watch_progress
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.commands.verification import (
    corpus_option,
    judge_option,
    labels_option,
    pairs_limit_option,
    pairs_option,
    show_pairs,
)

if TYPE_CHECKING:
    from wellsourced.config.judges import JudgeEvidence
    from wellsourced_evaluate.judge_evidence import MeasuredStatements


@click.command(
    short_help="Fit a judge's scores and thresholds to pairs whose labels are known.",
    epilog="""
    \b
    Examples:
      wellsourced judges calibrate --pairs mine.jsonl
      wellsourced judges calibrate --pairs mine.jsonl --judge ~/models/deberta-nli --task trials
      wellsourced judges calibrate --pairs a.jsonl --pairs b.jsonl --judge model --model ollama:qwen3

    \b
    `wellsourced evaluate verification --help` says what a line of FILE looks like.
    """,
)
@pairs_option
@corpus_option
@judge_option
@labels_option
@pairs_limit_option
@click.option("--task", default="support", show_default=True, metavar="NAME", help="What the calibration is for.")
@click.option("--dry-run", is_flag=True, help="Say what would be fitted, and store nothing.")
@json_option
@click.pass_context
def calibrate(ctx: click.Context, /, task: str, dry_run: bool, as_json: bool, **typed: Any) -> None:
    """Fit how a judge is read, on one half of the pairs, and say what that is worth on the other half.

    Its probabilities are stretched and shifted (Platt), its thresholds are those with the best macro-F1. Whole
    documents and groups go to one half. What is fitted is stored in home, under the judge's name and the task, and
    used from then on wherever this judge is; the guard for numbers, negation and direction is not part of it.
    """
    if not task.strip() or not task.isprintable():
        raise click.BadParameter("a task needs a name", param_hint="--task")
    from wellsourced.config.judges import open_records
    from wellsourced_evaluate.calibration import calibration_blocks, fit_calibration
    from wellsourced_evaluate.labelled_pairs import LABEL_NAMES
    from wellsourced_evaluate.tables import print_report
    from wellsourced_evaluate.verification import VerificationTask, run_verification

    wish, settings = VerificationTask(**typed), config.load(ctx.obj)
    with watch_progress() as watch:
        run = asyncio.run(run_verification(wish, settings, show_pairs(watch), bare=True, labels=LABEL_NAMES))
    fitted = fit_calibration(run.judged_pairs, run.seconds, run.judge, [path.name for path in wish.files], task)
    store = open_records(settings)
    if not dry_run:
        store.store_calibration(fitted.calibration)
    stored = None if dry_run else str(store.path)
    data = {"calibration": fitted.calibration.model_dump(), "stored": stored}
    print_report(calibration_blocks(fitted, run, stored or ""), lambda: data, as_json=as_json, plain=True)


@click.command(
    short_help="Measure what a judge has earned, on statements that it was not fitted on.",
    epilog="""
    \b
    Examples:
      wellsourced judges measure weighed --pairs mine.jsonl
      wellsourced judges measure ~/models/deberta-nli --pairs a.jsonl --pairs b.jsonl --plot precision.svg
      wellsourced judges measure deberta-nli --pairs mine.jsonl --written-by "two physicians, from drafts of a model"

    \b
    A line of FILE, plain or .gz:
      {"claim": "…", "evidence": "…", "label": "supported"}     or contradicted, not_enough, not_supported
    with "doc_id" or "passage_id" in place of evidence where --corpus, or passages.jsonl beside FILE, has the texts.
    """,
)
@click.argument("name", metavar="NAME|PATH")
@pairs_option
@corpus_option
@labels_option
@click.option(
    "--written-by", default="", metavar="WORDS", help="Who wrote the statements, and that the judge never saw them."
)
@click.option("--plot", type=NEW_FILE, metavar="FILE.svg", help="Draw the share that is right, by score.")
@click.option("--dry-run", is_flag=True, help="Say what it has earned, and store nothing.")
@json_option
@click.pass_context
def measure(
    ctx: click.Context,
    /,
    name: str,
    files: tuple[Path, ...],
    corpus: Path | None,
    labels: tuple[str, ...],
    written_by: str,
    plot: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put statements whose label is known to a judge, and say from which score on it can be believed.

    It has earned “supports” from the lowest score from which at least 95 % of what it calls supported is, with a 95 %
    interval that ends above 90 %, on at least 100 such calls; likewise “contradicts”. A third of the statements has to
    be faulty, and they have to be of 20 texts, or the figures show nothing. Where a judge has earned it, its verdicts
    are told as “verified” or “contradicted”, with the words that they rest on; all others only say where to look.

    Statements that your calibration of it was fitted on are left out. Whether the makers of a model have trained it on
    these statements nobody here can know: take statements that were written after it, or that were never published.
    What is found is stored in home under the judge's name, and takes the place of what was measured before.
    """
    from wellsourced.config.judges import MIN_PRECISION, open_records, open_unproven_judge
    from wellsourced_evaluate.judge_evidence import evidence_blocks, measure_evidence, read_statements
    from wellsourced_evaluate.plots import Point, draw_series
    from wellsourced_evaluate.tables import print_report
    from wellsourced_evaluate.verification import judge_pairs

    settings = config.load(ctx.obj)

    async def judge_statements() -> "tuple[MeasuredStatements, JudgeEvidence]":
        async with open_unproven_judge(name, settings, labels=labels) as (judge, fitted):
            statements = read_statements(files, corpus, fitted, written_by)
            said, _ = await judge_pairs(statements.pairs, judge, show_pairs(watch, "statements"))
            if all(one.verdict.label == "unjudged" for one in said):
                raise SourceRefused(f"{name} gave no verdict on any statement: {said[0].verdict.reason}.")
            return statements, measure_evidence(said, judge.name, name, statements.sets, date.today())

    with watch_progress() as watch:
        statements, evidence = asyncio.run(judge_statements())
    store = open_records(settings)
    if not dry_run:
        store.store_evidence(evidence)
    if plot:
        steps = {
            str(call.label): [Point(step.threshold, step.precision, step.low, step.high) for step in call.steps]
            for call in evidence.calls
        }
        axes, wanted = ("score from which it is counted", "share that is right"), {"believed from": MIN_PRECISION}
        drawn = draw_series(f"{name}: right, by score", axes, steps, levels=wanted, x_range=(0, 1))
        plot.write_text(drawn, "utf-8")
    stored = None if dry_run else str(store.path)
    data = {
        "evidence": evidence.model_dump(mode="json"),
        **{"refused": statements.refused, "repeated": statements.repeated, "stored": stored},
    }
    print_report(evidence_blocks(evidence, statements, stored or ""), lambda: data, as_json=as_json, plain=True)
