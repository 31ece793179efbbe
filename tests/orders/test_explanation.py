"""A medical order, explained term by term, and a question about it beside them."""

from dataclasses import replace
from typing import Any

import pytest

from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import context, document, source
from wellsourced.context import Context
from wellsourced.errors import ModelUnavailable, QuestionError
from wellsourced.orders.definitions import NOT_DEFINED
from wellsourced.orders.explanation import MAX_ORDER_CHARS, Explanation, _doubt_unrelated, explain
from wellsourced.orders.terms import find_terms_by_rule
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.prompts.planning import ExtractTerms, NamedTerm, StandAlone, StandaloneQuestion, TermsReply
from wellsourced.prompts.verification import CheckConsistency, ClaimVerdict, ConsistencyReply
from wellsourced.prompts.writing import (
    DraftQuote,
    DraftStatement,
    ExplainPlainly,
    ExplainTerms,
    PlainDraft,
    TermDraft,
    TermDrafts,
)
from wellsourced.types import Answer, AnswerHead, AnswerSection, Evidence, Passage, Question, Reference, TextSpan

ECHO = "An echocardiogram is a test that uses sound waves to show how the heart moves and pumps blood."
DRUG = "Furosemide is a water tablet that helps the body to get rid of fluid through the kidneys."
ORDER = "Obtain an echocardiogram tomorrow. Start furosemide 40 mg by mouth for Mrs Okafor."
HELD = (document("web:1", ECHO), document("web:2", DRUG))


def without_model() -> Context:
    return context(source("pages", *HELD), relevant=(ECHO, DRUG))


def with_model(model: ScriptedModel, **given: Any) -> Context:
    known = {
        "model": model,
        "has_model": True,
        "sees_patient": True,
        "read": ReadPolicy(relevance="score"),
        "check": CheckPolicy(consistency=False, repair=False),
    }
    return replace(without_model(), **{**known, **given})


def plainly(prompt: ExplainPlainly) -> PlainDraft:
    word = "furosemide" if "furosemide" in prompt.question.text.lower() else "echocardiogram"
    item = next(one for one in prompt.evidence if word in one.passage.text.lower())
    said = DraftStatement(
        text=item.passage.text, quotes=(DraftQuote(passage_id=item.passage.id, quote=item.passage.text),)
    )
    return PlainDraft(statements=(said,))


def each_plainly(prompt: ExplainTerms) -> TermDrafts:
    """For each term the passage that has its word, as it stands."""
    drafts = []
    for one in prompt.terms:
        word = "furosemide" if "furosemide" in one.question.lower() else "echocardiogram"
        passage = next(item.passage for item in prompt.evidence if word in item.passage.text.lower())
        quote = DraftQuote(passage_id=passage.id, quote=passage.text)
        drafts.append(TermDraft(key=one.key, statements=(DraftStatement(text=passage.text, quotes=(quote,)),)))
    return TermDrafts(drafts=tuple(drafts))


def explainer(*terms: str, script: dict[Any, Any] | None = None) -> ScriptedModel:
    alone = StandaloneQuestion(question="How does furosemide work?")
    named = TermsReply(terms=tuple(NamedTerm(term=term) for term in terms))
    return ScriptedModel(
        {ExtractTerms: named, ExplainTerms: each_plainly, ExplainPlainly: plainly, StandAlone: alone, **(script or {})}
    )


async def test_each_term_stands_verbatim_in_the_order_and_has_its_own_cited_explanation() -> None:
    told = await explain(ORDER, with_model(explainer("echocardiogram", "furosemide")))
    assert [ORDER[one.start : one.end] for one in told.terms] == ["echocardiogram", "furosemide"]
    assert [one.term for one in told.terms] == ["echocardiogram", "furosemide"]
    assert [one.answer.statements[0].text for one in told.terms] == [ECHO, DRUG]
    assert [one.answer.question.text for one in told.terms] == ["What is echocardiogram?", "What is furosemide?"]
    assert told.follow_up is None
    assert told.reading_level is not None


async def test_a_term_that_is_not_in_the_order_a_sentence_and_a_name_are_rejected_and_listed() -> None:
    model = explainer("angiogram", "Obtain an echocardiogram tomorrow. Start", "Mrs Okafor", "furosemide")
    told = await explain(ORDER, with_model(model))
    assert [one.term for one in told.terms] == ["furosemide"]
    assert told.rejected == ("angiogram", "Obtain an echocardiogram tomorrow. Start", "Mrs Okafor")
    assert "angiogram" in told.notes[0]


