"""Sections for the parts of a question: which are searched for, in how many words they are shown, what is not found."""

from tests.world import context, document, source
from wellsourced.answering.selection import MAX_WORDS
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.section_answer import WORDS_OF_PART
from wellsourced.types import Answer, AnswerSection, Question

DOSE = "Dose of colchicine in a gout flare\n\nColchicine for a gout flare is given at a dose of 1.2 mg."
WATCHED = ("Creatinine", "Platelets", "Muscle pain", "Diarrhoea", "Liver enzymes")
MONITORING = "Monitoring of warfarin\n\n" + "\n".join(
    f"- {name} of people who take warfarin is monitored every month by whoever prescribes it, and more often"
    " in those of more than 70 years, who may not tell of what they feel."
    for name in WATCHED
)
ASKED = "What is the dose of colchicine for a gout flare? How is warfarin monitored?"


async def ask(question: str, *texts: str) -> Answer:
    works = [document(f"doi:10.1000/{place}", text, kind="guideline") for place, text in enumerate(texts)]
    return await answer_question(Question(text=question), context(source("guidelines", *works, kind="guideline")))


def read_shown(answer: Answer, section: AnswerSection) -> str:
    passage = next(item.passage for item in answer.evidence if item.passage.id == section.passage_id)
    return "\n".join(passage.text[one.start - passage.start : one.end - passage.start] for one in section.shown)


async def test_a_part_has_the_words_that_the_whole_question_leaves() -> None:
    answer = await ask(ASKED, DOSE, MONITORING)
    assert answer.head == "in your sources"
    shown = [read_shown(answer, one) for one in answer.sections]
    monitored = next(text for text in shown if "monitored" in text)
    assert all(name in monitored for name in WATCHED)
    assert len(monitored.split()) > WORDS_OF_PART
    assert sum(len(text.split()) for text in shown) <= MAX_WORDS


async def test_a_part_that_nothing_is_found_on_is_named_and_so_is_what_the_sections_do_not_name() -> None:
    answer = await ask(f"He takes lithium. {ASKED}", DOSE)
    assert answer.head == "in your sources"
    assert any("warfarin" in part for part in answer.not_found)
    assert answer.absent == ("lithium", "warfarin")
