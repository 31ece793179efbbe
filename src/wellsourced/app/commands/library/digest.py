"""`wellsourced library digest`: what guidelines cover, written by a language model, so that they are found by it."""

import asyncio
from pathlib import Path

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import sanitize_line
from wellsourced.errors import SettingsError

EXIT_FAILED = 1


@click.command(
    short_help="Let a language model write digests of guidelines.",
    epilog="""
    \b
    Example:
      wellsourced library digest --model ollama:qwen3 guidelines/*.pdf
      wellsourced library add mine guidelines/
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("--anew", is_flag=True, help="Write digests anew that are there already.")
@click.pass_context
def digest(ctx: click.Context, files: tuple[Path, ...], anew: bool) -> None:
    """Write FILE.digest.md beside each FILE, in at most 200 words, for `library add` to find the guideline by.

    A digest only finds a guideline: what is read and quoted is its text. What was written is kept when it is stopped,
    and not written again.
    """
    settings = config.load(ctx.obj)
    if not settings.model:
        raise SettingsError("A digest is written by a language model, and none is named: --model ollama:NAME …")
    with watch_progress() as watch:
        failed = asyncio.run(_write_digests(settings, files, anew, watch))
    ctx.exit(EXIT_FAILED if failed else 0)


async def _write_digests(settings: config.Settings, files: tuple[Path, ...], anew: bool, watch: ProgressWatch) -> int:
    """How many files have no digest in the end."""
    from wellsourced.ingest.guideline_digests import write_digest

    failed = 0
    # Only the model is needed: loading encoders and libraries would take longer than the work.
    alone = settings.model_copy(update={"guidelines": False, "encoder": "none", "reranker": "none", "live": ()})
    async with config.open_context(alone, emit=watch) as context:
        for path in files:
            watch.show_step(f"Reading {path}")
            made = await write_digest(path, context, anew=anew)
            watch.close()
            failed += made.outcome == "failed"
            told = f"{made.path}: {made.reason}" if made.reason else f"{made.digest} ({made.outcome})"
            click.echo(sanitize_line(told), err=bool(made.reason))
    return failed
