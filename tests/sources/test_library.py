"""The embedded index beyond what every source promises: reopening, vectors, order, names, other processes."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document, word
from tests.tables import each_row
from wellsourced.encoders.base import Role, Vectors
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.events import Event, Progress
from wellsourced.sources.library import Library, delete_library_folder, list_libraries
from wellsourced.sources.library.hybrid_search import ENCODED_WHEN_ASKED
from wellsourced.types import Document, Query, Reference, Section

ROOT = Path(__file__).parents[2]
GOUT = Query(terms=("adults", "with", "gout"))


class Counting(HashedEncoder):
    """A hashed encoder that remembers what it was given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        if role == "passage":
            self.texts += texts
        return super().encode(texts, role)


class Other(HashedEncoder):
    """An encoder of another name and width."""

    name = "other-8"
    dim = 8

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        return np.full((len(texts), 8), 8**-0.5, dtype=np.float32)


def made(root: Path, name: str = "mine", encoder: HashedEncoder | None = None) -> Library:
    Library.create(root, name, "research", encoder)
    return Library.at(root, name, encoder, write=True)


async def found(library: Library, *terms: str, limit: int = 10) -> list[str]:
    return [hit.passage.reference.id for hit in (await library.search(Query(terms=terms), limit)).hits]


async def test_a_doi_is_the_same_in_whatever_case_it_is_written(tmp_path: Path) -> None:
    library = made(tmp_path)
    text = "Four classes are the foundation."
    given = [Document(reference=Reference(id=id), text=text) for id in ("doi:10.1161/CIR.0000000001063", "Note A")]
    await library.add(given)
    for written in ("doi:10.1161/cir.0000000001063", "doi:10.1161/Cir.0000000001063"):
        assert (await library.open(written)).reference.id == "doi:10.1161/CIR.0000000001063"
    for other in ("doi:10.1161/cir.000000000106", "note a", "doi:%"):
        with pytest.raises(NotFoundError):
            await library.open(other)


GOUT_TRIAL = Document(
    reference=Reference(id="pmc:PMC77", pmcid="PMC77", pmid="12", doi="10.1000/Gout-12", title="A trial"),
    text="It fell.",
)
WRITTEN_IDS = ["pmc:PMC77", "pmc:pmc77", "PMC 77", "pubmed:12", "PMID: 12.", "doi:10.1000/gout–12",
               "https://doi.org/10.1000/GOUT-12", "https://pubmed.ncbi.nlm.nih.gov/12/"]  # fmt: skip


async def test_a_work_is_opened_by_any_of_its_ids_however_it_is_written(tmp_path: Path) -> None:
    library = made(tmp_path)
    abstract = Reference(id="pubmed:12", pmid="12", doi="10.1000/Gout-12", title="A trial")
    await library.add([Document(reference=abstract, text="The abstract."), GOUT_TRIAL])
    library.close()
    opened = Library.at(tmp_path, "mine", None)
    for written in WRITTEN_IDS:
        found = (await opened.open(written)).reference.id
        # Under its own id the abstract is what it was; by another, the full text comes first.
        assert found == ("pubmed:12" if "doi" not in written and "PMC" not in written.upper() else "pmc:PMC77"), written
    for other in ("doi:10.1000/gout", "PMID: 120", "pmc:PMC7", "nct:NCT00000012", "../mine", "a\0b", "x" * 5_000):
        with pytest.raises(NotFoundError):
            await opened.open(other)


async def test_a_file_of_one_document_is_opened_by_its_path(tmp_path: Path) -> None:
    library = made(tmp_path)
    await library.add_from(str(tmp_path / "trial.xml"), [GOUT_TRIAL])
    await library.add_from(str(tmp_path / "two.xml"), [document(1), document(2)])
    assert (await library.open(str(tmp_path / "trial.xml"))).reference.id == "pmc:PMC77"
    with pytest.raises(NotFoundError):
        await library.open(str(tmp_path / "two.xml"))


