"""Short texts of others: compared, and told in one line."""

from tests.tables import each_row
from wellsourced.text.sanitization import (
    deduplicate_texts,
    fold_case,
    has_same_words,
    is_all_visible,
    short_line,
    visible_text,
)


def test_letter_case_and_white_space_make_no_difference_when_texts_are_compared() -> None:
    assert fold_case("  Gout\n FLARE ") == fold_case("gout flare")


def test_of_equal_texts_the_first_stays_and_empty_ones_go() -> None:
    assert deduplicate_texts(["Gout", "", "gout ", " ", "Flare"]) == ("Gout", "Flare")


def test_what_a_model_says_is_one_line_that_does_nothing_to_a_terminal() -> None:
    assert short_line("two\nlines\x1b[31m red\u202e ") == "two lines [31m red"


def test_more_words_than_allowed_end_in_an_ellipsis() -> None:
    assert short_line("one two three", 2) == "one two …"
    assert short_line("one two", 2) == "one two"


def test_what_nobody_sees_is_taken_out_and_a_joiner_stays_where_a_script_needs_it() -> None:
    assert visible_text("do\u200bse\ufeff a\u2066b\u00adc\u3164d\U000e0041") == "dose abcd"
    assert (
        visible_text("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")
        == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    )
    assert visible_text("do\u200cse\u200d") == "dose"
    assert is_all_visible("5 µg\n\t½ ≥ é")
    assert not is_all_visible("a\u3164b")


@each_row(
    ("statement", "quote", "same"),
    [
        ("Symptoms include: Pain; Fever.", "Symptoms include:\n- Pain\n- Fever", True),
        ("Flares: Give colchicine.", "Flares … Give colchicine", True),
        ("It reduced mortality.", "It increased mortality.", False),
        ("Give 5 mg daily.", "Give 50 mg daily.", False),
        ("The risk fell by 1.5 points.", "The risk fell by 15 points.", False),
        ("Potassium above 5.5 is dangerous.", "Potassium above -5.5 is dangerous.", False),
        ("Potassium above 5.5 is dangerous.", "Potassium above - 5.5 is dangerous.", False),
        ("It is not recommended.", "It is recommended.", False),
    ],
)
def test_only_what_joins_the_parts_may_differ_from_the_source(statement: str, quote: str, same: bool) -> None:
    assert has_same_words(statement, quote) is same
