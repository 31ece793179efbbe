"""Statements whose verdict is known, made from the passages of a call, and what a record says."""

from pathlib import Path
from random import Random

from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from wellsourced.controls.record import (
    NOT_CONTROLLED,
    JudgeControls,
    ModelRecord,
    plant_controls,
    read_outcomes,
)
from wellsourced.controls.statements import CallWords, Control, Place, alter_base, list_bases, make_controls
from wellsourced.errors import ModelUnavailable
from wellsourced.judges.base import Pair
from wellsourced.judges.llm import LlmJudge
from wellsourced.prompts.verification import KeyedStatement, StatementVerdict, VerificationReply, VerifyStatements
from wellsourced.types import short_key

SEPSIS = """\
The SSC suggests adding vasopressin instead of escalating norepinephrine for adults with septic shock.

- Fixed dose: 0.03 units/min (not titrated).
- Vasopressin is typically started when norepinephrine is in the range of 0.25-0.5 mcg/kg/min.
- Higher vasopressin doses may be associated with adverse effects including cardiac ischaemia.

Drug | Start | Route
Hydrocortisone | 50 mg every 6 hours | IV
Vasopressin | 0.03 units/min | IV
"""
TABLE = Place(
    "Stage | Dose\nMild | 10 mg daily\nSevere | 40 mg daily", title="Gout", section="Gout › Dosing in kidney disease"
)
CLAIM = "Vasopressin is added at 0.03 units/min."


def call(source: str = SEPSIS, claim: str = CLAIM) -> VerifyStatements:
    return VerifyStatements(claims=(KeyedStatement(key=short_key(claim), text=claim),), source=source)


def judging(prompt: VerifyStatements, *, altered: bool, right: bool, claim: str) -> VerificationReply:
    """What a model says that sees altered controls, and accepts right ones, or not; and its label of the claim."""
    own = prompt.model_copy(update={"claims": tuple(one for one in prompt.claims if one.text == CLAIM)})
    known = {one.key: one.is_right for one in plant_controls(own)[0]}
    says = {one.key: right if known.get(one.key, True) else not altered for one in prompt.claims}
    labels = {key: "supports" if is_right else "silent" for key, is_right in says.items()} | {short_key(CLAIM): claim}
    excerpt = "Fixed dose: 0.03 units/min"
    return VerificationReply.model_validate(
        {"items": [{"key": key, "label": label, "excerpt": excerpt} for key, label in labels.items()]}
    )


def model(name: str = "one", *, altered: bool = True, right: bool = True, claim: str = "supports") -> ScriptedModel:
    made = ScriptedModel({VerifyStatements: lambda prompt: judging(prompt, altered=altered, right=right, claim=claim)})
    made.name = name
    return made


async def judged(*models: ScriptedModel, controls: JudgeControls | None = None) -> tuple[str, str]:
    judge = LlmJudge(models[0], controls=controls or JudgeControls(), others=models[1:])
    [found] = await judge.judge([Pair(CLAIM, SEPSIS)])
    return found.label, found.reason


# --- what is made ----------------------------------------------------------------------------------------------------


def test_a_call_gets_a_right_and_an_altered_statement_the_same_each_time() -> None:
    made = make_controls([CLAIM], [Place(SEPSIS, section="Sepsis › Vasopressors")])
    assert {one.is_right for one in made} == {True, False}
    assert made == make_controls([CLAIM], [Place(SEPSIS, section="Sepsis › Vasopressors")])
    for one in made:
        assert (one.text.rstrip(".").endswith(one.base.rstrip("."))) == one.is_right


def test_what_is_altered_stands_nowhere() -> None:
    place = Place(SEPSIS, section="Sepsis › Vasopressors")
    told = " ".join(SEPSIS.split())
    assert all(one.text not in told for one in make_controls([CLAIM], [place]) if not one.is_right)


