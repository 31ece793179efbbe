"""A form of a questionnaire for raters: one page that works without a network, or a table for a spreadsheet.

The page keeps what was rated in the browser and writes it into a file; nothing is sent. Answers are set alike, whoever
wrote them; what they hold of HTML is shown as text, and no script but the page's own can run.
"""

import csv
import io
import json
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from markdown_it import MarkdownIt

from wellsourced.app.factcheck.checked_text import neutralize_cell
from wellsourced.app.terminal import sanitize_text
from wellsourced_evaluate.rating.questionnaire import LETTERS, Criterion, FormItem, RatingCriteria, RatingForm
from wellsourced_evaluate.rating.rating_rows import PREFERENCE, TIE

BYTE_ORDER_MARK = "\ufeff"
"""By which spreadsheets know that a table is UTF-8."""


def render_form_csv(form: RatingForm, criteria: RatingCriteria) -> str:
    """A row for each item: what is to be read, then the empty cells that a rater fills."""
    letters = LETTERS[: max(len(item.texts) for item in form.items)]
    rated = [*list_columns(criteria, letters), *([PREFERENCE] if criteria.preference else [])]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["form", "item", "question", *letters, *rated, "comment", "rater"])
    for item in form.items:
        texts = [*item.texts, *[""] * (len(letters) - len(item.texts))]
        cells = [form.id, item.id, item.question, *texts, *[""] * (len(rated) + 2)]
        writer.writerow([neutralize_cell(cell) for cell in cells])
    return BYTE_ORDER_MARK + out.getvalue()


def list_columns(criteria: RatingCriteria, letters: str) -> Iterator[str]:
    """The columns of ratings: "A accuracy"."""
    return (f"{letter} {one.name}" for letter in letters for one in criteria.criteria)


def render_form_page(form: RatingForm, criteria: RatingCriteria) -> str:
    """The page."""
    script, style = _read_part("questionnaire.js"), _read_part("questionnaire.css")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'"
    )
    letters = LETTERS[: max(len(item.texts) for item in form.items)]
    columns = [*list_columns(criteria, letters), *([PREFERENCE] if criteria.preference else []), "comment"]
    items = "".join(_render_item(number, item, form, criteria) for number, item in enumerate(form.items, 1))
    title = escape(criteria.title)
    return sanitize_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        f"<title>{title}</title><style>{style}</style></head>"
        f'<body data-form="{form.id}"><header><div class="bar"><span id="place">{title}</span>'
        '<progress id="progress" max="1" value="0" aria-label="Rated so far"></progress><span id="count"></span>'
        f"</div></header><main>{_render_start(form, criteria)}{items}{_render_end()}"
        '<nav aria-label="Pages"><button type="button" id="back" class="quiet">Back</button>'
        '<button type="button" id="next">Next</button></nav><p id="kept" role="status"></p></main>'
        f'<script type="application/json" id="columns">{_escape_data(columns)}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def _read_part(name: str) -> str:
    return files("wellsourced_evaluate.rating").joinpath(name).read_text(encoding="utf-8").strip()


