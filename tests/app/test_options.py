"""Files that commands are given."""

import os
from pathlib import Path

import pytest

from tests.app.conftest import Run


@pytest.mark.parametrize(
    "words", [("explain", "{pipe}"), ("recommend", "--patient", "{pipe}", "Gout?"), ("history", "verify", "{pipe}")]
)
def test_nobody_waits_for_a_pipe_that_nobody_writes_to(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    pipe = tmp_path / "order.txt"
    os.mkfifo(pipe)
    told = run(*(word.format(pipe=pipe) for word in words))
    assert told.exit_code == 2
    assert "is not a regular file" in " ".join(told.stderr.split())
