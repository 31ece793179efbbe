"""Fill a library from files, search it, and answer from it alone. It is searched by word; nothing is encoded."""

import asyncio
import tempfile
from pathlib import Path

from wellsourced import Question, ask, open_context
from wellsourced.config import create_library, load, open_library
from wellsourced.events import Event, FileFailed
from wellsourced.ingest import ingest_files
from wellsourced.types import Query

NOTE = """# Gout

## Flares
Colchicine is recommended for acute gout flares. It works best within 24 hours of the first pain.

## Prevention
Allopurinol lowers uric acid and prevents gout flares.
"""


def emit(event: Event) -> None:
    if isinstance(event, FileFailed):
        print(f"{event.path}: {event.reason}. {event.remedy}")


async def main(folder: Path) -> None:
    (folder / "gout.md").write_text(NOTE, encoding="utf-8")
    (folder / "picture.png").write_bytes(b"not for us")
    settings = load({"home": folder / "home", "encoder": "none"})
    create_library(settings, "notes")
    async with open_library(settings, "notes", write=True) as library:
        done = await ingest_files(library, [folder / "gout.md", folder / "picture.png"], emit)
        print(f"{done.documents} document, {done.passages} passages")
        for hit in (await library.search(Query(terms=("acute flares",)), limit=1)).hits:
            print(f"{hit.passage.id}: {hit.passage.text}")
    async with open_context(settings, libraries=["notes"]) as ours:
        answer = await ask(Question(text="Is colchicine recommended for acute gout flares?"), ours)
        print(answer.tldr or answer.reason)


with tempfile.TemporaryDirectory() as name:
    asyncio.run(main(Path(name)))
