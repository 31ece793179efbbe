"""A query in the language of Europe PMC."""

from tests.tables import each_row
from wellsourced.query_language import parse_pubmed, write_europe_pmc_query, write_pubmed_query
from wellsourced.query_language.query_tree import DateRange, Near, QueryTerm


@each_row(
    ("query", "written"),
    [
        ("gout AND (colchicine OR allopurinol)", '"gout" AND ("colchicine" OR "allopurinol")'),
        ("gout OR (colchicine AND allopurinol)", '"gout" OR ("colchicine" AND "allopurinol")'),
        ("gout hasabstract", '"gout" AND HAS_ABSTRACT:y'),
        ("gout NOT (colchicine OR allopurinol)", '"gout" NOT ("colchicine" OR "allopurinol")'),
    ],
)
def test_parts_of_a_part_stand_in_parentheses(query: str, written: str) -> None:
    assert write_europe_pmc_query(parse_pubmed(query).node).text == written


@each_row(
    ("last", "day"),
    [("2010/02/31", "2010-02-28"), ("2012/02", "2012-02-29"), ("2010", "2010-12-31"), ("", "3000-12-31")],
)
def test_a_period_ends_with_a_day_that_there_is(last: str, day: str) -> None:
    written = write_europe_pmc_query(DateRange("2010", last, "published", 0)).text
    assert written == f"FIRST_PDATE:[2010-01-01 TO {day}]"


def test_pubmed_measures_no_distance_between_words_of_two_fields() -> None:
    near = Near((QueryTerm("gout", "title"), QueryTerm("flare", "abstract")), 3)
    assert "~" not in write_pubmed_query(near).text
