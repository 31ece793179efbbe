"""Which sections of a guideline are said, and how much beside the best one."""

from tests.world import document, passages
from wellsourced.claims.question_profile import read_question
from wellsourced.models.unit_choice import (
    MIN_SECTION_SHARE_OF_COMPLETE,
    MIN_SECTION_SHARE_OF_SHORT,
    QuoteCandidate,
    choose_sections,
    group_sections,
    leave_out,
)
from wellsourced.models.unit_features import list_key_advice, open_chapters
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Document, Question

ASKED = read_question(Question(text="How is a flare of gout treated with colchicine?"))


def candidates(text: str, section: str, score: float) -> list[QuoteCandidate]:
    made: Document = document("g", text)
    reference = made.reference.model_copy(update={"kind": "guideline"})
    (passage,) = passages(made.model_copy(update={"reference": reference}))
    placed = passage.model_copy(update={"section": section, "start": 1_000 * len(section)})
    return [QuoteCandidate(unit, placed, score) for unit in find_quotable_spans(placed)]


def list_sections(*choices: QuoteCandidate) -> list[str]:
    return [one.passage.section for one in choose_sections(choices, 8, wordings=ASKED.words)]


def test_beside_a_section_that_answers_by_itself_less_is_said() -> None:
    whole = candidates("A flare of gout is treated with colchicine.", "Flares", 1.0)
    half = candidates("Rest of the joint helps many people well.", "Flares", 1.0)
    share = (MIN_SECTION_SHARE_OF_COMPLETE + MIN_SECTION_SHARE_OF_SHORT) / 2
    other = candidates("Ice may be put on the joint for a while.", "Comfort", share)
    assert list_sections(*whole, *other) == ["Flares"]
    assert list_sections(*half, *other) == ["Flares", "Comfort"]


def test_a_section_under_the_same_heading_is_said_with_the_best_one() -> None:
    whole = candidates("A flare of gout is treated with colchicine.", "Gout › Flares › First line", 1.0)
    sibling = candidates("Ice may be put on the joint for a while.", "Gout › Flares › Adjuncts", 0.65)
    other = candidates("Rest of the joint helps many people well.", "Gout › Prophylaxis › Comfort", 0.65)
    distant = candidates("Shoes should be wide for many people.", "Gout › Flares › Footwear and gait", 0.3)
    assert list_sections(*whole, *other, *sibling, *distant) == [whole[0].passage.section, sibling[0].passage.section]


def test_what_opens_a_part_of_a_chapter_is_not_said_again_with_its_section() -> None:
    listed = "- A flare of gout is treated with colchicine.\n- Rest helps many people well."
    first = candidates(listed, "Gout › Flares", 1.0)
    second = candidates("Urate is lowered with allopurinol in most people.", "Gout › Prophylaxis", 0.9)
    said = " ".join(one.unit.text for one in choose_sections([*first, *second], 8, chapter="Gout"))
    assert said.count("treated with colchicine") == 1
    assert "Rest helps" in said


def test_of_several_chapters_the_foremost_advice_of_each_is_taken_before_a_second_of_any() -> None:
    flares = candidates(
        "Joints may be rested. Colchicine is strongly recommended as first-line therapy.", "Flares › First", 0.9
    )
    ice = candidates("Topical ice is conditionally recommended for all patients.", "Flares › Ice", 0.8)
    lowering = candidates("Allopurinol is strongly recommended for all patients.", "Urate › Drug", 0.5)
    special = candidates("Febuxostat is strongly recommended for them.", "Urate › Special Populations", 0.9)
    ranked = group_sections([*flares, *ice, *lowering, *special])
    advice = [list_key_advice(ranked, chapter) for chapter in ("Flares", "Urate")]
    assert [one.unit.text.split()[0] for one in advice[0]] == ["Colchicine", "Topical"]
    opened = open_chapters(advice)
    assert [[one.unit.text.split()[0] for one in found] for found in opened] == [
        ["Colchicine", "Topical"],
        ["Allopurinol"],
    ]


def test_of_what_was_joined_a_unit_is_left_out_and_nothing_remains_of_itself() -> None:
    (joined,) = choose_sections(
        candidates(
            "Oxygen is given to all who are short of breath. The joint is rested well for two days.", "Flares", 1.0
        ),
        8,
    )
    first, second = joined.parts
    rest = leave_out(joined, first)
    assert rest is not None
    assert rest.unit.own_text == second.own_text
    assert leave_out(rest, second) is None
    assert leave_out(rest, first) is rest
