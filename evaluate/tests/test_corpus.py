"""A corpus is made a library once, goes on when it was cut short, and says what it lacks."""

import json
from pathlib import Path

import pytest

from wellsourced import config
from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.events import Event, FileRead, ignore_event
from wellsourced.ingest import manifest_path
from wellsourced.sources.base import FileState
from wellsourced_evaluate.beir import Topics
from wellsourced_evaluate.corpus import describe_missing, open_corpus

TEXTS = {"d1": "Colchicine shortened gout flares.", "d2": "Allopurinol prevented flares.", "d3": "Metformin helps."}


def put(path: Path, *lines: str) -> Path:
    """Lines behind what a file holds."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def moved(path: Path, to: Path) -> Path:
    return path.rename(to)


@pytest.fixture
def settings(home: Path) -> config.Settings:
    return config.load({"home": str(home), "encoder": "none"})


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return put(tmp_path / "corpus.jsonl", *(json.dumps({"_id": id, "text": text}) for id, text in TEXTS.items()))


async def test_a_file_is_read_once_and_its_library_used_again_wherever_the_file_lies(
    settings: config.Settings, corpus: Path, tmp_path: Path
) -> None:
    heard: list[Event] = []
    first = await open_corpus(str(corpus), settings, "research", heard.append)
    assert (first.name, first.documents, first.passages) == ("corpus.jsonl", 3, 3)
    assert any(isinstance(event, FileRead) for event in heard)
    elsewhere = moved(corpus, tmp_path / "moved.jsonl")
    heard.clear()
    second = await open_corpus(str(elsewhere), settings, "research", heard.append)
    assert (second.library, second.sha256) == (first.library, first.sha256)
    assert heard == []


async def test_it_lies_apart_from_the_libraries_that_questions_are_put_to(
    settings: config.Settings, corpus: Path
) -> None:
    await open_corpus(str(corpus), settings, "research", ignore_event)
    assert config.library_names(settings) == []


async def test_other_content_or_another_kind_is_another_library(settings: config.Settings, corpus: Path) -> None:
    first = await open_corpus(str(corpus), settings, "research", ignore_event)
    as_consumer = await open_corpus(str(corpus), settings, "consumer", ignore_event)
    put(corpus, '{"_id": "d9", "text": "Something else."}')
    changed = await open_corpus(str(corpus), settings, "research", ignore_event)
    assert len({first.library, as_consumer.library, changed.library}) == 3
    assert len({first.sha256, as_consumer.sha256, changed.sha256}) == 3


async def test_a_library_whose_making_was_cut_short_is_finished(settings: config.Settings, corpus: Path) -> None:
    made = await open_corpus(str(corpus), settings, "research", ignore_event)
    async with config.open_library(made.settings, made.library, write=True) as opened:
        # As a process leaves it that was killed while it read: some documents are in, and the file is not done.
        await opened.remove(["d2", "d3"])
        await opened.finish_file(FileState(manifest_path(corpus), 0, 0, "", state="reading"), None)
    again = await open_corpus(str(corpus), settings, "research", ignore_event)
    assert again.library == made.library
    assert again.documents == 3


async def test_vectors_are_made_for_the_encoder_and_words_need_none(home: Path, corpus: Path) -> None:
    both = config.load({"home": str(home), "encoder": "minilm"})
    words = config.load({"home": str(home), "encoder": "none"})
    made = await open_corpus(str(corpus), both, "research", ignore_event)
    async with config.open_library(made.settings, made.library) as opened:
        assert (await opened.describe()).vectors == 3
    # What was made for both serves for words alone too.
    assert (await open_corpus(str(corpus), words, "research", ignore_event)).library == made.library


async def test_a_library_of_ones_own_is_searched_as_it_is(settings: config.Settings, corpus: Path) -> None:
    config.create_library(settings, "trials", "research", lexical=True)
    with pytest.raises(SourceRefused, match="trials holds no document"):
        await open_corpus("trials", settings, "own", ignore_event)
    async with config.open_library(settings, "trials", write=True) as opened:
        from wellsourced.ingest import ingest_files

        await ingest_files(opened, [corpus])
    found = await open_corpus("trials", settings, "own", ignore_event)
    assert (found.library, found.documents, found.settings) == ("trials", 3, settings)


async def test_what_of_a_corpus_cannot_be_read_is_told_with_its_line_also_the_second_time(
    settings: config.Settings, corpus: Path
) -> None:
    put(corpus, "nonsense", '{"_id": "d1", "text": "Again."}')
    for _ in range(2):
        made = await open_corpus(str(corpus), settings, "research", ignore_event)
        assert made.documents == 3
        assert made.notes[0].startswith("corpus.jsonl, line 4: it is not JSON")
        assert made.notes[1] == "corpus.jsonl, line 5: the id 'd1' already belongs to an earlier record"


async def test_neither_a_file_nor_a_library_and_an_empty_file_are_refused(
    settings: config.Settings, tmp_path: Path
) -> None:
    with pytest.raises(NotFoundError, match="neither a file nor a library nothing"):
        await open_corpus("nothing", settings, "research", ignore_event)
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(SourceRefused, match=r"empty\.jsonl holds no document"):
        await open_corpus(str(empty), settings, "research", ignore_event)


async def test_relevant_documents_that_are_not_there_are_told_and_none_at_all_is_refused(
    settings: config.Settings, corpus: Path
) -> None:
    made = await open_corpus(str(corpus), settings, "research", ignore_event)
    assert await describe_missing(made, Topics({"q": "?"}, {"q": {"d1": 1, "zz": 0}}, {})) == ()
    (told,) = await describe_missing(made, Topics({"q": "?"}, {"q": {"d1": 1, "zz": 1}}, {}))
    assert told == "relevant documents that corpus.jsonl does not hold, counted as not found: 1 (zz)"
    with pytest.raises(SourceRefused, match="holds none of the relevant documents"):
        await describe_missing(made, Topics({"q": "?"}, {"q": {"pubmed:1": 1}}, {}))
