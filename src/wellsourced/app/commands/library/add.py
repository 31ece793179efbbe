"""`wellsourced library add`: files of one's own, or a recipe by its name."""

import asyncio
from pathlib import Path
from typing import Any

import click

from wellsourced import config
from wellsourced.app.commands.library.ingestion import fill_library, refuse_guidelines, vectors_option
from wellsourced.app.commands.library.recipes import (
    RecipeOptions,
    find_recipe,
    recipe_lines,
    run_recipe,
    suggest_recipe,
)
from wellsourced.app.options import json_option
from wellsourced.errors import NotFoundError
from wellsourced.sources.base import WAITING_STATES

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
