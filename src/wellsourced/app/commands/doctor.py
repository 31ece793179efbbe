"""`wellsourced doctor`: settings, folders, libraries, models, the network and the extras, and the remedy for each that
is missing.
"""

import asyncio
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from importlib import metadata
from typing import Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import print_data
from wellsourced.config.encoders import build_reranker
from wellsourced.config.libraries import graph_path, guidelines_release
from wellsourced.config.models import ModelTrial, try_models
from wellsourced.config.network import describe_missing_setup, open_registries, read_traffic
from wellsourced.config.paths import find_exposed_files, restrict_home_access
from wellsourced.config.settings_files import find_settings_files
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.judges.base import Pair
from wellsourced.plugins import PluginKind, find_plugins
from wellsourced.presentation.wording import format_count, format_size
from wellsourced.readers.guidelines import describe_release, load_digests
from wellsourced.storage.private_files import make_missing_folders
from wellsourced.telemetry import find_telemetry_remnants, remove_telemetry_remnants
from wellsourced.text.sanitization import sanitize_line
from wellsourced.types import Gap, Query

EXIT_UNWELL = 1

MIN_FREE_BYTES = 500_000_000
"""Bytes of free disk from which a library of any size has room to be maintained."""

HIDDEN_EXTRAS = {"dev", "all"}


class DoctorFinding(NamedTuple):
    """One thing that `wellsourced doctor` examined.

    needed   whether no answer is possible while it is not ok
    says     what was found, in a sentence
    remedy   what to do about it; "" when nothing needs to be done
    """

    topic: str
    ok: bool
    says: str
    remedy: str = ""
    needed: bool = False


def report_failure(
    topic: str, findings: Iterable[DoctorFinding], remedy: str, *, needed: bool = True
) -> Iterator[DoctorFinding]:
    """What is found, and the error that ends it as the last finding."""
    try:
        yield from findings
    except WellsourcedError as error:
        yield DoctorFinding(topic, False, str(error), remedy, needed)


def examine(flags: dict[str, Any], ask: bool, *, remove: bool = False) -> Iterator[DoctorFinding]:
    """Everything, in the order in which one thing rests on another; `remove`: delete what reports left on the disk."""
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield DoctorFinding("wellsourced", True, f"version {metadata.version('wellsourced')}, {python}.")
    yield examine_telemetry(remove)
    try:
        settings = config.load(flags)
    # All that follows depends on settings, and would only repeat this fault in other words.
    except SettingsError as error:
        yield DoctorFinding("settings", False, str(error), "Mend that, then ask again.", needed=True)
        return
    yield examine_settings(flags)
    yield examine_home(settings)
    yield from examine_home_access(settings)
    yield from examine_libraries(settings)
    yield from report_failure("encoder", examine_encoder(settings), "Or search by word only: --set encoder=none.")
    yield from report_failure("reranker", examine_ranker(settings), "Or do without: --set reranker=none.")
    yield examine_network(settings)
    yield from examine_live_sources(settings)
    yield from examine_registries(settings)
    yield examine_graph(settings)
    yield from report_failure(
        "language model", examine_models(settings, ask), "Or answer without one: leave model empty."
    )
    yield from examine_extras()
    yield from examine_plugins()


def examine_telemetry(remove: bool) -> DoctorFinding:
    """What reports of libraries left on the disk, deleted if that is wished; reports themselves are always off."""
    off = "reports of libraries about their users are off"
    try:
        remnants = remove_telemetry_remnants() if remove else find_telemetry_remnants()
    except OSError as error:
        says = f"{off}; what earlier ones left cannot be deleted ({error.filename}: {error.strerror})."
        return DoctorFinding("telemetry", False, says, "Delete it by hand.")
    if not remnants:
        return DoctorFinding("telemetry", True, f"{off}, and none has left anything on this disk.")
    files = ", ".join(f"{remnant.path} ({format_size(remnant.size)})" for remnant in remnants)
    if remove:
        return DoctorFinding("telemetry", True, f"{off}; deleted what earlier ones had left: {files}.")
    says = (
        f"{off}, but onnxruntime, in an earlier version of wellsourced or in another program, collected some for "
        f"Microsoft: {files}."
    )
    return DoctorFinding("telemetry", False, says, "`wellsourced doctor --remove-telemetry` deletes these files.")


