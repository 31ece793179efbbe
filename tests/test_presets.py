"""Presets: settings that belong together, under one name."""

from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced import config
from wellsourced.config.loader import flatten_tables
from wellsourced.errors import SettingsError


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
    (tmp_path / config.SETTINGS_FILE).write_text('encoder = "e5"\nthreads = 7\n')
    settings = config.load({"preset": "words"})
    assert (settings.encoder, settings.threads) == ("none", 7)


def test_a_preset_in_the_file_counts_less_than_what_else_the_file_says(tmp_path: Path) -> None:
    (tmp_path / config.SETTINGS_FILE).write_text('preset = "words"\nranker = "splade"\n')
    settings = config.load()
    assert (settings.encoder, settings.reranker) == ("none", "splade")
    told = {row.name: row.place for row in config.explain_settings()}
    assert told["encoder"] == "in the preset words"


def test_an_unknown_preset_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"No preset “word”\. Presets: words"):
        config.load({"preset": "word"})


def test_tiers_are_written_in_one_line_where_there_are_no_lists() -> None:
    tiers = config.load({"policy.tiers": "guideline > pubmed, * > web"}).policy.tiers
    assert tiers == (("guideline",), ("pubmed", "*"), ("web",))


def test_lins_has_all_its_passages_judged_in_one_call() -> None:
    settings = config.load({"preset": "lins"})
    assert settings.policy.passages <= settings.read.batch
