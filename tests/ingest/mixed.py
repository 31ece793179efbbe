"""A folder of files of every kind, as they come together in a library: records, deletions, articles, notes, letters."""

import gzip
import json
from pathlib import Path

import docx
from reportlab.pdfgen.canvas import Canvas

from tests.ingest.records import jats, markdown, medline, plain
from tests.sources.corpus import text
from wellsourced.readers.base import SUFFIXES


def mixed(folder: Path) -> Path:
    """About 1,600 documents in 20 files; the update files delete some and revise others."""
    folder.mkdir()
    rows = ({"_id": f"doc:{number}", "title": "", "text": text(number)} for number in range(10_000, 10_700))
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "trials.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    medline(folder / "pubmed26n0001.xml.gz", range(1, 350))
    medline(folder / "pubmed26n0002.xml.gz", range(350, 700))
    medline(folder / "pubmed26n1300.xml.gz", range(100, 250), edition=1, deleted=range(1, 60))
    medline(folder / "pubmed26n1301.xml.gz", range(240, 300), edition=2, deleted=range(600, 640))
    for number in range(20_000, 20_006):
        jats(folder / f"PMC{number}.nxml", number)
        markdown(folder / f"note-{number}.md", number + 1_000)
        plain(folder / f"letter-{number}.txt", number + 2_000)
    for suffix, written in (("pdf", pdf), ("docx", word_file), ("html", html)):
        if any(suffix in known for known in SUFFIXES):
            for number in range(30_000, 30_002):
                written(folder / f"{suffix}-{number}.{suffix}", number)
    return folder


def pdf(path: Path, number: int) -> None:
    """A printed page of one sentence a line."""
    canvas = Canvas(str(path), invariant=1)
    for line, sentence in enumerate(text(number).split(". ")):
        canvas.drawString(72, 720 - 14 * line, sentence)
    canvas.showPage()
    canvas.save()


def word_file(path: Path, number: int) -> None:
    """A file of a word processor."""
    written = docx.Document()
    written.add_heading("On gout", level=1)
    written.add_paragraph(text(number))
    written.save(str(path))


def html(path: Path, number: int) -> None:
    """A saved web page."""
    paragraphs = "".join(f"<p>{text(other)}</p>" for other in range(number, number + 500, 100))
    body = f"<article><h1>On gout</h1>{paragraphs}</article>"
    path.write_text(f"<!doctype html><html><head><title>On gout</title></head><body>{body}</body></html>")
