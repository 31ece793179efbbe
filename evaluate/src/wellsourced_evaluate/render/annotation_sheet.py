"""A sheet on which people judge pairs: a table for a spreadsheet, or one page that works without a network.

The page keeps what was chosen in the browser and writes it into a file; nothing is sent. Everything that was read is
escaped or handed to the script as data, and no other script can run.
"""

import csv
import io
import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from wellsourced.app.factcheck.checked_text import neutralize_cell
from wellsourced.app.terminal import sanitize_text
from wellsourced.types import short_key
from wellsourced_evaluate.checkups.annotation import CODES, AnnotationItem, AnnotationSheet

SHEET_COLUMNS = ("id", "question", "statement", "source", "address", "part", "label", "reason", "rater")

BYTE_ORDER_MARK = "\ufeff"
"""By which spreadsheets know that a table is UTF-8."""

INSTRUCTIONS = (
    "Say of each statement what this source alone says of it. Supported: the source says all of it. Contradicted: the "
    "source says the opposite. Not supported: neither, or only a part of it. What you know besides does not count."
)


def render_sheet_csv(sheet: AnnotationSheet) -> str:
    """A row for each item; `label`, `reason` and `rater` are for whoever judges."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(SHEET_COLUMNS)
    for item in sheet.items:
        cells = (item.id, item.question, item.statement, item.source, item.address, item.part, "", "", "")
        writer.writerow([neutralize_cell(cell) for cell in cells])
    return BYTE_ORDER_MARK + out.getvalue()


def render_sheet_keys(sheet: AnnotationSheet) -> str:
    """What the judge said of each item, a line each: not for whoever judges."""
    return "".join(key.model_dump_json() + "\n" for key in sheet.keys)


def render_sheet_html(sheet: AnnotationSheet) -> str:
    """The page."""
    script = files("wellsourced_evaluate.render").joinpath("annotation_sheet.js").read_text(encoding="utf-8")
    style = files("wellsourced_evaluate.render").joinpath("annotation_sheet.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    items = "".join(_render_item(number, item) for number, item in enumerate(sheet.items, 1))
    return sanitize_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>Do the sources say so?</title><style>{style}</style></head>"
        f'<body data-sheet="{_sheet_key(sheet)}"><h1>Do the sources say so?</h1><p>{escape(INSTRUCTIONS)}</p>'
        '<p class="bar"><label>Your name <input id="rater" autocomplete="off"></label> <span id="progress"></span> '
        '<button id="save" type="button">Save as a table</button></p>'
        f"{items}{_render_sources(sheet)}<script>{script}</script></body></html>\n"
    )


def _sheet_key(sheet: AnnotationSheet) -> str:
    """By what a browser finds what was chosen on this sheet, and on no other."""
    return short_key("\0".join(item.id for item in sheet.items))


def _render_item(number: int, item: AnnotationItem) -> str:
    codes = "".join(
        f'<label><input type="radio" name="{item.id}" value="{code}"> {code.capitalize()}</label> '
        for code in CODES.values()
    )
    question = f'<p class="question">{escape(item.question)}</p>' if item.question else ""
    whole = (
        f'<details data-whole="{item.whole}"><summary>The whole source</summary>'
        '<label>Find <input type="search" class="find"></label> <span class="hits"></span><pre></pre></details>'
        if item.whole
        else ""
    )
    return (
        f'<section class="item" data-id="{item.id}"><h2>{number}</h2>{question}'
        f'<p class="statement">{escape(item.statement)}</p>'
        f'<p class="source">{escape(item.source)}<br><small>{escape(item.address)}</small></p>'
        f"<blockquote>{_mark_sentence(item)}</blockquote>{whole}"
        f'<p class="codes">{codes}</p><p><label>Why, if you want to say <input class="reason" size="60"></label></p>'
        "</section>"
    )


def _mark_sentence(item: AnnotationItem) -> str:
    """The part with the sentence marked that is nearest to the statement."""
    before, marked, after = item.part[: item.start], item.part[item.start : item.end], item.part[item.end :]
    return f"{escape(before)}<mark>{escape(marked)}</mark>{escape(after)}"


def _render_sources(sheet: AnnotationSheet) -> str:
    """The whole sources as data, in which nothing can end the element that holds them."""
    data = json.dumps(sheet.sources, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="sources">{data}</script>'
