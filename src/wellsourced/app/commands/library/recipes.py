"""`wellsourced library add` and `recipes`: your own files, and public collections (recipes) listed and fetched."""

import asyncio
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wellsourced import config
from wellsourced.app import messages
from wellsourced.app.commands.library.group import fill_library, finish_ingestion
from wellsourced.app.options import is_quiet, json_option, ray_option, yes_option
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data, print_table
from wellsourced.config.libraries import refuse_guidelines
from wellsourced.errors import NextStep, NotFoundError, OfflineError, SourceRefused, SourceUnavailable
from wellsourced.events import IngestionCompleted
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.sources.base import WAITING_STATES
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import SourceKind

if TYPE_CHECKING:
    from wellsourced.ingest.acquisition import AcquisitionPlan
    from wellsourced.ingest.recipes import Recipe


CONFIRM_BYTES = 1_000_000_000
"""Bytes of a download that has to be confirmed."""


@click.command()
@json_option
def recipes(as_json: bool) -> None:
    """List the public collections that `wellsourced library add NAME` fetches, or reads from your own files."""
    from wellsourced.ingest.recipes import RECIPES

    if as_json:
        print_data([recipe_data(recipe) for recipe in RECIPES])
        return
    cells = [
        [one.name, one.goes, messages.download_size(one.download) if one.url else messages.BY_HAND, one.about]
        for one in RECIPES
    ]
    print_table(cells, ("name", "kind", "download", "about"))
    if not is_quiet():
        click.echo(f"\n{messages.RECIPE_DETAILS}")


def describe_plan(recipe: "Recipe", supply: "AcquisitionPlan | None", library: str, fault: str = "") -> str:
    """Describe a recipe in a few lines, and what it takes; `fault`: why that is not known."""
    size = f"{messages.download_size(recipe.download)}."
    lines = [f"{recipe.about}.", messages.RECIPE_LICENCE.format(licence=recipe.licence)]
    lines += [messages.RECIPE_ORIGIN.format(url=recipe.url, size=size)] if recipe.url else [f"{recipe.by_hand}."]
    lines += [messages.DISK_SPACE.format(size=format_size(recipe.disk))] if recipe.disk else []
    target = f"the library {library}" if library else "the graph of concepts"
    if supply is None:
        by_hand = messages.ADD_BY_HAND.format(name=recipe.name)
        lines.append(messages.LIST_UNAVAILABLE.format(reason=fault) if recipe.url else by_hand)
    elif supply.paths:
        lines.append(messages.READS_PATHS.format(count=format_count(len(supply.paths), "path"), target=target))
    else:
        lines.append(messages.to_download(len(supply.remotes), supply.download, supply.disk, supply.free, target))
    return "\n".join(map(sanitize_line, lines))


def recipe_data(recipe: "Recipe", supply: "AcquisitionPlan | None" = None) -> dict[str, Any]:
    """Return a recipe, and what it takes if that was looked up, for JSON."""
    names = ("name", "about", "licence", "goes", "url", "download", "disk", "by_hand")
    data = {**{name: getattr(recipe, name) for name in names}, "library": recipe.library_name}
    if supply:
        data |= {name: getattr(supply, name) for name in ("download", "disk", "free", "paths")}
        data["files"] = [remote._asdict() for remote in supply.remotes]
    return data


def run_recipe(
    ctx: click.Context,
    settings: config.Settings,
    recipe: "Recipe",
    own: tuple[Path, ...],
    *,
    into: str,
    files: int | None,
    mirror: str,
    dry_run: bool,
    yes: bool,
    again: bool,
    ray: str,
    as_json: bool,
) -> None:
    """Fetch what is needed, or take the user's own files, and read it; a large download has to be confirmed."""
    from wellsourced.ingest.acquisition import plan_acquisition

    async def look_up_files() -> "AcquisitionPlan":
        async with config.open_client(settings) as client:
            return await plan_acquisition(
                recipe, settings.home, client, own=own, url=mirror, files=files or 0, again=again
            )

    library, supply, fault = choose_library(settings, recipe, into), None, ""
    if ray and not library:
        raise click.UsageError(messages.GOES_INTO_GRAPH.format(name=recipe.name, option="--ray"))
    try:
        supply = asyncio.run(look_up_files())
    except (OfflineError, SourceUnavailable, SourceRefused) as error:
        # A dry run still knows the recipe itself, where its files cannot be listed now, or are given to nobody unasked.
        if not dry_run or (recipe.url and not isinstance(error, OfflineError | SourceUnavailable)):
            raise
        fault = str(error)
    plan = describe_plan(recipe, supply, library, fault)
    if dry_run or supply is None:
        if as_json:
            print_data({**recipe_data(recipe, supply), "library": library})
        else:
            click.echo(plan)
        return
    # Before the question: nobody should agree to what cannot end well.
    if supply.disk > supply.free and not yes:
        raise SourceRefused(
            messages.DISK_TOO_SMALL.format(needed=format_size(supply.disk), free=format_size(supply.free))
        )
    if supply.download > CONFIRM_BYTES and not yes:
        click.echo(plan, err=True)
        click.confirm(messages.CONFIRM_DOWNLOAD.format(size=format_size(supply.download)), abort=True, err=True)
    with watch_progress() as watch:
        ingested = asyncio.run(acquire_and_ingest(settings, supply, library, watch, again=again, ray=ray))
    units = ("document", "passage") if library else ("concept", "fact")
    note = messages.EMBED_LATER.format(library=library) if library else ""
    finish_ingestion(ctx, library or "the graph", ingested, watch, as_json=as_json, note=note, units=units)


