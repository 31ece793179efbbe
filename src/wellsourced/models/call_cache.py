"""Replies of language models that were had before, on disk."""

import json
from pathlib import Path

from wellsourced.models.base import Engine, EngineReply, R, RenderedPrompt, Reply
from wellsourced.models.prompt_rendering import render_schema
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache, hash_parts


class CallCache:
    """Replies by the key of their call, in a file that several processes may share. Of a prompt nothing is stored but
    its hash.

    path          of the file, which its owner alone may read; made when something is first kept
    limit_bytes   of all replies; those used longest ago go first, and one that would take an eighth of it is not kept
    """

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self._entries = SqliteCache(path, limit_bytes, what="replies of models")

    async def find(self, key: bytes, kind: type[R]) -> EngineReply[R] | None:
        """The reply of this kind that was had before; an entry that cannot be read is forgotten."""
        entry = (await self._entries.find(key)).get(key)
        if entry is None:
            return None
        try:
            return EngineReply(kind.model_validate_json(entry.body), *json.loads(entry.meta))
        except (ValueError, TypeError):
            await self._entries.delete(key)
            return None

    async def store(self, key: bytes, said: EngineReply[R]) -> None:
        """This was replied just now."""
        meta = json.dumps([said.tokens_in, said.tokens_out])
        await self._entries.store({key: CacheEntry(meta, said.reply.model_dump_json().encode())})

    async def close(self) -> None:
        """Let go of the file."""
        await self._entries.close()


def build_call_key(engine: Engine, wording: RenderedPrompt, reply: type[Reply]) -> bytes:
    """What makes a call the same call: who is asked, with which settings, what, and for which form of reply."""
    return hash_parts(engine.name, engine.settings, wording.instruction, wording.material, render_schema(reply))
