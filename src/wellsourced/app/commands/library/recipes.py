"""`wellsourced library add` and `recipes`: files of one's own, and recipes listed, described and carried out."""

import asyncio
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.commands.library.ingestion import fill_library, finish_ingestion, vectors_option
from wellsourced.app.options import json_option, print_hint
from wellsourced.app.progress import ProgressWatch, watch_progress
from wellsourced.app.terminal import print_data, print_table
from wellsourced.config.libraries import refuse_guidelines
from wellsourced.errors import NotFoundError, OfflineError, SourceRefused, SourceUnavailable
from wellsourced.events import IngestionCompleted
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.sources.base import WAITING_STATES
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import SourceKind

if TYPE_CHECKING:
    from wellsourced.ingest.acquisition import AcquisitionPlan
    from wellsourced.ingest.recipes import Recipe


CONFIRM_BYTES = 1_000_000_000
"""Bytes from which on it is asked whether to go on."""


class RecipeOptions(NamedTuple):
    """How a recipe is to be carried out, as the options of `add` say it."""

    own_files: tuple[Path, ...] = ()
    into: str = ""
    files: int | None = None
    mirror: str = ""
    dry_run: bool = False
    yes: bool = False
    again: bool = False


def find_recipe(name: str) -> "Recipe | None":
    """The recipe of that name, if it is one's."""
    from wellsourced.ingest.recipes import RECIPES

    return next((recipe for recipe in RECIPES if recipe.name == name), None)


def suggest_recipe(name: str) -> str:
    """What to say of a name that is neither a library's nor a recipe's."""
    from wellsourced.ingest.recipes import RECIPES

    alike = get_close_matches(name, [recipe.name for recipe in RECIPES], 1)
    meant = f"Or is the recipe {alike[0]} meant? " if alike else ""
    return f"{meant}What can be added by name: `wellsourced library recipes`."


@click.command(short_help="List what can be added by name.")
@json_option
def recipes(as_json: bool) -> None:
    """List the recipes: what `wellsourced library add NAME` can fetch, or read from your own files."""
    from wellsourced.ingest.recipes import RECIPES

    if as_json:
        print_data([recipe_data(recipe) for recipe in RECIPES])
        return
    cells = [
        [one.name, one.goes, describe_download(one.download) if one.url else "by hand", one.about] for one in RECIPES
    ]
    print_table(cells, ("name", "kind", "download", "about"))
    print_hint("\n`wellsourced library add NAME --help` says more of one: its licence, its size, where it comes from.")


def recipe_data(recipe: "Recipe") -> dict[str, Any]:
    """A recipe as JSON."""
    names = ("name", "about", "licence", "goes", "url", "download", "disk", "by_hand")
    return {**{name: getattr(recipe, name) for name in names}, "library": recipe.library_name}


def recipe_lines(recipe: "Recipe") -> list[str]:
    """What a recipe is, in a few lines."""
    lines = [f"{recipe.about}.", f"Licence: {recipe.licence}."]
    if recipe.url:
        lines.append(f"From {recipe.url}: {describe_download(recipe.download)} to download.")
    else:
        lines.append(f"{recipe.by_hand}; then: `wellsourced library add {recipe.name} --path FOLDER`.")
    if recipe.disk:
        lines.append(f"About {format_size(recipe.disk)} are needed on the disk.")
    lines.append(f"It goes into {describe_target(recipe.library_name)}.")
    return lines


def describe_target(library: str) -> str:
    """Where documents or concepts go."""
    return f"the library {library}" if library else "the graph of concepts"


def describe_download(number: int) -> str:
    """A size that somebody gave, or that nobody did."""
    return f"about {format_size(number)}" if number else "as much as its list of files says"


def run_recipe(
    ctx: click.Context, settings: config.Settings, recipe: "Recipe", wish: RecipeOptions, *, as_json: bool
) -> None:
    """Fetch what is needed and read it, after having asked when it is much."""
    library = choose_library(settings, recipe, wish)
    try:
        supply = asyncio.run(look_up_files(settings, recipe, wish))
    except (OfflineError, SourceUnavailable) as error:
        # A dry run offline still knows the recipe itself; only the sizes of its files are missing.
        if not wish.dry_run:
            raise
        lines = [*recipe_lines(recipe), f"Its list of files could not be had: {error}"]
        print_plan(lines, recipe_data(recipe), as_json=as_json)
        return
    if wish.dry_run:
        lines = [*recipe_lines(recipe), *requirement_lines(supply, library)]
        print_plan(lines, acquisition_data(supply, library), as_json=as_json)
        return
    confirm_download(supply, library, wish)
    with watch_progress() as watch:
        ingested = asyncio.run(acquire_and_ingest(settings, supply, library, wish, watch))
    if library:
        note = f"They are found by word; by meaning too after `wellsourced library embed {library}`."
        finish_ingestion(ctx, library, ingested, watch, as_json=as_json, note=note)
    else:
        finish_ingestion(ctx, "the graph", ingested, watch, as_json=as_json, units=("concept", "fact"))


