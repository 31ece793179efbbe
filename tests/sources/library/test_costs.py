"""What a library costs does not grow with it: SQLite's steps are counted, at two sizes, call by call."""

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from tests.sources.corpus import document, word
from wellsourced.encoders.base import Role, Vectors, normalize_rows
from wellsourced.sources.library import Library
from wellsourced.storage import sqlite_database
from wellsourced.types import Query

SMALL, LARGE = 250, 1_000
"""Documents; a search looks at some 200 of either."""

EACH = 10
"""Steps of SQLite's machine after which it calls back."""

MAX_GROWTH = 1.3
"""A scan of a table that is four times as long would be far above it; a deeper tree and a fuller page are not."""


class RandomEncoder:
    """Vectors that have nothing to do with each other, so that no two passages are equally near to a query."""

    name, dim = "random", 64

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, the same in every process."""
        rows = [np.random.default_rng(crc32(text.encode())).standard_normal(self.dim) for text in texts]
        return normalize_rows(np.array(rows, np.float32))


class StepCounter:
    """Counts the steps of all connections that are opened after it was put in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self._connect = sqlite_database.connect_sqlite
        monkeypatch.setattr(sqlite_database, "connect_sqlite", self.connect)

    def connect(self, *given: object) -> sqlite3.Connection:
        sql = self._connect(*given)  # type: ignore[arg-type]
        sql.set_progress_handler(self._step, EACH)
        return sql

    def _step(self) -> int:
        self.steps += EACH
        return 0

    async def count(self, work: Callable[[], Awaitable[object]]) -> int:
        before = self.steps
        await work()
        return self.steps - before


async def count_steps(root: Path, size: int, counter: StepCounter) -> dict[str, int]:
    """Steps of each call on a library of so many documents, which all have vectors."""
    Library.create(root, "mine", "own", RandomEncoder())
    with_all = Library.at(root, "mine", RandomEncoder(), write=True)
    await with_all.add([document(number) for number in range(size)])
    await with_all.embed_passages()
    with_all.close()
    boolean, dates = (
        Query(terms=(text,), kind="boolean")
        for text in (f"{word(7)} AND gou* NOT {word(8)}", f"{word(7)} OR ({word(9)} AND 2019:2024[dp])")
    )
    # By signs, as a library of a million is searched.
    reader = Library(root / "mine", RandomEncoder(), write=False, exact=1)
    query = Query(terms=(word(7),))
    dated, without = (
        query.model_copy(update={"since": date(2019, 1, 1)}),
        query.model_copy(update={"exclude": ("doc:3",)}),
    )

    async def open_it() -> None:
        opened = Library.at(root, "mine", RandomEncoder())
        await opened.search(query, 5)
        opened.close()

    async def change_it() -> None:
        writer = Library.at(root, "mine", RandomEncoder(), write=True)
        await writer.remove(["doc:7"])
        writer.close()

    writer = Library.at(root, "mine", RandomEncoder(), write=True)
    steps = {
        "open": await counter.count(open_it),
        "search": await counter.count(lambda: reader.search(query, 5)),
        "search since": await counter.count(lambda: reader.search(dated, 5)),
        "search without": await counter.count(lambda: reader.search(without, 5)),
        "Boolean search": await counter.count(lambda: reader.search(boolean, 5)),
        "Boolean search with dates": await counter.count(lambda: reader.search(dates, 5)),
        "Boolean count": await counter.count(lambda: reader.count(boolean)),
        "count of what holds all": await counter.count(lambda: reader.count(query)),
        "frequencies": await counter.count(lambda: reader.frequencies([word(7), word(8)])),
        "describe": await counter.count(reader.describe),
        "backlog": await counter.count(reader.backlog),
        "open a document": await counter.count(lambda: reader.open("doc:9")),
        "add one": await counter.count(lambda: writer.add([document(1_000_000)])),
        "search after": await counter.count(lambda: reader.search(query, 5)),
        "index one": await counter.count(lambda: reader.count(boolean)),
        "change one": await counter.count(lambda: writer.add([document(3, edition=1)])),
        "remove one": await counter.count(lambda: writer.remove(["doc:3"])),
        "forget one": await counter.count(lambda: reader.count(boolean)),
    }
    writer.close()
    steps["open and remove one"] = await counter.count(change_it)
    reader.close()
    return steps


async def test_no_call_looks_at_more_rows_when_the_library_is_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = StepCounter(monkeypatch)
    small = await count_steps(tmp_path / "small", SMALL, counter)
    large = await count_steps(tmp_path / "large", LARGE, counter)
    grown = {name: (small[name], steps) for name, steps in large.items() if steps > MAX_GROWTH * small[name] + 5 * EACH}
    assert grown == {}
