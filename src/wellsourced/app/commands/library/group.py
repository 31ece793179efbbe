"""`wellsourced library …`: your own files, and the built-in guidelines: created, filled, listed, verified, removed."""

import asyncio
import shlex
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.command_group import TableGroup
from wellsourced.app.exits import EXIT_FAILURE
from wellsourced.app.options import EXISTING_FILE, json_option, print_hint, ray_option, yes_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data, print_for_reader
from wellsourced.config.libraries import (
    copy_library,
    delete_library,
    library_bytes,
    move_library,
    prepare_engine,
    read_library_settings,
    refuse_guidelines,
)
from wellsourced.config.paths import library_root
from wellsourced.errors import NextStep, NotFoundError, SettingsError, SourceError
from wellsourced.events import IngestionCompleted
from wellsourced.presentation.libraries import (
    build_copy,
    build_faults,
    build_libraries,
    build_library,
    build_move,
    build_verification,
)
from wellsourced.presentation.progress import describe_ingestion
from wellsourced.presentation.wording import format_count
from wellsourced.sources.base import WAITING_STATES, SourceInfo
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import SourceKind

if TYPE_CHECKING:
    from wellsourced.ingest import LibraryVerification
    from wellsourced.ingest.expected_questions import QuestionCounts


@click.group(cls=TableGroup, path="library")
def library() -> None:
    """Create, fill and maintain libraries of your own files.

    Libraries take PDF, Word, web pages, Markdown, plain text, JSON lines, PubMed XML and PMC articles. Public
    collections are added by name: `wellsourced library recipes` lists them.
    """


HERE = "here"
"""How this machine is named in place of an engine's address."""

ENGINE_OPTION = click.option(
    "--engine",
    default="",
    metavar="URL",
    help="Search its passages there, as opensearch://HOST:PORT/INDEX. Default: on this machine.",
)


@click.command()
@click.argument("name")
@click.option(
    "--kind", type=click.Choice(get_args(SourceKind)), default="own", show_default=True, help="Kind of its documents."
)
@click.option("--lexical", is_flag=True, help="Compute no vectors until `library embed`.")
@ENGINE_OPTION
@click.option(
    "--add",
    "first",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="PATH…",
    help="Add these files and folders.",
)
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="")
@click.pass_context
def create(
    ctx: click.Context,
    name: str,
    kind: SourceKind,
    lexical: bool,
    engine: str,
    first: tuple[Path, ...],
    more: tuple[Path, ...],
) -> None:
    """Create the library NAME, empty or filled from files.

    With --engine its passages are indexed and searched on another machine: what is added, and what is asked, goes
    there. Its documents stay on this machine, or go to the PostgreSQL database in storage.url, for all hosts that share
    it.
    """
    if more and not first:
        raise click.UsageError(messages.PUT_ADD_FIRST.format(path=more[0]))
    settings = config.load(ctx.obj)
    config.create_library(settings, name, kind, lexical=lexical, engine=engine)
    if engine:
        asyncio.run(prepare_engine(settings, name))
    if not first:
        click.echo(messages.LIBRARY_CREATED.format(name=name))
        print_hint(messages.FILL_NEXT.format(name=shlex.quote(name)))
        return
    fill_library(ctx, settings, name, (*first, *more), vectors=not lexical, as_json=False)


def fill_library(
    ctx: click.Context,
    settings: config.Settings,
    name: str,
    paths: tuple[Path, ...],
    *,
    vectors: bool,
    as_json: bool,
    ray: str = "",
) -> None:
    """Fill a library, and report what was added and what was not; exit status 1 when anything was not."""
    from wellsourced.ingest.file_ingestion import ingest_paths
    from wellsourced.readers.file_listing import list_unknown_files

    with watch_progress() as watch:
        if ray:
            watch.show_step(messages.STARTING_RAY)
        ingested = asyncio.run(ingest_paths(settings, name, paths, vectors, watch, ray=ray))
    endings = Counter(path.suffix.lower() or "no ending" for path in list_unknown_files(paths)).most_common()
    finish_ingestion(ctx, name, ingested, watch, as_json=as_json, note=messages.files_skipped(endings))


