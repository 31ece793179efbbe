"""Examine whether everything works here: settings, folders, libraries, models, what is asked over the network, extras.

How the findings are shown belongs to each surface, as do the words for what to do next.
"""

import asyncio
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.config.encoders import build_reranker
from wellsourced.config.judges import build_controls
from wellsourced.config.libraries import graph_path
from wellsourced.config.loader import find_settings_files
from wellsourced.config.models import ModelTrial, find_planning_model, try_models
from wellsourced.config.network import build_services, read_traffic
from wellsourced.config.paths import find_exposed_files, restrict_home_access
from wellsourced.errors import NextStep, SettingsError, WellsourcedError
from wellsourced.judges.base import Pair
from wellsourced.plugins import PluginKind, find_plugins
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.readers.guidelines import describe_release, guidelines_version, load_digests
from wellsourced.runs.table import open_run_tables
from wellsourced.storage.private_files import make_missing_folders
from wellsourced.types import Gap, Query

MIN_FREE_BYTES = 500_000_000
"""Bytes of free disk from which a library of any size has room to be maintained."""

HIDDEN_EXTRAS = {"dev", "all"}


class DoctorFinding(NamedTuple):
    """One thing that was examined.

    says        what was found, in a sentence
    next_step   what to do about it; None when nothing needs to be done
    needed      whether no answer is possible while it is not ok
    absent      it is an extra that is not installed, which is no fault
    """

    topic: str
    ok: bool
    says: str
    next_step: NextStep | None = None
    needed: bool = False
    absent: bool = False


def report_failure(
    topic: str, findings: Iterable[DoctorFinding], next_step: NextStep | None, *, needed: bool = True
) -> Iterator[DoctorFinding]:
    """Pass findings on, and the error that ends them as the last one. An error's own next step counts more."""
    try:
        yield from findings
    except WellsourcedError as error:
        yield DoctorFinding(topic, False, str(error), error.next_step or next_step, needed)


def examine(flags: dict[str, Any], ask: bool, *, commands: Collection[str] = ()) -> Iterator[DoctorFinding]:
    """Examine everything, in the order in which one thing depends on another.

    flags      settings that were typed, as `config.load` takes them
    ask        whether each language model is asked one thing
    commands   names of the built-in commands; without them the commands of plugins are not examined
    """
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield DoctorFinding("wellsourced", True, f"version {metadata.version('wellsourced')}, {python}.")
    try:
        settings = config.load(flags)
    # All that follows depends on settings, and would only repeat this fault in other words.
    except SettingsError as error:
        yield DoctorFinding("settings", False, str(error), error.next_step, needed=True)
        return
    yield examine_settings(flags)
    yield examine_home(settings)
    yield from examine_home_access(settings)
    step = NextStep("change setting", "storage.url")
    yield from report_failure("storage", examine_storage(settings), step, needed=False)
    yield from examine_libraries(settings)
    yield from report_failure("encoder", examine_encoder(settings), NextStep("change setting", "encoder=none"))
    yield from report_failure("reranker", examine_ranker(settings), NextStep("change setting", "reranker=none"))
    yield examine_network(settings)
    yield from examine_services(settings)
    yield examine_graph(settings)
    yield from report_failure("language model", examine_models(settings, ask), NextStep("choose model"))
    yield from report_failure("planner", examine_planner(settings), NextStep("change setting", "planner=rules"))
    yield from examine_extras()
    yield from examine_plugins(commands)


def examine_settings(flags: dict[str, Any]) -> DoctorFinding:
    """Name the files that count, what differs from the defaults, and what is ignored because it is not trusted."""
    files = find_settings_files()
    rows = config.explain_settings(flags)
    changed = [f"{row.name} ({row.place})" for row in rows if row.place != "default"]
    ignored = [row.name for row in rows if row.ignored]
    says = f"no {config.SETTINGS_FILE} here or in your configuration folder"
    if files:
        says = f"read from {' and '.join(map(str, files))}"
    says += f"; changed: {', '.join(changed) or 'nothing'}."
    folder = config.read_folder_file()
    if ignored and folder:
        says += f" Ignored until you trust the file: {', '.join(ignored)}."
        return DoctorFinding("settings", False, says, NextStep("trust folder", str(folder.file.folder)))
    return DoctorFinding("settings", True, says, None if files else NextStep("set up"))


def examine_home(settings: config.Settings) -> DoctorFinding:
    """Say whether the home folder is writable, and how much space is free."""
    try:
        make_missing_folders(settings.home)
        with tempfile.TemporaryFile(dir=settings.home):
            free = shutil.disk_usage(settings.home).free
    except OSError as error:
        # Libraries on a read-only disk can be searched, which is a way of using them and no fault.
        if config.library_names(settings):
            says = f"{settings.home} is read-only ({error.strerror}): nothing can be added or saved there."
            return DoctorFinding("home", True, says)
        says = f"{settings.home} is not writable ({error.strerror})."
        return DoctorFinding("home", False, says, NextStep("move home"), needed=True)
    says = f"{settings.home} is writable, {format_size(free)} free."
    return DoctorFinding(
        "home", free >= MIN_FREE_BYTES, says, None if free >= MIN_FREE_BYTES else NextStep("free disk")
    )


