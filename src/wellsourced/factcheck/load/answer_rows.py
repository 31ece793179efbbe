"""Files of rows (JSON lines, a JSON list, a table), and answers of other systems in them. A bad row costs only
itself.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced.citations.links import address_key, find_links
from wellsourced.citations.reference_lists import extract_reference_list
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File, InMemoryFile
from wellsourced.readers.decompressed_file import MB, iter_lines, read_whole_text
from wellsourced.types import TextOrigin, Value

FIELD_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "qid", "row_id"),
    "question": ("question", "query", "prompt"),
    "answer": ("answer", "response", "output", "completion", "text"),
    "sources": ("sources", "citations", "references", "urls", "links"),
    "system": ("system", "model", "model_name", "llm"),
    "kind": ("kind", "tag", "question_source", "dataset", "category"),
}
"""What a field may be called; the first that a row has counts. Case does not matter, nor space or hyphen for _."""

ROW_FORMAT = 'A row reads {"question": "…", "answer": "…", "sources": ["https://…"], "system": "…"}.'

_SOURCE_NAMES = ("title", "doi", "pmid", "pmcid", "url", "link", "uri", "href")
_NUMBER_NAMES = ("number", "key", "index")


class AnswerRow(Value):
    """An answer that somebody else's system gave.

    row       its number: of a line from 1, of a table as a spreadsheet counts, with the header
    sources   as the row lists them, an entry each; () where it lists none: then its text may name some
    origin    what was asked, of whom, and the row's own id
    """

    row: int
    answer: str
    sources: tuple[str, ...] = ()
    origin: TextOrigin = TextOrigin()

    @property
    def name(self) -> str:
        """By what the row is told from the others of its file: its own id, else its number."""
        return self.origin.id or str(self.row)


LINE_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
TABLE_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")

MAX_CELL_CHARS = 8 * MB

NO_OBJECT = "it is not a JSON object"

NumberedRow = tuple[int, Mapping[str, Any] | str]
"""The number of a row and its fields, or what is wrong with it."""


class RejectedRow(NamedTuple):
    """A row that cannot be used, and why."""

    row: int
    reason: str


def holds_rows(name: str, data: bytes = b"") -> bool:
    """Whether a file is one of rows, by its ending; a .json file, by its first sign."""
    lower = name.lower()
    return lower.endswith((*LINE_ENDINGS, *TABLE_ENDINGS)) or (lower.endswith(".json") and data.lstrip()[:1] == b"[")


def read_rows(file: File) -> Iterator[NumberedRow]:
    """Each row: of lines counted from 1, of a table as a spreadsheet counts, with the header.

    Raises UnreadableFile for a file that is no text, or no JSON at all.
    """
    lower = str(file).lower()
    if lower.endswith(TABLE_ENDINGS):
        return _read_table(file)
    return _read_lines(file) if lower.endswith(LINE_ENDINGS) else _read_list(file)


def _read_lines(file: File) -> Iterator[NumberedRow]:
    for number, line in iter_lines(file):
        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            yield number, "it is not UTF-8"
        except (ValueError, RecursionError):
            yield number, "it is not JSON"
        else:
            yield number, value if isinstance(value, dict) else NO_OBJECT


def _read_list(file: File) -> Iterator[NumberedRow]:
    try:
        values = json.loads(read_whole_text(file))
        values = values if isinstance(values, list) else [values]
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(str(file), "it is not JSON", "Save it as JSON lines, one object per line.") from error
    yield from ((number, value if isinstance(value, dict) else NO_OBJECT) for number, value in enumerate(values, 1))


def _read_table(file: File) -> Iterator[NumberedRow]:
    text = read_whole_text(file)
    # Python's limit is one for the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL_CHARS))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max("\t;,", key=text.partition("\n")[0].count))
    columns = next(rows, [])
    number = 1
    while True:
        number += 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"it is not a table row ({error})"
            continue
        # Spreadsheets end in rows of empty cells.
        if any(cell.strip() for cell in cells):
            yield number, _place_cells(columns, cells)


def _place_cells(columns: Sequence[str], cells: Sequence[str]) -> Mapping[str, str] | str:
    # More cells than columns: a separator stood in a text without quotes, and every field behind it is another.
    if any(cell.strip() for cell in cells[len(columns) :]):
        return f"it has {len(cells)} cells; the header has {len(columns)} columns"
    return dict(zip(columns, cells, strict=False))


class AnswerRows(NamedTuple):
    """What a file holds: every row is one or the other."""

    rows: tuple[AnswerRow, ...]
    rejected: tuple[RejectedRow, ...]


class _BadRow(Exception):
    """Why a row cannot be used."""


def read_answer_rows(name: str, data: bytes) -> AnswerRows:
    """The answers in a file. Raises UnreadableFile when no row of it is one."""
    file = InMemoryFile(name, data)
    rejected: list[RejectedRow] = []
    made: list[AnswerRow] = []
    rows_by_id: dict[str, int] = {}
    for row, fields in _read_fields(file, rejected):
        try:
            one = _build_row(row, fields)
            # Results are filed by this id: the second row would take the place of the first.
            if one.origin.id in rows_by_id:
                raise _BadRow(f"its id “{one.origin.id}” is also that of row {rows_by_id[one.origin.id]}")
        except _BadRow as bad:
            rejected.append(RejectedRow(row, str(bad)))
            continue
        made.append(one)
        if one.origin.id:
            rows_by_id[one.origin.id] = row
    if not made:
        reason = f"row {rejected[0].row}: {rejected[0].reason}" if rejected else "it is empty"
        raise UnreadableFile(name, f"it contains no answer ({reason})", ROW_FORMAT)
    return AnswerRows(tuple(made), tuple(sorted(rejected)))


def compose_answer_text(row: AnswerRow) -> str:
    """The answer with its sources listed behind it, in the order to which its marks refer.

    An answer that has a list of its own keeps it, and what the list does not name follows under the next numbers.
    """
    own = extract_reference_list(row.answer).entries
    # An answer with a list of its own has marks that refer to it: a second numbering would move them.
    if not own:
        listed = [
            f"{_find_number(source) or number}. {_strip_number(source)}" for number, source in enumerate(row.sources, 1)
        ]
        return "\n".join([row.answer.strip(), *(["", "References", "", *listed] if listed else []), ""])
    named = {address_key(link.url) for link in find_links(row.answer)}
    missing = [one for one in row.sources if named.isdisjoint(address_key(link.url) for link in find_links(one))]
    first = 1 + max((int(one.label) for one in own if one.label.isdecimal()), default=0)
    listed = [f"{number}. {_strip_number(source)}" for number, source in enumerate(missing, first)]
    return "\n".join([row.answer.strip(), *listed, ""])


# --- files ---------------------------------------------------------------------------------------------------------


def _read_fields(file: InMemoryFile, rejected: list[RejectedRow]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(number, fields by their names here) of each row that is one; the others are told in `rejected`."""
    for row, value in read_rows(file):
        if isinstance(value, str):
            rejected.append(RejectedRow(row, value))
        else:
            yield row, _name_fields(value)


