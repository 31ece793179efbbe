"""MeSH in the graph: the heading that a term names, and what stands below it, from MeSH, UMLS and open
vocabularies."""

import gzip
import json
import re
import time
from pathlib import Path

import pytest

from tests.readers.mesh_file import SUPPLEMENT, written
from tests.sources.test_graph import table
from tests.tables import each_row
from wellsourced.sources.base import HeadingVocabulary
from wellsourced.sources.graph.source import Graph
from wellsourced.sources.heading_validation import PartialVocabulary

# In the form of the UMLS Rich Release Format; the headings are real, what else is said is invented.
CONSO = """\
C0004096|ENG|P|L1|PF|S1|Y|A1||M1|D1|NCI|PT|C28397|Bronchial Asthma|0|N||
C0004096|ENG|S|L2|PF|S2|Y|A2||M2|D2|MSH|MH|D001249|Asthma|0|N||
C0024115|ENG|P|L3|PF|S3|Y|A3||M3|D3|NCI|PT|C3198|Disorder of the lung|0|N||
C0024115|ENG|S|L4|PF|S4|Y|A4||M4|D4|MSH|MH|D008171|Lung Diseases|0|N||
C0024115|ENG|S|L5|PF|S5|Y|A5||M5|D5|MSH|ET|D008171|Pulmonary Disease|0|N||
C0009999|ENG|P|L6|PF|S6|Y|A6||M6|D6|SNOMEDCT_US|PT|9|Lung finding of one hospital|9|N||
"""
RELS = """\
C0024115|A3|AUI|CHD|C0004096|A2|AUI||R1||MSH|MSH|||N||
C0024115|A3|AUI|CHD|C0009999|A6|AUI||R2||SNOMEDCT_US|SNOMEDCT_US|||N||
"""
OPEN = [
    {"id": "DOID:2841", "label": "asthma", "synonyms": ["bronchial hyperreactivity"], "xrefs": ["MESH:D001249"]},
    {"id": "DOID:9498", "label": "pulmonary eosinophilia", "xrefs": ["ICD10CM:J82"]},
    {"id": "DOID:0080811", "label": "azure asthma"},
    {"id": "DOID:5", "label": "cough of two headings", "xrefs": ["MESH:D000001", "MESH:D000002"]},
]
BELOW = [{"subject": "DOID:0080811", "predicate": "is_a", "object": "DOID:2841"}]


@pytest.fixture
async def mesh(tmp_path: Path) -> Graph:
    """MeSH itself, in part."""
    (tmp_path / "mesh").mkdir()
    (tmp_path / "mesh" / "desc2026.xml").write_text(written(), encoding="utf-8")
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    await graph.add_from(tmp_path / "mesh")
    return graph


@pytest.fixture
async def umls(tmp_path: Path) -> Graph:
    folder = tmp_path / "META"
    folder.mkdir()
    (folder / "MRCONSO.RRF").write_text(CONSO)
    (folder / "MRREL.RRF").write_text(RELS)
    graph = Graph(tmp_path / "umls.sqlite3", write=True)
    await graph.add_from(folder)
    return graph


@pytest.fixture
async def open_(tmp_path: Path) -> Graph:
    """A vocabulary that knows ids of MeSH, not its words."""
    folder = tmp_path / "open"
    folder.mkdir()
    table(folder / "do.nodes.jsonl", OPEN)
    table(folder / "do.edges.jsonl", BELOW)
    graph = Graph(tmp_path / "open.sqlite3", write=True)
    await graph.add_from(folder)
    return graph


@each_row(
    ("term", "heading"),
    [
        ("Myocardial Infarction", "Myocardial Infarction"),
        ("heart attack", "Myocardial Infarction"),
        ("heart attacks", "Myocardial Infarction"),
        ("Infarctions, Myocardial", "Myocardial Infarction"),
        ("type 2 diabetes mellitus", "Diabetes Mellitus, Type 2"),
        ("Diabetes Mellitus, Type 2", "Diabetes Mellitus, Type 2"),
        ("High blood pressure", "Hypertension"),
        ("blood pressure, high", "Hypertension"),
        ("COPD", "Pulmonary Disease, Chronic Obstructive"),
        ("chronic obstructive pulmonary disease", "Pulmonary Disease, Chronic Obstructive"),
        ("Ecotrin", "Aspirin"),
        ("Randomized Controlled Trial", "Randomized Controlled Trial"),
    ],
)
async def test_a_heading_is_found_by_its_own_words_and_by_entry_terms_turned_around_and_in_the_plural(
    mesh: Graph, term: str, heading: str
) -> None:
    assert await mesh.heading(term) == heading


