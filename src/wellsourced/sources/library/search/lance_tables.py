"""What every Lance table of a library needs: opening, filters from a query, and Lance's errors in plain words.

`lancedb` is imported inside functions: it costs a second of processor time, and only what opens a table should pay.
"""

import errno
import functools
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pyarrow as pa

from wellsourced.errors import SourceError, SourceRefused, SourceUnavailable
from wellsourced.text.dates import day_number
from wellsourced.types import Query, SourceKind

if TYPE_CHECKING:
    from lancedb import AsyncConnection, AsyncTable, Session
    from lancedb.expr import Expr

MB = 1024 * 1024
VERSION_RETENTION = timedelta(hours=24)
"""How long old versions stay on the disk: a reader in another process may still stand on one."""

Fields = list["pa.Field[Any]"]

_location_fields: Fields = [
    pa.field("id", pa.string(), nullable=False),
    pa.field("document_id", pa.string(), nullable=False),
    pa.field("document_hash", pa.int64(), nullable=False),
    pa.field("start_at", pa.int32(), nullable=False),
    pa.field("end_at", pa.int32(), nullable=False),
    pa.field("section", pa.string(), nullable=False),
    pa.field("stands_for_document", pa.bool_(), nullable=False),
]
LOCATION_SCHEMA = pa.schema(_location_fields)
"""Where a passage is. Its words are in the catalogue, once."""

_filter_fields: Fields = [
    pa.field("text_hash", pa.int64(), nullable=False),
    pa.field("kind", pa.string(), nullable=False),
    pa.field("earliest", pa.int32(), nullable=False),
    pa.field("latest", pa.int32(), nullable=False),
    pa.field("publication_types", pa.list_(pa.string()), nullable=False),
]
FILTER_SCHEMA = pa.schema(_filter_fields)
"""What searches are limited by, and what tells whether the words have changed. Days are yyyymmdd (text/dates.py)."""


def column_values(table: pa.Table, column: str) -> list[Any]:
    """One column as Python values; none of ours can be null."""
    return table.column(column).to_pylist()


class PassageSpan(NamedTuple):
    """One passage that was found; its fields are the columns of LOCATION_SCHEMA."""

    id: str
    document_id: str
    document_hash: int
    start: int
    end: int
    section: str
    stands_for_document: bool


def passage_spans(found: pa.Table) -> list[PassageSpan]:
    """The rows of a table that has the columns of LOCATION_SCHEMA."""
    return [
        PassageSpan(*row) for row in zip(*(column_values(found, name) for name in LOCATION_SCHEMA.names), strict=True)
    ]


class PassageFilter(NamedTuple):
    """What may be found, decided before anything is ranked. Empty means anything; `only` are ids of documents."""

    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    kinds: tuple[SourceKind, ...] = ()
    publication_types: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @classmethod
    def from_query(cls, query: Query, kinds: Collection[SourceKind], publication_types: Collection[str]) -> Self:
        """The limits of a query; the rule of text.dates.is_eligible, but for exclusions by a DOI, PMID or PMC id."""
        return cls(query.since, query.as_of, query.exclude, tuple(kinds), tuple(publication_types))

    def to_sql(self) -> str:
        """The filter in Lance's SQL, "" when everything may be found; what comes from outside is a literal in it."""
        from lancedb.expr import col, lit

        parts = []
        if self.since or self.as_of:
            # An unknown date lies in no period, also when only one end is given.
            parts.append((col("latest") >= lit(day_number(self.since) if self.since else 1)).to_sql())
            parts.append((col("earliest") <= lit(day_number(self.as_of) if self.as_of else 99_999_998)).to_sql())
        if self.exclude:
            parts.append((~col("document_id").isin(sorted(set(self.exclude)))).to_sql())
        if self.kinds:
            parts.append(col("kind").isin(sorted(set(self.kinds))).to_sql())
        if self.publication_types:
            names = ", ".join(lit(name).to_sql() for name in sorted(set(self.publication_types)))
            parts.append(f"array_has_any(publication_types, [{names}])")
        if self.only:
            parts.append(in_documents(self.only).to_sql())
        return " AND ".join(parts)


