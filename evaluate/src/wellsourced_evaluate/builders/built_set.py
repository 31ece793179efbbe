"""The files of a data set that is built: its rows, what was left out and why, and a manifest of how it was made.

What is made is on the disk at once, in a file beside the set: a build that was cut short goes on where it was, if it is
the same build. The rows themselves are written at the end, all or none.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import Field, TypeAdapter, field_validator

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.types import Value
from wellsourced_evaluate.record_log import BEGIN_REMEDY, LogForm, LogHeader, RecordLog

Row = dict[str, Any]
Thing = TypeVar("Thing")


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
    rows: tuple[Row, ...] = ()
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


class LeftOut(Exception):
    """Why nothing is made of a thing, the same words for the same reason; and what of this one tells more."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


class SetRecipe(NamedTuple, Generic[Thing]):
    """What a set is made of, and how.

    things     key → everything that rows may come from, or what lists it, where that is only to be asked for a new set
    make_rows  the rows of a thing; it raises LeftOut
    doing      how far it is, in words: "Read {done:,} of {every:,} articles"
    together   things of which rows are made at the same time
    prepare    makes of so many things what `make_rows` takes, where it does not take them as they are
    count_by   fields whose values the manifest counts
    notes      for the manifest; they may be added to while rows are made
    """

    header: BuildHeader
    things: Mapping[str, Any] | Callable[[], Awaitable[Mapping[str, Any]]]
    make_rows: Callable[[Thing], Awaitable[Sequence[Row]]]
    doing: str
    together: int = 1
    prepare: Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Thing]]] | None = None
    count_by: Sequence[str] = ()
    notes: Sequence[str] = ()

    async def make_item(self, key: str, thing: Thing) -> BuiltItem:
        """What comes of a thing."""
        try:
            return BuiltItem(key=key, rows=tuple(await self.make_rows(thing)))
        except LeftOut as left:
            return BuiltItem(key=key, left_out=left.reason, detail=left.detail)


async def build_set(out: Path, recipe: SetRecipe[Any], say: Callable[[str], None], *, fresh: bool = False) -> Manifest:
    """Write a set, what was left out, and its manifest; a build that is finished is not repeated.

    Raises NothingBuilt, and SourceRefused when the file is that of another build, or of something else.
    """
    journal = out.with_name(f"{out.name}.part")
    if fresh:
        _remove_files(out, _place_beside(out, "manifest.json"), journal)
    elif finished := _read_finished(out, recipe.header):
        return finished
    try:
        log = RecordLog(journal, recipe.header, BUILD_LOG, fresh=fresh)
    except OSError as error:
        raise SettingsError(f"{out} cannot be written: {error.strerror or error}. Name another place.") from error
    with log:
        things = await recipe.things() if callable(recipe.things) else recipe.things
        left = [key for key in things if key not in log.records]
        for start in range(0, len(left), recipe.together):
            say(recipe.doing.format(done=len(things) - len(left) + start, every=len(things)))
            batch: Mapping[str, Any] = {key: things[key] for key in left[start : start + recipe.together]}
            prepared = await recipe.prepare(batch) if recipe.prepare else batch
            for item in await asyncio.gather(*(recipe.make_item(key, thing) for key, thing in prepared.items())):
                log.add(item)
    made = _write_set(out, recipe, list(log.records.values()))
    _remove_files(journal)
    return made


def _remove_files(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _place_beside(out: Path, ending: str) -> Path:
    return out.with_name(f"{out.name.removesuffix('.jsonl')}.{ending}")


def _write_set(out: Path, recipe: SetRecipe[Any], items: Sequence[BuiltItem]) -> Manifest:
    """The rows in the order of their items; all files or none."""
    rows = [row for item in items for row in item.rows]
    absent = [item for item in items if not item.rows]
    reasons = dict(Counter(item.left_out for item in absent).most_common())
    if not rows:
        why = ", ".join(f"{reason} ({count:,})" for reason, count in reasons.items())
        raise NothingBuilt(f"Nothing was made for {out.name}: {why or 'there is nothing to make it from'}.")
    manifest = Manifest(
        set=out.name,
        build=recipe.header,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        rows=len(rows),
        counts={name: _count_values(rows, name) for name in recipe.count_by},
        items=len(items),
        left_out=reasons,
        notes=tuple(recipe.notes),
    )
    left_out = [item.model_dump(include={"key", "left_out", "detail"}) for item in absent]
    for path, lines in ((out, rows), (_place_beside(out, "left-out.jsonl"), left_out)):
        # The file is the old one until all lines are on the disk.
        fresh = path.with_name(f"{path.name}.new")
        fresh.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        fresh.replace(path)
    _place_beside(out, "manifest.json").write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return manifest


def _read_finished(out: Path, header: BuildHeader) -> Manifest | None:
    """The manifest of a set that is there already. Raises SourceRefused for any other build or file."""
    place = _place_beside(out, "manifest.json")
    if not out.exists() and not place.exists():
        return None
    try:
        manifest = Manifest.model_validate_json(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceRefused(f"{out} exists already, without a manifest. {BEGIN_REMEDY}") from error
    if manifest.build != header:
        what = "; ".join(header.describe_differences(manifest.build))
        raise SourceRefused(f"{out} was built otherwise ({what}). {BEGIN_REMEDY}")
    return manifest


def _count_values(rows: Sequence[Row], name: str) -> dict[str, int]:
    values = [row[name] for row in rows if row.get(name) not in (None, "")]
    return dict(sorted(Counter(str(one).lower() if isinstance(one, bool) else one for one in values).items()))


def answered_row(id: str, question: str, sources: Sequence[str], answer: Sequence[str], title: str) -> Row:
    """A question that a document answers: its ids, the first of which groups it, its title, and what it answers."""
    return {
        **{"id": id, "question": question, "answerable": True, "source": list(sources), "must_have": list(answer)},
        **{"human_answer": " ".join(answer), "title": title, "group": sources[0]},
    }
