"""What a question leans on: the topic of the conversation, unless it names its own."""

import json
import re
from pathlib import Path
from typing import Any

from tests.tables import each_row
from wellsourced.question.expansions import LexicalUnderstanding
from wellsourced.question.follow_up import names_condition, resolve_follow_up
from wellsourced.types import Question, Turn

FILE = Path(__file__).parents[2] / "evaluate" / "data" / "clinical_cases" / "follow_ups.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
LEANING_ON_AN_ANSWER = frozenset({"dka-potassium", "news2-trigger"})
"""Cases in which the words of the answer before tell: nothing is answered here."""

UNDERSTANDING = LexicalUnderstanding([], None)

GOUT = ("How is gout treated?", "Allopurinol is the first-line agent. Colchicine is given for flares.")
STROKE = ("Who should get alteplase in acute ischemic stroke?", "Those within 4.5 hours of onset, at 0.9 mg/kg.")


def turns(*said: tuple[str, str]) -> tuple[Turn, ...]:
    return tuple(
        turn for asked, told in said for turn in (Turn(role="user", text=asked), Turn(role="assistant", text=told))
    )


async def resolve(text: str, *said: tuple[str, str]) -> str:
    found = await resolve_follow_up(Question(text=text, history=turns(*said)), UNDERSTANDING)
    return found[0] if found else text


@each_row("case", [case for case in CASES if case["id"] not in LEANING_ON_AN_ANSWER])
async def test_a_follow_up_is_on_its_topic_and_a_new_topic_is_not_on_the_one_before(case: dict[str, Any]) -> None:
    *before, asked = case["turns"]
    text = await resolve(asked, *((earlier, "") for earlier in before))
    assert re.search(case["topic"], text, re.IGNORECASE)
    assert not re.search(case["foreign"], text, re.IGNORECASE)


@each_row(
    ("text", "expected"),
    [
        ("What is the target?", "What is the target: gout?"),
        ("Is aspirin an alternative?", "Is aspirin an alternative: gout?"),
        ("What is the starting dose of allopurinol?", "What is the starting dose of allopurinol: gout?"),
        ("What is the target in CKD?", "What is the target in CKD: gout?"),
        ("And in children?", "And in children: gout, treated?"),
    ],
)
async def test_a_question_without_a_topic_takes_that_of_the_question_before(text: str, expected: str) -> None:
    assert await resolve(text, GOUT) == expected


@each_row(
    "text",
    [
        "And what is the target in rheumatoid arthritis?",
        "What is CURB-65?",
        "Is metformin safe in pregnancy?",
        "How is warfarin reversed?",
        "Which vaccines does an adult with COPD need?",
        "What is the dose of alteplase?",
    ],
)
async def test_a_question_with_its_own_topic_stands_alone(text: str) -> None:
    assert await resolve(text, GOUT) == text


async def test_after_a_change_of_topic_a_follow_up_leans_on_the_new_one() -> None:
    text = await resolve("What is the maximum dose?", GOUT, STROKE)
    assert "stroke" in text
    assert "gout" not in text


async def test_a_question_in_the_words_of_an_answer_stays_with_it() -> None:
    dka = ("How is diabetic ketoacidosis treated?", "With insulin, fluids and potassium.")
    asked = "At which potassium should insulin be held?"
    assert await resolve(asked, dka) == f"{asked[:-1]}: diabetic ketoacidosis?"


@each_row(
    ("text", "named"),
    [
        ("gout", True),
        ("acute pancreatitis", True),
        ("the target in COPD", True),
        ("in kidney disease", False),
        ("aspirin", False),
    ],
)
def test_a_condition_is_known_by_its_name_and_by_how_names_of_diseases_end(text: str, named: bool) -> None:
    assert names_condition(text) is named
