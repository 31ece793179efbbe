"""One page that the user names, by its address or as a file."""

import asyncio
from datetime import date
from pathlib import Path

from wellsourced.config.network import open_client
from wellsourced.config.settings import Settings
from wellsourced.errors import UnreadableFile
from wellsourced.types import Document


async def open_page(name: str, settings: Settings) -> Document:
    """The document behind an address, or in a file of any kind that is read.

    Raises SourceError for what its server or its file is, SettingsError for an extra that is not installed.
    """
    from wellsourced.sources.web.engines import EngineResult
    from wellsourced.sources.web.pages import PageLimits, read_page

    if not name.startswith(("https://", "http://")):
        return await asyncio.to_thread(_read_page_file, Path(name))
    async with open_client(settings) as client:
        return await read_page(client, EngineResult(url=name), PageLimits(), date.today())


def _read_page_file(path: Path) -> Document:
    from wellsourced.readers import UnreadablePart, read_file_items

    for item in read_file_items(path, "own"):
        if isinstance(item, Document):
            return item
        if isinstance(item, UnreadablePart):
            raise UnreadableFile(path, f"{item.where}: {item.reason}", item.remedy)
    raise UnreadableFile(path, "there is nothing to read in it", "Name a page with text.")
