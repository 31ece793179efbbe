"""What else a work has, by headings, next to what is shown of it."""

from wellsourced.answering.sections import find_sections
from wellsourced.pipeline.read.contents import MAX_LISTED, MAX_OF_WORK, MAX_READ, list_contents
from wellsourced.pipeline.read.section_reading import build_passage
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.types import Document, Evidence, Reference, Section

LENGTH = 3_000
WORDS = (
    "This part of the handbook has words enough to be a section of its own, and it is about nothing else at all. " * 2
)


def book(number: int, chapters: int) -> Document:
    text, sections = "", []
    for chapter in range(chapters):
        sections.append(Section(title=f"Chapter {chapter}", start=len(text), end=len(text) + len(WORDS)))
        text += f"{WORDS}\n"
    return Document(
        reference=Reference(id=f"own:{number}", title=f"Book {number}", kind="book"), text=text, sections=sections
    )


def show(document: Document, place: int) -> Evidence:
    return Evidence(passage=build_passage(find_sections(document)[place]), relevance=0.9)


def test_the_headings_of_guidelines_that_are_shown_in_part_are_listed_once_and_without_those_shown() -> None:
    documents = {one.reference.id: one for one in list(read_guidelines())[:3]}
    shown = [show(one, place) for one in documents.values() for place in (0, 3)]
    contents = list_contents(shown, documents, LENGTH)
    lines = [line for line in contents.text.split("\n") if line]
    assert len(set(lines)) == len(lines) == len(documents) + len(contents.sections)
    paths = {one.passage.section for one in shown}
    assert not [line for line in lines if line.partition("] ")[2] in paths]


def test_of_a_long_work_those_next_to_what_is_shown_are_listed_in_its_order() -> None:
    long = book(1, 300)
    contents = list_contents([show(long, 150)], {"own:1": long}, LENGTH)
    listed = [int(line.rpartition(" ")[2]) for line in contents.text.split("\n")[1:]]
    assert listed == [*range(130, 150), *range(151, 171)]
    assert len(listed) == MAX_OF_WORK
    many = [book(number, 60) for number in range(9)]
    contents = list_contents([show(one, 0) for one in many], {one.reference.id: one for one in many}, LENGTH)
    assert len(contents.sections) == MAX_LISTED


def test_works_are_listed_of_which_several_sections_are_shown_where_there_are_any() -> None:
    one, other = book(1, 12), book(2, 12)
    both = {"own:1": one, "own:2": other}
    assert "Book 2" in list_contents([show(one, 0), show(other, 0)], both, LENGTH).text
    assert "Book 2" not in list_contents([show(one, 0), show(one, 5), show(other, 0)], both, LENGTH).text


def test_sections_are_read_in_the_order_in_which_they_are_named_and_strange_keys_name_none() -> None:
    work = book(1, 12)
    contents = list_contents([show(work, 0)], {"own:1": work}, LENGTH)
    keys = [*contents.sections]
    named = [f"[{keys[4]}]", keys[2].upper(), "Chapter 3", keys[4]]
    assert [one.passage.section for one in contents.read(named, 0.4)] == ["Chapter 5", "Chapter 3"]
    assert len(contents.read(keys, 0.4)) == MAX_READ
    assert all(work.text[one.passage.start : one.passage.end] == one.passage.text for one in contents.read(keys, 0.4))


def test_a_work_that_is_shown_whole_or_not_known_has_no_contents() -> None:
    one = book(1, 1)
    assert list_contents([show(one, 0)], {"own:1": one}, LENGTH).text == ""
    assert list_contents([show(one, 0)], {}, LENGTH).text == ""
