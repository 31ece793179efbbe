import json
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

SPL = """<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet href="https://www.accessdata.fda.gov/spl/stylesheet/spl.xsl" type="text/xsl"?>
<document xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <id root="11111111-2222-3333-4444-555555555555"/>
 <code code="34391-3" codeSystem="2.16.840.1.113883.6.1" displayName="HUMAN PRESCRIPTION DRUG LABEL"/>
 <title>GOUTEX<br/>(allopurinol) tablets</title>
 <effectiveTime value="20240131"/>
 <setId root="ABD6ECF0-DC8E-41DE-89F2-1E36ED9D6535"/>
 <versionNumber value="7"/>
 <author><assignedEntity><representedOrganization><name>Example Pharma, Inc.</name></representedOrganization>
 </assignedEntity></author>
 <component><structuredBody>
  <component><section ID="S1"><code code="48780-1" codeSystem="2.16.840.1.113883.6.1"/>
   <subject><manufacturedProduct><manufacturedProduct><name>Goutex</name>
    <asEntityWithGeneric><genericMedicine><name>ALLOPURINOL</name></genericMedicine></asEntityWithGeneric>
   </manufacturedProduct></manufacturedProduct></subject></section></component>
  <component><section ID="S2"><code code="34067-9" codeSystem="2.16.840.1.113883.6.1"
     displayName="INDICATIONS &amp; USAGE SECTION"/>
   <title>1 INDICATIONS AND USAGE</title>
   <text><paragraph>Goutex is indicated for gout<footnote ID="f1">Not for acute flares.</footnote>.</paragraph>
    <list listType="unordered"><item><caption>•</caption>uric acid &gt; 6 mg/dL</item>
     <item><caption>•</caption>tophi</item></list>
    <list listType="ordered"><item><caption>a)</caption>First step</item></list></text>
   <excerpt><highlight><text><paragraph>Gout in adults (<linkHtml href="#S3">1.1</linkHtml>)</paragraph></text>
   </highlight></excerpt>
   <component><section ID="S3"><code code="42229-5" codeSystem="2.16.840.1.113883.6.1"/>
    <title>1.1 Adults</title><text>Clearance below 10<sup>2</sup> mL/min.<br/>Halve the dose.
     <renderMultiMedia referencedObject="MM1"/></text></section></component>
  </section></component>
  <component><section ID="S4"><code code="34068-7" codeSystem="2.16.840.1.113883.6.1"
     displayName="DOSAGE &amp; ADMINISTRATION SECTION"/>
   <text><table><caption>Table 1. Doses</caption>
    <thead><tr><th>Creatinine clearance</th><th>Dose</th></tr></thead>
    <tbody><tr><td rowspan="2">10 to 20 mL/min</td><td>200 mg</td></tr><tr><td>100 mg if frail</td></tr></tbody>
   </table>Behind the table.</text></section></component>
  <component><section ID="S5"><code code="34070-3" codeSystem="2.16.840.1.113883.6.1"/>
   <title>CONTRAINDICACIONES</title><text><paragraph>No usar con alergia.</paragraph></text></section></component>
 </structuredBody></component>
</document>"""


def read(path: Path) -> list[object]:
    return list(reader_for(path)(path, "guideline"))


@pytest.fixture
def label(tmp_path: Path) -> Document:
    path = tmp_path / "goutex.xml"
    path.write_text(SPL, encoding="utf-8")
    [document] = read(path)
    assert isinstance(document, Document)
    return document


def test_a_label_says_whose_it_is(label: Document) -> None:
    reference = label.reference
    assert reference.id == "spl:abd6ecf0-dc8e-41de-89f2-1e36ed9d6535"
    assert reference.title == "GOUTEX (allopurinol) tablets"
    assert (reference.organisation, reference.published) == ("Example Pharma, Inc.", "2024-01-31")
    assert reference.url.endswith("setid=ABD6ECF0-DC8E-41DE-89F2-1E36ED9D6535")
    assert "Brand name: Goutex" in label.text and "Generic name: ALLOPURINOL" in label.text


