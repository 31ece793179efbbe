"""Answers and checkups are byte for byte what they were: a part of them at each commit, all of them at night."""

import asyncio
from pathlib import Path

import pytest

from tests.golden.runs import fill_home, run
from tests.golden.world import questions, read_expected, texts

STEP = 10
"""Every tenth question and text is asked at each commit."""


@pytest.fixture(scope="module")
def golden_home(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """A home with the guidelines and the abstracts, filled once."""
    home = tmp_path_factory.mktemp("golden") / "home"
    asyncio.run(fill_home(home, shared_data))
    return home


@pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=pytest.mark.nightly)])
def test_answers_and_checkups_are_what_they_were(golden_home: Path, shared_data: Path, step: int) -> None:
    expected = read_expected()
    asked, given = questions(shared_data), texts(shared_data)
    found = run(golden_home, asked[::step], given[::step])
    assert found == [*expected[: len(asked)][::step], *expected[len(asked) :][::step]]
