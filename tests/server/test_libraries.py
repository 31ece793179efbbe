"""Libraries over HTTP: what they hold, and each document once while others are added."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.server.conftest import copy_home, running_server
from wellsourced import config
from wellsourced.ingest.recipes import RECIPES
from wellsourced.server.resources import _find_licence
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.library import Library
from wellsourced.types import Document, Reference, Section


def document(id: str) -> Document:
    text = f"Colchicine shortens gout flares, as {id} says."
    reference = Reference(id=id, title=f"On {id}", kind="research", published="2024-05-03")
    return Document(reference=reference, text=text, sections=(Section(title="", start=0, end=len(text)),))


async def test_who_goes_on_from_the_last_id_meets_each_document_that_stays_once(tmp_path: Path) -> None:
    Library.create(tmp_path, "mine", "research")
    library = Library.at(tmp_path, "mine", write=True)
    await library.add([document(f"doc:{letter}") for letter in "bdfh"])
    first = await library.list_references("", 2)
    await library.add([document("doc:a"), document("doc:g"), document("doc:d")])
    await library.remove(["doc:f"])
    rest = await library.list_references(first[-1].id, 100)
    assert [one.id for one in (*first, *rest)] == ["doc:b", "doc:d", "doc:g", "doc:h"]
    assert rest[0].title == "On doc:g"
    library.close()


def test_the_licence_of_a_recipe_is_known_whatever_its_library_is_called() -> None:
    recipe = RECIPES[0]
    assert _find_licence(SourceInfo("other", recipe.goes, about=recipe.about)) == recipe.licence
    assert _find_licence(SourceInfo("mine", "own")) == ""


@pytest.mark.slow
def test_all_documents_are_listed_page_by_page(client: httpx.Client) -> None:
    (library,) = client.get("/api/v1/libraries").json()
    assert (library["name"], library["kind"], library["licence"]) == ("guidelines", "guideline", "MIT")
    assert library["first"] <= library["last"]
    listed: list[str] = []
    cursor = ""
    while True:
        told = client.get("/api/v1/libraries/guidelines/documents", params={"limit": 40, "cursor": cursor}).json()
        listed += [one["id"] for one in told["documents"]]
        if not (cursor := told["next"]):
            break
    assert len(listed) == len(set(listed)) == library["documents"]
    assert client.get("/api/v1/document", params={"id": listed[0]}).status_code == 200


@pytest.mark.slow
def test_a_library_that_is_not_searched_here_is_not_shown(guidelines: Path, tmp_path: Path) -> None:
    home = copy_home(guidelines, tmp_path)
    settings = config.load({"home": str(home)})
    config.create_library(settings, "notes", lexical=True)

    async def fill() -> None:
        async with config.open_library(settings, "notes", write=True) as library:
            await library.add([document("doc:a")])

    asyncio.run(fill())
    with running_server(home, "--library", "guidelines") as address:
        told = httpx.get(f"{address}/api/v1/libraries/notes/documents")
        assert (told.status_code, told.headers["content-type"]) == (404, "application/problem+json")
        assert [one["name"] for one in httpx.get(f"{address}/api/v1/libraries").json()] == ["guidelines"]
