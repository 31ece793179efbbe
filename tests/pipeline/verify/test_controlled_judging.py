"""A model that checks a draft is itself checked in every call: what becomes of its verdicts, and what is told."""

from dataclasses import replace

from tests.pipeline.verify.test_verification import Doubting
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import context, document, passages, source
from wellsourced.controls.record import CONTROLS_OFF, JudgeControls, plant_controls
from wellsourced.errors import ModelUnavailable
from wellsourced.models.base import Reply
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.consistency import check_consistency
from wellsourced.pipeline.verify.verification import VerificationResult, verify_statements
from wellsourced.policy import CheckPolicy
from wellsourced.prompts.verification import CheckConsistency, ClaimVerdict, ConsistencyReply
from wellsourced.types import Citation, Evidence, Question, Statement, short_key

QUOTE = "Colchicine shortened the gout flare by two days compared with placebo."
TEXT = f"{QUOTE} Allopurinol is given at 100 mg daily in adults with gout. Febuxostat is recommended at 40 mg daily."
TRIAL = document("pubmed:1", TEXT, title="A trial of colchicine")
(PASSAGE,) = passages(TRIAL)
CLAIM = "Colchicine made gout flares shorter."
QUESTION = Question(text="Does colchicine help in gout?")


def judge(
    name: str, *, sees: bool = True, accepts: bool = True, answers: bool = True, missing: bool = False
) -> ScriptedModel:
    """A model that sees altered controls, accepts right ones, and supports every claim of the draft."""

    def reply(prompt: CheckConsistency) -> Reply:
        own = tuple(one for one in prompt.claims if one.text == CLAIM)
        known = {one.key: one.is_right for one in plant_controls(prompt.model_copy(update={"claims": own}))[0]}
        assert known, "nothing was planted"
        labels = {one.key: accepts if known.get(one.key, True) else not sees for one in prompt.claims}
        labels |= {one.key: True for one in own}
        shown = {key: yes for key, yes in labels.items() if not (missing and key in known)}
        items = tuple(
            ClaimVerdict(key=key, label="supports" if yes else "silent", passage_id=PASSAGE.key, quote=QUOTE)
            for key, yes in shown.items()
        )
        return ConsistencyReply(items=items if answers else ())

    made = ScriptedModel({CheckConsistency: reply})
    made.name = name
    return made


async def verified(
    model: ScriptedModel, assistant: ScriptedModel | None = None, *, policy: CheckPolicy | None = None
) -> VerificationResult:
    """What is kept of one statement in other words than its source's."""
    start = TEXT.index(QUOTE)
    cited = Citation(passage_id=PASSAGE.id, quote=QUOTE, start=start, end=start + len(QUOTE))
    statement = Statement(text=CLAIM, citations=(cited,), verdict=UNCHECKED)
    chosen = policy or CheckPolicy()
    asked = replace(
        context(source("trials", TRIAL)),
        model=model,
        assistant=assistant,
        support_judge=Doubting(),
        has_model=True,
        check=chosen,
        controls=JudgeControls() if chosen.controls else None,
    )
    evidence = [Evidence(passage=PASSAGE, relevance=0.9)]
    return await verify_statements(QUESTION, [statement], evidence, {TRIAL.reference.id: TRIAL}, asked)


def status(result: VerificationResult) -> list[str]:
    return [one.verdict.status for one in result.statements]


async def test_an_honest_model_is_heard_and_no_control_is_shown() -> None:
    kept = await verified(judge("honest"))
    assert ([one.text for one in kept.statements], status(kept)) == ([CLAIM], ["verified"])
    assert not kept.dropped
    assert not [note for note in kept.notes if "planted" in note]


@each_row(
    ("blind", "why"),
    [
        ({"sees": False}, "called a planted error right"),
        ({"answers": False}, "passed over a planted error"),
        ({"missing": True}, "passed over a planted error"),
    ],
)
async def test_what_a_failing_model_says_is_not_shown_as_checked(blind: dict[str, bool], why: str) -> None:
    kept = await verified(judge("one", **blind))
    assert status(kept) == ["unverified"]
    [note] = [note for note in kept.notes if why in note]
    assert note.endswith("its verdicts do not count")


async def test_what_a_model_supports_that_refuses_too_much_is_verified_and_that_is_told() -> None:
    kept = await verified(judge("one", accepts=False))
    assert status(kept) == ["verified"]
    assert any("refused a statement that its passage makes; what it refused is not" in note for note in kept.notes)


async def test_the_model_that_writes_is_asked_where_the_one_that_checks_fails() -> None:
    writer, checker = judge("writer"), judge("checker", sees=False)
    kept = await verified(writer, checker)
    assert status(kept) == ["verified"]
    assert any(note.startswith("checker, which checked, called a planted error right") for note in kept.notes)
    assert "writer was asked in its place" in kept.notes


async def test_two_failing_models_check_nothing() -> None:
    kept = await verified(judge("writer", sees=False), judge("checker", sees=False))
    assert status(kept) == ["unverified"]
    assert sum("called a planted error right" in note for note in kept.notes) == 2


async def test_a_second_model_that_is_down_leaves_the_statement_unchecked() -> None:
    down = ScriptedModel({CheckConsistency: ModelUnavailable("it timed out")})
    down.name = "writer"
    assert status(await verified(down, judge("checker", sees=False))) == ["unverified"]


async def test_without_controls_every_answer_says_so() -> None:
    reply = ConsistencyReply(
        items=(ClaimVerdict(key=short_key(CLAIM), label="supports", passage_id=PASSAGE.key, quote=QUOTE),)
    )
    kept = await verified(ScriptedModel({CheckConsistency: reply}), policy=CheckPolicy(controls=False))
    assert (status(kept), CONTROLS_OFF in kept.notes) == (["verified"], True)


@each_row(("sees", "is_believed"), [(True, True), (False, False)])
async def test_who_knows_its_controls_is_believed(sees: bool, is_believed: bool) -> None:
    start = TEXT.index(QUOTE)
    cited = Citation(passage_id=PASSAGE.id, quote=QUOTE, start=start, end=start + len(QUOTE))
    statement = Statement(text=CLAIM, citations=(cited,), verdict=UNCHECKED)
    asked = replace(context(source("trials", TRIAL)), model=judge("one", sees=sees), controls=JudgeControls())
    wave = await check_consistency(QUESTION, [statement], {PASSAGE.id: PASSAGE}, asked)
    assert wave.is_believed is is_believed
