"""The one writer of reports: headings, sentences, tables and pictures, as Markdown, as a page, as plain text.

A study says what it found as blocks whose tables hold values; how a value is spelled is decided here, by its type.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from wellsourced.app.terminal import format_table, print_data, print_utf8
from wellsourced.text.sanitization import sanitize_line, sanitize_text

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}
th,td{border-bottom:1px solid #ccc;padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}
.warning{border-left:4px solid #d55e00;padding-left:.75rem}svg{max-width:100%}
@media(prefers-color-scheme:dark){body{background:#111;color:#eee}svg{background:#fff}}"""

DASH = "–"
"""For what is not known."""

Item = TypeVar("Item")


class Interval(NamedTuple):
    """Both ends of an interval: "0.712–0.803"; of a difference, with signs, "-0.012 … +0.040"."""

    low: float | None
    high: float | None
    signed: bool = False


class Signed(NamedTuple):
    """A difference: "+0.031"."""

    value: float | None


class Chance(NamedTuple):
    """The p of a test: "0.0312"."""

    value: float | None


class Part(NamedTuple):
    """Some of a whole: "3 of 1,204"."""

    part: int
    whole: int


Cell = str | float | bool | Interval | Signed | Chance | Part | None
"""A float has three decimals, a number of things its thousands; None and NaN are a dash. A text is as it is."""


class Heading(NamedTuple):
    """A heading; 1 is the highest level."""

    level: int
    text: str


class Text(NamedTuple):
    """A paragraph; `is_warning` where a reader could be misled without it."""

    text: str
    is_warning: bool = False


class Bullets(NamedTuple):
    """Sentences or phrases, one below the other."""

    items: Sequence[str]


class Table(NamedTuple):
    """Rows of cells under the names of their columns."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def cells(self) -> list[list[str]]:
        """Every cell as it is shown."""
        return [[format_cell(cell) for cell in row] for row in self.rows]


class Picture(NamedTuple):
    """A picture in SVG: on the page alone, since what it shows is in a table too."""

    svg: str


Block = Heading | Text | Bullets | Table | Picture


def tabulate(items: Iterable[Item], columns: Mapping[str, Callable[[Item], Cell]]) -> Table:
    """A row for each item, a column for each name and what it shows of an item."""
    return Table([*columns], [[show(item) for show in columns.values()] for item in items])


def format_cell(cell: Cell) -> str:
    """A value as every report spells it."""
    match cell:
        case None:
            return DASH
        case str():
            return cell
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float():
            return DASH if math.isnan(cell) else f"{cell:.3f}"
        case Signed(value):
            return DASH if _is_unknown(value) else f"{value:+.3f}"
        case Chance(value):
            return DASH if _is_unknown(value) else f"{value:.4f}"
        case Part(part, whole):
            return f"{part:,} of {whole:,}"
        case Interval(low, high, signed):
            if _is_unknown(low) or _is_unknown(high):
                return DASH
            return f"{low:+.3f} … {high:+.3f}" if signed else f"{low:.3f}–{high:.3f}"


def _is_unknown(value: float | None) -> bool:
    return value is None or math.isnan(value)


def to_markdown(blocks: Iterable[Block]) -> str:
    """The report as Markdown."""
    return "\n\n".join(filter(None, map(_block_to_markdown, blocks))) + "\n"


def _block_to_markdown(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {_one_line(text)}"
        case Text(text, is_warning):
            return f"**{_one_line(text)}**" if is_warning else _one_line(text)
        case Bullets(items):
            return "\n".join(f"* {_one_line(item)}" for item in items)
        case Table(header, _):
            lines = [header, ["---"] * len(header), *block.cells()]
            cells = ([_one_line(cell).replace("|", "\\|") for cell in row] for row in lines)
            return "\n".join(f"| {' | '.join(row)} |" for row in cells)
        case Picture():
            return ""


def to_text(blocks: Iterable[Block]) -> str:
    """The report for a terminal: tables in columns, without marks."""
    return "\n".join(filter(None, map(_block_to_text, blocks)))


def _block_to_text(block: Block) -> str:
    match block:
        case Heading(_, text):
            return f"\n{sanitize_line(text)}\n"
        case Text(text, _):
            return sanitize_line(text)
        case Bullets(items):
            return "\n".join(f"  {sanitize_line(item)}" for item in items)
        case Table(header, _):
            return format_table(block.cells(), header)
        case Picture():
            return ""


def to_page(title: str, blocks: Iterable[Block]) -> str:
    """The report as one HTML page: no script, and nothing that it would fetch."""
    body = "\n".join(map(_block_to_html, blocks))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title><style>{STYLE}</style></head>
<body>
{body}
</body></html>
"""


def _block_to_html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text, is_warning):
            opening = '<p class="warning">' if is_warning else "<p>"
            return f"{opening}{escape(text)}</p>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
        case Table(header, _):
            head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
            rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in block.cells())
            return f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
        case Picture(svg):
            return svg


def _one_line(text: str) -> str:
    return " ".join(text.split())


def print_report(
    blocks: Iterable[Block],
    to_data: Callable[[], Any],
    recorded: Iterable[Path] = (),
    *,
    as_json: bool,
    plain: bool = False,
) -> None:
    """Print the report as Markdown (`plain`: in columns), and where it was recorded; or everything as JSON."""
    if as_json:
        print_data(to_data())
        return
    print_utf8(to_text(blocks).rstrip("\n") if plain else sanitize_text(to_markdown(blocks)))
    if files := ", ".join(map(str, recorded)):
        print_utf8(f"Recorded in {files}")


def write_page(path: Path | None, title: str, blocks: Iterable[Block]) -> None:
    """Write the report as one page with pictures, where one is wanted."""
    if path:
        path.write_text(to_page(title, blocks), encoding="utf-8")