def examine_settings(flags: dict[str, Any]) -> DoctorFinding:
    """The files that count, what is not as it is by default, and what is left out because it is not trusted."""
    files = find_settings_files()
    rows = config.explain_settings(flags)
    changed = [f"{row.name} ({row.place})" for row in rows if row.place != "default"]
    says = f"there is no {config.SETTINGS_FILE}, neither here nor in your configuration folder"
    if files:
        says = f"read from {' and '.join(map(str, files))}"
    ignored = [row.name for row in rows if row.ignored]
    folder = config.read_folder_file()
    remedy = folder.notice if folder else "" if files else "If you want one: `wellsourced setup` asks and writes it."
    return DoctorFinding("settings", not ignored, f"{says}; changed: {', '.join(changed) or 'nothing'}.", remedy)


def examine_home(settings: config.Settings) -> DoctorFinding:
    """Whether the folder of the libraries can be written, and how much room there is."""
    try:
        make_missing_folders(settings.home)
        with tempfile.TemporaryFile(dir=settings.home):
            free = shutil.disk_usage(settings.home).free
    except OSError as error:
        # Libraries on a read-only disk can be searched, which is a way of using them and no fault.
        if config.library_names(settings):
            says = f"{settings.home} can be read and not written ({error.strerror}): nothing is added or kept there."
            return DoctorFinding("home", True, says)
        remedy = "Give yourself the right to write there, or set WELLSOURCED_HOME to another folder."
        says = f"{settings.home} cannot be written ({error.strerror})."
        return DoctorFinding("home", False, says, remedy, needed=True)
    has_room = free >= MIN_FREE_BYTES
    remedy = "" if has_room else "Make room before you add documents."
    return DoctorFinding("home", has_room, f"{settings.home} can be written, {format_size(free)} free.", remedy)


def examine_home_access(settings: config.Settings) -> Iterator[DoctorFinding]:
    """What others on this machine may look into, as an earlier version or somebody else left it."""
    # First what can be closed is closed; what is found then belongs to somebody else.
    restrict_home_access(settings)
    if found := find_exposed_files(settings):
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        says = f"others on this machine may look into {found[0]}{more}."
        yield DoctorFinding("privacy", False, says, f"`chmod -R go= {settings.home}` closes it, if it is yours.")


