"""Pages for patients: their sentences and lists, whole and in order."""

from wellsourced.text.page_parts import find_page_parts, join_parts, points_back
from wellsourced.types import Passage, Reference


def page(text: str, title: str = "Hypoglycemia") -> Passage:
    return Passage(reference=Reference(id="p", title=title, kind="consumer"), text=text, start=0, end=len(text))


def test_a_flattened_list_of_figures_is_one_part_with_what_introduces_it_and_its_heading() -> None:
    text = (
        "They may need a change in their treatment plan.\nPrompt Treatment for Hypoglycemia\nWhen people think their "
        "blood glucose is too low, they should check it. If it is below 70, one of these foods should be eaten:\n"
        "- 3 or 4 glucose tablets - 1/2 cup of any fruit juice - 1 tablespoon of sugar\nThe next step is to recheck it."
    )
    parts = find_page_parts(page(text))
    listed = next(part for part in parts if part.is_list)
    assert listed.unit.text.endswith(": 3 or 4 glucose tablets; 1/2 cup of any fruit juice; 1 tablespoon of sugar.")
    assert listed.heading == "Prompt Treatment for Hypoglycemia"
    assert listed.leans
    assert all(text[span.start : span.end] for part in parts for span in part.unit.spans)


def test_labels_glued_headings_and_numbers_of_footnotes_are_not_shown() -> None:
    assert find_page_parts(page("Summary : Statins are drugs used to lower cholesterol.", "Statins"))[0].unit.text == (
        "Statins are drugs used to lower cholesterol."
    )
    glued = "Symptoms of Dry Eye Dry eye symptoms are often worse at the end of the day."
    (part,) = find_page_parts(page(glued, "Dry Eye"))
    assert part.unit.text == "Dry eye symptoms are often worse at the end of the day."
    (part,) = find_page_parts(page("High blood pressure is a pressure of 140 or above.1"))
    assert part.unit.text == "High blood pressure is a pressure of 140 or above."


def test_what_points_at_the_sentence_before_is_known() -> None:
    assert points_back("They can also cause serious muscle problems.")
    assert points_back("If it doesn't, you have hypoglycemia.")
    assert points_back("It can also be caused by drugs.")
    assert not points_back("If you have diabetes, check your blood glucose.")


def test_parts_that_follow_one_another_are_quoted_as_they_stand() -> None:
    passage = page("Statins are relatively safe for most people. But they are not recommended in pregnancy.", "Statins")
    unit = join_parts(passage.text, find_page_parts(passage))
    assert unit.quotes(passage.text) == [passage.text]
    assert unit.text == passage.text
