"""Vectors of passages in two files that are mapped into memory, so that opening them costs nothing and a commit costs
what was added.

A vector has a row, which it keeps for as long as its words are in the library. `passages.vectors` holds the vectors
themselves, in half precision. `passages.signs` holds what is looked at first, in columns: the signs of the vector, the
days in which its passage was published, and the number of that passage, which is 0 for a row that is free. Which row
belongs to which passage is decided by the table of passages: what these files say of a number that it does not know
is left out.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors
from wellsourced.errors import NextStep, SourceRefused, SourceUnavailable
from wellsourced.storage.private_files import make_private_file
from wellsourced.text.dates import DayRange

VECTOR_FILE, SIGN_FILE = "passages.vectors", "passages.signs"

BLOCK_ROWS = 8_192
"""Rows whose columns lie one after the other: so many are compared while they are in the processor's cache."""

FAR = 1 << 15
"""More signs than any two vectors differ in: the distance of a row that may not be found."""

Rows: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.int64]


class VectorOwner(NamedTuple):
    """The passage that a vector belongs to, by its number, and the days of its publication."""

    number: int
    earliest: int
    latest: int


NOBODY = VectorOwner(0, 0, 0)
"""The owner of a row that is free."""


class MappedVectors(NamedTuple):
    """The files as they were when they were mapped.

    total     vectors in them
    vectors   float16 (rows, dim)
    columns   uint64 (blocks, ⌈dim / 64⌉ + 2, BLOCK_ROWS): signs, days, number
    """

    total: int
    vectors: NDArray[np.float16]
    columns: NDArray[np.uint64]

    def is_admitted(self, period: DayRange | None) -> NDArray[np.bool_]:
        """Whether each row has a vector, of a passage that may have been published in this period."""
        left_out = np.concatenate([_is_left_out(block, period) for block in self.columns])
        return ~left_out[: len(self.vectors)]

    def count_different_signs(self, vector: NDArray[np.float32], period: DayRange | None) -> NDArray[np.uint16]:
        """In how many signs each row differs from this vector; FAR for one that may not be found."""
        own = pack_signs(vector[None])[0]
        distances = np.empty((len(self.columns), BLOCK_ROWS), np.uint16)
        for block, distance in zip(self.columns, distances, strict=True):
            distance[:] = np.bitwise_count(block[0] ^ own[0])
            for signs, its in zip(block[1:-2], own[1:], strict=True):
                distance += np.bitwise_count(signs ^ its)
            distance |= _is_left_out(block, period).astype(np.uint16) * np.uint16(FAR)
        return distances.reshape(-1)[: len(self.vectors)]

    def numbers_at(self, rows: Rows) -> Numbers:
        """The numbers of the passages whose vectors these are; 0 where there is none."""
        numbers: Numbers = self.columns[rows // BLOCK_ROWS, -1, rows % BLOCK_ROWS].astype(np.int64)
        return numbers


def _is_left_out(block: NDArray[np.uint64], period: DayRange | None) -> NDArray[np.bool_]:
    left_out: NDArray[np.bool_] = block[-1] == 0
    if period:
        days = block[-2].view(np.int32).reshape(-1, 2)
        left_out |= (days[:, 1] < period.earliest) | (days[:, 0] > period.latest)
    return left_out


class VectorFiles:
    """The two files of one library. There is one writer, who says what is in them in the table afterwards.

    What a method has written is on the disk when it returns. Raises SourceRefused for files that are damaged,
    SourceUnavailable for files that cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._vectors, self._signs = folder / VECTOR_FILE, folder / SIGN_FILE
        self._remedy = NextStep("rebuild library", folder.name)

    def drop(self) -> None:
        """Delete them; who has them mapped goes on to read what they were."""
        self._vectors.unlink(missing_ok=True)
        self._signs.unlink(missing_ok=True)

    def map(self, dim: int, rows: int, total: int) -> MappedVectors | None:
        """The first rows, of vectors of so many numbers; None for none."""
        if not rows:
            return None
        try:
            vectors = np.memmap(self._vectors, np.float16, "r", shape=(rows, dim))
            columns = np.memmap(self._signs, np.uint64, "r", shape=_columns_shape(rows, dim))
        except (OSError, ValueError) as error:
            message = f"{self._vectors} is damaged or missing ({error}). No document is lost."
            raise SourceRefused(message, next_step=self._remedy) from error
        # As plain arrays: each operation on a memmap makes another, which takes longer than the operation.
        return MappedVectors(total, np.asarray(vectors), np.asarray(columns))

    def write_vectors(self, rows: Rows, vectors: Vectors | NDArray[np.float16], owners: Sequence[VectorOwner]) -> None:
        """Put vectors into rows that nobody reads, and then tell whose they are; the rows are ascending."""
        with _open_for_writing(self._vectors) as file:
            for run in _split_runs(rows):
                half = vectors[run].astype(np.float16)
                file.seek(int(rows[run[0]]) * half[0].nbytes)
                file.write(half.tobytes())
        self._write_columns(rows, np.column_stack([pack_signs(vectors), _pack_owners(owners)]), vectors.shape[1])

    def write_owners(self, owners: Mapping[int, VectorOwner], dim: int) -> None:
        """Tell whose the vectors of these rows are now."""
        rows = sorted(owners)
        self._write_columns(np.array(rows, np.int64), _pack_owners([owners[row] for row in rows]), dim)

    def _write_columns(self, rows: Rows, values: NDArray[np.uint64], dim: int) -> None:
        """Write the last columns of these rows; the number, which is the last of all, last."""
        if not len(rows):
            return
        blocks, columns, _ = _columns_shape(int(rows.max()) + 1, dim)
        with _open_for_writing(self._signs) as file:
            # Not filled: what nobody has written takes no room on the disk, and reads as rows that are free.
            file.truncate(max(blocks * columns * BLOCK_ROWS * 8, os.fstat(file.fileno()).st_size))
            for run in _split_runs(rows):
                block, row = divmod(int(rows[run[0]]), BLOCK_ROWS)
                first = block * columns + columns - values.shape[1]
                for column, value in enumerate(values[run].T):
                    file.seek(((first + column) * BLOCK_ROWS + row) * 8)
                    file.write(value.tobytes())


@contextmanager
def _open_for_writing(path: Path) -> Iterator[BufferedRandom]:
    """A file to be written in place; what was written is on the disk afterwards."""
    try:
        make_private_file(path)
        with path.open("r+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        advice = "No document is lost. Check the free disk space and try again."
        raise SourceUnavailable(f"{path} cannot be written ({error.strerror}). {advice}") from error


def pack_signs(vectors: Vectors | NDArray[np.float16]) -> NDArray[np.uint64]:
    """Whether each number of a vector is positive, a bit each: uint64 (n, ⌈dim / 64⌉)."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)


def _pack_owners(owners: Sequence[VectorOwner]) -> NDArray[np.uint64]:
    """The last two columns, uint64 (n, 2): days, and number."""
    table = np.array(owners, np.int64).reshape(-1, 3)
    days = np.ascontiguousarray(table[:, 1:], np.int32).view(np.uint64)
    return np.column_stack([days[:, 0], table[:, 0].astype(np.uint64)])


def _columns_shape(rows: int, dim: int) -> tuple[int, int, int]:
    return -(-rows // BLOCK_ROWS), -(-dim // 64) + 2, BLOCK_ROWS


def _split_runs(rows: Rows) -> list[NDArray[np.intp]]:
    """The places of rows that follow each other, in runs that lie within one block."""
    if not len(rows):
        return []
    breaks = (np.diff(rows) != 1) | (rows[1:] % BLOCK_ROWS == 0)
    return np.split(np.arange(len(rows)), np.flatnonzero(breaks) + 1)
