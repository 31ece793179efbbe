"""What is kept at home is its owner's alone, whoever wrote it and whatever the umask was."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources.corpus import document
from wellsourced import config
from wellsourced.config.paths import restrict_home_access
from wellsourced.sources.library import Library
from wellsourced.storage.private_files import (
    find_writer_pid,
    list_open_to_others,
    make_missing_folders,
    make_private_file,
    make_private_folder,
    write_private_file,
)
from wellsourced.types import Query


@pytest.fixture(autouse=True)
def _lax() -> object:
    """The umask of a machine on which everyone trusts everyone."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_up(home: Path) -> None:
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_folders_and_files_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b")
    make_private_file(tmp_path / "a" / "b" / "c")
    assert [mode(tmp_path / place) for place in ("a", "a/b", "a/b/c")] == [0o700, 0o700, 0o600]


def test_a_folder_that_is_somebody_elses_business_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    make_missing_folders(tmp_path / "shared" / "home")
    assert [mode(tmp_path / place) for place in ("shared", "shared/home")] == [0o755, 0o700]


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(NotADirectoryError):
        make_missing_folders(tmp_path / "home")


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir(mode=0o755)
    (tmp_path / "inside").mkdir(mode=0o700)
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    assert [*list_open_to_others(tmp_path / "inside")] == []


async def test_a_library_and_its_index_are_closed_to_others_also_what_other_makers_wrote(tmp_path: Path) -> None:
    Library.create(tmp_path / "home" / "libraries", "mine", "own")
    library = Library.at(tmp_path / "home" / "libraries", "mine", write=True)
    await library.add([document(number) for number in range(5)])
    await library.frequencies(["gout"])
    library.close()
    assert [*(tmp_path / "home" / "libraries" / "mine").glob("passages.*")]
    assert [*list_open_to_others(tmp_path / "home")] == []


async def test_a_home_of_an_earlier_version_is_closed_when_it_is_opened(home: Path) -> None:
    root = home / "libraries"
    Library.create(root, "mine", "own")
    library = Library.at(root, "mine", write=True)
    await library.add([document(number) for number in range(5)])
    library.close()
    (home / "egress.jsonl").write_text("")
    open_up(home)
    async with config.open_context(config.load({"guidelines": False, "encoder": "none"})) as context:
        assert (await context.sources[0].search(Query(terms=("gout",)), 5)).hits
    assert [*list_open_to_others(home)] == []


def test_a_folder_that_holds_other_things_too_is_not_closed_and_what_is_ours_in_it_is(home: Path) -> None:
    Library.create(home / "libraries", "mine", "own")
    (home / "thesis.docx").write_text("")
    home.chmod(0o755)
    (home / "libraries").chmod(0o755)
    restrict_home_access(config.load())
    assert [mode(home), mode(home / "libraries"), mode(home / "thesis.docx")] == [0o755, 0o700, 0o666]


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    write_private_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_private_file(path, "\ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_process_that_has_ended_holds_no_lock(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path = tmp_path / "lock"
    path.write_text(f"{ended.pid}\n")
    assert find_writer_pid(path) == 0
    path.write_text(f"{os.getpid()}\n")
    assert find_writer_pid(path) == os.getpid()
