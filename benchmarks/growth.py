"""What a library costs as it grows: the same work at four sizes, each three times the one before, as processor time.

The documents are made of sentences of the research corpus, each with a date, headings and an id of its own; their
vectors are mixtures of the guidelines' own, so that questions, which the default encoder encodes, find what is near.
Beside the library, on the same passages and questions: tantivy, SQLite's FTS5 and faiss, each as its manual begins, and
where Java and Maven are installed one node of OpenSearch, whose own processor time counts, too.

Cost grows as size to the power of the slope: 0 does not grow, 1 grows as the library does. The slope is a straight
line through logarithms; its interval is from 500 draws of the repetitions at each size.
"""

import asyncio
import os
import random
import re
import shutil
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any
from zlib import crc32

import numpy as np
import psutil
import tantivy
from numpy.typing import NDArray

from benchmarks.questions import draw_questions
from benchmarks.report import Report
from tests.servers.opensearch.node import describe_missing, running_nodes
from wellsourced import config
from wellsourced.encoders.base import Encoder, Role, Vectors, normalize_rows
from wellsourced.http import Client
from wellsourced.pipeline.ask import answer_question
from wellsourced.sources.library import Library
from wellsourced.sources.library.engines import EngineAddress, IndexedPassage, PassageFilter, cut_document
from wellsourced.sources.library.opensearch.engine import OpenSearchEngine, open_engine
from wellsourced.text.passages import cut_index_passages, text_under_titles
from wellsourced.types import Document, Query, Question, Reference
from wellsourced_evaluate.development_data import SEED, Bench, read_rows, show_work
from wellsourced_evaluate.plots import Point, draw_series

LARGEST = 243_000
"""Documents of the largest library, some 430,000 passages; `--sample` asks for another number."""

STEPS, FACTOR = 4, 3
"""Sizes, and how many times as large as the one before each is."""

REPETITIONS, ASKS, BATCH = 30, 8, 1_000
"""Questions that are searched for, questions that are answered, documents that are added at once."""

WARMING = 20
"""Rounds of all questions that OpenSearch answers before it is measured."""

FIRST_ID = 10_000_000
HEADINGS = ("Asthma", "Gout", "Humans", "Adult", "Heart Failure/drug therapy", "Hypertension", "Neoplasms", "Pain")
BOOLEAN = "({}[tiab] OR {}[tiab]) AND humans[mh] NOT mice"
PICTURES = {
    "growth-searching.svg": (
        "Searching, as a library grows",
        (
            "search by word",
            "search by word and meaning",
            "… since 2015",
            "… without one document",
            "Boolean search",
            "ask",
        ),
    ),
    "growth-changing.svg": (
        "Opening and changing, as a library grows",
        ("open and search", f"add {BATCH:,}", "first search after a commit", "remove one"),
    ),
    "growth-engines.svg": (
        "The same passages elsewhere",
        (
            "search by word",
            "search by word and meaning",
            "tantivy, by word",
            "FTS5, by word",
            "faiss HNSW, by meaning",
            "OpenSearch, by word",
            "OpenSearch HNSW, by meaning",
        ),
    ),
}
"""The pictures, by file: each with its title and what it shows."""

Costs = dict[str, dict[int, list[float]]]
"""Milliseconds of the processor, of each repetition, by size, by what was done."""


