"""Boolean expressions on live sources: each is asked in its own language, and what was changed is told."""

import ast
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.servers.base import serving
from tests.servers.europe_pmc import EuropePmcServer, record
from tests.servers.eutils import article, eutils
from tests.servers.semantic_scholar import SemanticScholarServer, paper
from tests.tables import each_row
from wellsourced.errors import BadQuery
from wellsourced.http import Client
from wellsourced.query_language import canonical_form, parse_query
from wellsourced.sources.base import SearchResult, Source
from wellsourced.sources.entrez import Pmc, PubMed
from wellsourced.sources.europe_pmc import EuropePmc
from wellsourced.sources.live_search import required_words, translate_for_europe_pmc, translate_for_pubmed
from wellsourced.sources.semantic_scholar import SemanticScholar
from wellsourced.types import Query

URL = "https://service.example/"
OVID = "exp Gout/ and colchicine.ti,ab. not case reports.pt."


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=1) as one:
        yield one


def boolean(expression: str) -> Query:
    return Query(terms=(expression,), kind="boolean")


def ids(result: SearchResult) -> list[str]:
    return list(dict.fromkeys(hit.passage.reference.id for hit in result.hits))


async def found(source: Source, query: Query) -> list[str]:
    return ids(await source.search(query, 20))


@each_row(
    "expression",
    [
        '("gout"[MeSH Terms] OR gout[tiab]) AND colchicine[ti] NOT "case reports"[pt]',
        "gout AND humans[Filter] AND free full text[sb]",
        '"Gout/drug therapy"[majr:noexp] AND 2010:2020[dp] AND english[la]',
    ],
)
def test_what_pubmed_understands_goes_out_as_it_was_typed(expression: str) -> None:
    assert translate_for_pubmed(f" {expression}\n") == (expression, ())


def test_the_language_of_ovid_is_translated_and_a_fault_repaired_and_told() -> None:
    assert translate_for_pubmed(OVID).text == '("Gout"[mh] AND colchicine[tiab]) NOT "case reports"[pt]'
    repaired = translate_for_pubmed("gout AND (colchicine OR naproxen")
    assert canonical_form(parse_query(repaired.text).node) == canonical_form(
        parse_query("gout AND (colchicine OR naproxen)").node
    )
    assert any("parenthesis" in note and "character 10" in note for note in repaired.notes)


def test_a_strategy_of_several_lines_becomes_one_expression() -> None:
    steps = "1\ngout[tiab]\n2\ncolchicine[tiab]\nFinal search: 1 AND 2"
    assert translate_for_pubmed(steps).text == "gout[tiab] AND colchicine[tiab]"


def test_europe_pmc_is_asked_in_its_own_language_and_its_own_goes_out_as_it_was_typed() -> None:
    assert translate_for_europe_pmc('"Gout"[mh:noexp] AND colchicine[ti]') == ('MESH:"Gout" AND TITLE:"colchicine"', ())
    own = '(TITLE_ABS:colchicine OR "naproxen sodium") AND gout NOT SRC:PPR'
    assert translate_for_europe_pmc(own) == (own, ())
    assert translate_for_europe_pmc("gout AND hasabstract[text]").text
    assert any("narrower headings" in note for note in translate_for_europe_pmc('"Gout"[mh] AND colchicine').notes)


@each_row(
    ("expression", "words"),
    [
        ('("Gout"[mh] OR gout[tiab]) AND colchicine[ti] NOT "case reports"[pt]', "Gout colchicine"),
        ("(bronchiect* OR bronchiectasis) AND 2010:2020[dp] AND english[la]", "bronchiectasis"),
        ('"Diabetes Mellitus, Type 2"[mh] AND randomized controlled trial[pt]', "Diabetes Mellitus Type 2"),
        ("2010:2020[dp]", ""),
    ],
)
def test_of_an_expression_the_words_are_those_that_have_to_be_there(expression: str, words: str) -> None:
    assert required_words(expression) == words


async def test_pubmed_and_pmc_are_asked_for_a_strategy_of_ovid(client: Client) -> None:
    trials = [article("1", "Gout and colchicine", mesh=("Gout",)), article("2", "Colchicine in pericarditis")]
    with eutils(trials) as ncbi:
        assert await found(PubMed(client, ncbi.url), boolean(OVID)) == ["pubmed:1"]
        assert await PubMed(client, ncbi.url).count(boolean(OVID)) == 1
        await Pmc(client, ncbi.url).count(boolean(OVID))
    sent = '("Gout"[mh] AND colchicine[tiab]) NOT "case reports"[pt]'
    assert ncbi.asked[0].fields["term"] == sent
    assert ncbi.asked[-1].fields["term"].startswith(f"({sent}) AND (")


