"""A study that says the very names that are asked about has to reach less, and a page that is on them."""

import pytest

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.pipeline.read.section_relevance import (
    NAMED_SHARE,
    OFFERED_SHARE,
    TITLE_RELIEF,
    find_study_certainty,
    lower_threshold,
)
from wellsourced.types import Question

TEXT = "Upadacitinib is a selective inhibitor of JAK1 in adults with rheumatoid arthritis."


@each_row(
    ("question", "is_lower"),
    [
        ("Which molecule is targeted by upadacitinib?", True),
        ("Is JAK1 the target of upadacitinib?", True),
        # Another drug, another gene, nothing that is named, a dose of which nothing is said, other people.
        ("Which molecule is targeted by tofacitinib?", False),
        ("Is TYK2 the target of upadacitinib?", False),
        ("What helps against joint pain?", False),
        ("What is the dose of upadacitinib?", False),
        ("Is upadacitinib safe in pregnancy?", False),
    ],
)
def test_a_study_has_to_say_each_name_and_of_whom_and_a_figure_where_one_is_asked(question: str, is_lower: bool):
    (passage,) = passages(document("pubmed:1", TEXT))
    assert passage.reference.kind == "research"
    expected = 0.6 * NAMED_SHARE if is_lower else 0.6
    assert lower_threshold(0.6, Question(text=question), passage) == pytest.approx(expected)


def test_a_name_is_known_by_how_it_is_written_and_stands_as_a_word():
    (passage,) = passages(
        document("pubmed:1", "The XIPERE suspension is injected into the suprachoroidal space of the eye.")
    )
    assert lower_threshold(1, Question(text="How is the drug XIPERE given?"), passage) < 1
    assert lower_threshold(1, Question(text="How is the drug XIP given?"), passage) < 1
    assert lower_threshold(1, Question(text="How is the drug PERE given?"), passage) == 1


def test_other_kinds_have_to_reach_all_of_it():
    (passage,) = passages(document("pubmed:1", TEXT))
    page = passage.model_copy(update={"reference": passage.reference.model_copy(update={"kind": "consumer"})})
    assert lower_threshold(0.6, Question(text="Which molecule is targeted by upadacitinib?"), page) == 0.6


@each_row(
    ("question", "share"),
    [
        # A molecule that is named; a disease that is; a place that is not; no sort of thing; another drug.
        ("Which molecule is targeted by upadacitinib?", OFFERED_SHARE),
        ("Which disease is treated with upadacitinib?", OFFERED_SHARE),
        ("Where was upadacitinib approved?", 1),
        ("Is JAK1 inhibited by upadacitinib?", OFFERED_SHARE),
        ("How does upadacitinib work?", NAMED_SHARE),
        ("Which disease is treated with tofacitinib?", 1),
    ],
)
def test_less_is_enough_of_a_study_that_names_such_a_thing_as_is_asked_for(question: str, share: float):
    text = "Upadacitinib is a selective drug against JAK1 given for rheumatoid arthritis disease."
    (passage,) = passages(document("pubmed:1", text))
    assert find_study_certainty(0.6, Question(text=question), passage) == pytest.approx(0.6 * share)


@each_row(
    ("text", "question", "share"),
    [
        # A tool is used for no disease; a protein that is in no list is a name, and a granule is a place.
        ("DILI-CAT scores reports from early development.", "What is DILI-CAT used for?", NAMED_SHARE),
        ("DILI-CAT scores reports from early development.", "When was DILI-CAT made?", 1),
        ("Perforin is stored by leukocytes in secretory granules.", "Where is perforin found?", OFFERED_SHARE),
        ("Granzyme is stored by leukocytes in secretory granules.", "Where is perforin found?", 1),
    ],
)
def test_a_study_of_something_that_only_a_study_names_may_be_less_sure(text: str, question: str, share: float):
    (passage,) = passages(document("pubmed:1", text))
    assert find_study_certainty(0.6, Question(text=question), passage) == pytest.approx(0.6 * share)


@each_row(
    ("title", "question", "share"),
    [
        ("Gallstones", "Can a crash diet give me gallstones?", 1 - TITLE_RELIEF),
        ("Hypoglycemia", "What is gout?", 1.0),
        ("Amyloidosis of the Kidneys in Infants", "What can I eat with bad kidneys?", 1.0),
    ],
)
def test_a_page_on_what_is_asked_has_to_reach_less(title: str, question: str, share: float):
    (passage,) = passages(document("page:1", "Some people have them for years and never know it."))
    reference = passage.reference.model_copy(update={"kind": "consumer", "title": title})
    page = passage.model_copy(update={"reference": reference})
    assert lower_threshold(0.6, Question(text=question), page) == pytest.approx(0.6 * share)