def choose_library(settings: config.Settings, recipe: "Recipe", into: str) -> str:
    """Return the library to fill, "" for the graph. Raises SourceRefused when it exists and is of another kind."""

    async def read_kind() -> SourceKind:
        async with config.open_library(settings, library, build=False) as opened:
            return opened.kind

    if not recipe.library_name and into:
        raise click.UsageError(messages.GOES_INTO_GRAPH.format(name=recipe.name, option="--into"))
    library = into or recipe.library_name
    if library:
        refuse_guidelines(library)
    # One library is of one kind, by which its passages are ranked and named: books and articles do not mix.
    if library in config.library_names(settings) and (kind := asyncio.run(read_kind())) != recipe.goes:
        message = messages.OTHER_KIND.format(library=library, kind=kind, recipe=recipe.name, goes=recipe.goes)
        raise SourceRefused(message)
    return library


async def acquire_and_ingest(
    settings: config.Settings, supply: "AcquisitionPlan", library: str, watch: ProgressWatch, *, again: bool, ray: str
) -> IngestionCompleted:
    """Fetch, unpack and read the files."""
    from wellsourced.ingest.acquisition import acquire_files
    from wellsourced.ingest.file_ingestion import ingest_paths

    async with config.open_client(settings) as client:
        paths = await acquire_files(supply, settings.home, client, watch, again=again)
    if not library:
        came = IngestionCompleted()
        async with config.open_graph(settings, write=True) as graph:
            # One after the other: later files of a vocabulary refer to concepts of earlier ones.
            for path in paths:
                came += await graph.add_from(path, watch)
        return came
    if library not in config.library_names(settings):
        # By word: vectors of millions of passages take days, which is for their owner to decide.
        config.create_library(settings, library, supply.recipe.goes, lexical=True, about=supply.recipe.about)
    return await ingest_paths(settings, library, tuple(paths), False, watch, ray=ray)


@click.command()
@click.argument("name")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH…]")
@click.option("--into", metavar="LIBRARY", default="", help="Recipe: the library to fill.")
@click.option("--files", type=click.IntRange(1), default=None, help="Recipe: take only the first N files.")
@click.option("--from", "mirror", metavar="URL", default="", help="Recipe: a mirror of the publisher's folder.")
@click.option("--dry-run", is_flag=True, help="Recipe: only show what would be done.")
@yes_option
@click.option("--again", is_flag=True, help="Recipe: fetch files again that have no checksum.")
@click.option("--no-vectors", is_flag=True, help="Leave the vectors to `wellsourced library embed`.")
@ray_option
@json_option
@click.pass_context
def add(
    ctx: click.Context, /, name: str, paths: tuple[Path, ...], no_vectors: bool, ray: str, as_json: bool, **options: Any
) -> None:
    """Add files and folders to the library NAME; or fetch the public collection NAME, or import your copy from PATH.

    Unchanged files are skipped, changed ones replaced. You can stop it at any moment; run the same command to continue.
    Documents are found as soon as they are read; once vectors are computed, also in other words than the question's.

    With --ray, workers of Ray read the files and compute the vectors; this process stores what they give. On a cluster,
    every machine needs the files under the same path, and the same wellsourced.
    """
    from wellsourced.ingest.recipes import RECIPES

    settings, recipe = config.load(ctx.obj), next((recipe for recipe in RECIPES if recipe.name == name), None)
    # A library of one's own may have a recipe's name: files for it go into the library, the bare name is the recipe.
    if recipe and not (paths and name in config.library_names(settings)):
        run_recipe(ctx, settings, recipe, paths, **options, ray=ray, as_json=as_json)
        return
    # A flag of recipes that did nothing would look as if it had worked.
    if flags := [param.opts[0] for param in ctx.command.params if options.get(param.name or "")]:
        raise click.UsageError(messages.NOT_A_RECIPE.format(name=name, option=flags[0]))
    refuse_guidelines(name)
    try:
        paths = paths or find_waiting_files(settings, name)
        fill_library(ctx, settings, name, paths, vectors=not no_vectors, as_json=as_json, ray=ray)
    except NotFoundError as error:
        near = get_close_matches(name, [recipe.name for recipe in RECIPES], 1)
        message = messages.unknown_library(error.phrase, near[0] if near else "")
        raise NotFoundError(message, next_step=NextStep("create library", name)) from error


def find_waiting_files(settings: config.Settings, name: str) -> tuple[Path, ...]:
    """Return the files of a library that are not read yet; none where only its index is behind.

    Raises UsageError when neither is.
    """

    async def read_library() -> tuple[tuple[Path, ...], bool]:
        async with config.open_library(settings, name, build=False) as opened:
            waiting = tuple(Path(file.path) for file in opened.unsettled_files() if file.state in WAITING_STATES)
            return waiting, bool(await opened.backlog(with_index=False))

    paths, is_behind = asyncio.run(read_library())
    # Documents that are read and not yet indexed need no file: an empty list lets the library finish them.
    if paths or is_behind:
        return paths
    raise click.UsageError(messages.PATH_MISSING)
