"""No statement stands unless its words are in the document and say what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.fake_judge import FakeJudge
from tests.scripted_model import ScriptedModel
from tests.world import COLCHICINE, TRIAL, context, document, passages, source
from wellsourced.claims.atomic_facts import split_facts
from wellsourced.context import Context
from wellsourced.errors import BudgetSpent, ModelError
from wellsourced.models.base import Prompt, Reply
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.verification import VerificationResult, verify_statements
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.prompts.verification import (
    CheckConsistency,
    ClaimVerdict,
    ComparePlaces,
    ConsistencyReply,
    PlacesReply,
    Repair,
    RepairedStatement,
    RepairReply,
)
from wellsourced.prompts.writing import Draft, DraftQuote, DraftStatement, WriteAnswer
from wellsourced.types import Answer, Citation, Document, Evidence, Question, Statement, Verdict, short_key

QUESTION = Question(text="Does colchicine help in gout?")
(PASSAGE,) = passages(TRIAL)
HALVED = "Colchicine made gout flares shorter."


async def answered(text: str, quote: str, verdict: Verdict | None = None) -> Answer:
    """The answer of a model that says this and quotes that, when the judge of support finds what it was told."""
    draft = Draft(statements=(DraftStatement(text=text, quotes=(DraftQuote(passage_id=PASSAGE.id, quote=quote),)),))
    usual = context(source("trials", TRIAL))
    asked = Context(
        sources=usual.sources,
        model=ScriptedModel({WriteAnswer: draft}),
        support_judge=FakeJudge({COLCHICINE: verdict} if verdict else {}),
        planner=usual.planner,
        has_model=True,
        read=ReadPolicy(relevance="score", cards=False),
        check=CheckPolicy(consistency=False, repair=False),
    )
    return await answer_question(Question(text="Does colchicine help in gout?"), asked)


async def test_a_sentence_of_its_source_is_supported_by_construction_and_no_judge_is_asked() -> None:
    given = await answered(COLCHICINE, COLCHICINE)
    assert [statement.verdict.reason for statement in given.statements] == ["the source's own words"]


async def test_other_words_than_the_sources_are_put_to_the_judge() -> None:
    given = await answered(HALVED, COLCHICINE, Verdict(label="supports", score=0.8))
    assert [(one.text, one.verdict.score) for one in given.statements] == [(HALVED, 0.8)]


async def test_what_the_source_contradicts_is_dropped_and_counted() -> None:
    contradicts = Verdict(label="contradicts", score=0.8, reason="the direction differs")
    given = await answered("Colchicine lengthened the flare.", COLCHICINE, contradicts)
    assert given.head is not None
    (dropped,) = [one for one in given.dropped if one.what == "statement"]
    assert dropped.reason.startswith("its source contradicts it: the direction differs")


async def test_an_invented_quote_ends_its_statement() -> None:
    given = await answered(HALVED, "Colchicine halved the length of every flare.")
    assert given.head is not None
    assert [one.reason for one in given.dropped if one.what == "statement"] == [
        "a quote appears in no passage that was read"
    ]


async def test_a_quote_with_other_white_space_is_shown_as_the_source_has_it() -> None:
    given = await answered(COLCHICINE, COLCHICINE.replace(" by two days", "  by\ntwo days"))
    assert given.statements[0].citations[0].quote == COLCHICINE


async def test_a_citation_whose_words_moved_in_the_document_is_refused() -> None:
    citation = Citation(passage_id=PASSAGE.id, quote=COLCHICINE, start=0, end=len(COLCHICINE))
    statement = Statement(text=COLCHICINE, citations=(citation,), verdict=UNCHECKED)
    moved = TRIAL.model_copy(update={"text": " " + TRIAL.text})
    evidence = [Evidence(passage=PASSAGE, relevance=0.9)]
    kept = await verify_statements(
        QUESTION, [statement], evidence, {TRIAL.reference.id: moved}, context(source("trials", TRIAL))
    )
    assert kept.statements == ()
    assert kept.dropped[0].reason.startswith("the quoted words are not in pubmed:1 at characters 0 to")


# --- with a language model ---------------------------------------------------------------------------------------

NO_EFFECT = "There is no evidence that colchicine prevents kidney stones in adults with gout."
DOSE = "Children with gout take colchicine 0.5 mg by mouth twice daily."
AGAINST = "In this cohort colchicine did not shorten gout flares compared with placebo."
REVIEW = document("pubmed:7", f"{NO_EFFECT} {DOSE}", title="A review of colchicine")
COHORT = document("pubmed:8", AGAINST, title="A cohort")
WORLD = (TRIAL, REVIEW, COHORT)
SHOWN = {one.reference.id: passages(one)[0] for one in WORLD}
YES = Verdict(label="supports", score=0.8)
NO = Verdict(label="silent", score=0.2, reason="little in common")
SHORTER = "Gout flares were two days shorter with colchicine than with placebo."


def saying(text: str, *quotes: tuple[Document, str], lead: bool = False) -> Statement:
    """A statement that cites these words of these documents."""
    citations = tuple(
        Citation(
            passage_id=SHOWN[one.reference.id].id,
            quote=words,
            start=one.text.index(words),
            end=one.text.index(words) + len(words),
        )
        for one, words in quotes
    )
    return Statement(text=text, citations=citations, verdict=UNCHECKED, lead=lead)


class Doubting:
    """Supports everything but claims that it was told to doubt, and remembers what it was asked."""

    name = "doubting"

    def __init__(self, *doubted: str) -> None:
        self.doubted, self.asked = doubted, []

    async def judge(self, pairs: Sequence[Any]) -> list[Verdict]:
        self.asked += pairs
        return [NO if pair.claim in self.doubted else YES for pair in pairs]


def says(statement: Statement, label: str, one: Document = TRIAL, quote: str = COLCHICINE) -> ClaimVerdict:
    return ClaimVerdict.model_validate(
        {"key": short_key(statement.text), "label": label, "passage_id": SHOWN[one.reference.id].key, "quote": quote}
    )


async def checked(
    *statements: Statement,
    script: Mapping[type[Prompt[Any]], Any] | None = None,
    doubted: Sequence[str] = (),
    policy: CheckPolicy | None = None,
    language: str = "en",
) -> tuple[VerificationResult, Context]:
    """What is kept of these, by a model that replies this."""
    usual = context(*(source(one.reference.id, one) for one in WORLD))
    asked = replace(
        usual,
        model=ScriptedModel(script or {}),
        support_judge=Doubting(*doubted),
        has_model=True,
        check=policy or CheckPolicy(),
    )
    evidence = [Evidence(passage=passage, relevance=0.9) for passage in SHOWN.values()]
    documents = {one.reference.id: one for one in WORLD}
    question = QUESTION.model_copy(update={"language": language})
    return await verify_statements(question, statements, evidence, documents, asked), asked


def prompts(asked: Context) -> list[type[Prompt[Any]]]:
    return [type(prompt) for prompt in asked.model.prompts]  # type: ignore[attr-defined]


def reasons(kept: VerificationResult) -> list[str]:
    return [one.reason for one in kept.dropped]


async def test_a_model_judges_all_statements_in_one_call_and_shows_the_words() -> None:
    one, other = (
        saying(SHORTER, (TRIAL, COLCHICINE)),
        saying("Twice a day, 0.5 mg by mouth for children with gout.", (REVIEW, DOSE)),
    )
    reply = ConsistencyReply(items=(says(other, "supports", REVIEW, DOSE), says(one, "supports")))
    kept, asked = await checked(one, other, script={CheckConsistency: [reply]}, doubted=(one.text, other.text))
    assert [statement.text for statement in kept.statements] == [one.text, other.text]
    assert kept.statements[0].verdict == Verdict(
        label="supports", score=1.0, reason=f"the model: “{COLCHICINE}”", basis="model"
    )
    assert prompts(asked) == [CheckConsistency]
    assert asked.support_judge.asked == []  # type: ignore[attr-defined]


async def test_a_whole_sentence_of_the_source_needs_no_model() -> None:
    kept, asked = await checked(saying(COLCHICINE, (TRIAL, COLCHICINE)))
    assert [one.verdict.reason for one in kept.statements] == ["the source's own words"]
    assert prompts(asked) == []


async def test_words_that_were_cut_out_of_a_negated_sentence_are_not_the_sources_own() -> None:
    part = "colchicine prevents kidney stones in adults with gout"
    kept, _ = await checked(saying(part, (REVIEW, part)), policy=CheckPolicy(consistency=False, repair=False))
    assert kept.statements == ()
    assert "the text only asks or does not show it" in reasons(kept)[0]


async def test_support_that_shows_no_words_is_no_verdict_and_the_local_judge_decides() -> None:
    one = saying(SHORTER, (TRIAL, COLCHICINE))
    reply = ConsistencyReply(items=(says(one, "supports", quote="Colchicine lengthened the gout flare"),))
    kept, _ = await checked(one, script={CheckConsistency: reply})
    assert [statement.verdict for statement in kept.statements] == [YES]
    assert kept.notes == ("of 1 statements, scripted judged 0 in words that can be checked",)
    kept, _ = await checked(
        one, script={CheckConsistency: reply}, doubted=(one.text,), policy=CheckPolicy(repair=False)
    )
    assert reasons(kept) == ["its source does not say it: little in common"]


async def test_a_verdict_that_cannot_be_read_is_asked_for_once_more_and_alone() -> None:
    one, other = saying(SHORTER, (TRIAL, COLCHICINE)), saying("Children with gout take 0.5 mg.", (REVIEW, DOSE))
    half, rest = says(one, "supports"), says(other, "supports", REVIEW, DOSE)
    script = {CheckConsistency: [ConsistencyReply(items=(half,)), ConsistencyReply(items=(rest,))]}
    kept, asked = await checked(one, other, script=script)
    assert [statement.verdict.status for statement in kept.statements] == ["verified", "verified"]
    assert [[claim.text for claim in prompt.claims] for prompt in asked.model.prompts] == [  # type: ignore[attr-defined]
        [one.text, other.text],
        [other.text],
    ]
    assert kept.notes == ()


async def test_an_empty_list_is_no_verdict_however_often_it_is_given() -> None:
    kept, asked = await checked(saying(SHORTER, (TRIAL, COLCHICINE)), script={CheckConsistency: ConsistencyReply()})
    assert [statement.verdict.status for statement in kept.statements] == ["unverified"]
    assert prompts(asked) == [CheckConsistency, CheckConsistency]
    assert kept.notes == ("of 1 statements, scripted judged 0 in words that can be checked",)


async def test_a_fact_that_differs_overrules_a_model_that_supports() -> None:
    one = saying("Gout flares were three days shorter with colchicine than with placebo.", (TRIAL, COLCHICINE))
    kept, _ = await checked(
        one,
        script={CheckConsistency: ConsistencyReply(items=(says(one, "supports"),))},
        policy=CheckPolicy(repair=False),
    )
    assert kept.statements == ()
    assert "“three days” is neither in its source nor in the question" in reasons(kept)[0]


async def test_what_the_model_finds_contradicted_is_written_anew_once_and_stands_in_its_place() -> None:
    wrong = saying(
        "Colchicine lengthened gout flares by two days compared with placebo.", (TRIAL, COLCHICINE), lead=True
    )
    quotes = (DraftQuote(passage_id=PASSAGE.key, quote=COLCHICINE),)
    fixed = RepairedStatement(text=SHORTER, quotes=quotes, fault=short_key(wrong.text))
    last = saying(NO_EFFECT, (REVIEW, NO_EFFECT))
    again = ConsistencyReply(items=(says(saying(SHORTER, (TRIAL, COLCHICINE)), "supports"),))
    kept, asked = await checked(
        wrong,
        last,
        script={
            CheckConsistency: [ConsistencyReply(items=(says(wrong, "contradicts"),)), again],
            Repair: [RepairReply(statements=(fixed,))],
            ComparePlaces: PlacesReply(),
        },
    )
    assert [(one.text, one.lead) for one in kept.statements] == [(SHORTER, True), (NO_EFFECT, False)]
    assert kept.statements[0].verdict.reason.startswith("rewritten to follow its source")
    assert kept.statements[0].verdict.status == "verified"
    assert sorted(one.__name__ for one in prompts(asked)[:2]) == ["CheckConsistency", "ComparePlaces"]
    assert prompts(asked)[2:] == [Repair, CheckConsistency]
    (fault,) = asked.model.prompts[-2].faults  # type: ignore[attr-defined]
    assert (fault.text, fault.quote) == (wrong.text, COLCHICINE)
    assert kept.dropped[0].rewritten_as == SHORTER
    assert kept.notes == ("1 statement was rewritten to follow its sources",)


async def test_what_is_contradicted_still_is_dropped_or_shown_as_such() -> None:
    wrong = saying("Colchicine lengthened gout flares by two days compared with placebo.", (TRIAL, COLCHICINE))
    quotes = (DraftQuote(passage_id=PASSAGE.key, quote=COLCHICINE),)
    again = RepairedStatement(text="Colchicine lengthened flares by two days.", quotes=quotes)
    script = {
        CheckConsistency: ConsistencyReply(items=(says(wrong, "contradicts"),)),
        Repair: RepairReply(statements=(again,)),
    }
    kept, _ = await checked(wrong, script=script, doubted=[again.text])
    assert kept.statements == ()
    assert kept.dropped[-1].is_rewrite
    assert "the direction differs" in reasons(kept)[-1]
    kept, _ = await checked(wrong, script=script, doubted=[again.text], policy=CheckPolicy(conflicts="show"))
    (shown,) = kept.statements
    assert shown.verdict.label == "contradicts"
    assert COLCHICINE in shown.verdict.reason


async def test_sources_that_contradict_each_other_are_shown_side_by_side_and_nothing_is_written_anew() -> None:
    one = saying(SHORTER, (TRIAL, COLCHICINE), (COHORT, AGAINST))
    reply = ConsistencyReply(items=(says(one, "supports"), says(one, "contradicts", COHORT, AGAINST)))
    kept, asked = await checked(one, script={CheckConsistency: reply})
    (conflict,) = kept.conflicts
    assert [side.quote for side in conflict.sides] == [COLCHICINE, AGAINST]
    (stands,) = kept.statements
    assert [citation.quote for citation in stands.citations] == [COLCHICINE]
    assert AGAINST in stands.verdict.reason
    assert prompts(asked) == [CheckConsistency]


async def test_a_budget_that_is_spent_leaves_the_local_judge_and_says_so() -> None:
    one = saying(SHORTER, (TRIAL, COLCHICINE))
    kept, _ = await checked(one, script={CheckConsistency: BudgetSpent("calls", 4, 3)})
    assert [statement.verdict for statement in kept.statements] == [YES]
    assert kept.notes[0].startswith("scripted could not check every statement, so the local judge did: the budget of 3")


async def test_statements_that_do_not_fit_one_window_are_checked_in_several_calls_at_once() -> None:
    one, other = (
        saying(SHORTER, (TRIAL, COLCHICINE)),
        saying("Children with gout take 0.5 mg by mouth twice daily.", (REVIEW, DOSE)),
    )
    reply: dict[type[Prompt[Any]], Reply] = {
        CheckConsistency: ConsistencyReply(items=(says(one, "supports"), says(other, "supports", REVIEW, DOSE)))
    }
    _, asked = await checked(one, other, script=reply)
    (prompt,) = asked.model.prompts  # type: ignore[attr-defined]
    narrow = len(prompt.model_dump_json().split()) - 1
    model = ScriptedModel(reply, window=narrow)
    documents = {document.reference.id: document for document in WORLD}
    evidence = [Evidence(passage=passage, relevance=0.9) for passage in SHOWN.values()]
    kept = await verify_statements(QUESTION, [one, other], evidence, documents, replace(asked, model=model))
    assert [len(said.claims) for said in model.prompts] == [1, 1]  # type: ignore[attr-defined]
    assert len(kept.statements) == 2


async def test_in_another_language_only_numbers_are_compared_and_an_unjudged_statement_says_so() -> None:
    right = saying("Colchicine verkürzte den Gichtanfall um 2 Tage.", (TRIAL, COLCHICINE))
    wrong = saying("Colchicine verkürzte den Gichtanfall um 3,5 Tage.", (TRIAL, COLCHICINE))
    kept, asked = await checked(right, wrong, policy=CheckPolicy(consistency=False), language="de")
    assert [(one.text, one.verdict.label) for one in kept.statements] == [(right.text, "unjudged")]
    assert prompts(asked) == []


class Failing:
    """A judge whose model does not open."""

    name = "failing"

    async def judge(self, pairs: Sequence[Any]) -> list[Verdict]:
        raise ModelError("the model file is damaged.")


async def test_a_judge_that_fails_leaves_what_it_was_asked_unjudged_and_the_answer_says_so() -> None:
    usual = context(source("trials", TRIAL))
    draft = Draft(
        statements=(DraftStatement(text=HALVED, quotes=(DraftQuote(passage_id=PASSAGE.id, quote=COLCHICINE),)),)
    )
    model = ScriptedModel({WriteAnswer: draft})
    given = await answer_question(QUESTION, replace(usual, model=model, support_judge=Failing(), has_model=True))
    assert [(one.text, one.verdict.label) for one in given.statements] == [(HALVED, "unjudged")]
    assert given.statements[0].verdict.reason == "the judge of support failed: the model file is damaged"
    assert any("the judge of support failed" in note and "damaged" in note for note in given.notes)


async def test_of_a_statement_with_several_facts_each_is_judged_and_the_worst_counts() -> None:
    both = "Gout flares were 2 days shorter with colchicine; nausea was reported by 9 of 10 patients on placebo."
    parts = split_facts(both)
    kept, asked = await checked(saying(both, (TRIAL, COLCHICINE)), doubted=parts[1:], policy=CheckPolicy(repair=False))
    assert len(parts) == 2
    assert {pair.claim for pair in asked.support_judge.asked} >= set(parts)  # type: ignore[attr-defined]
    assert kept.statements == ()
    assert kept.checks.unverified == 1


async def test_what_speaks_against_statements_is_counted_by_its_kind() -> None:
    wrong = saying("Gout flares were nine days shorter with colchicine than with placebo.", (TRIAL, COLCHICINE))
    turned = saying("Colchicine lengthened the gout flare by two days compared with placebo.", (TRIAL, COLCHICINE))
    kept, _ = await checked(saying(SHORTER, (TRIAL, COLCHICINE)), wrong, turned, policy=CheckPolicy(repair=False))
    assert [statement.text for statement in kept.statements] == [SHORTER]
    assert sum(kept.checks.objections.values()) == 2
    assert kept.checks.objections["figure"] == 1
