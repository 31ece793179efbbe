"""The command as a process of its own: signals, pipes, locales, exit statuses."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.forked import run_forked

COMMAND = [sys.executable, "-m", "wellsourced"]
BY_WORD = {"WELLSOURCED_ENCODER": "none"}


def typed(*words: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return run_forked(words, stdin, with_(environment))


def typed_anew(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """As `typed`, in a process that Python starts, which reads of the environment how it speaks."""
    return subprocess.run([*COMMAND, *words], capture_output=True, env=with_(environment), timeout=120)


def with_(environment: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **BY_WORD, **environment}


def many(path: Path, number: int) -> Path:
    """A file of so many documents."""
    with path.open("w", encoding="utf-8") as file:
        for one in range(number):
            text = f"Patient {one} took colchicine for gout. " * 20
            file.write(json.dumps({"_id": f"p{one}", "title": f"Case {one}", "text": text}) + "\n")
    return path


def test_exit_statuses_tell_answered_abstained_bad_use_and_failure_apart(trials: str, corpus: Path) -> None:
    own = ("--set", "guidelines=false", "ask")
    assert typed(*own, "Did colchicine shorten gout flares?").returncode == 0
    assert typed(*own, "Who won the world cup?").returncode == 3
    assert typed(*own, "--library", "trails", "Gout?").returncode == 2
    assert typed("library", "create", trials).returncode == 1


def test_the_first_question_of_all_builds_the_guidelines_and_is_answered() -> None:
    told = typed("ask", "--json", "Is CRT recommended in patients with HFrEF and conduction delay?")
    assert told.returncode == 0, told.stderr
    assert told.stderr == b""
    assert json.loads(told.stdout)["evidence"][0]["passage"]["reference"]["depth"] == "digest"


@pytest.mark.slow
def test_control_c_stops_at_once_with_one_line_and_what_is_stored_stays_valid(tmp_path: Path, run: Run) -> None:
    path = many(tmp_path / "many.jsonl", 10_000)
    run("library", "create", "cases")
    words = [*COMMAND, "-v", "library", "add", "cases", str(path)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=with_({}), start_new_session=True, text=True) as work:
        assert work.stderr is not None
        for line in work.stderr:
            if '"task":"reading"' in line and '"documents":0' not in line:
                break
        os.killpg(work.pid, signal.SIGINT)
        rest = [line for line in work.stderr if line.strip() and " wellsourced Progress " not in line]
        assert work.wait(timeout=60) == 130
    assert rest == ["wellsourced: stopped. What was read is kept. Run the same command to continue.\n"]
    stored = json.loads(run("library", "list", "--json").stdout)[0]["documents"]
    assert 0 < stored < 10_000
    again = run("library", "add", "cases", str(path), "--json")
    assert json.loads(again.stdout)["documents"] == 10_000
    assert json.loads(run("library", "list", "--json").stdout)[0]["documents"] == 10_000


def test_a_reader_that_stops_listening_is_no_reason_to_complain() -> None:
    with subprocess.Popen(
        [*COMMAND, "setup", "show"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=with_({})
    ) as work:
        assert work.stdout is not None
        assert work.stderr is not None
        work.stdout.close()
        assert work.stderr.read() == b""


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.nightly)])
def test_json_is_utf_8_whatever_the_locale(trials: str, encoding: str) -> None:
    own = ("--set", "guidelines=false", "ask")
    told = typed_anew(*own, "--json", "Did colchicine — two days — shorten gout flares?", PYTHONIOENCODING=encoding)
    assert "— two days —" in json.loads(told.stdout.decode("utf-8"))["question"]["text"]
    shown = typed_anew(*own, "--quotes", "Did colchicine shorten gout flares?", PYTHONIOENCODING=encoding)
    assert shown.returncode == 0
    assert b"Colchicine shortened" in shown.stdout


def test_a_document_is_printed_byte_for_byte(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("Fièvre ≥ 38 °C:\n\ttwo days.\n\nNo more.", encoding="utf-8")
    run("library", "create", "notes", "--add", str(path))
    hit = json.loads(run("search", "--source", "notes", "fièvre", "--json").stdout)["passages"][0]
    opened = typed_anew("open", "--all", "--source", "notes", hit["reference"]["id"], PYTHONIOENCODING="ascii")
    printed = opened.stdout.decode("utf-8")
    assert printed[hit["start"] : hit["end"]] == hit["text"]


def test_help_loads_neither_index_nor_encoder() -> None:
    program = "import sys; sys.argv = ['wellsourced', '--help']; from wellsourced.app.cli import main\n"
    heavy = "sorted({'tantivy', 'onnxruntime', 'numpy', 'lxml'} & set(sys.modules))"
    told = subprocess.run(
        [sys.executable, "-c", f"{program}try:\n    main()\nexcept SystemExit:\n    print({heavy})"],
        capture_output=True,
        text=True,
        env=with_({}),
    )
    assert told.stdout.splitlines()[-1] == "[]"
