"""Questions are made from pages only with words that answer them; variants keep every fact; changes are counted."""

from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import document
from wellsourced.errors import ModelUnavailable
from wellsourced.prompts.probing import GeneratedQuestionReply, GenerateQuestion, QuestionVariantReply, VaryQuestion
from wellsourced_evaluate.probing import (
    MANNERS,
    GeneratedQuestion,
    RejectedPage,
    Variant,
    changed_facts,
    generate_question,
    make_variants,
    question_facts,
    share_works,
    shorten_question,
)

ANSWERS = "Colchicine 0.6 mg twice daily shortened the flare by two days."
PAGE = document("url:https://example.org/gout", f"Gout is common. {ANSWERS} " + "It was well tolerated by most. " * 8)
ASKED = "How much does colchicine shorten a flare of gout?"
QUESTION = "Is metformin 500 mg not safe for adults with CKD who also take lisinopril?"


def making(question: str = ASKED, answer: str = "By two days.", excerpt: str = ANSWERS) -> ScriptedModel:
    return ScriptedModel(
        {GenerateQuestion: lambda _: GeneratedQuestionReply(question=question, answer=answer, excerpt=excerpt)}
    )


async def test_a_question_comes_with_the_words_of_the_page_that_answer_it() -> None:
    made = await generate_question(PAGE, making(excerpt=ANSWERS.replace(" ", "  ")))
    assert isinstance(made, GeneratedQuestion)
    assert (made.question, made.excerpt) == (ASKED, ANSWERS)
    assert PAGE.text[made.start : made.end] == ANSWERS


@each_row(
    ("model", "reason"),
    [
        (making(question="What does this study say of colchicine?"), "“this study”"),
        (making(excerpt="Colchicine cures gout."), "are not in the page"),
        (making(answer="By nine days."), "of the answer is not that of the page"),
        (making(question=" "), "gave no question"),
    ],
)
async def test_a_question_that_does_not_stand_is_rejected_with_the_reason(model: ScriptedModel, reason: str) -> None:
    made = await generate_question(PAGE, model)
    assert isinstance(made, RejectedPage)
    assert reason in made.reason


async def test_a_short_page_and_a_model_that_fails_cost_only_their_own_page() -> None:
    def down(_: GenerateQuestion) -> GeneratedQuestionReply:
        raise ModelUnavailable("no connection")

    short = document("url:https://example.org/short", "Gout hurts.")
    made = [await generate_question(one, making()) for one in (PAGE, short)]
    assert isinstance(made[0], GeneratedQuestion)
    assert isinstance(made[1], RejectedPage)
    assert made[1].reason == "the page has fewer than 200 characters"
    failed = await generate_question(PAGE, ScriptedModel({GenerateQuestion: down}))
    assert isinstance(failed, RejectedPage)
    assert failed.reason == "no connection"


def test_facts_are_numbers_drugs_short_forms_and_denials() -> None:
    assert question_facts(QUESTION) == {"500", "metformin", "ckd", "lisinopril", "not"}


@each_row(
    ("variant", "gone"),
    [
        (QUESTION.replace("500", "850"), {"500", "850"}),
        (QUESTION.replace("not ", ""), {"not"}),
        (QUESTION.replace("metformin", "glipizide"), {"metformin"}),
        ("Metformin 500 mg: not safe with lisinopril in adults who have CKD?", set()),
    ],
)
def test_a_variant_that_changes_a_fact_is_noticed(variant: str, gone: set[str]) -> None:
    assert changed_facts(QUESTION, variant, "paraphrase") == gone


async def test_without_a_model_sentences_are_put_before_it_and_words_left_out_and_the_rest_is_told() -> None:
    both = await make_variants(QUESTION)
    made = [one for one in both if one.question]
    assert [one.manner for one in made] == ["demographic", "comorbidity", "terse"]
    assert all(not changed_facts(QUESTION, one.question, one.manner) for one in made)
    assert [one.manner for one in both if one.reason] == ["lay", "paraphrase"]
    assert shorten_question("What is the dose of metformin in CKD?") == "dose metformin CKD"


async def test_a_model_that_loses_a_fact_is_asked_once_more_and_then_left_out() -> None:
    said = iter(["Is metformin safe?", "Metformin 500 mg, CKD, lisinopril: not safe?"])
    model = ScriptedModel({VaryQuestion: lambda _: QuestionVariantReply(question=next(said))})
    made = await make_variants(QUESTION, model, ["terse"])
    assert made == [Variant(manner="terse", question="Metformin 500 mg, CKD, lisinopril: not safe?")]
    stubborn = ScriptedModel({VaryQuestion: lambda _: QuestionVariantReply(question="Is it safe?")})
    left_out = [one for one in await make_variants(QUESTION, stubborn, MANNERS) if one.reason]
    assert len(left_out) == 5
    assert left_out[0].reason.startswith("the model changed a fact twice: 500")


def test_shared_works_are_those_of_both_by_those_of_either() -> None:
    assert share_works(["a", "b"], ["b", "c"]) == 1 / 3
    assert share_works([], []) is None
