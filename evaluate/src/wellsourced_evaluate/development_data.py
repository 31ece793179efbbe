"""What is measured and fitted on: our own cases in evaluate/data, the development corpora as libraries, their queries.

The corpora and published sets lie in one folder (`../shared/data` beside a checkout) that is named when something is
run; our cases, and the weights that are fitted, lie in the repository. Neither is part of an installed package.
"""

import csv
import gzip
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from wellsourced.encoders.base import Encoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.errors import SettingsError
from wellsourced.events import Emit, Event, Progress
from wellsourced.ingest import ingest_files
from wellsourced.sources.library import Library, list_libraries
from wellsourced.types import SourceKind

SEED = 7
T = TypeVar("T")
Row = dict[str, Any]
Qrels = dict[str, dict[str, int]]

REPOSITORY = Path(__file__).parents[3]
PRODUCT = REPOSITORY / "src" / "wellsourced"
"""Where weights are written to that the product ships."""


def find_data(name: str) -> Path:
    """A file or folder of evaluate/data. Raises SettingsError outside a checkout of the repository."""
    path = REPOSITORY / "evaluate" / "data" / name
    if not path.exists():
        raise SettingsError(
            f"No {path}: the cases of evaluate/data come with the repository and not with the installed "
            "package. Run this from a checkout of it, or name a file of your own."
        )
    return path


def read_rows(path: Path) -> Iterator[Row]:
    """The objects of a file of JSON lines, gzipped or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def show_work(text: str) -> None:
    """Say, on the terminal only, what takes so long."""
    if sys.stderr.isatty():
        print(f"\r{text:<100}", end="" if text else "\r", file=sys.stderr, flush=True)


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


class Queries(NamedTuple):
    """The queries of a task and the documents that answer them."""

    queries: dict[str, str]
    qrels: Qrels


def take_rows(bench: Bench, name: str) -> Iterator[Row]:
    """The rows of a corpus that the run looks at."""
    every = read_rows(bench.data / CORPORA[name].file)
    return islice(every, bench.sample) if bench.sample else every


def take_corpus(bench: Bench, name: str) -> Path:
    """The corpus as a file to ingest: as it came, or the rows taken of it."""
    if not bench.sample:
        return bench.data / CORPORA[name].file
    return _write_rows(bench.files / f"{name}.jsonl", take_rows(bench, name))


def _write_rows(path: Path, every: Iterator[Row]) -> Path:
    """The rows in a file; written once, and whole or not at all."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        with half.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in every)
        half.rename(path)
    return path


async def open_library(bench: Bench, name: str, encoder: Encoder | None) -> Library:
    """The library of a corpus: found by word and, with an encoder, by meaning. Built once, resumed if interrupted."""
    home = bench.home if CORPORA[name].asked else bench.other
    root, built = home / "libraries", home / f"{name}.built"
    if not built.exists():
        await _build(bench, name, root, encoder or MiniLM())
        built.touch()
    return Library.at(root, name, encoder)


async def _build(bench: Bench, name: str, root: Path, encoder: Encoder) -> None:
    if name == "consumer":
        # Only the answers: its titles all but spell out the questions.
        bare = ({"_id": row["_id"], "title": "", "text": row["text"]} for row in take_rows(bench, name))
        searched = _write_rows(bench.files / f"{name}-answers.jsonl", bare)
    else:
        searched = take_corpus(bench, name)
    if name not in list_libraries(root):
        Library.create(root, name, CORPORA[name].kind, encoder)
    with closing(Library.at(root, name, encoder, write=True)) as half:
        await ingest_files(half, [searched], tell_progress(name))
        await half.embed_passages(tell_progress(name))
    show_work("")


def tell_progress(name: str) -> Emit:
    """A listener that says how far the work on a library is."""

    def emit(event: Event) -> None:
        if isinstance(event, Progress):
            done = f"{event.done:,} of {event.total:,} {event.unit}, {event.rate:,.0f} a second"
            show_work(f"{name}: {event.task} {done}")

    return emit


def draw_queries(bench: Bench, task: Task) -> Queries:
    """The task's queries, drawn with a fixed seed, that have an answer in the corpus as it is taken."""
    qrels: Qrels = defaultdict(dict)
    with gzip.open(bench.data / f"{task.path}.qrels.tsv.gz", "rt", encoding="utf-8") as judged:
        for query, document, score in islice(csv.reader(judged, delimiter="\t", quoting=csv.QUOTE_NONE), 1, None):
            qrels[query][document] = int(score)
    held = {row["_id"] for row in take_rows(bench, task.library)} if bench.sample else None
    texts = {row["_id"]: row["text"] for row in read_rows(bench.data / f"{task.path}.queries.jsonl.gz")}
    able = [one for one in texts if qrels.get(one) and (held is None or held & qrels[one].keys())]
    count = task.usual if bench.queries < 0 else bench.queries
    drawn = sorted(draw_rows(able, count)) if 0 < count < len(able) else able
    return Queries({one: texts[one] for one in drawn}, {one: qrels[one] for one in drawn})


def draw_rows(rows: list[T], count: int) -> list[T]:
    """So many rows, drawn with a fixed seed."""
    return random.Random(SEED).sample(rows, count)  # noqa: S311
