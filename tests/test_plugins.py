"""Other distributions add commands, sources, engines, planners, judges and readers by entry points alone.

A small distribution is written outside the repository and put on the path of a process of its own: what a user who
installs one has, without an installer.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

CODE = '''
from pathlib import Path

import click

from wellsourced.config.registry import JUDGE_REGISTRY, PLANNER_REGISTRY, EngineEntry, LiveSourceEntry
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.sources.fake import FakeSource
from wellsourced.sources.library.embedded_engine import EmbeddedEngine
from wellsourced.types import Document, Passage, Reference


@click.command(short_help="Sort who comes in.")
@click.argument("name")
def triage(name):
    """Sort who comes in."""
    click.echo(f"{name} is next")


WORDS_OF_WARD = "Colchicine shortened gout flares by two days."
NOTE = Reference(id="ward:1", title="Notes of the ward on gout", kind="trial")


def build_ward(to):
    document = Document(reference=NOTE, text=WORDS_OF_WARD)
    passage = Passage(reference=NOTE, text=WORDS_OF_WARD, start=0, end=len(WORDS_OF_WARD))
    return FakeSource("ward", [document], [passage], "trial")


WARD = LiveSourceEntry("ward", "the notes of the ward", "trial", "ward", build_ward, url="https://ward.test/")


class Shelf(EmbeddedEngine):
    host = "shelf.test"


def open_shelf(address, to):
    folder = Path("shelf") / address.owner
    folder.mkdir(parents=True, exist_ok=True)
    return Shelf(folder, write=True)


SHELF = EngineEntry("shelf", "a shelf of the ward", open_shelf)
WORDS = JUDGE_REGISTRY.built_in["overlap"]._replace(name="words", description="words alone")
CAUTIOUS = PLANNER_REGISTRY.built_in["rules"]._replace(name="cautious", description="as the ward does it")
read_note = read_plain_text
'''


TYPED = """
import json, sys
from click.testing import CliRunner
from wellsourced.app.cli import command_line

for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(command_line, words, prog_name="wellsourced", catch_exceptions=False)
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""


class Printed(NamedTuple):
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Ours(NamedTuple):
    """A process in which the small distribution is installed."""

    site: Path
    home: Path

    def write(self, entry_points: str, *, name: str = "ward-tools", requires: str = "wellsourced") -> None:
        """The distribution as an installer would lay it down."""
        info = self.site / f"{name.replace('-', '_')}-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\nRequires-Dist: {requires}\n"
        )
        (info / "entry_points.txt").write_text(entry_points)
        (self.site / "ward_tools.py").write_text(CODE)

    def run(self, *commands: str) -> list[Printed]:
        """What is typed, one command after the other in a new process."""
        path = os.pathsep.join([str(self.site), *filter(None, [os.environ.get("PYTHONPATH")])])
        words = [["--set", "encoder=none", *shlex.split(command)] for command in commands]
        done = subprocess.run(
            [sys.executable, "-c", TYPED, json.dumps(words)],
            capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, cwd=self.site, check=True,
        )  # fmt: skip
        return [Printed(*json.loads(line)) for line in done.stdout.splitlines()]


@pytest.fixture
def ours(tmp_path: Path, home: Path) -> Ours:
    return Ours(tmp_path / "site", home)


ALL_KINDS = """
[wellsourced.commands]
triage = ward_tools:triage
judges.triage = ward_tools:triage
[wellsourced.sources]
ward = ward_tools:WARD
[wellsourced.engines]
shelf = ward_tools:SHELF
[wellsourced.judges]
words = ward_tools:WORDS
[wellsourced.planners]
cautious = ward_tools:CAUTIOUS
[wellsourced.readers]
note = ward_tools:read_note
"""


def test_a_small_distribution_adds_a_command_and_a_source_by_entry_points_alone(ours: Ours) -> None:
    ours.write(ALL_KINDS)
    triage, judges_triage, helped, listed, found, judges = ours.run(
        "triage Ada",
        "setup judges triage Ada",
        "--help",
        "doctor --network --json",
        "ask --live ward --set guidelines=false 'Does colchicine shorten gout flares?' --json",
        "setup judges",
    )
    assert triage.stdout == judges_triage.stdout == "Ada is next\n"
    assert "triage Sort who comes in." in " ".join(helped.stdout.split())
    ward = {"name": "ward", "searched": False, "about": "the notes of the ward", "needs": ""}
    assert ward in json.loads(listed.stdout)["sources"]
    assert {one["search"]["source"] for one in json.loads(found.stdout)["attempts"]} == {"ward"}
    assert "shortened gout flares by two days" in found.stdout
    assert "words words alone" in " ".join(judges.stdout.split())


