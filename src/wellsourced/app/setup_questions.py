"""The questions of `wellsourced setup`: which model writes, what is searched over the network, what is fetched, and
where it lies.

What becomes of the answers belongs in config/own_settings.py.
"""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wellsourced import config
from wellsourced.app.setup_dialogue import SettingAnswers, SetupWalk
from wellsourced.config import models
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.presentation.wording import format_size

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


ABOUT = (
    "Without a language model, answers are the sources' own sentences. With one, it writes them, and what no source "
    "supports is not shown. A model of a provider is sent your questions and what was found; names, dates and the like "
    "are masked in them, as far as they are found."
)
WAYS = (
    ("none", "no language model"),
    ("local:FILE.gguf", "a file on this machine"),
    ("ollama:NAME", "a server on this machine; also llamacpp, lmstudio, vllm"),
    ("openai:NAME", "a provider; also anthropic, azure, bedrock, google, groq, mistral, openrouter"),
    ("compatible:NAME", "any server that speaks as OpenAI does"),
)


def ask_model(walk: SetupWalk) -> SettingAnswers:
    """Who writes, and what that model is asked with. Raises SettingsError for a flag that names none."""
    walk.dialogue.begin_part("Language model", ABOUT)
    if walk.options.model is not None:
        name = check_model_name(walk.options.model)
        answers = settle_model(walk, name)
        # A flag cannot be asked again, so what is wrong with it ends the setup before anything is written.
        if problem := try_model(walk, answers):
            raise SettingsError(problem)
        return answers
    if not walk.is_asked("model"):
        return {}
    walk.dialogue.show_rows(WAYS)
    standing = walk.own.settings.model
    while True:
        standing = walk.dialogue.ask("Language model", standing, check_model_name)
        answers = settle_model(walk, standing)
        problem = try_model(walk, answers)
        if not problem:
            return answers
        walk.dialogue.say(f"{problem} Name another one, or none; Enter tries this one again.")


def check_model_name(typed: str) -> str:
    """The name, "" for none. Raises SettingsError."""
    if typed.lower() in ("", "none"):
        return ""
    models.find_model_needs(typed)
    return models.complete_model_name(typed)


def settle_model(walk: SetupWalk, name: str) -> SettingAnswers:
    """A model with what it is asked with; without one, no assistant either, who would have nobody to help."""
    if not name and walk.own.settings.assistant:
        walk.dialogue.say("Without a model there is no assistant either.")
        return {"model": name, "assistant": ""}
    return {"model": name, **ask_access(walk, name)}


def ask_access(walk: SetupWalk, name: str) -> SettingAnswers:
    """The address and the key of a model, as far as it takes any."""
    if not name:
        return {}
    needs = models.find_model_needs(name)
    url = f"{needs.service}.url"
    answers: SettingAnswers = {}
    if needs.service in walk.options.urls:
        answers[url] = walk.options.urls[needs.service]
    elif needs.example_url and walk.is_asked(url):
        standing = walk.own.settings.find_service(needs.service).url
        answers[url] = walk.dialogue.ask(f"Its address, as in {needs.example_url}", standing, models.check_address)
    return {**answers, **walk.ask_key(needs.service, needs.service)} if needs.takes_key else answers


def try_model(walk: SetupWalk, answers: Mapping[str, Any]) -> str:
    """Make the model, and ask it one small question if the user agrees; what is wrong with it, "" for nothing."""
    name = answers["model"]
    # The assistant may be one that cannot be made yet; it is not what is tried here.
    settings = walk.load({**answers, "assistant": ""})
    if not name:
        return ""
    try:
        host = models.find_model_host(name, settings)
    except SettingsError as error:
        # A key may come later, from the environment.
        walk.dialogue.say(f"It is not tried: {error.phrase}.")
        return ""
    if settings.network.offline and host:
        walk.dialogue.tell(f"{name} was not tried: nothing may leave this machine (network.offline).")
        return ""
    agreed = agree_to_trial(walk, host)
    # Making a local model reads its whole file; a remote one is made in no time, which finds a missing package.
    if not agreed and name.startswith(f"{models.LOCAL}:"):
        return ""
    if agreed:
        walk.dialogue.say(f"Asking {name} …")
    try:
        (trial,) = asyncio.run(models.try_models(settings, agreed))
    except WellsourcedError as error:
        return f"{error.phrase}."
    if agreed and not trial.error:
        walk.dialogue.tell(f"{name} answered in {trial.seconds:.1f} s.")
    return trial.error and f"{name} does not answer: {trial.error}"


