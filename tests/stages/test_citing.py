"""Whatever a model writes is tied to words that can be read, and shown as it is or not at all."""

import pytest

from tests.world import document, passages
from wellsourced.prompts.writing import Drafted, Quoted
from wellsourced.stages.citing import NOTHING, NOWHERE, UNKNOWN, Shelf, cited

FIRST = "The trial was small."
SECOND = "Colchicine shortened the flare by 2.5 days."
(PASSAGE,) = passages(document("pubmed:1", f"{FIRST} {SECOND} Not recommended in children."))
SHELF = Shelf([PASSAGE])


def drafted(text: str, *quotes: str, name: str = PASSAGE.key) -> Drafted:
    return Drafted(text=text, quotes=tuple(Quoted(passage_id=name, quote=quote) for quote in quotes))


@pytest.mark.parametrize("quote", ["", " ", ".", "…", "the", "was", "a", "\u200b"])
def test_a_quote_that_says_nothing_is_none(quote: str) -> None:
    made = cited([drafted("Colchicine is harmless.", quote)], SHELF)
    assert made.statements == ()
    assert [one.reason for one in made.dropped] == [NOWHERE]


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("shortened", SECOND),
        ("2.5 days", "2.5 days"),
        ("the flare", SECOND),
        ("Not recommended", "Not recommended in children."),
    ],
)
def test_a_quote_of_one_or_two_words_is_shown_in_its_sentence(quote: str, shown: str) -> None:
    ((statement,), _, _) = cited([drafted("It is shorter.", quote)], SHELF)
    (citation,) = statement.citations
    assert citation.quote == shown
    assert PASSAGE.text[citation.start : citation.end] == shown


def test_a_heading_beside_a_quote_stays_as_it_is() -> None:
    ((statement,), _, lost) = cited([drafted("It is shorter.", "Colchicine", SECOND)], SHELF)
    assert [citation.quote for citation in statement.citations] == ["Colchicine", SECOND]
    assert lost == 0


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u200b", "\u2060", "\ufeff", "\x07", "\x1b"])
def test_marks_that_nobody_sees_are_taken_out_of_what_a_model_says(mark: str) -> None:
    said = drafted(f"It was {mark}2.5 days\n shorter.", SECOND).model_copy(update={"topic": f"{mark}Effect\n"})
    ((statement,), _, _) = cited([said], SHELF)
    assert (statement.text, statement.topic) == ("It was 2.5 days shorter.", "Effect")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (drafted("It works."), NOTHING),
        (drafted("It works.", "a miracle"), NOWHERE),
        (drafted("It works.", SECOND, name="AAAAAA"), UNKNOWN),
        (drafted("It works.", SECOND, name="pubmed:1 and others"), UNKNOWN),
    ],
)
def test_what_cannot_be_tied_to_a_passage_is_left_out_with_the_reason(said: Drafted, reason: str) -> None:
    assert [one.reason for one in cited([said], SHELF).dropped] == [reason]


def test_the_same_statement_five_hundred_times_is_made_once() -> None:
    assert len(cited([drafted("It is shorter.", SECOND)] * 500, SHELF).statements) == 1
