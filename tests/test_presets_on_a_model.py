"""Every preset runs to an answer or an honest abstention on a real, small model, whose replies are poor or none."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from pydantic_ai.models import override_allow_model_requests

from tests.models.weights import served_smollm2
from tests.world import COLCHICINE, GUIDELINE, TRIAL, WITHDRAWN
from wellsourced import config
from wellsourced.events import AnswerCompleted, Event, ModelCalled
from wellsourced.pipeline.ask import answer_question
from wellsourced.sources.library import Library
from wellsourced.types import Answer, Question

SEARCH_ALONE = {"hybrid", "words"}
"""Presets that ask no model for what they are there for."""

ALIKE = {"omni-prompting", "omni-query2doc", "omni-serts", "clinfo-s2"}
"""Presets that differ from another one only in a prompt of planning, or in a source."""

PRESETS = [
    one.name for one in config.list_presets() if not one.command and one.name not in SEARCH_ALONE | ALIKE | {"omni-spo"}
]

OPTIONS = {"yes": "It does.", "no": "It does not."}

WINDOW = 2_048

SMALL = {
    "encoder": "none",
    "guidelines": False,
    "model": "llamacpp:smollm2",
    "models.reply": 64,
    "models.window": WINDOW,
    "models.seconds": 120,
    "budget.calls": 2,
}
"""Settings with which a model of 135 million parameters is done in seconds; two calls, and the rest goes without.

One thread: on a machine that is busy otherwise, two threads of llama.cpp wait for each other most of the time.
"""

MOST = 8
TO_THE_END = {"default", "lins"}
"""Presets that may ask for nearly every step, so often."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served_smollm2(WINDOW) as address, override_allow_model_requests(True):
        yield address


@pytest.fixture
async def library() -> str:
    """A library of three documents, one of them withdrawn, in the home of this test."""
    root = config.load().home / "libraries"
    Library.create(root, "trials", "research", None)
    with closing(Library.at(root, "trials", None, write=True)) as made:
        await made.add([TRIAL, GUIDELINE, WITHDRAWN])
    return "trials"


async def asked(preset: str, question: Question, library: str, server: str) -> tuple[Answer, list[Event]]:
    heard: list[Event] = []
    calls = {"budget.calls": MOST} if preset in TO_THE_END else {}
    settings = config.load({**SMALL, **calls, "preset": preset, "llamacpp.url": server})
    async with config.open_context(settings, libraries=(library,), live=()) as context:
        return await answer_question(question, context, heard.append), heard


@pytest.mark.nightly
@pytest.mark.parametrize("preset", PRESETS)
async def test_a_preset_ends_in_statements_that_rest_on_something_or_says_why_there_are_none(
    preset: str, library: str, server: str
) -> None:
    given = (TRIAL.reference.id,) if preset == "oracle" else ()
    question = Question(text="Does colchicine shorten a gout flare?", given=given)
    found, heard = await asked(preset, question, library, server)
    assert isinstance(heard[-1], AnswerCompleted)
    assert heard[-1].answer == found
    assert found == Answer.model_validate_json(found.model_dump_json())
    assert bool(found.statements) is not found.abstained
    assert found.statements or found.reason
    assert all(bool(one.citations) is (found.basis == "evidence") for one in found.statements)
    assert not any("pubmed:2" in one.passage.id for one in found.evidence)
    calls = [event for event in heard if isinstance(event, ModelCalled)]
    assert found.spent.calls == sum(one.requests for one in calls)
    assert found.spent.calls <= (MOST if preset in TO_THE_END else SMALL["budget.calls"])


@pytest.mark.nightly
@pytest.mark.parametrize("preset", ["rag", "omni-original"])
async def test_a_choice_is_one_of_the_options_or_none(preset: str, library: str, server: str) -> None:
    found, _ = await asked(preset, Question(text=f"Is this so? {COLCHICINE}", options=OPTIONS), library, server)
    assert found.choice in {"", *OPTIONS}
