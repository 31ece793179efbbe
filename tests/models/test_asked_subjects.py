"""What a question asks about and a text does not speak of, and the answers that are held back for it."""

from tests.tables import each_row
from tests.world import Knowing, document, passages
from wellsourced.models.asked_subjects import find_lacking_kinds, find_strange_words, find_unspoken
from wellsourced.models.extractive import ExtractiveModel
from wellsourced.prompts.writing import Draft, NearDraft, WriteAnswer
from wellsourced.types import Evidence, Question


@each_row(
    ("question", "text", "unspoken"),
    [
        (
            "Do SGLT2 inhibitors help in HFpEF?",
            "SGLT2 inhibitors in HFrEF, heart failure, ejection fraction",
            ("HFpEF",),
        ),
        ("Do SGLT2 inhibitors help in HFpEF?", "SGLT2 inhibitors, heart failure with preserved ejection fraction", ()),
        ("Is long COVID linked to autonomic dysfunction?", "Long COVID brings fatigue.", ("autonomic dysfunction",)),
        ("Does saline change mortality?", "Nausea after 0.9 % saline", ("mortality",)),
        ("Does saline change mortality?", "Deaths on 0.9 % saline", ()),
        ("What are the risk factors for neurotoxicity?", "Neurotoxicity was seen in two.", ("risk",)),
        ("Does misoprostol stop postpartum haemorrhage?", "Misoprostol against postpartum hemorrhage", ()),
        ("Does rasburicase prevent tumor lysis syndrome?", "Rasburicase against TLS", ()),
        ("Does tau PET show decline?", "the p-tau expected there, a decline", ("PET",)),
        ("Does tau PET show decline?", "tau positron emission tomography, a decline", ()),
        ("Can hyperkalemia follow?", "hypokalemia followed", ("hyperkalemia",)),
        ("Which microRNA is the mediator of obesity?", "MIR137 mediates obesity.", ()),
        ("Does istiratumab help in pancreatic cancer?", "Istiratumab binds IGF1R.", ()),
        ("Does istiratumab help in pancreatic cancer?", "Istiratumab was tried in asthma.", ("cancer",)),
        ("What does istiratumab do to PCAT6?", "Istiratumab binds IGF1R.", ("PCAT6",)),
        ("Does aspirin help in pancreatic cancer?", "Aspirin binds COX-1.", ("pancreatic cancer",)),
        ("What is the role of perforin?", "Perforin makes pores.", ()),
        ("Is erythropoietin effective for ALS?", "Minocycline harmed patients with ALS.", ("erythropoietin",)),
        ("Does vitamin D supplementation prevent rickets?", "Rickets and vitamin D drops", ()),
        ("Is melatonin effective for Parkinson's disease?", "Melatonin is safe in osteopenia.", ("Parkinson's",)),
        ("Is melatonin effective for Parkinson's disease?", "Melatonin helped sleep in PD.", ()),
        ("Is HRQOL lower after stroke?", "After stroke health-related quality of life was low.", ()),
        ("Is HRQoL lower after stroke?", "After stroke health-related quality of life was low.", ()),
        ("Does stroke change health-related quality of life?", "HRQoL after stroke", ()),
        ("Are papillomaviruses (HPVs) found in milk?", "No HPV was found in milk.", ()),
        ("Are mesenchymal stem cells (MSC) in milk?", "Milk has mesenchymal stem cells.", ()),
        ("Does vesatolimod act on TLR7?", "Vesatolimod, toll-like receptor 7", ()),
        ("Does omaveloxolone act on NFkB?", "Omaveloxolone and NF-κB", ()),
        ("Do statins prevent dementia?", "Statins did not prevent Alzheimer's disease.", ()),
        ("Do statins prevent Alzheimer's disease?", "Statins and cognitive impairment", ("Alzheimer's",)),
    ],
)
def test_what_is_asked_about_has_to_stand_there_in_some_form(
    question: str, text: str, unspoken: tuple[str, ...]
) -> None:
    assert find_unspoken(Question(text=question), text) == unspoken


def test_of_texts_in_everyday_words_only_names_are_asked_for() -> None:
    question = Question(text="Does ibuprofen change mortality?")
    assert find_unspoken(question, "Pills for pain", only_names=True) == ("ibuprofen",)


@each_row(
    ("question", "text", "lacking"),
    [
        ("What is the sensitivity of troponin?", "High-sensitivity troponin was measured.", ("accuracy",)),
        ("What is the sensitivity of troponin?", "Its sensitivity was 98 %.", ()),
        ("First-line drug for bleeding?", "Misoprostol prevented bleeding.", ("first line",)),
        ("First-line drug for bleeding?", "Oxytocin is the drug of choice.", ()),
        ("Which drug stops bleeding?", "Misoprostol prevented bleeding.", ()),
    ],
)
def test_an_accuracy_and_what_comes_first_are_not_answered_without_one(
    question: str, text: str, lacking: tuple[str, ...]
) -> None:
    assert find_lacking_kinds(question, text) == lacking


async def answered(question: Question, *texts: str, relevance: float = 0.9) -> Draft:
    """The draft from studies."""
    found = [one for place, text in enumerate(texts) for one in passages(document(f"s{place}", text))]
    evidence = tuple(Evidence(passage=one, relevance=relevance - 0.01 * place) for place, one in enumerate(found))
    prompt = WriteAnswer(question=question, evidence=evidence, statements=8, leads=2)
    return await ExtractiveModel(Knowing(["saline"])).complete(prompt)


NAUSEA = "Nausea was more common with saline than with colloids after major surgery."
DEATHS = "Mortality was the same with saline and with balanced crystalloids in both groups."


async def test_a_study_of_another_outcome_is_nearest_and_no_answer() -> None:
    draft = await answered(Question(text="Does saline change mortality?"), NAUSEA)
    assert isinstance(draft, NearDraft)
    assert draft.missing == ("mortality",)


async def test_a_study_that_speaks_of_it_answers_in_place_of_one_that_is_more_like_the_question() -> None:
    draft = await answered(Question(text="Does saline change mortality?"), NAUSEA, DEATHS)
    assert not isinstance(draft, NearDraft)
    assert [one.text for one in draft.statements if one.lead] == [DEATHS]


async def test_another_passage_of_the_same_document_may_speak_of_it() -> None:
    text = f"{'Saline was given to all. ' * 60}\n\n{DEATHS}"
    draft = await answered(Question(text="Does saline change mortality?"), text)
    assert not isinstance(draft, NearDraft)


async def test_documents_that_were_named_are_held_to_nothing() -> None:
    named = Question(text="Does saline change mortality?", options={"A": "yes", "B": "no"})
    assert not isinstance(await answered(named, NAUSEA), NearDraft)


async def test_what_shares_neither_disease_nor_drug_is_not_shown_as_nearest() -> None:
    draft = await answered(Question(text="Does saline change mortality in eclampsia?"), NAUSEA)
    assert isinstance(draft, NearDraft)
    assert draft.statements == ()


@each_row(
    ("question", "strange"),
    [
        ("Heliox in a bad asthma attack: what mix?", ("Heliox",)),
        ("Presepsin - which level points to sepsis?", ("Presepsin",)),
        ("He had Heliox. Which dose of salbutamol in asthma?", ()),
        ("What colchecine dose in gout?", ()),
        ("Keflex dose in cellulitis?", ()),
        ("Is RBBB enough for CRT?", ()),
        ("Legionnaires - how long?", ()),
    ],
)
def test_a_name_that_no_list_has_and_nothing_that_was_read(question: str, strange: tuple[str, ...]) -> None:
    assert find_strange_words(Question(text=question), ()) == strange
