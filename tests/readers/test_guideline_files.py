"""Guidelines as digest and full text: search finds the digest, reading opens the text."""

from pathlib import Path

from tests.hashed_encoder import HashedEncoder
from tests.readers.pdfs import Print, article
from tests.readers.reading import documents, only, written
from tests.readers.test_pdf import paragraph
from tests.tables import each_row
from tests.world import Knowing
from wellsourced.context import Context
from wellsourced.ingest import ingest_files
from wellsourced.models.base import NoModel
from wellsourced.pipeline.read.section_reading import read_candidates
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.planners.rules import RulePlanner
from wellsourced.readers.file_listing import MAX_DIGEST_CHARS
from wellsourced.sources.library import Library
from wellsourced.types import Passage, Query, Question

DOSE = "Adults with renal impairment take half of the tablet every second morning."


def guideline(*headings: str) -> str:
    """A guideline of many pages, whose dose stands far from its beginning."""
    parts = [f"## {heading}\n\nThis part says: {heading.lower()}.\n" for heading in headings]
    parts += [f"## Part {n}\n\n{paragraph(n)}\n" for n in range(30)]
    return "# Salt in practice\n\n" + "\n".join([*parts, f"## Dosing\n\n{DOSE}\n"])


def test_front_matter_gives_the_digest(tmp_path: Path) -> None:
    text = f"---\ndigest: All about salt.\n---\n{guideline('Summary')}"
    assert only(written(tmp_path / "a.md", text), "guideline").digest == "All about salt."


@each_row("suffix", [".digest.md", ".digest.txt"])
@each_row("name", ["salt.v2.md", "salt.v2.txt", "salt.v2.pdf", "salt.v2.docx"])
def test_a_file_beside_it_gives_the_digest_and_is_no_document_of_its_own(
    tmp_path: Path, name: str, suffix: str
) -> None:
    from tests.readers.seeds import prints, word
    from wellsourced.readers.file_listing import list_files

    made = {".pdf": article(prints(), 1), ".docx": word()}
    path = written(tmp_path / name, made.get(Path(name).suffix, guideline()))
    beside = written(tmp_path / ("salt.v2" + suffix), "\nAll about salt.\n")
    assert only(path, "own").digest == "All about salt."
    assert list_files([tmp_path]).files == [path]
    assert beside.is_file()


@each_row(
    ("headings", "digest"),
    [
        (("Preface", "Executive summary", "Scope"), "This part says: executive summary."),
        (("Preface", "2. Recommendations"), "This part says: 2. recommendations."),
        (("Preface", "Scope"), "This part says: preface."),
    ],
)
def test_a_guideline_without_a_digest_is_found_by_its_summary_else_by_its_first_section(
    tmp_path: Path, headings: tuple[str, ...], digest: str
) -> None:
    path = written(tmp_path / "a.md", guideline(*headings))
    assert only(path, "guideline").digest == digest
    assert only(path, "own").digest == ""


def test_the_summary_of_a_pdf_is_its_digest(tmp_path: Path) -> None:
    prints = [Print("A guideline on salt for all of practice", "title")]
    for heading, seeds in (("Preface", range(4)), ("Key points", (50,)), ("Scope", range(10, 24))):
        prints += [Print(heading, "heading"), *(Print(paragraph(seed)) for seed in seeds)]
    document = only(written(tmp_path / "a.pdf", article(prints, 2)), "guideline")
    assert document.digest == paragraph(50)


def test_a_short_guideline_needs_no_digest(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.md", "# Salt\n\n## Summary\n\nEat less.\n"), "guideline")
    assert len(document.text) < MAX_DIGEST_CHARS
    assert document.digest == ""


@each_row("encoder", [None, HashedEncoder()])
async def test_search_finds_the_digest_and_reading_opens_the_text(
    tmp_path: Path, encoder: HashedEncoder | None
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    written(folder / "salt.md", guideline("Preface"))
    written(folder / "salt.digest.txt", "Nephrology: sodium chloride and chronic kidney disease.")
    written(folder / "other.md", "# Other\n\n" + paragraph(99))
    Library.create(tmp_path, "guidelines", "guideline", encoder)
    library = Library.at(tmp_path, "guidelines", encoder, write=True)
    try:
        await ingest_files(library, [folder])
        if encoder:
            await library.embed_passages()
        hits = (await library.search(Query(terms=("nephrology", "sodium", "chloride")), 5)).hits
        assert hits[0].passage.stands_for_document
        assert "ephrology" not in hits[0].passage.text, "no passage says words that its document does not"

        judge = Knowing([DOSE])
        context = Context(sources=(library,), model=NoModel(), support_judge=judge, planner=RulePlanner())
        question = Question(text="How often do adults with renal impairment take the tablet?")
        reading = await read_candidates(question, [Candidate(hits[0].passage, library.name)], context)
        evidence = reading.evidence[0]
        assert DOSE in evidence.passage.text
        assert evidence.passage.section == "Dosing"
        document = reading.documents[evidence.passage.reference.id]
        assert document.text[evidence.passage.start : evidence.passage.end] == evidence.passage.text
        assert not any(item.passage.stands_for_document for item in reading.evidence)
    finally:
        library.close()


async def test_the_text_of_a_guideline_is_found_by_its_own_words_too(tmp_path: Path) -> None:
    (document,) = documents(written(tmp_path / "salt.md", guideline("Summary")), "guideline")
    assert document.digest
    Library.create(tmp_path, "guidelines", "guideline")
    library = Library.at(tmp_path, "guidelines", write=True)
    try:
        await library.add([document])
        hits = (await library.search(Query(terms=("renal", "impairment", "tablet")), 5)).hits
        assert hits[0].passage.text == DOSE
        assert [type(hit.passage) for hit in hits] == [Passage] * len(hits)
    finally:
        library.close()
