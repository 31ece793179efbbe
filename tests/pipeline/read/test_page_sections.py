"""Of pages for patients whole sections are read, of long ones what was found with what follows, and the beginning."""

from wellsourced.pipeline.read.guideline_sections import MAX_BEGINNING_LENGTH, list_beginnings, widen_to_pages
from wellsourced.types import Document, Evidence, Passage, Reference, Section

SENTENCE = "A fever is a body temperature that is higher than normal. "


def read(length: int, start: int, kind: str = "consumer") -> tuple[Evidence, Document]:
    """A passage of one sentence from a page with so many sentences."""
    text = SENTENCE * length
    reference = Reference(id="p", title="Fever", kind=kind)
    document = Document(reference=reference, text=text, sections=(Section(title="", start=0, end=len(text)),))
    at = start * len(SENTENCE)
    end = at + len(SENTENCE.strip())
    passage = Passage(reference=reference, text=text[at:end], start=at, end=end)
    return Evidence(passage=passage, relevance=0.5), document


def test_a_short_section_is_read_whole_and_once() -> None:
    (item, _), *others = widen_to_pages([read(10, 5), read(10, 2)])
    assert not others
    assert item.passage.text == (SENTENCE * 10).strip()


def test_of_a_long_one_what_follows_is_read_and_its_beginning() -> None:
    found = widen_to_pages([read(150, 100)])
    ((item, _),) = found
    assert item.passage.start == 100 * len(SENTENCE)
    assert len(item.passage.text) > 20 * len(SENTENCE)
    ((beginning, _),) = list_beginnings(found)
    assert beginning.start == 0
    assert len(beginning.text) <= MAX_BEGINNING_LENGTH


def test_other_kinds_of_sources_stay_as_they_are() -> None:
    one = read(10, 5, "research")
    assert widen_to_pages([one]) == [one]
    assert list_beginnings([one]) == []
