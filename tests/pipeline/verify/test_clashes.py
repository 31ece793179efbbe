"""Statements of one answer that cannot both hold are shown as such."""

from typing import Any

from tests.pipeline.verify.test_verification import DOSE, REVIEW, SHORTER, SHOWN, checked, saying, says
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL
from wellsourced.models.base import Prompt
from wellsourced.prompts.verification import (
    CheckConsistency,
    ClashingClaims,
    ConsistencyReply,
    Repair,
    RepairedStatement,
    RepairReply,
)
from wellsourced.prompts.writing import DraftQuote
from wellsourced.types import Statement, short_key

LONGER = "Children with gout take 0.5 mg twice a day."
ONE, OTHER = saying(SHORTER, (TRIAL, COLCHICINE)), saying(LONGER, (REVIEW, DOSE))


def replying(*clashes: tuple[str, str]) -> dict[type, ConsistencyReply]:
    items = (says(ONE, "supports"), says(OTHER, "supports", REVIEW, DOSE))
    named = tuple(ClashingClaims(first=first, second=second, reason="the dose.") for first, second in clashes)
    return {CheckConsistency: ConsistencyReply(items=items, clashes=named)}


def statuses(statements: tuple[Statement, ...]) -> list[str]:
    return [one.verdict.status for one in statements]


async def test_two_statements_that_cannot_both_hold_are_shown_beside_each_other_as_not_verified() -> None:
    pair = (short_key(SHORTER), f"[{short_key(LONGER).upper()}]")
    kept, _ = await checked(ONE, OTHER, script=replying(pair, pair[::-1]))
    assert statuses(kept.statements) == ["unverified", "unverified"]
    assert [one.verdict.reason for one in kept.statements] == [
        f"it cannot hold together with “{LONGER}” (the dose)",
        f"it cannot hold together with “{SHORTER}” (the dose)",
    ]


async def test_a_pair_is_written_anew_with_what_each_holds_under_and_clashes_no_more() -> None:
    script: dict[type[Prompt[Any]], Any] = {**replying((short_key(SHORTER), short_key(LONGER)))}
    anew = "In children with gout 0.5 mg twice daily is given."
    quotes = (DraftQuote(passage_id=SHOWN[REVIEW.reference.id].id, quote=DOSE),)
    rewritten = RepairedStatement(text=anew, quotes=quotes, fault=short_key(LONGER))
    script[Repair] = RepairReply(statements=(rewritten,))
    again = says(saying(anew, (REVIEW, DOSE)), "supports", REVIEW, DOSE)
    script[CheckConsistency] = [script[CheckConsistency], ConsistencyReply(items=(again,))]
    kept, asked = await checked(ONE, OTHER, script=script)
    assert statuses(kept.statements) == ["verified", "verified"]
    assert [one.text for one in kept.statements] == [SHORTER, anew]
    [prompt] = [one for one in asked.model.prompts if isinstance(one, Repair)]  # type: ignore[attr-defined]
    assert [one.reason for one in prompt.faults] == [
        f"it cannot hold together with “{LONGER}” (the dose)",
        f"it cannot hold together with “{SHORTER}” (the dose)",
    ]


@each_row(("again", "status"), [((), "verified"), (((short_key(SHORTER), short_key(LONGER)),), "unverified")])
async def test_a_pair_that_comes_back_as_it_was_clashes_no_more_unless_it_is_named_again(
    again: tuple[tuple[str, str], ...], status: str
) -> None:
    script: dict[type[Prompt[Any]], Any] = {**replying((short_key(SHORTER), short_key(LONGER)))}
    first, second = replying(*again)[CheckConsistency], replying()[CheckConsistency]
    script[CheckConsistency] = [script[CheckConsistency], first if again else second]
    same = tuple(
        RepairedStatement(
            text=text,
            quotes=(DraftQuote(passage_id=SHOWN[one.reference.id].id, quote=quote),),
            fault=short_key(text),
        )
        for text, one, quote in ((SHORTER, TRIAL, COLCHICINE), (LONGER, REVIEW, DOSE))
    )
    script[Repair] = RepairReply(statements=same)
    kept, _ = await checked(ONE, OTHER, script=script)
    assert statuses(kept.statements) == [status] * 2
    assert kept.dropped == ()


async def test_a_pair_of_which_one_is_unknown_or_the_same_is_no_pair() -> None:
    kept, _ = await checked(ONE, OTHER, script=replying((short_key(SHORTER), "abcdef"), (short_key(LONGER),) * 2))
    assert statuses(kept.statements) == ["verified", "verified"]


async def test_a_statement_that_fell_clashes_with_none() -> None:
    script = replying((short_key(SHORTER), short_key(LONGER)))
    items = (says(ONE, "supports"), says(OTHER, "silent", REVIEW, DOSE))
    script[CheckConsistency] = script[CheckConsistency].model_copy(update={"items": items})
    kept, _ = await checked(ONE, OTHER, script=script)
    assert statuses(kept.statements) == ["verified"]
