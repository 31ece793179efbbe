"""What every engine that finds passages keeps: the embedded one, and one that counts, which it is compared with."""

import random
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from uuid import uuid4
from zlib import crc32

import numpy as np
import pytest

from tests.exact_engine import ExactEngine, ExactStore
from wellsourced.encoders.base import Vectors, normalize_rows
from wellsourced.sources.library.embedded_engine import EmbeddedEngine
from wellsourced.sources.library.engines import IndexedPassage, NewPassage, PassageFilter, PassageFinder, Ranking
from wellsourced.text.dates import day_range

Open = Callable[[], PassageFinder]
"""Opens one more handle on the same engine, as another process would."""

ANY = PassageFilter()
WORDS = ["gout", "flare", "colchicine", "salt", "kidney", "dose", "trial", "adults", "warfarin", "tumour"]


def open_embedded(folder: Path) -> Open:
    return lambda: EmbeddedEngine(folder, write=True)


def open_embedded_by_signs(folder: Path) -> Open:
    return lambda: EmbeddedEngine(folder, write=True, exact=1)


def open_exact(_: Path) -> Open:
    store = ExactStore()
    return lambda: ExactEngine(store)


ENGINES: dict[str, Callable[[Path], Open]] = {
    "embedded": open_embedded,
    "embedded, by signs": open_embedded_by_signs,
    "exact": open_exact,
}
"""Every engine on this machine: what opens handles on one that holds nothing yet."""


