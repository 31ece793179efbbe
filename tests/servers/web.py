"""A small web on loopback: three search engines as they really answer, and the pages and PDFs that they know."""

import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.servers.base import Asked, Said, Served, serving
from tests.servers.pages import Article, Design, built, semantic

KEY = "test-key"


def pdf(title: str, lines: list[str]) -> bytes:
    """A PDF of one page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setTitle(title)
    for place, line in enumerate(lines):
        canvas.drawString(60, 780 - 16 * place, line)
    canvas.save()
    return buffer.getvalue()


class Page(NamedTuple):
    """What one address answers, and what the engines know of it."""

    said: Said
    title: str = ""
    words: str = ""
    published: str = ""


def html_page(article: Article, design: Design = semantic) -> Page:
    """An article on the web."""
    said = Said(built(article, design).html.encode(), type="text/html; charset=utf-8")
    return Page(said, article.title, " ".join(article.blocks), article.published)


class SmallWeb:
    """Pages by their paths, and the engines.

    json_on      whether the SearXNG server gives JSON
    silent       engines of the SearXNG server that do not answer; with `alone` none does
    """

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages = dict(pages)
        self.json_on, self.alone = True, False
        self.silent: list[list[str]] = []

    def answer(self, asked: Asked) -> Said:
        """What stands at an address."""
        match asked.path:
            case "/res/v1/web/search":
                return self._brave(asked)
            case "/tavily/search":
                return self._tavily(asked)
            case "/searxng/search":
                return self._searxng(asked)
        if asked.path in self.pages:
            return self.pages[asked.path].said
        return Said(b"<h1>Not Found</h1>", 404, "text/html")

    def _found(self, words: str, since: str = "", until: str = "9") -> list[tuple[str, Page]]:
        wanted = set(re.findall(r"\w+", words.lower()))

        def shared(page: Page) -> int:
            return len(wanted & set(re.findall(r"\w+", f"{page.title} {page.words}".lower())))

        known = [(path, page) for path, page in self.pages.items() if page.title]
        dated = [one for one in known if not (since or until != "9") or since <= one[1].published <= until]
        return sorted((one for one in dated if shared(one[1])), key=lambda one: -shared(one[1]))

    def _brave(self, asked: Asked) -> Said:
        if asked.headers.get("X-Subscription-Token") != KEY:
            error = {"id": "1", "status": 422, "code": "SUBSCRIPTION_TOKEN_INVALID"}
            detail = "The provided subscription token is invalid."
            return _json({"type": "ErrorResponse", "error": {**error, "detail": detail}, "time": 1}, 422)
        if int(asked.fields["count"]) > 20 or len(asked.fields["q"]) > 400:
            return _json({"type": "ErrorResponse", "error": {"status": 422, "code": "VALIDATION"}, "time": 1}, 422)
        span = asked.fields.get("freshness", "").split("to") if "freshness" in asked.fields else ["", "9"]
        results = [
            {
                "title": page.title,
                "url": _url(asked, path),
                "is_source_local": False,
                "description": f"<strong>{page.title}</strong>: only the engine says this.",
                **({"page_age": f"{page.published}T00:00:00", "age": "long ago"} if page.published else {}),
                "profile": {"name": "Institute", "url": _url(asked, path)},
                "language": "en",
                "type": "search_result",
                "subtype": "generic",
                "meta_url": {"scheme": "http", "netloc": asked.headers["Host"], "path": path},
            }
            for path, page in self._found(asked.fields["q"], *span)
        ]
        query = {"original": asked.fields["q"], "more_results_available": False}
        web = {"type": "search", "results": results[: int(asked.fields["count"])], "family_friendly": True}
        return _json(
            {"type": "search", "query": query, "mixed": {"type": "mixed"}, **({"web": web} if results else {})}
        )

    def _tavily(self, asked: Asked) -> Said:
        if asked.headers.get("Authorization") != f"Bearer {KEY}":
            return _json({"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401)
        wish = json.loads(asked.body)
        if wish["query"] == "plan":
            return _json({"detail": {"error": "This request exceeds your plan's set usage limit."}}, 432)
        found = self._found(wish["query"], wish.get("start_date", ""), wish.get("end_date", "9"))
        results = [
            {
                "url": _url(asked, path),
                "title": page.title,
                "content": "Only the engine says this.",
                "score": 0.9,
                "raw_content": None,
                **({"published_date": _as_in_mail(page.published)} if len(page.published) == 10 else {}),
            }
            for path, page in found[: wish["max_results"]]
        ]
        return _json(
            {
                "query": wish["query"],
                "follow_up_questions": None,
                "answer": None,
                "images": [],
                "results": results,
                "response_time": 0.8,
                "request_id": "1",
            }
        )

    def _searxng(self, asked: Asked) -> Said:
        if asked.fields.get("format") != "json" or not self.json_on:
            return Said(b"<!doctype html><title>403 Forbidden</title><h1>Forbidden</h1>", 403, "text/html")
        results = [
            {
                "url": _url(asked, path),
                "title": page.title,
                "content": "Only the engine says this.",
                "publishedDate": f"{page.published}T00:00:00" if len(page.published) == 10 else None,
                "engine": "duckduckgo",
                "template": "default.html",
                "parsed_url": list(urlsplit(_url(asked, path))),
                "engines": ["duckduckgo"],
                "positions": [place],
                "score": 1 / place,
                "category": "general",
            }
            for place, (path, page) in enumerate([] if self.alone else self._found(asked.fields["q"]), 1)
        ]
        rest = {"answers": [], "corrections": [], "infoboxes": [], "suggestions": []}
        return _json(
            {
                "query": asked.fields["q"],
                "number_of_results": 0,
                "results": results,
                **rest,
                "unresponsive_engines": self.silent,
            }
        )


def _json(value: object, status: int = 200) -> Said:
    return Said(json.dumps(value).encode(), status, "application/json")


def _url(asked: Asked, path: str) -> str:
    return path if path.startswith(("http", "file", "ftp", "javascript")) else f"http://{asked.headers['Host']}{path}"


def _as_in_mail(day: str) -> str:
    return format_datetime(datetime.fromisoformat(day).replace(tzinfo=UTC), usegmt=True)


def endless(piece: bytes, pieces: int) -> Iterator[bytes]:
    """A body that is made while it is sent."""
    return (piece for _ in range(pieces))


@contextmanager
def serving_web(pages: Mapping[str, Page]) -> Iterator[tuple[SmallWeb, Served]]:
    """A small web until the block ends."""
    web = SmallWeb(pages)
    with serving(web.answer) as served:
        yield web, served
