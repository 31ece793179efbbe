"""`wellsourced help presets`: which there are, and what each sets."""

from tests.app.conftest import Run
from wellsourced import config


def test_every_preset_is_listed_with_what_it_is_for(run: Run) -> None:
    told = run("help", "presets")
    assert told.exit_code == 0, told.output
    for preset in config.list_presets():
        assert preset.name in told.stdout
        assert preset.about in told.stdout


def test_a_preset_is_shown_with_what_it_sets(run: Run) -> None:
    told = run("help", "presets", "words")
    assert told.exit_code == 0, told.output
    rows = [line.split(maxsplit=1) for line in told.stdout.splitlines()[2:]]
    assert ["encoder", '"none"'] in rows
    assert ["reranker", '"none"'] in rows


def test_a_preset_that_does_not_exist_is_answered_with_those_that_do(run: Run) -> None:
    told = run("help", "presets", "lins-emb")
    assert told.exit_code == 2
    assert "No preset “lins-emb”. Presets: lins-ebm, " in told.stderr
