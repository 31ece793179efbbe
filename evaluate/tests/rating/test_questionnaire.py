"""Forms that do not tell whose an answer is, in orders that can be made again."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.rating.questionnaire import Questionnaire, RatingCriteria, build_questionnaire, read_criteria
from wellsourced_evaluate.rating.system_answers import (
    Citations,
    ComparedQuestion,
    GivenAnswer,
    MatchedAnswers,
    match_answers,
    read_system_answers,
    strip_citations,
)

CRITERIA, _ = read_criteria("")


def build(
    count: int, names: str = "ab", seed: int = 7, raters: int = 3, criteria: RatingCriteria = CRITERIA
) -> Questionnaire:
    questions = [
        ComparedQuestion(f"Question {at}?", {name: GivenAnswer(f"Question {at}?", f"{name} of {at}") for name in names})
        for at in range(count)
    ]
    return build_questionnaire([], MatchedAnswers(tuple(questions), (), ()), criteria, "strip", raters, seed)


@each_row(("names", "count"), [("ab", 9), ("ab", 10), ("abc", 12), ("abc", 1)])
def test_every_question_is_asked_once_and_each_system_stands_as_often_in_each_place(names: str, count: int) -> None:
    made = build(count, names)
    for form in made.forms:
        asked = [item for item in form.items if item.kind == "question"]
        assert sorted(item.question for item in asked) == sorted(f"Question {at}?" for at in range(count))
        for place in range(len(names)):
            stands = Counter(item.systems[place] for item in asked)
            assert max(stands.values()) - min(stands[name] for name in names) <= 1


def test_what_is_shown_is_of_the_systems_that_the_key_names_and_the_key_has_no_answers() -> None:
    made = build(8, "abc")
    key = Questionnaire.model_validate_json(made.model_dump_json())
    for form, its in zip(made.forms, key.forms, strict=True):
        for item, known in zip(form.items, its.items, strict=True):
            assert known == item.model_copy(update={"texts": ()})
            if item.kind != "control":
                number = item.question.removeprefix("Question ").removesuffix("?")
                assert item.texts == tuple(f"{name} of {number}" for name in item.systems)


def test_one_question_comes_again_far_off_with_its_answers_exchanged_and_one_has_a_wrong_answer() -> None:
    assert CRITERIA.control
    for seed in range(50):
        for form in build(12, seed=seed).forms:
            (again,) = (at for at, item in enumerate(form.items) if item.kind == "repeat")
            (first,) = (at for at, item in enumerate(form.items[:again]) if item.question == form.items[again].question)
            assert form.items[again].systems == form.items[first].systems[::-1]
            assert form.items[again].texts == form.items[first].texts[::-1]
            assert again - first >= 4
            (control,) = (item for item in form.items if item.kind == "control")
            assert control.texts[control.systems.index("right")] == CRITERIA.control.right


def test_the_same_seed_gives_the_same_forms_and_another_seed_and_another_rater_other_orders() -> None:
    made = build(10)
    assert build(10) == made
    orders = [tuple(item.question for item in form.items) for form in (*made.forms, *build(10, seed=8).forms)]
    assert len(set(orders)) == len(orders)
    assert len({item.id for form in made.forms for item in form.items}) == 3 * 12


def write(folder: Path, name: str, *rows: object) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_answers_are_matched_by_their_question_and_the_rest_is_told(tmp_path: Path) -> None:
    one = write(
        tmp_path,
        "one.jsonl",
        *({"question": f"Q {at}?", "answer": "same" if at == 2 else f"one {at}"} for at in range(4)),
    )
    other = write(
        tmp_path,
        "other.jsonl",
        *({"question": f"q  {at}?", "answer": "same" if at == 2 else f"two {at}"} for at in range(3)),
    )
    found = match_answers([read_system_answers(path, "keep") for path in (one, other)])
    assert [(item.question, {name: one.text for name, one in item.answers.items()}) for item in found.questions] == [
        ("Q 0?", {"one": "one 0", "other": "two 0"}),
        ("Q 1?", {"one": "one 1", "other": "two 1"}),
    ]
    assert found.identical == ("Q 2?",)
    assert found.lone == (("Q 3?", "other"),)


def test_files_of_other_questions_are_refused(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"{name}.jsonl", {"question": name, "answer": "Yes."}) for name in ("one", "two")]
    with pytest.raises(SourceRefused, match="no question was answered by all of them"):
        match_answers([read_system_answers(path, "keep") for path in paths])


def test_a_file_with_a_bad_row_is_refused_by_its_number(tmp_path: Path) -> None:
    rows = ({"question": "Q?", "answer": "Yes."}, {"question": "Q?", "answer": "No."}, {"answer": "No."}, ["Q?"])
    with pytest.raises(UnreadableFile) as refused:
        read_system_answers(write(tmp_path, "one.jsonl", *rows), "keep")
    assert "row 2: it asks what row 1 asks; row 3: it has no question; row 4: it is not a JSON object" in str(
        refused.value
    )


CITED = """\
## Short answer

Colchicine helps [1, 2]. It shortens flares (Smith et al., 2019), see [the trial](https://example.org/trial).

- low doses [1]
- high doses

References

1. Smith J. Colchicine in gout. J Gout. 2019;1:1-2.
2. Doe J. Gout again. J Gout. 2020;2:3-4. https://example.org/doe
"""


def test_marks_lists_and_addresses_are_taken_out_and_the_words_stay() -> None:
    assert strip_citations(CITED) == (
        "## Short answer\n\nColchicine helps. It shortens flares, see the trial.\n\n- low doses\n- high doses"
    )


@each_row(("citations", "shown"), [("keep", "[1, 2]"), ("strip", "Colchicine helps.")])
def test_citations_are_kept_or_stripped(tmp_path: Path, citations: Citations, shown: str) -> None:
    path = write(tmp_path, "one.jsonl", {"question": "Q?", "answer": CITED})
    (given,) = read_system_answers(path, citations).answers.values()
    assert shown in given.text


@each_row(
    ("text", "why"),
    [
        ("title = 'T'", "nothing"),
        (
            "title = 'T'\n[[criteria]]\nname = 'a'\nask = 'A?'\nlow = 5\nhigh = 5\nlow_means = 'x'\nhigh_means = 'y'",
            "scale",
        ),
        ("title = 'T'\nnonsense = 1\n[preference]\nask = 'A?'\ntie = 'None'", "nonsense"),
        ("title = ", "not valid TOML"),
    ],
)
def test_criteria_that_cannot_be_asked_are_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "criteria.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFile, match=why):
        read_criteria(str(path))
