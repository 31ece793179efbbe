"""A report as headings, sentences, tables and pictures; these as Markdown, and as one page that needs nothing else."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}
th,td{border-bottom:1px solid #ccc;padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}
.warning{border-left:4px solid #d55e00;padding-left:.75rem}svg{max-width:100%}
@media(prefers-color-scheme:dark){body{background:#111;color:#eee}svg{background:#fff}}"""


class ReportHeading(NamedTuple):
    """A heading; 1 is the highest level."""

    level: int
    text: str


class ReportText(NamedTuple):
    """A paragraph; `is_warning` where a reader could be misled without it."""

    text: str
    is_warning: bool = False


class ReportList(NamedTuple):
    """Sentences or phrases, one below the other."""

    items: Sequence[str]


class ReportTable(NamedTuple):
    """A table."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class ReportPicture(NamedTuple):
    """A picture in SVG: on the page alone, since what it shows stands in a table too."""

    svg: str


ReportBlock = ReportHeading | ReportText | ReportList | ReportTable | ReportPicture


def format_decimal(value: float | None, digits: int = 3) -> str:
    """So many digits; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def format_interval(low: float | None, high: float | None) -> str:
    """Both ends; a dash where there are none."""
    return "–" if low is None or high is None else f"{low:.3f}–{high:.3f}"


def blocks_to_markdown(blocks: Iterable[ReportBlock]) -> str:
    """The report as Markdown."""
    return "\n\n".join(text for one in blocks if (text := _block_to_markdown(one))) + "\n"


def _block_to_markdown(block: ReportBlock) -> str:
    match block:
        case ReportHeading(level, text):
            return f"{'#' * level} {_one_line(text)}"
        case ReportText(text, is_warning):
            return f"**{_one_line(text)}**" if is_warning else _one_line(text)
        case ReportList(items):
            return "\n".join(f"* {_one_line(item)}" for item in items)
        case ReportTable(header, rows):
            lines = [header, ["---"] * len(header), *rows]
            return "\n".join(
                f"| {' | '.join(_one_line(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in lines
            )
        case ReportPicture():
            return ""


def blocks_to_page(title: str, blocks: Iterable[ReportBlock]) -> str:
    """The report as one HTML page: no script, and nothing that it would fetch."""
    body = "\n".join(_block_to_html(one) for one in blocks)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title><style>{STYLE}</style></head>
<body>
{body}
</body></html>
"""


def _block_to_html(block: ReportBlock) -> str:
    match block:
        case ReportHeading(level, text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case ReportText(text, is_warning):
            opening = '<p class="warning">' if is_warning else "<p>"
            return f"{opening}{escape(text)}</p>"
        case ReportList(items):
            return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
        case ReportTable(header, rows):
            head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
            lines = ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table><thead><tr>{head}</tr></thead><tbody>\n{chr(10).join(lines)}\n</tbody></table>"
        case ReportPicture(svg):
            return svg


def _one_line(text: str) -> str:
    return " ".join(text.split())