def agree_to_trial(walk: SetupWalk, host: str) -> bool:
    """Whether the user wants the model tried."""
    # A trial may cost money and sends words away: with nobody there to agree, only the flag does.
    if walk.options.try_model is not None or not walk.dialogue.is_open:
        return bool(walk.options.try_model)
    goes = f"It goes to {host}, and may cost a little" if host else "Loading the file takes a moment"
    return walk.dialogue.confirm(f"Try it with one small question? {goes}.", default=False)


ABOUT_SOURCES = (
    "The guidelines that come with wellsourced, and your own libraries, are on this machine. Services on the network "
    "can be searched as well; each then gets the words of your questions. Names, dates and the like are left out of "
    "them, as far as they are found."
)
ABOUT_CONTACT = (
    "NCBI (PubMed) and Crossref ask programs for an e-mail address, so that they can write to somebody before they "
    "block a program."
)
NCBI = "pubmed"
NCBI_SOURCES = {"pubmed", "pmc"}


def ask_sources(walk: SetupWalk) -> SettingAnswers:
    """What is searched over the network, with keys and addresses. Raises SettingsError for a flag that is wrong."""
    walk.dialogue.begin_part("Sources on the network", ABOUT_SOURCES)
    answers: SettingAnswers = {}
    if walk.options.live is not None:
        answers["live"] = split_sources(walk.options.live)
    elif walk.is_asked("live"):
        walk.dialogue.show_rows(LIVE_SOURCE_REGISTRY.describe().items())
        standing = ", ".join(walk.own.settings.live)
        answers["live"] = walk.dialogue.ask("Sources, with commas between them", standing, split_sources)
    for name in answers.get("live", ()):
        answers |= ask_source_access(walk, name)
    return answers


def split_sources(typed: str) -> tuple[str, ...]:
    """The sources that are named, each once. Raises SettingsError for one that does not exist."""
    names = tuple(dict.fromkeys(name for name in re.split(r"[,\s]+", typed.lower()) if name not in ("", "none")))
    for name in names:
        # The registry's own message lists what there is; a near name is the more helpful remedy.
        if name not in LIVE_SOURCE_REGISTRY.names and (near := get_close_matches(name, LIVE_SOURCE_REGISTRY.names, 1)):
            raise SettingsError(f"There is no source on the network “{name}”: did you mean {near[0]}?")
        LIVE_SOURCE_REGISTRY.find(name)
    return names


def ask_source_access(walk: SetupWalk, name: str) -> SettingAnswers:
    """The key of a source that wants one, the address of a server of the user's own."""
    entry = LIVE_SOURCE_REGISTRY.find(name)
    url = f"{entry.service_name}.url"
    # A service with keys has an address of its own, and one without an address is run by the user.
    if entry.key_issuer:
        return walk.ask_key(entry.service_name, f"{name}, which {entry.key_issuer} gives")
    if entry.url or entry.service_name in walk.options.urls or not walk.is_asked(url):
        return {}
    standing = walk.own.settings.find_service(entry.service_name).url
    return {url: walk.dialogue.ask(f"Address of your {name} server", standing, models.check_address)}


def ask_contact(walk: SetupWalk, live: tuple[str, ...]) -> SettingAnswers:
    """The e-mail address that services are told, and NCBI's key where NCBI is searched. Raises SettingsError."""
    walk.dialogue.begin_part("Who asks", ABOUT_CONTACT)
    answers: SettingAnswers = {}
    if walk.options.email is not None:
        answers["network.email"] = check_email(walk.options.email)
    elif walk.is_asked("network.email"):
        answers["network.email"] = walk.dialogue.ask(
            "Your e-mail address", walk.own.settings.network.email, check_email
        )
    # NCBI's key is asked here and not with its sources: one key serves PubMed and PMC.
    if NCBI_SOURCES.intersection(live) or NCBI in walk.options.keys:
        if NCBI not in walk.options.keys:
            walk.dialogue.say("With a key of NCBI, PubMed may be asked ten times a second instead of three.")
        answers |= walk.ask_key(NCBI, "NCBI")
    return answers


def check_email(typed: str) -> str:
    """The address, "" for none. Raises SettingsError for one to which nobody could write."""
    if typed.lower() in ("", "none"):
        return ""
    # The address goes into a header and into URLs as it is: what could end either is refused.
    if not re.fullmatch(r"[!-~]+@[!-~]+\.[!-~]+", typed) or typed.count("@") != 1 or re.search(r"[<>,;\"\\]", typed):
        raise SettingsError(f"“{typed}” is no e-mail address: write it as name@example.org.")
    return typed
