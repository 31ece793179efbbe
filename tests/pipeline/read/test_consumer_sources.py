"""A patient is answered from what is written for patients, or is told what there is instead and whom to ask."""

from dataclasses import replace
from typing import Literal

from tests.presentation.written import terminal_text
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import context, document, source
from wellsourced.context import Context
from wellsourced.errors import ModelUnavailable
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.read.consumer_sources import is_consumer_source, order_tiers
from wellsourced.pipeline.write.prompt_choice import build_merge_prompt
from wellsourced.policy import CheckPolicy, ReadPolicy, WritePolicy
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.prompts.writing import Draft, DraftQuote, DraftStatement, ExplainPlainly, PlainDraft, WriteAnswer
from wellsourced.types import Question, Reference

FOUND_BY_TRIAL = "Colchicine shortened the gout flare by two days compared with placebo."
FOR_PATIENTS = "Colchicine works best when you take it on the first day of a gout attack."
ORDERED = "For gout flares, give colchicine 1.2 mg followed by 0.6 mg one hour later."
DIET = "People with gout should limit alcohol and sweet drinks and lose weight through diet and exercise."
TRIAL = document("pubmed:1", FOUND_BY_TRIAL, title="A trial of colchicine")
LEAFLET = document("medlineplus:gout", FOR_PATIENTS, kind="consumer", title="Gout")
GUIDELINE = document("doi:10.1000/gout", ORDERED, kind="guideline", title="Guideline on gout")
LIFESTYLE = document("doi:10.1000/diet", DIET, kind="guideline", title="Guideline on diet")

PATIENTS = Question(text="I have gout, when should I take my colchicine?")
CLINICIANS = Question(text="When is colchicine given in gout flares?")
RELEVANT = (FOUND_BY_TRIAL, FOR_PATIENTS, ORDERED, DIET)


def everything() -> Context:
    return context(
        source("trials", TRIAL),
        source("guidelines", GUIDELINE, kind="guideline"),
        source("leaflets", LEAFLET, kind="consumer"),
        relevant=RELEVANT,
    )


async def test_a_patient_is_shown_the_leaflet() -> None:
    answer = await answer_question(PATIENTS, everything())
    assert FOR_PATIENTS in {item.passage.text for item in answer.evidence}


async def test_a_clinician_is_answered_from_all_sources() -> None:
    answer = await answer_question(CLINICIANS, everything())
    assert {ORDERED, FOUND_BY_TRIAL} & {statement.text for statement in answer.statements}
    assert answer.notes == ()
    assert answer.readership == ""


async def test_a_patient_who_is_shown_what_clinicians_read_is_told_so_and_whom_to_ask() -> None:
    sources = (source("trials", TRIAL), source("guidelines", GUIDELINE, kind="guideline"))
    answer = await answer_question(PATIENTS, context(*sources, relevant=RELEVANT))
    assert answer.sections
    assert answer.readership.startswith("This was written for clinicians or researchers")
    assert "Ask a doctor or a pharmacist" in answer.readership


async def test_who_is_to_call_an_ambulance_is_not_sent_to_a_pharmacist() -> None:
    asked = Question(text="I have gout and crushing chest pain since an hour. When should I take my colchicine?")
    answer = await answer_question(asked, context(source("guidelines", GUIDELINE, kind="guideline")))
    assert answer.emergency is not None
    assert "pharmacist" not in f"{answer.readership} {answer.reason}"


async def test_documents_that_were_named_answer_whoever_asks() -> None:
    asked = PATIENTS.model_copy(update={"given": ("pubmed:1",)})
    answer = await answer_question(asked, everything())
    assert [statement.text for statement in answer.statements] == [FOUND_BY_TRIAL]


@each_row(
    ("url", "fit"),
    [
        ("https://medlineplus.gov/gout.html", True),
        ("https://www.niddk.nih.gov/health-information/gout", True),
        ("https://medlineplus.gov.example.com/gout", False),
        ("https://pubmed.ncbi.nlm.nih.gov/1/", False),
        ("", False),
    ],
)
def test_a_web_page_is_for_patients_by_its_host(url: str, fit: bool) -> None:
    assert is_consumer_source(Reference(id="web:1", kind="web", url=url)) is fit


