"""`wellsourced judges calibrate` and `judges measure`: fit a judge to your own pairs, measure what it has earned."""

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import (
    format_count,
    format_decimal,
    format_range,
    format_table,
    print_data,
    sanitize_line,
    sanitize_text,
)
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.commands.verification import (
    VerificationOptions,
    VerificationRun,
    corpus_option,
    judge_option,
    labels_option,
    pairs_limit_option,
    pairs_option,
    run_verification,
    verification_notes,
)

if TYPE_CHECKING:
    from wellsourced.config.judges import JudgeEvidence
    from wellsourced_evaluate.calibration import FittedCalibration
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
    wish, settings = VerificationOptions(**typed), config.load(ctx.obj)
    with watch_progress() as watch:
        found = asyncio.run(run_verification(wish, settings, watch, bare=True, three_labels=True))
    from wellsourced.config.judges import open_records
    from wellsourced_evaluate.calibration import fit_calibration as fit

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


class MeasuringOptions(NamedTuple):
    """The options of `wellsourced judges measure`, as they were typed."""

    judge: str
    files: tuple[Path, ...]
    corpus: Path | None
    labels: tuple[str, ...]
    written_by: str


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
@click.argument("judge", metavar="NAME|PATH")
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
def measure(ctx: click.Context, /, plot: Path | None, dry_run: bool, as_json: bool, **typed: Any) -> None:
    """Put statements whose label is known to a judge, and say from which score on it can be believed.

    It has earned “supports” from the lowest score from which at least 95 % of what it calls supported is, with a 95 %
    interval that ends above 90 %, on at least 100 such calls; likewise “contradicts”. A third of the statements has to
    be faulty, and they have to be of 20 texts, or the figures show nothing. Where a judge has earned it, its verdicts
    are told as “verified” or “contradicted”, with the words that they rest on; all others only say where to look.

    Statements that your calibration of it was fitted on are left out. Whether the makers of a model have trained it on
    these statements nobody here can know: take statements that were written after it, or that were never published.
    What is found is stored in home under the judge's name, and takes the place of what was measured before.
    """
    wish, settings = MeasuringOptions(**typed), config.load(ctx.obj)
    with watch_progress() as watch:
        statements, evidence = asyncio.run(_measure_judge(wish, settings, watch))
    from wellsourced.config.judges import MIN_PRECISION, open_records
    from wellsourced_evaluate.plots import Point, draw_series
    from wellsourced_evaluate.render.judge_evidence import evidence_lines

    store = open_records(settings)
    if not dry_run:
        store.store_evidence(evidence)
    if plot:
        steps = {
            str(call.label): [Point(step.threshold, step.precision, step.low, step.high) for step in call.steps]
            for call in evidence.calls
        }
        axes, wanted = ("score from which it is counted", "share that is right"), {"believed from": MIN_PRECISION}
        title = f"{wish.judge}: right, by score"
        plot.write_text(draw_series(title, axes, steps, levels=wanted, x_range=(0, 1)), "utf-8")
    stored = None if dry_run else str(store.path)
    if as_json:
        left_out = {name: getattr(statements, name) for name in ("refused", "repeated")}
        print_data({"evidence": evidence.model_dump(mode="json"), **left_out, "stored": stored})
        return
    click.echo(sanitize_text("\n".join(evidence_lines(evidence))))
    click.echo("\n".join([*_statement_notes(statements), f"Stored in {stored}." if stored else "Nothing was stored."]))


async def _measure_judge(
    wish: MeasuringOptions, settings: config.Settings, watch: ProgressWatch
) -> "tuple[MeasuredStatements, JudgeEvidence]":
    """The statements that count, put to the judge. Raises SourceRefused where it gives no verdict on any."""
    from wellsourced.config.judges import open_unproven_judge
    from wellsourced_evaluate.judge_evidence import measure_evidence, read_statements
    from wellsourced_evaluate.verification import judge_pairs

    async with open_unproven_judge(wish.judge, settings, labels=wish.labels) as (judge, fitted):
        statements = read_statements(wish.files, wish.corpus, fitted, wish.written_by)
        said, _ = await judge_pairs(
            statements.pairs, judge, lambda done, every: watch.show_step(f"Judged {done:,} of {every:,} statements")
        )
        if all(one.verdict.label == "unjudged" for one in said):
            raise SourceRefused(f"{wish.judge} gave no verdict on any statement: {said[0].verdict.reason}.")
        return statements, measure_evidence(said, judge.name, wish.judge, statements.sets, date.today())


def _statement_notes(statements: "MeasuredStatements") -> Iterator[str]:
    if statements.refused:
        yield f"Left out: {format_count(statements.refused, 'statement')} that your calibration was fitted on."
    if statements.repeated:
        yield f"Left out: {format_count(statements.repeated, 'statement')} that came twice."
    if statements.rejected:
        first = statements.rejected[0]
        where = f"{sanitize_line(first.file)}, line {first.line}: {sanitize_line(first.reason)}"
        yield f"Left out: {format_count(len(statements.rejected), 'line')} that could not be used ({where} …)."