async def test_a_library_that_is_opened_again_holds_and_finds_the_same(tmp_path: Path) -> None:
    library = made(tmp_path, encoder=HashedEncoder())
    await library.add([document(n) for n in range(50)])
    await library.embed_passages()
    before, card = (await library.search(GOUT, 20)).hits, await library.describe()
    library.close()
    again = Library.at(tmp_path, "mine", HashedEncoder())
    assert (await again.search(GOUT, 20)).hits == before
    assert await again.describe() == card
    again.close()


@each_row("encoder", [None, HashedEncoder()])
async def test_maintenance_changes_no_list(tmp_path: Path, encoder: HashedEncoder | None) -> None:
    library = made(tmp_path, encoder=encoder)
    for start in range(0, 600, 50):
        await library.add([document(n) for n in range(start, start + 50)])
    await library.remove([f"doc:{n}" for n in range(0, 600, 7)])
    await library.maintain()
    if encoder:
        await library.embed_passages()
    queries = [GOUT, Query(terms=(word(5), "gout")), Query(terms=("flares", "treated", word(8), word(599)))]
    before = [(await library.search(query, 25)).hits for query in queries]
    await library.add([document(n) for n in range(600, 1_000)])
    await library.remove([f"doc:{n}" for n in range(600, 1_000)])
    await library.maintain()
    after = [(await library.search(query, 25)).hits for query in queries]
    assert [[hit.passage.id for hit in hits] for hits in after] == [[hit.passage.id for hit in hits] for hits in before]


async def test_equal_passages_come_in_the_order_of_their_ids(tmp_path: Path) -> None:
    library = made(tmp_path)
    same = [Document(reference=Reference(id=f"same:{n:04}"), text="Adults with gout.") for n in range(900)]
    await library.add(same[::-1])
    assert await found(library, "adults", "gout", limit=5) == [f"same:{n:04}" for n in range(5)]


async def test_words_of_the_title_and_the_section_find_a_passage(tmp_path: Path) -> None:
    library = made(tmp_path)
    body = "It was given twice a day."
    titled = Document(
        reference=Reference(id="a", title="Colchicine in gout"),
        text=body,
        sections=(Section(title="Pharmacotherapy", start=0, end=len(body)),),
    )
    await library.add([titled, document(1)])
    assert await found(library, "colchicine") == await found(library, "pharmacotherapy") == ["a"]


@each_row(
    ("text", "finds"),
    [
        (f"'; DROP TABLE passages; -- {word(3)}", True),
        (f'(({word(3)} AND "b" OR [x] NOT {{y}} ^2 ~1 *', True),
        (f"+{word(3)} -{word(4)} searched:{word(3)}", True),
        (f"🩺 {word(3)} 💊", True),
        (" ".join([word(3), *(f"w{n}" for n in range(20_000))]), True),
        ("", False),
        ("the of and", False),
        ("?! -- ''", False),
        ("a" * 100_000, False),
    ],
)
async def test_a_query_is_words_whatever_it_looks_like(tmp_path: Path, text: str, finds: bool) -> None:
    library = made(tmp_path)
    await library.add([document(n) for n in range(20)])
    assert ("doc:3" in await found(library, text)) is finds
    assert (await library.describe()).documents == 20


async def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    class Greek(HashedEncoder):
        def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
            return super().encode([text.replace("podagra", "gout") for text in texts], role)

    library = made(tmp_path, encoder=Greek())
    await library.add([document(1), Document(reference=Reference(id="rain"), text="Rain fell all week.")])
    assert await found(library, "podagra") == []
    await library.embed_passages()
    assert (await found(library, "podagra"))[0] == "doc:1"


async def test_a_library_searched_by_word_gets_vectors_later(tmp_path: Path) -> None:
    made(tmp_path).close()
    library = Library.at(tmp_path, "mine", HashedEncoder(), write=True)
    await library.add([document(n) for n in range(30)])
    before = await found(library, word(7))
    assert (await library.describe()).vectors == 0
    assert await library.embed_passages() == 30
    assert (await library.describe()).vectors == 30
    assert (await found(library, word(7)))[0] == before[0] == "doc:7"


