"""A corpus as a library: one that there is, or one made of a file, kept below home and used again."""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.events import Emit
from wellsourced.ingest import ingest_files
from wellsourced.sources.base import WAITING_STATES, IncrementalIndex
from wellsourced.types import SourceKind
from wellsourced_evaluate.beir import MAX_NAMED_FAULTS, Topics, hash_file

EVALUATION_FOLDER = "evaluate"
"""In home: what evaluations make."""

RUNS_FOLDER = "runs"
"""In that folder: results that nobody named a file for."""

WORDS_ONLY = "words"
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


async def open_corpus(given: str, settings: config.Settings, kind: SourceKind, emit: Emit) -> Corpus:
    """The library of that name, or one of that file; a file is read, and its vectors made, once.

    Interrupted, it goes on where it was. Raises NotFoundError for what is neither, SourceRefused for what holds no
    document.
    """
    if given in (*config.library_names(settings), config.GUIDELINES):
        return await _describe_corpus(given, settings, given, settings.home / EVALUATION_FOLDER, emit)
    path = await asyncio.to_thread(Path(given).expanduser)
    if not await asyncio.to_thread(path.is_file):
        remedy = "Name a file, or one of the libraries that `wellsourced library list` shows."
        raise NotFoundError(f"There is neither a file nor a library {given}. {remedy}")
    own = settings.model_copy(update={"home": settings.home / EVALUATION_FOLDER})
    library = await _build_library(path, own, kind, emit)
    return await _describe_corpus(path.name, own, library, own.home, emit)


async def _build_library(path: Path, settings: config.Settings, kind: SourceKind, emit: Emit) -> str:
    """The name of the library of this file, which holds all that can be read of it."""
    content = _hash(f"{await asyncio.to_thread(hash_file, path)} {kind} {version('wellsourced')}")[:16]
    there = config.library_names(settings)
    encoder = config.build_encoder(settings)
    mine = f"{content}-{_hash(encoder.name)[:8] if encoder else WORDS_ONLY}"
    # By word every library of these words finds the same, whatever vectors it has besides.
    for name in [mine] if encoder else [name for name in there if name.startswith(content)]:
        if name in there and await _is_complete(settings, name):
            return name
    if mine not in there:
        config.create_library(settings, mine, kind, lexical=encoder is None, about=f"for evaluation, of {path.name}")
    async with config.open_library(settings, mine, write=True) as opened:
        await ingest_files(opened, [path], emit)
        if encoder:
            await opened.embed_passages(emit)
    return mine


async def _is_complete(settings: config.Settings, name: str) -> bool:
    async with config.open_library(settings, name) as opened:
        card = await opened.describe()
        waiting = any(file.state in WAITING_STATES for file in opened.unsettled_files())
        return bool(card.documents) and not waiting and (settings.encoder == "none" or card.vectors == card.passages)


async def _describe_corpus(name: str, settings: config.Settings, library: str, home: Path, emit: Emit) -> Corpus:
    async with config.open_library(settings, library, emit=emit) as opened:
        card, files = await opened.describe(), opened.files()
        notes = tuple(_describe_faults(opened))
    if not card.documents:
        raise SourceRefused(f"{name} holds no document that could be found{f' ({notes[0]})' if notes else ''}.")
    digest = _hash(json.dumps([card.kind, card.documents, card.passages, sorted(file.sha256 for file in files)]))
    return Corpus(name, settings, library, digest, card.documents, card.passages, home / RUNS_FOLDER, notes)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _describe_faults(library: IncrementalIndex) -> Iterator[str]:
    for file in library.unsettled_files():
        for fault in library.faults(file.path)[:MAX_NAMED_FAULTS]:
            yield f"{Path(file.path).name}, {fault.summary}"
        if file.faulty > MAX_NAMED_FAULTS:
            yield f"{Path(file.path).name}: {file.faulty - MAX_NAMED_FAULTS:,} more parts cannot be read"


async def describe_missing(corpus: Corpus, topics: Topics) -> tuple[str, ...]:
    """What the corpus lacks of what should be found in it, in a sentence. Raises SourceRefused when it lacks all."""
    absent = []
    judged = sorted(topics.relevant_documents)
    async with config.open_library(corpus.settings, corpus.library, build=False) as opened:
        for document in judged:
            try:
                await opened.open(document)
            except NotFoundError:
                absent.append(document)
    named = ", ".join(absent[:3])
    if len(absent) == len(judged):
        remedy = "Its documents and the judgements have to go by the same ids."
        raise SourceRefused(f"{corpus.name} holds none of the relevant documents ({named}). {remedy}")
    told = f"relevant documents that {corpus.name} does not hold, counted as not found: {len(absent):,} ({named})"
    return (told,) if absent else ()
