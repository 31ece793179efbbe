"""What is counted of statements and of altered sentences, and what the rules make of the altered ones."""

from collections import defaultdict

import pytest

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.claims.differences.marking import find_differences
from wellsourced.claims.guard import find_disagreements
from wellsourced_evaluate.clinical.statement_checks import COPIES, is_marked, read_altered


@pytest.mark.parametrize(
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


def test_an_altered_sentence_differs_from_its_own_and_every_class_has_some() -> None:
    rows = list(read_altered())
    assert all(row["claim"] != row["original"] and row["original"] in row["passage"] for row in rows)
    assert len({row["change"] for row in rows}) == 19
    assert {row["change"] for row in rows} > COPIES


def test_a_changed_fact_is_never_found_as_a_quote_and_changed_typography_always_is() -> None:
    copies = [row for row in read_altered() if row["change"] in COPIES]
    assert [row for row in copies if bool(align_quote(row["claim"], row["passage"])) == row["harmful"]] == []


def test_19_of_20_changed_facts_are_held_against_their_passage_and_other_wordings_are_not() -> None:
    """Which technical term stands for which other ("term") is nothing that the guard knows: a judge has to."""
    wrong = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for row in read_altered():
        counts[row["change"]] += 1
        # Ten of each class: the whole takes ten seconds (`wellsourced evaluate clinical altered`).
        if counts[row["change"]] <= 10 and bool(find_disagreements(row["claim"], row["passage"])) != row["harmful"]:
            wrong[row["change"]].append(row["claim"])
    assert {name: some for name, some in wrong.items() if name != "term" and len(some) > 1} == {}
    missed = sum(len(some) for name, some in wrong.items() if name != "term")
    assert 20 * missed <= 10 * (len(counts) - 1), wrong