async def test_vectors_are_computed_once_and_only_for_words_that_changed(tmp_path: Path) -> None:
    encoder = Counting()
    library = made(tmp_path, encoder=encoder)
    long = " ".join(f"Sentence {word(n)} of a long work on gout." for n in range(100))
    parts = (Section(title="", start=0, end=len(long)), Section(title="", start=len(long), end=len(long) + 10))
    work = Document(reference=Reference(id="work"), text=long, sections=parts[:1])
    await library.add([work, *(document(n) for n in range(30))])
    passages = (await library.describe()).passages
    assert await library.embed_passages() == passages
    assert await library.embed_passages() == 0
    encoder.texts.clear()
    longer = work.model_copy(update={"text": long + " One more.", "sections": parts})
    await library.add([longer, document(3, edition=1), document(4)])
    assert await library.embed_passages() == len(encoder.texts) == 2
    assert (await library.describe()).vectors == (await library.describe()).passages
    assert word(3) in "".join(encoder.texts)


async def test_embedding_that_is_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    encoder = Counting()
    library = made(tmp_path, encoder=encoder)
    await library.add([document(n) for n in range(2_500)])
    told: list[Event] = []

    def stop_half_way(event: Event) -> None:
        told.append(event)
        if isinstance(event, Progress) and event.done > 1_250:
            work.cancel()

    work = asyncio.ensure_future(library.embed_passages(stop_half_way))
    with pytest.raises(asyncio.CancelledError):
        await work
    saved = (await library.describe()).vectors
    assert 0 < saved < 2_500
    done = [event.done for event in told if isinstance(event, Progress)]
    assert done == sorted(done), "it is told after each call of the encoder"
    assert done[0] < 100
    # What has no vector yet is found by word.
    for number in (3, 2_499):
        assert f"doc:{number}" in await found(library, word(number))
    assert await library.embed_passages() == 2_500 - saved
    assert len(encoder.texts) < 2_500 + 1_000
    assert await library.find_unsearchable() == []


async def test_documents_that_change_while_they_are_embedded_get_no_stale_vector(tmp_path: Path) -> None:
    encoder = Counting()
    library = made(tmp_path, encoder=encoder)
    await library.add([document(n) for n in range(1_200)])
    tasks: list[asyncio.Task[None]] = []

    def change(event: Event) -> None:
        if not tasks:
            tasks.append(asyncio.ensure_future(library.add([document(n, edition=2) for n in range(1_200)])))

    await asyncio.gather(library.embed_passages(change))
    await tasks[0]
    await library.embed_passages()
    assert (await library.describe()).vectors == 1_200
    assert sum(word(900_002) in text for text in encoder.texts) == 400


async def test_vectors_of_another_encoder_are_left_aside_and_replaced_by_embedding(tmp_path: Path) -> None:
    library = made(tmp_path, encoder=HashedEncoder())
    await library.add([document(1)])
    await library.embed_passages()
    library.close()
    reader = Library.at(tmp_path, "mine", Other())
    result = await reader.search(Query(terms=("gout",)), 10)
    assert reader.count_vectors() == 0
    assert [hit.passage.reference.id for hit in result.hits] == ["doc:1"]
    assert "1 of 1 passages are not embedded yet" in "".join(result.notes)
    library = Library.at(tmp_path, "mine", Other(), write=True)
    assert await library.embed_passages() == 1
    assert await found(reader, "gout") == await found(library, "gout") == ["doc:1"]
    assert reader.count_vectors() == 1
    assert not (await reader.search(Query(terms=("gout",)), 10)).notes
    library.close()
    reader.close()


class Synonyms(Counting):
    """An encoder that knows that attacks are flares."""

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        return super().encode([text.replace("attacks", "flares") for text in texts], role)


