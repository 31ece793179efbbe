"""What is searched over the network, and what its services are told about who asks."""

import re
from difflib import get_close_matches

from wellsourced.app.setup.walk import SettingAnswers, SetupWalk
from wellsourced.config.model_choice import check_address
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY
from wellsourced.errors import SettingsError

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
    return {url: walk.dialogue.ask(f"Address of your {name} server", standing, check_address)}


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
