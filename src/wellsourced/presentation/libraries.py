"""The state of libraries as blocks: all of them in a table, one in detail, and how one compares with its files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wellsourced.errors import NextStep, NextStepKind
from wellsourced.presentation.blocks import Block, Item, List, Presentation, Table, Text
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.sources.base import WAITING_STATES

if TYPE_CHECKING:
    from wellsourced.ingest import LibraryVerification

COLUMNS = ("name", "kind", "documents", "passages", "vectors", "first", "last", "about")

MAX_NAMED = 20
"""Files or documents of one sort that are named; JSON names all."""


def build_libraries(rows: Sequence[Mapping[str, object]]) -> Presentation:
    """Every library in a row, by `COLUMNS`; below the table what one `lacks`, or the `problem` that closes it."""
    if not rows:
        none = Text(
            "No libraries yet. The guidelines are built with the first question.", step=NextStep("create library")
        )
        return Presentation("library", "Libraries", (none,))
    table = Table(COLUMNS, tuple(tuple(_format_cell(name, row[name]) for name in COLUMNS) for row in rows))
    faults = (
        Item(
            f"{row['name']}: {str(fault).rstrip('.')}",
            step=NextStep(**step) if isinstance(step := row.get("next_step"), dict) else None,
        )
        for row in rows
        if (fault := row.get("problem") or row.get("lacks"))
    )
    return Presentation("library", "Libraries", (table, List("", tuple(faults))))


def _format_cell(column: str, value: object) -> str:
    """A figure or a word; an unknown year is left open."""
    if column in ("first", "last"):
        return str(value or "–")
    return f"{value:,}" if isinstance(value, int) else str(value)


def build_library(row: Mapping[str, Any]) -> Presentation:
    """What a library holds, what its vectors are of, what it lacks, and what it takes on the disk.

    lacks             in a sentence, with the `next_step` about it; it includes files that wait
    waiting, faulty   how many of its files are still to be read, or could not be read whole
    """
    return Presentation("library", row["name"], tuple(_describe_library(row)))


def _describe_library(row: Mapping[str, Any]) -> Iterator[Block]:
    name, encoder = row["name"], row["encoder"]
    years = f", published {row['first']} to {row['last']}" if row["first"] else ""
    yield Text(f"{name} holds {format_count(row['documents'], 'document')} of the kind “{row['kind']}”{years}.")
    passages = format_count(row["passages"], "passage")
    # Without an encoder the library is searched by words on purpose, which is no backlog.
    vectors = (
        f"{row['vectors']:,} of {passages} embedded ({encoder})" if encoder else f"{passages}, searched by words only"
    )
    is_behind = not encoder or row["vectors"] < row["passages"]
    yield Text(f"{vectors}.", step=NextStep("embed library", name) if is_behind else None)
    if lacks := row["lacks"]:
        yield Text(f"{lacks[0].upper()}{lacks[1:]}", step=row["next_step"] and NextStep(**row["next_step"]))
    elif row["waiting"]:
        yield Text(f"{format_count(row['waiting'], 'file')} not read yet.", step=NextStep("resume files", name))
    if row["faulty"]:
        words = f"{format_count(row['faulty'], 'file')} could not be read completely."
        yield Text(words, step=NextStep("retry files", name))
    yield Text(
        " ".join(filter(None, (f"Size on disk: {format_size(row['bytes'])}.", row["about"] and f"{row['about']}.")))
    )


def build_verification(name: str, found: "LibraryVerification") -> Presentation:
    """How many files are as they were read, and each difference with what to do about it."""
    differences: tuple[tuple[str, tuple[str, ...], NextStepKind], ...] = (
        ("changed since they were read", found.changed, "add files"),
        ("missing; their documents are still here", found.missing, "remove files"),
        ("not read completely", found.unsettled, "retry files"),
        ("not searchable as they should be", found.unsearchable, "rebuild library"),
        ("damaged on disk", found.damaged, "add files"),
    )
    blocks: list[Block] = [Text(f"{format_count(found.same, 'file')} of {name} unchanged.")]
    blocks += [_list_difference(name, *difference) for difference in differences if difference[1]]
    if found.is_sound:
        blocks.append(Text("All documents are intact and searchable."))
    return Presentation("library", name, tuple(blocks))


def _list_difference(name: str, words: str, paths: Sequence[str], step: NextStepKind) -> List:
    more = len(paths) - MAX_NAMED
    rest = [Item(f"and {more:,} more")] if more > 0 else []
    items = (*map(Item, paths[:MAX_NAMED]), *rest, Item(step=NextStep(step, name)))
    return List(f"{len(paths):,} {words}", items)


def build_faults(name: str, rows: Sequence[Mapping[str, Any]]) -> Presentation:
    """The files that were not read completely, each with when it was tried and what is wrong with it."""
    if not rows:
        return Presentation("library", name, (Text(f"Every file of {name} was read completely."),))
    return Presentation("library", name, tuple(List(row["path"], (*_describe_faults(row),)) for row in rows))


def _describe_faults(row: Mapping[str, Any]) -> Iterator[Item]:
    if row["state"] in WAITING_STATES:
        yield Item("not read completely yet", step=NextStep("resume files", "NAME"))
        return
    # A failed file gave nothing; of any other some part was read and is searched.
    parts = "" if row["state"] == "failed" or not row["faulty"] else f"{format_count(row['faulty'], 'part')} "
    is_transient = any(problem["transient"] for problem in row["problems"])
    then = "tried again when it is next added" if is_transient else "tried again when it changes"
    tries, at = format_count(row["tries"], "time"), row["at"] or "an unknown time"
    yield Item(f"{parts}not read; tried {tries}, last at {at}; {then}")
    for problem in row["problems"]:
        where = f"{problem['where']}: " if problem["where"] else ""
        yield Item(f"{where}{problem['reason']}. {problem['remedy']}", role="aside")
    if (rest := row["faulty"] - len(row["problems"])) > 0:
        yield Item(f"and {rest:,} more", role="aside")
