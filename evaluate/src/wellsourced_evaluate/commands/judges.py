"""`wellsourced evaluate verification`, `setup judges calibrate`, `setup judges measure`: how good a judge of support is
on labelled pairs, how its scores are read, and when it can be trusted."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.config.judges import DEFAULT_JUDGE
from wellsourced_evaluate.commands.common import limit_option, print_study

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
    help="The documents that doc_id names [x.corpus.jsonl.gz next to x.pairs…].",
)
judge_option = click.option(
    "--judge",
    default=DEFAULT_JUDGE,
    show_default=True,
    metavar="NAME|PATH",
    help="The judge: a name from `wellsourced setup judges`, or the folder of a cross-encoder.",
)
pairs_limit_option = limit_option("Take this many pairs")

PAIR_FORMS = (
    "scifact", "healthver", "kqa", "nli", "sourcecheckup", "patient_records", "pairs",
)  # fmt: skip
"""Sets of pairs that can be read; the registry of evaluate/pair_sets says what each is."""


@click.command(
    short_help="Measure a judge of support: accuracy, F1, AUROC, calibration, pairs per second.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate verification --pairs scifact.pairs.jsonl.gz
      wellsourced evaluate verification --pairs mine.jsonl --judge ~/models/deberta-nli
      wellsourced evaluate verification --pairs mine.jsonl --judge model --model ollama:qwen3 --limit 100
      wellsourced evaluate verification --pairs mine.jsonl --judge similarity --json

    \b
    A line of FILE, plain or .gz:
      {"claim": "…", "evidence": "…", "label": "supported"}     or contradicted, not_enough
    and as far as known "id", "group", "evidence_sentences", "doc_id" (in place of evidence: see --corpus), "votes".
    SciFact, HealthVer, K-QA, MedNLI and other NLI files, and rows of SourceCheckup (statement,
    source, label or votes) are read as they were released.

    \b
    Exit status: 0 measured, 1 failure or no verdict on any pair, 2 bad use.
    """,
)
@pairs_option
@corpus_option
@judge_option
@pairs_limit_option
@click.option(
    "--pairs-format",
    "pairs_form",
    type=click.Choice(PAIR_FORMS),
    default=None,
    help="The set that the files belong to [recognised by the fields of the first row].",
)
@click.option("--no-guard", is_flag=True, help="Leave out the guard for numbers, negation and direction.")
@json_option
@click.option("--out", type=NEW_FILE, metavar="FILE", help="Write every verdict here, as JSON lines.")
@click.pass_context
def verification(ctx: click.Context, /, no_guard: bool, as_json: bool, out: Path | None, **typed: Any) -> None:
    """Give a judge pairs with known labels, and report how often it is right and how far its scores can be trusted.

    Intervals are 95 % (bootstrap over documents and groups). Pairs without a verdict are counted, and left out of the
    other figures. Lines that cannot be used are written to a file next to the results, with the reason.
    """
    from wellsourced_evaluate import verification as study

    with watch_progress() as watch:
        say = show_count(watch, "pairs")
        run = asyncio.run(study.run_verification(config.load(ctx.obj), say, bare=no_guard, out=out, **typed))
    found = study.compute_figures(run.judged_pairs, run.seconds)
    if out:
        run.write_verdicts(out)
    blocks = study.verification_blocks(run, found)
    print_study(blocks, study.verification_data(run, found), as_json=as_json)
    ctx.exit(EXIT_FAILURE if found.unjudged == found.n else 0)


def show_count(watch: ProgressWatch, noun: str, done_so: str = "Judged") -> Callable[[int, int], None]:
    """Show how many of them are judged."""
    return lambda done, every: watch.show_step(f"{done_so} {done:,} of {every:,} {noun}")


