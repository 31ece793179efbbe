"""One question after another: piped in, and typed on a terminal with its keys."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.app.terminal_process import CONTROL_C, CONTROL_D, UP, TerminalProcess
from tests.servers.base import Asked, Said, serving

ASKED = "Did colchicine shorten gout flares compared with placebo?"
PATIENT = "Did colchicine shorten gout flares compared with placebo, Mrs Okafor asks?"
FINDING = "Colchicine shortened gout flares by two days compared with placebo."
COMMAND = (sys.executable, "-m", "wellsourced", "--set", "encoder=none", "--set", "guidelines=false")


def test_questions_that_are_piped_in_stand_above_their_answers(run: Run, trials: str) -> None:
    told = run("chat", "--library", trials, stdin="Does colchicine shorten gout flares?\nAnd allopurinol?\n")
    assert told.exit_code == 0, told.output
    first, second = (told.stdout.index(line) for line in ("? Does colchicine shorten", "? And allopurinol?"))
    assert first == 0 < told.stdout.index("Searched") < second


def test_an_empty_line_ends_what_is_piped_in(run: Run, trials: str) -> None:
    told = run("chat", "--library", trials, stdin="\nDoes colchicine shorten gout flares?\n")
    assert (told.exit_code, told.stdout) == (0, "")


def test_what_is_piped_in_may_say_what_is_typed(run: Run, trials: str) -> None:
    lines = ("/sources", ASKED, "/sources", "/nonsense", "/help", "/quit", "never?")
    told = run("chat", "--plain", "--library", trials, stdin="\n".join(lines))
    assert told.exit_code == 0
    assert "Nothing was answered yet." in told.stderr
    assert FINDING in " ".join(told.stdout.split())
    assert "Unknown command /nonsense. /help lists them.\n" in told.stderr
    assert "start it as: wellsourced chat --quotes | tee chat.txt" in " ".join(told.stdout.split())
    assert "never?" not in told.stdout


@pytest.fixture
def slow_pubmed() -> Iterator[str]:
    """A PubMed that says nothing for a long time."""

    def wait(_: Asked) -> Said:
        return Said(b"{}", wait=20)

    with serving(wait) as served:
        yield f"pubmed.url={served.url}/entrez/eutils/"


def test_it_is_a_conversation_at_a_terminal(trials: str, tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    with TerminalProcess([*COMMAND, "chat", "--library", trials], {"HOME": str(user)}) as talk:
        talk.wait_for("/help explains more.")
        talk.wait_for("? ")
        talk.type("\n")  # an empty line asks for nothing, and ends nothing
        talk.wait_for("? ")
        talk.type("half a quest")
        talk.wait_for("half a quest")
        talk.type_until(CONTROL_C, "/quit or Ctrl-D")
        talk.wait_for("? ")
        talk.type(ASKED + "\n")
        talk.wait_for("In short")
        talk.wait_for("\n? ")
        talk.type("/sources\n")
        talk.wait_for("Colchicine")
        talk.wait_for("\n? ")
        talk.type(UP + UP)  # what was typed before
        talk.wait_for(ASKED)
        talk.type("\x15" + CONTROL_D)
        assert talk.wait() == 0
    assert [path for path in user.rglob("*") if path.is_file() and b"Okafor" in path.read_bytes()] == []


def test_no_word_of_a_conversation_reaches_the_disk(trials: str, home: Path, tmp_path: Path) -> None:
    user = tmp_path / "user"
    user.mkdir()
    with TerminalProcess([*COMMAND, "chat", "--library", trials], {"HOME": str(user)}) as talk:
        talk.wait_for("? ")
        talk.type(PATIENT + "\n")
        talk.wait_for("Not medical advice")
        talk.wait_for("? ")
        talk.type("/quit\n")
        assert talk.wait() == 0
    written = [path for folder in (user, home) for path in folder.rglob("*") if path.is_file()]
    assert [path for path in written if b"Okafor" in path.read_bytes()] == []


def test_control_c_stops_an_answer_and_the_conversation_goes_on(trials: str, slow_pubmed: str) -> None:
    words = ("--set", slow_pubmed, "chat", "--library", trials, "--live", "pubmed")
    with TerminalProcess([*COMMAND, *words], {}) as talk:
        talk.wait_for("? ")
        talk.type(ASKED + "\n")
        talk.wait_for("Searching")
        talk.type_until(CONTROL_C, "Stopped.", seconds=10)
        talk.wait_for("? ")
        talk.type("/sources\n")
        talk.wait_for("Nothing was answered yet.")
        talk.wait_for("? ")
        talk.type(CONTROL_D)
        assert talk.wait() == 0
        assert "Traceback" not in talk.output


def test_quietly_nothing_is_said_but_answers(trials: str) -> None:
    with TerminalProcess([*COMMAND, "--quiet", "chat", "--library", trials], {}) as talk:
        assert talk.wait_for("? ") == ""
        talk.type(CONTROL_D)
        assert talk.wait() == 0


def test_control_c_ends_what_is_piped_in(trials: str, slow_pubmed: str) -> None:
    words = " ".join((*COMMAND, "--set", slow_pubmed, "chat", "--library", trials, "--live", "pubmed"))
    with TerminalProcess(["sh", "-c", f"echo '{ASKED}' | {words}"], {}) as talk:
        talk.wait_for("Searching")
        talk.type(CONTROL_C)
        talk.wait_for("wellsourced: stopped.", seconds=10)
