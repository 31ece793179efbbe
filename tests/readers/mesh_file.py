"""A part of MeSH in NLM's own XML: real headings with their ids, places and entry terms; the scope notes are ours.

Names and numbers are courtesy of the U.S. National Library of Medicine (MeSH 2025), and may not be the latest.
"""

from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import escape


class Further(NamedTuple):
    """A concept of a record beside its preferred one: what it is to that ("NRW", "BRD", "REL"), and its terms."""

    relation: str
    terms: tuple[str, ...]


class Descriptor(NamedTuple):
    """A heading. A term may begin with its LexicalTag and a bar: "ACR|COPD"."""

    id: str
    name: str
    trees: str = ""
    terms: tuple[str, ...] = ()
    permuted: tuple[str, ...] = ()
    further: tuple[Further, ...] = ()
    note: str = ""
    kind: int = 1


HEADINGS = (
    Descriptor("D002318", "Cardiovascular Diseases", "C14", permuted=("Disease, Cardiovascular",)),
    Descriptor("D006331", "Heart Diseases", "C14.280", ("Cardiac Diseases",)),
    Descriptor("D014652", "Vascular Diseases", "C14.907"),
    Descriptor("D006973", "Hypertension", "C14.907.489", ("High Blood Pressure",), ("Blood Pressure, High",)),
    Descriptor("D017202", "Myocardial Ischemia", "C14.280.647 C14.907.585", ("Ischemic Heart Disease",)),
    Descriptor(
        "D009203",
        "Myocardial Infarction",
        "C14.280.647.500 C14.907.585.500",
        ("Heart Attack", "Myocardial Infarct"),
        ("Infarction, Myocardial",),
        note="Death of the muscle of the heart, for want of blood.",
    ),
    Descriptor(
        "D056988",
        "Anterior Wall Myocardial Infarction",
        "C14.280.647.500.093 C14.907.585.500.093",
        note="In its front.",
    ),
    Descriptor(
        "D000072657", "ST Elevation Myocardial Infarction", "C14.280.647.500.875 C14.907.585.500.875", ("ACR|STEMI",)
    ),
    Descriptor("D004700", "Endocrine System Diseases", "C19", ("Endocrine Diseases",)),
    Descriptor("D003920", "Diabetes Mellitus", "C18.452.394.750 C19.246"),
    Descriptor(
        "D003924",
        "Diabetes Mellitus, Type 2",
        "C18.452.394.750.149 C19.246.300",
        ("Type 2 Diabetes Mellitus", "Maturity-Onset Diabetes", "ABB|T2DM"),
    ),
    Descriptor("D003923", "Diabetes Mellitus, Lipoatrophic", "C18.452.394.750.149.500 C19.246.300.500"),
    Descriptor("D012140", "Respiratory Tract Diseases", "C08"),
    Descriptor("D008171", "Lung Diseases", "C08.381"),
    Descriptor("D008173", "Lung Diseases, Obstructive", "C08.381.495"),
    Descriptor("D001249", "Asthma", "C08.381.495.108", ("Bronchial Asthma",)),
    Descriptor(
        "D029424",
        "Pulmonary Disease, Chronic Obstructive",
        "C08.381.495.389",
        ("Chronic Obstructive Pulmonary Disease", "ACR|COPD"),
    ),
    Descriptor("D011656", "Pulmonary Emphysema", "C08.381.495.389.750"),
    Descriptor("D006073", "Gout", "C05.550.114.423"),
    Descriptor("D005145", "Face", "A01.456.505"),
    Descriptor("D005123", "Eye", "A01.456.505.420 A09.371", ("Eyes",)),
    Descriptor("D005138", "Eyebrows", "A01.456.505.420.338 A17.360.296"),
    Descriptor("D012679", "Sense Organs", "A09"),
    Descriptor("D012459", "Salicylates", "D02.455.426.559.389.657.410.595"),
    Descriptor(
        "D001241",
        "Aspirin",
        "D02.455.426.559.389.657.410.595.176",
        ("Acetylsalicylic Acid", "TRD|Aloxiprimum"),
        further=(Further("NRW", ("TRD|Ecotrin", "Magnecyl")), Further("REL", ("Polopiryna",))),
    ),
    Descriptor("D005060", "Europe", "Z01.542", kind=4),
    Descriptor("D006113", "United Kingdom", "Z01.542.363", kind=4),
    Descriptor("D004739", "England", "Z01.542.363.300", kind=4),
    Descriptor("D008297", "Male", terms=("Males",), kind=3),
    Descriptor(
        "D016449", "Randomized Controlled Trial", "V03.175.250.500.500", note="Works <i>about & of</i> it.", kind=2
    ),
)


def written(headings: Iterable[Descriptor] = HEADINGS, year: int = 2026) -> str:
    """The file: desc2026.xml."""
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM '
        f'"https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_{year}0101.dtd">\n'
        f'<DescriptorRecordSet LanguageCode = "eng">\n{"".join(map(_record, headings))}</DescriptorRecordSet>\n'
    )