async def test_terms_beyond_the_limit_are_left_out_and_told() -> None:
    told = await explain(ORDER, with_model(explainer("echocardiogram", "furosemide")), limit=1)
    assert [one.term for one in told.terms] == ["echocardiogram"]
    assert told.notes == ("not looked up, because the limit of terms is 1: furosemide",)


async def test_no_term_is_an_empty_list_and_no_error() -> None:
    told = await explain(ORDER, with_model(explainer()))
    assert (told.terms, told.rejected, told.reading_level) == ((), (), None)


async def test_a_follow_up_is_made_to_stand_alone_with_order_and_record_and_neither_is_searched_for() -> None:
    model = explainer("echocardiogram")
    context_ = with_model(model)
    told = await explain(ORDER, context_, patient="She limps since Tuesday.", asked="What is the tablet for?")
    assert told.follow_up is not None
    assert told.follow_up.question.text == "How does furosemide work?"
    assert told.follow_up.statements[0].text == DRUG
    (alone,) = [prompt for prompt in model.prompts if isinstance(prompt, StandAlone)]
    assert alone.patient == f"{ORDER}\n\nShe limps since Tuesday."
    (pages,) = context_.sources
    queries = {query.terms for query in pages.queries}  # type: ignore[attr-defined]
    assert queries == {("What is echocardiogram?",), ("How does furosemide work?",)}


async def test_a_term_that_a_model_says_nothing_of_is_defined_by_a_source_and_costs_no_other() -> None:
    def leaves_one_out(prompt: ExplainTerms) -> TermDrafts:
        return TermDrafts(drafts=each_plainly(prompt).drafts[1:])

    told = await explain(ORDER, with_model(explainer(*NAMED, script={ExplainTerms: leaves_one_out})))
    first, second = told.terms
    assert (first.answer.writer, first.answer.statements[0].text) == ("", ECHO)
    assert (second.answer.writer, second.answer.statements[0].text) == ("scripted", DRUG)


async def test_where_the_model_fails_sources_define_all_terms_and_that_is_told() -> None:
    down = explainer(*NAMED, script={ExplainTerms: ModelUnavailable("no connection")})
    told = await explain(ORDER, with_model(down))
    assert [one.answer.statements[0].text for one in told.terms] == [ECHO, DRUG]
    assert all("scripted explained nothing: no connection" in one.answer.notes for one in told.terms)


async def test_all_terms_of_an_order_are_written_in_one_call_and_checked_in_one() -> None:
    def rewords(prompt: ExplainTerms) -> TermDrafts:
        drafts = each_plainly(prompt).drafts
        changed = (
            one.model_copy(update={"text": f"In plain words: {one.text}"})
            for draft in drafts
            for one in draft.statements
        )
        return TermDrafts(
            drafts=tuple(
                draft.model_copy(update={"statements": (said,)}) for draft, said in zip(drafts, changed, strict=True)
            )
        )

    def supports_one(prompt: CheckConsistency) -> ConsistencyReply:
        first, second = prompt.claims
        quote = next(one.text for one in prompt.passages if one.key in first.cites)
        return ConsistencyReply(
            items=(
                ClaimVerdict(key=first.key, label="supports", passage_id=first.cites[0], quote=quote),
                ClaimVerdict(key=second.key, label="silent", reason="it says something else"),
            )
        )

    model = explainer(*NAMED, script={ExplainTerms: rewords, CheckConsistency: supports_one})
    told = await explain(ORDER, with_model(model, check=CheckPolicy(repair=False)))
    assert [type(prompt).__name__ for prompt in model.prompts] == ["ExtractTerms", "ExplainTerms", "CheckConsistency"]
    first, second = told.terms
    assert (first.answer.writer, first.answer.statements[0].text) == ("scripted", f"In plain words: {ECHO}")
    # What did not pass its check is not shown: the source's own sentence takes its place.
    assert (second.answer.writer, second.answer.statements[0].text) == ("", DRUG)


NAMED = ("echocardiogram", "furosemide")


