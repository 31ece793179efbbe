"""What one source says of a claim: a text that only asks or assumes something does not say it."""

import pytest

from tests.factcheck.fakes import Pairs, opened, verdict
from wellsourced.claims.guard.hedging import find_hedging_sentence
from wellsourced.factcheck.pairing import DocumentVerdict, JudgingOptions, judge_document

CLAIM = "Aspirin prevents colorectal cancer."
AIM = "The aim was to find out whether aspirin prevents colorectal cancer."
RESULT = "Aspirin prevented colorectal cancer in four trials."


async def said(text: str, quote: str = "") -> DocumentVerdict:
    document = opened("1", text).document
    assert document is not None
    judge = Pairs({(CLAIM, ""): verdict("supports", 0.97, quote=quote)})
    return (await judge_document(document, [CLAIM], judge, JudgingOptions()))[CLAIM]


async def test_a_source_that_only_asks_does_not_support_whatever_the_judge_says() -> None:
    found = await said(AIM)
    assert (found.verdict.label, found.quote) == ("silent", "")
    assert found.verdict.reason.startswith("the source only says what is thought, asked or not shown: “The aim")


async def test_a_source_that_asks_and_then_finds_supports_and_a_judge_that_shows_the_finding_is_believed() -> None:
    assert (await said(f"{AIM} {RESULT}")).verdict.label == "supports"
    assert (await said(f"{AIM} Fewer had tumours.", "Fewer had tumours.")).verdict.label == "supports"
    assert (await said(f"{AIM} Fewer had tumours.", AIM)).verdict.label == "silent"


@pytest.mark.parametrize(
    ("sentence", "is_doubted"),
    [
        ("There is no evidence that aspirin prevents colorectal cancer.", True),
        ("We tested the hypothesis that aspirin prevents colorectal cancer.", True),
        ("Whether aspirin prevents colorectal cancer remains unclear.", True),
        ("That aspirin prevents colorectal cancer is still unproven.", True),
        (RESULT, False),
        ("Aspirin prevents colorectal cancer, but how it does so remains unclear.", False),
        ("Aspirin prevents colorectal cancer; there is no evidence that it prevents lung cancer.", False),
    ],
)
def test_what_is_asked_assumed_or_not_shown_is_doubted(sentence: str, is_doubted: bool) -> None:
    assert bool(find_hedging_sentence(CLAIM, sentence)) == is_doubted
