"""How an explained order looks in a terminal."""

from tests.presentation.test_answers import ANSWER
from wellsourced.app.messages import spell_next_step
from wellsourced.orders.explanation import Explanation
from wellsourced.presentation.explanations import build_explanation
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.types import Answer


def test_what_was_not_found_stands_with_the_answer_that_lacks_it_given_or_not() -> None:
    missing = {"not_found": ("whether to take aspirin",)}
    for follow_up in (
        ANSWER.model_copy(update=missing),
        Answer(question=ANSWER.question, abstained=True, basis="none", reason="Nothing.", **missing),
    ):
        shown = write_terminal(
            build_explanation(Explanation(order="Apixaban 5 mg.", follow_up=follow_up)),
            TerminalPage(width=72),
            spell_next_step,
        )
        assert "Not answered here\n  Not found: whether to take aspirin\n" in shown
