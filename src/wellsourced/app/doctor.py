"""`wellsourced doctor`: whether an answer is possible here, and what to do about each thing that is missing."""

import asyncio
import json
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib import metadata
from typing import Any, NamedTuple

import click

from wellsourced import config
from wellsourced.app.options import json_option
from wellsourced.app.terminal import count, emit_json, safe, size
from wellsourced.errors import SettingsError, WellsourcedError
from wellsourced.judges.base import Pair
from wellsourced.private_files import make_missing_folders
from wellsourced.telemetry import TelemetryRemnant, find_telemetry_remnants, remove_telemetry_remnants
from wellsourced.types import Gap, Query

UNWELL = 1
TIGHT = 500_000_000
"""Bytes of free disk from which a library of any size has room to be maintained."""

NOT_OFFERED = {"dev", "all"}


class Finding(NamedTuple):
    """One thing that was looked at.

    needed   whether no answer is possible while it is not ok
    says     what was found, in a sentence
    remedy   what to do about it; "" when nothing needs to be done
    """

    topic: str
    ok: bool
    says: str
    remedy: str = ""
    needed: bool = False


@click.command(short_help="Say what works here, what does not, and what to do about it.")
@json_option
@click.option("--ask-models", "ask", is_flag=True, help="Ask each language model one thing, which may cost something.")
@click.option("--remove-telemetry", "remove", is_flag=True, help="Delete what reports of libraries left on the disk.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, ask: bool, remove: bool) -> None:
    """Look at settings, folders, libraries, models and the extras; exit status 1 when no answer is possible."""
    findings = list(examine(ctx.obj, ask, remove=remove))
    well = not any(finding.needed and not finding.ok for finding in findings)
    if as_json:
        rows = [finding._asdict() for finding in findings]
        emit_json(json.dumps({"answers": well, "findings": rows}, ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            click.echo(told(finding))
        click.echo("Questions can be answered." if well else "No question can be answered before that is mended.")
    ctx.exit(0 if well else UNWELL)


def told(finding: Finding) -> str:
    """A finding in a line or two."""
    remedy = f"\n     {safe(finding.remedy)}" if finding.remedy else ""
    return f"{'ok ' if finding.ok else '!! '} {finding.topic}: {safe(finding.says)}{remedy}"


def examine(flags: dict[str, Any], ask: bool, *, remove: bool = False) -> Iterator[Finding]:
    """Everything, in the order in which one thing rests on another; `remove`: delete what reports left on the disk."""
    yield Finding("wellsourced", True, f"version {metadata.version('wellsourced')}, {python()}.")
    yield examine_telemetry(remove)
    try:
        settings = config.load(flags)
    except SettingsError as error:
        yield Finding("settings", False, str(error), "Mend that, then ask again.", needed=True)
        return
    yield settings_of(flags)
    yield home_of(settings)
    yield from open_at_home(settings)
    yield from libraries_of(settings)
    yield encoder_of(settings)
    yield ranker_of(settings)
    yield network_of(settings)
    yield from live_of(settings)
    yield from registries_of(settings)
    yield graph_of(settings)
    yield from models_of(settings, ask)
    yield from extras()


def examine_telemetry(remove: bool) -> Finding:
    """What reports of libraries left on the disk, deleted if that is wished; reports themselves are always off."""
    off = "reports of libraries about their users are off"
    try:
        remnants = remove_telemetry_remnants() if remove else find_telemetry_remnants()
    except OSError as error:
        says = f"{off}; what earlier ones left cannot be deleted ({error.filename}: {error.strerror})."
        return Finding("telemetry", False, says, "Delete it by hand.")
    if not remnants:
        return Finding("telemetry", True, f"{off}, and none has left anything on this disk.")
    if remove:
        return Finding("telemetry", True, f"{off}; deleted what earlier ones had left: {list_remnants(remnants)}.")
    says = (
        f"{off}, but onnxruntime, in an earlier version of wellsourced or in another program, collected some for "
        f"Microsoft: {list_remnants(remnants)}."
    )
    return Finding("telemetry", False, says, "`wellsourced doctor --remove-telemetry` deletes these files.")


def list_remnants(remnants: Sequence[TelemetryRemnant]) -> str:
    """The files and their sizes, in a line."""
    return ", ".join(f"{remnant.path} ({size(remnant.size)})" for remnant in remnants)


def python() -> str:
    """The Python that runs, and on what."""
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def settings_of(flags: dict[str, Any]) -> Finding:
    """The files that count, what is not as it is by default, and what is left out because it is not trusted."""
    files = config.settings_files()
    rows = config.explain(flags)
    changed = [f"{row.name} ({row.place})" for row in rows if row.place != "default"]
    counted = " and ".join(map(str, files))
    says = (
        f"read from {counted}" if files else f"there is no {config.FILE}, neither here nor in your configuration folder"
    )
    ignored = [row.name for row in rows if row.ignored]
    folder = config.read_folder_file()
    remedy = folder.notice if folder else ""
    return Finding("settings", not ignored, f"{says}; changed: {', '.join(changed) or 'nothing'}.", remedy)


def home_of(settings: config.Settings) -> Finding:
    """Whether the folder of the libraries can be written, and how much room there is."""
    try:
        make_missing_folders(settings.home)
        with tempfile.TemporaryFile(dir=settings.home):
            free = shutil.disk_usage(settings.home).free
    except OSError as error:
        if config.library_names(settings):
            says = f"{settings.home} can be read and not written ({error.strerror}): nothing is added or kept there."
            return Finding("home", True, says)
        remedy = "Give yourself the right to write there, or set WELLSOURCED_HOME to another folder."
        return Finding("home", False, f"{settings.home} cannot be written ({error.strerror}).", remedy, needed=True)
    remedy = "" if free >= TIGHT else "Make room before you add documents."
    return Finding("home", free >= TIGHT, f"{settings.home} can be written, {size(free)} free.", remedy)


def open_at_home(settings: config.Settings) -> Iterator[Finding]:
    """What others on this machine may look into, as an earlier version or somebody else left it."""
    config.close_home(settings)
    if found := config.open_at_home(settings):
        more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        says = f"others on this machine may look into {found[0]}{more}."
        yield Finding("privacy", False, says, f"`chmod -R go= {settings.home}` closes it, if it is yours.")


def libraries_of(settings: config.Settings) -> Iterator[Finding]:
    """Each library, and whether there is anything to search at all."""
    names = config.library_names(settings)
    looked = [asyncio.run(library_of(settings, name)) for name in names]
    yield from (finding for finding, _ in looked)
    if settings.guidelines and config.GUIDELINES not in names:
        yield guidelines_of()
    elif not any(searchable for _, searchable in looked):
        remedy = (
            "`wellsourced library create NAME --add PATH` makes one; --set guidelines=true searches the guidelines."
        )
        yield Finding("sources", False, "there is nothing to search.", remedy, needed=True)


async def library_of(settings: config.Settings, name: str) -> tuple[Finding, bool]:
    """One library, tried with a search; whether it holds anything."""
    topic = f"library {name}"
    try:
        async with config.open_library(settings, name, build=False) as library:
            card = await library.describe()
            await library.search(Query(terms=("treatment",)), 1)
            backlog = await config.describe_backlog(settings, library)
    except WellsourcedError as error:
        return Finding(topic, False, str(error)), False
    if name == config.GUIDELINES and backlog:
        return Finding(topic, False, f"{backlog}."), True
    if backlog:
        return Finding(topic, False, f"{count(card.documents, 'document')} so far: {backlog}."), card.documents > 0
    says = f"{count(card.documents, 'document')}, {count(card.passages, 'passage')}, {card.vectors:,} found by meaning."
    if not card.documents:
        return Finding(topic, False, "it is empty.", f"`wellsourced library add {name} PATH` puts documents in."), False
    lacking = settings.encoder != "none" and card.vectors < card.passages
    remedy = f"`wellsourced library embed {name}` makes the vectors that are missing." if lacking else ""
    return Finding(topic, True, says, remedy), True


def guidelines_of() -> Finding:
    """The guidelines before their first use."""
    try:
        release = config.guidelines_release()
    except WellsourcedError as error:
        return Finding("library guidelines", False, str(error), needed=True)
    says = f"digests by the project open-medicine ({release}); they are built with the first question (half a minute)."
    return Finding("library guidelines", True, says)


def encoder_of(settings: config.Settings) -> Finding:
    """The encoder, tried on a sentence; reading its weights checks their sha256."""
    try:
        encoder = config.encoder_of(settings)
        if encoder is None:
            return Finding("encoder", True, "none is set: passages are found by word only.")
        begun = time.perf_counter()
        encoder.encode(["ready"])
        loaded = time.perf_counter()
        encoder.encode(["Colchicine is recommended for gout flares."])
        done = time.perf_counter()
    except WellsourcedError as error:
        remedy = "Or search by word only: --set encoder=none."
        return Finding("encoder", False, str(error), remedy, needed=True)
    took = f"loaded in {loaded - begun:.2f} s, one sentence in {(done - loaded) * 1000:.0f} ms"
    return Finding("encoder", True, f"{settings.encoder} ({encoder.name}): weights as expected, {took}.")


def ranker_of(settings: config.Settings) -> Finding:
    """What looks at the best candidates again, tried on a pair."""
    try:
        ranker = config.ranker_of(settings, None)
        if ranker is None:
            return Finding("ranker", True, "none is set: the order is that of the sources.")
        begun = time.perf_counter()
        asyncio.run(ranker.judge([Pair("Is gout treated?", "Colchicine is recommended for gout flares.")]))
    except WellsourcedError as error:
        return Finding("ranker", False, str(error), "Or do without: --set ranker=none.", needed=True)
    return Finding(
        "ranker", True, f"{settings.ranker}: loaded, and judged a pair, in {time.perf_counter() - begun:.2f} s."
    )


def models_of(settings: config.Settings, ask: bool) -> Iterator[Finding]:
    """The language models that are named: made, and asked one thing if that is wished."""
    topic = "language model"
    if not settings.model:
        remedy = "If you want one: --model ollama:NAME, --model local:FILE.gguf, --model openai:NAME …"
        yield Finding(topic, True, "none is named: answers are the sources' own sentences.", remedy)
        return
    try:
        for model in asyncio.run(config.tried_models(settings, ask)):
            yield Finding(f"{topic} {model.name}", not model.error, model.error or told_model(model), needed=True)
    except WellsourcedError as error:
        yield Finding(topic, False, str(error), "Or answer without one: leave model empty.", needed=True)


def told_model(model: config.Tried) -> str:
    """Where a model is, how much it reads at once, and whether it may see a patient's text."""
    where = "asked over the network" if model.remote else "on this machine"
    patient = "may" if model.sees_patient else "may not"
    answered = f"; it answered in {model.seconds:.1f} s" if model.seconds else ""
    return f"{where}, reads {model.window:,} tokens, {patient} see a patient's text{answered}."


def network_of(settings: config.Settings) -> Finding:
    """What may leave this machine. Nothing is contacted to find out."""
    if settings.network.offline:
        return Finding("network", True, "nothing may leave this machine (network.offline).")
    if not settings.live and not settings.retractions:
        remedy = "If you want it: `wellsourced source list` says what can be searched over the network."
        return Finding("network", True, "no source on it is searched.", remedy)
    asked = ", ".join([*settings.live, *(f"{name} for retractions" for name in settings.retractions)])
    hosts = len(config.traffic(settings))
    return Finding(
        "network", True, f"asked are {asked}; `wellsourced egress` shows what left: {count(hosts, 'host')} so far."
    )


def live_of(settings: config.Settings) -> Iterator[Finding]:
    """Live sources that the settings name and that cannot be asked."""
    for name in settings.live:
        if reason := config.lacking(name, settings):
            yield Finding(f"source {name}", False, f"{reason}.", f"Or take {name} out of `live`.")


def registries_of(settings: config.Settings) -> Iterator[Finding]:
    """Who is to be asked about retractions, and cannot be."""
    for gap in asyncio.run(unasked(settings)):
        says = f"{gap.reason.rstrip('.')}."
        yield Finding(f"retractions {gap.source}", False, says, f"Or take {gap.source} out of `retractions`.")


async def unasked(settings: config.Settings) -> tuple[Gap, ...]:
    """Why somebody who is named under `retractions` cannot be asked. Nothing is contacted to find out."""
    if not settings.retractions:
        return ()
    async with config.open_registries(settings) as reached:
        return reached.gaps


def graph_of(settings: config.Settings) -> Finding:
    """Whether there is a graph of concepts."""
    if config.graph_path(settings).exists():
        return Finding("graph", True, f"{size(config.graph_path(settings).stat().st_size)} of concepts and relations.")
    return Finding("graph", True, "there is none.", "If you want one: `wellsourced library add hpo` builds it.")


def extras() -> Iterator[Finding]:
    """What can be installed beyond the default, from the package's own metadata."""
    lines = metadata.requires("wellsourced") or []
    found = [re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line) for line in lines]
    for package, extra in (match.groups() for match in found if match and match[2] not in NOT_OFFERED):
        if there := installed(package):
            yield Finding(f"extra [{extra}]", True, f"{package} {there} is installed.")
        else:
            yield Finding(
                f"extra [{extra}]",
                True,
                f"{package} is not installed.",
                f"If you want it: pip install 'wellsourced[{extra}]'",
            )


def installed(package: str) -> str:
    """The version of an installed package, "" when it is not."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
