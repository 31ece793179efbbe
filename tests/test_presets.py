"""Presets: settings that belong together, under one name."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from tests.world import TRIAL
from wellsourced import config
from wellsourced.config.loader import flatten_tables
from wellsourced.context import Context
from wellsourced.errors import SettingsError
from wellsourced.sources.library import Library


@pytest.fixture(autouse=True)
def _no_file_but_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@each_row("name", [one.name for one in config.list_presets()])
def test_every_preset_says_what_it_is_for_and_sets_what_can_be_set(name: str) -> None:
    chosen = config.find_preset(name)
    assert chosen.about.endswith(".")
    assert dict(flatten_tables(chosen.settings)).keys() <= config.describe_settings().keys()
    assert config.load({"preset": name}).preset == name


def test_what_is_set_beside_a_preset_counts_more_than_what_the_preset_says() -> None:
    assert config.load({"preset": "words"}).encoder == "none"
    assert config.load({"preset": "words", "encoder": "minilm"}).encoder == "minilm"


def test_a_preset_among_the_flags_counts_more_than_the_file(tmp_path: Path) -> None:
    (tmp_path / config.SETTINGS_FILE).write_text('encoder = "minilm"\nthreads = 7\n')
    settings = config.load({"preset": "words"})
    assert (settings.encoder, settings.threads) == ("none", 7)


def test_a_preset_in_the_file_counts_less_than_what_else_the_file_says(tmp_path: Path) -> None:
    (tmp_path / config.SETTINGS_FILE).write_text('preset = "words"\nreranker = "splade"\n')
    settings = config.load()
    assert (settings.encoder, settings.reranker) == ("none", "splade")
    told = {row.name: row.place for row in config.explain_settings()}
    assert told["encoder"] == "in the preset words"


def test_an_unknown_preset_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"No preset “word”\. Presets: words"):
        config.load({"preset": "word"})


@each_row(
    ("typed", "meant"),
    [
        ("lins-herd", "lins-ebm"),
        ("lins-mairag", "lins"),
        ("omni-q2d", "omni-query2doc"),
        ("omni-prompt", "omni-prompting"),
    ],
)
def test_a_preset_by_the_name_of_its_paper_is_guessed(typed: str, meant: str) -> None:
    with pytest.raises(SettingsError, match=rf"Presets: {meant}\b"):
        config.find_preset(typed)


async def test_a_preset_for_check_answers_no_questions() -> None:
    with pytest.raises(SettingsError, match=r"sourcecheckup is for check"):
        await opened({"preset": "sourcecheckup"})


def test_tiers_are_written_in_one_line_where_there_are_no_lists() -> None:
    tiers = config.load({"policy.tiers": "guideline > pubmed, * > web"}).policy.tiers
    assert tiers == (("guideline",), ("pubmed", "*"), ("web",))


def test_lins_has_all_its_passages_judged_in_one_call() -> None:
    settings = config.load({"preset": "lins"})
    assert settings.policy.passages <= settings.read.batch


@pytest.fixture
def mine() -> str:
    root = config.load().home / "libraries"
    Library.create(root, "mine", "own", None)
    with closing(Library.at(root, "mine", None, write=True)) as made:
        asyncio.run(made.add([TRIAL]))
    return "mine"


BARE = {"encoder": "none", "guidelines": False, "reranker": "none"}


async def opened(settings: dict[str, Any], *libraries: str) -> Context:
    async with config.open_context(config.load({**BARE, **settings}), libraries=libraries) as context:
        return context


@each_row(
    ("settings", "sources", "left_out"),
    [
        ({"preset": "lins"}, ["mine", "pubmed"], ()),
        ({"preset": "rag", "live": "pubmed"}, ["mine"], ("pubmed",)),
        ({"live": "pubmed"}, ["mine"], ("pubmed",)),
        ({"preset": "lins", "live": ""}, ["mine"], ()),
    ],
)
async def test_a_library_that_is_named_beside_a_preset_is_asked_together_with_the_sources_of_the_preset(
    mine: str, settings: dict[str, Any], sources: list[str], left_out: tuple[str, ...]
) -> None:
    context = await opened(settings, mine)
    assert [one.name for one in context.sources] == sources
    assert context.left_out == left_out


async def test_a_web_source_that_is_not_set_up_is_told_and_another_takes_its_place(mine: str) -> None:
    context = await opened({"preset": "lins-moe", "searxng.url": "http://127.0.0.1:1"}, mine)
    assert [one.name for one in context.sources] == ["mine", "searxng"]
    gap, *_ = context.setup_gaps
    assert (gap.source, gap.status) == ("brave", "not configured")
    assert gap.reason.endswith("; searxng is asked in its place")


async def test_a_hierarchy_without_guidelines_says_so(mine: str) -> None:
    gaps = (await opened({"preset": "lins-ebm"}, mine)).setup_gaps
    assert ("guidelines", "not configured") in [(gap.source, gap.status) for gap in gaps]
    assert "guidelines" not in [gap.source for gap in (await opened({"preset": "lins"}, mine)).setup_gaps]


async def test_where_no_web_source_is_set_up_it_is_told_although_others_answer(mine: str) -> None:
    context = await opened({"preset": "lins-moe"}, mine)
    assert [one.name for one in context.sources] == ["mine"]
    assert context.setup_gaps[0].reason.endswith("; the other sources are asked in its place")
    # The web is the first tier: no answer is whole before it was its turn.
    assert context.unset_sources == frozenset()
    assert (await opened({"preset": "lins-ebm"}, mine)).unset_sources == {"brave"}
