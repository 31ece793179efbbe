"""A corpus as a library: one that there is, or one made of a file, kept below home and used again."""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.errors import NotFound, Refused
from wellsourced.evaluate.beir import NAMED, Topics, sha256
from wellsourced.events import Tell
from wellsourced.ingest import ingest
from wellsourced.sources.base import WAITING, Shelf
from wellsourced.types import Kind

FOLDER = "evaluate"
"""In home: what evaluations make."""

RUNS = "runs"
"""In that folder: results that nobody named a file for."""

WORDS = "words"
"""What the library of a corpus is called after when it has no vectors."""


class Corpus(NamedTuple):
    """What is searched.

    name        what its user calls it: a file's name, or a library's
    settings    under which its library is opened
    library     the name of that library
    sha256      of what it holds: it tells two corpora of one name apart
    documents, passages   how many it holds
    folder      where results of measuring it go that nobody named a file for
    notes       what of it cannot be read, a sentence each without a full stop
    """

    name: str
    settings: config.Settings
    library: str
    sha256: str
    documents: int
    passages: int
    folder: Path
    notes: tuple[str, ...] = ()


async def corpus_of(given: str, settings: config.Settings, kind: Kind, tell: Tell) -> Corpus:
    """The library of that name, or one of that file; a file is read, and its vectors made, once.

    Interrupted, it goes on where it was. Raises NotFound for what is neither, Refused for what holds no document.
    """
    if given in (*config.library_names(settings), config.GUIDELINES):
        return await _described(given, settings, given, settings.home / FOLDER, tell)
    path = await asyncio.to_thread(_file, given)
    if not path:
        remedy = "Name a file, or one of the libraries that `wellsourced library list` shows."
        raise NotFound(f"There is neither a file nor a library {given}. {remedy}")
    own = settings.model_copy(update={"home": settings.home / FOLDER})
    library = await _made(path, own, kind, tell)
    return await _described(path.name, own, library, own.home, tell)


def _file(given: str) -> Path | None:
    path = Path(given).expanduser()
    return path if path.is_file() else None


async def _made(path: Path, settings: config.Settings, kind: Kind, tell: Tell) -> str:
    """The name of the library of this file, which holds all that can be read of it."""
    content = hashlib.sha256(f"{await asyncio.to_thread(sha256, path)} {kind} {version('wellsourced')}".encode())
    there = config.library_names(settings)
    encoder = config.encoder_of(settings)
    mine = [f"{content.hexdigest()[:16]}-{name}" for name in (WORDS, _short(encoder.name if encoder else WORDS))][-1]
    # By word every library of these words finds the same, whatever vectors it has besides.
    for name in [mine] if encoder else [name for name in there if name.startswith(content.hexdigest()[:16])]:
        if name in there and await _whole(settings, name):
            return name
    if mine not in there:
        config.create_library(settings, mine, kind, lexical=encoder is None, about=f"for evaluation, of {path.name}")
    async with config.open_library(settings, mine, write=True) as opened:
        await ingest(opened, [path], tell)
        if encoder:
            await opened.embed(tell)
    return mine


def _short(name: str) -> str:
    return name if name == WORDS else hashlib.sha256(name.encode()).hexdigest()[:8]


async def _whole(settings: config.Settings, name: str) -> bool:
    async with config.open_library(settings, name) as opened:
        card = await opened.card()
        waiting = any(file.state in WAITING for file in opened.unsettled())
        return bool(card.documents) and not waiting and (settings.encoder == "none" or card.vectors == card.passages)


async def _described(name: str, settings: config.Settings, library: str, home: Path, tell: Tell) -> Corpus:
    async with config.open_library(settings, library, tell=tell) as opened:
        card, files = await opened.card(), opened.files()
        notes = tuple(_faults(opened))
    if not card.documents:
        raise Refused(f"{name} holds no document that could be found{f' ({notes[0]})' if notes else ''}.")
    held = [card.kind, card.documents, card.passages, sorted(file.sha256 for file in files)]
    digest = hashlib.sha256(json.dumps(held).encode()).hexdigest()
    return Corpus(name, settings, library, digest, card.documents, card.passages, home / RUNS, notes)


def _faults(library: Shelf) -> Iterator[str]:
    for file in library.unsettled():
        for fault in library.faults(file.path)[:NAMED]:
            yield f"{Path(file.path).name}, {fault.said}"
        if file.faulty > NAMED:
            yield f"{Path(file.path).name}: {file.faulty - NAMED:,} more parts cannot be read"


async def missing(corpus: Corpus, topics: Topics) -> tuple[str, ...]:
    """What the corpus lacks of what should be found in it, in a sentence. Raises Refused when it lacks all of it."""
    absent = []
    judged = sorted(topics.judged)
    async with config.open_library(corpus.settings, corpus.library, build=False) as opened:
        for document in judged:
            try:
                await opened.open(document)
            except NotFound:
                absent.append(document)
    named = ", ".join(absent[:3])
    if len(absent) == len(judged):
        remedy = "Its documents and the judgements have to go by the same ids."
        raise Refused(f"{corpus.name} holds none of the relevant documents ({named}). {remedy}")
    told = f"relevant documents that {corpus.name} does not hold, counted as not found: {len(absent):,} ({named})"
    return (told,) if absent else ()
