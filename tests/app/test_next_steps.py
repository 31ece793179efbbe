"""What to do next is said at the terminal, whatever it is."""

from typing import get_args

import pytest

from wellsourced.app.messages import spell_next_step
from wellsourced.errors import NextStep, NextStepKind


@pytest.mark.parametrize("kind", get_args(NextStepKind))
def test_every_next_step_is_a_sentence_at_the_terminal(kind: NextStepKind) -> None:
    assert spell_next_step(NextStep(kind, "mine")).strip()


def test_a_key_is_set_for_the_provider_that_lacks_it() -> None:
    assert "--set openai.key=KEY" in spell_next_step(NextStep("set key", "openai"))
