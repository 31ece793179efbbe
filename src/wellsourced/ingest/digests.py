"""Digests that a language model writes of guidelines: files beside them, which a library reads when it is filled."""

import asyncio
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.errors import ModelError
from wellsourced.kit import Kit
from wellsourced.prompts.reading import WriteDigest
from wellsourced.readers import read_one_file
from wellsourced.stages.excerpts import excerpt
from wellsourced.types import Document

WORDS = 200
"""Of a digest, at most (LINS: Wang et al., Nature Communications 2025)."""

ENDING = ".digest.md"


class Digested(NamedTuple):
    """What became of one file: its digest, where that lies, and why there is none."""

    path: Path
    outcome: Literal["written", "kept", "failed"]
    digest: Path
    reason: str = ""


async def write_digest(path: Path, kit: Kit, *, anew: bool = False) -> Digested:
    """Write NAME.digest.md beside a file that holds one document; one that is there is kept, unless it is made anew.

    Of a document that is longer than the model's window the parts nearest to its title are shown. Raises Unreadable.
    """
    digest = path.with_name(path.name.rpartition(".")[0] + ENDING)
    if digest.exists() and not anew:
        return Digested(path, "kept", digest)
    documents = [
        item for item in await asyncio.to_thread(read_one_file, path, "guideline") if isinstance(item, Document)
    ]
    if len(documents) != 1:
        return Digested(path, "failed", digest, f"it holds {len(documents)} documents, and a digest is of one")
    try:
        said = await _said(documents[0], kit)
    except ModelError as error:
        return Digested(path, "failed", digest, str(error).rstrip("."))
    if not said:
        return Digested(path, "failed", digest, f"{kit.helper.name} wrote none")
    digest.write_text(said + "\n", encoding="utf-8")
    return Digested(path, "written", digest)


async def _said(document: Document, kit: Kit) -> str:
    title = document.reference.title or document.reference.id

    def prompt(text: str) -> WriteDigest:
        return WriteDigest(title=title, text=text, words=WORDS)

    shown = excerpt(document.text, title, kit.helper, prompt)
    reply = await kit.helper.complete(prompt(shown.text))
    return " ".join(reply.digest.split())
