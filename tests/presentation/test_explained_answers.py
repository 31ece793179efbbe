"""How an explained order looks in a terminal."""

from tests.presentation.test_answers import ANSWER
from wellsourced.app.commands.explain import render_explanation
from wellsourced.explain.explanation import Explanation
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.types import Answer


def test_what_was_not_found_stands_with_the_answer_that_lacks_it_given_or_not() -> None:
    missing = {"not_found": ("whether to take aspirin",)}
    for follow_up in (
        ANSWER.model_copy(update=missing),
        Answer(question=ANSWER.question, abstained=True, basis="none", reason="Nothing.", **missing),
    ):
        shown = render_explanation(Explanation(order="Apixaban 5 mg.", follow_up=follow_up), TerminalPage(width=72))
        assert "Not answered here\n  Not found: whether to take aspirin\n" in shown
