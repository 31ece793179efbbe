"""One page that the user names, by its address or as a file."""

import asyncio
from datetime import date
from pathlib import Path

from wellsourced.config.network import open_client
from wellsourced.config.settings import Settings
from wellsourced.errors import Unreadable
from wellsourced.types import Document


async def page_named(name: str, settings: Settings) -> Document:
    """The document behind an address, or in a file of any kind that is read.

    Raises SourceError for what its server or its file is, SettingsError for an extra that is not installed.
    """
    from wellsourced.sources.web.engines import Result
    from wellsourced.sources.web.pages import Limits, read_page

    if not name.startswith(("https://", "http://")):
        return await asyncio.to_thread(_in_file, Path(name))
    async with open_client(settings) as client:
        return await read_page(client, Result(url=name), Limits(), date.today())


def _in_file(path: Path) -> Document:
    from wellsourced.readers import Faulty, read_one_file

    for item in read_one_file(path, "own"):
        if isinstance(item, Document):
            return item
        if isinstance(item, Faulty):
            raise Unreadable(path, f"{item.where}: {item.reason}", item.remedy)
    raise Unreadable(path, "there is nothing to read in it", "Name a page with text.")
