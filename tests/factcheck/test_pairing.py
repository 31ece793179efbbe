"""What one source says of a claim: a text that only asks or assumes something does not say it."""

from tests.factcheck.fakes import Pairs, opened, verdict
from tests.tables import each_row
from wellsourced.compare.slots import find_disagreements
from wellsourced.factcheck.pairing import DocumentVerdict, JudgingOptions, judge_document
from wellsourced.judges.base import UNLOCATED_SUPPORT
from wellsourced.types import Verdict

CLAIM = "Aspirin prevents colorectal cancer."
AIM = "The aim was to find out whether aspirin prevents colorectal cancer."
RESULT = "Aspirin prevented colorectal cancer in four trials."


async def said(claim: str, text: str, told: Verdict, question: str = "") -> DocumentVerdict:
    document = opened("1", text).document
    assert document is not None
    options = JudgingOptions(question=question)
    return (await judge_document(document, [claim], Pairs({(claim, ""): told}), options))[claim]


@each_row(
    ("told", "status"),
    [
        (verdict("supports", quote=RESULT), "verified"),
        (verdict("contradicts", quote=RESULT), "contradicted"),
        (verdict("silent"), "unsupported"),
        (verdict("supports", basis="judge"), "verified"),
        (verdict("supports", 0.99, basis="likeness"), "unverified"),
        (verdict("contradicts", 0.99, basis="likeness"), "unverified"),
        (verdict("silent", basis="likeness"), "unverified"),
        (verdict("unjudged"), "unjudged"),
    ],
)
async def test_a_claim_is_told_as_what_whoever_judged_it_can_be_believed(told: Verdict, status: str) -> None:
    assert (await said(CLAIM, f"{AIM} {RESULT}", told)).verdict.status == status


async def test_the_sources_own_sentence_is_verbatim_and_nobody_is_asked() -> None:
    document = opened("1", f"{AIM} {RESULT}").document
    assert document is not None
    judge = Pairs({})
    found = await judge_document(document, [RESULT], judge, JudgingOptions())
    assert (found[RESULT].verdict.status, found[RESULT].quote, judge.asked) == ("verbatim", RESULT, [])


async def test_what_nobody_verified_is_shown_beside_its_nearest_sentence_with_the_words_that_differ() -> None:
    claim = "Aspirin prevented colorectal cancer in all trials."
    found = await said(claim, f"We studied mice. {RESULT}", verdict("supports", basis="likeness"))
    assert found.quote == RESULT
    marked = {
        (claim[one.claim_start : one.claim_end], RESULT[one.source_start : one.source_end]) for one in found.differences
    }
    assert marked == {("all", "four")}
    assert found.verdict.reason == "differs from its source: “four” → “all”"


async def test_a_figure_that_stands_nowhere_in_the_source_is_not_verified_whoever_found_it_there() -> None:
    found = await said("Aspirin prevented colorectal cancer in 37 trials.", RESULT, verdict("supports", quote=RESULT))
    assert found.verdict.status in ("unverified", "contradicted")
    assert "37" in found.verdict.reason


async def test_support_whose_words_stand_nowhere_is_not_verified_and_says_why() -> None:
    told = Verdict(label="silent", score=0.0, reason=UNLOCATED_SUPPORT)
    found = await said(CLAIM, f"{AIM} {RESULT}", told)
    assert (found.verdict.status, found.verdict.reason, found.quote) == ("unverified", UNLOCATED_SUPPORT, RESULT)


async def test_of_words_that_lie_far_apart_those_nearest_to_the_claim_are_shown() -> None:
    first, between = "Aspirin was given to 400 adults.", "The clinic stood in a town by the sea. " * 20
    told = verdict("supports", quote=f"{first} … {RESULT}")
    found = await said(CLAIM, f"{first} {between}{RESULT}", told)
    assert (found.verdict.status, found.quote) == ("verified", RESULT)