def finish_ingestion(
    ctx: click.Context,
    name: str,
    ingested: IngestionCompleted,
    watch: ProgressWatch,
    *,
    as_json: bool,
    note: str = "",
    units: tuple[str, str] = ("document", "passage"),
) -> None:
    """Report what was added and what was not, in these units, with a note; exit status 1 when anything was not."""
    if as_json:
        failed = [event.model_dump(mode="json") for event in watch.failures]
        print_data({**ingested.model_dump(), "problems": failed})
        ctx.exit(EXIT_FAILURE if failed else 0)
    click.echo("\n".join(filter(None, (describe_ingestion(name, ingested, units), sanitize_line(note)))))
    if watch.failures:
        count = format_count(len(watch.failures), "problem")
        click.echo(f"\n{messages.FILE_PROBLEMS.format(count=count)}", err=True)
    for event in watch.failures:
        remedy = f"{messages.spell_next_step(event.next_step)} {event.remedy}".strip()
        reason = event.reason.rstrip(".")
        click.echo(f"  {sanitize_line(f'{event.path}: {reason}. {remedy}')}", err=True)
    ctx.exit(EXIT_FAILURE if watch.failures else 0)


@click.command()
@click.argument("name", required=False)
@json_option
@click.pass_obj
def list_(flags: dict[str, Any], name: str | None, as_json: bool) -> None:
    """List the libraries, or describe the library NAME."""
    settings = config.load(flags)

    async def describe_all() -> list[dict[str, Any]]:
        return [await _try_to_describe(settings, each) for each in config.library_names(settings)]

    if name:
        row = asyncio.run(describe_library(settings, name))
        row["expected"] = asyncio.run(count_expected(settings, name))._asdict()
        print_for_reader(build_library(row), row, as_json=as_json)
    else:
        rows = asyncio.run(describe_all())
        print_for_reader(build_libraries(rows), rows, as_json=as_json)


async def _try_to_describe(settings: config.Settings, name: str) -> dict[str, Any]:
    # One library that cannot be opened must not hide the others.
    try:
        return await describe_library(settings, name, library_root(settings))
    except SourceError as error:
        return {**SourceInfo(name, "own")._asdict(), "problem": str(error)}


async def describe_library(settings: config.Settings, name: str, root: Path | None = None) -> dict[str, Any]:
    """Return what a library holds, as its card says, what it `lacks`, and what it takes on the disk.

    root   the folder that it lies in, for whoever has just listed it: the database is not asked again which there are
    """
    async with config.open_library(settings, name, build=False, root=root) as opened:
        lacks, step = await config.describe_backlog(settings, opened, with_index=False)
        unsettled = opened.unsettled_files()
        waiting = sum(file.state in WAITING_STATES for file in unsettled)
        return {
            **(await opened.describe())._asdict(),
            "encoder": read_library_settings(settings, name).encoder,
            "engine": opened.engine_url,
            "database": opened.database,
            "bytes": library_bytes(settings, name),
            "waiting": waiting,
            "faulty": len(unsettled) - waiting,
            "lacks": lacks and f"{lacks}.",
            "next_step": step and asdict(step),
        }


async def count_expected(settings: config.Settings, name: str) -> "QuestionCounts":
    """Return how many questions a library is expected to be asked, and how many of them are of no use today."""
    from wellsourced.ingest.expected_questions import count_questions

    async with config.open_library(settings, name, build=False) as opened:
        return await count_questions(opened)


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("to", metavar="TO")
@ENGINE_OPTION
@json_option
@click.pass_context
def copy(ctx: click.Context, source: str, to: str, engine: str, as_json: bool) -> None:
    """Copy the library FROM into the library TO, which is created if needed; each is a name, or a library's folder.

    Documents, files, expected questions and vectors are copied as they are: nothing is read or computed again. You can
    stop it at any moment; run it again to continue. In the end both are compared: their documents, and what the same
    searches find. Exit status 1 when they differ.
    """
    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        copied = asyncio.run(copy_library(settings, source, to, engine, watch))
    name = Path(to).name
    print_for_reader(build_copy(name, copied), {**copied._asdict(), "whole": copied.is_whole}, as_json=as_json)
    ctx.exit(0 if copied.is_whole else EXIT_FAILURE)


