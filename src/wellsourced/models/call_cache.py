"""Replies of language models that were had before, on disk."""

import json
from pathlib import Path
from typing import NamedTuple

from wellsourced.http.clock import Clock
from wellsourced.models.base import Engine, RenderedPrompt, Reply
from wellsourced.models.prompt_rendering import render_schema
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache, hash_parts


class CachedReply(NamedTuple):
    """A reply as JSON, and the tokens that it took when it was had."""

    reply: str
    tokens_in: int
    tokens_out: int


class CallCache:
    """Replies by the key of their call, in a file that several processes may share. Of a prompt nothing is stored but
    its hash.

    path          of the file, which its owner alone may read; made when something is first kept
    limit_bytes   of all replies; those used longest ago go first, and one that would take an eighth of it is not kept
    """

    def __init__(self, path: Path, limit_bytes: int, clock: Clock | None = None) -> None:
        self._entries = SqliteCache(path, limit_bytes, what="replies of models", wall=(clock or Clock()).wall)

    async def find(self, key: bytes) -> CachedReply | None:
        """What was replied before; an entry that cannot be read is forgotten."""
        entry = (await self._entries.find(key)).get(key)
        if entry is None:
            return None
        try:
            return CachedReply(entry.body.decode(), *json.loads(entry.meta))
        except (ValueError, TypeError):
            await self.delete(key)
            return None

    async def store(self, key: bytes, kept: CachedReply) -> None:
        """This was replied just now."""
        meta = json.dumps([kept.tokens_in, kept.tokens_out])
        await self._entries.store({key: CacheEntry(meta, kept.reply.encode())})

    async def delete(self, key: bytes) -> None:
        """What was kept under this key is no reply."""
        await self._entries.delete(key)

    async def close(self) -> None:
        """Let go of the file."""
        await self._entries.close()


def build_call_key(engine: Engine, wording: RenderedPrompt, reply: type[Reply]) -> bytes:
    """What makes a call the same call: who is asked, with which settings, what, and for which form of reply."""
    return hash_parts(engine.name, engine.settings, wording.instruction, wording.material, render_schema(reply))
