"""MeSH through the E-utilities: the real client asks a real server on loopback for headings."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.servers.base import Asked, Said, serving
from tests.servers.eutils import Twist, cut, eutils, failing, page, recorded, status
from tests.servers.mesh import heading
from tests.tables import each_row
from wellsourced.errors import OfflineError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import HeadingVocabulary
from wellsourced.sources.eutils import MeshHeadings

MESH = (
    heading("D009203", "Myocardial Infarction", ["Heart Attack", "Infarction, Myocardial", "Myocardial Infarcts"]),
    heading("D056988", "Anterior Wall Myocardial Infarction", ["Myocardial Infarction, Anterior Wall"]),
    heading("D003924", "Diabetes Mellitus, Type 2", ["Type 2 Diabetes Mellitus", "Diabetes Mellitus, Type II"]),
    heading("D008175", "Lung Neoplasms", ["Lung Cancer"], note="Tumors or cancer of the lung."),
    heading("D000077192", "Adenocarcinoma of Lung", ["Lung Cancer, Adenocarcinoma"], note="A kind of lung cancer."),
    heading("C000002", "bevonium", ["Acabel"]),
)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2) as one:
        yield one


@each_row(
    ("term", "name"),
    [
        ("Myocardial Infarction", "Myocardial Infarction"),
        ("heart attack", "Myocardial Infarction"),
        ("infarction, myocardial", "Myocardial Infarction"),
        ("diabetes mellitus, type II", "Diabetes Mellitus, Type 2"),
        ("type 2 diabetes mellitus", "Diabetes Mellitus, Type 2"),
        ("lung cancer", "Lung Neoplasms"),
        ('"Heart Attack"[mh]', ""),
        ("infarction", ""),
        ("cancer of the lung", ""),
        ("gowt", ""),
        ("bevonium", ""),
    ],
)
async def test_a_heading_is_found_by_its_own_words_and_entry_terms_and_nothing_else_is_one(
    client: Client, term: str, name: str
) -> None:
    with eutils(mesh=MESH) as ncbi:
        assert await MeshHeadings(client, ncbi.url).heading(term) == name


async def test_a_heading_costs_two_requests_an_invented_one_two_and_words_that_are_none_nothing(client: Client) -> None:
    with eutils(mesh=MESH) as ncbi:
        mesh = MeshHeadings(client, ncbi.url, email="me@example.org")
        assert isinstance(mesh, HeadingVocabulary)
        await mesh.heading("heart attack")
        assert [one.path for one in ncbi.asked] == ["/esearch.fcgi", "/esummary.fcgi"]
        assert {(one.fields["db"], one.fields["email"]) for one in ncbi.asked} == {("mesh", "me@example.org")}
        assert ncbi.asked[0].fields["term"] == '"heart attack"[MeSH Terms:noexp]'
        assert ncbi.asked[1].fields["id"] == "68009203"
        ncbi.asked.clear()
        await mesh.heading("gowt disease")
        assert [one.fields["term"] for one in ncbi.asked] == [
            '"gowt disease"[MeSH Terms:noexp]',
            '"gowt disease"[Text Word]',
        ]
        ncbi.asked.clear()
        assert await mesh.heading(" ?") == ""
    assert ncbi.asked == []


async def test_exploding_is_left_to_pubmed(client: Client) -> None:
    with eutils(mesh=MESH) as ncbi:
        mesh = MeshHeadings(client, ncbi.url)
        assert await mesh.explode("heart attack") == ["Myocardial Infarction"]
        assert await mesh.explode("gowt") == []


@each_row(
    ("twist", "error"),
    [
        (status("esearch", 503), SourceUnavailable),
        (status("esummary", 429), SourceUnavailable),
        (cut("esearch"), SourceUnavailable),
        (cut("esummary"), SourceUnavailable),
        (cut("esummary", 0), SourceUnavailable),
        (page("esearch"), SourceRefused),
        (page("esummary"), SourceRefused),
        (failing("esummary", "UID=1: cannot get document summary"), SourceUnavailable),
        (failing("esearch", "Invalid db name specified: mesh"), SourceRefused),
    ],
)
async def test_an_answer_that_is_none_never_says_that_a_heading_does_not_exist(
    client: Client, twist: Twist, error: type[Exception]
) -> None:
    with eutils(mesh=MESH, twist=twist) as ncbi, pytest.raises(error) as raised:
        await MeshHeadings(client, ncbi.url).heading("heart attack")
    assert raised.type is error


async def test_summaries_without_names_are_an_answer_in_another_form_and_no_verdict(client: Client) -> None:
    def nameless(asked: Asked, said: Said) -> Said:
        assert isinstance(said.body, bytes)
        return said._replace(body=said.body.replace(b"DS_MeshTerms", b"DS_Terms"))

    with eutils(mesh=MESH, twist=nameless) as ncbi, pytest.raises(SourceRefused, match="unknown form"):
        await MeshHeadings(client, ncbi.url).heading("heart attack")


async def test_offline_no_heading_is_looked_up() -> None:
    with eutils(mesh=MESH) as ncbi:
        async with Client(offline=True) as client:
            with pytest.raises(OfflineError):
                await MeshHeadings(client, ncbi.url).heading("heart attack")
    assert ncbi.asked == []


@each_row(("name", "error"), [("esummary8", SourceRefused), ("pubmed3", SourceRefused)])
async def test_real_errors_of_esummary_are_errors(
    client: Client, shared_data: Path, name: str, error: type[Exception]
) -> None:
    files = recorded(shared_data)
    summary = files[f"biopython__{name}.xml" if name != "pubmed3" else "biopython__pubmed3.html"]
    found = b"<eSearchResult><Count>1</Count><IdList><Id>68009203</Id></IdList></eSearchResult>"

    def answer(asked: Asked) -> Said:
        return Said(found if asked.path == "/esearch.fcgi" else summary, type="text/xml")

    with serving(answer) as ncbi, pytest.raises(error):
        await MeshHeadings(client, ncbi.url).heading("heart attack")


async def test_lists_of_real_summaries_are_read(client: Client, shared_data: Path) -> None:
    # PubChem's: of MeSH no answer was recorded, and the form is that of every database in version 1.
    real = recorded(shared_data)["biopython__esummary9.xml"].replace(b"<Id>7488<", b"<Id>68007488<")
    renamed = real.replace(b'"SynonymList"', b'"DS_MeshTerms"')
    found = b"<eSearchResult><Count>1</Count><IdList><Id>68007488</Id></IdList></eSearchResult>"

    def answer(asked: Asked) -> Said:
        return Said(found if asked.path == "/esearch.fcgi" else renamed, type="text/xml")

    with serving(answer) as ncbi:
        assert await MeshHeadings(client, ncbi.url).heading("terephthaloyl dichloride") == "Terephthaloyl chloride"
