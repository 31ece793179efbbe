"""Files that people filled in: whose row it is, what its cells say, and which rows cannot be used.

A bad row costs only itself.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.factcheck.load.answer_rows import read_rows
from wellsourced.readers.base import File
from wellsourced.text.sanitization import neutralize_cell
from wellsourced_evaluate.pair_sets.base import UnusableLine

BYTE_ORDER_MARK = "\ufeff"
"""By which spreadsheets know that a table is UTF-8."""


class RejectedLine(NamedTuple):
    """A row of a file that cannot be used, and why."""

    file: str
    row: int
    reason: str


def render_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table that people fill in: no text in it can be a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([neutralize_cell(cell) for cell in row] for row in rows)
    return BYTE_ORDER_MARK + out.getvalue()


def read_rater_rows(files: Sequence[File], take: Callable[[str, Mapping[str, str]], None]) -> tuple[RejectedLine, ...]:
    """Put each row to `take`, which raises UnusableLine: who filled it in, and its cells. Return what cannot be used.

    A rater is named by the column `rater`, else by the file. Columns are folded (`fold_words`). Raises UnreadableFile
    for a file that cannot be read.
    """
    rejected = []
    for file in files:
        name = Path(str(file)).name
        for number, fields in read_rows(file):
            try:
                if isinstance(fields, str):
                    raise UnusableLine(fields)
                cells = {fold_words(column): _to_cell(value) for column, value in fields.items()}
                take(cells.get("rater") or name.partition(".")[0] or name, cells)
            except UnusableLine as bad:
                rejected.append(RejectedLine(name, number, str(bad)))
    return tuple(rejected)


def refuse_empty(what: str, rejected: Sequence[RejectedLine], remedy: str) -> SourceRefused:
    """The error of files in which nothing is left, with what is wrong with the first row."""
    told = "".join(f" ({one.file}, row {one.row}: {one.reason})" for one in rejected[:1])
    return SourceRefused(f"No {what} that can be used{told}{remedy}")


def fold_words(words: object) -> str:
    """Words as people mean them, whatever their case and the spaces."""
    return " ".join(str(words).split()).casefold()


def _to_cell(value: object) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from running it."""
    text = "" if value is None else str(value).strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(("=", "+", "-", "@")) else text
