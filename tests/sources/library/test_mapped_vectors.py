"""Vectors in mapped files: each belongs to its passage, whatever was cut short, and free rows are used again."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document
from wellsourced.sources.library import Library
from wellsourced.sources.library.embedded_engine import EmbeddedEngine
from wellsourced.sources.library.engines import cut_document
from wellsourced.sources.library.mapped_vectors import VectorFiles
from wellsourced.sources.library.passage_table import PassageTable

ENCODER = HashedEncoder()


async def fill(root: Path) -> Library:
    Library.create(root, "mine", "own", ENCODER)
    library = Library.at(root, "mine", ENCODER, write=True)
    await library.add([document(number) for number in range(30)])
    await library.embed_passages()
    return library


def table_of(library: Library) -> PassageTable:
    assert isinstance(library._engine, EmbeddedEngine)
    return library._engine.table


async def check_vectors(library: Library) -> None:
    """Every passage has the vector of its own words, and the files say so too."""
    table = table_of(library)
    mapped = table.map_vectors()
    assert mapped
    texts = {
        passage.id: passage.searched
        for id in library.ids_of_file("")
        for passage in cut_document(await library.open(id), 0)
    }
    passages = table.find_passages(range(1, 1_000))
    rows = table.find_vector_rows(passages)
    assert {passage.id for passage in passages.values()} == texts.keys() == rows.keys()
    assert len({*rows.values()}) == len(rows) == mapped.total
    owners = mapped.numbers_at(np.array([*rows.values()]))
    assert [passages[number].id for number in owners.tolist()] == [*rows]
    wanted = ENCODER.encode([texts[id] for id in rows]).astype(np.float16)
    assert np.array_equal(mapped.vectors[[*rows.values()]], wanted)
    # What is searched is these rows and no other.
    assert int(mapped.is_admitted(None).sum()) == mapped.total


async def test_rows_that_became_free_are_written_again(tmp_path: Path) -> None:
    library = await fill(tmp_path)
    await library.remove([f"doc:{number}" for number in range(7, 12)])
    await library.add([document(number) for number in range(100, 107)])
    await library.embed_passages()
    await check_vectors(library)
    assert table_of(library).totals() == (32, 32, ENCODER.dim, 32)
    library.close()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", ["write_vectors", "write_owners"])
async def test_whatever_is_cut_short_no_passage_has_the_vector_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, after: bool
) -> None:
    class Killed(BaseException):
        """What a process that is killed does not handle."""

    def die(files: VectorFiles, *given: object) -> None:
        if after:
            whole(files, *given)
        raise Killed

    library = await fill(tmp_path)
    whole = getattr(VectorFiles, step)
    with monkeypatch.context() as patch:
        patch.setattr(VectorFiles, step, die)
        with suppress(Killed):
            # Every third has other words, and one comes back under another number.
            await library.add([document(number, edition=1) for number in range(20)])
            await library.embed_passages()
    library.close()
    again = Library.at(tmp_path, "mine", ENCODER, write=True)
    await again.maintain()
    await again.add([document(number) for number in range(200, 210)])
    await again.embed_passages()
    await check_vectors(again)
    assert await again.find_unsearchable() == []
    again.close()
