"""Digests that a language model writes of guidelines: files beside them, which a library reads when it is filled."""

import asyncio
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.pipeline.prompt_window import select_excerpt
from wellsourced.prompts.evidence import WriteDigest
from wellsourced.readers.worker.process import read_file_items
from wellsourced.types import Document

MAX_WORDS = 200
"""Of a digest, at most (LINS: Wang et al., Nature Communications 2025)."""

DIGEST_SUFFIX = ".digest.md"


class DigestResult(NamedTuple):
    """What became of one file: its digest, where that lies, and why there is none."""

    path: Path
    outcome: Literal["written", "kept", "failed"]
    digest: Path
    reason: str = ""


async def write_digest(path: Path, context: Context, *, anew: bool = False) -> DigestResult:
    """Write NAME.digest.md beside a file that holds one document; one that is there is kept, unless it is made anew.

    Of a document that is longer than the model's window the parts nearest to its title are shown. Raises
    UnreadableFile.
    """
    digest = path.with_name(path.name.rpartition(".")[0] + DIGEST_SUFFIX)
    if digest.exists() and not anew:
        return DigestResult(path, "kept", digest)
    documents = [
        item for item in await asyncio.to_thread(read_file_items, path, "guideline") if isinstance(item, Document)
    ]
    if len(documents) != 1:
        return DigestResult(path, "failed", digest, f"it contains {len(documents)} documents; a digest covers one")
    try:
        said = await _compose_digest(documents[0], context)
    except ModelError as error:
        return DigestResult(path, "failed", digest, error.phrase)
    if not said:
        return DigestResult(path, "failed", digest, f"{context.judging_model.name} wrote no digest")
    digest.write_text(said + "\n", encoding="utf-8")
    return DigestResult(path, "written", digest)


async def _compose_digest(document: Document, context: Context) -> str:
    title = document.reference.title or document.reference.id

    def build_prompt(text: str) -> WriteDigest:
        return WriteDigest(title=title, text=text, words=MAX_WORDS)

    shown = select_excerpt(document.text, title, context.judging_model, build_prompt)
    reply = await context.judging_model.complete(build_prompt(shown.text))
    return " ".join(reply.digest.split())