SUPPLEMENT = """<?xml version="1.0"?>
<!DOCTYPE SupplementalRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmsupplementalrecordset_20260101.dtd">
<SupplementalRecordSet LanguageCode = "eng">
<SupplementalRecord SCRClass = "1">
  <SupplementalRecordUI>C000002</SupplementalRecordUI>
  <SupplementalRecordName>
   <String>bevonium</String>
  </SupplementalRecordName>
  <DateCreated><Year>1971</Year><Month>01</Month><Day>01</Day></DateCreated>
  <Note>structure given in first source</Note>
  <Frequency>1</Frequency>
  <HeadingMappedToList>
   <HeadingMappedTo>
    <DescriptorReferredTo>
     <DescriptorUI>*D001241</DescriptorUI>
     <DescriptorName><String>Aspirin</String></DescriptorName>
    </DescriptorReferredTo>
   </HeadingMappedTo>
  </HeadingMappedToList>
  <ConceptList>
   <Concept PreferredConceptYN="Y">
    <ConceptUI>M0043985</ConceptUI>
    <ConceptName><String>bevonium</String></ConceptName>
    <TermList>
     <Term  ConceptPreferredTermYN="Y"  IsPermutedTermYN="N"  LexicalTag="NON"  RecordPreferredTermYN="Y">
      <TermUI>T090251</TermUI>
      <String>bevonium</String>
     </Term>
     <Term  ConceptPreferredTermYN="N"  IsPermutedTermYN="N"  LexicalTag="TRD"  RecordPreferredTermYN="N">
      <TermUI>T090252</TermUI>
      <String>Acabel</String>
     </Term>
    </TermList>
   </Concept>
  </ConceptList>
</SupplementalRecord>
</SupplementalRecordSet>
"""


def _record(one: Descriptor) -> str:
    trees = "".join(f"   <TreeNumber>{tree}</TreeNumber>\n" for tree in one.trees.split())
    return f"""<DescriptorRecord DescriptorClass = "{one.kind}">
  <DescriptorUI>{one.id}</DescriptorUI>
  <DescriptorName>
   <String>{escape(one.name)}</String>
  </DescriptorName>
  <DateCreated>
   <Year>1999</Year>
   <Month>01</Month>
   <Day>01</Day>
  </DateCreated>
  <AllowableQualifiersList>
   <AllowableQualifier>
    <QualifierReferredTo>
     <QualifierUI>Q000188</QualifierUI>
     <QualifierName>
      <String>drug therapy</String>
     </QualifierName>
    </QualifierReferredTo>
    <Abbreviation>DT</Abbreviation>
   </AllowableQualifier>
  </AllowableQualifiersList>
  <SeeRelatedList>
   <SeeRelatedDescriptor>
    <DescriptorReferredTo>
     <DescriptorUI>D999999</DescriptorUI>
     <DescriptorName>
      <String>Elsewhere</String>
     </DescriptorName>
    </DescriptorReferredTo>
   </SeeRelatedDescriptor>
  </SeeRelatedList>
{f"  <TreeNumberList>{chr(10)}{trees}  </TreeNumberList>{chr(10)}" if trees else ""}  <ConceptList>
{_concepts(one)}  </ConceptList>
 </DescriptorRecord>
"""


def _concepts(one: Descriptor) -> str:
    relations = "".join(
        f'     <ConceptRelation RelationName="{further.relation}">\n     <Concept1UI>M{one.id}</Concept1UI>\n'
        f"     <Concept2UI>M{one.id}.{place}</Concept2UI>\n     </ConceptRelation>\n"
        for place, further in enumerate(one.further)
    )
    terms = [(one.name, "N"), *((term, "N") for term in one.terms), *((term, "Y") for term in one.permuted)]
    first = _concept(f"M{one.id}", "Y", terms, relations, one.note)
    return first + "".join(
        _concept(f"M{one.id}.{place}", "N", [(term, "N") for term in further.terms], relations)
        for place, further in enumerate(one.further)
    )


def _concept(id: str, preferred: str, terms: list[tuple[str, str]], relations: str, note: str = "") -> str:
    scope = f"    <ScopeNote>{escape(note)}\n    </ScopeNote>\n" if note else ""
    related = f"    <ConceptRelationList>\n{relations}    </ConceptRelationList>\n" if relations else ""
    listed = "".join(_term(term, permuted, "Y" if not place else "N") for place, (term, permuted) in enumerate(terms))
    return f"""   <Concept PreferredConceptYN="{preferred}">
    <ConceptUI>{id}</ConceptUI>
    <ConceptName>
     <String>{escape(terms[0][0].rpartition("|")[2])}</String>
    </ConceptName>
{scope}{related}    <TermList>
{listed}    </TermList>
   </Concept>
"""


def _term(term: str, permuted: str, preferred: str) -> str:
    tag, _, text = term.rpartition("|")
    return (
        f'     <Term  ConceptPreferredTermYN="{preferred}"  IsPermutedTermYN="{permuted}"  LexicalTag="{tag or "NON"}"'
        f'  RecordPreferredTermYN="N">\n      <TermUI>T000001</TermUI>\n      <String>{escape(text)}</String>\n'
        "      <DateCreated>\n       <Year>1999</Year>\n       <Month>01</Month>\n       <Day>01</Day>\n"
        "      </DateCreated>\n      <ThesaurusIDlist>\n       <ThesaurusID>NLM (1966)</ThesaurusID>\n"
        "      </ThesaurusIDlist>\n     </Term>\n"
    )
