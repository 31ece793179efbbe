"""Files of terms (UMLS, MeSH, OBO, HPO, DrugBank, tables) → rows of the concept graph. What the graph does with the
rows belongs to sources.graph."""

from functools import partial
from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced.readers.concepts.base import ConceptReader
from wellsourced.readers.concepts.hpo import read_annotations, read_gene_phenotypes
from wellsourced.readers.concepts.mesh import HEADINGS_ROOT, ROOT, SUPPLEMENT_ROOT, read_drugbank, read_mesh
from wellsourced.readers.concepts.obo import read_edges, read_nodes, read_obo
from wellsourced.readers.concepts.umls import read_definitions, read_names, read_relations, read_types
from wellsourced.readers.xml_records import root_name

__all__ = ["concept_reader_for", "list_concept_files"]

CONCEPT_READERS: dict[str, ConceptReader] = {
    "mrconso.rrf": read_names,
    "mrsty.rrf": read_types,
    "mrdef.rrf": read_definitions,
    ".nodes.jsonl": read_nodes,
    ".obo": read_obo,
    "phenotype.hpoa": read_annotations,
    "genes_to_phenotype.txt": read_gene_phenotypes,
    ".edges.jsonl": read_edges,
    "mrrel.rrf": read_relations,
}
"""How the name ends, packed or not → its reader, in the order in which files go in: what is named, then relations."""

CONCEPT_READERS_BY_ROOT: dict[str, ConceptReader] = {
    ROOT: read_drugbank,
    **dict.fromkeys((HEADINGS_ROOT, SUPPLEMENT_ROOT), read_mesh),
}
"""The outermost element of XML → its reader."""


def concept_reader_for(path: Path, language: str = "en") -> ConceptReader:
    """The reader of this file; `language` (ISO 639-1) chooses names where a file has them in several.

    Raises UnreadableFile for a name or a kind of XML that no reader knows.
    """
    ending = _matching_suffix(path)
    if ending == "mrconso.rrf":
        return partial(read_names, language=language)
    if ending:
        return CONCEPT_READERS[ending]
    if _unpacked_name(path).endswith(".xml"):
        if reader := CONCEPT_READERS_BY_ROOT.get(root := root_name(path)):
            return reader
        known = ", ".join(f"<{one}>" for one in CONCEPT_READERS_BY_ROOT)
        raise UnreadableFile(
            path, f"its root <{root}> is not a supported vocabulary", f"Supported XML starts with {known}."
        )
    known = "MRCONSO.RRF, MRSTY.RRF, MRDEF.RRF, MRREL.RRF, .obo, .nodes.jsonl, .edges.jsonl, phenotype.hpoa, .xml"
    raise UnreadableFile(path, "vocabularies of this format are not supported", f"Supported files: {known}.")


def list_concept_files(path: Path) -> list[Path]:
    """The file itself, or the files of concepts directly in a folder, in the order in which they should be added."""
    if not path.is_dir():
        return [path]
    order = [*CONCEPT_READERS, ""]
    files = [one for one in path.iterdir() if one.is_file()]
    found = [one for one in files if _matching_suffix(one) or _unpacked_name(one).endswith(".xml")]
    if not found:
        remedy = "Name the META folder of a UMLS release, an .obo file, tables, or DrugBank or MeSH XML."
        raise UnreadableFile(path, "the folder contains no supported vocabulary", remedy)
    return sorted(found, key=lambda one: (order.index(_matching_suffix(one)), one.name))


def _matching_suffix(path: Path) -> str:
    name = _unpacked_name(path)
    return next((ending for ending in CONCEPT_READERS if name.endswith(ending)), "")


def _unpacked_name(path: Path) -> str:
    return path.name.lower().removesuffix(".gz")
