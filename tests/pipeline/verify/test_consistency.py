"""What the model that checks is told of the question, and what its word becomes."""

import pytest

from tests.pipeline.verify.test_verification import checked, saying
from tests.world import COLCHICINE, TRIAL, passages
from wellsourced.pipeline.verify.objections import find_objection
from wellsourced.pipeline.write.citing import UNCHECKED
from wellsourced.prompts.verification import CheckConsistency, ClaimVerdict, ConsistencyReply, Repair
from wellsourced.prompts.writing import Draft
from wellsourced.types import Statement, short_key

HALVED = "Colchicine made gout flares shorter in women."


def test_a_patient_in_the_question_is_given_and_no_passage_has_to_say_it() -> None:
    asked = " ".join(CheckConsistency.instruction().split())
    assert "What the question says of a patient or a situation is given, and so is the patient's text" in asked
    assert "no passage has to say it" in asked


async def told(label: str, quote: str, reason: str) -> str:
    """The reason that a statement comes with when it is to be written anew."""
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
    return fault.reason


async def test_whoever_writes_anew_is_told_what_the_checker_missed() -> None:
    assert (await told("silent", "", "It says nothing of women.")).endswith("all of it: It says nothing of women")
    said = await told("contradicts", COLCHICINE, "Men only.")
    assert said == f"its passage says “{COLCHICINE}”: Men only"


@pytest.mark.parametrize("reason", ["", "  "])
async def test_a_checker_that_gives_no_reason_is_read_as_well(reason: str) -> None:
    assert (await told("silent", "", reason)).endswith("says all of it")


def test_all_that_speaks_against_a_statement_is_told() -> None:
    one = Statement(text="Colchicine prolonged flares by 4 days in 12% of women.", verdict=UNCHECKED)
    found = find_objection(one, ["Colchicine shortened flares by 2 days in 30% of women."], passages(TRIAL), "en")
    assert found is not None
    assert "“4 days”" in found.verdict.reason
    assert "“12%”" in found.verdict.reason
