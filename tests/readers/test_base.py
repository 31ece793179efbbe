"""Which file is read by whom, and what becomes of files that cannot be read."""

import gzip
import os
from pathlib import Path

import pytest

from tests.readers.reading import DATA, documents, read, titles, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.csv_tables import read_table
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.document_builder import build_reference, parse_iso_date
from wellsourced.readers.file_listing import list_files
from wellsourced.readers.jats import read_jats
from wellsourced.readers.json_records import read_json, read_json_lines
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.medline import read_medline
from wellsourced.readers.packages.docx import read_docx
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.readers.registry import reader_for

TWO_ROWS = '{"_id":"1","text":"one"}\n{"_id":"2","text":"two"}\n'


@each_row(
    ("name", "reader"),
    [
        ("a.jsonl", read_json_lines),
        ("a.b.JSONL.GZ", read_json_lines),
        ("a.md", read_markdown),
        ("a.Markdown", read_markdown),
        ("a.txt", read_plain_text),
        ("a.text", read_plain_text),
        ("a.pdf", read_pdf),
        ("a.DOCX", read_docx),
        ("a.json", read_json),
        ("a.csv", read_table),
        ("a.tsv", read_table),
    ],
)
def test_a_file_is_read_as_its_name_says(name: str, reader: object) -> None:
    assert reader_for(Path(name)) is reader


def test_xml_is_read_as_its_outermost_element_says(tmp_path: Path) -> None:
    assert reader_for(written(tmp_path / "a.xml", "<PubmedArticleSet/>")) is read_medline
    assert reader_for(written(tmp_path / "b.xml.gz", "<MedlineCitationSet/>")) is read_medline
    assert reader_for(written(tmp_path / "c.xml", "<article/>")) is read_jats
    assert reader_for(written(tmp_path / "c.nxml", "<article/>")) is read_jats
    assert reader_for(written(tmp_path / "d.xml.gz", "<pmc-articleset/>")) is read_jats
    with pytest.raises(UnreadableFile, match="its root <eSearchResult> is not"):
        reader_for(written(tmp_path / "e.xml", "<eSearchResult/>"))


def test_an_unknown_suffix_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(UnreadableFile, match=r"report\.dcm.*\.pdf, \.docx, \.pptx, \.xlsx, \.epub, .*\.xml\.gz"):
        reader_for(Path("report.dcm"))


@each_row(
    ("name", "remedy"),
    [("a.doc", ".docx"), ("a.RTF", ".docx"), ("a.odt", ".docx"), ("a.xls", ".xlsx"), ("a.odp", ".pptx")],
)
def test_a_document_of_another_program_is_told_with_what_to_save_it_as(tmp_path: Path, name: str, remedy: str) -> None:
    written(tmp_path / name, b"what it holds")
    assert list_files([tmp_path]).files == [tmp_path / name]
    with pytest.raises(UnreadableFile, match=rf"save it again as \{remedy}\.$"):
        reader_for(tmp_path / name)


def test_the_files_below_a_folder_are_found_sorted_once_and_without_the_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "sub/c.jsonl", ".hidden.md", ".git/d.md", "sub/image.png", "b.digest.md", "odd.dcm"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    expected = [tmp_path / "a.txt", tmp_path / "b.md", tmp_path / "sub" / "c.jsonl"]
    assert list_files([tmp_path, tmp_path / "b.md"]).files == expected
    assert list_files([tmp_path / "odd.dcm"]).files == [tmp_path / "odd.dcm"], "its reader says why it cannot be read"


def test_a_folder_of_nothing_gives_no_files(tmp_path: Path) -> None:
    assert list_files([tmp_path]).files == []


def test_how_far_a_reader_is_can_be_heard_in_bytes_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(b'{"_id": "%d", "text": "Gout hurts."}\n' % n for n in range(50_000))))
    heard: list[int] = []
    asked = BYTES_READ.set(heard.append)
    try:
        assert sum(1 for _ in reader_for(path)(path, "own")) == 50_000
    finally:
        BYTES_READ.reset(asked)
    assert heard == sorted(heard)
    assert len(set(heard)) > 5
    assert heard[-1] == path.stat().st_size


@each_row("name", ["a.jsonl", "a.jsonl.gz", "a.md", "a.txt", "a.nxml", "a.xml"])
def test_an_empty_file_is_unreadable(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(UnreadableFile, match=r"it contains no document|XML is invalid|no XML"):
        read(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        read(tmp_path / "pipe.jsonl")


def test_a_file_that_vanished_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        read(tmp_path / "gone.jsonl")


def test_what_was_whole_before_a_truncated_archive_breaks_off_goes_in(tmp_path: Path) -> None:
    rows = "".join(f'{{"_id":"{n}","text":"{os.urandom(400).hex()}"}}\n' for n in range(300))
    whole = gzip.compress(rows.encode())
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    *kept, fault = read(tmp_path / "cut.jsonl.gz")
    assert 100 < len(kept) < 200
    assert isinstance(fault, UnreadablePart)
    assert fault.where == f"after {len(kept)} documents"
    assert "incomplete" in fault.reason


def test_an_archive_of_which_nothing_can_be_read_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(TWO_ROWS.encode())[:15])
    with pytest.raises(UnreadableFile, match="incomplete or damaged"):
        read(tmp_path / "cut.jsonl.gz")


def test_packed_bytes_are_unpacked_whatever_the_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(TWO_ROWS.encode()))
    (tmp_path / "plain.jsonl.gz").write_text(TWO_ROWS)
    assert [d.text for d in documents(tmp_path / "packed.jsonl")] == ["one", "two"]
    assert [d.text for d in documents(tmp_path / "plain.jsonl.gz")] == ["one", "two"]


@each_row(
    ("given", "date"),
    [
        (2022, "2022"),
        ("2022-05", "2022-05"),
        ("2022-05-03T10:00:00Z", "2022-05-03"),
        ("2022-13-01", "2022"),
        (None, ""),
        ("20221", ""),
        ("about 1999", ""),
    ],
)
def test_a_date_is_as_precise_as_it_is_given(given: object, date: str) -> None:
    assert parse_iso_date(given) == date


def test_fields_are_found_under_the_names_that_people_give_them() -> None:
    fields = {"organization": "WHO", "link": "http://x", "doi": "doi: 10.1/A", "year": 1999, "author": "A; B"}
    card = build_reference(fields, id="i", title="t", kind="own", depth="full text")
    assert (card.organisation, card.url, card.doi, card.year, card.authors) == (
        "WHO",
        "http://x",
        "10.1/A",
        1999,
        ("A", "B"),
    )


def test_every_fixture_of_ours_is_read() -> None:
    assert list(titles(documents(DATA / "trial.nxml"))) == ["Salt and sugar: a trial*"]
    assert list(titles(documents(DATA / "note.md"))) == ["A note on salt"]
