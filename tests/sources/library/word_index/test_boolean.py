"""Boolean queries on a library: the sets they mean, in whatever state its index of words is."""

import gzip
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from tests.sources.boolean_by_hand import holds
from tests.tables import each_row
from wellsourced.errors import BadQuery, SourceRefused
from wellsourced.query_language import parse_query
from wellsourced.query_language.query_tree import (
    And,
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    QueryTerm,
)
from wellsourced.sources.base import CountingSource, HeadingVocabulary
from wellsourced.sources.library import Library
from wellsourced.sources.library.documents import CATALOGUE_FILE, DocumentStore, StoredDocument
from wellsourced.sources.library.word_index.boolean import BooleanMatcher
from wellsourced.sources.library.word_index.index import INDEX_FILE, WordIndex
from wellsourced.types import Document, Query, Reference

ROOT = Path(__file__).parents[2]

BELOW = {"Arthritis": ("Gout", "Arthritis, Juvenile"), "Gout": ()}
SAID = ("acute", "gout", "gouty", "Ménière", "cox-2", "juvenile arthritis", "arthritis", "flare", "animals", "wömen")
MESH = ("Gout", "Gout/drug therapy", "Arthritis", "Arthritis, Juvenile", "Humans", "Animals", "Ménière Disease")


def reference(number: int, **card: object) -> Reference:
    return Reference.model_validate({"id": f"pubmed:{number}", "pmid": str(number), **card})


def some(draw: random.Random, values: Sequence[str], most: int) -> tuple[str, ...]:
    return tuple(draw.sample(values, draw.randint(0, most)))


def drawn(seed: int, count: int = 30) -> list[Document]:
    """Documents of few words, so that phrases, headings and dates meet often."""
    draw = random.Random(seed)  # noqa: S311

    def sentence(most: int) -> str:
        return " ".join(draw.choices(SAID, k=draw.randint(0, most)))

    return [
        Document(
            reference=reference(
                number,
                title=sentence(3),
                mesh=some(draw, MESH, 3) if draw.random() < 0.6 else (),
                publication_types=some(draw, ("Review", "Clinical Trial", "Trial Registry"), 2),
                authors=draw.choice(((), ("Gout AB", "Flare C"), ("Flare CD",))),
                published=draw.choice(("", "2019", "2020", "2020-05", "2020-05-03", "2021-01")),
                journal=draw.choice(("", "Acute Arthritis")),
            ),
            text=sentence(7),
            digest=draw.choice(("", "acute flare")),
        )
        for number in range(count)
    ]


fields = st.sampled_from(("all", "title", "abstract", "title_abstract", "heading", "type", "author", "journal"))


def written(words: Sequence[str], **how: object) -> st.SearchStrategy[QueryTerm]:
    return st.tuples(st.sampled_from(words), fields).map(lambda one: QueryTerm(*one)._replace(**how))


words = st.one_of(
    written((*SAID, "acute gout", "gout acute", "clinical trial", "trial", "trial clinical", "nowhere")),
    written(("gou", "acute fl", "m", "cox", "trial r"), truncated=True),
    *(written(("gou", "flare", "acute go"), truncated=True, letters=most) for most in range(3)),
    written(("w#men", "gout?", "g*t acute", "*e", "fl?re#")),
)
terms = st.one_of(
    words,
    st.sampled_from(("1", "pubmed:2", "PUBMED:3", "x")).map(lambda id: QueryTerm(id, "id")),
    st.just(QueryTerm("english", "language")),
    st.just(QueryTerm("&")),
)
headings = st.tuples(
    st.sampled_from(("gout", "Gout", "Arthritis", "Arthritis, juvenile", "Animals", "Meniere Disease", "Nothing")),
    st.booleans(),
    st.booleans(),
    st.sampled_from(((), ("drug therapy",), ("surgery", "Drug Therapy"))),
).map(lambda one: MeshHeading(*one))
dates = st.tuples(
    st.sampled_from(("", "2019", "2020/05", "2020/05/04")),
    st.sampled_from(("", "2020", "2020/04", "2021/01/01")),
    st.sampled_from(("published", "published", "entered")),
).map(lambda one: DateRange(*one))
either = st.lists(words, min_size=1, max_size=2).map(lambda some: Or(tuple(some)))
near = st.tuples(
    st.lists(st.one_of(words, either), min_size=2, max_size=3).map(tuple), st.integers(min_value=0, max_value=3)
).map(lambda one: Near(*one))
others = st.sampled_from((Qualifier("drug therapy"), Qualifier("x"), Everything(), Everything("a filter")))
leaves: st.SearchStrategy[Node] = st.one_of(terms, headings, dates, near, others)
trees: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.tuples(inner, inner).map(lambda pair: Not(*pair)),
    ),
    max_leaves=5,
)