async def measure(bench: Bench, encoder: Encoder, report: Report) -> None:
    """Each kind of work at each size, its slope, and pictures in the work folder."""
    report.section("growth", "Growth (milliseconds of the processor, the median)")
    largest = bench.sample or LARGEST
    sizes = [largest // FACTOR**step for step in reversed(range(STEPS))]
    texts, questions = Texts(bench), draw_questions(bench, REPETITIONS)
    costs: Costs = {}
    for size in sizes:
        home = bench.work / "growth" / str(size)
        await build(home, size, texts, encoder)
        await measure_library(home, size, texts, encoder, questions, costs)
        await asyncio.to_thread(measure_others, home, size, texts, encoder, questions, costs)
        if not describe_missing():
            await measure_opensearch(home / "opensearch", size, texts, encoder, questions, costs)
    widths = (34, *(12 for _ in sizes), 24)
    report.row(("", *(f"{size:,}" for size in sizes), "slope (95 %)"), widths)
    for name, by_size in costs.items():
        slope, low, high = fit_slope(by_size)
        medians = {size: median(taken) for size, taken in by_size.items()}
        grows = f"{slope:.2f} ({low:.2f} … {high:.2f})"
        report.row((name, *(f"{one:,.3g}" for one in medians.values()), grows), widths)
        report.record(f"{name}, slope", slope, "power")
        for size, one in medians.items():
            report.record(f"{name}, {size:,} documents", one, "ms")
    for name, (title, kinds) in PICTURES.items():
        (bench.work / name).write_text(draw(title, kinds, costs), "utf-8")
    report.note(f"The pictures: {', '.join(str(bench.work / name) for name in PICTURES)}")


class Texts:
    """Documents made of sentences of real abstracts; each number is always the same document."""

    def __init__(self, bench: Bench) -> None:
        rows = list(read_rows(bench.data / "corpora/research.jsonl.gz"))
        parted = (one for row in rows for one in re.split(r"(?<=\.)\s+(?=[A-Z])", row["text"]))
        self.sentences = [one for one in parted if 40 < len(one) < 400]
        self.titles = [row["title"] for row in rows if row["title"]]

    def make(self, number: int) -> Document:
        draw = random.Random(number)  # noqa: S311
        published = f"{draw.randint(1985, 2025)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        card = Reference(
            id=f"pubmed:{FIRST_ID + number}",
            pmid=str(FIRST_ID + number),
            kind="research",
            title=draw.choice(self.titles),
            published=published,
            mesh=tuple(draw.sample(HEADINGS, 4)) if draw.random() < 0.8 else (),
            authors=("Okafor A", "Lindqvist B"),
            journal="J Inv Trials",
            publication_types=("Journal Article",),
        )
        return Document(reference=card, text=" ".join(draw.choices(self.sentences, k=draw.randint(5, 11))))

    def batches(self, count: int) -> Iterator[list[Document]]:
        for start in range(0, count, BATCH):
            yield [self.make(number) for number in range(start, min(count, start + BATCH))]


