"""A library whose passages are found by another machine: what is written and quoted is the catalogue's, whatever that
machine has taken, lost or made up."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from tests.exact_engine import ExactEngine, ExactStore
from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document, word
from tests.tables import each_row
from wellsourced.errors import SettingsError, SourceUnavailable
from wellsourced.sources.library import Library
from wellsourced.sources.library.engines import EngineAddress, IndexedPassage, PassageFilter, PassageFinder, Ranking
from wellsourced.types import Query

URL = "exact://search.test:9200/mine"
ENCODER = HashedEncoder()


def query(number: int) -> Query:
    return Query(terms=(word(number),))


class Machine:
    """The machine at that address, as a library is given it."""

    def __init__(self) -> None:
        self.store = ExactStore()
        self.asked: list[EngineAddress] = []

    def open(self, address: EngineAddress) -> PassageFinder:
        self.asked.append(address)
        return ExactEngine(self.store)


async def make(root: Path, machine: Machine, size: int = 30) -> Library:
    Library.create(root, "mine", "own", ENCODER, engine=URL)
    library = Library.at(root, "mine", ENCODER, write=True, open_engine=machine.open)
    await library.add([document(number) for number in range(size)])
    await library.embed_passages()
    return library


async def first(library: Library, number: int) -> str:
    hits = (await library.search(query(number), 5)).hits
    return hits[0].passage.reference.id if hits else ""


async def test_it_is_searched_there_and_its_words_are_here(tmp_path: Path) -> None:
    machine = Machine()
    library = await make(tmp_path, machine)
    (address,) = machine.asked
    assert (address.url, address.library, len(address.owner)) == (URL, "mine", 32)
    (hit, *_) = (await library.search(query(7), 5)).hits
    assert hit.passage.text == document(7).text
    assert (await library.describe())[2:5] == (30, 30, 30)
    assert not await library.backlog()
    await library.remove(["doc:7"])
    assert await first(library, 7) != "doc:7"
    await library.add([document(3, edition=1)])
    assert await library.find_unsearchable() == []
    assert await library.embed_passages() == 1
    library.close()
    assert [path.name for path in sorted((tmp_path / "mine").glob("*passages*"))] == []


async def test_both_engines_find_the_same(tmp_path: Path) -> None:
    there = await make(tmp_path / "there", Machine())
    Library.create(tmp_path / "here", "mine", "own", ENCODER)
    here = Library.at(tmp_path / "here", "mine", ENCODER, write=True)
    await here.add([document(number) for number in range(30)])
    await here.embed_passages()
    for number in range(5):
        hits = [(await library.search(query(number), 10)).hits for library in (there, here)]
        assert [hit.passage for hit in hits[0]] == [hit.passage for hit in hits[1]]
    there.close()
    here.close()


@each_row("failing", ["replace", "replace half", "count", "prepare"])
async def test_what_was_half_taken_is_pending_and_the_next_writer_finishes_it(tmp_path: Path, failing: str) -> None:
    machine = Machine()
    library = await make(tmp_path, machine)
    machine.store.away.add(failing)
    with pytest.raises(SourceUnavailable):
        await library.add([document(number, edition=1) for number in range(40)])
    library.close()
    machine.store.away.clear()
    reader = Library.at(tmp_path, "mine", ENCODER, open_engine=machine.open)
    if failing.startswith("replace"):
        assert "not searchable yet" in (await reader.backlog()).describe()
        # Old passages of documents that have changed are not shown: their place may be of other words now.
        assert {hit.passage.text for hit in (await reader.search(query(3), 50)).hits} <= {
            document(number, edition=1).text for number in range(40)
        }
    writer = Library.at(tmp_path, "mine", ENCODER, write=True, open_engine=machine.open)
    await writer.add([document(number, edition=1) for number in range(40)])
    assert await writer.find_unsearchable() == []
    assert not await writer.backlog()
    assert (await writer.describe()).passages == 40
    writer.close()
    reader.close()


async def test_who_cannot_be_asked_is_told_and_finds_nothing_in_silence(tmp_path: Path) -> None:
    machine = Machine()
    library = await make(tmp_path, machine)
    machine.store.away.add("rank")
    with pytest.raises(SourceUnavailable, match="does not answer"):
        await library.search(query(7), 5)
    # What is in the catalogue can be read all the same.
    assert (await library.open("doc:7")).text == document(7).text
    library.close()


async def test_what_the_machine_lost_is_made_again(tmp_path: Path) -> None:
    machine = Machine()
    (await make(tmp_path, machine)).close()
    for id in [*machine.store.passages][:10]:
        del machine.store.passages[id]
    reader = Library.at(tmp_path, "mine", ENCODER, open_engine=machine.open)
    assert (await reader.backlog()).describe() == "10 passages not indexed correctly"
    reader.close()
    writer = Library.at(tmp_path, "mine", ENCODER, write=True, open_engine=machine.open)
    await writer.maintain()
    assert await writer.find_unsearchable() == []
    machine.store.passages.clear()
    await writer.rebuild()
    assert await first(writer, 7) == "doc:7"
    assert await writer.embed_passages() == 30
    writer.close()


async def test_a_machine_cannot_make_up_words_nor_move_them(tmp_path: Path) -> None:
    machine = Machine()
    library = await make(tmp_path, machine)
    real = next(one for one in machine.store.passages.values() if one.document_id == "doc:7")

    class Liar(ExactEngine):
        async def rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> Ranking:
            true = (await super().rank_by_words(text, also, wanted, limit)).passages
            lies = [
                IndexedPassage("doc:7#5-999999", real.document_hash),
                IndexedPassage("doc:7#-5-9", real.document_hash),
                IndexedPassage("doc:7#9-5", real.document_hash),
                IndexedPassage("doc:7", real.document_hash),
                IndexedPassage("", 0),
                IndexedPassage("doc:8#0-20", real.document_hash),
                IndexedPassage("doc:nobody#0-20", real.document_hash),
            ]
            return Ranking([*(true[0]._replace(passage=lie) for lie in lies), *true], ("1 of 3 shards did not answer",))

    liar = Library.at(tmp_path, "mine", open_engine=lambda _: Liar(machine.store))
    found = await liar.search(query(7), 50)
    texts = {f"doc:{number}": document(number).text for number in range(30)}
    assert found.hits
    assert all(hit.passage.text == texts[hit.passage.reference.id] for hit in found.hits)
    assert found.notes[0] == "1 of 3 shards did not answer"
    assert "doc:7" in found.notes[1]
    liar.close()
    library.close()


async def test_words_that_may_identify_a_person_are_taken_out_before_anything_is_asked(tmp_path: Path) -> None:
    machine = Machine()
    library = await make(tmp_path, machine)
    seen: list[object] = []

    class Discreet(ExactEngine):
        def clear_query(self, query: Query) -> Query:
            return query.model_copy(update={"terms": tuple(term for term in query.terms if term != "Smith")})

        async def rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> Ranking:
            seen.append(text)
            return await super().rank_by_words(text, also, wanted, limit)

        async def rank_by_vector(self, vector: np.ndarray, wanted: PassageFilter, limit: int) -> Ranking:
            seen.append(vector.tolist())
            return await super().rank_by_vector(vector, wanted, limit)

    reader = Library.at(tmp_path, "mine", ENCODER, open_engine=lambda _: Discreet(machine.store))
    found = await reader.search(Query(terms=("Smith", word(7))), 5)
    assert seen == [word(7), ENCODER.encode([word(7)], "query")[0].tolist()]
    assert found.notes == ("search.test:9200 was asked without words that may identify a person",)
    assert (await reader.search(query(7), 5)).notes == ()
    reader.close()
    library.close()


def test_without_a_connection_it_is_not_opened_and_not_locked(tmp_path: Path) -> None:
    asyncio.run(make(tmp_path, Machine())).close()
    for _ in range(2):
        with pytest.raises(SettingsError, match=r"is searched at exact://search\.test:9200/mine"):
            Library.at(tmp_path, "mine", write=True)
