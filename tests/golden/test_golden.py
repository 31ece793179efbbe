"""Answers and checkups are byte for byte what they were: 200 questions and 200 texts, at night."""

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.golden.runs import fill_home, run
from tests.golden.world import OFFLINE, questions, read_expected, texts
from tests.presentation.read_back import FORMS, find_losses, find_losses_in_terminal
from tests.worlds import build_once
from wellsourced import ask, config
from wellsourced.presentation.answers import build_answer


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


@pytest.mark.nightly
async def test_every_answer_is_read_back_from_every_writer(golden_home: Path, home: Path, shared_data: Path) -> None:
    shutil.copytree(golden_home, home)
    losses: list[str] = []
    async with config.open_context(config.load({"home": str(home), **OFFLINE})) as context:
        for question in questions(shared_data):
            shown = build_answer(await ask(question, context))
            losses += [loss for form in FORMS for loss in find_losses(shown, form, form.write(shown))]
            losses += find_losses_in_terminal(shown, 80)
    assert losses == []
