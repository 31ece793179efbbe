"""The file that a measurement is stored in as it goes: a header line, then a line for each query.

A run that was cut short goes on where it was, if it is the same run: the same corpus, queries, settings and code.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

import wellsourced
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.types import Value

Record = TypeVar("Record", bound=Value)

QueryStatus = Literal["ok", "empty", "partial", "failed"]
"""Found something; nothing; something, although a search of it failed; nothing, since its searches failed."""

MAX_RANKED = 100
"""Documents of a ranking that are kept: no measure looks further."""


class RunHeader(Value):
    """Of what run the lines below are. Two runs are the same when their headers are.

    code      of this package, beginning of its sha256: results of other code are other results
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

    @property
    def hash(self) -> str:
        """The beginning of its sha256."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    def describe_differences(self, other: "RunHeader") -> list[str]:
        """What differs: "encoder: none, minilm", "corpus"."""
        mine, its = self.model_dump(mode="json"), other.model_dump(mode="json")
        settings, others = mine.pop("settings"), its.pop("settings")
        changed = [name for name in sorted({*settings, *others}) if settings.get(name) != others.get(name)]
        return [
            *(name for name in mine if mine[name] != its[name]),
            *(f"{name}: {show_value(others.get(name))} → {show_value(settings.get(name))}" for name in changed),
        ]


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
    """The beginning of the sha256 of all files of this package."""
    root = Path(wellsourced.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def read_run(path: Path) -> RetrievalRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    remedy = "Give a file that `wellsourced evaluate retrieval --out` wrote."
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        header = RunHeader.model_validate_json(whole[0])
        results = [QueryResult.model_validate_json(line) for line in whole[1:]]
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(path, f"it cannot be read ({error})", remedy) from error
    except (IndexError, ValidationError) as error:
        raise UnreadableFile(path, "it holds no results of an evaluation", remedy) from error
    return RetrievalRun(path, header, {result.query: result for result in results})


class LineFile:
    """A file of values, a line of JSON each. With `resume` it goes on behind the last whole line, else begins anew."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if resume:
            with path.open("rb+") as file:
                content = file.read()
                file.truncate(content.rfind(b"\n") + 1)
        self._file = path.open("a" if resume else "w", encoding="utf-8")

    def write(self, value: Value) -> None:
        """Append a value; it is on the disk when this returns."""
        self._file.write(value.model_dump_json() + "\n")
        self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class RecordLog(Generic[Record]):
    """Records of one kind behind a header, as they come; `records` has what was there, the last of a name.

    name   by what a record is known among the others
    done   whether a record that was there stands; else it is made again

    Raises SourceRefused when the file holds another run, and is not to be begun `fresh`; UnreadableFile.
    """

    def __init__(
        self,
        path: Path,
        header: Value,
        kind: type[Record],
        name: Callable[[Record], str],
        done: Callable[[Record], bool],
        *,
        fresh: bool,
    ) -> None:
        self.path, self._name = path, name
        self.records: dict[str, Record] = {}
        resumes = path.is_file() and path.stat().st_size > 0 and not fresh
        if resumes:
            self.records = {name(one): one for one in read_records(path, header, kind) if done(one)}
        self._file = LineFile(path, resume=resumes)
        if not resumes:
            self._file.write(header)

    def add(self, record: Record) -> None:
        """Keep a record; it is on the disk when this returns."""
        self.records[self._name(record)] = record
        self._file.write(record)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_records(path: Path, header: Value, kind: type[Record]) -> list[Record]:
    """The records behind this header; a last line that was cut off is passed over. Raises SourceRefused for another."""
    remedy = "Give another --out, or --fresh to begin anew."
    try:
        whole = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        there = type(header).model_validate_json(whole[0])
        records = [kind.model_validate_json(line) for line in whole[1:]]
    except (OSError, UnicodeDecodeError, IndexError, ValidationError) as error:
        raise UnreadableFile(path, "it holds no results of this evaluation", remedy) from error
    if there != header:
        ours, its = header.model_dump(), there.model_dump()
        what = ", ".join(name for name in ours if ours[name] != its[name])
        raise SourceRefused(f"{path} holds the results of another run ({what}). {remedy}")
    return records


class RunWriter:
    """A run that is being measured, line by line on the disk; what was measured before is in `results`.

    Raises SourceRefused when the file holds another run, or something else, and is not to be begun `fresh`.
    """

    def __init__(self, path: Path, header: RunHeader, *, fresh: bool) -> None:
        self.path, self.header = path, header
        self.results: dict[str, QueryResult] = {}
        resumes = path.exists() and path.stat().st_size > 0 and not fresh
        if resumes:
            self.results = self._read_earlier()
        self._file = LineFile(path, resume=resumes)
        if not resumes:
            self._file.write(header)

    def add(self, result: QueryResult) -> None:
        """Keep a result; it is on the disk when this returns."""
        self.results[result.query] = result
        self._file.write(result)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def snapshot(self) -> RetrievalRun:
        """The run as it is now."""
        return RetrievalRun(self.path, self.header, self.results)

    def _read_earlier(self) -> dict[str, QueryResult]:
        """What was measured before; what failed is measured again."""
        there = read_run(self.path)
        if there.header.hash != self.header.hash:
            what = "; ".join(self.header.describe_differences(there.header))
            remedy = "Give another --out, or --fresh to begin anew."
            raise SourceRefused(f"{self.path} holds the results of another run ({what}). {remedy}")
        return {query: one for query, one in there.results.items() if one.status in ("ok", "empty")}


def show_value(value: object) -> str:
    """A setting in words: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
