"""`wellsourced evaluate sealed …`: sets whose keys stay with their owner, who scores what others submit."""

from pathlib import Path

import click

from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.terminal import print_data, print_utf8
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.commands.common import EXISTING_FOLDER, FOLDER, print_study
from wellsourced_evaluate.tables import Block, Interval, Table, Text


@click.group(short_help="Give out questions without their keys, and score what others answer.")
def sealed() -> None:
    """Seal a set of questions: give it out without its keys, and score submissions without revealing single cases.

    Contestants see neither the keys nor which of their answers are right.
    """


@sealed.command(
    short_help="Split a set into questions to give out and keys to keep.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate sealed create nephrology.jsonl --out sealed
      wellsourced evaluate sealed create pilot.jsonl --out sealed --least-rows 10

    \b
    A line of FILE, a choice or a question of yes, no or maybe, with its key:
      {"id": "q1", "question": "…", "options": {"A": "…", "B": "…"}, "answer": "B", "specialty": "nephrology"}

    \b
    Exit status: 0 sealed, 1 the file cannot be used, 2 bad use.
    """,
)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@click.option(
    "--out", type=FOLDER, required=True, metavar="FOLDER", help="Write what is given out, and the keys, here."
)
@click.option(
    "--least-rows",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="Refuse submissions with fewer rows.",
)
@click.option(
    "--per-day",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    metavar="N",
    help="Score at most this many submissions per contestant and day.",
)
@json_option
def create(path: Path, out: Path, least_rows: int, per_day: int, as_json: bool) -> None:
    """Write FOLDER/public (questions and seal, to give out) and FOLDER/withheld (the keys, for you alone).

    The seal has a sha256 of the keys with a secret salt: keys that you publish later can be compared with it. Documents
    from which a question was made, and texts that answer it, are not given out.
    """
    from wellsourced_evaluate.sealed_sets import PUBLIC, WITHHELD, SealRules, seal_set

    seal = seal_set(path, out, SealRules(least_rows=least_rows, per_day=per_day))
    if as_json:
        print_data(seal.model_dump(mode="json"))
        return
    parts = ", ".join(f"{name} {count:,}" for name, count in seal.specialties.items())
    lines = [f"{format_count(seal.cases, 'case')} of {seal.set} sealed on {seal.sealed}{f': {parts}' if parts else ''}"]
    lines.append(f"sha256 of the salted keys: {seal.keys_sha256}")
    lines.append(f"Give out {out / PUBLIC}; keep {out / WITHHELD}.")
    print_utf8("\n".join(map(sanitize_line, lines)))


@sealed.command(
    short_help="Score a submission to a sealed set.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate sealed score sealed theirs.jsonl --contestant "Ward 3"
      wellsourced evaluate run sealed/public/questions.jsonl --out ours
      wellsourced evaluate sealed score sealed ours/questions.default.allowed.jsonl --contestant ours

    \b
    A line of FILE, or a run of `wellsourced evaluate run`:
      {"id": "q1", "choice": "B"}

    \b
    Exit status: 0 scored, 1 refused, 2 bad use.
    """,
)
@click.argument("folder", metavar="FOLDER", type=EXISTING_FOLDER)
@click.argument("path", metavar="FILE", type=EXISTING_FILE)
@click.option("--contestant", required=True, metavar="NAME", help="Whose answers these are: submissions are counted.")
@json_option
def score(folder: Path, path: Path, contestant: str, as_json: bool) -> None:
    """Score FILE, a submission to the set in FOLDER: accuracy over all cases and by specialty, not case by case.

    Accuracy is rounded to half a point, and its intervals are 95 %. A case that is missing, or in which nothing is
    chosen, counts as wrong. A file with a case that is unknown or there twice, or with a choice that is not an option,
    is refused, and the case is named. Each submission is recorded.
    """
    from wellsourced_evaluate.sealed_sets import MIN_SPECIALTY, open_sealed, score_submission

    opened = open_sealed(folder)
    seal, found = opened.seal, score_submission(opened, path, contestant)
    rows = [(part, value, Interval(low, high), of) for part, (value, low, high, of) in found.figures.items()]
    blocks: list[Block] = [
        Text(f"Submission {found.number} of {contestant}: {found.file}, sha256 {found.sha256[:16]}"),
        Text(
            f"{format_count(found.rows, 'row')}; {found.missing:,} cases missing and {found.undecided:,} without a "
            "choice count as wrong."
        ),
        Table(("specialty", "accuracy", "95 %", "cases"), rows),
        Text(f"In steps of {seal.rules.step:.1%}; specialties with fewer than {MIN_SPECIALTY} cases are not listed."),
        Text(f"Sealed on {seal.sealed}; the keys are unchanged (sha256 {seal.keys_sha256[:16]})."),
    ]
    print_study(blocks, {**found.model_dump(mode="json"), "seal": seal}, as_json=as_json)
