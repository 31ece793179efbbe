"""Days and periods as query languages write them."""

from tests.tables import each_row
from wellsourced.query_language.pubmed_lexer import parse_day, parse_period
from wellsourced.query_language.query_tree import QueryNotes


@each_row("said", ["2010/13", "2010 Foo", "2010/05/32", "2010/00/05", "gout"])
def test_what_is_no_day_of_the_calendar_is_no_date(said: str) -> None:
    assert parse_day(said) is None


@each_row("said", [":", " : ", "current:current", "gout:2012"])
def test_two_open_ends_are_no_period(said: str) -> None:
    assert parse_period(said, ":", "published", 0, QueryNotes(said)) is None
