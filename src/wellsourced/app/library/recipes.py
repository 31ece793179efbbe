"""Recipes at the command line: listed, described, and carried out."""

import asyncio
import json
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.library.filling import conclude
from wellsourced.app.library.shared import own
from wellsourced.app.options import json_option
from wellsourced.app.progress import Watch, watching
from wellsourced.app.terminal import count, emit_json, safe, size, table
from wellsourced.errors import OfflineError, SourceRefused, SourceUnavailable
from wellsourced.events import IngestionCompleted
from wellsourced.types import SourceKind

# Recipes and readers take a third of a second to load: who only asks for help should not wait for them.
if TYPE_CHECKING:
    from wellsourced.ingest.recipes import Recipe
    from wellsourced.ingest.supplies import AcquisitionPlan

ASKED = 1_000_000_000
"""Bytes from which on it is asked whether to go on."""


class Wish(NamedTuple):
    """How a recipe is to be carried out, as the options of `add` say it."""

    own_files: tuple[Path, ...] = ()
    into: str = ""
    files: int | None = None
    mirror: str = ""
    dry_run: bool = False
    yes: bool = False
    again: bool = False


def known_recipe(name: str) -> "Recipe | None":
    """The recipe of that name, if it is one's."""
    from wellsourced.ingest.recipes import RECIPES

    return next((recipe for recipe in RECIPES if recipe.name == name), None)


def nearest(name: str) -> str:
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
        emit_json(json.dumps([plain(recipe) for recipe in RECIPES], ensure_ascii=False, indent=2))
        return
    cells = [[one.name, one.goes, said(one.download) if one.url else "by hand", one.about] for one in RECIPES]
    click.echo(table(cells, ("name", "kind", "download", "about")), nl=False)
    click.echo("\n`wellsourced library add NAME --help` says more of one: its licence, its size, where it comes from.")


def plain(recipe: "Recipe") -> dict[str, Any]:
    """A recipe as JSON."""
    names = ("name", "about", "licence", "goes", "url", "download", "disk", "by_hand")
    return {**{name: getattr(recipe, name) for name in names}, "library": recipe.library_name}


def described(recipe: "Recipe") -> list[str]:
    """What a recipe is, in a few lines."""
    lines = [f"{recipe.about}.", f"Licence: {recipe.licence}."]
    if recipe.url:
        lines.append(f"From {recipe.url}: {said(recipe.download)} to download.")
    else:
        lines.append(f"{recipe.by_hand}; then: `wellsourced library add {recipe.name} --path FOLDER`.")
    if recipe.disk:
        lines.append(f"About {size(recipe.disk)} are needed on the disk.")
    lines.append(f"It goes into {place(recipe.library_name)}.")
    return lines


def place(library: str) -> str:
    """Where documents or concepts go."""
    return f"the library {library}" if library else "the graph of concepts"


def said(number: int) -> str:
    """A size that somebody gave, or that nobody did."""
    return f"about {size(number)}" if number else "as much as its list of files says"


def carried_out(ctx: click.Context, settings: config.Settings, recipe: "Recipe", wish: Wish, *, as_json: bool) -> None:
    """Fetch what is needed and read it, after having asked when it is much."""
    library = checked(settings, recipe, wish)
    try:
        supply = asyncio.run(looked_up(settings, recipe, wish))
    except (OfflineError, SourceUnavailable) as error:
        if not wish.dry_run:
            raise
        told([*described(recipe), f"Its list of files could not be had: {error}"], {**plain(recipe)}, as_json=as_json)
        return
    if wish.dry_run:
        told([*described(recipe), *needed(supply, library)], figures(supply, library), as_json=as_json)
        return
    permitted(supply, library, wish)
    with watching() as watch:
        ingested = asyncio.run(done(settings, supply, library, wish, watch))
    if library:
        note = f"They are found by word; by meaning too after `wellsourced library embed {library}`."
        conclude(ctx, library, ingested, watch, as_json=as_json, note=note)
    else:
        conclude(ctx, "the graph", ingested, watch, as_json=as_json, units=("concept", "fact"))


