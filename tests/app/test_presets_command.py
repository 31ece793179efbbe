"""`wellsourced presets`: which there are, and what each sets."""

import json

from tests.app.conftest import Run
from wellsourced import config


def test_every_preset_is_listed_with_what_it_is_for(run: Run) -> None:
    told = run("presets")
    assert told.exit_code == 0, told.output
    for preset in config.presets():
        assert preset.name in told.stdout
        assert preset.about in told.stdout


def test_a_preset_is_shown_with_what_it_sets(run: Run) -> None:
    told = run("presets", "words")
    assert told.exit_code == 0, told.output
    rows = [line.split(maxsplit=1) for line in told.stdout.splitlines()[2:]]
    assert ["encoder", '"none"'] in rows
    assert ["ranker", '"none"'] in rows


def test_presets_can_be_read_by_a_program(run: Run) -> None:
    (shown,) = json.loads(run("presets", "--json", "herd").stdout)
    assert shown["name"] == "herd"
    assert shown["settings"] == config.preset("herd").settings


def test_a_preset_that_does_not_exist_is_answered_with_those_that_do(run: Run) -> None:
    told = run("presets", "herds")
    assert told.exit_code == 2
    assert "There is no preset “herds”; there is herd, " in told.stderr