async def test_a_doubt_about_a_figure_is_told_without_the_words_of_a_paraphrase() -> None:
    claim = "In 37 trials, cancers of the bowel were fewer among those who took aspirin."
    told = Verdict(label="supports", score=1.0, reason="Said of four trials.", quote=RESULT, basis="model")
    found = await said(claim, RESULT, told)
    assert found.verdict.reason == "Said of four trials, but “37” is not in the source"


@each_row(
    ("claim", "status"),
    [
        ("A 3 kg baby is given 30 mL.", "verified"),
        ("A 3 kg baby is given 45 mL.", "unverified"),
        ("Patency slipped by 12 percentage points.", "verified"),
        ("Patency slipped by 21 percentage points.", "unverified"),
    ],
)
async def test_what_follows_from_the_judges_words_and_from_what_is_supposed_is_verified(
    claim: str, status: str
) -> None:
    text = "Volume: a baby is given 10 mL/kg. Patency was 60% at first. It was 48% at three years."
    quote = text if "Patency" in claim else "a baby is given 10 mL/kg"
    assert (await said(claim, text, verdict("supports", quote=quote))).verdict.status == status


async def test_what_the_question_says_of_a_patient_needs_no_source() -> None:
    claim, told = "Aspirin prevents cancer in a woman whose tumour measured 37 mm.", verdict("supports", quote=RESULT)
    assert (await said(claim, RESULT, told)).verdict.status == "unverified"
    assert (await said(claim, RESULT, told, "Her tumour measured 37 mm. Aspirin?")).verdict.status == "verified"


async def test_a_contradiction_without_a_sentence_that_is_near_is_none() -> None:
    found = await said(CLAIM, "Mice ran in a wheel. They were grey.", verdict("contradicts"))
    assert (found.verdict.status, found.quote) == ("unverified", "")


@each_row(
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
    assert ("doubt" in {one.kind for one in find_disagreements(CLAIM, sentence)}) == is_doubted


TABLE = """Doses

Drug | Dose | How often
colchicine | 0.6 mg | once daily
naproxen | 500 mg | twice daily

- Prednisone: 30 mg daily. Contraindicated in sepsis.
"""


async def test_the_place_is_the_whole_row_under_its_header_or_the_whole_item() -> None:
    likeness = verdict("supports", 0.4, basis="likeness")
    row = await said("Colchicine is given as 0.6 mg three times daily.", TABLE, likeness)
    assert (row.quote, row.above) == ("colchicine | 0.6 mg | once daily", "Drug | Dose | How often")
    assert TABLE[row.start : row.end] == row.quote == row.verdict.quote
    item = await said("Prednisone 30 mg daily is safe in sepsis.", TABLE, likeness)
    assert item.quote == "Prednisone: 30 mg daily. Contraindicated in sepsis."


async def test_names_and_figures_that_stand_nowhere_in_the_source_are_listed() -> None:
    likeness = verdict("supports", 0.4, basis="likeness")
    found = await said("Naproxen 750 mg and allopurinol are given twice daily.", TABLE, likeness)
    assert found.missing == ("allopurinol", "750 mg")
    assert (await said("Naproxen 500 mg is given twice daily.", TABLE, likeness)).missing == ()


async def test_of_lines_in_several_parts_the_one_with_the_rare_words_and_figures_is_shown() -> None:
    row = "Regimen | 1.2 mg at once, then 0.6 mg one hour later"
    other = "In a first gout flare of a patient with CKD you may give colchicine as usual."
    filler = "Gout flares of a patient with CKD are usual, and you may give colchicine."
    claim = (
        "As usual you may give colchicine, 1.2 mg then 0.6 mg one hour later, in a first gout flare of a patient with "
        "CKD."
    )
    text = "\n\n".join((row, *[filler] * 3, other))
    document = opened("1", text).document
    assert document is not None
    options = JudgingOptions(window=90, max_parts=9)
    told = Pairs({(claim, ""): verdict("silent", basis="likeness")})
    assert (await judge_document(document, [claim], told, options))[claim].quote == row
