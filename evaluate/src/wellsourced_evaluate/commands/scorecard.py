"""`wellsourced evaluate scorecard`: every set in a folder of data, measured and reported, worst results first."""

import asyncio
import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, NEW_FILE, json_option, set_option
from wellsourced.app.progress import watch_progress
from wellsourced.app.terminal import print_data, print_utf8
from wellsourced.text.sanitization import sanitize_text
from wellsourced_evaluate.commands.common import (
    EXISTING_FOLDER,
    EXISTING_PATH,
    fresh_option,
    judge_option,
    parallel_option,
)

if TYPE_CHECKING:
    from wellsourced_evaluate.scorecard.measuring import MeasuredPart, ScorecardTask


COUNT = click.IntRange(0)
KINDS = ("answers", "search", "verification")


@click.command(
    short_help="Measure answers, search and checks on all sets, and write the scorecard.",
    epilog="""
    \b
    Examples:
      wellsourced evaluate scorecard --data FOLDER --out scorecard.md
      wellsourced evaluate scorecard --data FOLDER --cases 20 --queries 50
      wellsourced evaluate scorecard --data FOLDER --preset words --json

    \b
    In FOLDER, as far as they are there: corpora, qa, retrieval, verification, each with JSON lines, plain or .gz.
    Missing sets are listed in the scorecard as not measured.

    \b
    Exit status: 0 all measured, 1 something could not be, 2 bad use.
    """,
)
@click.option("--data", type=EXISTING_FOLDER, required=True, metavar="FOLDER", help="The folder that holds the sets.")
@click.option("--out", type=NEW_FILE, metavar="FILE.md", help="Write it here too.")
@click.option("--cases", type=COUNT, default=100, show_default=True, metavar="N", help="Questions of each set; 0: all.")
@click.option("--queries", type=COUNT, default=200, show_default=True, metavar="N", help="Queries of each set; 0: all.")
@judge_option("Who says what supports what.")
@click.option("--questions", type=EXISTING_FILE, multiple=True, metavar="FILE", help="Ask these of the guidelines too.")
@click.option(
    *("--only", "kinds"),
    type=click.Choice(KINDS),
    multiple=True,
    help="Measure only this; repeatable [all three].",
)
@click.option(
    "--runs",
    type=EXISTING_PATH,
    multiple=True,
    metavar="RUN",
    help="Also report runs recorded earlier by `evaluate run`, for example with a language model.",
)
@fresh_option("Measure again what was measured before.")
@parallel_option(2, "questions")
@click.option("--pairs", "claims", type=EXISTING_FILE, multiple=True, metavar="FILE", help="Judge these claims too.")
@set_option
@json_option
@click.pass_context
def scorecard(
    ctx: click.Context,
    /,
    data: Path,
    out: Path | None,
    pairs: dict[str, str],
    as_json: bool,
    **typed: Any,
) -> None:
    """Test the answers, the search and the judge on every set in FOLDER, and report the results, worst first.

    Sets that something was fitted on are listed separately from the others. Answers and rankings are stored as they
    arrive: run the same command to continue a stopped scorecard.
    """
    from wellsourced_evaluate.recorded_rows import to_plain
    from wellsourced_evaluate.retrieval import MEASURES, parse_measures
    from wellsourced_evaluate.scorecard.document import build_scorecard
    from wellsourced_evaluate.scorecard.measuring import ScorecardTask, measure_scorecard
    from wellsourced_evaluate.tables import to_markdown

    typed["kinds"] = typed["kinds"] or KINDS
    if "search" in typed["kinds"]:
        # The search is measured after minutes of other work: what it lacks is said before.
        parse_measures(MEASURES)
    settings = config.load({**ctx.obj, **pairs})
    task = ScorecardTask(data, settings, **typed)

    async def measure_parts() -> "list[MeasuredPart]":
        with watch_progress() as watch:
            return [part async for part in measure_scorecard(task, watch, watch.show_step)]

    parts = asyncio.run(measure_parts())
    document = to_markdown(build_scorecard(parts, date.today().isoformat(), describe_setup(task)))
    if out:
        out.write_text(document, encoding="utf-8")
    if as_json:
        print_data(to_plain(parts))
    else:
        print_utf8(sanitize_text(document))
    ctx.exit(EXIT_FAILURE if any(part.reason for part in parts) else 0)


def describe_setup(task: "ScorecardTask") -> dict[str, str]:
    """With what it is measured."""
    from wellsourced_evaluate.retrieval import VERSIONED_PACKAGES, changed_settings, hash_code, relevant_settings

    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    changed = changed_settings(dict(relevant_settings(task.settings)))
    return {
        "wellsourced": f"{version('wellsourced')}, code {hash_code()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in VERSIONED_PACKAGES),
        "machine": machine,
        "settings": "; ".join(f"{name}={value}" for name, value in changed.items()) or "as they come",
        "who writes": task.settings.model or "nobody: sections of the sources are shown",
        "judge": task.judge,
        "drawn": f"at most {task.cases:,} questions, {task.queries:,} queries of a set",
    }
