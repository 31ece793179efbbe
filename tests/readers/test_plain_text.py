"""Plain text files."""

from pathlib import Path
from textwrap import fill

import pytest

from tests.readers.reading import only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.types import Document

BODY = "Salt is eaten.\nEvery day.\n\nSugar too."


def test_a_short_first_line_that_stands_alone_is_the_title(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a_note.txt", f"\n\nOn salt\n\n{BODY}\n"), "own")
    assert document.reference.title == "On salt"
    assert document.reference.kind == "own"
    assert document.text == f"On salt\n\n{BODY}"
    assert parts(document) == [("", BODY)]


def test_a_first_line_that_runs_on_is_no_title(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a_note.txt", BODY))
    assert document.reference.title == "a note"
    assert parts(document) == [("", BODY)]


def test_a_file_of_one_line_can_be_quoted(tmp_path: Path) -> None:
    assert parts(only(written(tmp_path / "a.txt", "Take salt."))) == [("", "Take salt.")]


@each_row("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_read_in_every_common_encoding(tmp_path: Path, encoding: str) -> None:
    text = "Größe\n\nThe naïve dose is 5 µg, not more than that."
    assert only(written(tmp_path / "a.txt", text.encode(encoding))).text == text


def test_line_ends_become_newlines_and_nul_goes(tmp_path: Path) -> None:
    assert only(written(tmp_path / "a.txt", b"One\r\n\r\ntwo\x00\rthree")).text == "One\n\ntwo\nthree"


def test_bytes_that_are_not_text_are_refused_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"not UTF-8 text: invalid byte at offset 3\. Save it as UTF-8"):
        only(written(tmp_path / "a.txt", "caf\u00e9 au lait".encode("latin-1")[:4] + b"s\xff\xffx" * 3))


def test_two_files_of_one_name_have_two_ids_and_one_file_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    first = only(written(tmp_path / "Heart failure.txt", BODY))
    second = only(written(tmp_path / "sub" / "Heart failure.txt", BODY))
    again = only(written(tmp_path / "sub" / ".." / "Heart failure.txt", "Changed words."))
    assert first.reference.id.startswith("file:heart-failure-")
    assert first.reference.id != second.reference.id
    assert first.reference.id == again.reference.id


PROSE = (
    "Patients with gout take colchicine within a day of the first sign, and stop it when the pain has gone. Dr Cee "
    "halved the dose of 5 mg in Patients of Bonn who were above the age of 75 years, and in no others."
)


@each_row(
    ("text", "shown"),
    [
        # A sentence over lines of one width, and one over three short lines.
        *((fill(PROSE, width), PROSE) for width in (45, 60, 72, 80, 100)),
        (f"{fill(PROSE, 60)}\n\n{fill(PROSE[:70], 60)}", f"{PROSE}\n\n{PROSE[:70].strip()}"),
        ("The dose is halved\nwhen the pain\nis below 3.", "The dose is halved when the pain is below 3."),
        # Items, steps, short lines and columns stay lines; an item goes on where it hangs.
        ("- Take it with\n  food.\n- Rest", "- Take it with food.\n- Rest"),
        ("1. Ask\n   a. Look\n   b. Take blood\n2. Treat", "1. Ask\n   a. Look\n   b. Take blood\n2. Treat"),
        ("aspirin\nheparin\nwarfarin", "aspirin\nheparin\nwarfarin"),
        ("Dose: 5 mg\nRoute: oral", "Dose: 5 mg\nRoute: oral"),
        ("Drug      Dose\nSalt      3 g\nwater     1 l.", "Drug      Dose\nSalt      3 g\nwater     1 l."),
        ("The rash is\n→ urticaria", "The rash is\n→ urticaria"),
        ("A meta-\nanalysis.", "A meta-\nanalysis."),
        # Columns parted by tabs are a table.
        ("Drug\tDose\nSalt\t3 g\nWater\t1 l", "Drug | Dose\nSalt | 3 g\nWater | 1 l"),
        ("Drug\t\tDose\nSodium salt\t3 g", "Drug | Dose\nSodium salt | 3 g"),
        # A sentence goes on behind the end of a page, a heading does not.
        ("It is given\f\nwith food.", "It is given with food."),
        ("It ends.\fNext", "It ends.\n\nNext"),
        ("An anti\u00adinflam\u00admatory dose of 5\u00ad10 mg", "An antiinflammatory dose of 5\u00ad10 mg"),
    ],
)  # fmt: skip
def test_only_lines_that_were_wrapped_are_joined(tmp_path: Path, text: str, shown: str) -> None:
    assert only(written(tmp_path / "a.txt", f"Title\n\n{text}\n")).text == f"Title\n\n{shown}"


@each_row(
    ("data", "words", "reason"),
    [
        ("Café au lait".encode("latin-1"), "Café au lait", "(byte 3) and was read as Windows-1252"),
        ("The dose of 5 – 6 “µg” in adults".encode("cp1252"), "5 – 6 “µg”", "(byte 14) and was read as Windows-1252"),
        ("Größe für Ödeme ".encode() * 9 + b"\xff.", "�.", "1 of its bytes are not UTF-8"),
    ],
)
@each_row("name", ["a.txt", "a.md"])
def test_an_encoding_that_is_guessed_is_told(tmp_path: Path, name: str, data: bytes, words: str, reason: str) -> None:
    document, fault = read(written(tmp_path / name, data))
    assert isinstance(document, Document) and words in document.text
    assert isinstance(fault, UnreadablePart) and reason in fault.reason
