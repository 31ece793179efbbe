from pathlib import Path

import pytest

from tests.tables import each_row
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
