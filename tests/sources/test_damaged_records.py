"""A record that is damaged is left out, told with its id and what to do, and everything else is found."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.sources.corpus import document
from wellsourced.errors import SourceRefused
from wellsourced.sources.library import Library
from wellsourced.types import Document, Query, Reference

GOUT = Query(terms=("adults", "with", "gout"))
LONG = Document(reference=Reference(id="doc:long"), text="Adults with gout. " + "Their flares were treated. " * 2_000)


@pytest.fixture
async def folder(tmp_path: Path) -> AsyncIterator[Path]:
    """A library of six documents, the last of which fills many pages of its catalogue."""
    Library.create(tmp_path, "mine", "own")
    library = Library.at(tmp_path, "mine", write=True)
    await library.add([*(document(number) for number in range(5)), LONG])
    library.close()
    yield tmp_path / "mine"


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "catalogue.sqlite3")) as sql, sql:
        sql.execute(statement)


def garble(folder: Path) -> None:
    """Overwrite a page in the middle of the long document, with the number of the page that follows it."""
    path = folder / "catalogue.sqlite3"
    content = bytearray(path.read_bytes())
    at = content.rfind(b"Their flares were treated. " * 100) // 4096 * 4096 - 4096 * 2
    content[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(content))


HARMS = {
    "doc:3": "UPDATE documents SET text = 'Adults with gout have another text.' WHERE id = 'doc:3'",
    "doc:1": "UPDATE documents SET text = CAST(x'416475ff6c7473' AS TEXT) WHERE id = 'doc:1'",
    "doc:2": "UPDATE documents SET reference = '{' WHERE id = 'doc:2'",
    "doc:4": "UPDATE documents SET sections = x'00' WHERE id = 'doc:4'",
    "doc:long": "",
}


async def told(library: Library, query: Query) -> tuple[set[str], tuple[str, ...]]:
    hits, notes = await library.search(query, 60)
    return {hit.passage.reference.id for hit in hits}, notes


@pytest.mark.parametrize("harmed", HARMS)
@pytest.mark.parametrize("kind", ["text", "boolean"])
async def test_one_damaged_record_is_left_out_and_the_others_are_found(folder: Path, harmed: str, kind: str) -> None:
    change(folder, HARMS[harmed]) if HARMS[harmed] else garble(folder)
    library = Library.at(folder.parent, "mine")
    query = GOUT if kind == "text" else Query(terms=("adults AND gout",), kind="boolean")
    found, notes = await told(library, query)
    assert found == {"doc:0", "doc:1", "doc:2", "doc:3", "doc:4", "doc:long"} - {harmed}
    if kind == "text":
        (note,) = notes
        assert harmed in note
        assert "stored text is damaged" in note
    assert await library.find_damaged() == [harmed]
    with pytest.raises(SourceRefused, match=f"stored text of {harmed} is damaged.*Remove it|damaged"):
        await library.open(harmed)
    library.close()


async def test_a_passage_that_no_longer_fits_its_document_is_left_out_and_told(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "spans.sqlite3")) as sql, sql:
        sql.execute("UPDATE passages SET id = 'doc:3#999999-1000099' WHERE document_id = 'doc:3'")
    library = Library.at(folder.parent, "mine")
    found, notes = await told(library, GOUT)
    assert "doc:3" not in found
    assert "doc:2" in found
    assert "doc:3" in notes[0]
    library.close()


async def test_a_library_with_a_damaged_record_takes_new_ones_and_is_rebuilt_but_for_that_one(folder: Path) -> None:
    change(folder, HARMS["doc:3"])
    change(folder, "UPDATE documents SET state = 'pending' WHERE id = 'doc:3'")
    library = Library.at(folder.parent, "mine", write=True)
    await library.add([document(7)])
    with pytest.raises(SourceRefused, match="rebuilt without the documents whose stored text is damaged: doc:3"):
        await library.rebuild()
    found, _ = await told(library, GOUT)
    assert found == {"doc:0", "doc:1", "doc:2", "doc:4", "doc:7", "doc:long"}
    await library.remove(["doc:3"])
    await library.add([document(3)])
    assert "doc:3" in (await told(library, GOUT))[0]
    library.close()
