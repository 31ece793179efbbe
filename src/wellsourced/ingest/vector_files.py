"""Vectors of documents that somebody else computed, such as MedCPT's of PubMed, into a library that has the documents.

A pair of files: an array of NumPy (.npy), a row for each document, and the ids of these rows: a JSON list, or a line
for each. MedCPT's come in such pairs (embeds_chunk_0.npy, pmids_chunk_0.json).
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced.encoders.base import Vectors
from wellsourced.errors import UnreadableFile
from wellsourced.events import Emit, Progress

ROWS_AT_ONCE = 2_000
"""Rows that are read and stored at a time."""


AddVectors = Callable[[Sequence[str], Vectors], Awaitable[int]]
"""Stores vectors of documents, by their ids; of how many."""


class ImportedVectors(NamedTuple):
    """Documents that got a vector, and rows of documents that the library has not, or that have one."""

    documents: int
    left_out: int


async def import_vectors(add: AddVectors, pairs: Sequence[tuple[Path, Path]], emit: Emit) -> ImportedVectors:
    """Store the vectors of all pairs of files; none where one of them cannot be read.

    A bare number is a PMID. Raises UnreadableFile, naming the file, and what `add` raises.
    """
    opened = [(_open_array(vectors), _read_ids(ids)) for vectors, ids in pairs]
    for (array, ids), (vectors, named) in zip(opened, pairs, strict=True):
        if len(array) != len(ids):
            reason = f"it has {len(array):,} rows, and {named.name} has {len(ids):,} ids"
            raise UnreadableFile(vectors, reason, "Give each file of vectors the ids of its rows.")
    every, done, stored = sum(len(ids) for _, ids in opened), 0, 0
    for array, ids in opened:
        for start in range(0, len(ids), ROWS_AT_ONCE):
            part = ids[start : start + ROWS_AT_ONCE]
            stored += await add(part, np.asarray(array[start : start + len(part)], np.float32))
            done += len(part)
            emit(Progress(task="embedding", done=done, total=every, unit="documents"))
    return ImportedVectors(stored, every - stored)


def _open_array(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    try:
        array = np.load(path, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise UnreadableFile(path, f"not an array of NumPy ({error})", "Give a .npy file.") from error
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind != "f":
        raise UnreadableFile(path, "not a table of decimal numbers", "Give a .npy file with a row for each document.")
    return array


def _read_ids(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
        given = json.loads(text) if text.lstrip().startswith("[") else text.split()
    except (OSError, ValueError) as error:
        raise UnreadableFile(path, f"it holds no ids ({error})", "Give a JSON list, or a line for each.") from error
    return [f"pubmed:{id}" if id.isdecimal() else id for id in map(str, given)]
