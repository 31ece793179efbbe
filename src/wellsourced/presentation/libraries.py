"""The state of libraries as blocks: a line for each, one in detail, and how one compares with its files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wellsourced.errors import NextStep, NextStepKind
from wellsourced.presentation.blocks import Block, List, Presentation, Text
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.sources.base import WAITING_STATES, CopiedLibrary

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


def build_library(row: Mapping[str, Any]) -> Presentation:
    """What a library holds, what its vectors are of, what it lacks, and what it takes on the disk.

    lacks             in a sentence, with the `next_step` about it; it includes files that wait
    waiting, faulty   how many of its files are still to be read, or could not be read whole
    """
    return Presentation(row["name"], tuple(_describe_library(row)))


def _describe_library(row: Mapping[str, Any]) -> Iterator[Block]:
    name, encoder = row["name"], row["encoder"]
    years = f", published {row['first']} to {row['last']}" if row["first"] else ""
    yield Text(f"{name} holds {format_count(row['documents'], 'document')} of the kind “{row['kind']}”{years}.")
    passages = format_count(row["passages"], "passage")
    # Without an encoder nothing was to be embedded, which is no backlog.
    vectors = f"{row['vectors']:,} of {passages} embedded ({encoder})" if encoder else f"{passages}, none embedded"
    is_behind = not encoder or row["vectors"] < row["passages"]
    yield Text(f"{vectors}.", step=NextStep("embed library", name) if is_behind else None)
    if lacks := row["lacks"]:
        yield Text(f"{lacks[0].upper()}{lacks[1:]}", step=row["next_step"] and NextStep(**row["next_step"]))
    elif row["waiting"]:
        yield Text(f"{format_count(row['waiting'], 'file')} not read yet.", step=NextStep("resume files", name))
    if row["faulty"]:
        words = f"{format_count(row['faulty'], 'file')} could not be read completely."
        yield Text(words, step=NextStep("retry files", name))
    if row["engine"]:
        yield Text(f"Its passages are indexed and searched at {row['engine']}.")
    if row["database"]:
        yield Text(f"Its documents are in {row['database']}.")
    expected = row["expected"]
    if expected["questions"]:
        yield Text(f"{format_count(expected['questions'], 'expected question')} to find it by.")
    if expected["stale"]:
        yield _describe_stale(name, expected["stale"])
    if expected["unsearchable"]:
        words = f"{format_count(expected['unsearchable'], 'expected question')} cannot be found yet."
        yield Text(words, step=NextStep("expect questions", name))
    yield Text(
        " ".join(filter(None, (f"Size on disk: {format_size(row['bytes'])}.", row["about"] and f"{row['about']}.")))
    )


def build_copy(name: str, copied: "CopiedLibrary") -> Presentation:
    """What was copied into a library, how it compares with the other one, and what is left to do."""
    present = f"; {copied.present:,} were there already" if copied.present else ""
    carried = f", {copied.vectors:,} with copied vectors" if copied.vectors else ""
    blocks: list[Block] = [
        Text(f"Copied {format_count(copied.documents, 'document')} to {name}{present}."),
        Text(
            f"{copied.embedded:,} of {format_count(copied.passages, 'passage')} embedded{carried}.",
            step=NextStep("embed library", name) if copied.embedded < copied.passages else None,
        ),
    ]
    if copied.is_whole:
        blocks.append(Text("Both hold the same documents."))
    return Presentation(name, (*blocks, *_describe_comparison(name, copied)))


def build_move(name: str, engine: str, moved: "CopiedLibrary") -> Presentation:
    """Where the passages of a library are found now, or why they are still found where they were."""
    words = f"{name} is searched {'here' if engine == 'here' else f'at {engine}'} now: "
    embedded = f"{format_count(moved.passages, 'passage')}, {moved.embedded:,} embedded."
    stays = f"{name} was not moved, and is searched where it was."
    head = Text(words + embedded) if moved.is_whole else Text(stays, step=NextStep("verify library", name))
    return Presentation(name, (head, *_describe_comparison(name, moved)))


def _describe_comparison(name: str, copied: "CopiedLibrary") -> Iterator[Block]:
    """What differs, and what the same searches found."""
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("damaged and left out", copied.damaged),
        ("different in the two, since one was changed meanwhile: copy again", copied.differing),
    )
    for words, ids in left_out:
        more = [Text(f"and {len(ids) - MAX_NAMED:,} more")] if len(ids) > MAX_NAMED else []
        if ids:
            yield List(f"{len(ids):,} {words}", (*map(Text, ids[:MAX_NAMED]), *more))
    if copied.lost:
        words = f"{format_count(copied.lost, 'passage')} not indexed correctly."
        yield Text(words, step=NextStep("rebuild library", name))
    if copied.places:
        yield Text(f"The same searches found the same in {copied.same:,} of {copied.places:,} places.")


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


def build_faults(name: str, rows: Sequence[Mapping[str, Any]], stale: int) -> Presentation:
    """The files that were not read completely, each with when it was tried and what is wrong with it.

    stale   expected questions whose lines have changed
    """
    files = [List(row["path"], (*_describe_faults(row),)) for row in rows]
    all_read = [] if files else [Text(f"Every file of {name} was read completely.")]
    outdated = [_describe_stale(name, stale)] if stale else []
    return Presentation(name, (*all_read, *files, *outdated))


def _describe_stale(name: str, stale: int) -> Text:
    words = f"{format_count(stale, 'expected question')} ignored: the lines that answer have changed."
    return Text(words, step=NextStep("expect questions", name))


def _describe_faults(row: Mapping[str, Any]) -> Iterator[Text]:
    if row["state"] in WAITING_STATES:
        yield Text("not read completely yet", step=NextStep("resume files", "NAME"))
        return
    # A failed file gave nothing; of any other some part was read and is searched.
    parts = "" if row["state"] == "failed" or not row["faulty"] else f"{format_count(row['faulty'], 'part')} "
    is_transient = any(problem["transient"] for problem in row["problems"])
    then = "tried again when it is next added" if is_transient else "tried again when it changes"
    tries, at = format_count(row["tries"], "time"), row["at"] or "an unknown time"
    yield Text(f"{parts}not read; tried {tries}, last at {at}; {then}")
    for problem in row["problems"]:
        where = f"{problem['where']}: " if problem["where"] else ""
        yield Text(f"{where}{problem['reason']}. {problem['remedy']}", role="aside")
    if (rest := row["faulty"] - len(row["problems"])) > 0:
        yield Text(f"and {rest:,} more", role="aside")
