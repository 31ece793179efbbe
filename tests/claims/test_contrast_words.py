"""Words that exclude each other."""

from tests.tables import each_row
from wellsourced.claims.guard.disagreement import find_contrast, is_exclusive


@each_row(
    ("one", "other", "kind", "exclusive"),
    [
        ("child", "adults", "population", True),
        ("acute", "chronic", "condition", True),
        ("acute", "prophylaxis", "condition", True),
        ("asthma", "copd", "condition", False),
        ("renal", "hepatic", "condition", False),
        ("oral", "intravenous", "dose", False),
        ("child", "children", None, False),
        ("child", "tree", None, False),
    ],
)
def test_two_words_contrast_on_an_axis_and_exclude_each_other_where_nobody_is_both(
    one: str, other: str, kind: str | None, exclusive: bool
) -> None:
    assert find_contrast(one, other) == kind
    assert is_exclusive(one, other) == exclusive
