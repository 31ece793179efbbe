"""Libraries, looked after: digests and vectors made, documents removed that are not wanted any more, an index made
anew.
"""

import asyncio
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.options import EXISTING_FILE
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.config.libraries import delete_library, refuse_guidelines
from wellsourced.errors import NotFoundError, SettingsError
from wellsourced.presentation.wording import format_count
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import sanitize_line


@click.command("embed", short_help="Compute the vectors that are missing.")
@click.argument("name")
@click.pass_obj
def embed_library(flags: dict[str, Any], name: str) -> None:
    """Compute vectors for the passages of NAME that have none, so that they are found by meaning too.

    It can be stopped at any moment, and goes on when it is given again. A library that was searched by word only has
    vectors from now on; vectors that another encoder made are made anew.
    """

    async def work(watch: ProgressWatch) -> SourceInfo:
        async with config.open_library(settings, name, write=True) as opened:
            await opened.embed_passages(watch)
            return await opened.describe()

    settings = config.load(flags)
    with watch_progress() as watch:
        card = asyncio.run(work(watch))
    click.echo(f"{card.vectors:,} of the {format_count(card.passages, 'passage')} of {name} can be found by meaning.")


@click.command(short_help="Remove documents, or a whole library.")
@click.argument("name")
@click.argument("ids", nargs=-1, metavar="[ID or FILE…]")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def remove(flags: dict[str, Any], name: str, ids: tuple[str, ...], yes: bool) -> None:
    """Remove the documents named by their IDs, or all that came from a FILE, from the library NAME.

    Without either, the library is deleted. Adding a file again brings its documents back.
    """
    settings = config.load(flags)
    if not ids:
        if not yes:
            click.confirm(f"Delete the library {name} with all that it holds?", abort=True, err=True)
        delete_library(settings, name)
        click.echo(f"Deleted the library {name}.")
        return
    from wellsourced.ingest.library_changes import remove_documents

    refuse_guidelines(name)
    done = asyncio.run(remove_documents(settings, name, ids))
    # A file that held no document was still known, and is forgotten now: only what nobody knows is an error.
    if not done.documents and not done.files:
        raise NotFoundError(f"The library {name} holds none of these documents: {', '.join(ids)}.")
    absent = f"; {done.missing} were not there" if done.missing else ""
    click.echo(f"Removed {format_count(done.documents, 'document')} from {name}{absent}.")


@click.command(short_help="Make the search index anew.")
@click.argument("name")
@click.pass_obj
def rebuild(flags: dict[str, Any], name: str) -> None:
    """Make the search index of NAME anew from its documents, which are kept apart from it; vectors are kept."""

    async def work(watch: ProgressWatch) -> SourceInfo:
        watch.show_step(f"Indexing {name} again")
        async with config.open_library(settings, name, write=True, build=False) as opened:
            await opened.rebuild()
            return await opened.describe()

    settings = config.load(flags)
    with watch_progress() as watch:
        card = asyncio.run(work(watch))
    click.echo(
        f"{format_count(card.documents, 'document')} of {name} can be searched again, "
        f"{format_count(card.passages, 'passage')}."
    )


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
