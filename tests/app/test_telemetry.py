"""Reports of libraries: off in every process that imports the package, whatever the environment said before."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tables import each_row
from wellsourced.telemetry import OPT_OUTS

ALLOWED = dict.fromkeys(OPT_OUTS, "0")
"""An environment in which everything may report."""

QUIET = {"GITHUB_ACTIONS": "true"}
"""onnxruntime keeps quiet by itself where software is built: nothing is reported by a test of its being late."""


def run_python(lines: str, user: Path, **environment: str) -> str:
    """What a fresh process prints whose user's folders are these."""
    user.mkdir(exist_ok=True)
    paths = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    words = [sys.executable, "-c", lines]
    done = subprocess.run(words, env={**paths, "HOME": str(user), **environment}, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode() + done.stderr.decode()


@each_row(
    "door", ["import wellsourced", "import wellsourced.app.cli", "from wellsourced.encoders.minilm import MiniLM"]
)
def test_reports_are_off_through_every_door_and_in_processes_that_are_started(door: str, tmp_path: Path) -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import onnxruntime'], check=True)"
    told = run_python(f"{door}; import onnxruntime, os; {child}; print(dict(os.environ))", tmp_path / "user", **ALLOWED)
    assert all(f"'{name}': '{value}'" in told for name, value in OPT_OUTS.items())
    assert list((tmp_path / "user").iterdir()) == []


def test_who_imported_onnxruntime_before_is_told_that_it_may_report(tmp_path: Path) -> None:
    told = run_python("import onnxruntime, wellsourced", tmp_path / "user", **QUIET)
    assert "LateOptOut: onnxruntime was imported before wellsourced" in told
    quiet = run_python("import onnxruntime, wellsourced", tmp_path / "user", **QUIET, ORT_DISABLE_TELEMETRY="1")
    assert quiet == ""
