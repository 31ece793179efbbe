"""What commands of `wellsourced evaluate` have in common: options, settings of arms, how reports are printed."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.options import NEW_FILE, OptionDecorator
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.text.sanitization import sanitize_line
from wellsourced_evaluate.tables import Block, print_report

if TYPE_CHECKING:
    from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

FORMS = (
    *("questions", "pubmedqa", "pubmedqa_star", "bioasq", "medqa", "medqa_mainland", "medqa_taiwan", "medmcqa"),
    *("mmlu_med", "mirage", "geneturing", "kqa", "healthsearchqa", "liveqa", "medication_qa", "expertqa"),
    *("pubmedrs200", "briefcontext_medq", "seer", "ddxplus", "mimic_ed", "guideline_facts", "evidence_inference"),
)
"""What question_sets/registry.py has, named here so that asking for help need not load it."""
FOLDER = click.Path(file_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
EXISTING_PATH = click.Path(exists=True, path_type=Path)

presets_option = click.option(
    "--preset",
    "presets",
    metavar="NAME",
    multiple=True,
    help="Answer with these settings; repeatable, one arm each [the current ones].",
)
data_option = click.option("--data", type=FOLDER, metavar="FOLDER", help="The folder that holds the set NAME.")
split_option = click.option(
    "--split", default="test", show_default=True, metavar="NAME", help="Split of --beir: test, dev or train."
)
html_option = click.option(
    "--html", type=NEW_FILE, metavar="FILE", help="Write the report here too, as one page with pictures."
)


def read_stored_checkups(files: "Iterable[Path]") -> "list[NamedCheckup]":
    """The checkups in files of `check --json`. Bad use for a file that holds none."""
    from wellsourced_evaluate.checkups.stored_runs import read_all_checkups

    with refuse_files():
        return read_all_checkups([*files])


@contextmanager
def refuse_files() -> Iterator[None]:
    """Make bad use of what is wrong with the files that are read."""
    try:
        yield
    except (UnreadableFile, SourceRefused) as error:
        raise click.UsageError(str(error)) from error


def print_study(blocks: Iterable[Block], found: object, *, as_json: bool) -> None:
    """Print a report in columns, or all that was found as JSON."""
    from wellsourced_evaluate.recorded_rows import to_plain

    print_report(blocks, lambda: to_plain(found), as_json=as_json, plain=True)


def print_rejected(rejected: Iterable[tuple[str, int, str]]) -> None:
    """Name each row that cannot be used: (file, row, reason)."""
    for file, row, reason in rejected:
        click.echo(sanitize_line(f"{file}, row {row}: {reason}"), err=True)


def limit_option(takes: str, by: str = "a fixed seed") -> OptionDecorator:
    """How many are taken: "Ask this many cases"."""
    return click.option("--limit", type=click.IntRange(0), default=0, metavar="N", help=f"{takes}, drawn with {by}.")


def seed_option(help: str = "Draws the cases of --limit.") -> OptionDecorator:
    """What is drawn, is drawn by this."""
    return click.option("--seed", type=int, default=7, show_default=True, metavar="S", help=help)


def fresh_option(help: str) -> OptionDecorator:
    """Nothing that was recorded before is used."""
    return click.option("--fresh", is_flag=True, help=help)


def parallel_option(default: int, asked: str) -> OptionDecorator:
    """How many of what is asked ("cases") are asked at once."""
    return click.option(
        "--parallel",
        type=click.IntRange(1, 256),
        default=default,
        show_default=True,
        metavar="N",
        help=f"Ask this many {asked} at the same time.",
    )


def judge_option(help: str) -> OptionDecorator:
    """Who judges what answers say."""
    return click.option("--judge", default="comparison", show_default=True, metavar="NAME", help=help)


def out_option(keeps: str, where: str = "the folder `evaluate` of home") -> OptionDecorator:
    """The file of a log: "Keep the results"."""
    return click.option("--out", type=NEW_FILE, metavar="FILE", help=f"{keeps} here [in {where}].")


def out_folder_option(records: str) -> OptionDecorator:
    """The folder of logs, one of each arm."""
    return click.option(
        "--out", type=FOLDER, metavar="FOLDER", help=f"Record the {records} here [in the folder `evaluate` of home]."
    )


def load_arms(
    ctx: click.Context, typed: tuple[str, ...], pairs: dict[str, Any]
) -> tuple[list[config.Settings], config.Settings]:
    """The settings of each arm, and those without any preset, for who judges them all. Raises SettingsError.

    typed   the presets of the command. Bad use when two arms would have one name
    """
    # Wherever they are typed, options of the whole program come to it, and not to commands.
    presets = (*ctx.find_root().params.get("presets", ()), *typed)
    if len(set(presets)) < len(presets):
        raise click.UsageError("A preset is named twice: each is one arm.")
    arms = [config.load({**ctx.obj, **({"preset": one} if one else {}), **pairs}) for one in presets or ("",)]
    common = {name: value for name, value in ctx.obj.items() if name != "preset"}
    return arms, config.load({**common, **pairs})
