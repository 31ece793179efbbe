"""The questions of `wellsourced setup`: model, live sources, collections, folder. Answers are written elsewhere."""

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
from wellsourced.app import setup_messages as messages
from wellsourced.app.library_messages import download_size
from wellsourced.app.setup_dialogue import SettingAnswers, SetupWalk
from wellsourced.config import models
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.presentation.wording import format_size

if TYPE_CHECKING:
    from wellsourced.ingest.recipes import Recipe


def ask_home(walk: SetupWalk) -> SettingAnswers:
    """Ask for the folder of libraries. Raises SettingsError for a flag that names one that is not writable."""
    walk.dialogue.begin_part(messages.HOME, messages.ABOUT_HOME)
    before = walk.own.settings.home
    if walk.options.home is not None:
        chosen = check_folder(walk.options.home)
    elif walk.is_asked("home"):
        chosen = walk.dialogue.ask(messages.FOLDER, str(before), check_folder)
    else:
        return {}
    # Moving libraries may take hours and fill a disk, which nobody agreed to by naming a folder.
    if chosen != str(before) and config.library_names(walk.own.settings):
        walk.dialogue.tell(messages.libraries_stay(before))
    return {"home": chosen}


def check_folder(typed: str) -> str:
    """Return the full path of a folder. Raises SettingsError for one that cannot be created or written."""
    try:
        path = Path(typed).expanduser().absolute()
    except RuntimeError as error:
        raise SettingsError(messages.no_such_user(typed)) from error
    if not typed:
        raise SettingsError(messages.FOLDER_NEEDED)
    try:
        # A file is tried, since rights do not show read-only mounts; the folder itself is created when it is used.
        with tempfile.TemporaryFile(dir=find_existing(path)):
            return str(path)
    except OSError as error:
        raise SettingsError(messages.folder_not_writable(path, error.strerror or str(error))) from error


