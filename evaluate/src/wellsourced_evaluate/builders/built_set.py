"""The files of a data set that is built: its rows, what was left out and why, and a manifest of how it was made.

What is made is on the disk at once, in a file beside the set: a build that was cut short goes on where it was, if it is
the same build. The rows themselves are written at the end, all or none.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, field_validator

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.types import Value
from wellsourced_evaluate.record_log import BEGIN_REMEDY, LogForm, LogHeader, RecordLog

BuildProgress = Callable[[int, int], None]
"""Receives how many items were looked at, of how many."""


class NothingBuilt(SourceRefused):
    """There is nothing from which a row could be made; the message says why, and how often."""


class BuildHeader(LogHeader):
    """Of what build a file is. Two builds are the same when their headers are.

    builder   the command: "review-questions"
    settings  the options as they were typed, of those that bear on the rows
    inputs    name → sha256 of each file, library or service that it was made from; "" of what changes with the day
    """

    builder: str
    seed: int = 7
    settings: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, str] = Field(default_factory=dict)
    wellsourced: str = Field(default_factory=lambda: version("wellsourced"))

    @field_validator("settings")
    @classmethod
    def keep_as_written(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """As they come back from a file: it has lists alone, no tuples."""
        return dict(json.loads(json.dumps(settings)))


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


async def build_set(
    out: Path,
    header: BuildHeader,
    make_items: Callable[[Mapping[str, BuiltItem]], AsyncIterator[BuiltItem]],
    notes: Sequence[str] = (),
    count_by: Sequence[str] = (),
    fresh: bool = False,
) -> Manifest:
    """Write a set, what was left out, and its manifest; a build that is finished is not repeated.

    make_items   the items that are not among those which were made before
    notes        for the manifest; they may be added to while items are made
    count_by     fields whose values the manifest counts

    Raises NothingBuilt, and SourceRefused when the file is that of another build, or of something else.
    """
    places = SetPlaces(out)
    if fresh:
        for old in (out, places.manifest, places.journal):
            old.unlink(missing_ok=True)
    elif places.is_begun:
        return _read_finished(places, header)
    try:
        journal = RecordLog(places.journal, header, BUILD_LOG, fresh=fresh)
    except OSError as error:
        raise SettingsError(f"{out} cannot be written: {error.strerror or error}. Name another place.") from error
    with journal:
        async for item in make_items(journal.records):
            journal.add(item)
    return _finish(places, header, list(journal.records.values()), tuple(notes), count_by)


class SetPlaces:
    """The files of a set: questions.jsonl; beside it its manifest, what was left out, and the journal of a build."""

    def __init__(self, rows: Path) -> None:
        stem = rows.name.removesuffix(".jsonl")
        self.rows, self.journal = rows, rows.with_name(f"{rows.name}.part")
        self.manifest, self.left_out = (rows.with_name(f"{stem}.{end}") for end in ("manifest.json", "left-out.jsonl"))

    @property
    def is_begun(self) -> bool:
        """Whether a finished set, or some other file, is there."""
        return self.rows.exists() or self.manifest.exists()


def _finish(
    places: SetPlaces, header: BuildHeader, items: list[BuiltItem], notes: tuple[str, ...], count_by: Sequence[str]
) -> Manifest:
    """The rows in the order of their items; all files or none."""
    rows = [row for item in items for row in item.rows]
    absent = [item for item in items if not item.rows]
    reasons = dict(Counter(item.left_out for item in absent).most_common())
    if not rows:
        why = ", ".join(f"{reason} ({count:,})" for reason, count in reasons.items())
        raise NothingBuilt(f"Nothing was made for {places.rows.name}: {why or 'there is nothing to make it from'}.")
    manifest = Manifest(
        set=places.rows.name,
        build=header,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        rows=len(rows),
        counts={name: _count_values(rows, name) for name in count_by},
        items=len(items),
        left_out=reasons,
        notes=notes,
    )
    _write_lines(places.rows, rows)
    _write_lines(places.left_out, [item.model_dump(include={"key", "left_out", "detail"}) for item in absent])
    places.manifest.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    places.journal.unlink()
    return manifest


def _read_finished(places: SetPlaces, header: BuildHeader) -> Manifest:
    """The manifest of a set that is there already. Raises SourceRefused for any other build or file."""
    try:
        manifest = Manifest.model_validate_json(places.manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceRefused(f"{places.rows} is there already, and no manifest beside it. {BEGIN_REMEDY}") from error
    if manifest.build != header:
        what = "; ".join(header.describe_differences(manifest.build))
        raise SourceRefused(f"{places.rows} was built otherwise ({what}). {BEGIN_REMEDY}")
    return manifest


def _count_values(rows: list[dict[str, Any]], name: str) -> dict[str, int]:
    values = [row[name] for row in rows if row.get(name) not in (None, "")]
    counted = Counter(str(value).lower() if isinstance(value, bool) else value for value in values)
    return dict(sorted(counted.items()))


def _write_lines(path: Path, rows: list[Any] | list[Mapping[str, Any]]) -> None:
    """All rows or none: the file is the old one until they are on the disk."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    fresh.replace(path)
