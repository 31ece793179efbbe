"""Collections that are listed in other forms than a folder of a server: bodies in the form of the real ones."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.ingest.test_downloads import find_recipe, named, read_into, tar_of, zipped
from tests.readers.test_drug_labels import METFORMIN, SPL, openfda
from tests.readers.test_medlineplus import TOPICS
from tests.servers.archive import archive
from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http import Client
from wellsourced.ingest.acquisition import list_remote_files, plan_acquisition
from wellsourced.sources.library import Library
from wellsourced.types import Query


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2, timeout=5) as client:
        yield client


async def fill(name: str, files: dict[str, bytes], folder: str, client: Client, tmp_path: Path) -> Library:
    recipe = find_recipe(name)
    with archive(files) as served:
        plan = await plan_acquisition(recipe, tmp_path, client, url=f"{served.url}{folder}")
        return await read_into(tmp_path, recipe, plan, client)


async def titles(library: Library, *terms: str) -> set[str]:
    found = await library.search(Query(terms=terms), 10)
    library.close()
    return {hit.passage.reference.title for hit in found.hits}


DAILYMED_PAGE = """<html><body><h2>Full Releases</h2><ul class="download">
<li><span>Human prescription labels part 1</span>
<a href="{host}/public-release-files/dm_spl_release_human_rx_part1.zip">HTTPS</a>
<ul><li>3.2 GB</li><li>MD5: 0a1b</li></ul></li>
<li><a href="{host}/public-release-files/dm_spl_release_animal.zip">HTTPS</a></li></ul></body></html>"""


async def test_labels_of_dailymed_lie_in_archives_within_archives(client: Client, tmp_path: Path) -> None:
    label = zipped({"abd6ecf0.xml": SPL.encode(), "goutex.jpg": b"\xff\xd8"})
    part = zipped({"prescription/20240131_abd6ecf0.zip": label, "prescription/readme.txt": b"x"})
    page = DAILYMED_PAGE.format(host="https://dailymed-data.nlm.nih.gov").encode()
    files = {"/spl/spl-resources-all-drug-labels.cfm": page, "/spl/dm_spl_release_human_rx_part1.zip": part}
    library = await fill("dailymed", files, "/spl/", client, tmp_path)
    assert await titles(library, "clearance") == {"GOUTEX (allopurinol) tablets"}
    left = [path.suffix for path in (tmp_path / "downloads/dailymed/unpacked").rglob("*.*") if path.is_file()]
    assert ".xml" in left and ".zip" not in left and ".jpg" not in left


async def test_labels_of_openfda_are_listed_in_json(client: Client, tmp_path: Path) -> None:
    file = "drug-label-0001-of-0001.json.zip"
    partition = {"size_mb": "0.1", "records": 1, "file": f"https://download.open.fda.gov/drug/label/{file}"}
    others = {"partitions": [{"file": "https://download.open.fda.gov/drug/event/all_other/drug-event-0001.json.zip"}]}
    index = {"meta": {}, "results": {"drug": {"event": others, "label": {"partitions": [partition]}}}}
    packed = zipped({file.removesuffix(".zip"): openfda(METFORMIN).encode()})
    files = {"/l/download.json": json.dumps(index).encode(), f"/l/{file}": packed}
    library = await fill("openfda-labels", files, "/l/", client, tmp_path)
    assert await titles(library, "acidosis") == {"Glucophage"}


async def test_only_the_newest_edition_of_medlineplus_is_fetched(client: Client, tmp_path: Path) -> None:
    names = [f"mplus_topics_compressed_2026-11-{day}.zip" for day in ("27", "28")]
    page = "".join(f'<li><a href="https://medlineplus.gov/xml/{name}">{name}</a> (2.6 MB)</li>' for name in names)
    newest = zipped({"mplus_topics_2026-11-28.xml": TOPICS.encode()})
    files = {"/xml/xml.html": page.encode(), f"/xml/{names[0]}": b"old", f"/xml/{names[1]}": newest}
    library = await fill("medlineplus", files, "/xml/", client, tmp_path)
    assert await titles(library, "gout") == {"Gout"}


CHAPTER = """<book-part-wrapper id="ch1"><book-meta><book-id>whohiv</book-id><book-title-group><book-title>HIV guideline
</book-title></book-title-group></book-meta><book-part id="ch1"><book-part-meta><title-group><title>Dolutegravir</title>
</title-group></book-part-meta><body><sec><title>Advice</title><p>Dolutegravir is preferred in adults.</p></sec></body>
</book-part></book-part-wrapper>"""


async def test_books_of_one_publisher_are_picked_from_the_bookshelf(client: Client, tmp_path: Path) -> None:
    rows = (
        "File,Title,Publisher,Publication Year,Accession ID,Last Updated (YYYY-MM-DD HH:MM:SS)",
        'ca/84/gene_NBK1116.tar.gz,"GeneReviews","University of Washington, Seattle",1993,NBK1116,2026-08-31 02:41:04',
        'a1/b2/who_NBK2.tar.gz,"HIV, a guideline",World Health Organization,2021,NBK2,2024-01-01 00:00:00',
    )
    book = tar_of((named("who_NBK2/ch1.nxml"), CHAPTER.encode()), (named("who_NBK2/f1.jpg"), b"\xff\xd8"))
    files = {"/litarch/file_list.csv": "\n".join(rows).encode(), "/litarch/a1/b2/who_NBK2.tar.gz": book}
    library = await fill("who-guidelines", files, "/litarch/", client, tmp_path)
    assert await titles(library, "dolutegravir") == {"Dolutegravir"}


async def test_a_year_without_a_list_is_passed_over(client: Client, tmp_path: Path) -> None:
    page = '<a href="/mmwr/volumes/71/rr/rr7103a1.htm?s_cid=rr7103a1_w">Opioids</a><a href="/mmwr/about.html">About</a>'
    html = "<html><title>CDC Guideline</title><body><h1>CDC Guideline</h1><h2>Dose</h2><p>" + "Give less. " * 40
    files = {"/mmwr/indrr_2022.html": page.encode(), "/mmwr/volumes/71/rr/rr7103a1.htm": html.encode()}
    with archive(files) as served:
        remotes = await list_remote_files(find_recipe("cdc-recommendations"), client, f"{served.url}/mmwr/")
        assert [(one.name, one.url) for one in remotes] == [
            ("rr7103a1.htm", f"{served.url}/mmwr/volumes/71/rr/rr7103a1.htm")
        ]
        with pytest.raises(NotFoundError):
            await list_remote_files(find_recipe("cdc-recommendations"), client, f"{served.url}/elsewhere/")


async def test_an_archive_of_markdown_is_read_from_its_address(client: Client, tmp_path: Path) -> None:
    guideline = b"# Sepsis\n\n## Fluids\n\nGive 30 mL/kg of crystalloid within 3 hours."
    files = {"/me/guides/main.zip": zipped({"guides-main/sepsis.md": guideline, "guides-main/logo.png": b"x"})}
    library = await fill("markdown-guidelines", files, "/me/guides/main.zip", client, tmp_path)
    assert await titles(library, "crystalloid") == {"Sepsis"}
    with pytest.raises(SourceRefused, match="Name the archive"):
        await plan_acquisition(find_recipe("markdown-guidelines"), tmp_path, client)
