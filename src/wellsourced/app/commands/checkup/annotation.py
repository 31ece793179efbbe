"""`wellsourced checkup sheet` and `agreement`: pairs for people to judge, and how far they and the judge agree."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option
from wellsourced.app.terminal import format_count, format_decimal, format_table, print_data, sanitize_line
from wellsourced.errors import SourceRefused, UnreadableFile

if TYPE_CHECKING:
    from wellsourced.factcheck.validation.agreement import PairAgreement
    from wellsourced.factcheck.validation.rater_agreement import RaterSheets, RaterStudy
    from wellsourced.factcheck.validation.stored_runs import NamedCheckup
    from wellsourced.types import Document

VERDICTS = ("supports", "contradicts", "silent")

KEY_ENDING = ".key.jsonl"


@click.command(
    short_help="Write pairs of a statement and a source for people to judge.",
    epilog="""
    \b
    Examples:
      wellsourced checkup sheet checked.json --out study.html --sample 400
      wellsourced checkup sheet checked.json --out study.csv
      wellsourced checkup sheet checked.json --out again.csv --verdict silent --sample 110

    \b
    Beside the sheet its key is written (study.key.jsonl): what the judge said. Keep it from whoever judges.
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE...")
@click.option("--out", type=NEW_FILE, required=True, metavar="SHEET", help="Write the sheet there: .csv or .html.")
@click.option("--sample", type=click.IntRange(min=0), default=0, metavar="N", help="So many pairs, by chance [all].")
@click.option("--seed", type=int, default=7, show_default=True, help="Another one draws others, in another order.")
@click.option("--verdict", "labels", multiple=True, type=click.Choice(VERDICTS), help="Only these; repeatable.")
@click.pass_context
def sheet(
    ctx: click.Context, files: tuple[Path, ...], out: Path, sample: int, seed: int, labels: tuple[Any, ...]
) -> None:
    """Draw pairs of a statement and a source from the checks in each FILE, and write them for people to judge.

    FILE is what `wellsourced check --json` printed. Each pair is shown with the part of the source that speaks of the
    statement, and without what the judge said. The page (.html) works without a network, keeps what was chosen in the
    browser, shows the whole source with a search field, and saves a table; in the table (.csv) each writes supported,
    contradicted or not supported into the column `label`. `checkup agreement` reads both.
    """
    from wellsourced.app.factcheck.annotation_sheet import render_sheet_csv, render_sheet_html, render_sheet_keys
    from wellsourced.app.factcheck.input_texts import read_stored_checkups
    from wellsourced.app.factcheck.report_output import write_file
    from wellsourced.factcheck.validation.annotation import draw_sheet

    renderers = {".csv": render_sheet_csv, ".html": render_sheet_html, ".htm": render_sheet_html}
    render = renderers.get(out.suffix.lower())
    if render is None:
        raise click.UsageError(f"{out} is neither .csv nor .html: name the sheet so that its ending says which.")
    stored = read_stored_checkups(files)
    documents = load_documents(stored, config.load(ctx.obj))
    drawn = draw_sheet(stored, documents, sample, seed, labels)
    if not drawn.items:
        raise click.UsageError(
            "There is no pair to judge: no source of these checks could be read, or --verdict has none."
        )
    key = out.with_name(out.name.removesuffix(out.suffix) + KEY_ENDING)
    write_file(out, render(drawn))
    write_file(key, render_sheet_keys(drawn))
    told = format_count(len(drawn.items), "pair")
    click.echo(sanitize_line(f"{told} in {out}; what the judge said is in {key}, which is not for whoever judges."))
    if partial := sum(not item.whole for item in drawn.items):
        click.echo(
            f"Of {format_count(partial, 'pair')} home has no source any more: only quoted words are shown.", err=True
        )


def load_documents(stored: "Sequence[NamedCheckup]", settings: config.Settings) -> "dict[tuple[int, str], Document]":
    """The words of the sources that home still has."""
    from wellsourced.config.factcheck import CHECKUPS_FOLDER
    from wellsourced.factcheck.validation.stored_runs import open_stored_run

    found: dict[tuple[int, str], Document] = {}
    for position, (_, checkup) in enumerate(stored):
        try:
            store = open_stored_run(settings.home / CHECKUPS_FOLDER, checkup)
        except SourceRefused:
            continue
        for one in checkup.traced:
            if document := store.load_document(one.key):
                found[position, one.key] = document
        store.close()
    return found


