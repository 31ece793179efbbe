"""A Boolean query on one's own library, with what the graph of concepts knows of headings."""

from pathlib import Path

from tests.readers.mesh_file import written
from wellsourced import config
from wellsourced.types import Document, Query, Reference, Section


def document(number: int, text: str, *mesh: str) -> Document:
    reference = Reference(id=f"pubmed:{number}", title=f"Study {number}", published="2021", mesh=mesh)
    return Document(reference=reference, text=text, sections=(Section(title="", start=0, end=len(text)),))


async def test_a_heading_finds_what_stands_below_it_once_mesh_is_in_the_graph(tmp_path: Path) -> None:
    settings = config.load({"encoder": "none"})
    config.create_library(settings, "trials", lexical=True)
    async with config.open_library(settings, "trials", write=True) as library:
        await library.add(
            [
                document(1, "Aspirin was given early.", "Myocardial Infarction"),
                document(2, "Salt was restricted.", "Hypertension"),
                document(3, "Teeth were brushed.", "Dental Caries"),
            ]
        )

    async def found(expression: str) -> set[str]:
        async with config.open_source(settings, "trials") as trials:
            hits = (await trials.search(Query(terms=(expression,), kind="boolean"), 10)).hits
            return {hit.passage.reference.id for hit in hits}

    assert await found('"Cardiovascular Diseases"[mh]') == set()
    mesh = tmp_path / "desc2026.xml"
    mesh.write_text(written(), encoding="utf-8")
    async with config.open_graph(settings, write=True) as graph:
        await graph.add_from(mesh)
    assert await found('"Cardiovascular Diseases"[mh]') == {"pubmed:1", "pubmed:2"}
    assert await found('"Heart Attack"[mh]') == {"pubmed:1"}
    assert await found("exp Cardiovascular Diseases/ not Hypertension/") == {"pubmed:1"}
    assert await found('"Cardiovascular Diseases"[mh:noexp]') == set()