def examine_libraries(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Each library, and whether there is anything to search at all."""
    names = config.library_names(settings)
    looked = [asyncio.run(examine_library(settings, name)) for name in names]
    yield from (finding for finding, _ in looked)
    digests = list(report_failure("guideline digests", examine_digests(), "", needed=False))
    yield from digests if settings.guidelines else ()
    # Not built yet is no lack: the first question builds them.
    if settings.guidelines and config.GUIDELINES not in names and all(one.ok for one in digests):
        yield from report_failure("library guidelines", examine_guidelines(), "")
    elif not any(searchable for _, searchable in looked):
        remedy = (
            "`wellsourced library create NAME --add PATH` makes one; --set guidelines=true searches the guidelines."
        )
        yield DoctorFinding("sources", False, "there is nothing to search.", remedy, needed=True)


async def examine_library(settings: config.Settings, name: str) -> tuple[DoctorFinding, bool]:
    """One library, tried with a search; whether it holds anything."""
    topic = f"library {name}"
    try:
        async with config.open_library(settings, name, build=False) as library:
            card = await library.describe()
            # A search and not only an open file: a damaged index shows nowhere else.
            await library.search(Query(terms=("treatment",)), 1)
            backlog = await config.describe_backlog(settings, library)
    except WellsourcedError as error:
        return DoctorFinding(topic, False, str(error)), False
    documents = format_count(card.documents, "document")
    if name == config.GUIDELINES and backlog:
        return DoctorFinding(topic, False, f"{backlog}."), True
    if backlog:
        return DoctorFinding(topic, False, f"{documents} so far: {backlog}."), card.documents > 0
    if not card.documents:
        remedy = f"`wellsourced library add {name} PATH` puts documents in."
        return DoctorFinding(topic, False, "it is empty.", remedy), False
    says = f"{documents}, {format_count(card.passages, 'passage')}, {card.vectors:,} found by meaning."
    lacking = settings.encoder != "none" and card.vectors < card.passages
    remedy = f"`wellsourced library embed {name}` makes the vectors that are missing." if lacking else ""
    return DoctorFinding(topic, True, says, remedy), True


def examine_digests() -> Iterator[DoctorFinding]:
    """The texts of the guidelines, as they are installed; nothing where all is as expected."""
    if told := describe_release(load_digests()):
        yield DoctorFinding("guideline digests", True, told)


def examine_guidelines() -> Iterator[DoctorFinding]:
    """The guidelines before their first use."""
    release = guidelines_release()
    says = f"digests by the project open-medicine ({release}); they are built with the first question, in seconds."
    yield DoctorFinding("library guidelines", True, says)


def examine_encoder(settings: config.Settings) -> Iterator[DoctorFinding]:
    """The encoder, tried on a sentence; reading its weights checks their sha256."""
    encoder = config.build_encoder(settings)
    if encoder is None:
        yield DoctorFinding("encoder", True, "none is set: passages are found by word only.")
        return
    begun = time.perf_counter()
    # The first sentence pays for loading, so that the second tells the speed.
    encoder.encode(["ready"])
    loaded = time.perf_counter()
    encoder.encode(["Colchicine is recommended for gout flares."])
    took = f"loaded in {loaded - begun:.2f} s, one sentence in {(time.perf_counter() - loaded) * 1000:.0f} ms"
    yield DoctorFinding("encoder", True, f"{settings.encoder} ({encoder.name}): weights as expected, {took}.")


def examine_ranker(settings: config.Settings) -> Iterator[DoctorFinding]:
    """What looks at the best candidates again, tried on a pair."""
    ranker = build_reranker(settings, None)
    if ranker is None:
        yield DoctorFinding("reranker", True, "none is set: the order is that of the sources.")
        return
    begun = time.perf_counter()
    asyncio.run(ranker.judge([Pair("Is gout treated?", "Colchicine is recommended for gout flares.")]))
    took = time.perf_counter() - begun
    yield DoctorFinding("reranker", True, f"{settings.reranker}: loaded, and judged a pair, in {took:.2f} s.")


def examine_models(settings: config.Settings, ask: bool) -> Iterator[DoctorFinding]:
    """The language models that are named: made, and asked one thing if that is wished."""
    if not settings.model:
        remedy = "If you want one: --model ollama:NAME, --model local:FILE.gguf, --model openai:NAME …"
        yield DoctorFinding("language model", True, "none is named: answers are the sources' own sentences.", remedy)
        return
    for model in asyncio.run(try_models(settings, ask)):
        says = model.error or describe_model(model)
        yield DoctorFinding(f"language model {model.name}", not model.error, says, needed=True)


def describe_model(model: ModelTrial) -> str:
    """Where a model is, how much it reads at once, and whether it may see a patient's text."""
    where = "asked over the network" if model.remote else "on this machine"
    patient = "may" if model.sees_patient else "may not"
    answered = f"; it answered in {model.seconds:.1f} s" if model.seconds else ""
    return f"{where}, reads {model.window:,} tokens, {patient} see a patient's text{answered}."


def examine_network(settings: config.Settings) -> DoctorFinding:
    """What may leave this machine. Nothing is contacted to find out."""
    if settings.network.offline:
        return DoctorFinding("network", True, "nothing may leave this machine (network.offline).")
    if not settings.live and not settings.retractions:
        remedy = "If you want it: `wellsourced source list` says what can be searched over the network."
        return DoctorFinding("network", True, "no source on it is searched.", remedy)
    asked = ", ".join([*settings.live, *(f"{name} for retractions" for name in settings.retractions)])
    hosts = format_count(len(read_traffic(settings)), "host")
    return DoctorFinding("network", True, f"asked are {asked}; `wellsourced egress` shows what left: {hosts} so far.")


def examine_live_sources(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Live sources that the settings name and that cannot be asked."""
    for name in settings.live:
        if reason := describe_missing_setup(name, settings):
            yield DoctorFinding(f"source {name}", False, f"{reason}.", f"Or take {name} out of `live`.")


def examine_registries(settings: config.Settings) -> Iterator[DoctorFinding]:
    """Who is to be asked about retractions, and cannot be. Nothing is contacted to find out."""

    async def find_gaps() -> tuple[Gap, ...]:
        async with open_registries(settings) as services:
            return services.gaps

    for gap in asyncio.run(find_gaps()) if settings.retractions else ():
        says = f"{gap.reason.rstrip('.')}."
        yield DoctorFinding(f"retractions {gap.source}", False, says, f"Or take {gap.source} out of `retractions`.")


def examine_graph(settings: config.Settings) -> DoctorFinding:
    """Whether there is a graph of concepts."""
    path = graph_path(settings)
    if not path.exists():
        remedy = "If you want one: `wellsourced library add hpo` builds it."
        return DoctorFinding("graph", True, "there is none.", remedy)
    return DoctorFinding("graph", True, f"{format_size(path.stat().st_size)} of concepts and relations.")


def examine_extras() -> Iterator[DoctorFinding]:
    """What can be installed beyond the default, from the package's own metadata."""
    lines = metadata.requires("wellsourced") or []
    found = [re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line) for line in lines]
    for package, extra in (match.groups() for match in found if match and match[2] not in HIDDEN_EXTRAS):
        try:
            yield DoctorFinding(f"extra [{extra}]", True, f"{package} {metadata.version(package)} is installed.")
        except metadata.PackageNotFoundError:
            remedy = f"If you want it: pip install 'wellsourced[{extra}]'"
            yield DoctorFinding(f"extra [{extra}]", True, f"{package} is not installed.", remedy)


def examine_plugins() -> Iterator[DoctorFinding]:
    """What other distributions add, a line each, and every plugin that is not used, with the reason."""
    from wellsourced.app.cli import COMMANDS
    from wellsourced.config.registry import JUDGE_REGISTRY, LIVE_SOURCE_REGISTRY, PLANNER_REGISTRY
    from wellsourced.readers.base import READER_NAMES

    built_in: dict[PluginKind, Collection[str]] = {
        "command": COMMANDS,
        "source": LIVE_SOURCE_REGISTRY.built_in,
        "planner": PLANNER_REGISTRY.built_in,
        "judge": JUDGE_REGISTRY.built_in,
        "reader": READER_NAMES,
    }
    added: dict[str, list[str]] = {}
    for kind, names in built_in.items():
        found = find_plugins(kind, names)
        yield from (DoctorFinding("plugin", False, fault, "Rename or remove it.") for fault in found.faults)
        for plugin in found.plugins.values():
            try:
                plugin.load()
            except SettingsError as error:
                yield DoctorFinding("plugin", False, str(error), f"Update {plugin.distribution}, or remove it.")
            else:
                added.setdefault(f"{plugin.distribution} {plugin.version}", []).append(f"{kind} {plugin.name}")
    yield from (
        DoctorFinding("plugin", True, f"{owner} adds: {', '.join(names)}.") for owner, names in sorted(added.items())
    )


@click.command()
@json_option
@click.option("--ask-models", "ask", is_flag=True, help="Ask each language model one thing, which may cost something.")
@click.option("--remove-telemetry", "remove", is_flag=True, help="Delete what reports of libraries left on the disk.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, ask: bool, remove: bool) -> None:
    """Look at settings, folders, libraries, models and the extras; exit status 1 when no answer is possible."""
    findings = list(examine(ctx.obj, ask, remove=remove))
    # Only what no answer is possible without decides the exit status; the rest is advice.
    well = not any(finding.needed and not finding.ok for finding in findings)
    if as_json:
        rows = [finding._asdict() for finding in findings]
        print_data({"answers": well, "findings": rows})
    else:
        for finding in findings:
            remedy = f"\n     {sanitize_line(finding.remedy)}" if finding.remedy else ""
            mark = "ok " if finding.ok else "!! "
            click.echo(f"{mark} {finding.topic}: {sanitize_line(finding.says)}{remedy}")
        click.echo("Questions can be answered." if well else "No question can be answered before that is mended.")
    ctx.exit(0 if well else EXIT_UNWELL)
