"""One question after another, as they are piped in."""

from tests.app.conftest import Run


def test_questions_that_are_piped_in_stand_above_their_answers(run: Run, trials: str) -> None:
    told = run("converse", "--library", trials, stdin="Does colchicine shorten gout flares?\nAnd allopurinol?\n")
    assert told.exit_code == 0, told.output
    first, second = (told.stdout.index(line) for line in ("? Does colchicine shorten", "? And allopurinol?"))
    assert first == 0 < told.stdout.index("Searched") < second


def test_an_empty_line_ends_a_conversation(run: Run, trials: str) -> None:
    told = run("converse", "--library", trials, stdin="\nDoes colchicine shorten gout flares?\n")
    assert (told.exit_code, told.stdout) == (0, "")
