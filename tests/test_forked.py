import os
import signal
from pathlib import Path

import pytest

from tests.app.terminal_session import at_terminal
from tests.forked import ForkedCommand, run_forked


def test_a_copy_has_the_status_the_streams_and_the_environment_of_a_command(home: Path) -> None:
    assert (run_forked(["--version"]).returncode, run_forked(["--version"]).stderr) == (0, b"")
    wrong = run_forked(["nope"])
    assert wrong.returncode == 2
    assert b"No command \xe2\x80\x9cnope\xe2\x80\x9d." in wrong.stderr
    told = run_forked(["setup", "show"], environment={**os.environ, "WELLSOURCED_ENCODER": "none"})
    assert b"WELLSOURCED_ENCODER" in told.stdout
    assert b"WELLSOURCED_ENCODER" not in run_forked(["setup", "show"]).stdout


def test_a_copy_can_be_ended_as_a_process_can(home: Path) -> None:
    reading, writing = os.pipe()
    with ForkedCommand(["chat"], os.environ, (reading, None, None)) as waiting:
        assert waiting.poll() is None
        waiting.send_signal(signal.SIGKILL)
        assert waiting.wait(60) == -signal.SIGKILL
    os.close(reading)
    os.close(writing)


@pytest.mark.slow
def test_at_a_terminal_control_c_reaches_a_copy() -> None:
    with at_terminal("setup") as session:
        session.wait_for(": ")
        session.interrupt()
        assert session.finish()[0] == 130
