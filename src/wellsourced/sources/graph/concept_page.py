"""The document of one concept: a line for each fact, so that each is a passage of its own.

    asthma: A bronchial disease that is characterized by chronic inflammation … (DO)
    asthma is also called: bronchial hyperreactivity, exercise induced asthma. (DO, Mondo)
    asthma has symptom wheezing (DO).

What joined concepts of other vocabularies say stands among them, each line with its source.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from wellsourced.sources.graph import concept_store
from wellsourced.text.passages import MAX_PASSAGE_LENGTH, passage_spans
from wellsourced.types import Document, Passage, Reference, Section

DEFINITION_ASPECT = "definition"
PREFERRED_VOCABULARIES = ("MeSH", "MSH", "NCI", "ICF", "CSP", "HPO")
"""Vocabularies whose definitions come before all others'."""

MAX_SYNONYMS = 60
"""Names in the line of synonyms."""

PREDICATE_PHRASES = {"is_a": "is a kind of", "part_of": "is part of", "derives_from": "derives from"}
"""Predicate → how it is said, where its words do not say it."""

SYMMETRIC_PREDICATES = {"interacts_with", "is_like", "related_to"}

PAGE_URLS = {
    "HP": "https://hpo.jax.org/browse/term/HP:{}",
    "DOID": "https://disease-ontology.org/term/DOID:{}",
    "MONDO": "https://monarchinitiative.org/MONDO:{}",
    "OMIM": "https://omim.org/entry/{}",
    "ORPHA": "https://www.orpha.net/en/disease/detail/{}",
    "MESH": "https://meshb.nlm.nih.gov/record/ui?ui={}",
    "NCBIGene": "https://www.ncbi.nlm.nih.gov/gene/{}",
    "umls": "https://uts.nlm.nih.gov/uts/umls/concept/{}",
}
"""Prefix → where people read about the concept."""


class PageLine(NamedTuple):
    """One fact: its words, the heading it stands under, and whether it defines, tells or names."""

    text: str
    section: str
    part: Literal["definition", "fact", "names"]


class ConceptFact(NamedTuple):
    """A slice of the document, what part it plays, and the how-manieth of its section it is."""

    start: int
    end: int
    section: str
    part: Literal["definition", "fact", "names"]
    place: int


class ConceptPage(NamedTuple):
    """A concept's document and its facts: a line each, or several where a line is very long."""

    document: Document
    facts: tuple[ConceptFact, ...]

    def fact_text(self, fact: ConceptFact) -> str:
        return self.document.text[fact.start : fact.end]

    def fact_passage(self, fact: ConceptFact) -> Passage:
        return Passage(
            reference=self.document.reference,
            text=self.fact_text(fact),
            start=fact.start,
            end=fact.end,
            section=fact.section,
        )


class ConceptData(NamedTuple):
    """All that the graph says of a concept and of those joined to it."""

    entry: concept_store.ConceptEntry
    equivalents: Sequence[concept_store.ConceptEntry]
    names: Sequence[concept_store.NamedConcept]
    definitions: Sequence[concept_store.ConceptDefinition]
    types: Sequence[str]
    edges: Sequence[concept_store.Edge]
    releases: Sequence[str]


def build_concept_page(gathered: ConceptData) -> ConceptPage:
    """The document. The same graph gives the same words."""
    lines = list(dict.fromkeys(_build_lines(gathered)))
    text = "\n".join(line.text for line in lines)
    sections: list[Section] = []
    facts: list[ConceptFact] = []
    at = 0
    for title, group in groupby(lines, key=lambda line: line.section):
        start = at
        for place, line in enumerate(group):
            end = at + len(line.text)
            spans = [(at, end)] if end - at <= MAX_PASSAGE_LENGTH else passage_spans(text, at, end)
            facts += [ConceptFact(*span, title, line.part, place) for span in spans]
            at = end + 1
        sections.append(Section(title=title, start=start, end=at - 1))
    document = Document(reference=_build_reference(gathered), text=text, sections=tuple(sections))
    return ConceptPage(document, tuple(facts))


