"""Runs of the search: the file that results are stored in as they come, one that was cut short to go on."""

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter

import wellsourced
import wellsourced_evaluate
from wellsourced.errors import SourceRefused
from wellsourced.types import Value
from wellsourced_evaluate.record_log import LogForm, LogHeader

QueryStatus = Literal["ok", "empty", "partial", "failed"]
"""Found something; nothing; something, although a search of it failed; nothing, since its searches failed."""

MAX_RANKED = 100
"""Documents of a ranking that are kept: no measure looks further."""


class RunHeader(LogHeader):
    """Of what run the lines below are. Two runs are the same when their headers are.

    code      of the product and this package, beginning of its sha256: results of other code are other results
    corpus    its name, documents, passages and sha256; topics: names and sha256 of queries and judgements, and how
              many were drawn
    depth     passages asked of each source, 0 for what the settings say
    settings  dotted name → value, of those that bear on the search
    """

    wellsourced: str
    code: str
    versions: dict[str, str]
    corpus: dict[str, str | int]
    topics: dict[str, str | int]
    depth: int
    settings: dict[str, Any]


class QueryResult(Value):
    """What came of one query.

    measures   by name; none of a query that failed
    ranked     ids of documents, best first, at most MAX_RANKED
    ms         that the search took
    errors     what failed: a source, or the query itself
    notes      what the search said of itself: that a ranker ran out of time, that a heading does not exist
    """

    query: str
    status: QueryStatus
    measures: Mapping[str, float] = Field(default_factory=dict)
    ms: float = 0.0
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()


class RetrievalRun(NamedTuple):
    """A run as it is on the disk; the last line on a query counts."""

    path: Path
    header: RunHeader
    results: Mapping[str, QueryResult]


def hash_code() -> str:
    """The beginning of the sha256 of all sources and data of the product and of this package."""
    digest = hashlib.sha256()
    for package in (wellsourced, wellsourced_evaluate):
        hash_folder(Path(package.__file__ or "").parent, digest.update)
    return digest.hexdigest()[:12]


def hash_folder(root: Path, update: Callable[[bytes], None]) -> None:
    """Hash the names and contents of all files under a folder, in order.

    Compiled files are left out: Python writes them under names that vanish while somebody reads. So does whatever else
    vanishes meanwhile.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for path in (Path(folder, name) for name in sorted(names)):
            with suppress(FileNotFoundError):
                update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())


RETRIEVAL_LOG = LogForm(
    RunHeader,
    TypeAdapter(QueryResult),
    key=lambda one: one.query,
    stands=lambda one: one.status in ("ok", "empty"),
    contents="results of an evaluation",
    remedy="Give a file that `wellsourced evaluate retrieval --out` wrote.",
)
"""What failed is measured again."""


def read_run(path: Path) -> RetrievalRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    there = RETRIEVAL_LOG.read(path)
    return RetrievalRun(path, there.header, there.records)


def require_same_topics(ours: RetrievalRun, base: RetrievalRun) -> None:
    """Raise SourceRefused when two runs were asked other queries, or were judged by other files."""
    mine, its = ours.results.keys(), base.results.keys()
    if mine != its:
        remedy = "Measure both with the same --queries, --qrels and --limit, to the end."
        counts = f"{len(its):,} queries, the other has {len(mine):,}, and {len(mine & its):,} are of both"
        raise SourceRefused(f"{base.path} cannot be compared with {ours.path}: it has {counts}. {remedy}")
    if ours.header.topics.get("qrels_sha256") != base.header.topics.get("qrels_sha256"):
        remedy = "Measure both with the same --qrels."
        raise SourceRefused(
            f"{base.path} cannot be compared with {ours.path}: its queries were judged by another file. {remedy}"
        )
