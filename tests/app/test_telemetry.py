"""Reports of libraries: off in every process that imports the package, whatever the environment said before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.tables import each_row
from wellsourced.telemetry import OPT_OUTS

UNDER = Path(".cache", "Microsoft", "DeveloperTools", ".onnxruntime")
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


def report(user: Path) -> None:
    """Let onnxruntime collect as it does by itself, and end the process seconds before it would send anything."""
    run_python("import onnxruntime, os; os._exit(0)", user)
    assert (user / UNDER / "deviceid").is_file()


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


def test_doctor_names_what_reports_left_and_removes_it_only_on_request(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "user"
    report(user)
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    beside = user / ".cache" / "Microsoft" / "somebody-elses"
    beside.touch()
    named = telemetry_of(run("doctor", "--json").stdout)
    assert not named["ok"]
    assert str(user / UNDER / "deviceid") in named["says"]
    assert str(user / UNDER / "onnxruntime.db") in named["says"]
    assert "--remove-telemetry" in named["next_step"]
    removed = telemetry_of(run("doctor", "--remove-telemetry", "--json").stdout)
    assert removed["ok"]
    assert str(user / UNDER / "deviceid") in removed["says"]
    assert [path for path in user.rglob("*") if path.is_file()] == [beside]
    assert not (user / UNDER).parent.exists()
    assert telemetry_of(run("doctor", "--json").stdout)["says"].endswith("none is left on this disk.")


def telemetry_of(told: str) -> dict[str, str | bool]:
    return next(finding for finding in json.loads(told)["findings"] if finding["topic"] == "telemetry")


def test_doctor_looks_where_the_cache_folder_was_moved_to_and_follows_no_link(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(tmp_path / "user")
    elsewhere = tmp_path / "moved" / "Microsoft" / "DeveloperTools"
    elsewhere.mkdir(parents=True)
    (elsewhere / ".onnxruntime").symlink_to(tmp_path / "user" / UNDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "moved"))
    assert telemetry_of(run("doctor", "--remove-telemetry", "--json").stdout)["ok"]
    assert (tmp_path / "user" / UNDER / "deviceid").exists()
    (elsewhere / ".onnxruntime").unlink()
    (tmp_path / "user" / UNDER).rename(elsewhere / ".onnxruntime")
    assert str(elsewhere) in telemetry_of(run("doctor", "--json").stdout)["says"]
