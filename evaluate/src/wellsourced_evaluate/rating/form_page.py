"""A form of a questionnaire for raters: one page that works without a network, or a table for a spreadsheet.

The page (`questionnaire.html`) keeps what was rated in the browser and writes it into a file; nothing is sent. Answers
are all set alike; what they hold of HTML is shown as text, and no script but the page's own can run.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from wellsourced.app.terminal import sanitize_text
from wellsourced_evaluate.checkups.rater_files import render_csv
from wellsourced_evaluate.rating.questionnaire import LETTERS, PREFERENCE, TIE, FormItem, RatingCriteria, RatingForm

HERE = Path(__file__).parent


def render_form_csv(form: RatingForm, criteria: RatingCriteria) -> str:
    """A row for each item: what is to be read, then the empty cells that a rater fills."""
    letters, columns = _list_letters(form), _list_columns(form, criteria)
    rows = []
    for item in form.items:
        texts = [*item.texts, *[""] * (len(letters) - len(item.texts))]
        rows.append([form.id, item.id, item.question, *texts, *[""] * (len(columns) + 1)])
    return render_csv(["form", "item", "question", *letters, *columns, "rater"], rows)


def render_form_page(form: RatingForm, criteria: RatingCriteria) -> str:
    """The page."""
    script, style = ((HERE / f"questionnaire.{ending}").read_text(encoding="utf-8").strip() for ending in ("js", "css"))
    page = (
        _open_templates()
        .get_template("questionnaire.html")
        .render(
            form=form,
            asked=criteria,
            letters=LETTERS,
            preference=PREFERENCE,
            list_choices=_list_choices,
            columns=_list_columns(form, criteria),
            digest=b64encode(sha256(script.encode()).digest()).decode(),
            script=Markup(script),  # noqa: S704 - a file of ours
            style=Markup(style),  # noqa: S704 - a file of ours
        )
    )
    return sanitize_text(page)


@cache
def _open_templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters["answer_text"] = render_answer_text
    return templates


def _list_letters(form: RatingForm) -> str:
    return LETTERS[: max(len(item.texts) for item in form.items)]


def _list_columns(form: RatingForm, criteria: RatingCriteria) -> list[str]:
    """What is said of an item: ratings ("A accuracy"), the preference, a comment."""
    rated = [f"{letter} {one.name}" for letter in _list_letters(form) for one in criteria.criteria]
    return [*rated, *([PREFERENCE] if criteria.preference else []), "comment"]


def _list_choices(item: FormItem, tie: str) -> list[tuple[str, str]]:
    """What may be preferred, in words; to have no preference comes between two answers, and behind more."""
    chosen = [(letter, f"Answer {letter}") for letter in LETTERS[: len(item.texts)]]
    chosen.insert(len(chosen) if len(chosen) > 2 else 1, (TIE, tie))
    return chosen


@cache
def _open_markdown() -> MarkdownIt:
    # Nothing that leads elsewhere, loads something or is HTML is a rule here: it stays the text that it is.
    elsewhere = ["image", "link", "autolink", "html_block", "html_inline", "reference"]
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(elsewhere)


def render_answer_text(text: str) -> Markup:
    """An answer as HTML: its paragraphs, lists, tables and bold words; headings are bold, links and HTML are text."""
    parser = _open_markdown()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
        if token.type == "heading_open":
            token.attrSet("class", "heading")
    html = str(parser.renderer.render(tokens, parser.options, {}))
    # A wide table scrolls by itself, and a rater without a mouse must be able to reach it.
    opened = '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>'
    html = html.replace("<table>", opened).replace("</table>", "</table></div>")
    return Markup(html)  # noqa: S704 - the parser has escaped it
