"""In which order a model reads what it writes from."""

from wellsourced.pipeline.read.document_passages import order_guidelines
from wellsourced.types import Evidence, Passage, Question, Reference, SourceKind

ASKED = Question(text="What is first-line drug therapy for gout flares?")


def found(id: str, title: str, section: str, text: str, relevance: float, kind: SourceKind = "guideline") -> Evidence:
    reference = Reference(id=id, title=title, kind=kind)
    passage = Passage(reference=reference, text=text, start=0, end=len(text), section=section)
    return Evidence(passage=passage, relevance=relevance)


IN_PASSING = found(
    "pain",
    "Guideline for Back Pain",
    "Back Pain › First-Line Drugs",
    "Ibuprofen is the first-line drug; it may be given where gout coexists.",
    0.9,
)
FLARES = found(
    "gout",
    "Guideline for Gout",
    "Gout › Gout Flares",
    "Colchicine is recommended as first-line drug therapy for gout flares.",
    0.7,
)
DIET = found("gout", "Guideline for Gout", "Gout › Diet", "Beer is to be avoided by people who have gout.", 0.2)
TRIAL = found("trial", "A trial of ice", "", "Ice shortened the flare by a day.", 0.8, kind="research")


def test_a_guideline_on_what_is_asked_comes_before_one_that_mentions_it_and_its_sections_stand_together() -> None:
    assert order_guidelines(ASKED, [IN_PASSING, TRIAL, FLARES, DIET]) == (FLARES, TRIAL, DIET, IN_PASSING)


def test_what_was_left_out_of_nothing_stays_as_it_is() -> None:
    assert order_guidelines(ASKED, [TRIAL]) == (TRIAL,)
    assert order_guidelines(ASKED, []) == ()