def find_existing(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists."""
    return next(folder for folder in (path, *path.parents) if folder.exists())


def ask_collections(walk: SetupWalk, settings: config.Settings) -> "list[Recipe]":
    """Ask which collections to fetch. Raises SettingsError for a flag that names none, or one that does not fit."""
    home = settings.home
    choose = partial(choose_collections, home=home)
    if walk.options.collections is not None:
        return choose(walk.options.collections)
    # Without a flag nothing is fetched: --yes answers what was asked, and nobody asked for gigabytes.
    if not walk.dialogue.is_open:
        return []
    walk.dialogue.begin_part(messages.COLLECTIONS, messages.ABOUT_COLLECTIONS)
    header = ("name", "download", "on disk", "what it is, and its licence")
    if settings.network.offline:
        walk.dialogue.say(messages.FETCHING_OFFLINE)
        return []
    walk.dialogue.show_rows([header, *(describe_collection(recipe, home) for recipe in list_fetchable())])
    return walk.dialogue.ask(messages.WHICH_COLLECTIONS, "", choose)


def list_fetchable() -> "list[Recipe]":
    """Return the recipes whose files can be fetched."""
    from wellsourced.ingest.recipes import RECIPES

    return [recipe for recipe in RECIPES if recipe.url]


def describe_collection(recipe: "Recipe", home: Path) -> tuple[str, str, str, str]:
    """Return its name, sizes of download and disk, and what it is under which licence."""
    download, disk = (format_size(number) if number else "unknown" for number in (recipe.download, recipe.disk))
    here = messages.FETCHED_BEFORE if (home / "downloads" / recipe.name).exists() else ""
    return recipe.name, download, disk, f"{recipe.about}. {recipe.licence}.{here}"


def choose_collections(typed: str, home: Path) -> "list[Recipe]":
    """Return the recipes that are named. Raises SettingsError for an unknown one, and if they do not fit the disk."""
    known = {recipe.name: recipe for recipe in list_fetchable()}
    names = dict.fromkeys(name for name in re.split(r"[,\s]+", typed.lower()) if name not in ("", "none"))
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            raise SettingsError(messages.unknown_collection(name, near, known))
    chosen = [known[name] for name in names]
    # All together: each alone may fit where the sum does not.
    needed, free = sum(recipe.disk for recipe in chosen), shutil.disk_usage(find_existing(home)).free
    if needed > free:
        raise SettingsError(messages.collections_too_large([*names], needed, free))
    return chosen


def describe_fetch(recipes: "Sequence[Recipe]", mirrors: "dict[str, str]") -> str:
    """Say what will be fetched, and from which hosts."""
    hosts = ((recipe, urlsplit(mirrors.get(recipe.name) or recipe.url).netloc) for recipe in recipes)
    return ", ".join(f"{recipe.name} ({download_size(recipe.download)}, from {host})" for recipe, host in hosts)


WAYS = (
    ("none", "no language model"),
    ("local:FILE.gguf", "a file on this machine"),
    ("ollama:NAME", "a server on this machine; also llamacpp, lmstudio, vllm"),
    ("openai:NAME", "a provider; also anthropic, azure, bedrock, google, groq, mistral, openrouter"),
    ("compatible:NAME", "any server with the API of OpenAI"),
)


def ask_model(walk: SetupWalk) -> SettingAnswers:
    """Ask which model writes, and for its address and key. Raises SettingsError for a flag that names none."""
    walk.dialogue.begin_part(messages.MODEL, messages.ABOUT_MODEL)
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
        standing = walk.dialogue.ask(messages.MODEL, standing, check_model_name)
        answers = settle_model(walk, standing)
        problem = try_model(walk, answers)
        if not problem:
            return answers
        walk.dialogue.say(messages.another_model(problem))


def check_model_name(typed: str) -> str:
    """Return the name, "" for none. Raises SettingsError for an unknown kind of model."""
    if typed.lower() in ("", "none"):
        return ""
    models.find_model_needs(typed)
    return models.complete_model_name(typed)


def settle_model(walk: SetupWalk, name: str) -> SettingAnswers:
    """Return a model with its address and key; without a model, no assistant either."""
    if not name and walk.own.settings.assistant:
        walk.dialogue.say(messages.NO_ASSISTANT)
        return {"model": name, "assistant": ""}
    return {"model": name, **ask_access(walk, name)}


def ask_access(walk: SetupWalk, name: str) -> SettingAnswers:
    """Ask for the address and the key of a model, as far as it needs them."""
    if not name:
        return {}
    needs = models.find_model_needs(name)
    url = f"{needs.service}.url"
    answers: SettingAnswers = {}
    if needs.service in walk.options.urls:
        answers[url] = walk.options.urls[needs.service]
    elif needs.example_url and walk.is_asked(url):
        standing = walk.own.settings.find_service(needs.service).url
        answers[url] = walk.dialogue.ask(messages.its_address(needs.example_url), standing, models.check_address)
    return {**answers, **walk.ask_key(needs.service, needs.service)} if needs.takes_key else answers


def try_model(walk: SetupWalk, answers: Mapping[str, Any]) -> str:
    """Load the model, and ask it a question if the user agrees. Returns what is wrong with it, "" for nothing."""
    name = answers["model"]
    # The assistant may be one that cannot be made yet; it is not what is tried here.
    settings = walk.load({**answers, "assistant": ""})
    if not name:
        return ""
    try:
        host = models.find_model_host(name, settings)
    except SettingsError as error:
        # A key may come later, from the environment.
        walk.dialogue.say(messages.explain_trial_skipped(name, error.phrase))
        return ""
    if settings.network.offline and host:
        walk.dialogue.tell(messages.explain_trial_skipped(name, messages.OFFLINE))
        return ""
    agreed = agree_to_trial(walk, host)
    # Making a local model reads its whole file; a remote one is made in no time, which finds a missing package.
    if not agreed and name.startswith(f"{models.LOCAL}:"):
        return ""
    if agreed:
        walk.dialogue.say(messages.asking_model(name))
    try:
        (trial,) = asyncio.run(models.try_models(settings, agreed))
    except WellsourcedError as error:
        return f"{error.phrase}."
    if agreed and not trial.error:
        walk.dialogue.tell(messages.model_answered(name, trial.seconds))
    return trial.error and messages.model_silent(name, trial.error)


def agree_to_trial(walk: SetupWalk, host: str) -> bool:
    """Ask whether to try the model."""
    # A trial may cost money and sends words away: with nobody there to agree, only the flag does.
    if walk.options.try_model is not None or not walk.dialogue.is_open:
        return bool(walk.options.try_model)
    return walk.dialogue.confirm(messages.try_model(host), default=False)


NCBI = "pubmed"
NCBI_SOURCES = {"pubmed", "pmc"}


def ask_sources(walk: SetupWalk) -> SettingAnswers:
    """Ask which live sources to search, with keys and addresses. Raises SettingsError for a flag that is wrong."""
    walk.dialogue.begin_part(messages.SOURCES, messages.ABOUT_SOURCES)
    answers: SettingAnswers = {}
    if walk.options.live is not None:
        answers["live"] = split_sources(walk.options.live)
    elif walk.is_asked("live"):
        walk.dialogue.show_rows(LIVE_SOURCE_REGISTRY.describe().items())
        standing = ", ".join(walk.own.settings.live)
        answers["live"] = walk.dialogue.ask(messages.WHICH_SOURCES, standing, split_sources)
    for name in answers.get("live", ()):
        answers |= ask_source_access(walk, name)
    return answers


def split_sources(typed: str) -> tuple[str, ...]:
    """Return the sources that are named, each once. Raises SettingsError for one that does not exist."""
    names = tuple(dict.fromkeys(name for name in re.split(r"[,\s]+", typed.lower()) if name not in ("", "none")))
    for name in names:
        # The registry's own message lists what there is; a near name is the more helpful remedy.
        if name not in LIVE_SOURCE_REGISTRY.names and (near := get_close_matches(name, LIVE_SOURCE_REGISTRY.names, 1)):
            raise SettingsError(messages.unknown_source(name, near[0]))
        LIVE_SOURCE_REGISTRY.find(name)
    return names


def ask_source_access(walk: SetupWalk, name: str) -> SettingAnswers:
    """Ask for the key of a source that needs one, or for the address of the user's own server."""
    entry = LIVE_SOURCE_REGISTRY.find(name)
    url = f"{entry.service_name}.url"
    # A service with keys has an address of its own, and one without an address is run by the user.
    if entry.key_issuer:
        return walk.ask_key(entry.service_name, messages.report_issued_by(name, entry.key_issuer))
    if entry.url or entry.service_name in walk.options.urls or not walk.is_asked(url):
        return {}
    standing = walk.own.settings.find_service(entry.service_name).url
    return {url: walk.dialogue.ask(messages.address_of(name), standing, models.check_address)}


def ask_contact(walk: SetupWalk, live: tuple[str, ...]) -> SettingAnswers:
    """Ask for the e-mail address that services get, and NCBI's key where NCBI is searched. Raises SettingsError."""
    walk.dialogue.begin_part(messages.CONTACT, messages.ABOUT_CONTACT)
    answers: SettingAnswers = {}
    if walk.options.email is not None:
        answers["network.email"] = check_email(walk.options.email)
    elif walk.is_asked("network.email"):
        answers["network.email"] = walk.dialogue.ask(messages.EMAIL, walk.own.settings.network.email, check_email)
    # NCBI's key is asked here and not with its sources: one key serves PubMed and PMC.
    if NCBI_SOURCES.intersection(live) or NCBI in walk.options.keys:
        if NCBI not in walk.options.keys:
            walk.dialogue.say(messages.NCBI_KEY)
        answers |= walk.ask_key(NCBI, "NCBI")
    return answers


def check_email(typed: str) -> str:
    """Return the address, "" for none. Raises SettingsError for one that is not an e-mail address."""
    if typed.lower() in ("", "none"):
        return ""
    # The address goes into a header and into URLs as it is: what could end either is refused.
    if not re.fullmatch(r"[!-~]+@[!-~]+\.[!-~]+", typed) or typed.count("@") != 1 or re.search(r"[<>,;\"\\]", typed):
        raise SettingsError(messages.not_an_email(typed))
    return typed