def _escape_data(value: object) -> str:
    """JSON in which nothing can end the element that holds it."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _render_start(form: RatingForm, criteria: RatingCriteria) -> str:
    paragraphs = "".join(f"<p>{escape(one)}</p>" for one in criteria.instructions.strip().split("\n\n") if one.strip())
    terms = "".join(
        f"<dt>{escape(_capitalize(one.name))}</dt><dd>{escape(one.ask)} {one.low} is “{escape(one.low_means)}”, "
        f"{one.high} is “{escape(one.high_means)}”.</dd>"
        for one in criteria.criteria
    )
    return (
        f'<section class="step start"><h1 tabindex="-1">{escape(criteria.title)}</h1>'
        '<noscript><p class="warn">This page needs JavaScript to save what you rate. Without it, fill in the table '
        f"instead.</p></noscript>{paragraphs}{f'<dl>{terms}</dl>' if terms else ''}"
        f"<p>There are {len(form.items)} questions. What you choose is kept in this browser, so that you can stop and "
        "go on; nothing is sent. At the end you save a file and send it back.</p>"
        '<p><label for="rater">Your name, or a short name for you</label>'
        '<input id="rater" autocomplete="off" maxlength="60"></p></section>'
    )


def _render_end() -> str:
    return (
        '<section class="step end"><h1 tabindex="-1">Save your ratings</h1><p id="state"></p><ul id="open"></ul>'
        "<p>Save one of these files, and send it to whoever gave you this page.</p>"
        '<p class="buttons"><button type="button" id="csv">Save as a table (CSV)</button>'
        '<button type="button" id="json" class="quiet">Save as JSON</button></p></section>'
    )


def _render_item(number: int, item: FormItem, form: RatingForm, criteria: RatingCriteria) -> str:
    answers = "".join(
        _render_answer(item, letter, text, criteria) for letter, text in zip(LETTERS, item.texts, strict=False)
    )
    return (
        f'<section class="step item" data-item="{item.id}"><h1 tabindex="-1">'
        f'<span class="of">Question {number} of {len(form.items)}</span> {escape(item.question)}</h1>'
        f'<div class="answers" style="--columns:{min(len(item.texts), 3)}">{answers}</div>'
        f'{_render_preference(item, criteria)}<p><label for="{item.id}-comment">Comment, if you have one</label>'
        f'<textarea id="{item.id}-comment" data-column="comment" rows="2"></textarea></p></section>'
    )


def _render_answer(item: FormItem, letter: str, text: str, criteria: RatingCriteria) -> str:
    scales = "".join(_render_scale(item, letter, one) for one in criteria.criteria)
    return (
        f'<section class="answer" aria-labelledby="{item.id}-{letter}"><h2 id="{item.id}-{letter}">Answer {letter}</h2>'
        f'<div class="text">{render_answer_text(text)}</div><div class="scales">{scales}</div></section>'
    )


def _render_scale(item: FormItem, letter: str, criterion: Criterion) -> str:
    column = f"{letter} {criterion.name}"
    ends = {criterion.low: criterion.low_means, criterion.high: criterion.high_means}
    steps = "".join(
        f'<label><input type="radio" name="{item.id} {escape(column)}" value="{value}">{value}'
        + (f'<span class="unseen">, {escape(ends[value])}</span>' if value in ends else "")
        + "</label>"
        for value in range(criterion.low, criterion.high + 1)
    )
    return (
        f'<fieldset data-column="{escape(column)}"><legend>{escape(_capitalize(criterion.name))}'
        f'<span class="unseen"> of answer {letter}</span> <small>{escape(criterion.ask)}</small></legend>'
        f'<div class="steps">{steps}</div><div class="ends" aria-hidden="true">'
        f"<span>{escape(criterion.low_means)}</span><span>{escape(criterion.high_means)}</span></div></fieldset>"
    )


def _render_preference(item: FormItem, criteria: RatingCriteria) -> str:
    if not criteria.preference:
        return ""
    chosen = [(letter, f"Answer {letter}") for letter, _ in zip(LETTERS, item.texts, strict=False)]
    chosen.insert(len(chosen) if len(chosen) > 2 else 1, (TIE, criteria.preference.tie))
    steps = "".join(
        f'<label><input type="radio" name="{item.id} {PREFERENCE}" value="{value}">{escape(words)}</label>'
        for value, words in chosen
    )
    return (
        f'<fieldset class="preference" data-column="{PREFERENCE}"><legend>{escape(criteria.preference.ask)}</legend>'
        f'<div class="steps">{steps}</div></fieldset>'
    )


def _capitalize(words: str) -> str:
    return words[:1].upper() + words[1:]


@cache
def _open_markdown() -> MarkdownIt:
    # Nothing that leads elsewhere, loads something or is HTML is a rule here: it stays the text that it is.
    elsewhere = ["image", "link", "autolink", "html_block", "html_inline", "reference"]
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(elsewhere)


def render_answer_text(text: str) -> str:
    """An answer as HTML: its paragraphs, lists, tables and bold words; headings are bold, links and HTML are text."""
    parser = _open_markdown()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        if token.type == "heading_open":
            token.attrSet("class", "heading")
    html = str(parser.renderer.render(tokens, parser.options, {}))
    # A wide table scrolls by itself, and whoever has no mouse must be able to reach it.
    opened = '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'
    return html.replace("<table>", opened).replace("</table>", "</table></div>")