def test_every_section_has_its_code_and_every_printed_word(label: Document) -> None:
    titles = [section.title for section in label.sections]
    assert "1 INDICATIONS AND USAGE (LOINC 34067-9) › 1.1 Adults" in titles
    assert any(title.startswith("Dosage & administration section (LOINC 34068-7)") for title in titles)
    quotable = "\n".join(label.text[section.start : section.end] for section in label.sections)
    for words in (
        "Goutex is indicated for gout [Not for acute flares.].",
        "- uric acid > 6 mg/dL\n- tophi",
        "1. a) First step",
        "Gout in adults (1.1)",
        "Clearance below 10^2 mL/min. Halve the dose. [picture]",
        "Table 1. Doses",
        "Behind the table.",
        "No usar con alergia.",
    ):
        assert words in quotable
    [first, second] = [line for line in quotable.splitlines() if line.startswith("10 to 20 mL/min")]
    assert first.endswith("200 mg") and second.endswith("100 mg if frail")


@each_row("xml", ["<document><title>Ours</title></document>", SPL.replace("structuredBody", "nonXMLBody")])
def test_a_document_that_is_no_label_is_told(xml: str, tmp_path: Path) -> None:
    path = tmp_path / "other.xml"
    path.write_text(xml, encoding="utf-8")
    [part] = read(path)
    assert isinstance(part, UnreadablePart) and "structuredBody" in part.reason


def openfda(*labels: object) -> str:
    meta = {"disclaimer": "Do not rely on openFDA …", "terms": "https://open.fda.gov/terms/", "results": {"total": 2}}
    return json.dumps({"meta": meta, "results": labels}, indent=2)


METFORMIN = {
    "effective_time": "20250102",
    "set_id": "0a1b",
    "version": "3",
    "boxed_warning": ["WARNING: LACTIC ACIDOSIS"],
    "some_new_section": ["A field that came later."],
    "dosage_and_administration": ["2 DOSAGE AND ADMINISTRATION Start with 500 mg."],
    "dosage_and_administration_table": [
        '<table width="100%"><caption>Table 2</caption><thead><tr><th styleCode="Lrule">eGFR</th><th>Dose</th></tr>'
        "</thead><tbody><tr><td>&lt; 30</td><td><paragraph>do not use</paragraph></td></tr></tbody></table>"
    ],
    "openfda": {"brand_name": ["Glucophage"], "generic_name": ["METFORMIN"], "manufacturer_name": ["Example"]},
}


def test_labels_of_openfda_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "drug-label-0001-of-0013.json"
    path.write_text(openfda(METFORMIN, {"no": "label"}, METFORMIN | {"set_id": "0c2d"}), encoding="utf-8")
    first, fault, second = read(path)
    assert isinstance(first, Document) and isinstance(second, Document) and isinstance(fault, UnreadablePart)
    assert fault.where == "item 2"
    assert (first.reference.id, second.reference.id) == ("spl:0a1b", "spl:0c2d")
    assert (first.reference.title, first.reference.published) == ("Glucophage", "2025-01-02")
    assert [section.title for section in first.sections] == [
        "Boxed warning (LOINC 34066-1)",
        "Some new section",
        "Dosage and administration (LOINC 34068-7)",
        "Dosage and administration (LOINC 34068-7) › Table",
    ]
    assert "do not use" in next(line for line in first.text.splitlines() if line.startswith("< 30"))


def test_a_download_that_breaks_off_keeps_what_was_whole(tmp_path: Path) -> None:
    path = tmp_path / "drug-label-0001-of-0013.json"
    path.write_text(openfda(METFORMIN, METFORMIN | {"set_id": "0c2d"})[:-300], encoding="utf-8")
    whole, fault = read(path)
    assert isinstance(whole, Document) and isinstance(fault, UnreadablePart)
    assert "breaks off" in fault.reason


def test_a_label_larger_than_any_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wellsourced.readers.drug_labels.RECORD_LIMIT", 10_000)
    path = tmp_path / "big.json"
    path.write_text(openfda(METFORMIN | {"warnings": ["x" * 20_000]}), encoding="utf-8")
    with pytest.raises(UnreadableFile, match="larger than"):
        read(path)