@each_row("term", ["", " ", "gowt", "infarction", "heart", "bevonium", "'; DROP TABLE links; --", "a " * 500])
async def test_what_is_no_heading_is_none_and_explodes_into_nothing(mesh: Graph, tmp_path: Path, term: str) -> None:
    (tmp_path / "supp2026.xml").write_text(SUPPLEMENT, encoding="utf-8")
    await mesh.add_from(tmp_path / "supp2026.xml")
    assert await mesh.heading(term) == ""
    assert await mesh.explode(term) == []


async def test_a_heading_is_exploded_by_the_trees_the_nearest_first_and_each_once(mesh: Graph) -> None:
    assert await mesh.explode("Cardiovascular Diseases") == [
        "Cardiovascular Diseases",
        "Heart Diseases",
        "Vascular Diseases",
        "Hypertension",
        "Myocardial Ischemia",
        "Myocardial Infarction",
        "Anterior Wall Myocardial Infarction",
        "ST Elevation Myocardial Infarction",
    ]
    assert await mesh.explode("t2dm") == ["Diabetes Mellitus, Type 2", "Diabetes Mellitus, Lipoatrophic"]
    assert await mesh.explode("Male") == ["Male"]


async def test_what_stands_below_a_heading_in_another_place_does_not_come_with_it(mesh: Graph) -> None:
    # NLM's own example: the eye is among the sense organs, the eyebrows are part of the eye as a part of the face.
    assert await mesh.explode("Sense Organs") == ["Sense Organs", "Eye"]
    assert await mesh.explode("Eyes") == ["Eye", "Eyebrows"]
    assert await mesh.explode("Face") == ["Face", "Eye", "Eyebrows"]


async def test_only_who_holds_mesh_says_that_a_heading_does_not_exist(mesh: Graph, umls: Graph, open_: Graph) -> None:
    for graph in (mesh, umls, open_):
        assert isinstance(graph, HeadingVocabulary)
        assert isinstance(graph, PartialVocabulary)
    assert await mesh.is_complete()
    assert await umls.is_complete()
    assert not await open_.is_complete()


async def test_umls_gives_headings_in_the_words_of_mesh_and_what_mesh_puts_below_them(umls: Graph) -> None:
    assert await umls.heading("bronchial asthma") == "Asthma"
    assert await umls.heading("pulmonary disease") == "Lung Diseases"
    assert await umls.heading("Lung finding of one hospital") == ""
    for term in ("disorder of the lung", "Lung Diseases"):
        assert await umls.explode(term) == ["Lung Diseases", "Asthma"]


async def test_a_vocabulary_that_knows_the_id_of_a_heading_names_it_in_its_own_words(open_: Graph) -> None:
    assert await open_.heading("Asthma") == "asthma"
    assert await open_.heading("bronchial hyperreactivity") == "asthma"
    assert await open_.explode("asthma") == ["asthma", "azure asthma"]
    for term in ("pulmonary eosinophilia", "azure asthma", "cough of two headings"):
        assert await open_.heading(term) == ""


async def test_with_mesh_beside_it_the_words_of_another_vocabulary_lead_to_the_heading_of_mesh(
    mesh: Graph, tmp_path: Path
) -> None:
    infarction = {"id": "DOID:5844", "label": "cardiac infarction", "synonyms": ["MI"], "xrefs": ["MESH:D009203"]}
    await mesh.add_from(table(tmp_path / "do.nodes.jsonl", [*OPEN, infarction]))
    assert await mesh.heading("bronchial hyperreactivity") == "Asthma"
    assert await mesh.heading("MI") == "Myocardial Infarction"
    assert await mesh.explode("MI") == await mesh.explode("Myocardial Infarction")
    assert len(await mesh.explode("MI")) == 3


async def test_a_heading_reads_as_a_document_with_its_scope_note(mesh: Graph) -> None:
    document = await mesh.open("MESH:D009203")
    assert document.reference.url == "https://meshb.nlm.nih.gov/record/ui?ui=D009203"
    assert "Myocardial Infarction: Death of the muscle of the heart, for want of blood. (MeSH)" in document.text
    assert "MESH_TREE" not in document.text


async def test_headings_of_real_strategies_are_looked_up_and_exploded_at_once(
    tmp_path: Path, shared_data: Path
) -> None:
    with gzip.open(shared_data / "graph" / "clef_tar.topics.jsonl.gz", "rt", encoding="utf-8") as lines:
        strategies = [json.loads(line)["boolean_query"] for line in lines]
    names = sorted({name.strip() for one in strategies for name in re.findall(r"exp ([A-Za-z ,\-]+)/", one)})
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    for part in ("nodes", "edges"):
        await graph.add_from(shared_data / "graph" / f"do.{part}.jsonl.gz")
    begun = time.process_time()
    known = {name: await graph.explode(name) for name in names if await graph.heading(name)}
    assert (time.process_time() - begun) / len(names) < 0.02
    assert len(known) > 20
    assert known["Bronchiectasis"][0] == "bronchiectasis"
    assert len(known["Bronchiectasis"]) > 1
    graph.close()
