"""What the documentation shows is what happens: its code is run, its commands are typed, its output is compared.

A block under the comment `<!-- not run: reason -->` is skipped, for that reason. In shown output, a line that is only
an ellipsis stands for any number of lines, and times are not compared. `$ cat FILE` puts the file there as it is shown.
"""

import ast
import asyncio
import inspect
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from wellsourced.app.cli import command_line
from wellsourced.readers.worker.process import SHARED_POOL

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "docs", ROOT / "evaluate" / "docs")
PAGES = [
    *(ROOT / "README.md", ROOT / "evaluate" / "README.md"),
    *(page for folder in FOLDERS for page in sorted(folder.rglob("*.md"))),
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

FENCE = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+?) -->\n+)?```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
TIME = re.compile(r"\b\d[\d.,]* ?(?:ms|s|seconds?|min)\b")
ELLIPSES = {"…", "..."}


class Block(NamedTuple):
    """A fenced block: where it stands, what it holds, and why it is not run, if it is not."""

    page: Path
    line: int
    language: str
    body: str
    reason: str


class Typed(NamedTuple):
    """A command as it is typed, and the output shown under it."""

    command: str
    output: str


def blocks(page: Path, *languages: str) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = [
        Block(page, text.count("\n", 0, one.start("body")), one["language"], one["body"], one["reason"] or "")
        for one in FENCE.finditer(text)
    ]
    return [block for block in found if block.language in languages]


def typed(body: str) -> Iterator[Typed]:
    """The commands of a transcript, each with the lines under it; a backslash carries on to the next line."""
    for part in re.split(r"^\$ ", body.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Typed(command.strip(), output.strip("\n"))


def transcripts(page: Path) -> list[Block]:
    """The blocks that show what a command prints; one that only lists commands is not typed in."""
    shown = [block for block in blocks(page, "console", "shell") if not block.reason]
    return [block for block in shown if any(one.output for one in typed(block.body))]


def programs(page: Path) -> list[Block]:
    return [block for block in blocks(page, "python") if not block.reason]


def place(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def desk(tmp_path: Path, home: Path, guidelines: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, a home after its first use, and a terminal of a known width without colours."""
    here = tmp_path / "desk"
    here.mkdir()
    shutil.copytree(guidelines, home)
    monkeypatch.chdir(here)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    # A worker of a test before this one would look for files in that test's folder.
    for worker in (SHARED_POOL.take(), SHARED_POOL.take()):
        worker.kill()
        SHARED_POOL.put_back(worker)
    return here


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)], ids=place)
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path, desk: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with asyncio.Runner() as runner:
        for block in programs(page):
            run(block, namespace, runner)


def run(block: Block, namespace: dict[str, Any], runner: asyncio.Runner) -> None:
    """Run one block, which may await at its top level as in a notebook; line numbers are those of the page."""
    source = "\n" * block.line + block.body
    code = compile(source, str(block.page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if code.co_flags & inspect.CO_COROUTINE:
        runner.run(eval(code, namespace))  # noqa: S307  our own documentation
    else:
        exec(code, namespace)


LONG_PAGES = {"docs/sources.md", "evaluate/docs/evaluation.md"}
"""Pages whose commands take long: at night, and by `make docs`."""


def typed_pages() -> list[Any]:
    pages = [page for page in PAGES if transcripts(page)]
    night = {True: pytest.mark.nightly, False: ()}
    return [pytest.param(page, id=place(page), marks=night[place(page) in LONG_PAGES]) for page in pages]


@pytest.mark.slow
@pytest.mark.parametrize("page", typed_pages())
def test_the_commands_of_a_page_print_what_it_shows(page: Path, desk: Path) -> None:
    for block in transcripts(page):
        for one in typed(block.body):
            words = shlex.split(one.command)
            if words[0] == "cat":
                (desk / words[1]).write_text(one.output + "\n", encoding="utf-8")
            elif words[0] == "wellsourced":
                printed = type_in(words).output
                if one.output and not agrees(one.output, printed):
                    assert comparable(printed) == comparable(one.output), f"{place(page)}:{block.line} {one.command}"


def type_in(words: list[str]) -> Result:
    """What a command does, in this process: it is loaded once for all that is typed."""
    done = CliRunner().invoke(command_line, words[1:], prog_name="wellsourced")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def comparable(output: str) -> list[str]:
    """The lines without times and without white space at their ends."""
    return [TIME.sub("‹time›", line).rstrip() for line in output.strip("\n").split("\n")]


def agrees(shown: str, printed: str) -> bool:
    """Whether what is printed is what is shown; an ellipsis on a line of its own stands for any lines."""
    parts = (r"(?:.*\n)*" if line in ELLIPSES else re.escape(line) + r"\n" for line in comparable(shown))
    return re.fullmatch("".join(parts), "\n".join(comparable(printed)) + "\n") is not None


def test_a_block_that_is_not_run_says_in_words_why() -> None:
    skipped = [block for page in PAGES for block in blocks(page, "python", "console", "shell") if block.reason]
    assert skipped
    assert [f"{place(one.page)}:{one.line}" for one in skipped if len(one.reason.split()) < 2] == []


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=place)
def test_an_example_runs_and_has_something_to_say(
    script: Path, desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


def test_output_that_differs_in_more_than_times_is_noticed() -> None:
    shown = "Answered in 1.2 s.\n…\nAllopurinol first."
    assert agrees(shown, "Answered in 0.9 s.\nTwo sources.\n\nAllopurinol first.\n")
    assert not agrees(shown, "Answered in 0.9 s.\nTwo sources.\n\nColchicine first.\n")
    assert not agrees("one\ntwo", "one\ntwo\nthree")


def test_a_page_is_taken_apart_into_what_is_run_and_what_is_not(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 1\n```\n<!-- not run: needs a key -->\n\n```console\n$ wellsourced doctor\nfine\n```\n"
        "```console\n$ wellsourced library create \\\n    mine\n$ wellsourced library list\nmine  0 documents\n```\n",
        encoding="utf-8",
    )
    assert [block.body for block in programs(page)] == ["x = 1\n"]
    assert [block.reason for block in blocks(page, "console")] == ["needs a key", ""]
    (shown,) = transcripts(page)
    assert list(typed(shown.body)) == [
        Typed("wellsourced library create      mine", ""),
        Typed("wellsourced library list", "mine  0 documents"),
    ]


def test_a_block_may_await_and_hands_its_names_on(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    names: dict[str, Any] = {}
    with asyncio.Runner() as runner:
        run(Block(page, 0, "python", "import asyncio\nx = await asyncio.sleep(0, 3)", ""), names, runner)
        run(Block(page, 5, "python", "y = x + 1", ""), names, runner)
    assert names["y"] == 4


def test_every_file_and_folder_that_the_overview_names_is_there() -> None:
    lines = (ROOT / "docs/overview.md").read_text(encoding="utf-8").splitlines()
    words = {word for line in lines if line.startswith("|") for word in line.split("`")[1::2]}
    named = {word for word in words if word.endswith((".py", "/")) and " " not in word}
    roots = (ROOT / "src/wellsourced", ROOT / "evaluate/src/wellsourced_evaluate", ROOT / "tests")
    paths = {f"{path}{'/' * path.is_dir()}" for root in roots for path in (root, *root.rglob("*"))}
    assert len(named) > 200
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in paths)] == []
