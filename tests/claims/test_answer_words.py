"""A yes or a no answers the question, and is compared with nothing that does not know the question."""

from dataclasses import replace

from tests.pipeline.verify.test_repair import CITATION, FAULT, PASSAGE, RIGHT, WRONG, asked, drafted
from tests.pipeline.verify.test_verification import PASSAGE as TRIAL_PASSAGE
from tests.pipeline.verify.test_verification import QUESTION, SHORTER, Doubting, checked, saying, says
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL, context, source
from wellsourced.claims.extraction import answer_word, strip_answer_word
from wellsourced.compare.slots import list_slots_of_text
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.consistency import check_consistency
from wellsourced.pipeline.verify.local_checks import find_objection
from wellsourced.pipeline.verify.repair import JudgedStatement, repair_statements
from wellsourced.policy import WritePolicy
from wellsourced.prompts.verification import CheckConsistency, ConsistencyReply
from wellsourced.types import Pico, Question, Statement, Turn

YES = f"Yes: {SHORTER[0].lower()}{SHORTER[1:]}"


@each_row(
    ("text", "word", "rest"),
    [
        ("Yes: gout flares were shorter.", "yes", "Gout flares were shorter."),
        ("No – pH fell.", "no", "pH fell."),
        ("No, mRNA vaccines are safe.", "no", "mRNA vaccines are safe."),
        ("yes. It helps.", "yes", "It helps."),
        ("Maybe: one trial found less pain.", "maybe", "One trial found less pain."),
        ("Maybe it helps.", "", "Maybe it helps."),
        ("No drug helps.", "", "No drug helps."),
        ("Nobody knows.", "", "Nobody knows."),
        ("Yes.", "", "Yes."),
        ("", "", ""),
    ],
)
def test_a_yes_or_no_is_what_stands_before_a_sentence_and_not_a_word_of_it(text: str, word: str, rest: str) -> None:
    assert (answer_word(text), strip_answer_word(text)) == (word, rest)


def objection(text: str, source: str) -> str:
    found = find_objection(Statement(text=text, verdict=UNCHECKED), [source], [], "en")
    return found.kind if found else ""


@each_row(
    ("text", "source"),
    [
        ("No: colchicine is not recommended for prophylaxis.", "Colchicine is not recommended for prophylaxis."),
        ("No, inositol was not better than placebo.", "Inositol was not better than placebo."),
        ("Yes: colchicine is recommended for gout.", "Colchicine is recommended for gout."),
        ("Maybe: colchicine prevented gout flares.", "Colchicine prevented gout flares."),
    ],
)
def test_the_no_of_an_answer_is_no_negation_that_its_source_lacks(text: str, source: str) -> None:
    assert objection(text, source) == ""


def test_no_question_is_asked_about_the_word_that_answers() -> None:
    source = "Colchicine prevented gout flares in one small trial of adults."
    assert list_slots_of_text("Maybe: colchicine prevented gout flares in one small trial.", source) == ()


def test_what_stands_behind_it_is_compared_as_ever() -> None:
    assert objection("Yes: colchicine is recommended for gout.", "Colchicine is not recommended for gout.")
    assert objection("No: colchicine is not recommended for gout.", "Colchicine is recommended for gout.") == "negation"


async def test_a_yes_that_the_model_supports_knowing_the_question_stands() -> None:
    one = saying(YES, (TRIAL, COLCHICINE), lead=True)
    kept, _ = await checked(one, script={CheckConsistency: ConsistencyReply(items=(says(one, "supports"),))})
    assert [statement.text for statement in kept.statements] == [YES]


async def test_a_yes_that_no_model_judged_is_not_said_and_the_statement_is() -> None:
    one = saying(YES, (TRIAL, COLCHICINE), lead=True)
    kept, _ = await checked(one, script={CheckConsistency: ConsistencyReply()})
    assert [(statement.text, statement.lead) for statement in kept.statements] == [(SHORTER, True)]


@each_row(
    ("kind", "new", "wanted"),
    [
        ("number", "Yes: ", f"Yes: {RIGHT}"),
        ("number", "No: ", RIGHT),
        ("", "Yes: ", RIGHT),
    ],
)
async def test_written_anew_a_yes_stays_only_where_it_was_not_what_fell(kind: str, new: str, wanted: str) -> None:
    wrong = WRONG.model_copy(update={"text": f"Yes: {WRONG.text}"})
    fault = JudgedStatement(wrong, FAULT.verdict, CITATION, objection_kind=kind)
    reply = drafted(f"{new}{RIGHT}", fault=wrong)
    made = await repair_statements(QUESTION, [fault], {PASSAGE.id: PASSAGE}, asked(reply))
    assert made.replacements[wrong.text].text == wanted


# --- what the judge is shown ----------------------------------------------------------------------------------------

CASE = Question(
    text="Should he take colchicine?",
    options={"A": "yes", "B": "no"},
    patient="Mr Roe, 60, has gout.",
    pico=Pico(population="men of 60"),
    history=(Turn(role="user", text="He has a flare."),),
)


async def shown(style: str, *, sees_patient: bool) -> CheckConsistency:
    model = ScriptedModel({CheckConsistency: ConsistencyReply()})
    usual = replace(context(source("trials", TRIAL)), model=model, has_model=True, support_judge=Doubting())
    given = replace(usual, sees_patient=sees_patient, write=WritePolicy.model_validate({"style": style}))
    statement = saying(SHORTER, (TRIAL, COLCHICINE))
    await check_consistency(CASE, [statement], {TRIAL_PASSAGE.id: TRIAL_PASSAGE}, given)
    prompt = model.prompts[0]
    assert isinstance(prompt, CheckConsistency)
    return prompt


async def test_the_judge_of_consistency_is_shown_the_question_and_nothing_personal_in_it() -> None:
    prompt = await shown("answer", sees_patient=True)
    assert (prompt.question.text, prompt.question.options) == (CASE.text, CASE.options)
    assert (prompt.question.patient, prompt.question.history, prompt.patient) == ("", (), "")
    assert [claim.text for claim in prompt.claims] == [SHORTER]


@each_row(("allowed", "wanted"), [(True, CASE.patient), (False, "")])
async def test_it_is_shown_the_patient_where_the_writer_was_and_the_user_allows_it(allowed: bool, wanted: str) -> None:
    assert (await shown("recommendation", sees_patient=allowed)).patient == wanted


def test_the_patients_text_is_marked_as_private() -> None:
    assert CheckConsistency.private == {"patient"}
