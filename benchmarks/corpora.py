"""What the measurements run on: the development corpora as libraries, built once, and the questions put to them."""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import working
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.events import Emit, Event, Progress
from wellsourced.ingest import ingest_files
from wellsourced.sources.library import Library, list_libraries
from wellsourced.types import SourceKind

SEED = 7
Row = dict[str, Any]
Qrels = dict[str, dict[str, int]]


class Bench(NamedTuple):
    """What a run was asked to do.

    data      the folder of the development data
    work      where libraries are kept from one run to the next
    sample    documents taken of each corpus, 0 for all
    queries   queries taken of each set: a number, 0 for all, -1 for what each task takes by default
    """

    data: Path
    work: Path
    sample: int
    queries: int

    @property
    def home(self) -> Path:
        """The home of libraries that `ask` searches: research and consumer, 33,303 documents."""
        return self.work / f"home-{self.sample or 'all'}"

    @property
    def other(self) -> Path:
        """The home of libraries that are measured and not asked."""
        return self.work / f"other-{self.sample or 'all'}"

    @property
    def files(self) -> Path:
        """The folder of corpora as they were taken."""
        return self.work / f"files-{self.sample or 'all'}"


class Corpus(NamedTuple):
    """A corpus: its file, the kind of the library made of it, and whether `ask` is to search it."""

    file: str
    kind: SourceKind
    asked: bool


CORPORA = {
    "research": Corpus("corpora/research.jsonl.gz", "research", asked=True),
    "consumer": Corpus("corpora/consumer.jsonl.gz", "consumer", asked=True),
    "scifact": Corpus("verification/scifact.corpus.jsonl.gz", "research", asked=False),
}


class Task(NamedTuple):
    """Queries, what should be found for them, and what plain BM25 with stemming reaches.

    usual   queries taken when no number is given, 0 for all
    """

    name: str
    library: str
    path: str
    floor: float
    usual: int = 0


TASKS = (
    Task("BioASQ", "research", "retrieval/bioasq", 0.814),
    Task("PubMedQA", "research", "retrieval/pubmedqa", 0.934),
    Task("SciFact", "scifact", "verification/scifact", 0.690),
    Task("MedQuAD", "consumer", "retrieval/medquad", 0.534, usual=1000),
)


class Asked(NamedTuple):
    """The queries of a task and the documents that answer them."""

    queries: dict[str, str]
    qrels: Qrels


def rows(path: Path) -> Iterator[Row]:
    """The objects of a gzipped JSON lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def taken(bench: Bench, name: str) -> Iterator[Row]:
    """The rows of a corpus that the run looks at."""
    every = rows(bench.data / CORPORA[name].file)
    return islice(every, bench.sample) if bench.sample else every


def file_of(bench: Bench, name: str) -> Path:
    """The corpus as a file to ingest: as it came, or the rows taken of it."""
    if not bench.sample:
        return bench.data / CORPORA[name].file
    return _written(bench.files / f"{name}.jsonl", taken(bench, name))


def searched(bench: Bench, name: str) -> Path:
    """The corpus as a file to search in. Of `consumer` only the answers: its titles all but spell out the questions."""
    if name != "consumer":
        return file_of(bench, name)
    bare = ({"_id": row["_id"], "title": "", "text": row["text"]} for row in taken(bench, name))
    return _written(bench.files / f"{name}-answers.jsonl", bare)


def _written(path: Path, every: Iterator[Row]) -> Path:
    """The rows in a file; written once, and whole or not at all."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        with half.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in every)
        half.rename(path)
    return path


async def library(bench: Bench, name: str, encoder: Encoder | None) -> Library:
    """The library of a corpus: found by word and, with an encoder, by meaning. Built once, resumed if interrupted."""
    home = bench.home if CORPORA[name].asked else bench.other
    root, built = home / "libraries", home / f"{name}.built"
    if not built.exists():
        await _build(bench, name, root, encoder or MiniLM())
        built.touch()
    return Library.at(root, name, encoder)


async def _build(bench: Bench, name: str, root: Path, encoder: Encoder) -> None:
    if name not in list_libraries(root):
        Library.create(root, name, CORPORA[name].kind, encoder)
    half = Library.at(root, name, encoder, write=True)
    try:
        await ingest_files(half, [searched(bench, name)], progress(name))
        await half.embed_passages(progress(name))
    finally:
        half.close()
        working("")


def progress(name: str) -> Emit:
    """A listener that says how far the work on a library is."""

    def emit(event: Event) -> None:
        if isinstance(event, Progress):
            working(f"{name}: {event.task} {event.done:,} of {event.total:,} {event.unit}, {event.rate:,.0f} a second")

    return emit


def asked(bench: Bench, task: Task) -> Asked:
    """The task's queries, drawn with a fixed seed, that have an answer in the corpus as it is taken."""
    qrels = _qrels(bench, task)
    held = {row["_id"] for row in taken(bench, task.library)} if bench.sample else None
    texts = {row["_id"]: row["text"] for row in rows(bench.data / f"{task.path}.queries.jsonl.gz")}
    able = [one for one in texts if qrels.get(one) and (held is None or held & qrels[one].keys())]
    count = task.usual if bench.queries < 0 else bench.queries
    drawn = sorted(random.Random(SEED).sample(able, count)) if 0 < count < len(able) else able  # noqa: S311
    return Asked({one: texts[one] for one in drawn}, {one: qrels[one] for one in drawn})


def _qrels(bench: Bench, task: Task) -> Qrels:
    qrels: Qrels = defaultdict(dict)
    with gzip.open(bench.data / f"{task.path}.qrels.tsv.gz", "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            query, document, score = line.split("\t")
            qrels[query][document] = int(score)
    return dict(qrels)


def questions(bench: Bench, count: int) -> list[str]:
    """Questions to ask, a third each from researchers (BioASQ), patients (K-QA) and the public (MedQuAD)."""
    sets = (
        [row["text"] for row in rows(bench.data / "retrieval/bioasq.queries.jsonl.gz")],
        [row["question"] for row in rows(bench.data / "qa/kqa.jsonl.gz")],
        [row["text"] for row in rows(bench.data / "retrieval/medquad.queries.jsonl.gz")],
    )
    draw = random.Random(SEED)  # noqa: S311
    drawn = [draw.sample(one, min(len(one), -(-count // len(sets)))) for one in sets]
    return [question for three in zip(*drawn, strict=False) for question in three][:count]
