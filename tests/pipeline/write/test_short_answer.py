"""The short answer: of a draft that had none, and of one whose leading statement does not stand its check."""

from tests.pipeline.write.test_drafting import ready, said
from tests.presentation.written import terminal_text
from tests.tables import each_row
from tests.world import COLCHICINE
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.write.not_found import ensure_lead
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.prompts.writing import Draft, DraftStatement, WriteAnswer
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


def find_leads(statements: list[Statement]) -> list[str]:
    return [one.text for one in ensure_lead(QUESTION, statements, EVIDENCE) if one.lead]


def test_the_words_of_the_question_and_the_relevance_of_the_passage_decide_and_then_the_order() -> None:
    assert find_leads([MEAT, ICE]) == ["Ice may be added."]
    assert find_leads([REST, DOSE]) == ["The dose is 1.2 mg."]
    assert find_leads([REST, REST.model_copy(update={"text": "Rest more."})]) == ["Rest the joint."]


def test_a_relevant_passage_on_something_else_does_not_lead_before_one_on_what_is_asked() -> None:
    strangers = statement("Rest the heart.", HEART)
    evidence = [*EVIDENCE, Evidence(passage=HEART, relevance=0.95)]
    assert [one.text for one in ensure_lead(QUESTION, [strangers, ICE], evidence) if one.lead] == ["Ice may be added."]


def test_nothing_that_stands_leads_nowhere() -> None:
    assert ensure_lead(QUESTION, [], EVIDENCE) == ()


def test_a_statement_without_a_source_can_lead() -> None:
    assert find_leads([Statement(text="Colchicine helps.", verdict=Verdict(label="unjudged", score=0.0))]) == [
        "Colchicine helps."
    ]


WRONG = said("Flares were nine days shorter.", lead=True)
MISQUOTED = said("Flares stopped at once.", "It stopped every flare at once.", lead=True)
SIDE, LEADING = said(COLCHICINE), said(COLCHICINE, lead=True)
OUT = "The statement that answered the question was taken out: "


@each_row(
    ("drafted", "first"),
    [
        ([WRONG, SIDE], f"{OUT}its source does not say it: "),
        ([MISQUOTED, SIDE], f"{OUT}a quote appears in no passage that was read. What follows passed the check, but"),
        ([WRONG, LEADING], "A part of the short answer was taken out: its source does not say it: "),
        ([SIDE], COLCHICINE),
    ],
)
async def test_an_answer_says_first_that_its_main_statement_was_taken_out_and_why(
    drafted: list[DraftStatement], first: str
) -> None:
    settings = {"check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score")}
    script = {WriteAnswer: Draft(statements=tuple(drafted))}
    answer = await answer_question(QUESTION, ready(script, "nine days", **settings))
    assert [one.text for one in answer.statements] == [COLCHICINE]
    shown = " ".join(terminal_text(answer, TerminalPage()).split())
    assert first in shown
    assert shown.index(first) <= shown.index(COLCHICINE)
    assert [one.text for one in answer.lost_leads] == [one.text for one in drafted if one.lead and one is not LEADING]
    assert bool(answer.tldr) is not first.startswith(OUT)
