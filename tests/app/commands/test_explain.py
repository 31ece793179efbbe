"""How an explained order looks: the explanations first, and once what holds for all of them."""

from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.presentation.test_answers import ANSWER
from wellsourced.app.messages import spell_next_step
from wellsourced.orders.explanation import ExplainedTerm, Explanation
from wellsourced.presentation.explanations import build_explanation
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.types import Answer, Question

NOTHING = Answer(question=Question(text="What is NPO?"), abstained=True, basis="none", reason="Nothing was found.")


def terminal_text(explained: Explanation) -> str:
    return write_terminal(build_explanation(explained), TerminalPage(), spell_next_step)


TOLD = Explanation(
    order="colchicine, NPO, CBC",
    terms=(
        ExplainedTerm(term="NPO", start=12, end=15, answer=NOTHING),
        ExplainedTerm(term="colchicine", start=0, end=10, answer=ANSWER),
        ExplainedTerm(term="CBC", start=17, end=20, answer=NOTHING),
    ),
    reading_level=11.0,
)


def test_terms_without_an_explanation_stand_together_behind_those_that_have_one() -> None:
    shown = terminal_text(TOLD)
    assert shown.startswith("colchicine\n\nIn short\n")
    assert "Not explained\n  NPO: Nothing was found.\n  CBC: Nothing was found.\n" in shown
    assert shown.count("Nothing was found") == 2


def test_what_holds_for_all_terms_is_said_once() -> None:
    shown = terminal_text(TOLD)
    assert "50 passages found" not in shown
    assert shown.count("Gaps") == shown.count("Not medical advice") == 1
    assert "grade 11 by Flesch–Kincaid (grade 8 is advised for patients)" in shown


def test_an_order_without_terms_says_so() -> None:
    shown = terminal_text(Explanation(order="rest"))
    assert shown.startswith("The order has no terms that need explaining")


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x00\x00", bytes(range(128, 256)) * 4])
def test_a_file_that_is_no_text_is_not_taken_for_an_order(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "order.pdf").write_bytes(content)
    told = run("explain", str(tmp_path / "order.pdf"))
    assert told.exit_code == 2
    assert "order.pdf is not a text file. Save it as plain text (UTF-8).\n" in told.output


def test_an_order_in_an_old_encoding_is_read(run: Run, tmp_path: Path, trials: str) -> None:
    (tmp_path / "order.txt").write_bytes("Prévention de la goutte par colchicine, une fois par jour".encode("latin-1"))
    told = run("explain", "--library", trials, str(tmp_path / "order.txt"))
    assert told.exit_code in (0, 3), told.output
