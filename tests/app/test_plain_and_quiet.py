"""What is printed for who cannot see colours, and for who wants the result alone: on a real terminal, and in a pipe."""

import sys
from pathlib import Path

from tests.app.conftest import Run
from tests.app.terminal_process import TerminalProcess

FINDING = "Colchicine shortened gout flares by two days compared with placebo."
ASKED = "Did colchicine shorten gout flares compared with placebo?"
COMMAND = (sys.executable, "-m", "wellsourced", "--set", "encoder=none", "--set", "guidelines=false")


def shown(*words: str) -> str:
    with TerminalProcess([*COMMAND, *words], {}, columns=50) as work:
        assert work.wait() == 0, work.output
        return work.output


def test_a_plain_answer_has_no_colours_no_progress_and_whole_lines(trials: str) -> None:
    coloured, plain = shown("ask", ASKED), shown("ask", ASKED, "--plain")
    assert "\x1b" in coloured
    assert "\x1b" not in plain
    assert not any(
        "Colchicine shortened gout flares by two days compared with placebo." in one for one in lines(coloured)
    )
    assert any("Colchicine shortened gout flares by two days compared with placebo." in one for one in lines(plain))


def lines(printed: str) -> list[str]:
    return printed.splitlines()


def test_a_quiet_answer_comes_without_progress_and_hints(trials: str) -> None:
    usual, quiet = shown("ask", ASKED), shown("--quiet", "ask", ASKED)
    assert "Opening the libraries" in usual
    assert "--receipt" in usual
    assert quiet.startswith("\x1b[1m")  # the first heading of the answer, and nothing before
    assert "--receipt" not in quiet


def test_hints_on_what_comes_next_are_left_out_where_they_are_unwanted(run: Run, tmp_path: Path) -> None:
    assert (
        run("library", "create", "one").stdout
        == "Created the library one.\nAdd files: wellsourced library add one PATH\n"
    )
    assert run("library", "create", "other", "--quiet").stdout == "Created the library other.\n"
    assert "--live NAME" in run("doctor", "--network").stdout
    assert "--live NAME" not in run("doctor", "--network", "--quiet").stdout


def test_one_command_does_not_make_the_next_one_quiet(run: Run, trials: str) -> None:
    assert "--receipt" not in run("--quiet", "ask", "--library", trials, ASKED).stdout
    assert "--receipt" in run("ask", "--library", trials, ASKED).stdout
