"""The pages of the published systems: every feature has its row, every command that they name is one."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from tests.tables import each_row
from tools.command_table import PAPERS, PUBLISHED, render_papers
from wellsourced import config
from wellsourced.app.cli import command_line
from wellsourced.presets.published import Feature, find_mentions, load_systems

FEATURES = {"lins": 34, "clinfo": 26, "omni": 32, "sourcecheckup": 20, "briefcontext": 20}


def test_each_feature_of_the_five_papers_has_its_row() -> None:
    systems = load_systems()
    assert {name: len(system.features) for name, system in systems.items()} == FEATURES
    assert sorted(PUBLISHED) == list(systems)
    for system in systems.values():
        assert [row.number for row in system.features] == [f"F{n}" for n in range(1, len(system.features) + 1)]


def is_told(row: Feature) -> bool:
    """Whether a row has a command, or says why it has none."""
    return bool(row.command) != row.note.startswith("Not built.")


def test_a_feature_without_a_command_says_that_it_is_not_built_or_is_missing() -> None:
    rows = [row for system in load_systems().values() for row in system.features]
    assert [row for row in rows if not is_told(row) and "Missing: a command" not in row.note] == []


def commands(name: str) -> Iterator[str]:
    """Every command that a page names: in its examples, in its rows, and within a note."""
    system = load_systems()[name]
    yield from system.examples
    spans = (span for row in system.features for cell in row for span in cell.split("`")[1::2])
    yield from (span for span in spans if span.startswith("wellsourced "))


NUMBER = re.compile(r"(?<![\w.-])\d*\.?\d+(?!\w)")

GROUPS = "group,value,count\n"


def pair_rows(counts: dict[tuple[int, int], int]) -> str:
    """A table of two groups that are paired by their cases, of which so many have these two values."""
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    return "group,value,case\n" + "".join(f"a,{one},q{at}\nb,{two},q{at}\n" for at, (one, two) in enumerate(pairs))


def rated(*groups: tuple[int, int, int]) -> str:
    """A table of ratings 1, 0 and -1 of each group."""
    rows = (f"{name},{1 - at},{count}\n" for name, its in enumerate(groups) for at, count in enumerate(its))
    return GROUPS + "".join(rows)


BOTH_MODELS = pair_rows({(1, 1): 79, (1, 0): 16, (0, 1): 5, (0, 0): 30})
PREDICTED = [(True, True)] * 2 + [(True, False)] * 2 + [(False, True)] + [(False, False)] * 3
PREFLIGHTS = "".join(
    f'{{"id": "q{at}", "predicted": {str(said).lower()}, "happened": {str(was).lower()}}}\n'
    for at, (said, was) in enumerate(PREDICTED)
)


@each_row(
    ("name", "number", "words", "files"),
    [
        ("sourcecheckup", "F19", ["test"], [BOTH_MODELS, f"{GROUPS}a,1,129\na,0,19\nb,1,30\nb,0,42\n"]),
        (
            *("lins", "F32", ["test"]),
            [
                rated((329, 59, 2), (171, 207, 12)),
                rated((471, 105, 4), (94, 478, 8)),
                rated((313, 220, 2), (62, 459, 14)),
            ],
        ),
        ("briefcontext", "F16", ["preflight", "--rows"], [PREFLIGHTS]),
    ],
)
def test_a_command_prints_the_figures_of_its_row(
    name: str, number: str, words: list[str], files: list[str], tmp_path: Path
) -> None:
    printed: list[float] = []
    for at, text in enumerate(files):
        path = tmp_path / (f"{at}.jsonl" if text.startswith("{") else f"{at}.csv")
        path.write_text(text, encoding="utf-8")
        done = CliRunner().invoke(command_line, ["evaluate", *words, str(path), "--json"])
        assert done.exit_code == 0, done.output
        printed += [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", done.stdout)]
    figure = next(row.figure for row in load_systems()[name].features if row.number == number)
    told = NUMBER.findall(figure)
    assert told
    for one in told:
        places = len(one.partition(".")[2])
        assert any(abs(value - float(one)) < 0.6 / 10**places for value in printed), one


@each_row("name", PUBLISHED)
def test_every_command_of_a_page_and_each_of_its_options_and_settings_exists(name: str) -> None:
    settings = config.describe_settings()
    for typed in commands(name):
        command: click.Command = command_line
        options = {name: option for option in command.params for name in option.opts}
        words = iter(shlex.split(typed)[1:])
        for word in words:
            if word.startswith("--"):
                assert word in options, (typed, word)
                given = "" if getattr(options[word], "is_flag", False) else next(words)
                assert word != "--set" or given.partition("=")[0] in settings, typed
                assert word != "--preset" or config.find_preset(given)
            elif isinstance(command, click.Group):
                context = click.Context(command)
                below = command.get_command(context, word)
                assert below is not None, (typed, word)
                command = below
                options |= {name: option for option in command.params for name in option.opts}
        assert not isinstance(command, click.Group) or command.invoke_without_command, typed


def test_every_preset_of_a_published_system_is_on_its_page() -> None:
    systems = load_systems()
    for preset in config.list_presets():
        if (name := re.split(r"\W", preset.name)[0]) in systems:
            assert f"`{preset.name}`" in systems[name].about


@each_row(
    ("typed", "name"),
    [
        *(("mairag", "lins"), ("HERD", "lins"), ("AEBMP", "lins"), ("Link-Eval", "lins"), ("spo", "omni")),
        *(("q2d", "omni"), ("serts", "omni"), ("pubmedrs-200", "clinfo"), ("sourcecleanup", "sourcecheckup")),
        *(("map-reduce", "briefcontext"), ("lost in the middle", "briefcontext")),
    ],
)
def test_a_word_of_a_paper_leads_to_its_page(typed: str, name: str) -> None:
    assert find_mentions(typed)[0] == name


def test_the_page_of_the_papers_has_what_the_pages_of_the_systems_have() -> None:
    assert PAPERS.read_text(encoding="utf-8") == render_papers()