def draw_trees(count: int) -> list[Node]:
    """About so many trees, the same ones each time."""
    collected: list[Node] = []

    @seed(46)
    @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate])
    @given(trees)
    def collect(tree: Node) -> None:
        collected.append(tree)

    collect()
    return collected


def stored(root: Path, corpus: Sequence[Document]) -> WordIndex:
    DocumentStore.create(root, "mine", "research", "", "")
    catalogue = DocumentStore(root, write=True)
    catalogue.store_documents(
        (StoredDocument.from_document(document), 1, document.reference.year, "file") for document in corpus
    )
    catalogue.publish_changes(0)
    catalogue.close()
    return WordIndex(root)


def matching(index: WordIndex, node: Node) -> set[str]:
    with index.open_reader() as words:
        meant = {name: [name, *below] for name, below in BELOW.items()}
        found = BooleanMatcher(words, meant, lambda note: None).find_documents(node)
        return set(words.newest_ids(found, len(found)))


@settings(max_examples=20, deadline=None)
@given(st.integers(), st.lists(trees, min_size=10, max_size=20))
def test_a_query_means_the_documents_that_a_reader_would_pick_one_by_one(seed: int, queries: list[Node]) -> None:
    corpus = drawn(seed)
    with TemporaryDirectory() as folder:
        index = stored(Path(folder), corpus)
        for query in queries:
            picked = {one.reference.id for one in corpus if holds(query, one, BELOW) is not False}
            assert matching(index, query) == picked, query
        index.close()


@settings(max_examples=15, deadline=None)
@given(st.integers(), st.lists(near, min_size=10, max_size=20))
def test_terms_are_near_each_other_when_few_words_stand_between_them(seed: int, queries: list[Near]) -> None:
    corpus = drawn(seed)
    with TemporaryDirectory() as folder:
        index = stored(Path(folder), corpus)
        for query in queries:
            assert matching(index, query) == {one.reference.id for one in corpus if holds(query, one, BELOW)}, query
        index.close()


GOUT = Document(
    reference=reference(1, title="Colchicine in gout", mesh=("Gout/drug therapy", "Humans"), published="2020-05"),
    text="Colchicine shortened flares of gout by two days.",
)
TOPHI = Document(
    reference=reference(2, title="Tophi", mesh=("Gout",), published="2021", publication_types=("Review",)),
    text="Urate crystals settle in joints.",
)
JUVENILE = Document(
    reference=reference(3, title="Juvenile arthritis"), text="It is treated with naproxen, not colchicine."
)
EVERY = (GOUT, TOPHI, JUVENILE)


class Mesh:
    """A vocabulary of two headings, one below the other."""

    name = "mesh"

    async def heading(self, term: str) -> str:
        return {"gout": "Gout", "arthritis": "Arthritis", "podagra": "Gout"}.get(term.lower(), "")

    async def explode(self, heading: str) -> list[str]:
        return {"Arthritis": ["Arthritis", "Gout", "Arthritis, Juvenile"], "Gout": ["Gout"]}.get(heading, [])


async def library(
    root: Path, documents: Sequence[Document] = EVERY, headings: HeadingVocabulary | None = None
) -> Library:
    Library.create(root, "mine", "research")
    made = Library.at(root, "mine", write=True)
    made.headings = headings
    await made.add(documents)
    await made.maintain()
    return made


