"""MeSH's own XML: headings, entry terms, scope notes, and what stands below what."""

import gzip
from pathlib import Path

import pytest

from tests.readers.mesh_file import HEADINGS, SUPPLEMENT, Descriptor, written
from tests.readers.test_concepts import of, rows
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.concepts import concept_reader_for, list_concept_files
from wellsourced.readers.concepts.base import Concept, ConceptName, CrossReference, Definition, Relation, Vocabulary


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "desc2026.xml"
    path.write_text(written(), encoding="utf-8")
    return path


def test_every_heading_becomes_a_concept_under_its_own_id_with_the_year_of_its_file(file: Path) -> None:
    first, *found = rows(file)
    assert first == Vocabulary("MeSH", "2026")
    assert of(Concept, found) == [Concept(f"MESH:{one.id}", one.name) for one in HEADINGS]
    assert not of(UnreadablePart, found)
    assert Definition("MESH:D009203", "Death of the muscle of the heart, for want of blood.", "MeSH") in found
    assert Definition("MESH:D016449", "Works about & of it.", "MeSH") in found


def test_entry_terms_are_names_and_permuted_ones_are_left_out(file: Path) -> None:
    names = of(ConceptName, rows(file))
    assert [one.text for one in names if one.concept == "MESH:D009203"] == ["Heart Attack", "Myocardial Infarct"]
    assert ConceptName("MESH:D029424", "COPD", "abbreviation") in names
    assert ConceptName("MESH:D003924", "T2DM", "abbreviation") in names


def test_terms_of_further_concepts_of_a_record_do_not_mean_the_same(file: Path) -> None:
    names = {one.text: one.scope for one in of(ConceptName, rows(file)) if one.concept == "MESH:D001241"}
    assert names == {
        "Acetylsalicylic Acid": "exact",
        "Aloxiprimum": "brand",
        "Ecotrin": "narrow",
        "Magnecyl": "narrow",
        "Polopiryna": "related",
    }


def test_the_numbers_of_the_trees_say_what_stands_below_what_each_pair_once(file: Path) -> None:
    relations = of(Relation, rows(file))
    of_infarction = [one for one in relations if one.subject == "MESH:D009203"]
    assert of_infarction == [Relation("MESH:D009203", "is_a", "MESH:D017202", "MeSH")]
    assert {one.object for one in relations if one.subject == "MESH:D017202"} == {"MESH:D006331", "MESH:D014652"}
    assert not [one for one in relations if one.subject in ("MESH:D002318", "MESH:D008297")]
    places = [one.other for one in of(CrossReference, rows(file)) if one.concept == "MESH:D005123"]
    assert places == ["MESH_TREE:A01.456.505.420", "MESH_TREE:A09.371"]


def test_a_part_of_the_body_or_of_a_country_is_not_called_a_kind_of_it(file: Path) -> None:
    said = {(one.subject, one.object): one.predicate for one in of(Relation, rows(file))}
    assert said["MESH:D005123", "MESH:D005145"] == "is_narrower_than"
    assert said["MESH:D004739", "MESH:D006113"] == "part_of"


def test_a_supplementary_concept_names_the_heading_that_it_is_indexed_under(tmp_path: Path) -> None:
    path = tmp_path / "supp2026.xml"
    path.write_text(SUPPLEMENT, encoding="utf-8")
    found = rows(path)
    assert of(Concept, found) == [Concept("MESH:C000002", "bevonium")]
    assert of(ConceptName, found) == [ConceptName("MESH:C000002", "Acabel", "brand")]
    assert of(Relation, found) == [Relation("MESH:C000002", "is_indexed_under", "MESH:D001241", "MeSH")]


def test_a_packed_file_reads_as_the_plain_one_and_a_folder_offers_both_files(file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed" / "desc2026.xml.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert rows(packed) == rows(file)
    (tmp_path / "supp2026.xml").write_text(SUPPLEMENT, encoding="utf-8")
    assert [one.name for one in list_concept_files(tmp_path)] == ["desc2026.xml", "supp2026.xml"]


def test_a_record_without_an_id_or_a_name_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "desc2026.xml"
    broken = (Descriptor("D000001", ""), Descriptor("", "Nobody"), *HEADINGS[:3])
    path.write_text(written(broken), encoding="utf-8")
    found = rows(path)
    assert [one.where for one in of(UnreadablePart, found)] == ["record 1", "record 2"]
    assert len(of(Concept, found)) == 3


@each_row("share", [0.02, 0.3, 0.6, 0.99])
def test_a_file_that_breaks_off_gives_its_whole_records_and_says_where(tmp_path: Path, share: float) -> None:
    path = tmp_path / "desc2026.xml"
    whole = written()
    path.write_text(whole[: int(len(whole) * share)], encoding="utf-8")
    found = []
    with pytest.raises(UnreadableFile, match=r"after \d+ MeSH records"):
        for row in concept_reader_for(path)(path):
            found.append(row)  # noqa: PERF402 - what came before the fault is looked at
    names = [one.name for one in of(Concept, found)]
    assert names == [one.name for one in HEADINGS][: len(names)]


def test_xml_that_holds_no_record_or_unfolds_without_end_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "desc2026.xml"
    empty.write_text('<DescriptorRecordSet LanguageCode = "eng"></DescriptorRecordSet>', encoding="utf-8")
    with pytest.raises(UnreadableFile, match="no MeSH record"):
        rows(empty)
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(9))
    bomb = tmp_path / "desc2027.xml"
    body = "<DescriptorRecordSet><DescriptorRecord><DescriptorUI>&a8;</DescriptorUI></DescriptorRecord>"
    bomb.write_text(f"<!DOCTYPE x [{laughs}]>{body}</DescriptorRecordSet>", encoding="utf-8")
    with pytest.raises(UnreadableFile, match="entities"):
        rows(bomb)
