"""What is counted of statements."""

from tests.tables import each_row
from wellsourced.compare.differences import find_differences
from wellsourced_evaluate.clinical.statement_checks import is_marked


@each_row(
    "changed",
    [
        ("20% with ice and 10% with heat", "10% with ice and 20% with heat"),
        ("20% with ice and 10% with heat", "ice 10%, heat 20%"),
        ("ice 20%, heat 10%", "ice 10%, heat 20%"),
    ],
)
def test_wrong_words_are_counted_as_marked_however_an_author_gives_them_and_only_where_they_are(
    changed: tuple[str, str],
) -> None:
    claim, sentence = "Pain fell by 20% with ice and 10% with heat.", "Pain fell by 10% with ice and 20% with heat."
    row = {"claim": claim, "changed": changed}
    found = find_differences(claim, sentence)
    assert is_marked(row, sentence, found)
    assert not is_marked(row, sentence, ())
    elsewhere = [one.model_copy(update={"claim_start": 0, "claim_end": 4}) for one in found]
    assert not is_marked(
        row, sentence, [one.model_copy(update={"source_start": 0, "source_end": 4}) for one in elsewhere]
    )
