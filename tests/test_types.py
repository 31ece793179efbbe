"""The values refuse to exist when the chain from a statement to its words is broken."""

from datetime import date

import pytest
from pydantic import ValidationError

from tests.tables import each_row
from wellsourced.errors import BrokenSpan, Misquote, UncitedStatement, UnknownPassage
from wellsourced.text.dates import day_range, is_eligible
from wellsourced.types import Answer, Citation, Evidence, Passage, Query, Question, Reference, Statement, Verdict

REFERENCE = Reference(id="doi:10.1000/x", published="2022-05")
PASSAGE = Passage(reference=REFERENCE, text="Aspirin reduced the risk.", start=100, end=125)
EVIDENCE = Evidence(passage=PASSAGE, relevance=0.9, quotes=("reduced the risk",))
SUPPORTS = Verdict(label="supports", score=1.0)


def answer(**citation: object) -> Answer:
    """An answer of one statement that cites as told."""
    cited = {"passage_id": PASSAGE.id, "quote": "reduced the risk", "start": 108, "end": 124} | citation
    statement = Statement(text="It helped.", citations=(Citation.model_validate(cited),), verdict=SUPPORTS, lead=True)
    return Answer(question=Question(text="?"), statements=(statement,), evidence=(EVIDENCE,))


def test_a_citation_that_stands_in_its_passage_is_accepted() -> None:
    assert answer().tldr == "It helped."


def test_a_citation_of_a_passage_that_the_answer_does_not_carry_is_refused() -> None:
    with pytest.raises(UnknownPassage, match=r"doi:10\.1000/y#0-5"):
        answer(passage_id="doi:10.1000/y#0-5")


@each_row(
    "wrong",
    [
        {"quote": "increased the risk"},
        {"start": 107},
        {"start": 8, "end": 24},
        {"start": 0, "end": 16},
        {"quote": "", "start": 108, "end": 108},
    ],
)
def test_a_quote_that_is_not_at_its_place_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Misquote):
        answer(**wrong)


def test_an_answer_from_evidence_cannot_contain_an_uncited_statement() -> None:
    bare = Statement(text="Trust me.", verdict=SUPPORTS)
    with pytest.raises(UncitedStatement, match="Trust me"):
        Answer(question=Question(text="?"), statements=(bare,))


def test_a_passage_whose_offsets_and_words_differ_cannot_exist() -> None:
    with pytest.raises(BrokenSpan, match="100 to 125"):
        Passage(reference=REFERENCE, text="Aspirin", start=100, end=125)


def test_evidence_with_words_that_are_not_in_its_passage_cannot_exist() -> None:
    with pytest.raises(Misquote):
        Evidence(passage=PASSAGE, relevance=0.9, quotes=("reduced the Risk",))


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="patiant"):
        Question.model_validate({"text": "?", "patiant": "x"})


def test_a_relaxed_query_loses_its_least_important_term_first() -> None:
    query = Query(terms=("gout", "colchicine", "elderly"))
    assert [weaker.terms for weaker in query.relaxations()] == [("gout", "colchicine"), ("gout",)]


@each_row(
    ("published", "expected"),
    [
        ("2022", (20220101, 20221231)),
        ("2022-05", (20220501, 20220531)),
        ("2022-05-03", (20220503, 20220503)),
        ("", (99_999_999, 0)),
        ("n.d.", (99_999_999, 0)),
        ("¹⁹⁹⁹", (99_999_999, 0)),
    ],
)
def test_a_date_covers_the_days_it_may_mean(published: str, expected: tuple[int, int]) -> None:
    assert day_range(published) == expected


def test_digits_that_are_no_number_are_no_year() -> None:
    assert Reference(id="a", published="¹⁹⁹⁹").year is None


@each_row(
    ("published", "since", "as_of", "counts"),
    [
        ("2022", date(2022, 5, 1), None, True),
        ("2021", date(2022, 1, 1), None, False),
        ("2022-05-03", None, date(2022, 5, 3), True),
        ("2022-05-04", None, date(2022, 5, 3), False),
        ("", None, date(2022, 5, 3), False),
        ("", None, None, True),
    ],
)
def test_only_what_was_published_in_the_period_counts(
    published: str, since: date | None, as_of: date | None, counts: bool
) -> None:
    query = Query(terms=("x",), since=since, as_of=as_of)
    assert is_eligible(query, Reference(id="a", published=published)) is counts


def test_a_question_is_also_judged_without_the_sentences_before_it() -> None:
    asked = "Is metformin safe in chronic kidney disease?"
    assert Question(text=f"I am a teacher. {asked}").wordings == (f"I am a teacher. {asked}", asked)
    assert Question(text="My mother has AF. Should she take it?").wordings == ("My mother has AF. Should she take it?",)
    assert Question(text=asked).wordings == (asked,)