def test_a_cell_is_said_with_its_row_and_heading_and_altered_to_that_of_another_row() -> None:
    [mild, severe] = list_bases(TABLE)
    assert mild.say(mild.words) == "Dosing in kidney disease: Mild: Dose: 10 mg daily."
    assert mild.siblings == ("40 mg daily",)
    assert severe.siblings == ("10 mg daily",)


@each_row(
    ("above", "lead"),
    [
        ("Adults", "Adults: Mild: Dose"),
        ("It is given at once.", "Mild: Dose"),
        ("In those who had none of it in all of the years so far: ", ""),
    ],
)
def test_a_cell_is_said_with_the_line_above_its_table(above: str, lead: str) -> None:
    place = Place(f"{above}\n\nDisease | Dose\nMild | 10 mg daily\nSevere | 40 mg daily")
    assert [one.lead for one in list_bases(place) if one.is_whole and one.words == "10 mg daily"] == [lead] * bool(lead)


def test_of_two_rows_of_one_name_none_is_taken() -> None:
    place = Place("Drug | Route | Dose\nSemaglutide | oral | 14 mg\nSemaglutide | injected | 2 mg")
    assert not list(list_bases(place))


def test_an_item_is_said_under_the_line_above_its_list() -> None:
    text = "1. Every stage\n- Blood pressure is measured at every visit of the clinic.\n4. Advanced CKD (G4-G5)\n"
    text += (
        "- Prepare for renal replacement therapy in good time.\n- Refer to nephrology early if not followed already."
    )
    last = [*list_bases(Place(text, section="CKD › Staging"))][-1]
    assert last.say(last.words).startswith("CKD: Staging: Advanced CKD (G4-G5): Refer to nephrology early")


def test_a_row_of_a_table_introduces_no_list() -> None:
    text = "Parameter | Detail\nRelease | extended\n\n- The risk of lactic acidosis increases at an eGFR below 30."
    last = [*list_bases(Place(text, section="Diabetes › Metformin"))][-1]
    assert last.say(last.words) == "Diabetes: Metformin: The risk of lactic acidosis increases at an eGFR below 30."


def test_what_is_altered_can_be_said() -> None:
    made = [
        "Training induces an increased blood flow in the heart of mice.",
        "The trial reported no significant differences between both groups of patients.",
        "Treatment improves the function of the hip in everyday life.",
        "Selected patients are those with no severe encephalopathy in their history.",
        "The best interval of visits has not been determined yet in trials.",
        "Another technique is to control the synthesis of prostaglandins in joints.",
        "MMP-9 in circulating cells was blocked early.",
    ]
    place = Place(" ".join(made))
    shown = CallWords([place], "")
    altered = [one.text for base in list_bases(place) for one in alter_base(base, shown, Random(1))]  # noqa: S311
    assert altered == [
        "Training induces a decreased blood flow in the heart of mice.",
        "The trial reported clear significant differences between both groups of patients.",
        "Treatment impairs the function of the hip in everyday life.",
        "MMP-9 in circulating cells was not blocked early.",
    ]


def test_a_cell_beside_other_cells_is_altered_and_not_repeated() -> None:
    place = Place("Dose | Timing | Infusion\nLow | < 8 hours | 4 mg/min\nHigh | > 8 hours | 8 mg/min")
    found = [*list_bases(place)]
    assert found
    assert not any(one.is_whole for one in found)


def test_what_leans_on_a_line_above_is_not_repeated() -> None:
    place = Place(
        "Do not use any of these:\n- Aspirin is given at 300 mg daily in most patients.", section="Gout › NSAIDs"
    )
    assert not any(one.is_whole for one in list_bases(place))


def test_a_heading_that_limits_what_is_said_goes_along() -> None:
    text = "DOACs are generally avoided because of limited safety data."
    place = Place(text, title="VTE", section="VTE › CrCl < 30 mL/min")
    [base] = list_bases(place)
    assert base.say(base.words).startswith("CrCl < 30 mL/min: DOACs are")


