"""A question's language is told by its own words, and medical Latin is no Italian."""

import gzip
import json
from pathlib import Path

import pytest

from tests.tables import each_row
from tests.text.labelled import lines
from wellsourced.text.languages import detect_language, language_name

SHARED = Path(__file__).parents[3] / "shared" / "data"


def questions() -> dict[str, list[str]]:
    """Code → its questions."""
    found: dict[str, list[str]] = {}
    code = ""
    for line in lines("languages.txt"):
        if line.startswith("# "):
            code = line[2:]
        else:
            found.setdefault(code, []).append(line)
    return found


@each_row("code", sorted(questions()))
def test_nine_in_ten_questions_of_a_language_are_told_to_be_of_it(code: str) -> None:
    wrong = {text: detect_language(text) for text in questions()[code] if detect_language(text) != code}
    assert len(questions()[code]) >= 20
    assert len(wrong) <= 2, wrong


@pytest.mark.skipif(not SHARED.is_dir(), reason="the development data (../shared/data) are not on this machine")
def test_two_in_a_thousand_english_questions_at_most_are_taken_for_another_language() -> None:
    asked: list[str] = []
    for path in sorted((SHARED / "qa").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            asked += [json.loads(line)["question"] for line in file]
    wrong = {text: detect_language(text) for text in asked if detect_language(text) != "en"}
    assert len(asked) > 5000
    assert len(wrong) <= 0.002 * len(asked), wrong


@each_row(
    "text",
    [
        "",
        "?",
        "lichen planus",
        "placenta praevia totalis in situ",
        "status epilepticus de novo",
        "per os, pro re nata",
        "carcinoma in situ cervicis uteri",
        "lupus erythematosus, de Quervain tenosynovitis",
        "α-blocker or β-blocker in pheochromocytoma?",
        "diabetes mellitus",
        "café au lait spots",
        "von Willebrand disease and la belle indifférence",
        "Ménière's disease",
    ],
)
def test_what_is_too_short_or_too_latin_to_tell_is_english(text: str) -> None:
    assert detect_language(text) == "en"


@each_row(
    ("text", "code"),
    [("які побічні ефекти?", "uk"), ("당뇨병 치료는?", "ko"), ("ποια είναι η θεραπεία;", "el"), ("מה הטיפול?", "he")],
)
def test_a_script_tells_its_language(text: str, code: str) -> None:
    assert detect_language(text) == code


def test_a_language_has_an_english_name_and_an_unknown_code_itself() -> None:
    assert language_name("de") == "German"
    assert language_name("ja") == "Japanese"
    assert language_name("xx") == "xx"