def test_files_of_a_kind_that_a_plugin_reads_go_into_libraries(ours: Ours) -> None:
    ours.write(ALL_KINDS)
    (ours.site / "notes").mkdir()
    (ours.site / "notes" / "flare.note").write_text("Colchicine shortened gout flares by two days.")
    made, found = ours.run("library create jottings --add notes", "search --source jottings 'colchicine gout flares'")
    assert made.returncode == 0, made.stderr
    assert "two days" in found.stdout


def test_the_passages_of_a_library_are_found_by_an_engine_that_a_plugin_adds(ours: Ours) -> None:
    ours.write(ALL_KINDS)
    (ours.site / "flare.txt").write_text("Colchicine shortened gout flares by two days.")
    made, found, told, refused = ours.run(
        "library create far --engine shelf://shelf.test/far --add flare.txt",
        "search --source far 'colchicine gout flares'",
        "library list far",
        "library create more --engine shelf://me:secret@shelf.test/more",
    )
    assert made.returncode == 0, made.stderr
    assert [path.name for path in ours.site.glob("shelf/*/*.tantivy")] == ["passages.tantivy"]
    assert not list(ours.home.rglob("*.tantivy"))
    assert "two days" in found.stdout
    assert "Its passages are indexed and searched at shelf://shelf.test/far." in told.stdout
    assert "The address of an engine holds no password. Set shelf.key, or WELLSOURCED_SHELF__KEY." in refused.stderr
    (moved,) = ours.run("library move far here")
    assert moved.stdout.startswith("far is searched here now: 1 passage, ")
    assert not list(ours.site.glob("shelf/*/*.tantivy"))


def test_a_plugin_that_fails_to_import_costs_nothing_but_itself(ours: Ours) -> None:
    ours.write("[wellsourced.commands]\ntriage = ward_tools:missing\n[wellsourced.sources]\nward = nowhere:WARD\n")
    refused, listed, helped = ours.run("triage Ada", "doctor --network", "--help")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "wellsourced: The command triage of ward-tools 1.2 cannot be loaded (AttributeError"
    )
    assert refused.stderr.count("\n") == 1
    assert (listed.returncode, "pubmed" in listed.stdout) == (0, True)
    assert "The source ward of ward-tools 1.2 cannot be loaded (ModuleNotFoundError" in listed.stdout
    assert "triage The command triage of ward-tools 1.2 cannot be loaded" in " ".join(helped.stdout.split())


def test_a_plugin_that_names_itself_like_what_comes_with_us_is_not_used(ours: Ours) -> None:
    ours.write("[wellsourced.commands]\nsearch = ward_tools:triage\n[wellsourced.sources]\npubmed = ward_tools:WARD\n")
    searched, listed, told = ours.run("search --show-query gout", "doctor --network", "doctor")
    assert "is next" not in searched.stdout
    assert "The source pubmed of ward-tools is not used: wellsourced already has one with this name." in listed.stdout
    assert "PubMed: research abstracts and books" in listed.stdout
    assert "The command search of ward-tools is not used: wellsourced already has one with this name." in " ".join(
        told.stdout.split()
    )


def test_of_two_plugins_with_one_name_the_first_is_used_and_the_other_is_told(ours: Ours) -> None:
    ours.write("[wellsourced.sources]\nward = ward_tools:WARD\n")
    ours.write("[wellsourced.sources]\nward = ward_tools:WARD\n", name="ward-more")
    (listed,) = ours.run("doctor --network")
    assert "The source ward of ward-tools is not used: ward-more already has one with this name." in listed.stdout


def test_without_the_laboratory_its_commands_say_how_to_install_it() -> None:
    script = (
        "import sys; from contextlib import suppress; import wellsourced.plugins as plugins\n"
        "plugins._find_folders = list\n"
        "from wellsourced.app.cli import main\n"
        "for words in ('evaluate run --help', 'probe', 'setup judges measure comparison'):\n"
        "    sys.argv = ['wellsourced', *words.split()]\n"
        "    with suppress(SystemExit):\n"
        "        main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    needed = "needs another package. In the checkout, inside its .venv: pip install ./evaluate"
    commands = ("wellsourced evaluate", "wellsourced probe", "wellsourced setup judges measure")
    assert done.stderr.splitlines() == [f"wellsourced: `{command}` {needed}" for command in commands]
