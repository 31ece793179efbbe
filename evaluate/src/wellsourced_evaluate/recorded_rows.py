"""Files of recorded cases, a line of JSON each: read whole, or refused with the numbers of the lines at fault.

A case that was left out unseen would change a mean, so that one bad line refuses its file.
"""

import json
import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from wellsourced.errors import EvidenceError, UnreadableFile
from wellsourced.factcheck.load.answer_rows import read_rows
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import Value
from wellsourced_evaluate.beir import MAX_NAMED_FAULTS, SEED, hash_file

REMEDY = "Nothing was scored: correct these lines, or leave them out of the file."

Case = TypeVar("Case")
Record = TypeVar("Record")
Row = TypeVar("Row", bound=BaseModel)

Progress = Callable[[int, int], None]
"""Who hears how many cases are done, of how many."""

Words = Annotated[str, StringConstraints(strict=True, min_length=1, pattern=r"\S")]
"""A text that says something."""


class RecordedRow(Value):
    """A row as somebody recorded it: fields that nothing here needs are passed over."""

    model_config = ConfigDict(extra="ignore")


class RecordedFile(NamedTuple, Generic[Row]):
    """The rows that are taken of a file, which file, and how many it has."""

    rows: tuple[Row, ...]
    file: str
    sha256: str
    recorded: int


def list_id(row: Any) -> list[tuple[str, Hashable]]:
    """By what most rows are known: their `id`, in words and as a key."""
    return [(f"the id “{row.id}”", row.id)]


def read_recorded(
    path: Path,
    kind: type[Row],
    limit: int = 0,
    keys: Callable[[Row], Iterable[tuple[str, Hashable]]] = list_id,
    skip: str = "",
) -> RecordedFile[Row]:
    """Read every row of a file; with a limit take so many of them, drawn with a fixed seed.

    keys   what no two rows share: in words, and as a key
    skip   a field by which an object is the header of a log, and no row

    Raises UnreadableFile that names the lines which cannot be used.
    """

    def build(line: bytes) -> Row | None:
        fields = parse_object(line)
        return None if skip and skip in fields else kind.model_validate_json(line)

    rows, faults = build_rows(((f"line {number}", line) for number, line in iter_lines(path)), build, keys)
    refuse_faults(path, faults)
    if not rows:
        raise UnreadableFile(path, "it holds no row", "See --help for what a line holds.")
    return RecordedFile(draw_cases(rows, limit), path.name, hash_file(path)[:16], len(rows))


def read_table(
    path: Path, kind: type[Row], what: str, keys: Callable[[Row], Iterable[tuple[str, Hashable]]] = lambda _: ()
) -> list[Row]:
    """Read every row of a table (.csv, .tsv, .jsonl, .json); an empty cell is a field that is not there.

    keys   what no two rows share, as of `read_recorded`

    Raises UnreadableFile that names the rows which cannot be used, or says that there is no `what`.
    """

    def build(fields: Mapping[str, Any] | str) -> Row:
        if isinstance(fields, str):
            raise ValueError(fields)
        return kind.model_validate({name: one for name, one in fields.items() if one not in ("", None)})

    rows, faults = build_rows(((f"row {number}", fields) for number, fields in read_rows(path)), build, keys)
    refuse_faults(path, faults)
    if not rows:
        raise UnreadableFile(path, f"it holds no {what}", "See --help for a row.")
    return rows


def build_rows(
    records: Iterable[tuple[str, Record]],
    build: Callable[[Record], Row | None],
    keys: Callable[[Row], Iterable[tuple[str, Hashable]]] = list_id,
) -> tuple[list[Row], list[str]]:
    """Make rows of records, each with its place; say what is wrong with those that cannot be used.

    build   makes the row; None: the record is none. What it raises (ValueError, EvidenceError) is a fault of the record
    """
    rows: list[Row] = []
    places: dict[Hashable, str] = {}
    faults: list[str] = []
    for place, record in records:
        try:
            row = build(record)
        except ValidationError as error:
            faults.append(f"{place}: {describe_fault(error)}")
        except (EvidenceError, ValueError) as error:
            faults.append(f"{place}: {error}")
        else:
            if row is None:
                continue
            faults += [f"{place}: {words} is on {places[key]} already" for words, key in keys(row) if key in places]
            for _, key in keys(row):
                places.setdefault(key, place)
            rows.append(row)
    return rows, faults


def parse_object(line: bytes) -> dict[str, Any]:
    """The object of a line of JSON. Raises ValueError that says what is wrong."""
    try:
        fields = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start + 1})") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(fields, dict):
        raise ValueError("it is not a JSON object")
    return fields


def describe_fault(error: ValidationError) -> str:
    """The first fault of a row: where it is, and what."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    words = str(first["msg"]).removeprefix("Value error, ")
    return f"{place}: {words}" if place else words


def draw_cases(cases: Sequence[Case], limit: int, seed: int = SEED) -> tuple[Case, ...]:
    """So many of the cases, the same ones each time; all of them without a limit."""
    return tuple(random.Random(seed).sample(cases, limit) if 0 < limit < len(cases) else cases)  # noqa: S311


def refuse_faults(path: Path, faults: Sequence[str], named: int = MAX_NAMED_FAULTS) -> None:
    """Raise UnreadableFile, naming so many of the faults, where there is any."""
    if faults:
        more = f"; and {len(faults) - named:,} more lines" if len(faults) > named else ""
        raise UnreadableFile(path, "; ".join(faults[:named]) + more, REMEDY)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write objects as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def to_plain(value: Any) -> Any:
    """Values of a report as JSON has them: what has fields becomes an object, what has members a list, NaN null.

    A value with a form of its own has a method `to_json`.
    """
    if hasattr(value, "to_json"):
        return to_plain(value.to_json())
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(name): to_plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(member) for member in value]
    return None if value != value else value
