"""How fast documents go in: by words alone, and how near making vectors comes to the encoder's own speed."""

import json
import shutil
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from benchmarks.corpora import CORPORA, Bench, file_of, progress, taken
from benchmarks.report import Report, working
from wellsourced.encoders.base import Encoder, Role, Vectors
from wellsourced.encoders.wordpiece import bert_uncased
from wellsourced.events import unheard
from wellsourced.ingest import ingest
from wellsourced.sources.library import Library

EMBEDDED = 1_500
"""Documents whose passages are embedded for the comparison: half a minute of work for the encoder."""


class Watched:
    """An encoder that remembers what it was given, so that the same texts can be put to it alone."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.texts: list[str] = []

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
        self.texts += texts
        return self._encoder.encode(texts, role)


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
        path = file_of(bench, name)
        begun = time.perf_counter()
        await ingest(built, [path], progress(name))
        seconds += time.perf_counter() - begun
        working("")
        passages += (await built.card()).passages
        built.close()
        size += weight(root / name)
    report.number("passages stored", passages, "passages")
    report.number("ingestion, found by word", passages / seconds, "passages/s", "at least 3,000")
    report.number("on disk, without vectors", size / passages, "bytes/passage")


async def _by_meaning(bench: Bench, encoder: Encoder, root: Path, report: Report) -> None:
    watched = Watched(encoder)
    path = root / "some.jsonl"
    some = islice(taken(bench, "research"), EMBEDDED)
    path.write_text("".join(json.dumps(row) + "\n" for row in some), encoding="utf-8")
    Library.create(root, "some", "research", watched)
    built = Library.at(root, "some", watched, write=True)
    await ingest(built, [path], unheard)
    # The weights are loaded and every word has been met before the clock starts: whoever comes second would profit.
    encoder.encode(["Loads the weights."])
    for row in islice(taken(bench, "research"), EMBEDDED):
        bert_uncased().ids(f"{row['title']} {row['text']}", len(row["text"]))
    embedding, count = await _embedding(built, watched)
    begun = time.perf_counter()
    encoder.encode(watched.texts[:count])
    alone = time.perf_counter() - begun
    report.number("the encoder alone", count / alone, "texts/s")
    report.number("library embed", count / embedding, "texts/s")
    report.number("library embed, of the encoder's own speed", 100 * alone / embedding, "%", "at least 90")
    stored = (await built.card()).passages
    built.close()
    report.number("on disk, with vectors", weight(root / "some") / stored, "bytes/passage")


async def _embedding(built: Library, watched: Watched) -> tuple[float, int]:
    watched.texts.clear()
    begun = time.perf_counter()
    await built.embed(progress("some"))
    seconds = time.perf_counter() - begun
    working("")
    return seconds, len(watched.texts)


def weight(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
