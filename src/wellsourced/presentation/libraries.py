"""The state of libraries as blocks: all of them in a table, one in detail, and how one compares with its files."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wellsourced.errors import NextStep, NextStepKind
from wellsourced.presentation.blocks import Block, List, Presentation, Text
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.sources.base import SourceInfo

if TYPE_CHECKING:
    from wellsourced.ingest import LibraryVerification

MAX_NAMED = 20
"""Files or documents of one sort that are named; JSON names all."""


def build_libraries(rows: Sequence[Mapping[str, Any]]) -> Presentation:
    """A line for every library; below it what it `lacks`, or the `problem` that closes it."""
    none = Text("No libraries yet. The guidelines are built with the first question.", step=NextStep("create library"))
    items = tuple(map(_describe_row, rows))
    return Presentation("Libraries", (List("", items),) if items else (none,))


def _describe_row(row: Mapping[str, Any]) -> Text:
    passages = f"{format_count(row['passages'], 'passage')} ({row['vectors']:,} embedded)"
    years = f"{row['first']}–{row['last']}" if row["first"] else ""
    parts = () if row.get("problem") else (format_count(row["documents"], "document"), passages, years, row["about"])
    step = NextStep(**row["next_step"]) if row.get("next_step") else None
    fault = row.get("problem") or row.get("lacks")
    line = (f"{row['name']} ({row['kind']})", ", ".join(filter(None, parts)))
    return Text(": ".join(filter(None, line)), items=(Text(fault, step=step),) if fault else ())


def build_library(
    card: SourceInfo, encoder: str, size: float, lacks: tuple[str, NextStep | None], waiting: int, faulty: int
) -> Presentation:
    """What a library holds, what its vectors are of, and what it takes on the disk.

    lacks             in a sentence without a full stop, and what to do about it; it includes files that wait
    waiting, faulty   how many of its files are still to be read, or could not be read whole
    """
    name, (words, step) = card.name, lacks
    years = f", published {card.first} to {card.last}" if card.first else ""
    passages = f"{card.vectors:,} of {format_count(card.passages, 'passage')} embedded ({encoder})."
    # Without an encoder the library is searched by words on purpose, which is no backlog.
    if not encoder:
        passages = f"{format_count(card.passages, 'passage')}, searched by words only."
    is_behind = not encoder or card.vectors < card.passages
    lines = [
        Text(f"{name} holds {format_count(card.documents, 'document')} of the kind “{card.kind}”{years}."),
        Text(passages, step=NextStep("embed library", name) if is_behind else None),
    ]
    if words:
        lines.append(Text(f"{words[0].upper()}{words[1:]}.", step=step))
    elif waiting:
        lines.append(Text(f"{format_count(waiting, 'file')} not read yet.", step=NextStep("resume files", name)))
    if faulty:
        fault = f"{format_count(faulty, 'file')} could not be read completely."
        lines.append(Text(fault, step=NextStep("retry files", name)))
    lines.append(Text(f"Size on disk: {format_size(size)}.{f' {card.about}.' if card.about else ''}"))
    return Presentation(name, tuple(lines))


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
    for words, paths, step in differences:
        more = [Text(f"and {len(paths) - MAX_NAMED:,} more")] if len(paths) > MAX_NAMED else []
        items = (*map(Text, paths[:MAX_NAMED]), *more, Text(step=NextStep(step, name)))
        blocks += [List(f"{len(paths):,} {words}", items)] if paths else []
    if found.is_sound:
        blocks.append(Text("All documents are intact and searchable."))
    return Presentation(name, tuple(blocks))
