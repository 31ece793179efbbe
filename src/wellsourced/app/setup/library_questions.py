"""Where things lie, and which collections are fetched into libraries and the graph."""

import re
import shutil
import tempfile
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wellsourced import config
from wellsourced.app.setup.walk import SettingAnswers, SetupWalk
from wellsourced.app.terminal import format_size
from wellsourced.errors import SettingsError

if TYPE_CHECKING:
    from wellsourced.ingest.recipes import Recipe

ABOUT_HOME = "Libraries, the answers that were given, and caches lie in one folder."
ABOUT_COLLECTIONS = (
    "Public collections can be fetched into libraries of this machine, and are then searched without the network. "
    "They can be fetched at any later time, too (`wellsourced library add NAME`)."
)


def ask_home(walk: SetupWalk) -> SettingAnswers:
    """The folder of the libraries. Raises SettingsError for a flag that names one that cannot be written."""
    walk.dialogue.begin_part("Where things lie", ABOUT_HOME)
    before = walk.own.settings.home
    if walk.options.home is not None:
        chosen = check_folder(walk.options.home)
    elif walk.is_asked("home"):
        chosen = walk.dialogue.ask("Folder", str(before), check_folder)
    else:
        return {}
    # Moving libraries may take hours and fill a disk, which nobody agreed to by naming a folder.
    if chosen != str(before) and config.library_names(walk.own.settings):
        walk.dialogue.tell(f"The libraries in {before} stay there: move them yourself if you want them here.")
    return {"home": chosen}


def check_folder(typed: str) -> str:
    """The whole path of a folder. Raises SettingsError for one that cannot be made or written."""
    try:
        path = Path(typed).expanduser().absolute()
    except RuntimeError as error:
        raise SettingsError(f"“{typed}” names a user who has no home folder here: name another folder.") from error
    if not typed:
        raise SettingsError("There has to be a folder: name one.")
    try:
        # A file is tried, since rights alone do not tell of read-only mounts; the folder itself is made only when it is
        # used.
        with tempfile.TemporaryFile(dir=find_existing(path)):
            return str(path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}): name another folder.") from error


def find_existing(path: Path) -> Path:
    """The path, or the nearest above it that there is."""
    return next(one for one in (path, *path.parents) if one.exists())


def ask_collections(walk: SetupWalk, settings: config.Settings) -> "list[Recipe]":
    """What is to be fetched. Raises SettingsError for a flag that names what does not exist or has no room."""
    home = settings.home
    choose = partial(choose_collections, home=home)
    if walk.options.collections is not None:
        return choose(walk.options.collections)
    # Without a flag nothing is fetched: --yes answers what was asked, and nobody asked for gigabytes.
    if not walk.dialogue.is_open:
        return []
    walk.dialogue.begin_part("Collections", ABOUT_COLLECTIONS)
    header = ("name", "download", "on disk", "what it is, and its licence")
    if settings.network.offline:
        walk.dialogue.say("Nothing can be fetched: nothing may leave this machine (network.offline).")
        return []
    walk.dialogue.show_rows([header, *(describe_collection(recipe, home) for recipe in list_fetchable())])
    return walk.dialogue.ask("Collections to fetch, with commas between them", "", choose)


def list_fetchable() -> "list[Recipe]":
    """The recipes whose files anybody may fetch."""
    from wellsourced.ingest.recipes import RECIPES

    return [recipe for recipe in RECIPES if recipe.url]


def describe_collection(recipe: "Recipe", home: Path) -> tuple[str, str, str, str]:
    """Its name, what it takes to fetch and to keep, and what it is under which licence."""
    download, disk = (format_size(number) if number else "not said" for number in (recipe.download, recipe.disk))
    here = " Fetched before." if (home / "downloads" / recipe.name).exists() else ""
    return recipe.name, download, disk, f"{recipe.about}. {recipe.licence}.{here}"


def choose_collections(typed: str, home: Path) -> "list[Recipe]":
    """The recipes that are named. Raises SettingsError for an unknown one, and where the disk is too small for them."""
    known = {recipe.name: recipe for recipe in list_fetchable()}
    names = dict.fromkeys(name for name in re.split(r"[,\s]+", typed.lower()) if name not in ("", "none"))
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            raise SettingsError(
                f"There is no collection “{name}” that can be fetched: "
                f"{f'did you mean {near[0]}?' if near else 'there is ' + ', '.join(known) + '.'}"
            )
    chosen = [known[name] for name in names]
    # All together: each alone may fit where the sum does not.
    needed, free = sum(recipe.disk for recipe in chosen), shutil.disk_usage(find_existing(home)).free
    if needed > free:
        raise SettingsError(
            f"{' and '.join(names)} would take about {format_size(needed)} on the disk, and {format_size(free)} are "
            "free: choose less, or another folder."
        )
    return chosen


def describe_fetch(recipes: "Sequence[Recipe]", mirrors: "dict[str, str]") -> str:
    """What will be fetched, and from whom."""
    told = []
    for recipe in recipes:
        size = f"about {format_size(recipe.download)}" if recipe.download else "as much as its list of files says"
        told.append(f"{recipe.name} ({size}, from {urlsplit(mirrors.get(recipe.name) or recipe.url).netloc})")
    return ", ".join(told)