async def test_what_was_repaired_is_told_once_however_often_it_is_sent(client: Client) -> None:
    with eutils([article("1", "Gout")]) as ncbi:
        result = await PubMed(client, ncbi.url).search(boolean("gout[pl] AND (gout"), 20)
    assert ids(result) == ["pubmed:1"]
    assert len(result.notes) == len(set(result.notes)) == 2
    assert "[pl]" in result.notes[0]
    assert "character 5" in result.notes[0]


async def test_europe_pmc_finds_what_a_pubmed_query_asks_for(client: Client) -> None:
    server = EuropePmcServer([record("1", title="Gout and colchicine"), record("2", title="Gout")])
    with serving(server) as service:
        source = EuropePmc(client, service.url)
        result = await source.search(boolean("gout[tiab] AND colchicine[tiab]"), 20)
        assert await source.count(boolean("gout[tiab]")) == 2
    assert service.asked[0].fields["query"] == 'TITLE_ABS:"gout" AND TITLE_ABS:"colchicine"'
    assert ids(result) == ["pubmed:1"]
    assert result.notes == ()


async def test_semantic_scholar_is_asked_for_the_words_alone_and_says_so(client: Client) -> None:
    papers = [paper("a" * 40, title="Gout and colchicine", abstract="It works.", doi="10.1/a", citations=12)]
    with serving(SemanticScholarServer(papers)) as service:
        source = SemanticScholar(client, service.url)
        asked_for_words = await source.search(boolean('("gout"[mh] OR podagra) AND colchicine[ti]'), 20)
        without_words = await source.search(boolean("2010:2020[dp]"), 20)
    assert ids(asked_for_words) == ["doi:10.1/a"]
    assert [asked.fields["query"] for asked in service.asked] == ["gout colchicine"]
    said = "Semantic Scholar does not support Boolean expressions"
    assert asked_for_words.notes[0] == f"{said}: the words “gout colchicine” were searched"
    assert without_words == ([], (f"{said}: and this one contains no words",))


async def test_the_cards_say_who_reads_expressions(client: Client) -> None:
    asks = {}
    for source in (PubMed(client, URL), Pmc(client, URL), EuropePmc(client, URL), SemanticScholar(client, URL)):
        card = await source.describe()
        asks[card.name] = "boolean" in card.asks
    assert asks == {"pubmed": True, "pmc": True, "europe_pmc": True, "semantic_scholar": False}


async def test_an_expression_that_cannot_be_read_reaches_nobody_and_names_its_place(client: Client) -> None:
    with eutils([article("1", "Gout")]) as ncbi, serving(EuropePmcServer([])) as service:
        scholar = SemanticScholar(client, service.url)
        for source in (PubMed(client, ncbi.url), EuropePmc(client, service.url), scholar):
            for expression in ("", " ( ) ", "AND OR NOT"):
                with pytest.raises(BadQuery):
                    await source.search(boolean(expression), 5)
    assert ncbi.asked == service.asked == []


def test_queries_that_a_model_wrote_go_out_as_typed_or_say_what_was_repaired(shared_data: Path) -> None:
    with gzip.open(shared_data / "benchmarks" / "pubmedrs200_outputs.jsonl.gz", "rt", encoding="utf-8") as lines:
        queries = [query for line in lines for query in ast.literal_eval(json.loads(line)["queries"])]
    assert len(queries) > 100
    typed = 0
    for query in queries:
        written = translate_for_pubmed(query)
        typed += written.text == query.strip()
        assert written.text == query.strip() or written.notes, query
        assert translate_for_europe_pmc(query).text
        assert required_words(query)
    assert typed > len(queries) * 0.7


def test_strategies_of_cochrane_reviews_can_be_sent_to_pubmed(shared_data: Path) -> None:
    with gzip.open(shared_data / "graph" / "clef_tar.topics.jsonl.gz", "rt", encoding="utf-8") as lines:
        strategies = [json.loads(line)["boolean_query"] for line in lines]
    for strategy in strategies:
        sent = translate_for_pubmed(strategy).text
        assert "\n" not in sent
        assert translate_for_pubmed(sent).text == sent
