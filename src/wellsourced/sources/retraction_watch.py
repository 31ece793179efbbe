"""A snapshot of the Retraction Watch database: the CSV that Crossref publishes every working day (CC0).

Columns and natures: https://gitlab.com/crossref/retraction-watch-data. About 60,000 rows, most of them retractions.
"""

import asyncio
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple, TextIO

from wellsourced.citations import deduplication, identifiers
from wellsourced.errors import UnreadableFile
from wellsourced.types import Notice, NoticeKind, Reference, Retraction

COLUMNS = (
    "Record ID",
    "RetractionDate",
    "RetractionDOI",
    "RetractionPubMedID",
    "OriginalPaperDOI",
    "OriginalPaperPubMedID",
    "RetractionNature",
    "Reason",
)
"""The columns that are read; the others (titles, authors, institutions) may change as they like."""

GB = 1024**3
FILE_LIMIT = GB
"""Bytes of the largest file that is read; the database had about 70 MB in 2026."""

LINE_LIMIT = 10_000
"""Characters of the first line."""

MAX_REASONS = 3
"""Reasons of a row that a notice repeats."""

_DATE = re.compile(
    r"(?:(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})|(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d))(?!\d)"
)

DOWNLOAD_REMEDY = "Download the database again."

Row = Mapping[str, str]

NOTICE_KINDS: dict[str, NoticeKind] = {
    "retraction": "retraction",
    "expression of concern": "concern",
    "correction": "correction",
    "reinstatement": "republication",
}


class RetractionWatchEntry(NamedTuple):
    """What is kept of a row. Not yet a Notice: there are 60,000, and a question asks about thirty."""

    kind: NoticeKind
    id: str
    published: str
    reason: str

    def to_notice(self) -> Notice:
        return Notice(source="Retraction Watch", **self._asdict())


class RetractionWatch:
    """A registry of retractions in a file on this machine: the CSV of the Retraction Watch database.

    path    the CSV
    as_of   the day of the snapshot; None: the day on which the file was last written

    It knows only works that something happened to: of any other it says nothing, which is not "not retracted".
    The file is read once, when it is first asked; rows that cannot be read, and rows on works without DOI and PMID, are
    left out. Raises UnreadableFile, here, for a file that is not there, too large, or has not the columns of the
    database.
    """

    is_local = True

    name = "Retraction Watch"

    def __init__(self, path: Path, as_of: date | None = None) -> None:
        self.path = path
        self._is_loaded = False
        self.as_of = as_of or _snapshot_date(path)
        self._entries: dict[str, list[RetractionWatchEntry]] = defaultdict(list)
        self._load_lock = asyncio.Lock()

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        """What the snapshot holds on each work, found by its DOI or its PMID."""
        async with self._load_lock:
            if not self._is_loaded:
                await asyncio.to_thread(self._load)
        found = {one.id: self._find_entries(one) for one in references}
        return {id: self._build_retraction(entries) for id, entries in found.items() if entries}

    def _find_entries(self, reference: Reference) -> list[RetractionWatchEntry]:
        return [entry for id in identifiers.reference_ids(reference) if id for entry in self._entries.get(id, ())]

    def _build_retraction(self, entries: Sequence[RetractionWatchEntry]) -> Retraction:
        kinds = {entry.kind for entry in entries}
        notices = tuple(entry.to_notice() for entry in entries)
        # Of a work that was doubted or corrected it knows that, and not what came of it.
        status = "true" if "retraction" in kinds else "false" if "republication" in kinds else "unknown"
        return deduplication.merge_retractions([Retraction(status=status, as_of=self.as_of, notices=notices)])

    def _load(self) -> None:
        try:
            with _open_csv(self.path) as file:
                for row in _read_rows(file, _read_columns(self.path, file)):
                    self._store_row(row)
            self._is_loaded = True
        except OSError as error:
            raise UnreadableFile(
                self.path, f"it cannot be read ({error.strerror or error})", DOWNLOAD_REMEDY
            ) from error

    def _store_row(self, row: Row) -> None:
        if not _is_unicode("".join(row.values())):
            row = {name: _decode_windows_1252(value) for name, value in row.items()}
        if row["RetractionNature"].strip().lower() not in NOTICE_KINDS:
            return
        entry = _build_entry(row)
        doi = identifiers.normalize_doi(row["OriginalPaperDOI"])
        for id in filter(None, (doi, identifiers.normalize_pmid(row["OriginalPaperPubMedID"]))):
            self._entries[id].append(entry)


