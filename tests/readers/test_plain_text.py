"""Plain text files."""

from pathlib import Path

import pytest

from tests.readers.reading import only, parts, written
from wellsourced.errors import UnreadableFile

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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
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
