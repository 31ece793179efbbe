"""What the model that checks is told of the question, and what its word becomes."""

from dataclasses import replace

from tests.pipeline.verify.test_verification import QUESTION, checked, saying
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL, context, document, passages, source
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.local_checks import find_objection
from wellsourced.pipeline.verify.verification import verify_statements
from wellsourced.prompts.verification import CheckConsistency, ClaimVerdict, ConsistencyReply, Repair, StatementFault
from wellsourced.prompts.writing import Draft
from wellsourced.types import Citation, Evidence, Statement, short_key

HALVED = "Colchicine made gout flares shorter in women."


def test_a_patient_in_the_question_is_given_and_no_passage_has_to_say_it() -> None:
    asked = " ".join(CheckConsistency.instruction().split())
    assert "What the question says of a patient or a situation is given, and so is the patient's text" in asked
    assert "no passage has to say it" in asked


async def rewritten(label: str, quote: str, reason: str) -> StatementFault:
    """What a statement comes with when it is to be written anew."""
    one = saying(HALVED, (TRIAL, COLCHICINE))
    (passage,) = passages(TRIAL)
    verdict = ClaimVerdict.model_validate(
        {"key": short_key(HALVED), "label": label, "passage_id": passage.key, "quote": quote, "reason": reason}
    )
    script = {CheckConsistency: ConsistencyReply(items=(verdict,)), Repair: Draft()}
    _, asked = await checked(one, script=script)
    (repair,) = [prompt for prompt in asked.model.prompts if isinstance(prompt, Repair)]  # type: ignore[attr-defined]
    (fault,) = repair.faults
    assert "#" not in fault.reason
    return fault


async def told(label: str, quote: str, reason: str) -> str:
    return (await rewritten(label, quote, reason)).reason


@each_row("label", ["silent", "contradicts"])
async def test_whoever_writes_anew_is_shown_the_words_that_the_checker_showed(label: str) -> None:
    assert (await rewritten(label, COLCHICINE, "It says nothing of women.")).quote == COLCHICINE
    assert (await rewritten(label, "Colchicine halved every flare.", "It says nothing of women.")).quote == ""


async def test_whoever_writes_anew_is_told_what_the_checker_missed() -> None:
    assert (await told("silent", "", "It says nothing of women.")).endswith("all of it: It says nothing of women")
    said = await told("contradicts", COLCHICINE, "Men only.")
    assert said == f"its passage says “{COLCHICINE}”: Men only"


@each_row("reason", ["", "  "])
async def test_a_checker_that_gives_no_reason_is_read_as_well(reason: str) -> None:
    assert (await told("silent", "", reason)).endswith("supports all of it")


def test_all_that_speaks_against_a_statement_is_told() -> None:
    one = Statement(text="Colchicine prolonged flares by 4 days in 12% of women.", verdict=UNCHECKED)
    found = find_objection(one, ["Colchicine shortened flares by 2 days in 30% of women."], passages(TRIAL), "en")
    assert found is not None
    assert "4 days" in found.verdict.reason
    assert "12%" in found.verdict.reason


# --- the words that decide -------------------------------------------------------------------------------------------

LENGTH = "Gout flares of 412 adults were counted for one year."
BESIDE = document("pubmed:9", f"{LENGTH} {COLCHICINE}", title="A trial with its methods")
(BESIDE_PASSAGE,) = passages(BESIDE)


async def decided(quoted: str, deciding: str) -> list[str]:
    """The quotes that a statement is shown with, when the checker says that these words decide it."""
    start = BESIDE.text.index(quoted)
    own = Citation(passage_id=BESIDE_PASSAGE.id, quote=quoted, start=start, end=start + len(quoted))
    one = Statement(text=HALVED, citations=(own,), verdict=UNCHECKED)
    verdict = ClaimVerdict(key=short_key(HALVED), label="supports", passage_id=BESIDE_PASSAGE.key, quote=deciding)
    usual = context(source("trials", BESIDE))
    asked = replace(usual, model=ScriptedModel({CheckConsistency: ConsistencyReply(items=(verdict,))}), has_model=True)
    evidence = [Evidence(passage=BESIDE_PASSAGE, relevance=0.9)]
    kept = await verify_statements(QUESTION, [one], evidence, {BESIDE.reference.id: BESIDE}, asked)
    (statement,) = kept.statements
    assert all(BESIDE.text[shown.start : shown.end] == shown.quote for shown in statement.citations)
    return [shown.quote for shown in statement.citations]


async def test_words_that_decide_are_shown_where_the_quote_does_not_carry_the_statement() -> None:
    assert await decided(LENGTH, COLCHICINE) == [LENGTH, COLCHICINE]
    # Two words say nothing alone: the sentence that they stand in does.
    assert await decided(LENGTH, "two days") == [LENGTH, COLCHICINE]


async def test_a_quote_that_has_some_of_the_deciding_words_stays_alone() -> None:
    assert await decided(COLCHICINE, COLCHICINE[-30:]) == [COLCHICINE]
    assert await decided(COLCHICINE[:-10], COLCHICINE) == [COLCHICINE[:-10]]


async def test_words_that_stand_nowhere_in_the_passage_are_never_shown() -> None:
    assert await decided(COLCHICINE, "Colchicine halved every flare in women.") == [COLCHICINE]