async def test_a_model_that_may_not_see_the_order_is_not_shown_it_and_rules_find_the_terms() -> None:
    model = explainer("echocardiogram")
    told = await explain(ORDER, with_model(model, sees_patient=False), asked="What is furosemide for?")
    assert [one.term for one in told.terms] == ["echocardiogram", "furosemide"]
    assert all("Okafor" not in prompt.model_dump_json() for prompt in model.prompts)
    assert told.notes == ("terms found by rule; scripted may not see the order (setting patient_to)",)


async def test_without_a_model_the_sources_own_sentences_explain_what_rules_find() -> None:
    told = await explain(ORDER, without_model())
    assert [one.term for one in told.terms] == ["echocardiogram", "furosemide"]
    assert told.terms[0].answer.statements[0].text == ECHO
    assert told.notes == ("terms found by rule; no language model is configured",)


@each_row(
    ("order", "terms"),
    [
        ("Please take your tablets every morning with water and come back in two weeks.", ()),
        ("CT abdomen with contrast at 8 PM. Rule out diverticulitis.", ("diverticulitis", "CT")),
        ("WARFARIN 5 MG DAILY. PULMONARY EMBOLISM IN MARCH.", ("WARFARIN", "PULMONARY EMBOLISM")),
    ],
)
async def test_rules_name_abbreviations_drugs_and_words_of_medicine_and_no_everyday_word(
    order: str, terms: tuple[str, ...]
) -> None:
    told = await explain(order, without_model())
    assert tuple(one.term for one in told.terms) == terms


@each_row(("limit", "terms"), [(1, ("diverticulitis",)), (2, ("diverticulitis", "CT")), (9, ("diverticulitis", "CT"))])
async def test_rules_name_no_more_terms_than_were_asked_for_and_the_hardest_first(
    limit: int, terms: tuple[str, ...]
) -> None:
    order = "CT abdomen with contrast at 8 PM. Rule out diverticulitis."
    assert await find_terms_by_rule(order, without_model().understanding, limit) == terms


async def test_every_drug_test_and_abbreviation_of_an_order_is_listed_explained_or_not() -> None:
    order = "HbA1c, BMP and lipid panel, fasting. Chest x-ray. Sodium bicarbonate 650 mg TID, glargine. Gout, melena."
    told = await explain(order, without_model())
    assert {one.term for one in told.terms} == {
        "HbA1c", "BMP", "lipid panel", "Chest x-ray", "Sodium bicarbonate", "glargine", "Gout", "melena"
    }  # fmt: skip
    assert [one.sign for one in told.signs] == ["fasting", "650 mg", "TID"]


async def test_terms_that_are_not_looked_up_are_named() -> None:
    told = await explain("Metformin, amlodipine, furosemide.", without_model(), limit=2)
    (left,) = [note for note in told.notes if note.startswith("not looked up")]
    assert {*(one.term.lower() for one in told.terms), left.rpartition(": ")[2]} == {
        "metformin", "amlodipine", "furosemide"
    }  # fmt: skip


async def test_identifiers_of_the_order_are_masked_before_a_remote_model_names_its_terms() -> None:
    model = explainer("furosemide")
    told = await explain(ORDER, with_model(model, outbound=True, phi="mask"))
    (asked,) = [prompt for prompt in model.prompts if isinstance(prompt, ExtractTerms)]
    assert "Okafor" not in asked.order
    assert told.notes == ("masked before anything left this machine: name",)
    with pytest.raises(QuestionError, match="may contain personal data"):
        await explain(ORDER, with_model(model, outbound=True, phi="refuse"))


async def test_a_model_that_names_no_terms_leaves_it_to_the_rules_and_that_is_told() -> None:
    model = explainer()
    model.replies = {**model.replies, ExtractTerms: ModelUnavailable("no connection")}
    told = await explain(ORDER, with_model(model))
    assert [one.term for one in told.terms] == ["echocardiogram", "furosemide"]
    assert told.notes == ("terms found by rule, because the model named none: no connection",)


@each_row(
    ("order", "limit", "says"),
    [
        ("", 4, "The order is empty"),
        (" \n--", 4, "is empty"),
        ("x" * (MAX_ORDER_CHARS + 1), 4, "50,001"),
        ("CT", -1, "-1 terms cannot be explained"),
    ],
)
async def test_what_is_no_order_is_refused_in_a_plain_sentence(order: str, limit: int, says: str) -> None:
    with pytest.raises(QuestionError, match=says):
        await explain(order, without_model(), limit=limit)