async def found(library: Library, expression: str, **limits: object) -> list[str]:
    query = Query.model_validate({"terms": (expression,), "kind": "boolean", **limits})
    ids = [hit.passage.reference.pmid for hit in (await library.search(query, 10)).hits]
    assert await library.count(query) == len(set(ids))
    return ids


async def test_matching_documents_come_by_their_words_and_those_without_any_come_last(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    assert isinstance(mine, CountingSource)
    assert await found(mine, "colchicine[tiab] AND gout[mh]") == ["1"]
    assert await found(mine, "Gout[mh]") == ["1", "2"], "in the second no word of the heading stands"
    assert await found(mine, "gout[mh] NOT review[pt]") == ["1"]
    assert await found(mine, "colchicin*[tiab] NOT gout") == ["3"]
    assert sorted(await found(mine, '"juvenile arthritis" OR tophi')) == ["2", "3"]
    assert await found(mine, "nowhere[tiab]") == []
    mine.close()


async def test_a_heading_brings_what_stands_below_it_when_somebody_knows(tmp_path: Path) -> None:
    mine = await library(tmp_path, headings=Mesh())
    assert sorted(await found(mine, "arthritis[mh]")) == ["1", "2", "3"]
    assert sorted(await found(mine, "arthritis[mh:noexp]")) == ["3"]
    assert sorted(await found(mine, "podagra[mh]")) == ["1", "2"]
    mine.headings = None
    hits, notes = await mine.search(Query(terms=("arthritis[mh]",), kind="boolean"), 10)
    assert [hit.passage.reference.pmid for hit in hits] == ["3"]
    assert any("searched without a MeSH vocabulary" in note for note in notes)
    assert any("1 documents were searched without headings" in note for note in notes)
    mine.close()


async def test_dates_and_exclusions_of_the_query_are_obeyed(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    assert await found(mine, "gout[mh]", since=date(2020, 6, 1)) == ["2"]
    assert await found(mine, "gout[mh]", as_of=date(2020, 5, 1)) == ["1"]
    assert await found(mine, "gout[mh]", exclude=("pubmed:1",)) == ["2"]
    assert await found(mine, "gout[mh] AND 2021:3000[dp]") == ["2"]
    mine.close()


async def test_of_many_documents_the_best_come_first_and_only_matching_ones(tmp_path: Path) -> None:
    many = [
        Document(
            reference=reference(n, title="Gout"), text=f"Gout in {'women' if n % 2 else 'men'}. " + "Flare. " * (n % 7)
        )
        for n in range(2_200)
    ]
    mine = await library(tmp_path, many)
    hits = (await mine.search(Query(terms=("flare AND women",), kind="boolean"), 100)).hits
    assert len(hits) == 100
    assert all("women" in hit.passage.text and "Flare" in hit.passage.text for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert await mine.count(Query(terms=("flare AND women",), kind="boolean")) == sum(
        bool(n % 2 and n % 7) for n in range(2_200)
    )
    mine.close()


async def test_a_query_that_cannot_be_read_says_where(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    with pytest.raises(BadQuery) as refused:
        await mine.search(Query(terms=("(" * 200 + "gout",), kind="boolean"), 10)
    assert refused.value.at == 100
    mine.close()


def test_a_term_that_stands_for_too_many_wordings_is_refused(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = " ".join(f"gout{one}{other}" for one in letters for other in letters)
    index = stored(tmp_path, [Document(reference=reference(1), text=words)])
    assert matching(index, QueryTerm("gout* goutaa")) == set()
    assert matching(index, QueryTerm("goutaz goutb#")) == {"pubmed:1"}
    with pytest.raises(SourceRefused, match=r"“gout. gout.” matches 456,976 wordings"):
        matching(index, QueryTerm("gout* gout*"))
    index.close()


async def test_words_that_all_have_to_stand_are_counted_in_whatever_form(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    assert await mine.count(Query(terms=("flare", "gout"))) == 1
    assert await mine.count(Query(terms=("the crystal", "joint"))) == 1
    assert await mine.count(Query(terms=("colchicine",))) == 2
    assert await mine.count(Query(terms=("colchicine", "podagra"))) == 0
    mine.close()


async def test_the_index_follows_the_library_whoever_asks(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    reader = Library.at(tmp_path, "mine")
    assert await found(reader, "gout[mh]") == ["1", "2"]
    changed = TOPHI.model_copy(update={"reference": TOPHI.reference.model_copy(update={"mesh": ("Urate",)})})
    await mine.add([changed])
    assert await found(reader, "gout[mh]") == ["1"], "a reader brings it up to date"
    await mine.remove(["pubmed:1"])
    assert await found(mine, "gout[mh]") == []
    await mine.add([GOUT])
    await mine.rebuild()
    assert await found(reader, "gout[mh]") == await found(mine, "gout[mh]") == ["1"]
    reader.close()
    mine.close()


async def test_a_library_without_an_index_gets_one_when_it_is_first_needed(tmp_path: Path) -> None:
    (await library(tmp_path)).close()
    (tmp_path / "mine" / INDEX_FILE).unlink()
    reader = Library.at(tmp_path, "mine")
    assert await found(reader, "gout[mh]") == ["1", "2"]
    assert (tmp_path / "mine" / INDEX_FILE).is_file()
    reader.close()


async def test_who_adds_documents_brings_the_index_up_to_date(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    for removed, left in ([], 3), (["pubmed:2"], 2):
        await mine.remove(removed)
        await mine.maintain()
        with sqlite3.connect(tmp_path / "mine" / INDEX_FILE) as sql:
            assert sql.execute("SELECT documents FROM state").fetchone() == (left,)
    mine.close()


def test_a_catalogue_of_an_earlier_day_that_was_brought_back_is_indexed_again(tmp_path: Path) -> None:
    index = stored(tmp_path, EVERY)
    (tmp_path / "kept").mkdir()
    with sqlite3.connect(tmp_path / CATALOGUE_FILE) as sql:
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(tmp_path / CATALOGUE_FILE, tmp_path / "kept")
    catalogue = DocumentStore(tmp_path, write=True)
    catalogue.remove(["pubmed:2"])
    catalogue.close()
    assert matching(index, QueryTerm("tophi")) == set()
    index.close()
    for file in tmp_path.glob(f"{CATALOGUE_FILE}*"):
        file.unlink()
    shutil.copy(tmp_path / "kept" / CATALOGUE_FILE, tmp_path)
    assert matching(index, QueryTerm("tophi")) == {"pubmed:2"}
    index.close()


def test_queries_that_are_too_long_or_too_deep_for_one_expression_find_the_same(tmp_path: Path) -> None:
    index = stored(tmp_path, EVERY)
    many = Or(tuple(QueryTerm(f"nowhere{number}") for number in range(450)))
    every = And((Or((*many.parts, QueryTerm("tophi"), QueryTerm("gout"))), Or((*many.parts, QueryTerm("colchicine")))))
    assert matching(index, every) == {"pubmed:1"}
    deep: Node = QueryTerm("colchicine")
    for number in range(95):
        deep = And((QueryTerm("gout"), deep)) if number % 2 else Or((deep, QueryTerm("tophi")))
    assert matching(index, deep) == {"pubmed:1", "pubmed:2"}
    assert matching(index, Not(deep, many)) == {"pubmed:1", "pubmed:2"}
    index.close()


def test_the_newest_come_first_and_equal_ones_in_the_order_of_their_ids(tmp_path: Path) -> None:
    days = ("2020", "2021-05", "", "2021", "2021-12-31", "2020-12")
    corpus = [Document(reference=reference(n, published=day), text="gout") for n, day in enumerate(days, 1)]
    index = stored(tmp_path, corpus)
    ordered = [f"pubmed:{n}" for n in (4, 5, 2, 1, 6, 3)]
    with index.open_reader() as words:
        found = words.find_matching("gout")
        assert [words.newest_ids(found, limit) for limit in range(8)] == [ordered[:limit] for limit in range(8)]
    index.close()


async def test_who_may_not_write_the_index_makes_one_of_its_own(tmp_path: Path) -> None:
    mine = await library(tmp_path)
    mine.close()
    (tmp_path / "mine" / INDEX_FILE).unlink()
    (tmp_path / "mine" / INDEX_FILE).mkdir()
    reader = Library.at(tmp_path, "mine")
    assert await found(reader, "gout[mh]") == ["1", "2"]
    writer = Library.at(tmp_path, "mine", write=True)
    await writer.remove(["pubmed:2"])
    assert await found(reader, "gout[mh]") == ["1"]
    writer.close()
    reader.close()


async def test_an_index_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    (await library(tmp_path)).close()
    (tmp_path / "mine" / INDEX_FILE).write_bytes(b"not a database, but long enough to be read as one" * 100)
    reader = Library.at(tmp_path, "mine")
    assert await found(reader, "gout[mh]") == ["1", "2"]
    reader.close()


FILLER = """
import sys
from pathlib import Path
from wellsourced.sources.library.word_index.index import WordIndex

print("begun", flush=True)
WordIndex(Path(sys.argv[1])).update(lambda event: print("told", flush=True))
print("done", flush=True)
"""


@each_row("batches", [0, 1, 5])
def test_whenever_a_process_that_fills_the_index_is_killed_the_next_one_answers(tmp_path: Path, batches: int) -> None:
    corpus = [document.model_copy(update={"text": f"gout {document.text}"}) for document in drawn(7, 5_000)]
    index = stored(tmp_path, corpus)
    process = subprocess.Popen(
        [sys.executable, "-c", FILLER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout
    for _ in range(batches + 1):
        assert process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(matching(index, QueryTerm("gout", "abstract"))) == 5_000
    index.close()


async def test_the_strategies_of_64_reviews_run(tmp_path: Path, shared_data: Path) -> None:
    with gzip.open(shared_data / "graph" / "clef_tar.topics.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = file.readlines()
    mine = await library(tmp_path)
    for line in lines:
        assert await mine.count(Query(terms=(json.loads(line)["boolean_query"],), kind="boolean")) <= len(EVERY)
    mine.close()


QUERIES = (
    "asthma[tiab] AND (child* OR adolescen*)",
    '"randomized controlled trial"[tiab] NOT protocol[ti]',
    "(breast OR prostat*) AND (cancer OR carcinoma* OR neoplas*)",
    "gene[ti] AND expression[tiab]",
    '"heart failure" OR ("myocardial infarction" AND mortality)',
    '"randomized placebo"[tiab:~3]',
    "diabetes mellitus[mh]",
    "neoplasms[mh] NOT (animals[mh] NOT humans[mh])",
    "(mutation* AND dna) OR transcription factor*[tiab]",
    "2010:2015[dp] AND (cell* OR protein*)",
    "treatment*[ti] AND english[la]",
    "tumor necrosis factor-alpha[tw] OR interleukin-6",
)


@pytest.mark.nightly
def test_queries_as_pubmed_knows_them_find_what_a_reader_finds_in_real_abstracts(
    tmp_path: Path, shared_data: Path
) -> None:
    with gzip.open(shared_data / "corpora" / "research.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for _, line in zip(range(500), file, strict=False)]
    corpus = [
        Document(reference=Reference(id=row["_id"], title=row["title"], published=str(2005 + n % 15)), text=row["text"])
        for n, row in enumerate(rows)
    ]
    index = stored(tmp_path, corpus)
    for query in QUERIES:
        node = parse_query(query).node
        picked = {one.reference.id for one in corpus if holds(node, one, {}) is not False}
        with index.open_reader() as words:
            assert (
                set(words.document_ids(BooleanMatcher(words, {}, lambda note: None).find_documents(node))) == picked
            ), query
    index.close()
