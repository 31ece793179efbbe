"""Rows as the Retraction Watch database has them: the columns, the spelling, the comma at the end of each line."""

import csv
import io
from pathlib import Path

HEADER = ["Record ID", "Title", "Subject", "Institution", "Journal", "Publisher", "Country", "Author", "URLS"]
HEADER += ["ArticleType", "RetractionDate", "RetractionDOI", "RetractionPubMedID", "OriginalPaperDate"]
HEADER += ["OriginalPaperDOI", "OriginalPaperPubMedID", "RetractionNature", "Reason", "Paywalled", "Notes", ""]

REASON = "+Falsification/Fabrication of Data;+Misconduct by Author;"


def row(
    record: int,
    doi: str = "unavailable",
    pmid: str = "0",
    nature: str = "Retraction",
    day: str = "2/6/2010 0:00",
    notice: str = "",
    notice_pmid: str = "0",
    reason: str = REASON,
    title: str = "An invented study, with a comma",
) -> list[str]:
    """One row, invented."""
    work = [
        str(record),
        title,
        "(HSC) Medicine;",
        "Department of Study, Town;",
        "J Invent",
        "Press",
        "Nowhere",
        "A B;C D;",
    ]
    happened = [
        "",
        "Research Article;",
        day,
        notice,
        notice_pmid,
        "2/28/1998 0:00",
        doi,
        pmid,
        nature,
        reason,
        "No",
        "",
        "",
    ]
    return work + happened


def table(*rows: list[str], header: list[str] = HEADER, end: str = "\n") -> bytes:
    """The file."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([header, *rows])
    return text.getvalue().encode()


def snapshot(folder: Path, *rows: list[str]) -> Path:
    """The file, written."""
    path = folder / "retraction_watch.csv"
    path.write_bytes(table(*rows))
    return path
