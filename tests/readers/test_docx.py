"""Word files, as a reader of the page sees them."""

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.readers.reading import only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile


def word(write: Callable[[Any], None]) -> bytes:
    document = docx.Document()
    write(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def guideline(document: Any) -> None:
    document.add_heading("Salt in adults", 0)
    document.add_paragraph("Salt is eaten.")
    document.add_heading("Dose", 1)
    document.add_paragraph("Adults: 3 g", style="List Bullet")
    document.add_paragraph("with food", style="List Bullet 2")
    document.add_paragraph("Then stop.")
    document.add_heading("By weight", 2)
    table = document.add_table(2, 2)
    for number, cell in enumerate(("Weight", "Dose", "< 50 kg", "2 g")):
        table.cell(number // 2, number % 2).text = cell
    document.add_heading("Harm", 1)
    document.add_paragraph("Too much\nis harmful.")
    document.core_properties.title = "A guideline on salt"
    document.core_properties.author = "Ann Doe; Carl Roe"
    document.core_properties.modified = datetime(2021, 5, 3, tzinfo=UTC)


def test_headings_lists_and_tables_are_read_as_they_stand(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.docx", word(guideline)))
    assert document.text.startswith("Salt in adults\n\nSalt is eaten.\n\nDose\n\n")
    assert parts(document) == [
        ("", "Salt is eaten."),
        ("Dose", "- Adults: 3 g\n- with food\n\nThen stop."),
        ("Dose › By weight", "Weight | Dose\n< 50 kg | 2 g"),
        ("Harm", "Too much\nis harmful."),
    ]


def test_properties_fill_the_reference_and_when_the_file_was_made_is_no_date_of_publication(tmp_path: Path) -> None:
    reference = only(written(tmp_path / "a.docx", word(guideline)), "guideline").reference
    assert reference.title == "A guideline on salt"
    assert reference.authors == ("Ann Doe", "Carl Roe")
    assert reference.published == ""
    assert reference.kind == "guideline"
    assert reference.id.startswith("file:a-")


def test_without_properties_the_title_is_that_on_the_page(tmp_path: Path) -> None:
    def plain(document: Any) -> None:
        guideline(document)
        document.core_properties.title = "Document1"

    assert only(written(tmp_path / "a.docx", word(plain))).reference.title == "Salt in adults"


RUNS = {
    "tracked insertion": ('<w:ins><w:r><w:t xml:space="preserve">new </w:t></w:r></w:ins>', "a new dose"),
    "tracked deletion": ("<w:del><w:r><w:delText>old </w:delText></w:r></w:del>", "a dose"),
    "hidden": ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret </w:t></w:r>", "a dose"),
    "shown again": (
        '<w:r><w:rPr><w:vanish w:val="false"/></w:rPr><w:t xml:space="preserve">shown </w:t></w:r>',
        "a shown dose",
    ),
    "link": ('<w:hyperlink><w:r><w:t xml:space="preserve">linked </w:t></w:r></w:hyperlink>', "a linked dose"),
    "field": ("<w:r><w:instrText>PAGE</w:instrText></w:r>", "a dose"),
    "hyphen": ('<w:r><w:t>low</w:t><w:noBreakHyphen/><w:t xml:space="preserve">salt </w:t></w:r>', "a low-salt dose"),
}


@each_row(("xml", "text"), RUNS.values())
def test_what_is_seen_on_the_page_is_read_and_nothing_else(tmp_path: Path, xml: str, text: str) -> None:
    def write(document: Any) -> None:
        run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
        document.element.body.insert(
            0, parse_xml(f"<w:p {nsdecls('w')}>{run.format('a ')}{xml}{run.format('dose')}</w:p>")
        )

    assert only(written(tmp_path / "a.docx", word(write))).text == text


def test_a_paragraph_in_a_content_control_is_read(tmp_path: Path) -> None:
    def write(document: Any) -> None:
        inner = "<w:sdtContent><w:p><w:r><w:t>Inside.</w:t></w:r></w:p></w:sdtContent>"
        document.element.body.insert(0, parse_xml(f"<w:sdt {nsdecls('w')}>{inner}</w:sdt>"))

    assert only(written(tmp_path / "a.docx", word(write))).text == "Inside."


def repacked(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.namelist():
            new.writestr(one, change(old.read(one)) if one == name else old.read(one))
    return file.getvalue()


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    data = repacked(word(guideline), "word/document.xml", lambda xml: xml + b" " * (70 * 1024 * 1024))
    assert len(data) < 1024 * 1024
    with pytest.raises(UnreadableFile, match="contains more than 64 MB of XML"):
        read(written(tmp_path / "a.docx", data))


def test_entities_are_refused(tmp_path: Path) -> None:
    head = b'<!DOCTYPE x [<!ENTITY l SYSTEM "file:///etc/hostname">]>'
    data = repacked(word(guideline), "word/document.xml", lambda xml: xml.replace(b"?>", b"?>" + head, 1))
    with pytest.raises(UnreadableFile, match="declares entities"):
        read(written(tmp_path / "a.docx", data))


@each_row(
    ("name", "data", "reason"),
    [
        ("a.docx", b"PK\x03\x04 and no more", "not a Word file, or damaged"),
        ("a.docx", b"\xd0\xcf\x11\xe0" + bytes(600), "encrypted, or has the old binary Word format"),
        ("a.doc", b"\xd0\xcf\x11\xe0" + bytes(600), "the old binary Word format"),
        ("a.docm", b"PK", "with macros, which is not supported"),
        ("a.docx", b"", "not a Word file"),
    ],
)
def test_what_is_no_word_file_is_refused_with_the_remedy(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFile, match=f"{reason}.*save it again as .docx"):
        read(written(tmp_path / name, data))


def test_an_empty_document_holds_no_document(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="it contains no document"):
        read(written(tmp_path / "a.docx", word(lambda _: None)))
