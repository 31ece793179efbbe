"""The command as it is typed, and libraries to type it at."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.word_judge import NAME, WordJudge
from wellsourced.app.cli import command_line
from wellsourced.config.registry import JUDGE_REGISTRY
from wellsourced.plugins import _read_plugins

Run = Callable[..., Result]

DOCUMENTS = {
    "trial-1": ("Colchicine in gout", "Colchicine shortened gout flares by two days compared with placebo."),
    "trial-2": ("Allopurinol in gout", "Allopurinol prevented gout flares in patients who took it every day."),
    "trial-3": ("Metformin in diabetes", "Metformin lowered glycated haemoglobin by one percentage point."),
}


def list_commands(group: click.Group) -> list[tuple[str, click.Command]]:
    """The names of a group's commands, and the commands, imported."""
    ctx = click.Context(group)
    found = [(name, group.get_command(ctx, name)) for name in group.list_commands(ctx)]
    return [(name, one) for name, one in found if one is not None]


@pytest.fixture
def run() -> Run:
    """Run a command in this process, by word only so that nothing heavy is loaded unless the test asks for it."""

    def typed(*words: str, stdin: str | bytes | None = None, encoder: str = "none") -> Result:
        return CliRunner().invoke(command_line, ["--set", f"encoder={encoder}", *words], input=stdin)

    return typed


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three documents in one file."""
    path = tmp_path / "trials.jsonl"
    rows = ({"_id": key, "title": title, "text": text} for key, (title, text) in DOCUMENTS.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def trials(run: Run, corpus: Path) -> str:
    """A library of these documents."""
    made = run("library", "create", "trials", "--kind", "research", "--add", str(corpus))
    assert made.exit_code == 0, made.output
    return "trials"


@pytest.fixture
def word_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the judge, which a distribution on the path adds."""
    installed = tmp_path / "installed" / "word_tools-1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: word-tools\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(
        f"[wellsourced.judges]\n{NAME} = {WordJudge.__module__}:WORDS\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(installed.parent)
    forget_plugins()
    yield NAME
    monkeypatch.undo()
    forget_plugins()


def forget_plugins() -> None:
    """Have the registry look again for what is installed."""
    _read_plugins.cache_clear()
    vars(JUDGE_REGISTRY).pop("entries", None)
