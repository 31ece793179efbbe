"""The files of a data set that is built: its rows, what was left out and why, and a manifest of how it was made.

What is made is on the disk at once, in a file beside the set: a build that was cut short goes on where it was, if it is
the same build. The rows themselves are written at the end, all or none.
"""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from pydantic import Field, TypeAdapter, field_validator

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.types import Value
from wellsourced_evaluate.record_log import BEGIN_REMEDY, LogForm, LogHeader, RecordLog, show_value


class NothingBuilt(SourceRefused):
    """There is nothing from which a row could be made; the message says why, and how often."""


class BuildHeader(LogHeader):
    """Of what build a file is. Two builds are the same when their headers are.

    builder   the command: "review-questions"
    options   as they were typed, of those that bear on the rows
    inputs    name → sha256 of each file, library or service that it was made from; "" of what changes with the day
    """

    builder: str
    seed: int = 7
    options: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, str] = Field(default_factory=dict)
    wellsourced: str = Field(default_factory=lambda: version("wellsourced"))

    @field_validator("options")
    @classmethod
    def keep_as_written(cls, options: dict[str, Any]) -> dict[str, Any]:
        """As they come back from a file: it has lists alone, no tuples."""
        return dict(json.loads(json.dumps(options)))

    def describe_differences(self, other: Self) -> list[str]:
        """What differs from the other, and how: "seed: 7 → 8"."""
        mine, its = self.model_dump(mode="json"), other.model_dump(mode="json")
        names = super().describe_differences(other)
        return [f"{name}: {show_value(its[name])} → {show_value(mine[name])}" for name in names]


class BuiltItem(Value):
    """What came of one thing that rows can be made from: a record, a page, a question.

    key        its id: each is done once
    rows       made from it
    left_out   why none was made, the same words for the same reason; "" where one was
    detail     what of this one, where that tells more than the reason
    """

    key: str
    rows: tuple[dict[str, Any], ...] = ()
    left_out: str = ""
    detail: str = ""


BUILD_LOG = LogForm(
    BuildHeader,
    TypeAdapter(BuiltItem),
    key=lambda one: one.key,
    stands=lambda _: True,
    contents="build",
    another="is that of another build",
)


class Manifest(Value):
    """How a set was made, beside it as JSON.

    made       the instant at which it was finished
    rows       in the file
    counts     name of a field → value → rows that have it: "label" → "supported" → 120
    items      that rows could have been made from
    left_out   reason → items from which no row was made
    notes      what else a reader of the set has to know, a sentence each
    """

    set: str
    build: BuildHeader
    made: str
    rows: int
    counts: dict[str, dict[str, int]]
    items: int
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()


class SetWriter:
    """A set that is being built; what was made before is in `items`, `manifest` is there when it is finished.

    Raises SourceRefused when the file is that of another build, or of something else, and is not to be begun `fresh`.
    """

    def __init__(self, path: Path, header: BuildHeader, *, fresh: bool = False) -> None:
        self.path, self.header = path, header
        self.manifest: Manifest | None = None
        if fresh:
            for old in (path, self.manifest_path, self.journal_path):
                old.unlink(missing_ok=True)
        elif path.exists() or self.manifest_path.exists():
            self.manifest = self._read_finished()
        try:
            self._journal = None if self.manifest else RecordLog(self.journal_path, header, BUILD_LOG, fresh=fresh)
        except OSError as error:
            raise SettingsError(f"{path} cannot be written: {error.strerror or error}. Name another place.") from error

    @property
    def items(self) -> dict[str, BuiltItem]:
        """What was made so far; none of a set that is finished."""
        return self._journal.records if self._journal else {}

    @property
    def manifest_path(self) -> Path:
        """Beside the set: questions.manifest.json of questions.jsonl."""
        return self.path.with_name(f"{self.path.name.removesuffix('.jsonl')}.manifest.json")

    @property
    def left_out_path(self) -> Path:
        """Beside the set: a line for each item from which no row was made."""
        return self.path.with_name(f"{self.path.name.removesuffix('.jsonl')}.left-out.jsonl")

    @property
    def journal_path(self) -> Path:
        """Beside the set, until it is finished."""
        return self.path.with_name(f"{self.path.name}.part")

    def add(self, item: BuiltItem) -> None:
        """Keep what came of an item; it is on the disk when this returns."""
        assert self._journal is not None  # noqa: S101 - whoever adds has looked at `manifest`
        self._journal.add(item)

    def close(self) -> None:
        """Let go of the file; what was made stays, to go on with."""
        if self._journal:
            self._journal.close()

    def finish(self, count_by: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Manifest:
        """Write the rows in the order of their items, what was left out, and the manifest. Raises NothingBuilt."""
        self.close()
        every = list(self.items.values())
        rows = [row for item in every for row in item.rows]
        absent = [item for item in every if not item.rows]
        if not rows:
            why = ", ".join(f"{reason} ({count:,})" for reason, count in _count_reasons(absent).items())
            raise NothingBuilt(f"Nothing was made for {self.path.name}: {why or 'there is nothing to make it from'}.")
        manifest = Manifest(
            set=self.path.name,
            build=self.header,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            rows=len(rows),
            counts={name: _count_values(rows, name) for name in count_by},
            items=len(every),
            left_out=_count_reasons(absent),
            notes=notes,
        )
        _write_lines(self.path, rows)
        _write_lines(self.left_out_path, [item.model_dump(include={"key", "left_out", "detail"}) for item in absent])
        self.manifest_path.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
        self.journal_path.unlink()
        return manifest

    def _read_finished(self) -> Manifest:
        """The manifest of a set that is there already. Raises SourceRefused for any other build or file."""
        try:
            there = Manifest.model_validate_json(self.manifest_path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SourceRefused(f"{self.path} is there already, and no manifest beside it. {BEGIN_REMEDY}") from error
        if there.build != self.header:
            what = "; ".join(self.header.describe_differences(there.build))
            raise SourceRefused(f"{self.path} was built otherwise ({what}). {BEGIN_REMEDY}")
        return there


def _count_values(rows: list[dict[str, Any]], name: str) -> dict[str, int]:
    values = [row[name] for row in rows if row.get(name) not in (None, "")]
    counted = Counter(str(value).lower() if isinstance(value, bool) else value for value in values)
    return dict(sorted(counted.items()))


def _count_reasons(items: list[BuiltItem]) -> dict[str, int]:
    return dict(Counter(item.left_out for item in items).most_common())


def _write_lines(path: Path, rows: list[Any] | list[Mapping[str, Any]]) -> None:
    """All rows or none: the file is the old one until they are on the disk."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    fresh.replace(path)
