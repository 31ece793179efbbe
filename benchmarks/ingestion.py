"""How fast documents go in: by words alone, and how near making vectors comes to the encoder's own speed."""

import json
import shutil
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from benchmarks.report import Report
from wellsourced.encoders.base import Encoder, Role, Vectors
from wellsourced.events import ignore_event
from wellsourced.ingest import ingest_files
from wellsourced.sources.library import Library
from wellsourced_evaluate.development_data import CORPORA, Bench, show_work, take_corpus, take_rows, tell_progress

EMBEDDED = 1_500
"""Documents whose passages are embedded for the comparison: half a minute of work for the encoder."""


class Watched:
    """An encoder that counts its texts and its own seconds: two runs one after the other differ by chance alone."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.texts, self.seconds = 0, 0.0

    @property
    def name(self) -> str:
        """The name of the encoder itself: its vectors are the same."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """The width of the encoder itself."""
        return self._encoder.dim

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """What the encoder makes of the texts."""
        begun = time.perf_counter()
        vectors = self._encoder.encode(texts, role)
        self.texts += len(texts)
        self.seconds += time.perf_counter() - begun
        return vectors


async def measure(bench: Bench, encoder: Encoder, report: Report) -> None:
    """Passages a second and bytes a passage, in libraries that are thrown away afterwards."""
    report.section("ingestion", "Ingestion (research and consumer)")
    root = bench.work / "thrown-away"
    shutil.rmtree(root, ignore_errors=True)
    try:
        await _by_words(bench, encoder, root, report)
        await _by_meaning(bench, encoder, root, report)
    finally:
        shutil.rmtree(root, ignore_errors=True)


async def _by_words(bench: Bench, encoder: Encoder, root: Path, report: Report) -> None:
    passages = size = 0
    seconds = 0.0
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        Library.create(root, name, CORPORA[name].kind, encoder)
        built = Library.at(root, name, encoder, write=True)
        path = take_corpus(bench, name)
        begun = time.perf_counter()
        await ingest_files(built, [path], tell_progress(name))
        seconds += time.perf_counter() - begun
        show_work("")
        passages += (await built.describe()).passages
        built.close()
        size += weight(root / name)
    report.number("passages stored", passages, "passages")
    report.number("ingestion, found by word", passages / seconds, "passages/s", "at least 3,000")
    report.number("on disk, without vectors", size / passages, "bytes/passage")


async def _by_meaning(bench: Bench, encoder: Encoder, root: Path, report: Report) -> None:
    watched = Watched(encoder)
    path = root / "some.jsonl"
    some = islice(take_rows(bench, "research"), EMBEDDED)
    path.write_text("".join(json.dumps(row) + "\n" for row in some), encoding="utf-8")
    Library.create(root, "some", "research", watched)
    built = Library.at(root, "some", watched, write=True)
    await ingest_files(built, [path], ignore_event)
    watched.encode(["Loads the weights before the clock starts."])
    watched.texts, watched.seconds = 0, 0.0
    begun = time.perf_counter()
    await built.embed_passages(tell_progress("some"))
    seconds = time.perf_counter() - begun
    show_work("")
    report.number("the encoder, while it worked", watched.texts / watched.seconds, "texts/s")
    report.number("library embed", watched.texts / seconds, "texts/s")
    report.number("library embed, of the encoder's own speed", 100 * watched.seconds / seconds, "%", "at least 90")
    stored = (await built.describe()).passages
    built.close()
    report.number("on disk, with vectors", weight(root / "some") / stored, "bytes/passage")


def weight(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