def examine_storage(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Try the database that several servers share, where there is one."""
    if settings.storage.url:
        database = open_run_tables(settings.home, settings.storage.url).database
        with database.open():
            yield DoctorFinding("storage", True, f"{database.place} answers, and its tables are up to date.")


def examine_home_access(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Find files in the home folder that other users of this machine can read."""
    # First what can be closed is closed; what is found then belongs to somebody else.
    restrict_home_access(settings)
    if found := find_exposed_files(settings):
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        says = f"other users of this machine can read {found[0]}{more}."
        yield DoctorFinding("privacy", False, says, NextStep("close folder", str(settings.home)))


def examine_libraries(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Try each library, and say whether there is anything to search at all."""
    names = config.library_names(settings)
    looked = [asyncio.run(examine_library(settings, name)) for name in names]
    yield from (finding for finding, _ in looked)
    digests = list(report_failure("guideline digests", examine_digests(), None, needed=False))
    yield from digests if settings.guidelines else ()
    # Not built yet is no lack: the first question builds them.
    if settings.guidelines and config.GUIDELINES not in names and all(one.ok for one in digests):
        yield from report_failure("library guidelines", examine_guidelines(), None)
    elif not any(searchable for _, searchable in looked):
        yield DoctorFinding("sources", False, "nothing to search.", NextStep("create library"), needed=True)


async def examine_library(settings: config.Settings, name: str) -> tuple[DoctorFinding, bool]:
    """Try a library with a search, and say whether it holds anything."""
    topic = f"library {name}"
    try:
        async with config.open_library(settings, name, build=False) as library:
            card = await library.describe()
            # A search and not only an open file: a damaged index shows nowhere else.
            await library.search(Query(terms=("treatment",)), 1)
            backlog, step = await config.describe_backlog(settings, library)
    except WellsourcedError as error:
        return DoctorFinding(topic, False, str(error), error.next_step), False
    documents = format_count(card.documents, "document")
    if name == config.GUIDELINES and backlog:
        return DoctorFinding(topic, False, f"{backlog}."), True
    if backlog:
        return DoctorFinding(topic, False, f"{documents} so far: {backlog}.", step), card.documents > 0
    if not card.documents:
        return DoctorFinding(topic, False, "empty.", NextStep("add files", name)), False
    says = f"{documents}, {card.vectors:,} of {format_count(card.passages, 'passage')} embedded."
    is_behind = settings.encoder != "none" and card.vectors < card.passages
    return DoctorFinding(topic, True, says, NextStep("embed library", name) if is_behind else None), True


def examine_digests() -> Iterator[DoctorFinding]:
    """Report guideline texts that differ from the expected release."""
    if told := describe_release(load_digests()):
        yield DoctorFinding("guideline digests", True, told)


def examine_guidelines() -> Iterator[DoctorFinding]:
    """Describe the guidelines before their first use."""
    release = guidelines_version()
    says = f"digests by the project open-medicine ({release}); your first question builds them in seconds."
    yield DoctorFinding("library guidelines", True, says)


def examine_encoder(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Try the encoder on a sentence; reading its weights checks their sha256."""
    encoder = config.build_encoder(settings)
    if encoder is None:
        yield DoctorFinding("encoder", True, "none: passages are found by words only.")
        return
    begun = time.perf_counter()
    # The first sentence pays for loading, so that the second tells the speed.
    encoder.encode(["ready"])
    loaded = time.perf_counter()
    encoder.encode(["Colchicine is recommended for gout flares."])
    took = f"loaded in {loaded - begun:.2f} s, one sentence in {(time.perf_counter() - loaded) * 1000:.0f} ms"
    yield DoctorFinding("encoder", True, f"{settings.encoder} ({encoder.name}): weights as expected, {took}.")


def examine_ranker(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Try the reranker on a pair."""
    ranker = build_reranker(settings, None)
    if ranker is None:
        yield DoctorFinding("reranker", True, "none: results keep the order of their sources.")
        return
    begun = time.perf_counter()
    asyncio.run(ranker.judge([Pair("Is gout treated?", "Colchicine is recommended for gout flares.")]))
    took = time.perf_counter() - begun
    yield DoctorFinding("reranker", True, f"{settings.reranker}: loaded and judged a pair in {took:.2f} s.")


def examine_models(settings: config.Settings, ask: bool) -> Iterator[DoctorFinding]:
    """Build the language models that are set, and ask each one thing if that is wished."""
    if not settings.model:
        says = "none: answers are the sources' own sections."
        yield DoctorFinding("language model", True, says, NextStep("choose model"))
        return
    controls = build_controls(settings)
    for model in asyncio.run(try_models([settings.model, settings.assistant or settings.model], settings, ask)):
        record = controls.describe([model.name]) if controls else ()
        says = model.error or " ".join((describe_model(model), *(f"As a judge: {one}." for one in record)))
        # Without its model a question is answered in the sources' own words.
        yield DoctorFinding(f"language model {model.name}", not model.error, says)


def examine_planner(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Load the model that was trained to plan, where one is named: a folder can be whole and still not be loaded."""
    if planning := find_planning_model(settings):
        for model in asyncio.run(try_models([planning], settings, ask=False)):
            # A server was not asked; a folder was loaded just now.
            loaded = "it can be loaded, " if Path(planning).is_dir() else ""
            yield DoctorFinding("planner", True, f"trained: {model.name}; {loaded}{describe_model(model)}")


def describe_model(model: ModelTrial) -> str:
    """Say where a model runs, how much it reads at once, and whether it may see a patient's text."""
    where = "over the network" if model.remote else "on this machine"
    patient = "may" if model.sees_patient else "may not"
    answered = f"; answered in {model.seconds:.1f} s" if model.seconds else ""
    return f"{where}, reads {model.window:,} tokens, {patient} see a patient's text{answered}."


def examine_network(settings: config.Settings) -> DoctorFinding:
    """Say what may leave this machine, contacting nothing."""
    if settings.network.offline:
        return DoctorFinding("network", True, "offline: nothing may leave this machine.")
    if not settings.live and not settings.retractions:
        return DoctorFinding("network", True, "no live source is searched.", NextStep("list live sources"))
    asked = ", ".join([*settings.live, *(f"{name} for retractions" for name in settings.retractions)])
    hosts = format_count(len(read_traffic(settings)), "host")
    return DoctorFinding("network", True, f"asks {asked}; {hosts} contacted so far.", NextStep("list contacted hosts"))


def examine_services(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Report live sources and registries of retractions that are set and cannot be asked, contacting none."""

    async def find_gaps() -> tuple[Gap, ...]:
        async with config.open_client(settings) as client:
            return build_services(settings, client).gaps

    for gap in asyncio.run(find_gaps()) if settings.live or settings.retractions else ():
        # A registry that is a file has a setting of its own.
        setting = "retraction_watch" if gap.source == "retraction_watch" else "retractions"
        setting = "live" if gap.source in settings.live else setting
        yield DoctorFinding(
            f"source {gap.source}", False, f"{gap.reason.rstrip('.')}.", NextStep("change setting", setting)
        )


def examine_graph(settings: config.Settings) -> DoctorFinding:
    """Say whether there is a graph of concepts."""
    path = graph_path(settings)
    if not path.exists():
        return DoctorFinding("graph", True, "none.", NextStep("add recipe", "hpo"))
    return DoctorFinding("graph", True, f"{format_size(path.stat().st_size)} of concepts and relations.")


def examine_extras() -> Iterator[DoctorFinding]:
    """List the extras, from the package's own metadata; one lacks its packages that are not installed."""
    packages: dict[str, list[str]] = {}
    for line in metadata.requires("wellsourced") or []:
        match = re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line)
        if match and match[2] not in HIDDEN_EXTRAS and match[1] != "wellsourced":
            packages.setdefault(match[2], []).append(match[1])
    for extra, needed in packages.items():
        topic, missing = f"extra [{extra}]", [package for package in needed if not is_installed(package)]
        if missing:
            says = f"not installed ({', '.join(missing)})."
            yield DoctorFinding(topic, True, says, NextStep("install extra", extra), absent=True)
        else:
            yield DoctorFinding(topic, True, f"installed ({', '.join(needed)}).")


def is_installed(package: str) -> bool:
    """Whether any version of a package is installed."""
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def examine_plugins(commands: Collection[str]) -> Iterator[DoctorFinding]:
    """List what other distributions add, and every plugin that is not used, with the reason."""
    from wellsourced.config.registry import ENGINE_REGISTRY, JUDGE_REGISTRY, LIVE_SOURCE_REGISTRY, PLANNER_REGISTRY
    from wellsourced.readers.base import READER_NAMES

    built_in: dict[PluginKind, Collection[str]] = {
        **({"command": commands} if commands else {}),
        "source": LIVE_SOURCE_REGISTRY.built_in,
        "engine": ENGINE_REGISTRY.built_in,
        "planner": PLANNER_REGISTRY.built_in,
        "judge": JUDGE_REGISTRY.built_in,
        "reader": READER_NAMES,
    }
    added: dict[str, list[str]] = {}
    for kind, names in built_in.items():
        found = find_plugins(kind, names)
        yield from (DoctorFinding("plugin", False, fault) for fault in found.faults)
        for plugin in found.plugins.values():
            try:
                plugin.load()
            except SettingsError as error:
                yield DoctorFinding("plugin", False, str(error), NextStep("update plugin", plugin.distribution))
            else:
                added.setdefault(f"{plugin.distribution} {plugin.version}", []).append(f"{kind} {plugin.name}")
    yield from (
        DoctorFinding("plugin", True, f"{owner} adds: {', '.join(names)}.") for owner, names in sorted(added.items())
    )
