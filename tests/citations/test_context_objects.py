"""Works as reference managers find them in a page: one context object each, whatever a record says of itself."""

from urllib.parse import parse_qsl

from tests.citations.test_reference_files import HOSTILE
from tests.tables import each_row
from wellsourced.citations.reference_styles import render_context_object
from wellsourced.text.sanitization import one_line
from wellsourced.types import Reference

ARTICLE = Reference(
    id="pubmed:1",
    title="Colchicine & gout: 50% less?",
    journal="N Engl J Med",
    authors=("Smith JA", "Gout Study Group", "O'Brien, Anna"),
    published="2020-05",
    volume="1",
    issue="2",
    pages="3–4",
    doi="10.1056/A+B",
    pmid="1",
    url="https://example.org/a?b=c&d=e",
)


def test_an_article_is_taken_up_with_authors_place_and_identifiers() -> None:
    assert parse_qsl(render_context_object(ARTICLE)) == [
        ("ctx_ver", "Z39.88-2004"),
        ("rft_val_fmt", "info:ofi/fmt:kev:mtx:journal"),
        ("rft.genre", "article"),
        ("rft.atitle", "Colchicine & gout: 50% less?"),
        ("rft.jtitle", "N Engl J Med"),
        ("rft.au", "Smith, JA"),
        ("rft.aucorp", "Gout Study Group"),
        ("rft.au", "O'Brien, Anna"),
        ("rft.date", "2020-05"),
        ("rft.volume", "1"),
        ("rft.issue", "2"),
        ("rft.pages", "3–4"),
        ("rft_id", "info:doi/10.1056/A+B"),
        ("rft_id", "info:pmid/1"),
        ("rft_id", "https://example.org/a?b=c&d=e"),
    ]


def test_what_is_in_no_journal_is_a_document_of_who_published_it() -> None:
    said = dict(parse_qsl(render_context_object(Reference(id="x", title="Gout", organisation="A College"))))
    assert said["rft_val_fmt"] == "info:ofi/fmt:kev:mtx:dc"
    assert (said["rft.title"], said["rft.publisher"], said["rft.aucorp"]) == ("Gout", "A College", "A College")


@each_row("words", [*HOSTILE, "a&rft.title=forged", '"><script>'])
def test_no_record_adds_a_field_of_its_own(words: str) -> None:
    record = Reference(id="x", title=words, journal=words, doi=words, url=words)
    names = [name for name, _ in parse_qsl(render_context_object(record), keep_blank_values=True)]
    assert (names.count("rft.atitle"), names.count("rft_id")) == (1, 2)
    assert "rft.title" not in names
    assert dict(parse_qsl(render_context_object(record)))["rft.atitle"] == one_line(words)