def _open_csv(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


def _snapshot_date(path: Path) -> date:
    """The day on which the file was last written. Raises UnreadableFile."""
    try:
        state = path.stat()
        with _open_csv(path) as file:
            _read_columns(path, file)
    except OSError as error:
        remedy = "Check that it exists and its permissions."
        raise UnreadableFile(path, f"it cannot be opened ({error.strerror or error})", remedy) from error
    if state.st_size > FILE_LIMIT:
        raise UnreadableFile(path, f"it is larger than {FILE_LIMIT // GB} GB", DOWNLOAD_REMEDY)
    return date.fromtimestamp(state.st_mtime)


def _read_columns(path: Path, file: TextIO) -> list[str]:
    """The names in the first line. Raises UnreadableFile when one that is needed is missing."""
    try:
        columns = [name.strip() for name in next(csv.reader([file.readline(LINE_LIMIT)]), [])]
    except csv.Error:
        columns = []
    if lacking := [name for name in COLUMNS if name not in columns]:
        remedy = "Download the CSV of the database from gitlab.com/crossref/retraction-watch-data."
        raise UnreadableFile(
            path, f"it has no column “{lacking[0]}”, so it is not the Retraction Watch database", remedy
        )
    return columns


def _read_rows(file: TextIO, columns: Sequence[str]) -> Iterator[Row]:
    """The rows that can be read; the first line was read before.

    A quotation mark that is never closed makes one row of many: of those, each line that is a row by itself counts.
    """
    lines: list[str] = []
    table = csv.DictReader(_record_lines(file, lines), columns)
    while True:
        lines.clear()
        if row := _read_next_row(table):
            yield row
        elif not lines:
            return
        elif len(lines) > 1:
            yield from filter(None, (_read_next_row(csv.DictReader([line], columns)) for line in lines))


def _record_lines(file: TextIO, lines: list[str]) -> Iterator[str]:
    for line in file:
        lines.append(line)
        yield line


def _read_next_row(table: "csv.DictReader[str]") -> Row | None:
    """The columns of the next row that are read; None for what is no row, and at the end."""
    try:
        row = next(table, None)
    except csv.Error:
        return None
    if not row or None in row or any(row[name] is None for name in COLUMNS) or not row["Record ID"].isdecimal():
        return None
    return {name: row[name] for name in COLUMNS}


def _is_unicode(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _decode_windows_1252(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _build_entry(row: Mapping[str, str]) -> RetractionWatchEntry:
    kind = NOTICE_KINDS[row["RetractionNature"].strip().lower()]
    reason = _format_reasons(row["Reason"])
    if kind == "republication":
        reason = f"{deduplication.REINSTATEMENT_PREFIX}: {reason}" if reason else deduplication.REINSTATEMENT_PREFIX
    doi, pmid = identifiers.normalize_doi(row["RetractionDOI"]), identifiers.normalize_pmid(row["RetractionPubMedID"])
    id = f"doi:{doi}" if doi else f"pubmed:{pmid}" if pmid else f"retractionwatch:{row['Record ID']}"
    return RetractionWatchEntry(kind, id, _parse_date(row["RetractionDate"]), sys.intern(reason))


def _format_reasons(printed: str) -> str:
    """ "+Falsification of Data;+Misconduct by Author;" → "Falsification of Data; Misconduct by Author"."""
    reasons = [reason.strip().lstrip("+").strip() for reason in printed.split(";")]
    said = [reason for reason in reasons if reason]
    return "; ".join(said[:MAX_REASONS]) + ("; …" if len(said) > MAX_REASONS else "")


def _parse_date(printed: str) -> str:
    """ "2/6/2010 0:00" (month first) or ISO 8601 → "2010-02-06"; "" for no date."""
    found = _DATE.match(printed.strip())
    if not found:
        return ""
    year, month, day = found["year"] or found["y"], found["month"] or found["m"], found["day"] or found["d"]
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
