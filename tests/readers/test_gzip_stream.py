"""Whether a gzip archive unpacks to no more than is allowed."""

import gzip
import os
from pathlib import Path

import pytest

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import MB, read_whole_bytes


def test_an_archive_that_unpacks_to_more_than_allowed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.gz").write_bytes(gzip.compress(os.urandom(MB)) * 3)
    assert len(read_whole_bytes(tmp_path / "large.gz", 3 * MB)) == 3 * MB
    with pytest.raises(UnreadableFile, match="larger than 2 MB"):
        read_whole_bytes(tmp_path / "large.gz", 2 * MB)


def test_an_archive_of_nothing_but_zeros_is_refused_as_a_bomb(tmp_path: Path) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(10 * MB)) * 8)
    with pytest.raises(UnreadableFile, match="more than 200 times its size"):
        read_whole_bytes(tmp_path / "bomb.gz")
