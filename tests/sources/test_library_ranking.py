"""How a library ranks: by word and by meaning together, with further words, and with parts of the vectors missing."""

from pathlib import Path

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.tables import each_row
from wellsourced.sources.library import Library
from wellsourced.sources.library.engines import IndexedPassage, ScoredPassage
from wellsourced.sources.library.hybrid_search import (
    DEPTH,
    FusionWeights,
    fuse_rankings,
    load_fusion_weights,
)
from wellsourced.types import Document, Query, Reference

EVEN = FusionWeights(words=0.5, meaning=0.5)

# Invented for this test; not medical advice.
TEXTS = {
    "salt": "Salt lowered the number of flares of gout in adults.",
    "fish": "Fish oil lowered the number of flares of gout in adults.",
    "cherry": "Cherries did nothing for joints that are swollen.",
    "sleep": "Sleep was longer after a warm bath in the evening.",
}


def passage(id: str) -> IndexedPassage:
    return IndexedPassage(id, 1)


def scored(scores: dict[str, float]) -> list[ScoredPassage]:
    return [ScoredPassage(passage(id), score) for id, score in scores.items()]


def order(ranking: list[ScoredPassage]) -> list[str]:
    return [one.passage.id for one in ranking]


async def filled(root: Path, encoder: HashedEncoder | None, texts: dict[str, str] = TEXTS) -> Library:
    Library.create(root, "mine", "research", encoder)
    library = Library.at(root, "mine", encoder, write=True)
    await library.add([Document(reference=Reference(id=id), text=text) for id, text in texts.items()])
    if encoder:
        await library.embed_passages()
    return library


async def found(library: Library, query: Query, limit: int = 10) -> list[str]:
    return [hit.passage.reference.id for hit in (await library.search(query, limit)).hits]


def test_what_is_good_by_word_and_by_meaning_stands_before_what_is_best_by_one() -> None:
    words = scored({"word": 9.0, "both": 8.0, "weak": 1.0})
    cosines = {"word": 0.1, "both": 0.8, "weak": 0.1, "meaning": 0.9}
    assert order(fuse_rankings(words, [passage("meaning"), passage("both")], cosines, EVEN)) == [
        "both",
        "word",
        "meaning",
        "weak",
    ]


def test_without_vectors_the_ranking_is_that_by_word() -> None:
    words = scored({"a": 9.0, "b": 8.0})
    assert fuse_rankings(words, [], {}, EVEN) == words
    assert fuse_rankings([], [], {}, EVEN) == []


def test_a_passage_whose_vector_is_not_made_yet_counts_as_the_average_does() -> None:
    words = scored({"far": 5.0, "none": 5.0, "near": 5.0})
    assert order(fuse_rankings(words, [passage("near"), passage("far")], {"far": 0.1, "near": 0.9}, EVEN)) == [
        "near",
        "none",
        "far",
    ]


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    words = scored({"c": 5.0, "a": 5.0, "b": 5.0})
    assert order(fuse_rankings(words, [], {"a": 0.5, "b": 0.5, "c": 0.5}, EVEN)) == ["a", "b", "c"]


def test_places_beyond_the_first_do_not_change_the_scores_of_those_before() -> None:
    scores = {f"{n:04}": 100.0 - n / 10 for n in range(2 * DEPTH)}
    near = [passage(f"{n:04}") for n in range(0, 2 * DEPTH, 2)]
    cosines = {one.id: 0.9 - int(one.id) / 1000 for one in near}
    short = fuse_rankings(scored(dict(list(scores.items())[:DEPTH])), near[: DEPTH // 2], cosines, EVEN)
    both = {one.passage.id: one.score for one in fuse_rankings(scored(scores), near[: DEPTH // 2], cosines, EVEN)}
    assert {one.passage.id: both[one.passage.id] for one in short} == {one.passage.id: one.score for one in short}


def test_the_weights_that_come_with_the_package_add_up_and_use_both() -> None:
    assert load_fusion_weights().words + load_fusion_weights().meaning == pytest.approx(1.0)
    assert min(load_fusion_weights().words, load_fusion_weights().meaning) > 0.1
    assert load_fusion_weights().fitted_on


async def test_further_words_bring_up_what_only_they_name_after_what_the_query_names(tmp_path: Path) -> None:
    library = await filled(tmp_path, None)
    assert await found(library, Query(terms=("flares of gout",))) == ["salt", "fish"]
    assert await found(library, Query(terms=("flares of gout",), also=("cherries",))) == ["salt", "fish", "cherry"]
    library.close()


@each_row("encoder", [None, HashedEncoder()])
async def test_further_words_decide_between_what_the_query_finds_alike(
    tmp_path: Path, encoder: HashedEncoder | None
) -> None:
    library = await filled(tmp_path, encoder)
    for word, first in (("salt", "salt"), ("fish", "fish")):
        assert (await found(library, Query(terms=("flares of gout",), also=(word,))))[0] == first
    library.close()


@each_row("encoder", [None, HashedEncoder()])
async def test_keywords_are_words_however_they_are_parted(tmp_path: Path, encoder: HashedEncoder | None) -> None:
    library = await filled(tmp_path, encoder)
    parted = (await library.search(Query(terms=("gout flares", "salt")), 10)).hits
    assert parted == (await library.search(Query(terms=("gout", "flares salt")), 10)).hits
    assert parted[0].passage.reference.id == "salt"
    library.close()


async def test_what_is_found_by_its_words_stays_first_with_and_without_vectors(tmp_path: Path) -> None:
    for place, encoder in enumerate([None, HashedEncoder()]):
        library = await filled(tmp_path / str(place), encoder)
        assert (await found(library, Query(terms=("a warm bath in the evening",))))[0] == "sleep"
        library.close()


async def test_a_shorter_list_is_the_beginning_of_a_longer_one(tmp_path: Path) -> None:
    texts = {f"d{n}": f"Adults with gout {'ate salt ' * (n % 7)} in year {n} of trial {n % 11}." for n in range(400)}
    library = await filled(tmp_path, HashedEncoder(), texts)
    query = Query(terms=("salt in adults of trial 3",))
    longest = [hit.passage.id for hit in (await library.search(query, 60)).hits]
    for limit in (1, 5, 30):
        assert [hit.passage.id for hit in (await library.search(query, limit)).hits] == longest[:limit]
    library.close()


async def test_words_of_nothing_in_further_words_change_nothing(tmp_path: Path) -> None:
    library = await filled(tmp_path, HashedEncoder())
    plain = await found(library, Query(terms=("flares of gout",)))
    for also in ((), ("",), ("?!",), (" ", "\n")):
        assert await found(library, Query(terms=("flares of gout",), also=also)) == plain
    library.close()
