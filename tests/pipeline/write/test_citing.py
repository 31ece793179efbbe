"""Whatever a model writes is tied to words that can be read, and shown as it is or not at all."""

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.pipeline.quote_placement import (
    NOTHING_CITED,
    QUOTE_NOT_FOUND,
    UNKNOWN_PASSAGE_CITED,
    ShownPassages,
    cite_statements,
)
from wellsourced.prompts.writing import DraftQuote, DraftStatement
from wellsourced.types import QuoteCounts

FIRST = "The trial was small."
SECOND = "Colchicine shortened the flare by 2.5 days."
(PASSAGE,) = passages(document("pubmed:1", f"{FIRST} {SECOND} Not recommended in children."))
SHELF = ShownPassages([PASSAGE])


def drafted(text: str, *quotes: str, name: str = PASSAGE.key) -> DraftStatement:
    return DraftStatement(text=text, quotes=tuple(DraftQuote(passage_id=name, quote=quote) for quote in quotes))


@each_row("quote", ["", " ", ".", "…", "the", "was", "a", "\u200b"])
def test_a_quote_that_says_nothing_is_none(quote: str) -> None:
    made = cite_statements([drafted("Colchicine is harmless.", quote)], SHELF)
    assert made.statements == ()
    assert [one.reason for one in made.dropped] == [QUOTE_NOT_FOUND]


@each_row(
    ("quote", "shown"),
    [
        ("shortened", SECOND),
        ("2.5 days", "2.5 days"),
        ("the flare", SECOND),
        ("Not recommended", "Not recommended in children."),
    ],
)
def test_a_quote_of_one_or_two_words_is_shown_in_its_sentence(quote: str, shown: str) -> None:
    ((statement,), _, _) = cite_statements([drafted("It is shorter.", quote)], SHELF)
    (citation,) = statement.citations
    assert citation.quote == shown
    assert PASSAGE.text[citation.start : citation.end] == shown


def test_a_heading_beside_a_quote_stays_as_it_is() -> None:
    ((statement,), _, quotes) = cite_statements([drafted("It is shorter.", "Colchicine", SECOND)], SHELF)
    assert [citation.quote for citation in statement.citations] == ["Colchicine", SECOND]
    assert quotes == QuoteCounts(exact=2)


@each_row(
    ("row", "column", "place"),
    [("Colchicine", "effect", ("Colchicine", "effect", "2.5 days")), ("", "effect", None), ("Colchicine", " ", None)],
)
def test_a_statement_has_its_place_in_a_table_where_row_and_column_are_named(
    row: str, column: str, place: tuple[str, str, str] | None
) -> None:
    said = drafted("It is 2.5 days shorter.", SECOND).model_copy(update={"row": row, "column": column})
    ((statement,), _, _) = cite_statements([said.model_copy(update={"cell": " 2.5 days\n"})], SHELF)
    cell = statement.cell
    assert (cell and (cell.row, cell.column, cell.words)) == place


@each_row("mark", ["\u202e", "\u2066", "\u200b", "\u2060", "\ufeff", "\x07", "\x1b"])
def test_marks_that_nobody_sees_are_taken_out_of_what_a_model_says(mark: str) -> None:
    said = drafted(f"It was {mark}2.5 days\n shorter.", SECOND).model_copy(update={"topic": f"{mark}Effect\n"})
    ((statement,), _, _) = cite_statements([said], SHELF)
    assert (statement.text, statement.topic) == ("It was 2.5 days shorter.", "Effect")


@each_row(
    ("said", "reason"),
    [
        (drafted("It works."), NOTHING_CITED),
        (drafted("It works.", "a miracle"), QUOTE_NOT_FOUND),
        (drafted("It works.", "a miracle", name="AAAAAA"), UNKNOWN_PASSAGE_CITED),
        (drafted("It works.", "by 2.5 days", name="pubmed:1 and others"), UNKNOWN_PASSAGE_CITED),
    ],
)
def test_what_cannot_be_tied_to_a_passage_is_left_out_with_the_reason(said: DraftStatement, reason: str) -> None:
    assert [one.reason for one in cite_statements([said], SHELF).dropped] == [reason]


OTHER, *_ = passages(
    document(
        "pubmed:2",
        "Aspirin lowered the risk of stroke. " + " ".join(f"Visit {day} brought nothing new." for day in range(60)),
    )
)


def test_words_that_stand_in_another_passage_than_the_one_named_are_cited_where_they_stand() -> None:
    made = cite_statements(
        [drafted("Aspirin works.", "Aspirin lowered the risk of stroke.")], ShownPassages([PASSAGE, OTHER])
    )
    assert [citation.passage_id for one in made.statements for citation in one.citations] == [OTHER.id]
    assert made.quotes == QuoteCounts(misattributed=1)
    assert "is cited there" in made.notes[0]


def test_a_passage_is_known_among_other_words_and_of_two_that_are_named_none_is_taken_by_chance() -> None:
    (twin,) = passages(document("pubmed:3", f"{FIRST} Allopurinol made no difference."))
    shelf = ShownPassages([PASSAGE, twin])
    ((statement,), _, _) = cite_statements([drafted("It was small.", FIRST, name=f"passage {twin.key}, above")], shelf)
    assert [citation.passage_id for citation in statement.citations] == [twin.id]
    either = cite_statements([drafted("It was small.", FIRST, name=f"{PASSAGE.key} or {twin.key}")], shelf)
    assert [one.reason for one in either.dropped] == [UNKNOWN_PASSAGE_CITED]


def test_every_quote_is_counted_by_where_it_was_found() -> None:
    said = [drafted("One.", SECOND, FIRST.replace(" ", "  ")), drafted("Two.", "Colchicine cured everyone at once.")]
    assert cite_statements(said, SHELF).quotes == QuoteCounts(exact=1, normalised=1, invented=1)


def test_the_same_statement_five_hundred_times_is_made_once() -> None:
    assert len(cite_statements([drafted("It is shorter.", SECOND)] * 500, SHELF).statements) == 1


def test_of_words_that_stand_several_times_those_below_the_right_heading_are_cited() -> None:
    text = "Step 1\n- Reliever: as needed SABA\n- Below twice a month\nStep 2\n- Reliever: as needed SABA\n"
    (steps,) = passages(document("own:steps", text))
    quoted = drafted("At step 2 the reliever is a SABA as needed.", "Reliever: as needed SABA", name=steps.key)
    ((statement,), _, _) = cite_statements([quoted], ShownPassages([steps]))
    assert [one.start for one in statement.citations] == [text.rindex("Reliever")]