@click.command()
@click.argument("name")
@click.argument("engine", metavar="URL|here")
@json_option
@click.pass_context
def move(ctx: click.Context, name: str, engine: str, as_json: bool) -> None:
    """Move the index of the library NAME to a search engine at URL (opensearch://HOST:PORT/INDEX), or back to here.

    With a URL, its documents move to the PostgreSQL database in storage.url, if there is one; otherwise they stay on
    this machine. Nothing is read or computed again. Until all of it is there, NAME is searched where it was; afterwards
    the old index is deleted. You can stop it at any moment; run it again to continue.
    Exit status 1 when it was not moved.
    """
    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        moved = asyncio.run(move_library(settings, name, "" if engine == HERE else engine, watch))
    if moved.is_shared:
        click.echo(messages.CATALOGUE_MOVED.format(name=name), err=True)
    if not (copied := moved.copied):
        click.echo(messages.MOVED_ALREADY.format(name=name, engine=engine))
        return
    print_for_reader(build_move(name, engine, copied), {**copied._asdict(), "whole": copied.is_whole}, as_json=as_json)
    ctx.exit(0 if copied.is_whole else EXIT_FAILURE)


@click.command()
@click.argument("name")
@click.option("--rebuild", "is_rebuild", is_flag=True, help="First rebuild the search index from its documents.")
@json_option
@click.pass_context
def verify(ctx: click.Context, name: str, is_rebuild: bool, as_json: bool) -> None:
    """Hash the files of the library NAME again, and check everything in it. Nothing is changed without --rebuild.

    Exit status 1 when a file changed, is missing or was not read completely, or when a document is damaged or cannot be
    searched.
    """

    async def compare_library(watch: ProgressWatch) -> "LibraryVerification":
        from wellsourced.ingest import verify_library

        if is_rebuild:
            watch.show_step(messages.REBUILDING.format(name=name))
            async with config.open_library(settings, name, write=True, build=False) as writable:
                await writable.rebuild()
        async with config.open_library(settings, name, build=False) as opened:
            return await verify_library(opened, watch)

    settings = config.load(ctx.obj)
    with watch_progress() as watch:
        verification = asyncio.run(compare_library(watch))
    data = {**verification._asdict(), "sound": verification.is_sound}
    print_for_reader(build_verification(name, verification), data, as_json=as_json)
    ctx.exit(0 if verification.is_sound else EXIT_FAILURE)


@click.command()
@click.argument("name")
@click.option("--retry", "is_retry", is_flag=True, help="Read these files again, even unchanged ones.")
@json_option
@click.pass_context
def errors(ctx: click.Context, name: str, is_retry: bool, as_json: bool) -> None:
    """List the files of the library NAME that were not read completely, and why."""
    settings = config.load(ctx.obj)
    if is_retry:
        refuse_guidelines(name)
        retry_files(ctx, settings, name, as_json=as_json)

    async def list_errors() -> list[dict[str, Any]]:
        async with config.open_library(settings, name, build=False) as opened:
            return [
                {**file._asdict(), "problems": [fault._asdict() for fault in opened.faults(file.path)]}
                for file in opened.unsettled_files()
            ]

    rows, expected = asyncio.run(list_errors()), asyncio.run(count_expected(settings, name))
    print_for_reader(build_faults(name, rows, expected.stale), rows, as_json=as_json)


def retry_files(ctx: click.Context, settings: config.Settings, name: str, *, as_json: bool) -> None:
    """Read what is there again; forget what is gone from the disk."""

    async def drop_missing_files() -> tuple[Path, ...]:
        async with config.open_library(settings, name, write=True) as opened:
            paths = [Path(file.path) for file in opened.unsettled_files()]
            for path in paths:
                # A file that is gone can never be read: it would be listed as an error for ever.
                if not path.exists():
                    await opened.forget_file(str(path))
            return tuple(path for path in paths if path.exists())

    from wellsourced.ingest.file_ingestion import ingest_paths

    if paths := asyncio.run(drop_missing_files()):
        with watch_progress() as watch:
            ingested = asyncio.run(ingest_paths(settings, name, paths, False, watch, again=True))
        finish_ingestion(ctx, name, ingested, watch, as_json=as_json)