@each_row("text", ["", "12 34 56", "Welche Dosis wird bei einer Sepsis gegeben und wie lange soll sie gegeben werden?"])
def test_where_nothing_can_be_altered_there_are_none(text: str) -> None:
    assert make_controls([CLAIM], [Place(text)]) == ()


def test_a_table_of_400_rows_and_a_claim_of_400_words_are_no_trouble() -> None:
    rows = "\n".join(f"Drug {number} | {number} mg daily" for number in range(2, 402))
    made = make_controls(["word " * 400], [Place(f"Name | Dose\n{rows}")])
    assert all(one.is_right or one.text not in rows for one in made)


def test_controls_stand_unmarked_among_the_claims() -> None:
    controls, planted = plant_controls(call())
    assert {one.text for one in planted.claims} == {CLAIM, *(one.text for one in controls)}
    assert all(one.key == short_key(one.text) and not one.questions for one in planted.claims)


# --- whose verdicts count --------------------------------------------------------------------------------------------


async def test_an_honest_model_is_heard() -> None:
    assert (await judged(model()))[0] == "supports"


async def test_who_says_yes_to_everything_has_judged_nothing() -> None:
    label, reason = await judged(model(altered=False))
    assert label == "unjudged"
    assert "called a planted error right" in reason
    assert reason.endswith("its verdicts do not count")


@each_row(
    ("altered", "right", "claim", "counts"),
    [
        # Who refuses too much is believed where it supports, and both are where they show a contradiction.
        (True, False, "supports", "supports"),
        (True, False, "silent", "unjudged"),
        (True, False, "contradicts", "contradicts"),
        (False, True, "contradicts", "contradicts"),
        (False, False, "supports", "unjudged"),
        (False, False, "contradicts", "contradicts"),
    ],
)
async def test_what_still_counts_of_a_call_that_failed(altered: bool, right: bool, claim: str, counts: str) -> None:
    label, reason = await judged(model(altered=altered, right=right, claim=claim))
    assert label == counts
    if counts == "unjudged":
        assert ("refused a statement" if altered else "called a planted error right") in reason


async def test_the_other_model_is_asked_in_its_place() -> None:
    blind, other = model("blind", altered=False), model("other")
    label, reason = await judged(blind, other)
    assert (label, len(other.prompts)) == ("supports", 1)
    assert "blind, which checked, called a planted error right" in reason
    assert "other was asked in its place" in reason


async def test_what_a_strict_model_supports_counts_where_the_other_one_is_down() -> None:
    strict, down = model("strict", right=False), ScriptedModel({VerifyStatements: ModelUnavailable("it timed out")})
    down.name = "down"
    label, reason = await judged(strict, down)
    assert label == "supports"
    assert "refused a statement that its passage makes" in reason
    assert "down could not be asked in its place: it timed out" in reason


async def test_an_empty_list_is_no_verdict() -> None:
    silent = ScriptedModel({VerifyStatements: VerificationReply()})
    label, reason = await judged(silent)
    assert (label, "passed over a planted error" in reason) == ("unjudged", True)


async def test_a_reply_that_ends_before_the_planted_error_does_not_count() -> None:
    def first(prompt: VerifyStatements) -> VerificationReply:
        said = judging(prompt, altered=True, right=True, claim="supports").items
        return VerificationReply(items=tuple(one for one in said if one.key == short_key(CLAIM)))

    assert (await judged(ScriptedModel({VerifyStatements: first})))[0] == "unjudged"


async def test_a_call_without_controls_says_so() -> None:
    text = "Gout hurts."
    claim = StatementVerdict(key=short_key("It hurts."), label="supports", excerpt="Gout hurts.")
    asked = ScriptedModel({VerifyStatements: VerificationReply(items=(claim,))})
    [found] = await LlmJudge(asked, controls=JudgeControls()).judge([Pair("It hurts.", text)])
    assert (found.label, found.reason) == ("supports", NOT_CONTROLLED)