def _build_lines(gathered: ConceptData) -> Iterator[PageLine]:
    title = gathered.entry.title
    said = sorted(gathered.definitions, key=_definition_priority)
    for one in said:
        if one.aspect == DEFINITION_ASPECT:
            yield PageLine(
                f"{title}: {one.text} ({_source_note(one.source, one.reference)})", "Definition", "definition"
            )
    yield from _name_lines(gathered)
    if gathered.types:
        yield PageLine(f"{title} is of the type {' and '.join(gathered.types)} (UMLS).", "Type", "fact")
    for one in said:
        if one.aspect != DEFINITION_ASPECT:
            words = f"{title}, {one.aspect}: {one.text} ({_source_note(one.source, one.reference)})"
            yield PageLine(words, f"{one.source} › {one.aspect}", "fact")
    yield from _relation_lines(gathered.edges)
    if not gathered.names and not said and not gathered.edges:
        yield PageLine(title, "", "fact")


def _definition_priority(one: concept_store.ConceptDefinition) -> tuple[int, str, str]:
    rank = (
        PREFERRED_VOCABULARIES.index(one.source)
        if one.source in PREFERRED_VOCABULARIES
        else len(PREFERRED_VOCABULARIES)
    )
    return rank, one.source, one.aspect


def _name_lines(gathered: ConceptData) -> Iterator[PageLine]:
    title = gathered.entry.title
    others = synonyms(gathered.entry, gathered.names, {concept_store.fold_name(title)})[:MAX_SYNONYMS]
    if others:
        ids = ", ".join([gathered.entry.id, *(one.id for one in gathered.equivalents if one.state)])
        yield PageLine(f"{title} is also called: {'; '.join(others)} ({ids}).", "Names", "names")
    else:
        yield PageLine(f"{title} ({gathered.entry.id}).", "Names", "names")


def synonyms(
    entry: concept_store.ConceptEntry, names: Sequence[concept_store.NamedConcept], left_out: Collection[str]
) -> list[str]:
    """Names that mean the concept itself: preferred ones first, its own before those of joined concepts."""
    ranked = sorted(names, key=lambda one: (one.scope, one.entry.key != entry.key))
    seen = set(left_out)
    found = []
    for one in ranked:
        if one.scope <= concept_store.LAST_SYNONYM_SCOPE and (name := concept_store.fold_name(one.text)) not in seen:
            seen.add(name)
            found.append(one.text)
    return found


def _relation_lines(edges: Sequence[concept_store.Edge]) -> Iterator[PageLine]:
    """A line for each relation, by vocabulary and predicate; articles that say the same are cited together."""
    cited: dict[tuple[str, str, str], dict[str, None]] = {}
    for edge in edges:
        ends = sorted((edge.subject.title, edge.object.title), key=str.casefold)
        subject, object = ends if edge.predicate in SYMMETRIC_PREDICATES else (edge.subject.title, edge.object.title)
        spoken = _predicate_phrase(edge.predicate)
        words = f"{subject} {spoken} {object}"
        cited.setdefault((f"{edge.source} › {spoken}", words, edge.detail), {})[edge.reference] = None
    for (section, words, detail), references in sorted(cited.items(), key=lambda one: one[0][0]):
        source = _source_note(section.split(" › ")[0], *filter(None, references))
        if detail.endswith("."):
            yield PageLine(f"{words}: {detail} ({source})", section, "fact")
        else:
            yield PageLine(f"{words}{', ' if detail else ''}{detail} ({source}).", section, "fact")


def _predicate_phrase(predicate: str) -> str:
    """ "has_symptom" → "has symptom", "transmitted_by" → "is transmitted by", "disease_has_feature" → "has feature"."""
    words = predicate.removeprefix("disease_").replace("_", " ")
    return PREDICATE_PHRASES.get(predicate) or (f"is {words}" if re.fullmatch(r"\w+ (by|to)", words) else words)


def _source_note(source: str, *references: str) -> str:
    return ", ".join(filter(None, (source, *references)))


def _build_reference(gathered: ConceptData) -> Reference:
    prefix, colon, accession = gathered.entry.id.partition(":")
    address = PAGE_URLS.get(prefix, "").format(accession) if colon else ""
    if not colon and prefix.startswith("DB"):
        address = f"https://go.drugbank.com/drugs/{prefix}"
    sources = {one.source for one in gathered.definitions} | {edge.source for edge in gathered.edges}
    return Reference(
        id=gathered.entry.id,
        title=gathered.entry.title,
        url=address,
        kind="graph",
        organisation=", ".join(sorted(sources)),
        # Of several releases the last: under a date limit, nothing newer may slip in beside what is old enough.
        published=max(gathered.releases, default=""),
        depth="record",
    )
