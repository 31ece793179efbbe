"""One page: fetched, and read by what its server says that it is."""

import asyncio
from datetime import date
from typing import NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.http import Client, Response
from wellsourced.readers import PAGE_LIMITS, WebPage, WorkerJob, parse_charset, run_in_worker_process
from wellsourced.sources.web.engines import EngineResult
from wellsourced.types import Document

MB = 1024 * 1024


class PageLimits(NamedTuple):
    """What a page may cost.

    html, pdf   bytes; plain text may have as many as HTML
    each        seconds to fetch one page
    together    seconds for all pages of a search, fetched and read
    """

    html: int = 2 * MB
    pdf: int = 20 * MB
    each: float = 5.0
    together: float = 10.0


async def read_page(client: Client, result: EngineResult, limits: PageLimits, today: date) -> Document:
    """The document behind an address; its id is where it was found in the end. Raises what its server, or it, is.

    It is read by a worker, with limits: what is fetched is not parsed in this process.
    """
    reply = await _fetch_page(client, result.url, limits)
    named = parse_charset(reply.headers.get("Content-Type", ""))
    page = WebPage(url=reply.url, type=reply.type, charset=named, title=result.title, today=today)
    work = WorkerJob("page", page.model_dump(mode="json"), reply.content, reply.url)
    return Document.model_validate_json(await run_in_worker_process(work, PAGE_LIMITS))


async def _fetch_page(client: Client, url: str, limits: PageLimits) -> Response:
    try:
        async with asyncio.timeout(limits.each):
            reply = await client.follow(url, limit=limits.pdf, timeout=limits.each)
    except TimeoutError as error:
        raise SourceRefused(f"it did not come within {limits.each:g} seconds") from error
    if len(reply.content) > limits.html and reply.type != "application/pdf":
        raise SourceRefused(f"it is larger than {limits.html / MB:g} MB")
    return reply
