"""The short answer of a draft whose leading statement does not stand its check."""

from tests.tables import each_row
from wellsourced.pipeline.write.not_found import (
    LOST_LEAD_NOTE,
    LOST_PART_NOTE,
    ensure_lead,
    note_lost_leads,
)
from wellsourced.types import Citation, Evidence, Passage, Question, Reference, Statement, Verdict

QUESTION = Question(text="What dose of colchicine treats a gout flare?")
GUIDE = Reference(id="doi:10.1000/gout", title="Guideline for gout", kind="guideline")
DIET = Passage(reference=GUIDE, text="Limit red meat.", start=0, end=15, section="Diet")
FLARE = Passage(reference=GUIDE, text="Give 1.2 mg, then 0.6 mg. Rest.", start=20, end=51, section="Flares")
OTHER = Passage(reference=GUIDE, text="Ice may be added to colchicine.", start=60, end=91, section="Comfort")
HEART = Passage(
    reference=Reference(id="doi:10.1000/af", title="Guideline for atrial fibrillation", kind="guideline"),
    text="Rest the heart.",
    start=0,
    end=15,
    section="Rest",
)
EVIDENCE = [
    Evidence(passage=DIET, relevance=0.5),
    Evidence(passage=FLARE, relevance=0.7),
    Evidence(passage=OTHER, relevance=0.9),
]


def statement(text: str, passage: Passage, *, topic: str = "", lead: bool = False) -> Statement:
    citation = Citation(passage_id=passage.id, quote=passage.text, start=passage.start, end=passage.end)
    return Statement(
        text=text, citations=(citation,), verdict=Verdict(label="supports", score=1.0), topic=topic, lead=lead
    )


MEAT, REST = statement("Limit red meat.", DIET), statement("Rest the joint.", FLARE)
DOSE, ICE = statement("The dose is 1.2 mg.", FLARE), statement("Ice may be added.", OTHER)
FALLEN = statement("Give 12 mg.", FLARE, lead=True)


def find_leads(statements: list[Statement], drafted: list[Statement]) -> list[str]:
    return [one.text for one in ensure_lead(QUESTION, statements, drafted, EVIDENCE) if one.lead]


def test_a_lead_that_stands_is_left_alone() -> None:
    led = DOSE.model_copy(update={"lead": True})
    assert ensure_lead(QUESTION, [MEAT, led], [MEAT, led], EVIDENCE) == (MEAT, led)


def test_what_stands_of_the_section_that_led_leads_before_what_comes_next_or_is_more_relevant() -> None:
    assert find_leads([MEAT, ICE, DOSE], [FALLEN, MEAT, ICE, DOSE]) == ["The dose is 1.2 mg."]


def test_within_a_section_the_words_of_the_question_decide_and_then_the_order() -> None:
    assert find_leads([REST, DOSE], [FALLEN, REST, DOSE]) == ["The dose is 1.2 mg."]
    assert find_leads([REST, REST.model_copy(update={"text": "Rest more."})], [FALLEN]) == ["Rest the joint."]


def test_a_topic_that_led_counts_like_a_section() -> None:
    fallen = statement("Give 12 mg.", OTHER, topic="Dose", lead=True)
    of_topic = statement("Limit red meat.", DIET, topic="Dose")
    assert find_leads([DOSE, of_topic], [fallen, DOSE, of_topic]) == ["Limit red meat."]


def test_where_nothing_of_that_section_stands_the_most_relevant_passage_leads() -> None:
    assert find_leads([MEAT, ICE], [FALLEN, MEAT, ICE]) == ["Ice may be added."]


def test_a_relevant_passage_on_something_else_does_not_lead_before_one_on_what_is_asked() -> None:
    strangers = statement("Rest the heart.", HEART)
    evidence = [*EVIDENCE, Evidence(passage=HEART, relevance=0.95)]
    given = ensure_lead(QUESTION, [strangers, ICE], [FALLEN], evidence)
    assert [one.text for one in given if one.lead] == ["Ice may be added."]


@each_row("drafted", [[], [FALLEN]])
def test_nothing_that_stands_leads_nowhere(drafted: list[Statement]) -> None:
    assert ensure_lead(QUESTION, [], drafted, EVIDENCE) == ()


def test_a_statement_without_a_source_can_lead() -> None:
    said = Statement(text="Colchicine helps.", verdict=Verdict(label="unjudged", score=0.0))
    assert find_leads([said], []) == ["Colchicine helps."]


@each_row(
    ("drafted", "kept", "notes"),
    [
        ([FALLEN, ICE], [ICE], (LOST_LEAD_NOTE,)),
        ([FALLEN, DOSE.model_copy(update={"lead": True})], [DOSE.model_copy(update={"lead": True})], (LOST_PART_NOTE,)),
        ([DOSE.model_copy(update={"lead": True}), ICE], [DOSE.model_copy(update={"lead": True})], ()),
        ([FALLEN], [], ()),
    ],
)
def test_it_is_told_where_the_short_answer_is_not_whole(
    drafted: list[Statement], kept: list[Statement], notes: tuple[str, ...]
) -> None:
    assert note_lost_leads(drafted, kept) == notes
