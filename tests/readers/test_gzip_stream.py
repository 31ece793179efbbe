"""Whether a gzip archive reads the same through ISA-L as through the standard library, sound or damaged."""

import gzip
import io
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import BLOCK, MB, GzipStream, read_whole_bytes

MEMBERS = st.builds(
    lambda data, times, level: gzip.compress(data * times, level, mtime=0),
    st.binary(max_size=300),
    st.sampled_from([0, 1, 40, 3_000]),
    st.sampled_from([0, 1, 6, 9]),
)
TRAILERS = st.sampled_from([b"", b"\0" * 9, b"\0" * 20_000, b"garbage", b"\x1f", b"\x1f\x8b\x08"])
SIZES = st.sampled_from([1_000, 8_192, 1 << 18])


def read_all(stream: gzip.GzipFile | GzipStream, size: int) -> tuple[bytes, str]:
    """All that is given, and the fault with its words."""
    given = bytearray()
    try:
        while data := stream.read1(size):
            given += data
    except (EOFError, OSError, zlib.error) as error:
        return bytes(given), repr(error)
    return bytes(given), ""


def assert_same(archive: bytes, size: int = 1 << 18) -> tuple[bytes, str]:
    """What both ways read of an archive, which is held to be the same."""
    ours = read_all(GzipStream(io.BufferedReader(io.BytesIO(archive))), size)
    assert ours == read_all(gzip.GzipFile(fileobj=io.BytesIO(archive)), size)
    return ours


@given(st.lists(MEMBERS, min_size=1, max_size=4), TRAILERS, SIZES)
def test_members_one_after_the_other_and_whatever_follows_them_read_the_same(
    members: list[bytes], trailer: bytes, size: int
) -> None:
    given, _ = assert_same(b"".join(members) + trailer, size)
    assert given == b"".join(map(gzip.decompress, members))


@given(st.lists(MEMBERS, min_size=1, max_size=3), SIZES, st.data())
def test_damaged_archives_give_the_same_bytes_and_the_same_fault(
    members: list[bytes], size: int, data: st.DataObject
) -> None:
    archive = bytearray(b"".join(members))
    start = data.draw(st.integers(2, len(archive)))
    archive[start : start + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    assert_same(bytes(archive), size)


def test_an_archive_cut_at_any_place_gives_what_is_whole_before_it() -> None:
    archive = gzip.compress(b"Gout hurts. " * 20, mtime=0) + gzip.compress(os.urandom(200), mtime=0)
    for end in range(2, len(archive)):
        assert_same(archive[:end])


def test_a_large_archive_cut_in_the_middle_gives_nearly_half() -> None:
    whole = os.urandom(3 * MB)
    archive = gzip.compress(whole, mtime=0)
    given, fault = assert_same(archive[: len(archive) // 2])
    assert len(given) > len(whole) // 2 - 100
    assert whole.startswith(given)
    assert fault.startswith("EOFError")


def test_a_wrong_checksum_at_the_end_is_a_fault_behind_all_bytes() -> None:
    archive = bytearray(gzip.compress(b"Gout hurts. " * 100_000, mtime=0))
    archive[-8] ^= 1
    given, fault = assert_same(bytes(archive))
    assert len(given) == 1_200_000
    assert "CRC check failed" in fault


def test_little_more_is_read_from_the_disk_than_was_asked_for() -> None:
    file = io.BufferedReader(io.BytesIO(gzip.compress(os.urandom(MB))))
    stream = GzipStream(file)
    assert stream.read1(1_000)
    assert file.tell() <= 2 * BLOCK


def test_an_archive_that_unpacks_to_more_than_allowed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.gz").write_bytes(gzip.compress(os.urandom(MB)) * 3)
    assert len(read_whole_bytes(tmp_path / "large.gz", 3 * MB)) == 3 * MB
    with pytest.raises(UnreadableFile, match="larger than 2 MB"):
        read_whole_bytes(tmp_path / "large.gz", 2 * MB)


def test_an_archive_of_nothing_but_zeros_is_refused_as_a_bomb(tmp_path: Path) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(10 * MB)) * 8)
    with pytest.raises(UnreadableFile, match="more than 200 times its size"):
        read_whole_bytes(tmp_path / "bomb.gz")


def test_without_isal_the_standard_library_reads_the_archive(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"Gout hurts."))
    code = (
        "import sys; sys.modules['isal'] = None; from pathlib import Path;"
        "from wellsourced.readers.decompressed_file import read_whole_bytes;"
        f"print(read_whole_bytes(Path({str(tmp_path / 'a.gz')!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "b'Gout hurts.'\n"
