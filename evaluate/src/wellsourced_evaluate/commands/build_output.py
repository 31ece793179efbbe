"""What the commands of `wellsourced evaluate build` have in common: where a set goes, progress, what is printed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wellsourced import config
from wellsourced.app.exits import EXIT_NOTHING
from wellsourced.app.options import NEW_FILE
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import format_count, print_data, print_utf8, sanitize_line
from wellsourced.errors import SettingsError

if TYPE_CHECKING:
    from wellsourced_evaluate.builders.built_set import Manifest

NEEDS_MODEL = "A question is made by a language model: --model ollama:NAME, local:FILE.gguf, openai:NAME …"

seed_option = click.option("--seed", type=int, default=7, show_default=True, metavar="S", help="Draws and alters.")
fresh_option = click.option("--fresh", is_flag=True, help="Begin anew: what was built before under this name goes.")


def out_option(name: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Where the set goes, with a name that says what it is."""
    return click.option(
        "--out",
        type=NEW_FILE,
        default=name,
        show_default=True,
        metavar="FILE",
        callback=_require_lines,
        help="Write the set here; its manifest and what was left out come beside it.",
    )


def _require_lines(_: click.Context, __: click.Parameter, path: Path) -> Path:
    if path.suffix != ".jsonl":
        raise click.BadParameter(f"{path} does not end in .jsonl, in which the other commands look for JSON lines.")
    return path


def require_model(ctx: click.Context) -> config.Settings:
    """The settings, in which a language model is named. Raises SettingsError."""
    settings = config.load(ctx.obj)
    if not settings.model:
        raise SettingsError(NEEDS_MODEL)
    return settings


def run_build(work: "Callable[[ProgressWatch], Awaitable[Manifest]]") -> "Manifest":
    """What a build comes to, while its progress is shown."""

    async def build_set() -> "Manifest":
        return await work(watch)

    from wellsourced_evaluate.builders.built_set import NothingBuilt

    try:
        with watch_progress() as watch:
            return asyncio.run(build_set())
    except NothingBuilt as nothing:
        click.echo(sanitize_line(str(nothing)), err=True)
        click.get_current_context().exit(EXIT_NOTHING)


def count_steps(watch: ProgressWatch, did: str, things: str) -> Callable[[int, int], None]:
    """Who shows how far a build is: "Read 20 of 400 articles"."""
    return lambda done, every: watch.show_step(f"{did} {done:,} of {every:,} {things}")


def finish(out: Path, made: "Manifest", as_json: bool) -> None:
    """Print what was made, and what was left out and why."""
    if as_json:
        print_data(made.model_dump(mode="json"))
        return
    lines = [f"{format_count(made.rows, 'row')} in {out}, from {format_count(made.items, 'item')}."]
    for name, counts in made.counts.items():
        lines += [f"{name}: " + ", ".join(f"{value} {count:,}" for value, count in counts.items())] if counts else []
    lines += [f"Left out {count:,}: {reason}" for reason, count in made.left_out.items()]
    lines += made.notes
    print_utf8("\n".join(map(sanitize_line, lines)))