async def test_what_the_words_find_is_compared_by_meaning_before_anything_is_embedded(tmp_path: Path) -> None:
    """So that a library of a million passages answers in the minutes that its words take."""
    encoder, asked = Synonyms(), Query(terms=("gout", "attacks"))
    library = made(tmp_path, encoder=encoder)
    texts = [f"Gout, case {n}" + " in a town of some size by the sea" * (n // 20) for n in range(60)]
    filler = [Document(reference=Reference(id=f"doc:{n:03}"), text=text) for n, text in enumerate(texts)]
    await library.add([*filler, Document(reference=Reference(id="x"), text="Flares of gout are brief.")])
    assert "x" not in await found(Library.at(tmp_path, "mine"), *asked.terms)
    result = await library.search(asked, 10)
    assert result.hits[0].passage.reference.id == "x"
    assert len(encoder.texts) == ENCODED_WHEN_ASKED
    assert result.notes == (
        "61 of 61 passages are not embedded yet: of these, only those among the best 50 by word were compared by "
        "meaning",
    )
    await library.embed_passages()
    embedded = await library.search(asked, 10)
    assert (embedded.hits[0].passage, embedded.notes) == (result.hits[0].passage, ())


async def test_of_a_library_that_is_embedded_in_part_only_the_others_are_encoded_when_asked(tmp_path: Path) -> None:
    encoder = Counting()
    library = made(tmp_path, encoder=encoder)
    await library.add([document(n) for n in range(20)])
    await library.embed_passages()
    await library.add([document(n) for n in range(20, 23)])
    encoder.texts.clear()
    result = await library.search(GOUT, 30)
    assert len(encoder.texts) == 3
    assert "3 of 23 passages are not embedded yet" in "".join(result.notes)
    whole = result.hits
    await library.embed_passages()
    assert [one.score for one in whole] == [one.score for one in (await library.search(GOUT, 30)).hits]


async def test_the_exact_scan_and_the_index_agree_on_what_is_nearest(tmp_path: Path) -> None:
    library = made(tmp_path, encoder=HashedEncoder())
    await library.add([document(n) for n in range(600)])
    await library.embed_passages()
    library.close()
    indexed = Library(tmp_path / "mine", HashedEncoder(), write=True, exact=100)
    await indexed.embed_passages()
    query = Query(terms=(word(17), word(300)))
    probed = (await indexed.search(query, 5)).hits
    indexed.close()
    exact = Library.at(tmp_path, "mine", HashedEncoder())
    assert [hit.passage.id for hit in (await exact.search(query, 5)).hits][:2] == [hit.passage.id for hit in probed][:2]
    exact.close()


async def test_a_cancelled_addition_leaves_whole_documents(tmp_path: Path) -> None:
    library = made(tmp_path)
    for delay in (0.0, 0.001, 0.005, 0.01, 0.02, 0.05):
        work = asyncio.ensure_future(library.add([document(n, edition=int(delay * 1000)) for n in range(300)]))
        await asyncio.sleep(delay)
        work.cancel()
        await asyncio.wait([work])
        await library.maintain()
        assert await library.find_unsearchable() == []
        assert (await library.describe()).documents in (0, 300)


async def test_what_a_power_failure_took_from_the_search_table_is_mended_by_the_next_writer(tmp_path: Path) -> None:
    library = made(tmp_path)
    await library.add([document(n) for n in range(20)])
    await library._engine.replace(["doc:3"], ())
    assert await library.find_unsearchable() == ["doc:3"]
    library.close()
    reader = Library.at(tmp_path, "mine")
    assert await found(reader, word(3)) == []
    assert (await reader.open("doc:3")) == document(3)
    reader.close()
    writer = Library.at(tmp_path, "mine", write=True)
    await writer.maintain()
    assert await writer.find_unsearchable() == []
    assert await found(writer, word(3)) == ["doc:3"]
    writer.close()


def writing(root: Path) -> "subprocess.Popen[str]":
    """A process that writes: a document at once, another when it is told to."""
    command = [sys.executable, "-c", WRITER, str(root)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


async def test_a_reader_sees_what_another_process_commits_and_a_second_writer_is_refused(tmp_path: Path) -> None:
    Library.create(tmp_path, "mine", "research")
    reader = Library.at(tmp_path, "mine")
    assert await found(reader, "gout") == []
    writer = writing(tmp_path)
    assert writer.stdin and writer.stdout
    assert writer.stdout.readline() == "stored 1\n"
    assert await found(reader, "gout") == ["doc:1"]
    with pytest.raises(SourceUnavailable, match=rf"library mine is in use by process {writer.pid}\."):
        Library.at(tmp_path, "mine", write=True)
    with pytest.raises(SourceUnavailable):
        delete_library_folder(tmp_path, "mine")
    print("go", file=writer.stdin, flush=True)
    assert writer.stdout.readline() == "stored 2\n"
    assert sorted(await found(reader, "gout")) == ["doc:1", "doc:2"]
    writer.kill()
    writer.communicate()
    Library.at(tmp_path, "mine", write=True).close()
    reader.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from tests.sources.corpus import document
from wellsourced.sources.library import Library

async def main():
    library = Library.at(Path(sys.argv[1]), "mine", write=True)
    for number in (1, 2):
        await library.add([document(number)])
        print("stored", number, flush=True)
        sys.stdin.readline()

asyncio.run(main())
"""


async def test_a_reader_may_not_write(tmp_path: Path) -> None:
    made(tmp_path).close()
    reader = Library.at(tmp_path, "mine")
    with pytest.raises(SourceRefused):
        await reader.add([document(1)])
    reader.close()


def test_an_unknown_library_is_not_found_and_the_nearest_names_are_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there are none in"):
        Library.at(tmp_path, "cardio")
    for name in ("cardiology", "neurology"):
        Library.create(tmp_path, name)
    with pytest.raises(NotFoundError, match="Libraries: cardiology"):
        Library.at(tmp_path, "cardio")
    with pytest.raises(NotFoundError):
        delete_library_folder(tmp_path, "cardio")


@each_row(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "-x", ".hidden", "a  b", "a ", " a", "a\tb", "ä", "x" * 65, "a\n"]
)
def test_a_name_that_could_be_a_path_or_a_flag_is_refused(tmp_path: Path, name: str) -> None:
    for work in (Library.create, Library.at, delete_library_folder):
        with pytest.raises(SourceRefused, match="cannot name a library"):
            work(tmp_path / "root", name)
    assert list(tmp_path.iterdir()) == []


def test_libraries_are_listed_made_once_and_deleted_whole(tmp_path: Path) -> None:
    assert list_libraries(tmp_path / "nowhere") == []
    Library.create(tmp_path, "b.2")
    Library.create(tmp_path, "a-1")
    assert list_libraries(tmp_path) == ["a-1", "b.2"]
    with pytest.raises(SourceRefused, match="already"):
        Library.create(tmp_path, "a-1")
    delete_library_folder(tmp_path, "a-1")
    assert list_libraries(tmp_path) == ["b.2"]
    assert [path.name for path in tmp_path.iterdir()] == ["b.2"]


@each_row("excluded", ["pubmed:1", "doi:10.1000/abc", "DOI:10.1000/ABC", "own:1", "OWN:1", "pmc:PMC9"])
async def test_a_document_is_excluded_by_any_name_of_its_work_however_it_is_searched(
    tmp_path: Path, excluded: str
) -> None:
    library = made(tmp_path)
    card = Reference(id="own:1", doi="10.1000/Abc", pmid="1", pmcid="PMC9")
    other = Reference(id="own:2", doi="10.1000/abcd", pmid="11", pmcid="PMC99")
    await library.add([Document(reference=one, text="Gout flares were treated.") for one in (card, other)])
    for query in (Query(terms=("gout", "flares")), Query(terms=("gout[tiab] AND flares",), kind="boolean")):
        limited = query.model_copy(update={"exclude": (excluded,)})
        assert [hit.passage.reference.id for hit in (await library.search(limited, 10)).hits] == ["own:2"]
        assert await library.count(limited) == 1
    library.close()


async def test_a_library_that_is_deleted_while_it_is_open_is_not_one_that_knows_nothing(tmp_path: Path) -> None:
    made(tmp_path).close()
    reader = Library.at(tmp_path, "mine")
    delete_library_folder(tmp_path, "mine")
    with pytest.raises(NotFoundError, match="The library mine was deleted"):
        await reader.search(GOUT, 10)
    reader.close()