def test_for_a_patient_consumer_sources_are_searched_first_and_the_users_own_order_stays() -> None:
    tiers = (("guideline",), ("*",))
    assert order_tiers(PATIENTS, tiers) == (("consumer",), *tiers)
    assert order_tiers(CLINICIANS, tiers) == tiers
    assert order_tiers(PATIENTS, (("*",), ("consumer",))) == (("*",), ("consumer",))


def plain_draft(prompt: ExplainPlainly | WriteAnswer) -> PlainDraft:
    quoted = DraftQuote(passage_id=prompt.evidence[0].passage.id, quote=FOUND_BY_TRIAL)
    return PlainDraft(statements=(DraftStatement(text=FOUND_BY_TRIAL, quotes=(quoted,), lead=True),))


def clinical_draft(prompt: WriteAnswer) -> Draft:
    return Draft.model_validate(plain_draft(prompt).model_dump(exclude={"glosses"}))


def explaining(model: ScriptedModel, reader: Literal["asker", "clinician", "patient"] = "asker") -> Context:
    known = {"write": WritePolicy(reader=reader), "read": ReadPolicy(relevance="score")}
    given = context(source("trials", TRIAL), relevant=RELEVANT)
    return replace(given, model=model, has_model=True, check=CheckPolicy(consistency=False, repair=False), **known)


async def test_a_model_that_explains_in_everyday_words_answers_a_patient_from_what_clinicians_read() -> None:
    answer = await answer_question(PATIENTS, explaining(ScriptedModel({ExplainPlainly: plain_draft})))
    assert [statement.text for statement in answer.statements] == [FOUND_BY_TRIAL]
    assert answer.readership.startswith("This explains what was written for clinicians or researchers")
    assert answer.readership in " ".join(terminal_text(answer, TerminalPage()).split())


async def test_a_patient_is_told_why_there_is_no_answer_and_whom_to_ask() -> None:
    answer = await answer_question(PATIENTS, explaining(ScriptedModel({ExplainPlainly: PlainDraft()})))
    assert answer.abstained
    assert "“A trial of colchicine”" in answer.reason
    assert "Ask a doctor" in answer.reason


OPTIONS = {"options": {"A": "Today", "B": "Never"}}


@each_row(
    ("question", "reader", "plainly"),
    [
        (PATIENTS, "asker", True),
        (CLINICIANS, "asker", False),
        (Question(text="My mother takes colchicine for gout. Can she take ibuprofen?"), "asker", True),
        (PATIENTS, "clinician", False),
        (CLINICIANS, "patient", True),
        (PATIENTS.model_copy(update=OPTIONS), "asker", False),
    ],
)
async def test_who_reads_is_told_by_the_question_or_by_the_setting(
    question: Question, reader: Literal["asker", "clinician", "patient"], plainly: bool
) -> None:
    model = ScriptedModel({ExplainPlainly: plain_draft, WriteAnswer: clinical_draft})
    answer = await answer_question(question, explaining(model, reader))
    assert [statement.text for statement in answer.statements] == [FOUND_BY_TRIAL]
    assert isinstance(model.prompts[-1], ExplainPlainly) is plainly
    assert bool(answer.readership) is (plainly and question is not CLINICIANS)


async def test_notes_of_long_passages_are_merged_for_a_patient_too() -> None:
    asked = explaining(ScriptedModel({}))
    for question in (PATIENTS, CLINICIANS):
        assert build_merge_prompt(question, asked)(()).for_patient is (question is PATIENTS)


async def test_where_that_model_fails_sections_are_shown_and_it_is_said_for_whom_they_were_written() -> None:
    failing = explaining(ScriptedModel({ExplainPlainly: lambda prompt: ModelUnavailable("no connection")}))
    answer = await answer_question(PATIENTS, failing)
    assert answer.sections
    assert answer.notes[0].startswith("scripted could not write, so the sections that are closest are shown:")
    assert "written for clinicians" in answer.readership
