"""`wellsourced evaluate verification`: how good a judge of support is, on pairs whose labels are known."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count
from wellsourced.config.judges import DEFAULT_JUDGE
from wellsourced.config.settings import split_names
from wellsourced.errors import SettingsError
from wellsourced_evaluate.commands.common import limit_option

# What judges takes seconds to load: who asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced_evaluate.labelled_pairs import LabelledPairs
    from wellsourced_evaluate.pair_sets.judge_facts import FittedPairs, VoteAgreement
    from wellsourced_evaluate.verification import JudgedPair, VerificationFigures

MAX_REASONS = 3
"""Reasons for pairs without a verdict that are shown."""

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


class VerificationOptions(NamedTuple):
    """The options of `wellsourced evaluate verification`, as they were typed."""

    files: tuple[Path, ...]
    corpus: Path | None
    judge: str
    labels: tuple[str, ...]
    limit: int
    pairs_form: str | None = None


class VerificationRun(NamedTuple):
    """What came of it: who judged, what, every verdict, and the seconds it took.

    rejected_path   the file that says which lines could not be used; None: all could
    binary          no more is known of some pairs than that they are not supported: support alone is measured
    fitted          what of the judge was fitted on these pairs
    votes           how far it agrees with people who voted; None: nobody did
    unknown         why it cannot be said what the user's own calibration was fitted on; "" where it can
    """

    judge: str
    pairs: "LabelledPairs"
    judged_pairs: "list[JudgedPair]"
    seconds: float
    rejected_path: Path | None = None
    binary: bool = False
    fitted: "tuple[FittedPairs, ...]" = ()
    votes: "VoteAgreement | None" = None
    unknown: str = ""


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
    wish = VerificationOptions(**typed)
    with watch_progress() as watch:
        found = asyncio.run(run_verification(wish, config.load(ctx.obj), watch, bare=no_guard, out=out))
    from wellsourced_evaluate.plots import Point, draw_series
    from wellsourced_evaluate.tables import print_report
    from wellsourced_evaluate.verification import compute_figures
    from wellsourced_evaluate.verification_report import verification_blocks

    told = compute_figures(found.judged_pairs, found.seconds)
    if out:
        write_verdicts(out, found)
    if plot:
        title = f"{found.judge}: score and support, {format_count(told.n, 'pair')}"
        points = {found.judge: [Point(one.score, one.supported, weight=one.n) for one in told.bins if one.n]}
        drawn = draw_series(title, ("score", "supported"), points, diagonal=True, x_range=(0, 1))
        plot.write_text(drawn, "utf-8")
    blocks = verification_blocks(found.judge, told, verification_notes(found), found.fitted, found.votes)
    as_json = as_json or form == "json"
    print_report(blocks, lambda: verification_data(found, told), as_json=as_json, plain=True)
    ctx.exit(EXIT_FAILURE if told.unjudged == told.n else 0)


async def run_verification(
    wish: VerificationOptions,
    settings: config.Settings,
    watch: ProgressWatch,
    *,
    bare: bool,
    out: Path | None = None,
    three_labels: bool = False,
) -> VerificationRun:
    """Every pair put to the judge.

    three_labels   a pair of which no more is known than that it is not supported cannot be used
    """
    from wellsourced.config.judges import find_fitted_statements, open_judge
    from wellsourced_evaluate.labelled_pairs import EVIDENCE_LABELS, LABEL_NAMES, read_pairs
    from wellsourced_evaluate.pair_sets.judge_facts import compare_votes, list_fitted_pairs
    from wellsourced_evaluate.verification import fold_support, judge_pairs

    known = LABEL_NAMES if three_labels else EVIDENCE_LABELS
    pairs = read_pairs(wish.files, wish.corpus, wish.limit, known, wish.pairs_form or "")
    beside = out or settings.home / "evaluate" / wish.files[0].name
    rejected = write_rejected_lines(pairs, beside) if pairs.rejected else None
    async with open_judge(wish.judge, settings, labels=wish.labels, bare=bare) as judge:
        name, calibrated, unknown = judge.name, frozenset[str](), ""
        try:
            calibrated = find_fitted_statements(judge).claims
        except SettingsError as error:
            unknown = str(error)
        said, seconds = await judge_pairs(
            pairs.rows, judge, lambda done, every: watch.show_step(f"Judged {done:,} of {every:,} pairs")
        )
    binary = any("unjudged" in (one.label, *one.votes) for one in pairs.rows)
    said = fold_support(said) if binary else said
    fitted = tuple(list_fitted_pairs(name, pairs.rows, calibrated))
    return VerificationRun(name, pairs, said, seconds, rejected, binary, fitted, compare_votes(said), unknown)


def write_rejected_lines(pairs: "LabelledPairs", beside: Path) -> Path:
    """The lines that could not be used, with the reasons, in a file of their own."""
    path = beside.with_name(f"{beside.name.partition('.')[0]}.rejected.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (json.dumps(one._asdict(), ensure_ascii=False) for one in pairs.rejected)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def write_verdicts(path: Path, found: VerificationRun) -> None:
    """Who judged what, and every verdict, as JSON lines."""
    header = {"judge": found.judge, "files": dict(found.pairs.files), "seconds": round(found.seconds, 3)}
    rows = (
        {"id": one.pair.id, "known": one.pair.label, **one.verdict.model_dump(), "against": one.against}
        for one in found.judged_pairs
    )
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in (header, *rows))


def verification_notes(found: VerificationRun) -> list[str]:
    """What its reader should know, a sentence each without a full stop."""
    from wellsourced_evaluate.pair_sets.judge_facts import list_measured_files

    files = ", ".join(f"{name} (sha256 {digest})" for name, digest in found.pairs.files.items())
    told = [f"the pairs are of {files}, read as {', '.join(found.pairs.sets)}"]
    if measured := list_measured_files(found.judge, found.pairs.files):
        told.append(f"how far this judge is believed was measured on {', '.join(measured)}, its weights were not")
    if found.unknown:
        told.append(found.unknown.rstrip("."))
    if found.binary:
        told.append("of some pairs no more is known than that they are not supported: what contradicts counts as that")
    if found.rejected_path:
        lines = format_count(len(found.pairs.rejected), "line")
        told.append(f"{lines} could not be used; {found.rejected_path} says why")
    silent = Counter(one.verdict.reason for one in found.judged_pairs if one.verdict.label == "unjudged")
    told += [
        f"{format_count(pairs, 'pair')} got no verdict: {why.rstrip('.')}"
        for why, pairs in silent.most_common(MAX_REASONS)
    ]
    return told


def verification_data(found: VerificationRun, told: "VerificationFigures") -> dict[str, Any]:
    """Everything, for programs."""
    numbers = told._asdict()
    intervals = {name: name for name in ("accuracy", "macro_f1", "support", "contradiction", "rationale")}
    intervals["rationale_R@3"] = "rationale_recall"
    said: Sequence[str] = ("n", "unjudged", "clusters", "ece", "brier", "seconds")
    return {
        "judge": found.judge,
        "files": dict(found.pairs.files),
        "sets": list(found.pairs.sets),
        "support_alone": found.binary,
        "rejected": len(found.pairs.rejected),
        "rejected_file": str(found.rejected_path) if found.rejected_path else None,
        **{name: json_number(numbers[name]) for name in said},
        "pairs_per_second": round(told.rate, 2),
        "floor": {
            "label": told.floor.label,
            "accuracy": json_number(told.floor.accuracy),
            "macro_f1": json_number(told.floor.macro_f1),
        },
        "fitted": [one._asdict() for one in found.fitted],
        "votes": found.votes.to_json() if found.votes else None,
        **{
            name: {part: json_number(value) for part, value in numbers[field]._asdict().items()}
            if numbers[field]
            else None
            for name, field in intervals.items()
        },
        "bins": [{part: json_number(value) for part, value in one._asdict().items()} for one in told.bins],
        "matrix": [{"known": key[0], "said": key[1], "pairs": pairs} for key, pairs in sorted(told.matrix.items())],
    }


def json_number(value: float) -> float | None:
    """A number as JSON has it: what is none is null."""
    return None if value != value else round(value, 6)
