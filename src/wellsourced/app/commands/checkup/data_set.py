"""`wellsourced checkup export` and `import`: stored checks as a data set for others, and back."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.commands.checkup.annotation import KEY_ENDING, load_documents
from wellsourced.app.options import EXISTING_FILE, NEW_FILE
from wellsourced.app.terminal import format_count, sanitize_line
from wellsourced.errors import SourceRefused, UnreadableFile

if TYPE_CHECKING:
    from wellsourced.factcheck.validation.data_set import Annotations
    from wellsourced.factcheck.validation.data_set_import import ImportedDataSet

DATA_SET_ENDING = ".jsonl"


@click.command(
    short_help="Write stored checks as a data set for others.",
    epilog="""
    \b
    Examples:
      wellsourced checkup export checked.json --out answers.dataset.jsonl
      wellsourced checkup export checked.json --out data.jsonl --key study.key.jsonl --sheet anna.csv --sheet ben.csv
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE...")
@click.option("--out", type=NEW_FILE, required=True, metavar="DATA", help="Write the data set there (.jsonl).")
@click.option("--texts", is_flag=True, help="With the words of the sources: only where all of them may be passed on.")
@click.option("--key", type=EXISTING_FILE, metavar="KEY", help="The key of a sheet that people judged.")
@click.option("--sheet", "sheets", multiple=True, type=EXISTING_FILE, help="What one of them wrote; repeatable.")
@click.pass_context
def export(
    ctx: click.Context, files: tuple[Path, ...], out: Path, texts: bool, key: Path | None, sheets: tuple[Path, ...]
) -> None:
    """Write the checks in each FILE as JSON lines: questions, responses, statements, sources, pairs, annotations.

    FILE is what `wellsourced check --json` printed. Ids are made of the words that they stand for, so that they are the
    same in every run. Of a source the address, what came of it, the quoted words and a hash of its text are written;
    the text itself only with --texts. A card comes first: what it is, how many of each, the figures.
    """
    from wellsourced.app.factcheck.input_texts import read_stored_checkups
    from wellsourced.app.factcheck.report_output import write_file
    from wellsourced.factcheck.validation.data_set import build_data_set
    from wellsourced.factcheck.verdicts import pool_shares

    if out.suffix.lower() != DATA_SET_ENDING:
        raise click.UsageError(f"{out} does not end in {DATA_SET_ENDING}: name the data set so.")
    if bool(key) != bool(sheets):
        raise click.UsageError("--key and --sheet belong together: give both, or neither.")
    stored = read_stored_checkups(files)
    annotations = _read_annotations(key, sheets) if key else None
    documents = load_documents(stored, config.load(ctx.obj))
    shares = pool_shares([one.checkup for one in stored])
    made_by = f"wellsourced {version('wellsourced')}"
    data = build_data_set(stored, shares, made_by, documents, annotations, with_texts=texts)
    write_file(out, "".join(data.lines()))
    told = ", ".join(format_count(number, name) for name, number in data.card.counts.items())
    click.echo(sanitize_line(f"{out}: {told}"))


def _read_annotations(key: Path, sheets: Sequence[Path]) -> "Annotations":
    from wellsourced.factcheck.validation.data_set import Annotations
    from wellsourced.factcheck.validation.rater_agreement import read_keys, read_sheets

    try:
        keys = read_keys(key)
        written = read_sheets(sheets, keys)
    except (UnreadableFile, SourceRefused) as error:
        raise click.UsageError(str(error)) from error
    for name, rejected in written.rejected:
        click.echo(sanitize_line(f"{name}, row {rejected.row}: {rejected.reason}"), err=True)
    return Annotations.from_sheets(keys, written)


@click.command(
    "import",
    short_help="Read a data set back, and score it anew.",
    epilog="""
    \b
    Examples:
      wellsourced checkup import answers.dataset.jsonl
      wellsourced checkup import answers.dataset.jsonl --out checked.json
      wellsourced checkup breakdown checked.json
    """,
)
@click.argument("data", type=EXISTING_FILE, metavar="DATA")
@click.option(
    "--out", type=NEW_FILE, metavar="FILE", help="Write the checks there, as `wellsourced check --json` does."
)
def import_(data: Path, out: Path | None) -> None:
    """Read the data set in DATA, tell its figures, scored anew without a model, and write it as stored checks.

    The same records give the same figures. A row that names a record which is not there, or cannot be read, is told by
    its number and left out. What people said is written beside FILE, as the key and the sheet of a study.
    """
    from wellsourced.app.factcheck.text_report import figure_lines
    from wellsourced.factcheck.validation.data_set_import import read_data_set
    from wellsourced.factcheck.verdicts import pool_shares

    try:
        found = read_data_set(data)
    except UnreadableFile as error:
        raise click.UsageError(str(error)) from error
    for rejected in found.rejected:
        click.echo(sanitize_line(f"{data.name}, row {rejected.row}: {rejected.reason}"), err=True)
    told = format_count(len(found.checkups), "response")
    click.echo(sanitize_line(f"{data}: {told}, made by {found.card.made_by or 'nobody who said so'}\n"))
    click.echo("\n".join(figure_lines(pool_shares([one.checkup for one in found.checkups]))))
    if out:
        _write_import(found, out)


def _write_import(found: "ImportedDataSet", out: Path) -> None:
    from wellsourced.app.factcheck.checked_text import CheckedText
    from wellsourced.app.factcheck.report_output import output_report, write_file

    output_report([CheckedText(one.name, one.checkup) for one in found.checkups], "json", out)
    if not found.annotations:
        return
    stem = out.name.removesuffix(out.suffix)
    key, sheet = out.with_name(stem + KEY_ENDING), out.with_name(f"{stem}.annotations.jsonl")
    write_file(key, "".join(f"{one.model_dump_json()}\n" for one in found.keys))
    rows = ({"id": one.pair, "label": one.label, "rater": one.rater} for one in found.annotations)
    write_file(sheet, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    click.echo(sanitize_line(f"What people said is in {sheet}, with the key {key}"))
