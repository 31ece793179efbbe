"""No entry of a folder keeps the others out: each that cannot go in is listed with its reason."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from wellsourced.app.cli import command_line
from wellsourced.errors import InaccessibleFile
from wellsourced.events import Event, FileFailed
from wellsourced.ingest import ingest_files
from wellsourced.readers.file_listing import list_files, list_unknown_files
from wellsourced.sources.library import Library

SOUND = "# Gout\n\nColchicine shortens flares of gout.\n"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    Library.create(tmp_path / "libraries", "mine", "own")
    library = Library.at(tmp_path / "libraries", "mine", write=True)
    yield library
    library.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one sound file and every entry that cannot go in."""
    folder, outside = tmp_path / "files", tmp_path / "outside"
    (folder / "within").mkdir(parents=True)
    outside.mkdir()
    (folder / "sound.md").write_text(SOUND)
    (folder / "within" / "other.md").write_text(SOUND.replace("Gout", "More"))
    (outside / "secret.txt").write_text("The password is 1234.")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text(SOUND)
    Path(os.fsdecode(os.fsencode(folder) + b"/d\xe9pot")).mkdir()
    (folder / "one.md").symlink_to("two.md")
    (folder / "two.md").symlink_to("one.md")
    (folder / "out.txt").symlink_to(outside / "secret.txt")
    (folder / "out").symlink_to(outside)
    (folder / "round").symlink_to(folder)
    (folder / "again.md").symlink_to("sound.md")
    (folder / "sound.digest.md").symlink_to(outside / "secret.txt")
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "socket.md"))
    return folder


REASONS = {
    "caf\\xe9.md": "its name is not UTF-8",
    "d\\xe9pot": "its name is not UTF-8",
    "one.md": "it is a link to itself",
    "two.md": "it is a link to itself",
    "out.txt": "it is a link out of this folder",
    "out": "it is a link out of this folder",
    "pipe.md": "it is not a regular file",
    "socket.md": "it is not a regular file",
}


async def test_every_entry_that_cannot_go_in_is_listed_with_its_reason_and_the_rest_goes_in(
    library: Library, folder: Path
) -> None:
    told: list[Event] = []
    ended = await ingest_files(library, [folder], told.append)
    assert {event.path.name: event.reason for event in told if isinstance(event, FileFailed)} == REASONS
    assert (ended.failed, ended.documents) == (len(REASONS), 2)  # a link to a file that is there is no other file
    assert "password" not in str([await library.open(hit) for hit in await _ids(library)])
    assert (await ingest_files(library, [folder])).skipped == 3


async def _ids(library: Library) -> list[str]:
    from wellsourced.types import Query

    return [hit.passage.reference.id for hit in (await library.search(Query(terms=("gout",)), 9)).hits]


def test_a_link_that_is_named_itself_is_followed(folder: Path) -> None:
    assert list_files([folder / "out.txt"]).files == [folder / "out.txt"]
    assert list_files([folder / "one.md"]).left_out[0].reason == "it is a link to itself"
    assert folder / "out" / "secret.txt" in list_files([folder / "out"]).files


@pytest.mark.skipif(not hasattr(os, "fork") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_may_not_be_entered_is_listed_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "files" / "closed").mkdir(parents=True)
    (tmp_path / "files" / "closed" / "a.md").write_text(SOUND)
    (tmp_path / "files" / "open.md").write_text(SOUND)
    (tmp_path / "files" / "closed").chmod(0)
    for one in (tmp_path, *tmp_path.parents[:3]):
        one.chmod(one.stat().st_mode | 0o055)
    os.seteuid(65534)
    try:
        files, left_out = list_files([tmp_path / "files"])
        passed = list_unknown_files([tmp_path / "files"])
    finally:
        os.seteuid(0)
    assert [path.name for path in files] == ["open.md"]
    assert [(type(error), error.path.name) for error in left_out] == [(InaccessibleFile, "closed")]
    assert "Permission denied" in left_out[0].reason and passed == []


def test_check_does_not_wait_for_a_pipe_that_nobody_writes_into(folder: Path) -> None:
    done = CliRunner().invoke(command_line, ["check", str(folder / "pipe.md")])
    assert done.exit_code == 2
    assert "is not a regular file" in done.output
