import time

from hypothesis import given
from hypothesis import strategies as st

from tests.samples import a_tenth_as_long
from tests.tables import each_row
from wellsourced.text.passages import cut_passages, text_under_titles
from wellsourced.types import Document, Passage, Reference, Section

REFERENCE = Reference(id="pubmed:1")
SENTENCE = "Aspirin lowered the risk of a second stroke in most of the patients."


def document(text: str, *sections: Section) -> Document:
    return Document(reference=REFERENCE, text=text, sections=sections)


def texts(passages: list[Passage]) -> list[str]:
    return [passage.text for passage in passages]


def test_a_short_document_is_one_passage() -> None:
    assert texts(cut_passages(document(f"  {SENTENCE}\n"))) == [SENTENCE]


def test_passages_end_at_sentence_ends_and_are_of_even_size() -> None:
    text = " ".join([SENTENCE] * 16)
    passages = texts(cut_passages(document(text), limit=1000))
    assert len(passages) == 2
    assert [len(passage.split(". ")) for passage in passages] == [8, 8]


def test_a_paragraph_that_fits_is_kept_whole() -> None:
    paragraphs = [" ".join([SENTENCE] * count) for count in (3, 5, 4)]
    assert texts(cut_passages(document("\n\n".join(paragraphs)), limit=400)) == paragraphs


def test_sections_are_never_joined_and_name_their_passages() -> None:
    text = "AIMS\nTo know.\nRESULTS\nIt is known."
    passages = cut_passages(
        document(text, Section(title="Aims", start=5, end=13), Section(title="Results", start=22, end=34))
    )
    assert [(passage.section, passage.text) for passage in passages] == [
        ("Aims", "To know."),
        ("Results", "It is known."),
    ]


def test_an_empty_section_gives_no_passage() -> None:
    assert cut_passages(document("A  \n B", Section(title="Nothing", start=1, end=4))) == []


def test_a_list_stays_with_the_line_that_introduces_it() -> None:
    items = "- fever that lasts for many days\n- pain in the lower back"
    text = f"{SENTENCE} {SENTENCE}\nSigns are these:\n{items}\n{SENTENCE}"
    passages = texts(cut_passages(document(text), limit=180))
    assert not any(passage.endswith(":") for passage in passages)


def test_a_sentence_longer_than_the_limit_is_cut_at_a_blank() -> None:
    text = "The first clause is of some length, the second clause is of some length too, and the third one ends it."
    passages = texts(cut_passages(document(text), limit=60))
    assert len(passages) > 1
    assert " ".join(passages) == text


@given(
    st.one_of(
        st.text(), st.text(alphabet="ab A.B:,\n-•é€𝔸\u0301", max_size=300), st.text(alphabet="\n "), st.just("x" * 500)
    ),
    st.integers(1, 60),
    st.booleans(),
)
def test_every_character_of_a_section_is_in_exactly_one_passage(text: str, limit: int, halved: bool) -> None:
    half = len(text) // 2
    sections = (Section(title="a", start=0, end=half), Section(title="b", start=half, end=len(text))) if halved else ()
    seen = [0] * len(text)
    for passage in cut_passages(document(text, *sections), limit):
        assert passage.text == text[passage.start : passage.end]
        assert passage.text == passage.text.strip() != ""
        assert len(passage.text) <= limit
        for at in range(passage.start, passage.end):
            seen[at] += 1
    assert max(seen, default=0) <= 1
    assert all(times == 1 for character, times in zip(text, seen, strict=True) if not character.isspace())


@a_tenth_as_long
@each_row("hostile", ["a" * 100_000, "a\n" * 50_000, "." * 100_000, "a, " * 33_000, "\n" * 100_000])
def test_hostile_text_does_not_hang(hostile: str, step: int) -> None:
    hostile = hostile[: len(hostile) // step]
    started = time.process_time()
    assert all(len(passage.text) <= 1000 for passage in cut_passages(document(hostile)))
    assert time.process_time() - started < 5


def test_a_passage_is_found_and_judged_under_its_titles() -> None:
    text = "Colchicine is recommended."
    reference = Reference(id="a", title="Guideline", kind="guideline")
    passage = Passage(reference=reference, text=text, start=0, end=len(text), section="Gout › Flares")
    assert text_under_titles(passage) == "Guideline\nGout › Flares\nColchicine is recommended."
