"""One page: fetched, and read by what its server says that it is."""

import asyncio
from datetime import date
from typing import NamedTuple

from wellsourced.errors import Refused
from wellsourced.http import Client, Reply
from wellsourced.readers import PAGE_LIMITS, WebPage, Work, charset_of, read_apart
from wellsourced.sources.web.engines import Result
from wellsourced.types import Document

MB = 1024 * 1024


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
    """The document behind an address; its id is where it was found in the end. Raises what its server, or it, is.

    It is read by a worker, with limits: what is fetched is not parsed in this process.
    """
    reply = await _fetched(client, result.url, limits)
    named = charset_of(reply.headers.get("Content-Type", ""))
    page = WebPage(url=reply.url, type=reply.type, charset=named, title=result.title, today=today)
    work = Work("page", page.model_dump(mode="json"), reply.content, reply.url)
    return Document.model_validate_json(await read_apart(work, PAGE_LIMITS))


async def _fetched(client: Client, url: str, limits: Limits) -> Reply:
    try:
        async with asyncio.timeout(limits.each):
            reply = await client.follow(url, limit=limits.pdf, timeout=limits.each)
    except TimeoutError as error:
        raise Refused(f"it did not come within {limits.each:g} seconds") from error
    if len(reply.content) > limits.html and reply.type != "application/pdf":
        raise Refused(f"it is larger than {limits.html / MB:g} MB")
    return reply
