"""A file of records behind a header, a line of JSON each, on the disk as they come.

A run that was cut short goes on where it was, if it is the same run; the file of another is refused.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Self, TypeVar

from pydantic import TypeAdapter

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.storage.private_files import WriterLock
from wellsourced.types import Value

BEGIN_REMEDY = "Give another --out, or --fresh to start over."


class LogHeader(Value):
    """Of what run the lines below are. Two runs are the same when their headers are."""

    @property
    def hash(self) -> str:
        """The beginning of its sha256."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]

    def describe_differences(self, other: Self) -> list[str]:
        """What differs from the other: "encoder: none → minilm"; of what has parts its name alone, but of settings."""
        mine, its = self.model_dump(mode="json"), other.model_dump(mode="json")
        settings, former = mine.pop("settings", {}), its.pop("settings", {})
        pairs = [(name, its[name], mine[name]) for name in mine]
        pairs += [(name, former.get(name), settings.get(name)) for name in sorted({*settings, *former})]
        return [
            name if isinstance(now, dict | list) else f"{name}: {_show_value(before)} → {_show_value(now)}"
            for name, before, now in pairs
            if before != now
        ]


def _show_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Header = TypeVar("Header", bound=LogHeader)
Record = TypeVar("Record", bound=Value)
Key = TypeVar("Key")


class LoggedRecords(NamedTuple, Generic[Header, Record, Key]):
    """What a file holds: of each key the last line, and in `replaced` the lines before it."""

    header: Header
    records: dict[Key, Record]
    replaced: tuple[Record, ...]


@dataclass(frozen=True)
class LogForm(Generic[Header, Record, Key]):
    """What a file of records is.

    lines     what stands behind the header
    key       by what a record is known among the others: its last line counts
    stands    whether a record is done; else it is made again when the run goes on
    contents  what is missed in a file of something else, and `another` what is said of another run's
    remedy    for who gave a file of something else to be read
    """

    header: type[Header]
    lines: TypeAdapter[Record]
    key: Callable[[Record], Key]
    stands: Callable[[Record], bool]
    contents: str = "results of this evaluation"
    another: str = "holds the results of another run"
    remedy: str = BEGIN_REMEDY

    def read(self, path: Path, remedy: str = "") -> LoggedRecords[Header, Record, Key]:
        """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
        try:
            content = path.read_bytes()
            first, *rest = content[: content.rfind(b"\n") + 1].splitlines()
            header, every = self.header.model_validate_json(first), [self.lines.validate_json(one) for one in rest]
        except OSError as error:
            raise UnreadableFile(path, f"it cannot be read ({error})", remedy or self.remedy) from error
        except ValueError as error:
            raise UnreadableFile(path, f"it holds no {self.contents}", remedy or self.remedy) from error
        latest = {self.key(one): one for one in every}
        return LoggedRecords(header, latest, tuple(one for one in every if latest[self.key(one)] is not one))


class RecordLog(AbstractContextManager["RecordLog[Header, Record, Key]"], Generic[Header, Record, Key]):
    """A file that is being written: `records` has what stands, `replaced` what is made again or was so before.

    Raises SourceRefused when the file holds another run, and is not to be begun `fresh`; UnreadableFile.
    """

    def __init__(self, path: Path, header: Header, form: LogForm[Header, Record, Key], *, fresh: bool) -> None:
        self.path, self.header, self._form = path, header, form
        self.records: dict[Key, Record] = {}
        self.replaced: tuple[Record, ...] = ()
        path.parent.mkdir(parents=True, exist_ok=True)
        resumes, kept = not fresh and path.exists() and self._is_begun(), 0
        if resumes:
            self._read_earlier()
            kept = path.read_bytes().rfind(b"\n") + 1
        # Always at its end, a new one too: where several processes write, one at its own place would overwrite lines.
        self._file = path.open("a", encoding="utf-8")
        os.truncate(path, kept)
        if not resumes:
            self._write(header)
        self._read_to = path.stat().st_size

    def read_on(self) -> list[Record]:
        """What was written since the file was opened, or since this was called, by this process or by others."""
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._read_to += len(whole)
        found = [self._form.lines.validate_json(line) for line in whole.splitlines()]
        self.records |= {self._form.key(record): record for record in found}
        return found

    def add(self, record: Record) -> None:
        """Keep a record; it is on the disk when this returns."""
        self.records[self._form.key(record)] = record
        self._write(record)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __exit__(self, *_: object) -> None:
        """Let go of the file."""
        self.close()

    def _write(self, value: Value) -> None:
        self._file.write(value.model_dump_json() + "\n")
        self._file.flush()

    def _is_begun(self) -> bool:
        """Whether the file has more than the beginning of this header: that alone is no run yet."""
        line = self.header.model_dump_json().encode() + b"\n"
        with self.path.open("rb") as file:
            content = file.read(len(line))
        return len(content) == len(line) or not line.startswith(content)

    def _read_earlier(self) -> None:
        there = self._form.read(self.path, BEGIN_REMEDY)
        if there.header.model_dump(mode="json") != self.header.model_dump(mode="json"):
            what = "; ".join(self.header.describe_differences(there.header))
            raise SourceRefused(f"{self.path} {self._form.another} ({what}). {BEGIN_REMEDY}")
        self.records = {key: record for key, record in there.records.items() if self._form.stands(record)}
        again = (record for key, record in there.records.items() if key not in self.records)
        self.replaced = (*there.replaced, *again)


@contextmanager
def hold_file(path: Path, *, shared: bool = False) -> Iterator[None]:
    """No other process that asks writes this file meanwhile. Raises SourceUnavailable while one does.

    shared   but for those that share it
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(WriterLock(path.with_suffix(".lock"), str(path), shared=shared)):
        yield