def _name_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields under the names that they have here, the first of the synonyms that says anything."""
    plain = {re.sub(r"[\s-]+", "_", str(name).strip().lower()): value for name, value in fields.items()}
    return {
        name: next((plain[one] for one in synonyms if plain.get(one) not in (None, "", [])), None)
        for name, synonyms in FIELD_NAMES.items()
    }


# --- rows ----------------------------------------------------------------------------------------------------------


def _build_row(row: int, fields: Mapping[str, Any]) -> AnswerRow:
    answer = fields["answer"]
    if answer is None or (isinstance(answer, str) and not answer.strip()):
        raise _BadRow(f"it has no answer. Name the field {', '.join(FIELD_NAMES['answer'][:-1])} or text")
    if not isinstance(answer, str):
        raise _BadRow("its answer is not a text")
    said = {name: _plain_text(name, fields[name]) for name in ("id", "question", "system", "kind")}
    return AnswerRow(
        row=row, answer=answer, sources=tuple(_split_sources(fields["sources"])), origin=TextOrigin(**said)
    )


def _plain_text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str | int | float):
        return str(value).strip()
    raise _BadRow(f"its {name} is not a text")


def _split_sources(value: Any) -> Iterator[str]:
    """An entry for each source: of a list, of lines, of addresses in a row. Raises _BadRow."""
    if value is None:
        return
    if isinstance(value, str):
        yield from _split_listed(value)
    elif isinstance(value, dict):
        yield _join_source(value)
    elif isinstance(value, list):
        for one in value:
            yield from _split_sources(one)
    else:
        raise _BadRow("its sources are neither a text nor a list")


def _split_listed(text: str) -> Iterator[str]:
    if text.lstrip()[:1] == "[" and (listed := _parse_list(text)) is not None:
        yield from _split_sources(listed)
        return
    for line in filter(None, map(str.strip, text.splitlines())):
        links = [*find_links(line)]
        apart = re.sub(r"[\s,;|]+", "", "".join(_text_between(line, [(one.start, one.end) for one in links]))) == ""
        # A line of addresses alone is one source each; with words between them it is one reference with its links.
        yield from (line[one.start : one.end] for one in links) if links and apart else (line,)


def _text_between(line: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    at = 0
    for start, end in spans:
        yield line[at:start]
        at = end
    yield line[at:]


def _parse_list(text: str) -> list[Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _join_source(fields: Mapping[str, Any]) -> str:
    """An entry of a list of references from what an object says of a source. Raises _BadRow."""
    said = {name: str(fields[name]).strip() for name in _SOURCE_NAMES if isinstance(fields.get(name), str | int)}
    parts = [said.get("title", "").rstrip(".") and f"{said['title'].rstrip('.')}."]
    parts += [f"doi:{said['doi'].removeprefix('doi:')}" if said.get("doi") else ""]
    parts += [f"PMID: {said['pmid']}" if said.get("pmid") else "", said.get("pmcid", "")]
    parts += [next((said[name] for name in ("url", "link", "uri", "href") if said.get(name)), "")]
    entry = " ".join(filter(None, parts))
    if not entry:
        raise _BadRow("one of its sources has neither title, url, doi nor pmid")
    number = next((str(fields[name]) for name in _NUMBER_NAMES if str(fields.get(name, "")).isdecimal()), "")
    return f"{number}. {entry}" if number else entry


_NUMBERED = re.compile(r"(?:\[(\d{1,3})\]|(\d{1,3})[.)])\s+(?=\S)")


def _find_number(source: str) -> str:
    found = _NUMBERED.match(source)
    return (found[1] or found[2]) if found else ""


def _strip_number(source: str) -> str:
    return _NUMBERED.sub("", source, count=1) if _NUMBERED.match(source) else source
