"""A page that a text cites, read by a worker: its words, and what it shows besides."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from wellsourced.checkup.page_signs import PageSigns, detect_signs
from wellsourced.errors import SettingsError, SourceError, UnreadableFile
from wellsourced.http import Response
from wellsourced.readers import (
    PAGE_LIMITS,
    WebPage,
    WorkerJob,
    WorkerLimits,
    parse_charset,
    read_web_page,
    run_in_worker_process,
)
from wellsourced.types import Document, Value


class CitedPage(Value):
    """What came of reading a page.

    signs        what it shows that is not its text; nothing is looked for in what is no HTML
    document     its words; None where there are none, or where its signs say that they are not those of the source
    unreadable   why it cannot be read; unsupported: why nobody here reads it; "" otherwise
    """

    signs: PageSigns = PageSigns()
    document: Document | None = None
    unreadable: str = ""
    unsupported: str = ""


async def read_cited_page(reply: Response, today: date, limits: WorkerLimits = PAGE_LIMITS) -> CitedPage:
    """What a server answered, read by a worker with limits: nothing of it is parsed in this process. Raises nothing."""
    named = parse_charset(reply.headers.get("Content-Type", ""))
    page = WebPage(url=reply.url, type=reply.type, charset=named, today=today)
    work = WorkerJob("cited page", page.model_dump(mode="json"), reply.content, reply.url)
    try:
        return CitedPage.model_validate_json(await run_in_worker_process(work, limits))
    except UnreadableFile as error:
        return CitedPage(unsupported=error.reason)


def parse_cited_page(given: Mapping[str, Any], content: bytes) -> CitedPage:
    """What a page is: inside the worker."""
    page = WebPage.model_validate(given)
    signs = detect_signs(page.decode(content)) if page.is_html else PageSigns()
    if signs.walled or signs.gone:
        return CitedPage(signs=signs)
    try:
        return CitedPage(signs=signs, document=read_web_page(page, content))
    except UnreadableFile as error:
        return CitedPage(signs=signs, unreadable=error.reason)
    except (SourceError, SettingsError) as error:
        return CitedPage(signs=signs, unsupported=str(error).rstrip("."))
