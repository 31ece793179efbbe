"""A text taken apart into claims that can be judged alone, by rules."""

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.citations.markers import find_markers
from wellsourced.claims.atomic_facts import split_facts
from wellsourced.claims.extraction import extract_claims
from wellsourced.text.tokens import stem_coverage

EXPERTQA = Path(__file__).parents[3] / "shared/data/qa/expertqa.jsonl.gz"


def said(text: str) -> list[str]:
    return [one.text for one in extract_claims(text, find_markers(text)).claims]


@each_row(
    ("text", "expected"),
    [
        ("Metformin lowers glucose [1]. Nausea is common [2].", ["Metformin lowers glucose.", "Nausea is common."]),
        ("Metformin is a drug. It lowers glucose.", ["Metformin is a drug.", "Metformin lowers glucose."]),
        ("Statins are drugs. They lower cholesterol.", ["Statins are drugs.", "Statins lower cholesterol."]),
        ("Metformin is a drug. Its dose is 500 mg.", ["Metformin is a drug.", "Metformin’s dose is 500 mg."]),
        (
            "Aspirin inhibits cyclooxygenase. It is an enzyme of platelets.",
            ["Aspirin inhibits cyclooxygenase.", "It is an enzyme of platelets."],
        ),
        (
            "Metformin is a drug. It is important that the dose is low.",
            ["Metformin is a drug.", "It is important that the dose is low."],
        ),
        (
            "Treatments for asthma include:\n\n- inhaled steroids\n- salbutamol [4]",
            ["Treatments for asthma include inhaled steroids", "Treatments for asthma include salbutamol"],
        ),
        ("Doses for adults with pain, e.g. 1.5 mg, are low.", ["Doses for adults with pain, e.g. 1.5 mg, are low."]),
        ("| Drug | Dose |\n|---|---|\n| Metformin | 500 mg |", ["Drug: Metformin; Dose: 500 mg"]),
        (
            "| Drug | Dose |\n|---|---|\n| Metformin | 500 mg |\n| Aspirin | 100 mg |",
            ["Drug: Metformin; Dose: 500 mg", "Drug: Aspirin; Dose: 100 mg"],
        ),
        ("Metformin lowers glucose.\n\n## Funding\n\nInsulin was given by its maker.", ["Metformin lowers glucose."]),
    ],
)
def test_each_claim_stands_alone(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@each_row(
    ("sentence", "expected"),
    [
        (
            "Drug A lowered mortality by 5 %; drug B lowered mortality by 3 %.",
            ["Drug A lowered mortality by 5 %.", "Drug B lowered mortality by 3 %."],
        ),
        ("Mortality was 12 % of men compared with 1 % of women.", ["Mortality was 12 % of men compared with 1 % of women."]),  # noqa: E501
        ("Age was between 20 years of age and 30 years of age.", ["Age was between 20 years of age and 30 years of age."]),  # noqa: E501
    ],
)  # fmt: skip
def test_facts_with_numbers_of_their_own_are_split_only_where_the_grammar_is_sure(
    sentence: str, expected: list[str]
) -> None:
    assert split_facts(sentence) == expected


@each_row(
    "text",
    [
        "Hello! Great question.",
        "Is metformin safe?",
        "Please consult your doctor before starting any new medication.",
        "This information is not a substitute for professional medical advice.",
        "## Side effects of statins",
        "Would you like to know more about the treatment?",
        "The passages provided do not mention metformin in pregnancy.",
        "The cat sat on the mat. It was a sunny afternoon in Paris. We ate bread.",
    ],
)
def test_greetings_questions_disclaimers_headings_and_other_talk_claim_nothing(text: str) -> None:
    apart = extract_claims(text)
    assert apart.claims == ()
    assert apart.other


def test_a_mark_behind_the_stop_belongs_to_the_sentence_before_and_one_in_a_list_number_to_its_item() -> None:
    text = "Metformin lowers glucose. [5]. Nausea is common.\n\n1[6].\nWash the wound with soap."
    found = [(one.text, [mark.labels for mark in one.marks]) for one in extract_claims(text, find_markers(text)).claims]
    assert found == [
        ("Metformin lowers glucose.", [("5",)]),
        ("Nausea is common.", []),
        ("Wash the wound with soap.", [("6",)]),
    ]


@pytest.mark.skipif(not EXPERTQA.exists(), reason="the development data (../shared/data) are not on this machine")
def test_no_word_of_an_answer_is_lost_and_every_claim_shares_half_of_its_words_with_its_span() -> None:
    with gzip.open(EXPERTQA, "rt", encoding="utf-8") as lines:
        answers = [json.loads(line)["ideal_answer"] for line in lines][:80]
    for text in answers:
        found = find_markers(text)
        apart = extract_claims(text, found)
        covered = list(text)
        for start, end in [*((one.start, one.end) for one in apart.claims), *apart.other, *(one[:2] for one in found)]:
            covered[start:end] = " " * (end - start)
        assert not re.search(r"[^\W\d_]{2}", "".join(covered))
        assert all(stem_coverage(one.text, text[one.start : one.end]) >= 0.5 for one in apart.claims)


@each_row(
    "text",
    [
        "Colchicine shortened gout flares by two days in adults.",
        "Ibrutinib beat chlorambucil.",
        "COPD gets worse over years.",
        "Take 500 mg twice a day with food.",
        "The wolf was studied in Norway [1].",
    ],
)
def test_a_sentence_with_any_sign_of_medicine_or_a_mark_is_a_statement(text: str) -> None:
    assert [one.text for one in extract_claims(text, find_markers(text)).claims] == [text.replace(" [1]", "")]


def test_a_heading_that_talks_of_the_text_is_no_subject_of_its_items() -> None:
    text = "### How it helps\n\n- **Colchicine** shortened gout flares in adults.\n\n### Side effects\n\n- Nausea\n"
    assert extract_claims(text).claims[0].text == "Colchicine shortened gout flares in adults."


def test_a_bare_yes_is_no_statement() -> None:
    text = "**Short answer:** yes, it does.\n\nColchicine shortened gout flares."
    assert [one.text for one in extract_claims(text).claims] == ["Colchicine shortened gout flares."]


def marks_by_claim(text: str) -> list[tuple[str, tuple[str, ...]]]:
    claims = extract_claims(text, find_markers(text)).claims
    return [(one.text.split()[0], tuple(label for mark in one.marks for label in mark.labels)) for one in claims]


@each_row(
    ("text", "expected"),
    [
        ("- Colchicine helps in gout. Naproxen is as good. [1]\n", [("Colchicine", ("1",)), ("Naproxen", ("1",))]),
        ("- Colchicine helps in gout.\n  Naproxen is as good [1].\n", [("Colchicine", ("1",)), ("Naproxen", ("1",))]),
        ("- Colchicine helps in gout [1]. Naproxen is as good.\n", [("Colchicine", ("1",)), ("Naproxen", ())]),
        ("- Colchicine helps in gout [1]. Naproxen is as good [2].\n", [("Colchicine", ("1",)), ("Naproxen", ("2",))]),
        ("- Colchicine helps in gout.\n- Naproxen is as good [1].\n", [("Colchicine", ()), ("Naproxen", ("1",))]),
        ("- Colchicine helps in gout.\n\nNaproxen is as good [1].\n", [("Colchicine", ()), ("Naproxen", ("1",))]),
    ],
)
def test_both_sentences_of_an_item_bear_the_mark_at_its_end(text: str, expected: list[tuple[str, str]]) -> None:
    assert marks_by_claim(text) == expected