# --- the record ------------------------------------------------------------------------------------------------------


def control(kind: str) -> Control:
    return Control(f"control of {kind}", kind, 0, "")


def recorded(*outcomes: tuple[str, bool]) -> ModelRecord:
    record = ModelRecord(model="m")
    for number, (kind, is_known) in enumerate(outcomes):
        record = record.add_call(str(number), {control(kind): is_known})
    return record


def test_a_figures_only_judge_is_told_by_its_kinds_and_is_no_judge() -> None:
    record = recorded(*[("figure", True), ("negation", False), ("right", True)] * 8)
    assert record.missed_kinds == ("negation",)
    assert record.distrust == "m is not believed as a judge: lately it caught 8 of 16 planted errors"
    assert "caught 8 of 16 planted errors" in record.description
    assert ", 0 of 8 in negations" in record.description


def test_who_refuses_every_third_right_statement_is_no_judge() -> None:
    record = recorded(*[("figure", True), ("right", True), ("right", True), ("right", False)] * 5)
    assert record.missed_kinds == ()
    assert record.distrust.endswith("lately it accepted 10 of 15 right statements")


def test_an_honest_judge_is_believed_in_spite_of_a_slip() -> None:
    assert not recorded(*[("figure", True), ("right", True)] * 20, ("row", False)).distrust


def test_the_last_fifty_count() -> None:
    assert not recorded(*[("figure", False)] * 30, *[("figure", True)] * 50).distrust


@each_row(("known", "tried", "missed"), [(0, 1, False), (0, 2, True), (2, 6, True), (1, 2, False), (46, 48, False)])
def test_a_kind_is_missed_where_its_interval_lies_below_what_is_asked(known: int, tried: int, missed: bool) -> None:
    record = recorded(*[("figure", number < known) for number in range(tried)])
    assert bool(record.missed_kinds) == missed


async def test_the_record_is_kept_and_a_call_from_the_cache_counts_once(tmp_path: Path) -> None:
    controls = JudgeControls(tmp_path / "home" / "controls.json")
    for _ in range(3):
        await judged(model(altered=False), controls=controls)
    [told] = JudgeControls(tmp_path / "home" / "controls.json").describe(["one", "one", "nobody"])
    assert told.startswith("one caught 0 of 1 planted errors")
    (tmp_path / "home" / "controls.json").write_text("{", encoding="utf-8")
    assert controls.describe(["one"]) == ()


async def test_who_is_not_believed_is_asked_last_and_does_not_count(tmp_path: Path) -> None:
    controls = JudgeControls(tmp_path / "controls.json")
    record = recorded(*[("negation", False)] * 10).model_copy(update={"model": "blind"})
    (tmp_path / "controls.json").write_text(f'{{"models": [{record.model_dump_json()}]}}', encoding="utf-8")
    blind, other = model("blind"), model("other")
    assert (await judged(blind, other, controls=controls))[0] == "supports"
    assert (len(blind.prompts), len(other.prompts)) == (0, 1)
    label, reason = await judged(model("blind"), controls=controls)
    assert (label, reason) == ("unjudged", "blind is not believed as a judge: lately it caught 1 of 11 planted errors")


def test_of_several_verdicts_on_a_control_the_cautious_one_counts() -> None:
    said = [StatementVerdict(key=control("figure").key, label=label) for label in ("supports", "contradicts")]
    assert read_outcomes([control("figure")], said) == {control("figure"): True}


async def test_errors_that_a_model_misses_are_named(tmp_path: Path) -> None:
    record = recorded(*[("row", False)] * 3, *[("figure", True)] * 20).model_copy(update={"model": "one"})
    (tmp_path / "controls.json").write_text(f'{{"models": [{record.model_dump_json()}]}}', encoding="utf-8")
    label, reason = await judged(model(), controls=JudgeControls(tmp_path / "controls.json"))
    assert (label, reason.endswith("one misses errors in rows of tables")) == ("supports", True)