def checked(settings: config.Settings, recipe: "Recipe", wish: Wish) -> str:
    """The library to fill, "" for the graph. Raises Refused when what is there is of another kind."""
    if not recipe.library_name and wish.into:
        raise click.UsageError(f"{recipe.name} goes into the graph, not into a library: leave --into out.")
    library = wish.into or recipe.library_name
    if library:
        own(library)
    if library in config.library_names(settings):
        kind = asyncio.run(kind_of(settings, library))
        if kind != recipe.goes:
            remedy = "Name another one with --into."
            raise SourceRefused(f"The library {library} holds “{kind}”, and {recipe.name} is “{recipe.goes}”. {remedy}")
    return library


async def kind_of(settings: config.Settings, library: str) -> SourceKind:
    """What a library holds."""
    async with config.open_library(settings, library, build=False) as opened:
        return opened.kind


async def looked_up(settings: config.Settings, recipe: "Recipe", wish: Wish) -> "AcquisitionPlan":
    """What is to be fetched."""
    from wellsourced.ingest.supplies import plan_acquisition

    async with config.open_client(settings) as client:
        return await plan_acquisition(
            recipe,
            settings.home,
            client,
            own=wish.own_files,
            url=wish.mirror,
            files=wish.files or 0,
            again=wish.again,
        )


def needed(supply: "AcquisitionPlan", library: str) -> list[str]:
    """What it takes, in a line or two."""
    if supply.paths:
        return [f"{count(len(supply.paths), 'path')} of what is here already would be read into {place(library)}."]
    files = f"{count(len(supply.remotes), 'file')}, {size(supply.download) if supply.download else 'of unknown size'}"
    room = f"about {size(supply.disk)} are needed in all, " if supply.disk else ""
    return [f"Now: {files}, would go into {place(library)}; {room}{size(supply.free)} are free."]


def figures(supply: "AcquisitionPlan", library: str) -> dict[str, Any]:
    """The same as JSON."""
    remotes = [remote._asdict() for remote in supply.remotes]
    sizes = {"download": supply.download, "disk": supply.disk, "free": supply.free}
    return {**plain(supply.recipe), "files": remotes, "paths": [str(path) for path in supply.paths], **sizes,
            "library": library}  # fmt: skip


def told(lines: Iterable[str], figures: dict[str, Any], *, as_json: bool) -> None:
    """For people, or for a program."""
    if as_json:
        emit_json(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(safe(line) for line in lines))


def permitted(supply: "AcquisitionPlan", library: str, wish: Wish) -> None:
    """Ask before much is fetched. Raises Refused when the disk is too small for it."""
    if wish.yes:
        return
    if supply.disk > supply.free:
        remedy = "Make room, take a part of it with --files N, or go on all the same with --yes."
        raise SourceRefused(f"It needs about {size(supply.disk)}, and {size(supply.free)} are free. {remedy}")
    if supply.download > ASKED:
        click.echo("\n".join([*described(supply.recipe), *needed(supply, library)]), err=True)
        click.confirm(f"Fetch {size(supply.download)}?", abort=True, err=True)


async def done(
    settings: config.Settings, supply: "AcquisitionPlan", library: str, wish: Wish, watch: Watch
) -> IngestionCompleted:
    """Fetched, unpacked, read."""
    from wellsourced.ingest import ingest_files
    from wellsourced.ingest.supplies import acquire_files

    async with config.open_client(settings) as client:
        paths = await acquire_files(supply, settings.home, client, watch, again=wish.again)
    if not library:
        return await into_graph(settings, paths, watch)
    if library not in config.library_names(settings):
        # By word: vectors of millions of passages take days, which is for their owner to decide.
        config.create_library(settings, library, supply.recipe.goes, lexical=True, about=supply.recipe.about)
    async with config.open_library(settings, library, write=True) as opened:
        return await ingest_files(opened, paths, watch)


async def into_graph(settings: config.Settings, paths: Iterable[Path], watch: Watch) -> IngestionCompleted:
    """One file or folder after the other, in their order; what came of them together."""
    came: dict[str, int] = dict.fromkeys(IngestionCompleted.model_fields, 0)
    async with config.open_graph(settings, write=True) as graph:
        for path in paths:
            for name, number in (await graph.add_from(path, watch)).model_dump().items():
                came[name] += number
    return IngestionCompleted(**came)