@pytest.fixture(params=[*ENGINES, pytest.param("opensearch", marks=pytest.mark.opensearch)])
def open_engine(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    if request.param in ENGINES:
        return ENGINES[request.param](tmp_path)
    node, open_on = request.getfixturevalue("node"), request.getfixturevalue("open_on")
    index = f"contract-{uuid4().hex[:12]}"
    return lambda: open_on(node, index=index)


def passage(id: str, searched: str, published: str = "2020", hash: int = 1) -> NewPassage:
    return NewPassage(id, hash, day_range(published), searched)


def vectors_of(passages: Sequence[IndexedPassage | NewPassage], dim: int = 64) -> Vectors:
    """A vector for each id, which half precision holds exactly enough, and none like another."""
    rows = [np.random.default_rng(crc32(one.id.encode())).standard_normal(dim) for one in passages]
    return normalize_rows(np.array(rows, np.float32).reshape(len(rows), dim))


def corpus(size: int = 60) -> list[NewPassage]:
    """Passages of two a document, of several years and lengths."""
    drawn = random.Random(46)  # noqa: S311
    return [
        passage(f"doc:{n // 2}#{n % 2 * 100}-{n % 2 * 100 + 50}", " ".join(drawn.choices(WORDS, k=4 + n % 9)), year)
        for n, year in enumerate(drawn.choices(["2018", "2019-05", "2021-02-03", ""], k=size))
    ]


async def fill(engine: PassageFinder, passages: Sequence[NewPassage], *, encode: bool = True) -> None:
    await engine.prepare()
    await engine.replace({one.document_id for one in passages}, passages)
    if encode:
        await encode_all(engine)
    engine.refresh()


async def encode_all(engine: PassageFinder) -> list[str]:
    """Give all that has none its vector, some at a time; their ids."""
    last, ids = None, []
    while missing := await engine.list_unencoded(last, 25):
        last = missing[-1]
        ids += [one.id for one in missing]
        await engine.add_vectors(missing, vectors_of(missing))
    return ids


def ids(ranking: Ranking) -> list[str]:
    assert ranking.notes == ()
    return [one.passage.id for one in ranking.passages]


def relative(ranking: Ranking) -> list[tuple[str, float]]:
    """Ids with their scores as shares of the best, since a common factor does not matter."""
    best = max((one.score for one in ranking.passages), default=1.0)
    return [(one.passage.id, round(one.score / best, 4)) for one in ranking.passages]


FILTERS = [
    ANY,
    PassageFilter(since=date(2019, 6, 1)),
    PassageFilter(as_of=date(2019, 5, 31)),
    PassageFilter(since=date(2019, 5, 31), as_of=date(2021, 2, 2)),
    PassageFilter(exclude=("doc:3", "doc:8", "doc:nobody")),
    PassageFilter(only=tuple(f"doc:{n}" for n in range(10))),
    PassageFilter(since=date(2019, 1, 1), exclude=("doc:1",), only=("doc:1", "doc:2", "doc:4", "doc:5")),
]


@pytest.mark.parametrize("wanted", FILTERS)
async def test_words_and_vectors_rank_as_counting_does_behind_every_filter(
    open_engine: Open, wanted: PassageFilter
) -> None:
    engine, exact = open_engine(), ExactEngine(ExactStore())
    for one in (engine, exact):
        await fill(one, corpus())
    for text, also in (("gout flares", ""), ("salt and the KIDNEYS", "dose dose warfarin"), ("", "tumours")):
        found = await engine.rank_by_words(text, also, wanted, 12)
        assert relative(found) == relative(await exact.rank_by_words(text, also, wanted, 12))
    vector = vectors_of([passage("asked", "")])[0]
    near, counted = await engine.rank_by_vector(vector, wanted, 12), await exact.rank_by_vector(vector, wanted, 12)
    assert ids(near) == ids(counted)
    cosines = [[one.score for one in ranking.passages] for ranking in (near, counted)]
    assert cosines[0] == pytest.approx(cosines[1], abs=1e-3)
    engine.close()


async def test_of_equal_passages_the_first_ids_are_found(open_engine: Open) -> None:
    engine = open_engine()
    same = [passage(f"doc:{n:03}#0-9", "gout flares") for n in range(150)]
    random.Random(1).shuffle(same)  # noqa: S311
    await fill(engine, same, encode=False)
    missing = await engine.list_unencoded(None, 200)
    await engine.add_vectors(missing, np.repeat(vectors_of(missing[:1]), len(missing), axis=0))
    engine.refresh()
    first = [f"doc:{n:03}#0-9" for n in range(10)]
    assert ids(await engine.rank_by_words("gout", "", ANY, 10)) == first
    assert ids(await engine.rank_by_vector(vectors_of(missing[:1])[0], ANY, 10)) == first
    engine.close()


async def test_an_engine_that_holds_nothing_finds_nothing(open_engine: Open) -> None:
    engine = open_engine()
    await engine.prepare()
    vector = vectors_of([passage("asked", "")])[0]
    assert ids(await engine.rank_by_words("gout", "", ANY, 5)) == ids(await engine.rank_by_vector(vector, ANY, 5)) == []
    assert await engine.count() == (0, 0)
    assert await engine.count_by_document() == {}
    assert await engine.list_unencoded(None, 5) == []
    assert await engine.load_vectors([IndexedPassage("doc:1#0-9", 1)]) == {}
    engine.close()


async def test_what_is_written_is_found_by_others_after_they_look_again(open_engine: Open) -> None:
    writer, reader = open_engine(), open_engine()
    await fill(writer, corpus())
    reader.refresh()
    assert len(ids(await reader.rank_by_words("gout", "", ANY, 5))) == 5
    await writer.replace(["doc:1", "doc:2", "doc:new"], [passage("doc:new#0-9", "lithium", hash=7)])
    reader.refresh()
    (found,) = (await reader.rank_by_words("lithium", "", ANY, 5)).passages
    assert found.passage[:2] == ("doc:new#0-9", 7)
    assert await reader.count() == (57, 56)
    counts = await reader.count_by_document()
    assert counts["doc:new"] == (7, 1)
    assert counts["doc:3"] == (1, 2)
    assert not {"doc:1", "doc:2"} & counts.keys()
    vector = vectors_of([passage("doc:1#0-50", "")])[0]
    assert "doc:1#0-50" not in ids(await reader.rank_by_vector(vector, ANY, 60))
    for one in (writer, reader):
        one.close()


async def test_writing_twice_is_writing_once(open_engine: Open) -> None:
    engine = open_engine()
    for _ in range(2):
        await fill(engine, corpus())
    assert await engine.count() == (60, 60)
    for _ in range(2):
        await engine.replace([f"doc:{n}" for n in range(25)], ())
    assert await engine.count() == (10, 10)
    engine.close()


async def test_passages_of_documents_that_were_not_named_are_stored(open_engine: Open) -> None:
    engine = open_engine()
    await engine.prepare()
    await engine.replace((), corpus()[:6])
    assert (await engine.count_by_document()).keys() == {"doc:0", "doc:1", "doc:2"}
    engine.close()


async def test_passages_of_two_editions_of_a_document_are_told(open_engine: Open) -> None:
    engine = open_engine()
    await fill(engine, [passage("doc:1#0-9", "gout"), passage("doc:1#9-20", "salt", hash=2)])
    assert (await engine.count_by_document())["doc:1"][1] == -1
    engine.close()


async def test_a_vector_stays_with_its_words_and_goes_with_them(open_engine: Open) -> None:
    engine = open_engine()
    await fill(engine, [passage("doc:1#0-9", "gout flares"), passage("doc:1#9-20", "salt")])
    before = await engine.load_vectors([IndexedPassage("doc:1#0-9", 1)])
    # The first has moved, and the second says something else.
    await engine.replace(
        ["doc:1"], [passage("doc:1#4-13", "gout flares", hash=2), passage("doc:1#13-24", "sugar", hash=2)]
    )
    engine.refresh()
    (missing,) = await engine.list_unencoded(None, 5)
    assert missing[:2] == ("doc:1#13-24", 2)
    after = await engine.load_vectors([IndexedPassage("doc:1#4-13", 2), IndexedPassage("doc:1#13-24", 2)])
    assert after.keys() == {"doc:1#4-13"}
    assert np.array_equal(after["doc:1#4-13"], before["doc:1#0-9"])
    engine.close()


async def test_vectors_are_those_that_were_stored_and_of_passages_that_are_here(open_engine: Open) -> None:
    engine = open_engine()
    await fill(engine, corpus()[:10], encode=False)
    missing = await engine.list_unencoded(None, 20)
    gone = [IndexedPassage("doc:99#0-9", 1), IndexedPassage(missing[0].id, 2)]
    await engine.add_vectors([*missing[1:5], *gone], vectors_of([*missing[1:5], *gone]))
    engine.refresh()
    assert await engine.count() == (10, 4)
    asked = [IndexedPassage(one.id, 1) for one in missing] + gone[:1]
    loaded = await engine.load_vectors(asked)
    assert loaded.keys() == {one.id for one in missing[1:5]}
    wanted = vectors_of([IndexedPassage(id, 1) for id in loaded])
    assert np.allclose(np.stack([*loaded.values()]), wanted, atol=1e-3)
    engine.close()


async def test_what_has_no_vector_is_listed_part_by_part_and_document_by_document(open_engine: Open) -> None:
    engine = open_engine()
    await fill(engine, corpus(), encode=False)
    of_one = await engine.list_unencoded(None, 5, ["doc:7", "doc:nobody"])
    assert {one.id for one in of_one} == {"doc:7#0-50", "doc:7#100-150"}
    assert await engine.list_unencoded(of_one[-1], 5, ["doc:7"]) == []
    assert sorted(await encode_all(engine)) == sorted(one.id for one in corpus())
    assert await engine.list_unencoded(None, 5) == []
    engine.close()


async def test_vectors_of_another_width_come_in_the_place_of_those_that_were_dropped(open_engine: Open) -> None:
    engine = open_engine()
    await fill(engine, corpus()[:10])
    await engine.drop_vectors()
    assert await engine.count() == (10, 0)
    missing = await engine.list_unencoded(None, 20)
    await engine.add_vectors(missing, vectors_of(missing, 128))
    engine.refresh()
    found = await engine.rank_by_vector(vectors_of([missing[4]], 128)[0], ANY, 3)
    assert ids(found)[0] == missing[4].id
    engine.close()


@pytest.mark.parametrize("vectors", [True, False])
async def test_what_was_dropped_can_be_made_again(open_engine: Open, vectors: bool) -> None:
    engine = open_engine()
    await fill(engine, corpus())
    await engine.drop(vectors=vectors)
    engine.refresh()
    assert ids(await engine.rank_by_words("gout", "", ANY, 5)) == []
    await fill(engine, corpus())
    assert await engine.count() == (60, 60)
    assert len(ids(await engine.rank_by_words("gout", "", ANY, 5))) == 5
    engine.close()


AWKWARD = ['a "b" OR c#d', "x' --", "../../etc", "ü—漢字", "a/b?c=d&e#1-2", "*", "doc:1 AND doc:2"]


async def test_ids_and_words_are_data_and_no_syntax(open_engine: Open) -> None:
    engine = open_engine()
    await fill(engine, [passage(f"{id}#0-9", "gout") for id in AWKWARD])
    assert sorted(ids(await engine.rank_by_words("gout", "", ANY, 20))) == sorted(f"{id}#0-9" for id in AWKWARD)
    for id in AWKWARD:
        assert ids(await engine.rank_by_words("gout", "", PassageFilter(only=(id,)), 20)) == [f"{id}#0-9"]
        assert len(ids(await engine.rank_by_words("gout", "", PassageFilter(exclude=(id,)), 20))) == len(AWKWARD) - 1
        assert len(ids(await engine.rank_by_words(f"{id} -gout +) searched:[* TO *] \ud800", "", ANY, 20))) == 7
    await engine.replace([AWKWARD[0]], ())
    assert (await engine.count()).passages == len(AWKWARD) - 1
    engine.close()
