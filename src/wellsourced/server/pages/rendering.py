"""Templates → pages: every value is escaped, and no page loads anything from elsewhere."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import Headers

from wellsourced.presentation.blocks import Presentation
from wellsourced.presentation.html import HtmlOptions, write_html
from wellsourced.server.pages import messages
from wellsourced.text.sanitization import sanitize_text

HERE = Path(__file__).parent

PAGE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}


def _make_visible(value: Any) -> Any:
    """Remove from text what hides or reorders it; our own markup stays."""
    return sanitize_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_make_visible,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["spell_next_step"] = messages.spell_next_step
_TEMPLATES.filters["web_link"] = lambda address: address if address.lower().startswith(("https://", "http://")) else ""


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template, with the headers that keep foreign scripts out of the page."""
    return HTMLResponse(_TEMPLATES.get_template(name).render(values), status, PAGE_HEADERS)


def render_result(presentation: Presentation, prefix: str = "", *, is_local: bool = True) -> Markup:
    """Render a result as part of a page.

    prefix     of every id: two results on one page need two
    is_local   its quotes are from libraries: they lead to their document, or to the printed page where it has pages
    """
    options = HtmlOptions(
        prefix,
        document_url=(lambda at: write_address("/document", at.document, at.start, at.end)) if is_local else None,
        printed_url=(lambda at: write_address("/document/page", at.document, at.start, at.end)) if is_local else None,
        spell_step=messages.spell_next_step,
    )
    # The writer escapes every text.
    return Markup(write_html(presentation, options))  # noqa: S704


def write_address(path: str, id: str, start: int, end: int, **more: int) -> str:
    """The address of a document, or of a printed page of it, at a quote."""
    return f"{path}?{urlencode({'id': id, 'start': start, 'end': end, **more})}#quote"


def wants_page(headers: Headers) -> bool:
    """Whether the client is a browser that shows a page."""
    return "text/html" in headers.get("accept", "")
