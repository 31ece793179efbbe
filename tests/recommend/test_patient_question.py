"""What is searched for when one patient is asked about: told apart from the question, and named by problems alone."""

from dataclasses import replace

from tests.tables import each_row
from tests.world import context, document, source
from wellsourced.recommend.patient_question import (
    add_problems,
    find_problems,
    has_own_words,
    may_search_record,
    says_its_subject,
    split_patient,
)
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.recommendation import recommend
from wellsourced.types import Pico, Question, Turn


def searched(text: str, patient: str = "") -> str:
    question = split_patient(Question(text=text, patient=patient))
    record = read_patient_record(question.patient, question.text)
    return add_problems(question, find_problems(question.patient, record)).question.text


@each_row(
    ("typed", "asked", "patient"),
    [
        ("58-year-old woman with gout: what should I add?", "What should I add?", "58-year-old woman with gout"),
        ("A 70M has AF, eGFR 28. Which anticoagulant?", "Which anticoagulant?", "A 70M has AF, eGFR 28"),
        ("70M with BP: 90/50, cirrhosis: what now?", "What now?", "70M with BP: 90/50, cirrhosis"),
    ],
)
def test_the_patient_that_a_question_tells_of_is_told_apart(typed: str, asked: str, patient: str) -> None:
    split = split_patient(Question(text=typed))
    assert (split.text, split.patient, split.asked) == (asked, patient, typed)


@each_row("typed", ["Gout: which drug is first?", "DKA in adults: what insulin rate?"])
def test_a_topic_before_a_colon_is_no_patient(typed: str) -> None:
    assert split_patient(Question(text=typed)) == Question(text=typed)


@each_row(
    "given",
    [
        Question(text="60M with gout: what now?", patient="60M with gout and asthma."),
        Question(text="60M with gout: what now?", history=(Turn(role="user", text="Is it gout?"),)),
        Question(text="60M with gout: what now?", pico=Pico(population="men with gout")),
    ],
)
def test_a_question_with_a_patient_or_a_past_of_its_own_stays_as_it_is(given: Question) -> None:
    assert split_patient(given) == given


@each_row("text", ["What now?", "Next step?", "What should I add?", "Which drug should be given first?"])
def test_a_question_without_words_of_its_own_leans_on_the_record(text: str) -> None:
    assert not has_own_words(text)
    assert "gout" in searched(text, "60M with gout.")


def test_what_the_question_says_itself_stays_in_it() -> None:
    assert (
        searched("Which anticoagulant?", "72M with AF, hypertension.") == "Which anticoagulant in atrial fibrillation?"
    )
    text = "How is asthma treated?"
    assert searched(text, "72M with gout and asthma.") == text


def test_an_acute_problem_is_searched_for_before_the_chronic_ones() -> None:
    assert searched("What now?", "70M, gout, T2DM, cirrhosis. Haematemesis today.").endswith(
        "acute variceal hemorrhage in cirrhosis?"
    )


def test_a_question_that_names_an_act_keeps_it() -> None:
    record = "60M with type 2 diabetes on metformin."
    assert searched("What should I add?", record) == "What should I add in type 2 diabetes?"
    assert searched("Next step?", record) == "What treatment is recommended in type 2 diabetes?"


def test_no_word_of_the_record_is_searched_for() -> None:
    text = searched("What now?", "Mr Okafor, 60M, a baker with frightful podagra, gout, seen on ward 7.")
    assert not {"okafor", "baker", "podagra", "ward", "60m"} & set(text.lower().rstrip("?").split())


def test_the_record_is_not_searched_with_where_anything_leaves_this_machine() -> None:
    here = context(source("guidelines", document("doi:10.1/a", "Gout.")))
    assert may_search_record(Question(text="What now?"), here)
    assert not may_search_record(Question(text="What now?"), replace(here, outbound=True))
    assert not may_search_record(Question(text="What now?"), replace(here, has_model=True))


def test_a_question_in_another_language_or_after_others_is_not_called_empty() -> None:
    assert says_its_subject(Question(text="And now?", history=(Turn(role="user", text="Is it gout?"),)))
    assert says_its_subject(Question(text="¿Qué medicamento debería añadir ahora a su tratamiento?"))
    assert not says_its_subject(Question(text="What now?"))


SAID = "Colchicine is recommended for gout flares (Class I, LOE A)."
GUIDELINE = document("doi:10.1000/gout", SAID, title="Gout 2021", kind="guideline")


async def test_the_names_of_problems_reach_a_library_and_the_typed_question_is_kept() -> None:
    held = source("guidelines", GUIDELINE, kind="guideline")
    given = await recommend(Question(text="60M with gout: what now?"), context(held, relevant=(SAID,)))
    assert ("What treatment is recommended in gout?",) in [query.terms for query in held.queries]
    assert given.question.asked == "60M with gout: what now?"
    assert any("read in the record: gout" in note for note in given.notes)


async def test_with_a_source_on_the_network_no_problem_is_named_and_an_empty_question_is_refused() -> None:
    held = source("guidelines", GUIDELINE, kind="guideline")
    open_ = replace(context(held, relevant=(SAID,)), outbound=True)
    given = await recommend(Question(text="What now?", patient="60M with gout."), open_)
    assert given.abstained
    assert "a network source is searched" in given.reason
    assert not any("recommended in gout" in term for query in held.queries for term in query.terms)


async def test_an_empty_question_on_a_record_of_nothing_known_is_refused_plainly() -> None:
    held = source("guidelines", GUIDELINE, kind="guideline")
    given = await recommend(Question(text="Next step?", patient="60M with psoriasis."), context(held, relevant=(SAID,)))
    assert given.abstained
    assert given.statements == given.found_instead == ()
    assert given.reason.startswith("“Next step?” does not say what it is about")
