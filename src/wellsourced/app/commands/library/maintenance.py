"""`wellsourced library embed`, `remove` and `digest`: vectors computed, documents removed, digests written."""

import asyncio
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app import library_messages as messages
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, yes_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.config.libraries import delete_library, refuse_guidelines
from wellsourced.errors import NextStep, NotFoundError, SettingsError
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import sanitize_line


@click.command()
@click.argument("name")
@click.pass_obj
def embed(flags: dict[str, Any], name: str) -> None:
    """Compute vectors for the passages of NAME that have none, so that search by meaning finds them.

    It can be stopped at any moment, and continues when it is run again. Vectors of another encoder are replaced.
    """

    async def work(watch: ProgressWatch) -> SourceInfo:
        async with config.open_library(settings, name, write=True) as opened:
            await opened.embed_passages(watch)
            return await opened.describe()

    settings = config.load(flags)
    with watch_progress() as watch:
        card = asyncio.run(work(watch))
    click.echo(messages.report_embedding(name, card.vectors, card.passages))


@click.command()
@click.argument("name")
@click.argument("ids", nargs=-1, metavar="[ID or FILE…]")
@yes_option
@click.pass_obj
def remove(flags: dict[str, Any], name: str, ids: tuple[str, ...], yes: bool) -> None:
    """Remove the documents with these IDs, or all that came from a FILE, from the library NAME.

    Without either, the library is deleted. Adding a file again restores its documents.
    """
    settings = config.load(flags)
    if not ids:
        if not yes:
            click.confirm(messages.CONFIRM_DELETION.format(name=name), abort=True, err=True)
        delete_library(settings, name)
        click.echo(messages.LIBRARY_DELETED.format(name=name))
        return
    from wellsourced.ingest.library_changes import remove_documents

    refuse_guidelines(name)
    removed = asyncio.run(remove_documents(settings, name, ids))
    # A file that held no document was still known, and is forgotten now: only what nobody knows is an error.
    if not removed.documents and not removed.files:
        raise NotFoundError(messages.no_such_documents(name, ids))
    click.echo(messages.documents_removed(name, removed.documents, removed.missing))


@click.command(
    epilog="""
    \b
    Example:
      wellsourced library digest --model ollama:qwen3 guidelines/*.pdf
      wellsourced library add mine guidelines/
    """,
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("--again", "is_again", is_flag=True, help="Replace digests that exist.")
@click.pass_context
def digest(ctx: click.Context, files: tuple[Path, ...], is_again: bool) -> None:
    """Write FILE.digest.md beside each FILE, in at most 200 words.

    `library add` uses a digest to find the guideline; answers quote the guideline itself. Stopped, it keeps what was
    written.
    """
    settings = config.load(ctx.obj)
    if not settings.model:
        raise SettingsError(messages.DIGEST_NEEDS_MODEL, next_step=NextStep("choose model"))
    with watch_progress() as watch:
        failed = asyncio.run(_write_digests(settings, files, is_again, watch))
    ctx.exit(EXIT_FAILURE if failed else 0)


async def _write_digests(
    settings: config.Settings, files: tuple[Path, ...], is_again: bool, watch: ProgressWatch
) -> int:
    """Return how many files have no digest in the end."""
    from wellsourced.ingest.guideline_digests import write_digest

    failed = 0
    # Only the model is needed: loading encoders and libraries would take longer than the work.
    alone = settings.model_copy(update={"guidelines": False, "encoder": "none", "reranker": "none", "live": ()})
    async with config.open_context(alone, emit=watch) as context:
        for path in files:
            watch.show_step(messages.READING.format(path=path))
            made = await write_digest(path, context, anew=is_again)
            watch.close()
            failed += made.outcome == "failed"
            words = f"{made.path}: {made.reason}" if made.reason else f"{made.digest} ({made.outcome})"
            click.echo(sanitize_line(words), err=bool(made.reason))
    return failed