def choose_library(settings: config.Settings, recipe: "Recipe", wish: RecipeOptions) -> str:
    """The library to fill, "" for the graph. Raises SourceRefused when what is there is of another kind."""

    async def read_kind() -> SourceKind:
        async with config.open_library(settings, library, build=False) as opened:
            return opened.kind

    if not recipe.library_name and wish.into:
        raise click.UsageError(f"{recipe.name} goes into the graph, not into a library: leave --into out.")
    library = wish.into or recipe.library_name
    if library:
        refuse_guidelines(library)
    if library in config.library_names(settings):
        kind = asyncio.run(read_kind())
        # One library is of one kind, by which its passages are ranked and named: books and articles do not mix.
        if kind != recipe.goes:
            remedy = "Name another one with --into."
            raise SourceRefused(f"The library {library} holds “{kind}”, and {recipe.name} is “{recipe.goes}”. {remedy}")
    return library


async def look_up_files(settings: config.Settings, recipe: "Recipe", wish: RecipeOptions) -> "AcquisitionPlan":
    """What is to be fetched."""
    from wellsourced.ingest.acquisition import plan_acquisition

    async with config.open_client(settings) as client:
        return await plan_acquisition(
            recipe, settings.home, client, own=wish.own_files, url=wish.mirror, files=wish.files or 0, again=wish.again
        )


def requirement_lines(supply: "AcquisitionPlan", library: str) -> list[str]:
    """What it takes, in a line or two."""
    if supply.paths:
        paths = format_count(len(supply.paths), "path")
        return [f"{paths} of what is here already would be read into {describe_target(library)}."]
    size = format_size(supply.download) if supply.download else "of unknown size"
    files = f"{format_count(len(supply.remotes), 'file')}, {size}"
    room = f"about {format_size(supply.disk)} are needed in all, " if supply.disk else ""
    return [f"Now: {files}, would go into {describe_target(library)}; {room}{format_size(supply.free)} are free."]


def acquisition_data(supply: "AcquisitionPlan", library: str) -> dict[str, Any]:
    """The same as JSON."""
    remotes = [remote._asdict() for remote in supply.remotes]
    sizes = {"download": supply.download, "disk": supply.disk, "free": supply.free}
    return {**recipe_data(supply.recipe), "files": remotes, "paths": [str(path) for path in supply.paths], **sizes,
            "library": library}  # fmt: skip


def print_plan(lines: Iterable[str], figures: dict[str, Any], *, as_json: bool) -> None:
    """For people, or for a program."""
    if as_json:
        print_data(figures)
    else:
        click.echo("\n".join(sanitize_line(line) for line in lines))


def confirm_download(supply: "AcquisitionPlan", library: str, wish: RecipeOptions) -> None:
    """Ask before much is fetched. Raises SourceRefused when the disk is too small for it."""
    if wish.yes:
        return
    # Before the question: nobody should agree to what cannot end well.
    if supply.disk > supply.free:
        remedy = "Make room, take a part of it with --files N, or go on all the same with --yes."
        raise SourceRefused(
            f"It needs about {format_size(supply.disk)}, and {format_size(supply.free)} are free. {remedy}"
        )
    if supply.download > CONFIRM_BYTES:
        click.echo("\n".join([*recipe_lines(supply.recipe), *requirement_lines(supply, library)]), err=True)
        click.confirm(f"Fetch {format_size(supply.download)}?", abort=True, err=True)


