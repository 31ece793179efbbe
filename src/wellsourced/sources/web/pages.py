"""One page: fetched, and read by what its server says that it is."""

import asyncio
import re
from datetime import date
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import Refused, SettingsError
from wellsourced.http import Client, Reply
from wellsourced.readers import Faulty, Held, apart, read_html, reader_for
from wellsourced.sources.web.engines import Result
from wellsourced.text.urls import normalised, site
from wellsourced.types import Document

MB = 1024 * 1024
HTML = {"text/html", "application/xhtml+xml"}
SUFFIXES = {"application/pdf": ".pdf", "text/plain": ".txt"}


class Limits(NamedTuple):
    """What a page may cost.

    html, pdf   bytes; plain text may have as many as HTML
    each        seconds to fetch one page
    together    seconds for all pages of a search, fetched and read
    """

    html: int = 2 * MB
    pdf: int = 20 * MB
    each: float = 5.0
    together: float = 10.0


async def read_page(client: Client, result: Result, limits: Limits, today: date) -> Document:
    """The document behind an address; its id is where it was found in the end. Raises what its server, or it, is."""
    return await apart(page_of, await _fetched(client, result.url, limits), today, result.title)


def page_of(reply: Reply, today: date, title: str = "") -> Document:
    """The document that a reply is. `title` is for what is no HTML, where a link or an engine gives one.

    Raises Unreadable, Refused for a type that is not read, SettingsError for an extra that is not installed.
    """
    document = _document(reply)
    found = {
        "id": f"url:{normalised(reply.url)}",
        "url": reply.url,
        "title": document.reference.title if reply.type in HTML else title or document.reference.title,
        "organisation": document.reference.organisation or site(reply.url),
        "accessed": today,
        "depth": "web page",
    }
    return document.model_copy(update={"reference": document.reference.model_copy(update=found)})


async def _fetched(client: Client, url: str, limits: Limits) -> Reply:
    try:
        async with asyncio.timeout(limits.each):
            reply = await client.follow(url, limit=limits.pdf, timeout=limits.each)
    except TimeoutError as error:
        raise Refused(f"it did not come within {limits.each:g} seconds") from error
    if len(reply.content) > limits.html and reply.type != "application/pdf":
        raise Refused(f"it is larger than {limits.html / MB:g} MB")
    return reply


def _document(reply: Reply) -> Document:
    """Content type decides: what calls itself HTML is read as HTML or not at all."""
    if reply.type in HTML:
        charset = re.search(r"charset=[\"']?([\w.:-]+)", reply.headers.get("Content-Type", ""), re.IGNORECASE)
        read = read_html(Held(reply.url, reply.content), "web", reply.url, charset[1] if charset else "")
    elif suffix := SUFFIXES.get(reply.type):
        data = reply.text.encode() if suffix == ".txt" else reply.content
        try:
            read = reader_for(Path(f"page{suffix}"))(Held(reply.url, data), "web")
        except SettingsError as error:
            raise Refused(str(error)) from error
    else:
        raise Refused(f"{reply.type or 'what does not say its type'} is not read: only HTML, PDF and plain text are")
    for item in read:
        if isinstance(item, Document):
            return item
        if isinstance(item, Faulty):
            raise Refused(f"{item.where}: {item.reason}")
    raise Refused("there is nothing to read in it")
