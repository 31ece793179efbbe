import os
import subprocess
import sys
from pathlib import Path

from tests.skips import read_known
from tests.tables import each_row

ROOT = Path(__file__).parents[1]

CONFTEST = """
from tests.skips import SkipCounter

def pytest_configure(config):
    config.pluginmanager.register(SkipCounter(frozenset({"no piano here"})))
"""

TESTS = """
import pytest

def test_that_passes():
    pass

def test_piano():
    pytest.skip("no piano here")

@pytest.mark.skipif(True, reason="no piano here")
def test_fugue():
    raise AssertionError
"""


def run_in(folder: Path, tests: str, *options: str, ci: bool) -> subprocess.CompletedProcess[str]:
    """Run these tests with the counter, in a process without the settings of the run around it."""
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "test_music.py").write_text(tests, encoding="utf-8")
    # Of all plugins it needs the one that starts several processes.
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment |= {"CI": "true"} if ci else {}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *options, str(folder)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)


def test_skips_are_counted_by_reason_and_known_ones_fail_nothing(tmp_path: Path) -> None:
    done = run_in(tmp_path, TESTS, ci=True)
    assert done.returncode == 0, done.stdout
    assert "2 skipped: no piano here\n" in done.stdout


def test_an_unknown_reason_fails_a_run_of_the_continuous_integration_in_several_processes_too(tmp_path: Path) -> None:
    other = TESTS + '\ndef test_cello():\n    pytest.skip("no cello here")\n'
    done = run_in(tmp_path, other, "-n", "2", ci=True)
    assert done.returncode == 1, done.stdout
    assert "1 skipped: no cello here (not in tests/skips.toml)" in done.stdout
    assert "2 skipped: no piano here\n" in done.stdout


def test_a_file_that_is_skipped_whole_is_counted_and_at_a_desk_it_fails_nothing(tmp_path: Path) -> None:
    whole = 'import pytest\npytest.skip("no orchestra here", allow_module_level=True)\n'
    assert run_in(tmp_path, whole, ci=True).returncode == 1
    done = run_in(tmp_path, TESTS + whole, ci=False)
    assert done.returncode in (0, 5)
    assert "1 skipped: no orchestra here" in done.stdout


@each_row("reason", sorted(read_known()))
def test_every_known_reason_is_one_that_a_test_gives(reason: str) -> None:
    words = reason.split(" [")[0]
    assert any(words in path.read_text(encoding="utf-8") for path in ROOT.rglob("tests/**/*.py")), reason
