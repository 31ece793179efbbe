"""The API against its own description: what that allows is answered as it says, and nothing makes the server fail."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = 10
"""Requests of each way and phase: an answer takes half a second."""

NOT_SAID = "positive_data_acceptance"
"""That a question is not blank, or that the last message is a user's, no schema says: it is refused all the same."""


@pytest.mark.slow
def test_whatever_the_description_allows_is_answered_as_it_says(address: str, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("schemathesis")
    options = ["--max-examples", str(EXAMPLES), "--exclude-checks", NOT_SAID, "--request-timeout", "30"]
    options += ["--phases", "examples,coverage,fuzzing", "--seed", "18", "--no-color", "--workers", "2"]
    command = [str(program), "run", f"{address}/openapi.json", *options]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert told.returncode == 0, told.stdout[-4_000:]
    assert "Tested: 11" in told.stdout
