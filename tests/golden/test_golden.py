"""Answers and checkups are byte for byte what they were: 200 questions and 200 texts, at night."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.golden.runs import fill_home, run
from tests.golden.world import questions, read_expected, texts
from tests.worlds import build_once


@pytest.fixture(scope="module")
def golden_home(tmp_path_factory: pytest.TempPathFactory, guidelines: Path, shared_data: Path) -> Path:
    """A home with the guidelines and the abstracts, filled once; to be copied, not used."""

    def fill(home: Path) -> None:
        shutil.copytree(guidelines, home, dirs_exist_ok=True)
        asyncio.run(fill_home(home, shared_data))

    return build_once(tmp_path_factory, "golden", fill)


@pytest.mark.nightly
@pytest.mark.parametrize("step", [20, 1])
def test_answers_and_checkups_are_what_they_were(golden_home: Path, home: Path, shared_data: Path, step: int) -> None:
    shutil.copytree(golden_home, home)
    expected = read_expected()
    asked, given = questions(shared_data), texts(shared_data)
    found = run(home, asked[::step], given[::step])
    assert found == [*expected[: len(asked)][::step], *expected[len(asked) :][::step]]