async def acquire_and_ingest(
    settings: config.Settings, supply: "AcquisitionPlan", library: str, wish: RecipeOptions, watch: ProgressWatch
) -> IngestionCompleted:
    """Fetched, unpacked, read."""
    from wellsourced.ingest import ingest_files
    from wellsourced.ingest.acquisition import acquire_files

    async with config.open_client(settings) as client:
        paths = await acquire_files(supply, settings.home, client, watch, again=wish.again)
    if not library:
        came: dict[str, int] = dict.fromkeys(IngestionCompleted.model_fields, 0)
        async with config.open_graph(settings, write=True) as graph:
            # One after the other: later files of a vocabulary refer to concepts of earlier ones.
            for path in paths:
                for name, number in (await graph.add_from(path, watch)).model_dump().items():
                    came[name] += number
        return IngestionCompleted(**came)
    if library not in config.library_names(settings):
        # By word: vectors of millions of passages take days, which is for their owner to decide.
        config.create_library(settings, library, supply.recipe.goes, lexical=True, about=supply.recipe.about)
    async with config.open_library(settings, library, write=True) as opened:
        return await ingest_files(opened, paths, watch)


OPTION_NAMES = {"own_files": "path", "mirror": "from", "dry_run": "dry-run"}
"""What is known by one name here and typed as another."""


class AddCommand(click.Command):
    """Its help says what a recipe is, when one is named: `library add pubmed-baseline --help`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words, which are gone when help is asked for."""
        ctx.meta["words"] = tuple(args)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The recipe that is named, or where recipes are listed."""
        named = next((recipe for word in ctx.meta.get("words", ()) if (recipe := find_recipe(word))), None)
        with formatter.section(named.name if named else "Recipes"):
            for line in recipe_lines(named) if named else ["`wellsourced library recipes` lists them."]:
                formatter.write_text(line)


@click.command(cls=AddCommand, short_help="Add files and folders, or a recipe.")
@click.argument("name")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH…]")
@click.option(
    "--path", "own_files", multiple=True, type=click.Path(path_type=Path), help="Recipe: your own files, repeatable."
)
@click.option("--into", metavar="LIBRARY", default="", help="Recipe: the library to fill.")
@click.option("--files", type=click.IntRange(1), default=None, help="Recipe: take the first so many files only.")
@click.option("--from", "mirror", metavar="URL", default="", help="Recipe: a mirror of its publisher's folder.")
@click.option("--dry-run", is_flag=True, help="Recipe: say what would be done, and do nothing.")
@click.option("--yes", is_flag=True, help="Recipe: do not ask, however large it is.")
@click.option("--again", is_flag=True, help="Recipe: fetch anew what is here without a checksum.")
@vectors_option
@json_option
@click.pass_context
def add(
    ctx: click.Context, /, name: str, paths: tuple[Path, ...], no_vectors: bool, as_json: bool, **wish: Any
) -> None:
    """Add files, and those below folders, to the library NAME; or fill one from the recipe NAME.

    An unchanged file costs nothing, a changed one takes the place of what it held before. It can be stopped at any
    moment, and goes on when the same command is given again. Documents can be found by word as soon as they are in;
    vectors, to find them by meaning, come after that; for recipes, when `wellsourced library embed` is given.
    """
    settings = config.load(ctx.obj)
    recipe = find_recipe(name)
    # A library of one's own may have a recipe's name: files for it go into the library, the bare name is the recipe.
    if recipe and not (paths and name in config.library_names(settings)):
        wish["own_files"] = (*wish["own_files"], *paths)
        run_recipe(ctx, settings, recipe, RecipeOptions(**wish), as_json=as_json)
        return
    # A flag of recipes that did nothing would look as if it had been obeyed.
    if flags := [key for key, value in wish.items() if value]:
        raise click.UsageError(f"{name} is no recipe, so there is no use for --{OPTION_NAMES.get(flags[0], flags[0])}.")
    refuse_guidelines(name)
    try:
        paths = paths or find_waiting_files(settings, name)
        fill_library(ctx, settings, name, paths, vectors=not no_vectors, as_json=as_json)
    except NotFoundError as error:
        raise NotFoundError(
            f"{error} To make it: `wellsourced library create {name}`. {suggest_recipe(name)}"
        ) from error


def find_waiting_files(settings: config.Settings, name: str) -> tuple[Path, ...]:
    """The files of a library that are still to be read; none where only what was read is still to be indexed.

    Raises UsageError when there is neither.
    """

    async def read_library() -> tuple[tuple[Path, ...], bool]:
        async with config.open_library(settings, name, build=False) as opened:
            waiting = tuple(Path(file.path) for file in opened.unsettled_files() if file.state in WAITING_STATES)
            return waiting, bool(await opened.backlog(with_index=False))

    paths, is_behind = asyncio.run(read_library())
    # Documents that are read and not yet indexed need no file: an empty list lets the library finish them.
    if paths or is_behind:
        return paths
    raise click.UsageError("Missing argument 'PATH…': nothing that was begun is left to be read.")