@click.command(
    short_help="Fit a judge's scores and thresholds to pairs whose labels are known.",
    epilog="""
    \b
    Examples:
      wellsourced setup judges calibrate --pairs mine.jsonl
      wellsourced setup judges calibrate --pairs mine.jsonl --judge ~/models/deberta-nli --task trials
      wellsourced setup judges calibrate --pairs a.jsonl --pairs b.jsonl --judge model --model ollama:qwen3

    \b
    `wellsourced evaluate verification --help` says what a line of FILE looks like.
    """,
)
@pairs_option
@corpus_option
@judge_option
@pairs_limit_option
@click.option("--task", default="support", show_default=True, metavar="NAME", help="What the calibration is for.")
@click.option("--dry-run", is_flag=True, help="Show what would be fitted, and store nothing.")
@json_option
@click.pass_context
def calibrate(ctx: click.Context, /, task: str, dry_run: bool, as_json: bool, **typed: Any) -> None:
    """Fit how a judge's scores are read on one half of the pairs, and report how good that is on the other half.

    Its probabilities are stretched and shifted (Platt), its thresholds are those with the best macro-F1. Whole
    documents and groups go to one half. The fit is stored in home under the judge's name and the task, and used from
    then on wherever this judge is used; the guard for numbers, negation and direction is not part of it.
    """
    if not task.strip() or not task.isprintable():
        raise click.BadParameter("a task needs a name", param_hint="--task")
    from wellsourced.config.judges import open_records
    from wellsourced_evaluate.judge_records import calibration_blocks, fit_calibration
    from wellsourced_evaluate.labelled_pairs import LABEL_NAMES
    from wellsourced_evaluate.verification import run_verification

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        say = show_count(watch, "pairs")
        run = asyncio.run(run_verification(settings, say, bare=True, meanings=LABEL_NAMES, **typed))
    fitted = fit_calibration(run.judged_pairs, run.seconds, run.judge, [path.name for path in typed["files"]], task)
    store = open_records(settings)
    if not dry_run:
        store.store_calibration(fitted.calibration)
    stored = None if dry_run else str(store.path)
    data = {"calibration": fitted.calibration.model_dump(), "stored": stored}
    print_study(calibration_blocks(fitted, run, stored or ""), data, as_json=as_json)


@click.command(
    short_help="Measure when a judge can be believed, on statements that it was not fitted on.",
    epilog="""
    \b
    Examples:
      wellsourced setup judges measure comparison --pairs mine.jsonl
      wellsourced setup judges measure ~/models/deberta-nli --pairs a.jsonl --pairs b.jsonl
      wellsourced setup judges measure deberta-nli --pairs mine.jsonl --written-by "two physicians, from model drafts"

    \b
    A line of FILE, plain or .gz:
      {"claim": "…", "evidence": "…", "label": "supported"}     or contradicted, not_enough, not_supported
    with "doc_id" or "passage_id" in place of evidence where --corpus, or passages.jsonl beside FILE, has the texts.
    """,
)
@click.argument("name", metavar="NAME|PATH")
@pairs_option
@corpus_option
@click.option(
    "--written-by", default="", metavar="WORDS", help="Who wrote the statements, and why the judge never saw them."
)
@click.option("--dry-run", is_flag=True, help="Report the result, and store nothing.")
@json_option
@click.pass_context
def measure(ctx: click.Context, /, name: str, dry_run: bool, as_json: bool, **typed: Any) -> None:
    """Give a judge statements with known labels, and report the score from which it can be believed.

    Its “supports” is believed from the lowest score at which at least 95 % of at least 100 such calls are right, with a
    95 % interval whose lower bound is at least 90 %; likewise “contradicts”. At least a third of the statements must be
    faulty, and they must come from 20 texts, or the figures show nothing. Verdicts of a believed judge are shown as
    “verified” or “contradicted”, with the words that they rest on; all others only say where to look.

    Statements that your calibration of it was fitted on are left out. We cannot know whether a model was trained on
    these statements: use statements that were written after it, or that were never published. The result is stored in
    home under the judge's name, and replaces earlier measurements.
    """
    from wellsourced.config.judges import open_records
    from wellsourced_evaluate.judge_records import evidence_blocks, measure_judge

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        say = show_count(watch, "statements")
        statements, evidence = asyncio.run(measure_judge(name, settings, say, **typed))
    store = open_records(settings)
    if not dry_run:
        store.store_evidence(evidence)
    stored = None if dry_run else str(store.path)
    data = {
        "evidence": evidence.model_dump(mode="json"),
        **{"refused": statements.refused, "repeated": statements.repeated, "stored": stored},
    }
    print_study(evidence_blocks(evidence, statements, stored or ""), data, as_json=as_json)