@click.command()
@click.argument("name")
@click.option(
    "--vectors",
    type=EXISTING_FILE,
    multiple=True,
    metavar="FILE.npy",
    help="Use these vectors, one row per document, from the same encoder; repeatable, each with its --ids.",
)
@click.option(
    "--ids",
    type=EXISTING_FILE,
    multiple=True,
    metavar="FILE",
    help="The document ids of the rows in --vectors: a JSON list, or one per line.",
)
@ray_option
@click.pass_obj
def embed(flags: dict[str, Any], name: str, vectors: tuple[Path, ...], ids: tuple[Path, ...], ray: str) -> None:
    """Compute vectors for the passages of NAME that have none, so that search by meaning finds them.

    You can stop it at any moment; run it again to continue. Vectors of another encoder are replaced. With --vectors
    nothing is computed: all passages of a document get the vector from the file.
    """
    from wellsourced.ingest.ray_cluster import open_ray
    from wellsourced.ingest.vector_files import ImportedVectors, import_vectors

    async def work(watch: ProgressWatch) -> tuple[SourceInfo, ImportedVectors | None]:
        async with config.open_library(settings, name, write=True) as opened, open_ray(settings, ray) as workers:
            pairs = list(zip(vectors, ids, strict=True))
            imported = await import_vectors(opened.add_vectors, pairs, watch) if pairs else None
            if imported is None:
                spread = workers.start_encoder(opened.encoder) if workers and opened.encoder else None
                await opened.embed_passages(watch, spread)
            return await opened.describe(), imported

    if len(vectors) != len(ids):
        raise click.UsageError(messages.VECTORS_NEED_IDS)
    settings = config.load(flags)
    with watch_progress() as watch:
        card, imported = asyncio.run(work(watch))
    if imported:
        click.echo(messages.VECTORS_IMPORTED.format(documents=imported.documents, left_out=imported.left_out))
    click.echo(
        messages.EMBEDDED.format(name=name, vectors=card.vectors, passages=format_count(card.passages, "passage"))
    )


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
        asyncio.run(delete_library(settings, name))
        click.echo(messages.LIBRARY_DELETED.format(name=name))
        return
    from wellsourced.ingest.file_ingestion import remove_documents

    refuse_guidelines(name)
    removed = asyncio.run(remove_documents(settings, name, ids))
    # A file that held no document was still known, and is forgotten now: only what nobody knows is an error.
    if not removed.documents and not removed.files:
        raise NotFoundError(messages.NO_SUCH_DOCUMENTS.format(name=name, ids=", ".join(ids)))
    click.echo(messages.documents_removed(name, removed.documents, removed.missing))


@click.command()
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("--again", "is_again", is_flag=True, help="Replace digests that exist.")
@click.pass_context
def digest(ctx: click.Context, files: tuple[Path, ...], is_again: bool) -> None:
    """Write FILE.digest.md beside each FILE, in at most 200 words.

    `library add` uses a digest to find the guideline; answers quote the guideline itself. If you stop it, what was
    written is kept.
    """
    settings = config.load(ctx.obj)
    if not settings.model:
        raise SettingsError(messages.DIGEST_NEEDS_MODEL, next_step=NextStep("choose model"))
    # Only the model is needed: loading encoders and libraries would take longer than the work.
    alone = settings.model_copy(update={"guidelines": False, "encoder": "none", "reranker": "none", "live": ()})

    async def write_digests(watch: ProgressWatch) -> int:
        """Return how many files have no digest in the end."""
        from wellsourced.ingest.guideline_digests import write_digest

        failed = 0
        async with config.open_context(alone, emit=watch) as context:
            for path in files:
                watch.show_step(messages.READING_FILE.format(path=path))
                made = await write_digest(path, context, anew=is_again)
                watch.close()
                failed += made.outcome == "failed"
                words = f"{made.path}: {made.reason}" if made.reason else f"{made.digest} ({made.outcome})"
                click.echo(sanitize_line(words), err=bool(made.reason))
        return failed

    with watch_progress() as watch:
        failed = asyncio.run(write_digests(watch))
    ctx.exit(EXIT_FAILURE if failed else 0)
