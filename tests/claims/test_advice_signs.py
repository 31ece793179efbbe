"""Words of advice, for and against."""

from tests.tables import each_row
from wellsourced.claims.advice_signs import list_advice_signs


@each_row(
    ("sentence", "signs"),
    [
        ("High-dose methylprednisolone is contraindicated.", [-1]),
        ("Do NOT restrict protein.", [1]),
        ("Restrict protein to 0.8 g/kg.", [-1]),
        ("We recommend against surgery.", [-1]),
        ("**Statins should be continued** before surgery.", [1]),
        ("not in children; give colchicine", [1]),
        ("It was better than guideline-recommended care.", []),
        ("It is the most widely used one.", []),
        ("Surgery lasts two hours.", []),
        ("", []),
    ],
)
def test_each_word_of_advice_has_a_sign_and_a_negation_turns_it(sentence: str, signs: list[int]) -> None:
    assert list_advice_signs(sentence) == signs


def test_graded_words_come_before_plain_ones() -> None:
    assert list_advice_signs("Start it early, since delay is not recommended.") == [-1]
