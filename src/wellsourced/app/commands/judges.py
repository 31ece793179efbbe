"""`wellsourced judges …`: who can judge support, and fitting a judge to pairs of one's own."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.commands.evaluate_verification import (
    VerificationOptions,
    VerificationRun,
    corpus_option,
    judge_option,
    labels_option,
    limit_option,
    pairs_option,
    run_verification,
    verification_notes,
)
from wellsourced.app.options import json_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import (
    format_count,
    format_decimal,
    format_range,
    format_table,
    print_data,
    print_table,
    sanitize_line,
)

if TYPE_CHECKING:
    from wellsourced.config.judges import UserCalibration
    from wellsourced.evaluate.calibration import FittedCalibration


@click.group(short_help="List who can judge support; fit a judge to pairs of your own.")
def judges() -> None:
    """Say who judges whether a source supports a statement, and how far its scores can be trusted."""


@judges.command(name="list", short_help="List the judges, and the calibrations that you have fitted.")
@json_option
@click.pass_context
def list_judges(ctx: click.Context, as_json: bool) -> None:
    """List what can be named as a judge of support, and the calibrations that you have fitted, with their figures.

    The figures are of the half of the pairs that nothing was fitted on.
    """
    from wellsourced.config.judges import describe_judges, open_records

    rows = open_records(config.load(ctx.obj)).load().calibrations
    if as_json:
        told = {"judges": describe_judges(), "calibrations": [one.model_dump() for one in rows]}
        print_data(told)
        return
    print_table([*describe_judges().items()], ("judge", "what it goes by"))
    if rows:
        click.echo("\nYour calibrations:\n")
        print_table([_calibration_row(one) for one in rows], ("judge", "task", "pairs", "accuracy", "AUROC", "ECE"))


def _calibration_row(one: "UserCalibration") -> tuple[str, ...]:
    figures = (one.after.accuracy, one.after.auroc, one.after.ece) if one.after else (None, None, None)
    return (one.judge, one.task, f"{one.n:,}", *map(format_decimal, figures))


@judges.command(
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
@limit_option
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
    wish, settings = VerificationOptions(**typed), config.load(ctx.obj)
    with watch_progress() as watch:
        found = asyncio.run(run_verification(wish, settings, watch, bare=True))
    from wellsourced.config.judges import open_records
    from wellsourced.evaluate.calibration import fit_calibration as fit

    fitted = fit(found.judged_pairs, found.seconds, found.judge, [path.name for path in wish.files], task)
    store = open_records(settings)
    if not dry_run:
        store.store_calibration(fitted.calibration)
    if as_json:
        stored = None if dry_run else str(store.path)
        print_data({"calibration": fitted.calibration.model_dump(), "stored": stored})
    else:
        click.echo("\n".join(_calibration_lines(fitted, found, "" if dry_run else str(store.path))))


def _calibration_lines(fitted: "FittedCalibration", found: VerificationRun, stored: str) -> Iterator[str]:
    tuning, before, after = fitted.calibration, fitted.before, fitted.after
    yield f"{sanitize_line(found.judge)}, for {sanitize_line(tuning.task)}"
    yield f"Fitted to {format_count(tuning.n, 'pair')}, measured on {format_count(tuning.measured, 'pair')} held out\n"
    rows = [
        ("accuracy", before.accuracy.mean, after.accuracy.mean, after.accuracy.low, after.accuracy.high),
        ("macro-F1", before.macro_f1.mean, after.macro_f1.mean, after.macro_f1.low, after.macro_f1.high),
        ("AUROC supported", before.support.mean, after.support.mean, after.support.low, after.support.high),
        ("ECE", before.ece, after.ece, None, None),
        ("Brier", before.brier, after.brier, None, None),
    ]
    cells = [
        (name, format_decimal(old), format_decimal(new), "" if low is None else format_range(low, high))
        for name, old, new, low, high in rows
    ]
    yield format_table(cells, ("held out", "before", "after", "95 % interval"))
    against = f"; contradicts from {tuning.contradicts:.2f}" if tuning.against else ""
    scale = f"slope {tuning.support.slope:.3f}, intercept {tuning.support.intercept:.3f}"
    yield f"Supports from {tuning.supports:.2f}{against} ({scale})."
    if unjudged := sum(one.verdict.label == "unjudged" for one in found.judged_pairs):
        yield f"{format_count(unjudged, 'pair')} got no verdict, and nothing was fitted to them."
    yield from (f"Note: {sanitize_line(note)}." for note in verification_notes(found))
    yield f"Stored in {sanitize_line(stored)}." if stored else "Nothing was stored."
