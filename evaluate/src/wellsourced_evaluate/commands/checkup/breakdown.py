"""`wellsourced checkup breakdown`: the figures of stored checks by system, kind of question and kind of source."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced.app.options import EXISTING_FILE, json_option
from wellsourced.app.terminal import format_table, print_data, print_utf8

if TYPE_CHECKING:
    from wellsourced_evaluate.checkups.breakdown import Breakdown, Dimension, GroupFigures

ALL_DIMENSIONS: "tuple[Dimension, ...]" = ("system", "kind", "source", "suffix")
DEFAULT_DIMENSIONS = ALL_DIMENSIONS[:3]

TEXT_COLUMNS = ("source validity", "statement support", "response support", "unused sources")
SOURCE_COLUMNS = ("source validity", "unused sources", "pairing precision", "sources found")
"""Figures that the table shows; --json has all."""


@click.command(
    short_help="Show the figures by system, kind of question and kind of source.",
    epilog="""
    \b
    Examples:
      wellsourced check answers.jsonl --out checked.json
      wellsourced checkup breakdown checked.json
      wellsourced checkup breakdown march.json april.json --by system --json
      wellsourced checkup breakdown checked.json --by suffix

    \b
    Systems and kinds of question are the fields `system` and `kind` of the rows that were checked.
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE, metavar="FILE...")
@click.option(
    "--by",
    "dimensions",
    multiple=True,
    type=click.Choice(ALL_DIMENSIONS),
    help="By what; repeatable [system, kind, source].",
)
@json_option
def breakdown(files: tuple[Path, ...], dimensions: "tuple[Dimension, ...]", as_json: bool) -> None:
    """Show the figures of the checks in each FILE by the system that answered, by kind of question, by kind of source.

    FILE is what `wellsourced check --json` printed. Intervals (95 %) draw whole texts again. `source` is what a source
    was found to be (research, guideline, web …), `suffix` the last part of its address; by these, statements are those
    that were put to such a source, and only figures of sources are shown.
    """
    from wellsourced_evaluate.checkups.breakdown import break_down
    from wellsourced_evaluate.commands.common import read_stored_checkups

    checkups = [one.checkup for one in read_stored_checkups(files)]
    found = [break_down(checkups, dimension) for dimension in dimensions or DEFAULT_DIMENSIONS]
    if as_json:
        print_data([_breakdown_data(one) for one in found])
    else:
        print_utf8("\n".join(line for one in found for line in _breakdown_lines(one)), end="")


def _breakdown_lines(found: "Breakdown") -> Iterator[str]:
    from wellsourced_evaluate.checkups.breakdown import DIMENSIONS

    columns = SOURCE_COLUMNS if found.dimension in ("source", "suffix") else TEXT_COLUMNS
    rows = [_group_row(group, columns) for group in found.groups]
    yield format_table(rows, (DIMENSIONS[found.dimension], "texts", "statements", "sources", "words", *columns))


def _group_row(group: "GroupFigures", columns: Sequence[str]) -> tuple[str, ...]:
    from wellsourced.app.factcheck.text_report import format_interval, format_percent

    cells = []
    for name in columns:
        share = group.shares[name]
        interval = f" ({format_interval(share)})" if format_interval(share) else ""
        cells.append(f"{format_percent(share.share) or '–'}{interval}")
    counts = (f"{group.texts:,}", f"{group.statements:,}", f"{group.sources:,}", f"{group.words:.0f}")
    return (group.group, *counts, *cells)


def _breakdown_data(found: "Breakdown") -> dict[str, Any]:
    groups = [
        {**group._asdict(), "shares": {name: share.model_dump() for name, share in group.shares.items()}}
        for group in found.groups
    ]
    return {"by": found.dimension, "groups": groups}