class MixedEncoder:
    """Questions by the encoder itself; a passage is a mixture of two of the guidelines' vectors and some noise.

    It goes by the encoder's name, so that its vectors are searched with it.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self.name, self.dim = encoder, encoder.name, encoder.dim
        with files("wellsourced.encoders").joinpath("guideline_vectors.npy").open("rb") as file:
            self._real = normalize_rows(np.load(file).astype(np.float32))

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        if role == "query":
            return self._encoder.encode(texts, role)
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        return normalize_rows(np.array([self._mix(text) for text in texts], np.float32))

    def _mix(self, text: str) -> NDArray[np.float32]:
        draw = np.random.default_rng(crc32(text.encode()))
        one, other = self._real[draw.integers(0, len(self._real), 2)]
        share = draw.random(dtype=np.float32)
        mixed: NDArray[np.float32] = share * one + (1 - share) * other
        return mixed + np.float32(0.02) * draw.standard_normal(self.dim, np.float32)


async def build(home: Path, size: int, texts: Texts, encoder: Encoder) -> None:
    """A library of so many documents with vectors; built once, and again from the beginning if it was interrupted."""
    if (home / "built").exists():
        return
    shutil.rmtree(home, ignore_errors=True)
    mixed = MixedEncoder(encoder)
    Library.create(home / "libraries", "growth", "research", mixed)
    with closing(Library.at(home / "libraries", "growth", mixed, write=True)) as library:
        for done, documents in enumerate(texts.batches(size)):
            show_work(f"building {size:,}: {done * BATCH:,} documents")
            await library.add(documents)
        show_work(f"building {size:,}: vectors")
        await library.embed_passages()
    (home / "built").touch()
    show_work("")


async def measure_library(
    home: Path, size: int, texts: Texts, encoder: Encoder, questions: Sequence[str], costs: Costs
) -> None:
    """Every call that a user's question or upload makes, on a library that is as it was before when this returns."""
    root, mixed = home / "libraries", MixedEncoder(encoder)

    async def take(name: str, work: Callable[[], Awaitable[object]]) -> None:
        show_work(f"{size:,} documents: {name}")
        begun = time.process_time()
        await work()
        costs.setdefault(name, {}).setdefault(size, []).append(1_000 * (time.process_time() - begun))

    async def open_and_search() -> None:
        with closing(Library.at(root, "growth", mixed)) as opened:
            await opened.search(Query(terms=(questions[0],)), 20)

    for _ in range(5):
        await take("open and search", open_and_search)
    with closing(Library.at(root, "growth", None)) as by_word:
        for question in questions:
            await take("search by word", lambda q=question: by_word.search(Query(terms=(q,)), 20))  # type: ignore[misc]
    reader = Library.at(root, "growth", mixed)
    kinds: Mapping[str, Callable[[str], Query]] = {
        "search by word and meaning": lambda q: Query(terms=(q,)),
        "… since 2015": lambda q: Query(terms=(q,), since=date(2015, 1, 1)),
        "… without one document": lambda q: Query(terms=(q,), exclude=(f"pubmed:{FIRST_ID + 5}",)),
        "Boolean search": lambda q: Query(terms=(BOOLEAN.format(*_two_words(q)),), kind="boolean"),
    }
    await reader.search(kinds["Boolean search"](questions[0]), 20)
    for name, build_query in kinds.items():
        for question in questions:
            await take(name, lambda b=build_query, q=question: reader.search(b(q), 20))  # type: ignore[misc]
    await _change_it(root, size, texts, mixed, reader, questions, take)
    reader.close()
    await _ask(home, questions, take)


Take = Callable[[str, Callable[[], Awaitable[object]]], Awaitable[None]]


async def _change_it(
    root: Path, size: int, texts: Texts, mixed: Encoder, reader: Library, questions: Sequence[str], take: Take
) -> None:
    with closing(Library.at(root, "growth", mixed, write=True)) as writer:
        for turn in range(3):
            new = [texts.make(number) for number in range(size + turn * BATCH, size + (turn + 1) * BATCH)]
            await take(f"add {BATCH:,}", lambda d=new: writer.add(d))  # type: ignore[misc]
            await take("first search after a commit", lambda t=turn: reader.search(Query(terms=(questions[t],)), 20))  # type: ignore[misc]
        for turn in range(5):
            await take("remove one", lambda t=turn: writer.remove([f"pubmed:{FIRST_ID + size + t}"]))  # type: ignore[misc]
        await writer.remove([f"pubmed:{FIRST_ID + number}" for number in range(size, size + 3 * BATCH)])


async def _ask(home: Path, questions: Sequence[str], take: Take) -> None:
    """Whole answers from this library alone, each question new."""
    before = os.environ.get("WELLSOURCED_HOME")
    os.environ["WELLSOURCED_HOME"] = str(home)
    try:
        # Every question is new to it: verdicts of an earlier run would answer for the judge.
        await asyncio.to_thread(_forget_verdicts, home)
        async with config.open_context(libraries=("growth",)) as context:
            await answer_question(Question(text=questions[-1]), context)
            for question in questions[:ASKS]:
                await take("ask", lambda q=question: answer_question(Question(text=q), context))  # type: ignore[misc]
    finally:
        os.environ.pop("WELLSOURCED_HOME") if before is None else os.environ.update(WELLSOURCED_HOME=before)