async def test_a_term_that_no_sentence_defines_is_not_explained_however_much_is_said_of_it() -> None:
    told = "Furosemide is the preferred diuretic and is started at 40 mg."
    given = await explain(ORDER, context(source("pages", document("web:3", told), HELD[0]), relevant=(told, ECHO)))
    assert [(one.term, one.answer.abstained) for one in given.terms] == [
        ("echocardiogram", False),
        ("furosemide", True),
    ]
    assert given.terms[1].answer.reason == NOT_DEFINED
    assert given.notes[-1] == "no source written for patients is installed"


async def test_an_abbreviation_is_explained_by_the_long_form_that_a_source_gives_it() -> None:
    panel = "The basic metabolic panel (BMP) is taken often. A basic metabolic panel is a group of blood tests."
    given = await explain("BMP tomorrow.", context(source("pages", document("web:4", panel)), relevant=(panel,)))
    (term,) = given.terms
    assert (term.term, term.long_form) == ("BMP", "basic metabolic panel")
    assert term.answer.statements[0].text == "A basic metabolic panel is a group of blood tests."


async def test_an_order_in_another_language_is_looked_up_as_written_and_that_is_told() -> None:
    order = "Bitte eine Koloskopie in der nächsten Woche und Metformin zweimal täglich zum Essen nehmen."
    given = await explain(order, without_model())
    assert given.notes[1].startswith("the order is in German, and translating needs a language model")


def questions_of(told: Explanation) -> list[str]:
    return [one.answer.question.text for one in told.terms]


async def test_a_term_is_asked_about_as_it_is_meant_in_the_order() -> None:
    asked = "What is furosemide, and what is it for in heart failure?"
    named = TermsReply(terms=(NamedTerm(term="furosemide", question=asked),))
    told = await explain(ORDER, with_model(explainer(script={ExtractTerms: named})))
    assert questions_of(told) == [asked]


@each_row(
    "asked",
    [
        "What is a water tablet?",
        "Why does Mrs Okafor take furosemide?",
        "Start furosemide 40 mg by mouth for whom?",
        "What is furosemide" + " and what else" * 20,
        "",
    ],
)
async def test_a_question_that_is_not_about_the_term_or_gives_the_order_away_is_not_asked(asked: str) -> None:
    named = TermsReply(terms=(NamedTerm(term="furosemide", question=asked),))
    told = await explain(ORDER, with_model(explainer(script={ExtractTerms: named})))
    assert questions_of(told) == ["What is furosemide?"]


async def test_who_explains_is_shown_the_order_where_it_may_be_and_only_then() -> None:
    for sees_patient in (True, False):
        model = explainer("furosemide")
        await explain(ORDER, with_model(model, sees_patient=sees_patient), asked="How does furosemide work?", limit=0)
        (shown,) = [one.order for one in model.prompts if isinstance(one, ExplainPlainly)]
        assert ("furosemide 40 mg" in shown) == sees_patient


@each_row("asked", ["Is this safe?", "is it ok", "What is that for?"])
async def test_a_question_that_only_points_at_the_order_is_not_answered_from_elsewhere(asked: str) -> None:
    told = await explain(ORDER, without_model(), asked=asked)
    assert told.follow_up and told.follow_up.abstained
    assert "names nothing to look up" in told.follow_up.reason


@each_row(("text", "head"), [("Feeding begins early in pancreatitis.", "closest"), (DRUG, "in your sources")])
def test_sections_that_speak_of_nothing_in_the_order_are_only_the_closest(text: str, head: AnswerHead) -> None:
    passage = Passage(reference=Reference(id="own:1", title="A page"), text=text, start=0, end=len(text))
    section = AnswerSection(passage_id=passage.id, shown=(TextSpan(start=0, end=len(text)),))
    given = Answer(
        question=Question(text="Can I eat?"),
        head="in your sources",
        sections=(section,),
        evidence=(Evidence(passage=passage, relevance=0.9),),
    )
    assert _doubt_unrelated(given, ["furosemide", "loop diuretic"]).head == head
    assert _doubt_unrelated(given, []).head == "in your sources"
