"""What several say of one work, and the ids by which it is known that it is one."""

from datetime import date
from itertools import permutations

from tests.tables import each_row
from wellsourced.citations.deduplication import merge_retractions
from wellsourced.citations.identifiers import normalize_doi, reference_ids
from wellsourced.types import Notice, Reference, Retraction

OLD, NEW = date(2020, 1, 1), date(2026, 1, 1)
RETRACTED = Notice(kind="retraction", source="A", id="doi:10.1000/n", published="2019-03")
DOUBTED = Notice(kind="concern", source="B", published="2018")
CORRECTED = Notice(kind="correction", source="C", published="2021")
BACK = Notice(kind="republication", source="D", published="2019-06-01", reason="reinstated: in error")
REPUBLISHED = Notice(kind="republication", source="D", published="2019-06-01", reason="new version")


@each_row(
    ("doi", "plain"),
    [
        ("10.1000/ABC", "10.1000/abc"),
        ("https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("http://dx.doi.org/10.1000%2FAbC%3C1%3E", "10.1000/abc<1>"),
        ("doi: 10.1000/abc.", "10.1000/abc"),
        ("  10.1000/abc;", "10.1000/abc"),
        ("10.1016/S0140-6736(20)31180-6", "10.1016/s0140-6736(20)31180-6"),
        ("10.1000/a%20b", "10.1000/a%20b"),
        ("unavailable", ""),
        ("0", ""),
        ("10.1/x", ""),
        ("", ""),
    ],
)
def test_one_doi_has_many_spellings(doi: str, plain: str) -> None:
    assert normalize_doi(doi) == plain


def test_the_ids_of_a_work_stand_in_its_card_or_are_the_id_of_the_card() -> None:
    assert reference_ids(Reference(id="doi:10.1000/A")) == ("10.1000/a", "")
    assert reference_ids(Reference(id="pubmed:12", doi="10.1000/B")) == ("10.1000/b", "12")
    assert reference_ids(Reference(id="pmc:PMC5", pmid="7")) == ("", "7")
    assert reference_ids(Reference(id="url:https://blog.example/10.1000/x")) == ("", "")
    assert reference_ids(Reference(id="21645374")) == reference_ids(Reference(id="pubmed:0")) == ("", "")


def test_the_gravest_notices_come_first_whoever_speaks_first() -> None:
    words = [
        Retraction(status="false", as_of=NEW, notices=(CORRECTED,)),
        Retraction(status="true", as_of=OLD, notices=(RETRACTED,)),
        Retraction(status="false", as_of=OLD, notices=(DOUBTED,)),
    ]
    for order in permutations(words):
        word = merge_retractions(order)
        assert (word.status, word.as_of) == ("true", OLD)
        assert [notice.kind for notice in word.notices] == ["retraction", "concern", "correction"]


def test_saying_it_again_changes_nothing() -> None:
    once = merge_retractions([Retraction(status="true", as_of=NEW, notices=(RETRACTED, DOUBTED, BACK))])
    assert merge_retractions([once]) == merge_retractions([once, once]) == once


def test_a_reinstatement_lifts_what_came_before_it_and_a_new_version_lifts_nothing() -> None:
    assert merge_retractions([Retraction(status="true", notices=(RETRACTED, BACK))]).status == "false"
    assert merge_retractions([Retraction(status="true", notices=(RETRACTED, REPUBLISHED))]).status == "true"
    later = RETRACTED.model_copy(update={"published": "2019-06-02"})
    assert merge_retractions([Retraction(status="true", notices=(later, BACK))]).status == "true"


def test_a_retraction_without_a_date_is_as_old_as_the_word_that_it_comes_from() -> None:
    undated = RETRACTED.model_copy(update={"published": ""})
    back = Retraction(status="false", as_of=NEW, notices=(BACK,))
    known_before = Retraction(status="true", as_of=date(2019, 5, 1), notices=(undated,))
    assert merge_retractions([known_before, back]).status == "false"
    assert merge_retractions([known_before.model_copy(update={"as_of": None}), back]).status == "true"
    assert merge_retractions([Retraction(status="true", as_of=date(2019, 5, 1)), back]).status == "false"
    assert merge_retractions([Retraction(status="true", as_of=NEW), back]).status == "true"


def test_nobody_who_knows_the_work_means_unknown() -> None:
    assert merge_retractions([]) == merge_retractions([Retraction(), Retraction(as_of=NEW)]) == Retraction()
    assert merge_retractions([Retraction(notices=(CORRECTED,))]) == Retraction(notices=(CORRECTED,))
