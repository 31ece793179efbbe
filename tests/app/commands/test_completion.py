"""Shells complete what is typed: as real bash does it, from a table that is as the commands are, without a wait."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.app.conftest import Run, list_commands
from tests.app.terminal_process import TAB, TerminalProcess
from tools.command_table import describe_commands
from wellsourced.app.cli import command_line
from wellsourced.app.commands.completion import COMPLETERS, read_table
from wellsourced.runs.history import RunHistory
from wellsourced.types import Answer, Question

BASH = shutil.which("bash")
SECONDS = 0.3
"""Processor time that one completion may take."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with the program, as it is installed: this checkout's, by the name that shells know it by."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "wellsourced"
    script.write_text(f"#!{sys.executable}\nfrom wellsourced.app.cli import main\nmain()\n", encoding="utf-8")
    script.chmod(0o755)
    return folder


def path_of(program: Path) -> str:
    return f"{program}{os.pathsep}{os.environ['PATH']}"


def complete(program: Path, line: str, shell: str = "bash") -> list[str]:
    """What the program offers for the last word of a line, as the script of a shell asks for it."""
    words = line.split(" ")
    asked = {"_WELLSOURCED_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    environment = {**os.environ, "PATH": path_of(program), **asked}
    done = subprocess.run(["wellsourced"], capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def test_the_table_is_as_the_commands_are() -> None:
    assert read_table() == describe_commands(command_line), "`make commands` writes it anew"


def test_whoever_knows_values_knows_those_of_parameters_that_there_are() -> None:
    names = {param.name for _, one in walk(command_line) for param in one.params}
    assert {name for _, name in COMPLETERS} <= names


def walk(group: click.Group) -> list[tuple[str, click.Command]]:
    own = list_commands(group)
    return [*own, *(pair for _, one in own if isinstance(one, click.Group) for pair in walk(one))]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("wellsourced cha", ["plain,chat"]),
        ("wellsourced library re", ["plain,recipes", "plain,remove"]),
        ("wellsourced library verify --re", ["plain,--rebuild"]),
        ("wellsourced ask --live p", ["plain,pubmed", "plain,pmc"]),
        ("wellsourced ask --libr", ["plain,--library"]),
        ("wellsourced ask --no-q", ["plain,--no-quotes"]),
        ("wellsourced ask --library t", ["plain,trials"]),
        ("wellsourced library list t", ["plain,trials"]),
        ("wellsourced --preset lins-", ["plain,lins-ebm", "plain,lins-moe"]),
        ("wellsourced ask --preset wo", ["plain,words"]),
        ("wellsourced help presets ome", []),
        ("wellsourced help ver", ["plain,verification"]),
        ("wellsourced explain ans", ["file,ans"]),
        ("wellsourced setup completion z", ["plain,zsh"]),
    ],
)  # fmt: skip
def test_a_word_is_completed(program: Path, trials: str, line: str, offered: list[str]) -> None:
    assert complete(program, line) == offered


def test_runs_are_completed_by_their_ids_and_shown_with_their_questions(program: Path, home: Path) -> None:
    id = RunHistory(home).record(Answer(question=Question(text="gout\nflare?"), abstained=True))
    assert complete(program, f"wellsourced history show {id[:3]}") == [f"plain,{id}"]
    assert complete(program, f"wellsourced history watch {id[:3]}", "zsh") == ["plain", id, "gout flare?"]
    RunHistory(home).delete(id)
    assert complete(program, "wellsourced history show ") == []


def test_the_home_that_is_typed_is_the_one_that_is_looked_into(program: Path, trials: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert complete(program, f"wellsourced --home {elsewhere} ask --library t") == []
    assert complete(program, "wellsourced ask --library t") == ["plain,trials"]


def test_completing_takes_no_time_and_loads_nothing_heavy(program: Path, trials: str) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert complete(program, "wellsourced ask --library t") == ["plain,trials"]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS
    code = (
        "import os, sys; sys.argv = ['wellsourced']; from wellsourced.app.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n"
        "    print(sorted({'pydantic', 'numpy', 'tantivy', 'onnxruntime', 'wellsourced.config'} & set(sys.modules)))"
    )
    asked = {"_WELLSOURCED_COMPLETE": "bash_complete", "COMP_WORDS": "wellsourced history show ", "COMP_CWORD": "3"}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked})
    assert told.stdout.split() == ["[]"]


@pytest.mark.skipif(BASH is None, reason="bash is not installed on this machine")
def test_real_bash_completes_at_the_tab_key(program: Path, trials: str) -> None:
    assert BASH
    environment = {"PATH": path_of(program), "PS1": "ready> ", "INPUTRC": os.devnull}
    with TerminalProcess([BASH, "--norc", "--noprofile", "-i"], environment, columns=200) as shell:
        shell.wait_for("ready> ")
        shell.type('eval "$(wellsourced setup completion bash)"; echo do""ne\n')
        shell.wait_for("done\n")
        shell.type(f"wellsourced ask --library tri{TAB}")
        shell.wait_for("--library trials ")
        shell.type(f"--li{TAB}{TAB}")
        shell.wait_for("--library")
        shell.wait_for("--live")
        shell.type("\x15exit\n")
        assert shell.wait() == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_it_can_read(program: Path, run: Run, shell: str, tmp_path: Path) -> None:
    told = run("setup", "completion", shell)
    assert told.exit_code == 0
    assert f"_WELLSOURCED_COMPLETE={shell}_complete" in told.stdout
    if shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(told.stdout, encoding="utf-8")
        assert subprocess.run([shell, "-n", str(script)], check=False).returncode == 0


def test_another_shell_is_bad_use(run: Run) -> None:
    assert run("setup", "completion", "tcsh").exit_code == 2