@click.command(
    short_help="Say how far several people agree, and the judge with them.",
    epilog="""
    \b
    Examples:
      wellsourced checkup agreement study.key.jsonl anna.csv ben.csv carla.csv
      wellsourced checkup agreement study.key.jsonl all.csv --three --json
    """,
)
@click.argument("key", type=EXISTING_FILE, metavar="KEY")
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="SHEET...")
@click.option("--three", is_flag=True, help="Tell contradicted from not supported; without it they are one.")
@json_option
def agreement(key: Path, files: tuple[Path, ...], three: bool, as_json: bool) -> None:
    """Read what people wrote on SHEETs (.csv, .tsv, .jsonl) and say how far they agree, and the judge with them.

    KEY is the file that was written beside the sheet. A rater is named by the column `rater`, else by the file. Told
    are the share of equal labels with its 95 % bootstrap interval, Cohen's kappa for each two, Fleiss' kappa over what
    all labelled, Krippendorff's alpha over all; then the judge with each rater and with their majority. A row that
    cannot be used is told by its number; an item without a code is missing, and one that is level has no majority.
    """
    from wellsourced.factcheck.validation.rater_agreement import measure_agreement, read_keys, read_sheets

    try:
        keys = read_keys(key)
        sheets = read_sheets(files, keys)
    except (UnreadableFile, SourceRefused) as error:
        raise click.UsageError(str(error)) from error
    for name, rejected in sheets.rejected:
        click.echo(sanitize_line(f"{name}, row {rejected.row}: {rejected.reason}"), err=True)
    study = measure_agreement(sheets, keys, binary=not three)
    if as_json:
        print_data(_agreement_data(sheets, study))
    else:
        click.echo("\n".join(_agreement_lines(sheets, study, len(keys))))


def _agreement_lines(sheets: "RaterSheets", study: "RaterStudy", items: int) -> Iterator[str]:
    from wellsourced.factcheck.validation.annotation import CODES

    raters = study.raters
    for name, labels in sheets.raters.items():
        missing = sheets.empty[name]
        told = f"; without a code: {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}" if missing else ""
        yield sanitize_line(f"{name}: {len(labels):,} of {items:,}{told}")
    yield ""
    yield format_table(
        [*map(_agreement_row, (*raters.pairs, *study.judge))], ("", "items", "same", "95 % interval", "kappa")
    )
    if raters.pairs:
        yield f"Raters: mean {_percent(raters.mean_share)}; {raters.unanimous:,} of {raters.complete:,} unanimous."
        fleiss, alpha = format_decimal(raters.fleiss), format_decimal(raters.krippendorff)
        yield f"Fleiss' kappa {fleiss} over what all labelled; Krippendorff's alpha {alpha} over all."
    if study.ties:
        yield f"No majority, since they are level: {', '.join(study.ties[:10])}{' …' if len(study.ties) > 10 else ''}"
    names = [(label, code) for label, code in CODES.items() if any(label in pair for pair in study.table)]
    rows = [
        (f"majority: {code}", *(f"{study.table.get((label, other), 0):,}" for other, _ in names))
        for label, code in names
    ]
    if rows:
        yield ""
        yield format_table(rows, ("items", *(f"judge: {code}" for _, code in names))).rstrip("\n")


def _agreement_row(one: "PairAgreement") -> tuple[str, ...]:
    interval = f"{_percent(one.low)} to {_percent(one.high)}" if one.items > 1 else ""
    name = f"{one.one} and {one.other}"
    return (name, f"{one.items:,}", _percent(one.share) if one.items else "–", interval, format_decimal(one.kappa))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _agreement_data(sheets: "RaterSheets", study: "RaterStudy") -> dict[str, Any]:
    raters = study.raters
    return {
        "raters": {
            name: {"labelled": len(labels), "missing": sheets.empty[name]} for name, labels in sheets.raters.items()
        },
        "pairs": [one._asdict() for one in raters.pairs],
        "mean_share": raters.mean_share,
        "complete": raters.complete,
        "unanimous": raters.unanimous,
        "fleiss": raters.fleiss,
        "krippendorff": raters.krippendorff,
        "judge": [one._asdict() for one in study.judge],
        "ties": study.ties,
        "table": [{"majority": one, "judge": other, "items": n} for (one, other), n in sorted(study.table.items())],
        "rejected": [{"file": name, **one._asdict()} for name, one in sheets.rejected],
    }