def _forget_verdicts(home: Path) -> None:
    for verdicts in home.glob("verdicts.sqlite3*"):
        verdicts.unlink()


def measure_others(
    home: Path, size: int, texts: Texts, encoder: Encoder, questions: Sequence[str], costs: Costs
) -> None:
    """The same passages in tantivy, in FTS5 and in faiss, and the same questions."""
    for name, search in open_others(home, size, texts, encoder).items():
        search(questions[0])
        for question in questions:
            show_work(f"{size:,} documents: {name}")
            begun = time.process_time()
            search(question)
            costs.setdefault(name, {}).setdefault(size, []).append(1_000 * (time.process_time() - begun))
    show_work("")


async def measure_opensearch(
    home: Path, size: int, texts: Texts, encoder: Encoder, questions: Sequence[str], costs: Costs
) -> None:
    """The same passages on one node of OpenSearch: processor time of the server and of this side together."""
    shutil.rmtree(home, ignore_errors=True)
    mixed = MixedEncoder(encoder)
    async with Client() as client:
        with running_nodes(home, flags=()) as (node,):
            server = next(one for one in psutil.Process().children(recursive=True) if one.name() == "java")
            url = f"opensearch://{node.url.removeprefix('http://')}/growth"
            engine = open_engine(EngineAddress(url, "growth", "a" * 32, mixed.name), client)
            await _fill_opensearch(engine, size, texts, mixed)
            searches: Mapping[str, Callable[[str], Awaitable[object]]] = {
                "OpenSearch, by word": lambda q: engine.rank_by_words(q, "", PassageFilter(), 200),
                "OpenSearch HNSW, by meaning": lambda q: engine.rank_by_vector(
                    encoder.encode([q], "query")[0], PassageFilter(), 200
                ),
            }
            for name, search in searches.items():
                show_work(f"{size:,} documents: {name}")
                # A server compiles what it does often: the last round counts.
                for _ in range(WARMING):
                    for question in questions:
                        await search(question)
                before, taken = sum(server.cpu_times()[:2]), list[float]()
                for question in questions:
                    begun = time.process_time()
                    await search(question)
                    taken.append(time.process_time() - begun)
                # Of other processes hundredths of a second are told: a search has its share of all.
                share = (sum(server.cpu_times()[:2]) - before) / len(questions)
                costs.setdefault(name, {})[size] = [1_000 * (one + share) for one in taken]
            engine.close()
    shutil.rmtree(home)
    show_work("")


async def _fill_opensearch(engine: OpenSearchEngine, size: int, texts: Texts, mixed: Encoder) -> None:
    await engine.prepare()
    for documents in texts.batches(size):
        show_work(f"{size:,} documents: filling OpenSearch: {documents[0].reference.id}")
        cut = [one for document in documents for one in cut_document(document, 1)]
        await engine.replace((), cut)
        await engine.add_vectors(
            [IndexedPassage(one.id, 1) for one in cut], mixed.encode([one.searched for one in cut])
        )


def open_others(home: Path, size: int, texts: Texts, encoder: Encoder) -> dict[str, Callable[[str], object]]:
    """A function that searches, by the engine's name; faiss where it is installed."""
    folder, mixed = home / "others", MixedEncoder(encoder)
    if not (folder / "built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _build_others(folder, size, texts, mixed)
        (folder / "built").touch()
    index = tantivy.Index.open(str(folder / "tantivy"))
    index.register_tokenizer("english", _tokenizer())
    sql = sqlite3.connect(f"file:{folder / 'fts5.sqlite3'}?mode=ro", uri=True)
    return {
        "tantivy, by word": lambda q: index.searcher().search(index.parse_query(" ".join(_words(q)), ["text"]), 200),
        "FTS5, by word": lambda q: sql.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 200",
            (" OR ".join(f'"{word}"' for word in _words(q)),),
        ).fetchall(),
        **_open_faiss(folder, encoder),
    }


