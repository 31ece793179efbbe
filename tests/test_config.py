"""Settings: where a value comes from, and what is refused. Contexts: what is opened, and what is a gap instead."""

import asyncio
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from platformdirs import user_config_path

from tests.hashed_encoder import HashedEncoder
from tests.tables import each_row
from tests.wording import find_faults
from wellsourced import config
from wellsourced.encoders.base import Encoder
from wellsourced.errors import NextStep, NotFoundError, SettingsError, SourceError, SourceRefused
from wellsourced.events import Event, Progress
from wellsourced.pipeline.ask import answer_question
from wellsourced.policy import Policy
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.sources.base import FileState
from wellsourced.sources.library import Library
from wellsourced.types import Document, Gap, Query, Question, Reference, Section


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


def place(name: str, flags: dict[str, object] | None = None) -> str:
    return next(setting.place for setting in config.explain_settings(flags) if setting.name == name)


def test_flags_beat_the_environment_which_beats_the_file_which_beats_the_defaults(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config.load().policy.passages == Policy().passages
    (folder / "wellsourced.toml").write_text("[policy]\npassages = 20\nstatements = 3\n")
    assert config.load().policy.passages == 20
    monkeypatch.setenv("WELLSOURCED_POLICY__PASSAGES", "30")
    assert config.load().policy.passages == 30
    assert config.load({"policy.passages": "40"}).policy.passages == 40
    assert config.load({"policy.passages": "40"}).policy.statements == 3


def test_every_value_says_where_it_came_from(folder: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    (folder / "wellsourced.toml").write_text("threads = 1\n")
    assert place("threads") == f"in {folder / 'wellsourced.toml'}"
    assert place("home") == "in the environment variable WELLSOURCED_HOME"
    assert place("encoder", {"encoder": "none"}) == "on the command line"
    assert place("policy.rrf_k") == "default"
    assert config.load().home == home


def test_the_users_own_file_counts_always_and_the_working_directorys_above_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = user_config_path("wellsourced", appauthor=False)
    assert own.is_relative_to(tmp_path)
    own.mkdir(parents=True)
    (own / "wellsourced.toml").write_text('encoder = "none"\n')
    assert config.load().encoder == "none"
    (folder / "wellsourced.toml").write_text("threads = 1\n")
    assert (config.load().encoder, config.load().threads) == ("none", 1)
    (folder / "wellsourced.toml").write_text('encoder = "minilm"\n')
    assert config.load().encoder == "minilm"


@each_row(
    ("name", "nearest"), [("polcy.passages", "policy.passages"), ("passagse", "policy.passages"), ("treads", "threads")]
)
def test_an_unknown_flag_is_refused_with_the_nearest_name(name: str, nearest: str) -> None:
    with pytest.raises(SettingsError, match=rf"No setting “{name}” \(on the command line\)\. Did you mean “{nearest}”"):
        config.load({name: "1"})


def test_an_unknown_key_in_the_file_is_refused_with_its_place(folder: Path) -> None:
    (folder / "wellsourced.toml").write_text("[policy]\npasages = 3\n")
    with pytest.raises(SettingsError, match=r"“policy.pasages” \(in .*wellsourced.toml\)\. Did you mean “policy.pass"):
        config.load()


def test_an_unknown_environment_variable_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLSOURCED_HOEM", "elsewhere")
    with pytest.raises(SettingsError, match=r"environment variable WELLSOURCED_HOEM\)\. Did you mean “home”"):
        config.load()


def test_an_unknown_key_is_refused_even_where_a_stronger_place_would_hide_its_table(folder: Path) -> None:
    (folder / "wellsourced.toml").write_text("[polcy]\n")
    with pytest.raises(SettingsError, match="“polcy”"):
        config.load({"policy.passages": 3})


def test_a_group_of_settings_has_no_value_of_its_own() -> None:
    with pytest.raises(SettingsError, match=r"“policy” .*is a group of settings\. Name one of them, .*policy\.tiers"):
        config.load({"policy": 3})


def test_an_empty_group_and_an_empty_variable_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "wellsourced.toml").write_text("[policy]\n# passages = 20\n\n[network]\n\n[pubmed]\n")
    monkeypatch.setenv("WELLSOURCED_ENCODER", "")
    assert config.load().policy.passages == Policy().passages
    assert config.load().encoder == "minilm"


@each_row(
    ("name", "value", "sentence"),
    [
        (
            "policy.passages",
            "many",
            "“policy.passages” cannot be 'many' (on the command line): it should be a valid integer.",
        ),
        ("condense.delta", "2", "it should be less than 1."),
        ("planner", "oracle", "it should be 'rules', 'original', 'ked', 'keywords', "),
        ("libraries", 5, "it should be a list."),
        ("home", 3, "“home” cannot be 3 (on the command line): "),
        ("home", "~nobody-of-this-name/x", "it should begin with a user who has a home folder."),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_one_plain_sentence(name: str, value: object, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        config.load({name: value})
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize("content", [b"threads = \n", b"\xff\xfe\n"])
def test_a_file_that_cannot_be_read_is_refused_with_its_path(folder: Path, content: bytes) -> None:
    (folder / "wellsourced.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=r"wellsourced\.toml (is not valid TOML: .*line 1|cannot be read)"):
        config.load()


def test_lists_are_names_with_commas_where_there_are_no_lists(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "wellsourced.toml").write_text('libraries = ["trials", "notes"]\n')
    assert config.load().libraries == ("trials", "notes")
    monkeypatch.setenv("WELLSOURCED_LIBRARIES", "guidelines, notes")
    assert config.load().libraries == ("guidelines", "notes")


def test_every_setting_has_a_meaning_that_is_short_and_plain() -> None:
    meanings = config.describe_settings()
    assert [name for name, meaning in meanings.items() if not meaning] == []
    assert {name: faults for name, meaning in meanings.items() if (faults := find_faults(meaning))} == {}


BY_WORD = {"encoder": "none"}
OWN_ONLY = {"encoder": "none", "guidelines": False}
GOUT = Question(text="Does colchicine shorten gout flares?")
SENTENCE = "Colchicine shortened gout flares by two days compared with placebo."


def trial(document_id: str = "pubmed:1", text: str = SENTENCE) -> Document:
    reference = Reference(id=document_id, title="A trial", kind="research", published="2021")
    return Document(reference=reference, text=text, sections=(Section(title="", start=0, end=len(text)),))


async def library(name: str, *documents: Document, encoder: Encoder | None = None) -> Path:
    """A library with these documents; its folder."""
    root = config.load().home / "libraries"
    Library.create(root, name, "research", encoder)
    with closing(Library.at(root, name, encoder, write=True)) as made:
        await made.add(documents)
        if encoder:
            await made.embed_passages()
    return root / name


async def test_a_context_answers_from_all_libraries_that_hold_something() -> None:
    await library("trials", trial())
    await library("notes", trial("own:1", "Ice helps, as some patients say."))
    async with config.open_context(config.load(OWN_ONLY)) as context:
        assert [source.name for source in context.sources] == ["notes", "trials"]
        assert context.setup_gaps == ()
        given = await answer_question(GOUT, context)
    assert given.tldr == SENTENCE


async def test_only_the_libraries_that_are_asked_for_are_searched() -> None:
    await library("trials", trial())
    await library("notes", trial("own:1"))
    async with config.open_context(config.load(OWN_ONLY), libraries=["notes"]) as context:
        assert [source.name for source in context.sources] == ["notes"]
        assert context.left_out == ()
    async with config.open_context(config.load({**OWN_ONLY, "libraries": "trials"})) as context:
        assert [source.name for source in context.sources] == ["trials"]


async def test_what_is_left_out_since_a_library_is_named_is_known() -> None:
    await library("notes", trial())
    settings = config.load({"live": "pubmed"})
    async with config.open_context(settings, libraries=["notes"]) as context:
        assert context.left_out == ("guidelines", "pubmed")
    async with config.open_context(settings, libraries=["notes"], live=["pubmed"]) as context:
        assert context.left_out == ("guidelines",)


async def test_a_library_that_is_asked_for_and_does_not_exist_is_refused_with_the_nearest_name() -> None:
    await library("trials", trial())
    with pytest.raises(NotFoundError, match=r"No library “trails” .*Libraries: trials"):
        async with config.open_context(config.load(OWN_ONLY), libraries=["trails"]):
            pass


async def test_an_empty_library_is_a_gap_and_the_others_answer() -> None:
    await library("trials", trial())
    await library("notes")
    async with config.open_context(config.load(OWN_ONLY)) as context:
        (gap,) = context.setup_gaps
        assert (gap.source, gap.status) == ("notes", "empty library")
        assert gap.next_step == NextStep("add files", "notes")
        assert Gap.model_validate_json(gap.model_dump_json()) == gap
        assert not (await answer_question(GOUT, context)).abstained


async def test_a_damaged_library_is_a_gap_and_the_others_answer() -> None:
    await library("trials", trial())
    damaged = await library("notes", trial("own:1"))
    for file in damaged.glob("catalogue.sqlite3*"):
        file.write_bytes(b"not a database at all, whatever its name says" * 300)
    async with config.open_context(config.load(OWN_ONLY)) as context:
        (gap,) = context.setup_gaps
        assert (gap.source, gap.status) == ("notes", "failed")
        assert "damaged" in gap.reason
        assert "next_step" not in gap.model_dump(mode="json")
        given = await answer_question(GOUT, context)
    assert not given.abstained
    assert given.gaps == (gap,)


async def test_a_library_of_another_encoder_is_searched_without_its_vectors_and_says_so() -> None:
    await library("trials", trial(), encoder=HashedEncoder())
    async with config.open_context(config.load({"guidelines": False})) as context:
        (gap,) = context.setup_gaps
        assert (gap.source, gap.status) == ("trials", "not indexed")
        assert gap.next_step == NextStep("embed library", "trials")
        assert (await context.sources[0].search(Query(terms=("colchicine",)), 5)).hits


async def test_what_was_opened_is_closed_again() -> None:
    await library("trials", trial())
    async with config.open_context(config.load(OWN_ONLY)) as context:
        (source,) = context.sources
    with pytest.raises(SourceError):
        await source.describe()


async def test_the_guidelines_are_built_on_first_use_with_progress_and_once() -> None:
    heard: list[Event] = []
    settings = config.load(BY_WORD)
    async with config.open_context(settings, emit=heard.append) as context:
        card = await context.sources[0].describe()
    assert (card.name, card.kind, card.documents) == ("guidelines", "guideline", 43)
    done = [event for event in heard if isinstance(event, Progress)]
    assert (done[-1].done, done[-1].total) == (43, 43)
    heard.clear()
    async with config.open_context(settings, emit=heard.append):
        assert heard == []


async def test_a_first_use_that_was_interrupted_goes_on() -> None:
    settings = config.load(BY_WORD)
    root = settings.home / "libraries"
    Library.create(root, "guidelines", "guideline")
    with closing(Library.at(root, "guidelines", write=True)) as begun:
        await begun.add_from("guidelines", list(islice(read_guidelines(), 10)))
    async with config.open_context(settings) as context:
        assert (await context.sources[0].describe()).documents == 43


async def test_guidelines_of_another_release_are_brought_up_to_date() -> None:
    settings = config.load(BY_WORD)
    async with config.open_context(settings):
        pass
    with closing(Library.at(settings.home / "libraries", "guidelines", write=True)) as older:
        await older.add_from("guidelines", [trial("doi:10.1000/withdrawn")])
        await older.finish_file(FileState("guidelines", 0, 0, "0.0.1"), None)
    async with config.open_context(settings) as context:
        assert (await context.sources[0].describe()).documents == 43
        with pytest.raises(NotFoundError):
            await context.sources[0].open("doi:10.1000/withdrawn")


async def test_two_first_questions_at_once_build_the_guidelines_once() -> None:
    async def documents() -> int:
        async with config.open_context(config.load(BY_WORD)) as context:
            return (await context.sources[0].describe()).documents

    assert await asyncio.gather(documents(), documents()) == [43, 43]


async def test_without_guidelines_and_libraries_there_is_nothing_to_search_and_the_answer_says_so() -> None:
    async with config.open_context(config.load(OWN_ONLY)) as context:
        given = await answer_question(GOUT, context)
    assert given.reason == "There is nothing to search: no library holds any documents."


async def test_the_graph_is_searched_by_name_and_not_unasked(tmp_path: Path, home: Path) -> None:
    edges = tmp_path / "do.edges.jsonl"
    edges.write_text('{"subject": "gout", "predicate": "has_symptom", "object": "joint swelling"}\n', encoding="utf-8")
    settings = config.load(BY_WORD)
    async with config.open_graph(settings, write=True) as graph:
        await graph.add_from(edges)

    async def sources(flags: dict[str, object], *libraries: str) -> list[str]:
        async with config.open_context(
            config.load(BY_WORD | {"guidelines": False} | flags), libraries=libraries
        ) as context:
            return [source.name for source in context.sources]

    assert await sources({}) == []
    assert await sources({}, "graph") == ["graph"]
    assert await sources({"graph": True}) == ["graph"]
    assert await sources({"libraries": "graph"}) == ["graph"]


async def test_a_graph_that_was_named_and_is_not_there_is_told() -> None:
    with pytest.raises(NotFoundError, match="No concept graph at"):
        async with config.open_context(config.load(BY_WORD), libraries=["graph"]):
            pass


def test_no_library_can_take_the_name_of_the_graph() -> None:
    with pytest.raises(SourceRefused, match="The concept graph is no library"):
        config.create_library(config.load(BY_WORD), "graph")


async def test_a_library_that_has_the_name_of_a_live_source_is_a_gap_and_never_mistaken_for_it(home: Path) -> None:
    with pytest.raises(SourceRefused, match=r"“pubmed” is the name of a network source\. Choose another name"):
        config.create_library(config.load(), "pubmed", lexical=True)
    Library.create(home / "libraries", "pubmed", "research")
    settings = config.load({"guidelines": "false", "encoder": "none", "reranker": "none"})
    async with config.open_context(settings, live=("pubmed",)) as context:
        assert [type(source).__name__ for source in context.sources] == ["SourcePrivacyFilter"]
        assert [(gap.source, gap.status) for gap in context.setup_gaps] == [("pubmed", "failed")]
