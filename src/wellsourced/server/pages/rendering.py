"""Templates → pages: every value is escaped, and no page loads anything from elsewhere."""

from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse, HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

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
_TEMPLATES.filters["web_link"] = lambda address: address if address.lower().startswith(("https://", "http://")) else ""


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template, with the headers that keep foreign scripts out of the page."""
    return HTMLResponse(_TEMPLATES.get_template(name).render(values), status, PAGE_HEADERS)


def give_static_file(name: str) -> FileResponse:
    """A style, a script or an icon. Raises HTTPException for every other name."""
    if name not in {path.name for path in (HERE / "static").iterdir()}:
        raise HTTPException(404, messages.NO_STATIC_FILE)
    return FileResponse(HERE / "static" / name, headers={"cache-control": "no-cache"})


def wants_page(headers: Headers) -> bool:
    """Whether the client is a browser that shows a page."""
    return "text/html" in headers.get("accept", "")
