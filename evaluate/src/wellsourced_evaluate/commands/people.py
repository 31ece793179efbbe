"""`wellsourced evaluate questionnaire` and `ratings`: answers of several systems judged by people who see no names."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.errors import SettingsError
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.commands.common import FOLDER, print_rejected, print_study, refuse_files

if TYPE_CHECKING:
    from wellsourced_evaluate.rating.system_answers import Citations

FORMS_FOLDER, KEY_FILE, CRITERIA_FILE = "forms", "key.json", "criteria.toml"

SEED_BITS = 48
"""Of a seed that is drawn: nobody who has a form finds it by trying."""


@click.command(
    short_help="Write a blinded questionnaire for people who rate answers.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate questionnaire ours.jsonl theirs.jsonl --out study
      wellsourced evaluate questionnaire a.jsonl b.jsonl c.jsonl --out study --raters 5 --citations keep
      wellsourced evaluate questionnaire ours.jsonl theirs.jsonl --out again --criteria study/criteria.toml
      wellsourced evaluate questionnaire ours.jsonl chat.jsonl --out ebp --criteria lins-ebp --raters 100 --quota 30
        --repeats 3
      wellsourced evaluate questionnaire pairs.csv --out pairs --criteria sourcecheckup-pairs --raters 3

    \b
    A row of ANSWERS (.jsonl, .json, .csv; the name of the file is that of the system):
      {"question": "…", "answer": "…"}, or an answer as `wellsourced ask --json` prints it, in one line

    \b
    In FOLDER: forms/rater-1.html and forms/rater-1.csv, for rater 1, and so on; criteria.toml, what is asked;
    key.json, which answer is whose: not for raters.
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="ANSWERS...")
@click.option("--out", type=FOLDER, required=True, metavar="FOLDER", help="Write here, where no key.json is yet.")
@click.option(
    "--raters", type=click.IntRange(1, 500), default=2, show_default=True, metavar="N", help="Number of forms."
)
@click.option(
    "--citations",
    type=click.Choice(["keep", "strip"]),
    default="strip",
    show_default=True,
    help="Show marks and lists of sources, or remove them: they often reveal which system answered.",
)
@click.option(
    "--criteria",
    default="",
    metavar="NAME|FILE.toml",
    help="What is asked of every answer, or the published study that asks it: lins-ebp, omni-long-form … (a name that "
    "does not exist lists all).",
)
@click.option(
    "--quota",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Give each rater this many questions, every question equally often [all].",
)
@click.option(
    "--repeats", type=click.IntRange(1), metavar="N", help="Refuse a --quota that does not give each question N raters."
)
@click.option("--seed", type=int, metavar="N", help="Seed of every order; the same one gives the same forms [drawn].")
@click.option("--controls/--no-controls", default=True, show_default=True, help="Include quality-control items.")
def questionnaire(
    files: tuple[Path, ...],
    out: Path,
    raters: int,
    citations: "Citations",
    criteria: str,
    quota: int,
    repeats: int | None,
    seed: int | None,
    controls: bool,
) -> None:
    """Write forms on which people rate the answers of one or several systems to the same questions, without names.

    Each rater has a separate form: a page that works without a network, keeps what was rated in the browser and saves
    it as a file, and the same as a table. Questions come in another order on each form, answers in another order at
    each question. One question comes twice with its answers exchanged, and one has an answer that is obviously wrong.
    `wellsourced evaluate ratings` reads what comes back.
    """
    from wellsourced.app.terminal import write_file
    from wellsourced_evaluate.rating.questionnaire import (
        LETTERS,
        build_questionnaire,
        read_criteria,
        render_form_csv,
        render_form_page,
    )
    from wellsourced_evaluate.rating.system_answers import match_answers, read_system_answers

    if len(files) > len(LETTERS):
        raise click.UsageError(f"Give the answers of at most {len(LETTERS)} systems, a file each.")
    if (out / KEY_FILE).exists():
        raise click.UsageError(f"{out / KEY_FILE} belongs to another questionnaire: name another folder.")
    asked, criteria_text = read_criteria(criteria)
    systems = [read_system_answers(path, citations) for path in files]
    names = [one.name.casefold() for one in systems]
    if clash := next((name for name in names if names.count(name) > 1), ""):
        raise click.UsageError(
            f"Two files are of a system “{clash}”: a system has the name of its file, so rename one."
        )
    matched = match_answers(systems)
    if len(files) == 1 and asked.preference:
        raise click.UsageError("Which answer is preferred cannot be asked of one system: give two files or more.")
    given, wanted = raters * quota, len(matched.questions) * (repeats or 0)
    if quota > len(matched.questions) or (repeats and given != wanted):
        raise click.UsageError(
            f"{raters:,} raters × {quota:,} questions are {given:,}; {len(matched.questions):,} questions"
            + (f" × {repeats:,} raters are {wanted:,}." if repeats else " are fewer than the quota.")
        )
    drawn = secrets.randbits(SEED_BITS) if seed is None else seed
    made = build_questionnaire(systems, matched, asked, citations, raters, drawn, controls, quota)
    forms = out / FORMS_FOLDER
    try:
        forms.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{out} cannot be written: {error.strerror or error}. Name another place.") from error
    for form in made.forms:
        write_file(forms / f"rater-{form.rater}.html", render_form_page(form, asked))
        write_file(forms / f"rater-{form.rater}.csv", render_form_csv(form, asked))
    write_file(out / CRITERIA_FILE, criteria_text)
    write_file(out / KEY_FILE, made.model_dump_json(indent=2) + "\n")
    for warning in matched.list_warnings():
        click.echo(sanitize_line(warning), err=True)
    questions, people = format_count(len(matched.questions), "question"), format_count(raters, "rater")
    whose = f"whose answer is whose is in {out / KEY_FILE}, which is not for raters"
    click.echo(sanitize_line(f"{questions} for {people} in {forms}; {whose}."))


@click.command(
    short_help="Summarize raters' answers to a questionnaire.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate ratings study/key.json anna.csv ben.csv carla.json
      wellsourced evaluate ratings study/key.json returned/*.csv --json

    \b
    Exit status: 0 counted, 2 the key or all ratings cannot be used.
    """,
)
@click.argument("key", type=EXISTING_FILE, metavar="KEY")
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="RATINGS...")
@json_option
def ratings(key: Path, files: tuple[Path, ...], as_json: bool) -> None:
    """Read what raters sent back (.csv, .json), and report how the systems did and how far the raters agree.

    Reports the mean of each system by criterion and the differences, with Wilcoxon's and the Kruskal-Wallis test; wins,
    ties and losses with a sign test; for each pair of raters Cohen's kappa, plain and with quadratic weights, Pearson's
    r and Cramér's V, and Fleiss' kappa for three or more. A row that cannot be used is named by its number. Raters who
    failed quality control are named, and all figures are given with and without them.
    """
    from wellsourced_evaluate.rating.rating_rows import read_ratings, read_study_key
    from wellsourced_evaluate.rating.rating_study import measure_ratings, rating_blocks

    with refuse_files():
        study_key = read_study_key(key)
        returned = read_ratings(files, study_key)
    print_rejected(returned.rejected)
    study = measure_ratings(returned, study_key)
    print_study(rating_blocks(study), study, as_json=as_json)
