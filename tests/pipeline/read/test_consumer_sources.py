"""A patient is answered from what is written for patients, or is told what there is instead and whom to ask."""

from dataclasses import replace

from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import context, document, source
from wellsourced.context import Context
from wellsourced.errors import ModelUnavailable
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.read.consumer_sources import answers_patients, is_consumer_source, order_tiers
from wellsourced.policy import CheckPolicy, ReadPolicy, WritePolicy
from wellsourced.prompts.writing import DraftQuote, DraftStatement, ExplainPlainly, PlainDraft
from wellsourced.text.passages import cut_passages
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


@each_row(("held", "fit"), [(GUIDELINE, False), (LIFESTYLE, True), (TRIAL, False), (LEAFLET, True)])
def test_of_guidelines_only_what_names_no_drug_and_speaks_of_living_answers_patients(held, fit) -> None:  # type: ignore[no-untyped-def]
    (passage,) = cut_passages(held)
    assert answers_patients(passage) is fit


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


async def test_a_language_model_is_not_asked_about_what_may_not_answer_a_patient() -> None:
    model = ScriptedModel({})
    sources = (source("trials", TRIAL),)
    answer = await answer_question(PATIENTS, replace(context(*sources, relevant=RELEVANT), model=model, has_model=True))
    assert answer.abstained
    assert "“A trial of colchicine”" in answer.reason
    assert all(FOUND_BY_TRIAL not in prompt.model_dump_json() for prompt in model.prompts)


def plain_draft(prompt: ExplainPlainly) -> PlainDraft:
    quoted = DraftQuote(passage_id=prompt.evidence[0].passage.id, quote=FOUND_BY_TRIAL)
    return PlainDraft(statements=(DraftStatement(text=FOUND_BY_TRIAL, quotes=(quoted,), lead=True),))


def explaining(model: ScriptedModel) -> Context:
    known = {"write": WritePolicy(style="plain"), "read": ReadPolicy(relevance="score")}
    given = context(source("trials", TRIAL), relevant=RELEVANT)
    return replace(given, model=model, has_model=True, check=CheckPolicy(consistency=False, repair=False), **known)


async def test_a_model_that_explains_in_everyday_words_answers_a_patient_from_what_clinicians_read() -> None:
    answer = await answer_question(PATIENTS, explaining(ScriptedModel({ExplainPlainly: plain_draft})))
    assert [statement.text for statement in answer.statements] == [FOUND_BY_TRIAL]
    assert any("explains text written for clinicians" in note for note in answer.notes)


async def test_where_that_model_fails_sections_are_shown_and_it_is_said_for_whom_they_were_written() -> None:
    failing = explaining(ScriptedModel({ExplainPlainly: lambda prompt: ModelUnavailable("no connection")}))
    answer = await answer_question(PATIENTS, failing)
    assert answer.sections
    assert answer.notes[0].startswith("scripted could not write, so the sections that are closest are shown:")
    assert "written for clinicians" in answer.readership
