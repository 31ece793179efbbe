"""Questions from pages, as SourceCheckup makes them (Wu et al., Nature Communications 2025), with the page as source.

A language model writes them, and `probing` says which stand: the question alone, its answer in words of the page.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import WellsourcedError
from wellsourced.models.base import Model
from wellsourced.types import Document
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.builders.built_set import BuildHeader, BuiltItem, Manifest, SetWriter
from wellsourced_evaluate.probing.question_generation import GeneratedQuestion, generate_question

BUILDER = "page-questions"

TOGETHER = 8
"""Pages that are read, and asked about, at the same time."""

OpenPage = Callable[[str], Awaitable[Document]]
"""Who reads the page behind an address, or in a file: `config.network.open_page`."""

PageProgress = Callable[[int, int], None]
"""Who hears how many pages are done, of how many."""


class PageTask(NamedTuple):
    """Addresses and files, and the file that questions are written into; `model` is the name of who writes."""

    pages: tuple[str, ...]
    out: Path
    model: str
    fresh: bool = False


async def build_page_questions(task: PageTask, model: Model, open_page: OpenPage, say: PageProgress) -> Manifest:
    """Write questions.jsonl with its manifest: a question a page, or why there is none.

    A build that was cut short goes on, and asks for no page twice. Raises SourceRefused, SettingsError.
    """
    pages = list(dict.fromkeys(task.pages))
    inputs = {name: "" if name.startswith(("https://", "http://")) else _hash_page(name) for name in pages}
    header = BuildHeader(builder=BUILDER, seed=0, options={"model": task.model}, inputs=inputs)
    writer = SetWriter(task.out, header, fresh=task.fresh)
    if writer.manifest:
        return writer.manifest
    open_ones = [name for name in pages if name not in writer.items]
    try:
        for start in range(0, len(open_ones), TOGETHER):
            say(len(pages) - len(open_ones) + start, len(pages))
            batch = open_ones[start : start + TOGETHER]
            for item in await asyncio.gather(*(_ask_of_page(name, model, open_page) for name in batch)):
                writer.add(item)
    finally:
        writer.close()
    made = sum(bool(item.rows) for item in writer.items.values())
    return writer.finish((), (f"{made:,} of {len(pages):,} pages gave a question ({made / len(pages):.0%}).",))


def _hash_page(name: str) -> str:
    """Of a file; "" of one that is not there, which is told when it is read."""
    path = Path(name)
    return hash_file(path) if path.is_file() else ""


async def _ask_of_page(name: str, model: Model, open_page: OpenPage) -> BuiltItem:
    try:
        document = await open_page(name)
    except WellsourcedError as error:
        return BuiltItem(key=name, left_out="the page cannot be read", detail=error.phrase)
    made = await generate_question(document, model)
    if isinstance(made, GeneratedQuestion):
        return BuiltItem(key=name, rows=(_build_row(name, document, made),))
    reason, _, quoted = made.reason.partition(":")
    return BuiltItem(key=name, left_out=reason, detail=quoted.strip() or made.question)


def _build_row(name: str, document: Document, made: GeneratedQuestion) -> dict[str, Any]:
    reference = document.reference
    digest = hashlib.sha256(document.text.encode()).hexdigest()
    return {
        "id": f"page-{hashlib.sha256(name.encode()).hexdigest()[:12]}",
        "question": made.question,
        "answerable": True,
        "source": [reference.id],
        "must_have": [made.answer],
        "human_answer": made.answer,
        "excerpt": made.excerpt,
        "start": made.start,
        "end": made.end,
        "page": name,
        "page_sha256": digest,
        "title": reference.title,
        "group": reference.id,
    }