def _build_others(folder: Path, size: int, texts: Texts, mixed: MixedEncoder) -> None:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name="english", index_option="freq")
    (folder / "tantivy").mkdir()
    index = tantivy.Index(schema.build(), path=str(folder / "tantivy"))
    index.register_tokenizer("english", _tokenizer())
    writer, vectors = index.writer(64_000_000, 1), []
    with closing(sqlite3.connect(folder / "fts5.sqlite3")) as sql:
        sql.execute("CREATE VIRTUAL TABLE passages USING fts5(text, content='', tokenize='porter unicode61')")
        for documents in texts.batches(size):
            show_work(f"building the other engines: {documents[0].reference.id}")
            passages = [text_under_titles(one) for document in documents for one in cut_index_passages(document)]
            for text in passages:
                writer.add_document(tantivy.Document(text=text))
            sql.executemany("INSERT INTO passages(text) VALUES (?)", ((text,) for text in passages))
            vectors.append(mixed.encode(passages).astype(np.float16))
        sql.commit()
    writer.commit()
    writer.wait_merging_threads()
    np.save(folder / "vectors.npy", np.concatenate(vectors))


def _open_faiss(folder: Path, encoder: Encoder) -> dict[str, Callable[[str], object]]:
    """HNSW of 8-bit vectors, as faiss's own guide advises for memory and speed; {} where faiss is not installed."""
    try:
        import faiss  # type: ignore[import-not-found]
    except ImportError:
        return {}
    path = folder / "hnsw.faiss"
    if not path.exists():
        vectors = np.load(folder / "vectors.npy").astype(np.float32)
        built = faiss.IndexHNSWSQ(vectors.shape[1], faiss.ScalarQuantizer.QT_8bit, 16, faiss.METRIC_INNER_PRODUCT)
        built.train(vectors[:50_000])
        built.add(vectors)
        faiss.write_index(built, str(path))
    index: Any = faiss.read_index(str(path))
    index.hnsw.efSearch = 200
    return {"faiss HNSW, by meaning": lambda q: index.search(encoder.encode([q], "query"), 200)}


def _tokenizer() -> tantivy.TextAnalyzer:
    plain = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    return plain.filter(tantivy.Filter.stopword("english")).filter(tantivy.Filter.stemmer("english")).build()


def _words(question: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", question.lower())


def _two_words(question: str) -> list[str]:
    longest = sorted(set(re.findall(r"[a-z]{4,}", question.lower())), key=lambda word: (-len(word), word))
    return [*longest, "therapy", "treatment"][:2]


def fit_slope(by_size: Mapping[int, Sequence[float]]) -> tuple[float, float, float]:
    """The power of size that cost grows by, and its 95 % interval by drawing the repetitions of each size again."""
    draw = np.random.default_rng(SEED)
    places = np.log(list(by_size))

    def fit(medians: Sequence[float]) -> float:
        return float(np.polyfit(places, np.log(np.maximum(medians, 1e-3)), 1)[0])

    drawn = [fit([float(np.median(draw.choice(taken, len(taken)))) for taken in by_size.values()]) for _ in range(500)]
    low, high = np.percentile(drawn, (2.5, 97.5))
    return fit([median(taken) for taken in by_size.values()]), float(low), float(high)


def draw(title: str, names: Sequence[str], costs: Costs) -> str:
    """SVG: the median of some kinds of work against the number of documents, and the middle half of all."""
    series = {
        name: [Point(size, *_middle(taken)) for size, taken in costs[name].items()] for name in names if name in costs
    }
    axes = ("documents", "milliseconds of the processor")
    return draw_series(title, axes, series, line=True, is_logarithmic=True, y_range=None)


def _middle(taken: Sequence[float]) -> tuple[float, float, float]:
    low, mid, high = np.percentile(taken, (25, 50, 75))
    return float(mid), float(low), float(high)
