"""A cache of verdicts on disk: the same claim and text are judged once, whatever the question and the process."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path

from wellsourced.judges.base import Judge, Pair, TellableJudge
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache, hash_parts
from wellsourced.types import Verdict

MAX_BYTES = 50_000_000
"""Of all verdicts, about 200,000; the oldest go first."""


class CachedJudge:
    """Another judge's verdicts, kept in a SQLite file that several processes, and all judges, may share.

    Of a claim and a text only a hash is stored, and the words that decided a verdict. What was not judged (`unjudged`)
    is not kept: it is asked again.

    path        of the file; it is open only while it is asked, since nobody closes a judge
    max_bytes   of all verdicts
    """

    def __init__(self, judge: Judge, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.judge_behind = judge
        self.cache = SqliteCache(path, max_bytes, what="verdicts", tracks_use=False)

    @property
    def name(self) -> str:
        return self.judge_behind.name

    def tell_question(self, question: str) -> "CachedJudge":
        """The same, of a judge that is told what the claims answer; this one where the judge cannot be told."""
        if not isinstance(self.judge_behind, TellableJudge):
            return self
        copied = copy(self)
        copied.judge_behind = self.judge_behind.tell_question(question)
        return copied

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; the judge behind is asked once, and only for what is not known."""
        keys = {pair: hash_parts(self.name, pair.claim, pair.text) for pair in pairs}
        known = await self._find_verdicts(keys)
        missing = [pair for pair in keys if pair not in known]
        if missing:
            new = dict(zip(missing, await self.judge_behind.judge(missing), strict=True))
            await self._store_verdicts({keys[pair]: verdict for pair, verdict in new.items()})
            known |= new
        return [known[pair] for pair in pairs]

    async def _find_verdicts(self, keys: Mapping[Pair, bytes]) -> dict[Pair, Verdict]:
        entries = await self.cache.find(*keys.values())
        await self.cache.close()
        verdicts = {key: _load_verdict(entry) for key, entry in entries.items()}
        return {pair: verdict for pair, key in keys.items() if (verdict := verdicts.get(key))}

    async def _store_verdicts(self, verdicts: Mapping[bytes, Verdict]) -> None:
        judged = {key: verdict for key, verdict in verdicts.items() if verdict.label != "unjudged"}
        rows = {key: [one.label, one.score, one.reason, one.quote, one.basis] for key, one in judged.items()}
        await self.cache.store({key: CacheEntry(json.dumps(row)) for key, row in rows.items()})
        await self.cache.close()


def _load_verdict(entry: CacheEntry) -> Verdict | None:
    """A verdict; None for a row that is none, which is judged again and written over."""
    try:
        label, score, reason, quote, basis = json.loads(entry.meta)
        return Verdict(label=label, score=score, reason=reason, quote=quote, basis=basis)
    except (ValueError, TypeError):
        return None
