"""Of a guideline whole sections are read, with those that they introduce and those that hold for a given value."""

import pytest

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.pipeline.read.guideline_sections import (
    MAX_SECTION_LENGTH,
    list_sections_below,
    list_sections_for_values,
    widen_to_sections,
)
from wellsourced.pipeline.read.section_relevance import GUIDELINE_SHARE, lower_threshold
from wellsourced.types import Document, Evidence, Passage, Question, Section

PARTS = (
    ("Score", "The score says what is to be done."),
    ("Score › Points 1–4", "A nurse looks after the patient. " * 30),
    ("Score › Points 5–6", "A doctor comes within an hour."),
    ("Score › Points ≥ 7", "A team comes within 30 minutes."),
    ("Limits", "It was not made for children."),
)


def guideline() -> Document:
    text, sections = "", []
    for title, words in PARTS:
        start = len(text)
        text += f"{title.rpartition(' › ')[2]}\n\n{words.strip()}\n\n"
        sections.append(Section(title=title, start=start, end=len(text)))
    made = document("doi:10.1/score", text)
    reference = made.reference.model_copy(update={"kind": "guideline"})
    return made.model_copy(update={"reference": reference, "sections": tuple(sections)})


def found_in(section: str, relevance: float = 0.9) -> tuple[Evidence, Document]:
    read = guideline()
    passage = next(one for one in passages(read) if one.section == section)
    return Evidence(passage=passage, relevance=relevance), read


def list_titles(question: str, *sections: str) -> list[str]:
    below = list_sections_below(Question(text=question), [found_in(one) for one in sections])
    return [passage.section for passage, _ in below]


def test_in_place_of_a_passage_its_whole_section_is_read_once_and_is_as_relevant_as_its_best_passage() -> None:
    read = guideline()
    inside = [one for one in passages(read) if one.section == "Score › Points 1–4"]
    items = [(Evidence(passage=one, relevance=0.5 + n / 10), read) for n, one in enumerate(inside)]
    ((item, _),) = widen_to_sections(items)
    assert item.relevance == items[-1][0].relevance
    assert item.passage.text == read.text[item.passage.start : item.passage.end]
    assert item.passage.text.startswith("Points 1–4")
    assert item.passage.text.endswith("patient.")


def test_what_an_introduction_introduces_is_read_with_it() -> None:
    assert list_titles("What does the score say?", "Score") == [title for title, _ in PARTS[1:4]]
    assert list_titles("What are the limits of the score?", "Limits") == []


@each_row(
    ("question", "beside"),
    [
        ("What is done at a score of 8?", ["Score › Points ≥ 7"]),
        ("What is done at a score of 2?", ["Score › Points 1–4"]),
        ("What is done at a score of 5?", []),
        ("What is done at a high score?", []),
    ],
)
def test_beside_a_section_the_one_that_holds_for_a_given_value_is_read(question: str, beside: list[str]) -> None:
    read = [found_in("Score › Points 5–6", relevance=0.7)]
    found = list_sections_for_values(Question(text=question), read)
    assert [(item.passage.section, item.relevance) for item, _ in found] == [(title, 0.7) for title in beside]


def test_what_is_read_already_is_not_read_twice() -> None:
    read = [found_in("Score › Points 5–6"), *widen_to_sections([found_in("Score › Points ≥ 7")])]
    assert list_sections_for_values(Question(text="What is done at a score of 8?"), read) == []


def test_a_section_that_is_too_long_is_not_added() -> None:
    item, read = found_in("Score › Points 5–6")
    long = read.text + "x" * (MAX_SECTION_LENGTH + 1)
    sections = (*read.sections, Section(title="Score › Points > 7", start=len(read.text), end=len(long)))
    longer = read.model_copy(update={"text": long, "sections": sections})
    found = list_sections_for_values(Question(text="What is done at a score of 8?"), [(item, longer)])
    assert [one.passage.section for one, _ in found] == ["Score › Points ≥ 7"]


def test_of_guidelines_less_certainty_is_asked() -> None:
    passage: Passage = found_in("Limits")[0].passage
    assert lower_threshold(0.6, Question(text="What are its limits?"), passage) == pytest.approx(0.6 * GUIDELINE_SHARE)