def in_documents(ids: Collection[str]) -> "Expr":
    """The passages of these documents."""
    return column_in("document_id", ids)


def column_in(column: str, ids: Collection[str]) -> "Expr":
    """Rows whose column holds one of the ids, which are compared and never parsed."""
    from lancedb.expr import col

    return col(column).isin(sorted(set(ids)))


@functools.cache
def _session() -> "Session":
    # One for the process: left to themselves, each connection may keep 6 GB.
    from lancedb import Session

    return Session(index_cache_size_bytes=256 * MB, metadata_cache_size_bytes=64 * MB)


class LanceTables:
    """The Lance tables in one folder, opened when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._open: dict[str, AsyncTable] = {}

    def refresh(self) -> None:
        """See what others have written: opening again costs 0.3 ms, and cannot stand on files that are gone."""
        self._open.clear()

    def has_table(self, name: str) -> bool:
        return self.table_path(name).is_dir()

    def table_path(self, name: str) -> Path:
        return self.folder / f"{name}.lance"

    async def open_table(self, name: str) -> "AsyncTable":
        """The table of that name, as it was at the last refresh or later."""
        if name not in self._open:
            self._open[name] = await (await self._connect()).open_table(name)
        return self._open[name]

    async def create_table(self, name: str, schema: pa.Schema, indexes: "dict[str, object]") -> "AsyncTable":
        """Make an empty table with its indexes. It is there whole or not at all, whenever the process is killed."""
        raw = f"new-{name}"
        self.drop_table(raw)
        made = await (await self._connect()).create_table(raw, schema=schema)
        for column, config in indexes.items():
            await made.create_index(column, config=config)  # type: ignore[arg-type]
        made.close()  # type: ignore[no-untyped-call]
        self.table_path(raw).rename(self.table_path(name))
        return await self.open_table(name)

    def drop_table(self, name: str) -> None:
        """Delete a table, also one that cannot be opened."""
        self._open.pop(name, None)
        shutil.rmtree(self.table_path(name), ignore_errors=True)

    async def _connect(self) -> "AsyncConnection":
        from lancedb import connect_async

        return await connect_async(self.folder, session=_session())


class LanceTable:
    """One of the tables. Reading it before it was made finds nothing; the first rows make it."""

    table_name: str

    def __init__(self, tables: LanceTables) -> None:
        self.tables = tables

    @property
    def exists(self) -> bool:
        return self.tables.has_table(self.table_name)

    @asynccontextmanager
    async def open(self, create: "Callable[[], Awaitable[AsyncTable]] | None" = None) -> "AsyncIterator[AsyncTable]":
        """The table, which `create` makes where there is none; Lance's errors inside become ours."""
        with explain_lance_errors(self.tables.folder):
            yield await (create() if create and not self.exists else self.tables.open_table(self.table_name))

    async def count(self) -> int:
        if not self.exists:
            return 0
        async with self.open() as table:
            return await table.count_rows()

    async def delete(self, document_ids: Collection[str]) -> None:
        if document_ids and self.exists:
            async with self.open() as table:
                await table.delete(in_documents(document_ids))

    def drop(self) -> None:
        self.tables.drop_table(self.table_name)


DISK_FULL = re.compile(rf"os error ({errno.ENOSPC}|{errno.EFBIG}|{errno.EDQUOT})\b")


@contextmanager
def explain_lance_errors(folder: Path) -> Iterator[None]:
    """Lance's errors, which are of many types, in words for the owner of the library."""
    try:
        yield
    except SourceError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        if DISK_FULL.search(str(error)) or getattr(error, "errno", 0) in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            remedy = "Nothing that was stored is lost: make room and try again."
            raise SourceUnavailable(f"{folder} cannot be written because the disk is full. {remedy}") from error
        remedy = f"Its documents are safe in its catalogue: run `wellsourced library rebuild {folder.name}`."
        raise SourceRefused(f"{folder}: the search index is damaged ({_first_line(error)}). {remedy}") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
