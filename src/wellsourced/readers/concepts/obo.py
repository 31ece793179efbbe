"""Ontologies in the OBO flat file format 1.2 and 1.4: DO, HPO, Mondo and their kin.

One stanza is one term. A stanza with a tag that cannot be read is left out whole: half a term would be a wrong one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.readers.base import Faulty, File, published
from wellsourced.readers.concepts.base import (
    Concept,
    CrossReference,
    Definition,
    LeftOut,
    Name,
    Redirect,
    Relation,
    Row,
    Rows,
    Scope,
    Vocabulary,
    canonical,
    faulty,
    lines,
    one_line,
)

CALLED = {"doid": "DO", "do": "DO", "hp": "HPO", "hpo": "HPO", "mondo": "Mondo"}
"""How people call the vocabularies that files call otherwise."""

SCOPES: dict[str, Scope] = {"EXACT": "exact", "RELATED": "related", "NARROW": "narrow", "BROAD": "broad"}
ABBREVIATIONS = {"OMO:0003012", "OMO:0003000", "abbreviation", "acronym"}
UNSAID = {"obsolete_synonym", "OMO:0003005", "allelic_requirement", "HP:0034334"}
"""Types of synonyms: what abbreviates, and what nobody would say for the term."""

LABELS = {"BFO:0000050": "part_of", "BFO:0000051": "has_part", "RO:0002200": "has_phenotype"}
LABELS |= {"RO:0002452": "has_symptom", "RO:0004029": "disease_has_feature", "RO:0004026": "disease_has_location"}
"""Relations of the OBO Relation Ontology that files name by number."""

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)', re.DOTALL)
_SYNONYM = re.compile(r"(?P<scope>[A-Z]+)?\s*(?P<type>[^\s\[]+)?\s*\[")
_REFERENCES = re.compile(r"\[(.*)\]")
_PUBMED = re.compile(r"(?:PMID:\s*|pubmed(?:\.ncbi\.nlm\.nih\.gov)?/|/pubmed/)(\d{1,8})", re.IGNORECASE)
_REMARK = re.compile(r"\s+!\s.*$|\s*\{[^{}]*\}\s*$")


class Unfit(ValueError):
    """What is wrong with a line of a stanza."""

    def __init__(self, number: int, reason: str) -> None:
        self.number = number
        super().__init__(reason)


class Tag(NamedTuple):
    """One line of a stanza: its number in the file, its name and what follows the colon."""

    number: int
    name: str
    value: str


class Stanza(NamedTuple):
    """The tags under a heading: "Term", "Typedef", or "" for the head of the file."""

    heading: str
    number: int
    tags: list[Tag]


def read_obo(path: File, name: str = "") -> Rows:
    """The terms of an ontology; `name` is the vocabulary's, else the file says it."""
    obsolete = 0
    stanzas = _stanzas(path)
    head = next(stanzas)
    vocabulary = _vocabulary(path, name, head if isinstance(head, Stanza) else Stanza("", 1, []))
    yield vocabulary
    for stanza in stanzas:
        if isinstance(stanza, Faulty):
            yield stanza
        elif stanza.heading == "Term":
            try:
                rows = list(_term(stanza, vocabulary.name))
            except Unfit as fault:
                yield faulty(fault.number, f"{fault}; the term of line {stanza.number} is left out")
            else:
                obsolete += not rows
                yield from rows
    if obsolete:
        yield LeftOut("obsolete terms without a successor", obsolete)


def _vocabulary(path: File, name: str, head: Stanza) -> Vocabulary:
    tags = {tag.name: tag.value for tag in head.tags}
    given = tags.get("ontology", "").split("/")[0].removesuffix(".obo") or path.name.split(".")[0]
    released = re.search(r"[12]\d{3}-\d\d-\d\d", tags.get("data-version", ""))
    return Vocabulary(name or CALLED.get(given.lower(), given), published(released.group() if released else ""))


def _stanzas(path: File) -> Iterator[Stanza | Faulty]:
    """The head of the file, then each stanza; a Faulty instead of one that holds a line which is no tag."""
    stanza, fault = Stanza("", 1, []), None
    for number, line in lines(path):
        text = line if isinstance(line, Faulty) else line.strip()
        if isinstance(text, str) and text.startswith("[") and text.endswith("]"):
            yield fault or stanza
            stanza, fault = Stanza(text[1:-1], number, []), None
        elif isinstance(text, Faulty):
            fault = text
        elif text and not text.startswith("!"):
            name, colon, value = text.partition(":")
            stanza.tags.append(Tag(number, name, value.strip()))
            if not colon:
                fault = faulty(number, f"it is no tag; the stanza of line {stanza.number} is left out")
    yield fault or stanza


def _term(stanza: Stanza, vocabulary: str) -> Iterator[Row]:
    """The rows of a term: none for an obsolete one that nothing replaces."""
    tags = defaultdict(list)
    for tag in stanza.tags:
        tags[tag.name].append(tag)
    id = canonical(_bare(_only(stanza, tags["id"], "id")))
    if any(tag.value.startswith("true") for tag in tags["is_obsolete"]):
        yield from (Redirect(id, canonical(_bare(tag.value))) for tag in tags["replaced_by"][:1])
        return
    yield Concept(id, one_line(_unescaped(_only(stanza, tags["name"], "name"))))
    yield from (Redirect(canonical(_bare(tag.value)), id) for tag in tags["alt_id"])
    yield from (_definition(tag, id, vocabulary) for tag in tags["def"])
    yield from (_synonym(tag, id) for tag in tags["synonym"])
    yield from _cross_references(tags, id)
    yield from _relations(tags, id, vocabulary)


def _only(stanza: Stanza, tags: list[Tag], name: str) -> str:
    if len(tags) != 1 or not tags[0].value:
        number = tags[-1].number if tags else stanza.number
        raise Unfit(number, f"the term has {len(tags) or 'no'} lines “{name}:”" if len(tags) != 1 else f"no {name}")
    return tags[0].value


def _definition(tag: Tag, id: str, vocabulary: str) -> Definition:
    text, rest = _quoted(tag)
    found = _REFERENCES.search(rest)
    return Definition(id, one_line(text), vocabulary, reference=_reference(found.group(1) if found else ""))


def _reference(given: str) -> str:
    """The articles that a definition rests on; people and web pages are not kept."""
    return ", ".join(f"PMID:{pmid}" for pmid in dict.fromkeys(_PUBMED.findall(given.replace("\\", ""))))


def _synonym(tag: Tag, id: str) -> Name:
    text, rest = _quoted(tag)
    match = _SYNONYM.match(rest) or re.match(r"(?P<scope>[A-Z]+)?(?P<type>$)?", rest)
    scope = SCOPES.get(match["scope"] or "RELATED") if match else None
    if scope is None or match is None:
        raise Unfit(tag.number, f"the scope of the synonym “{text}” is none of {', '.join(SCOPES)}")
    if match["type"] in UNSAID:
        scope = "related"
    elif match["type"] in ABBREVIATIONS and scope in ("exact", "related"):
        scope = "abbreviation"
    return Name(id, one_line(text), scope)


def _cross_references(tags: dict[str, list[Tag]], id: str) -> Iterator[CrossReference]:
    for tag in tags["xref"]:
        yield CrossReference(id, canonical(_bare(tag.value.split('"')[0])))
    for tag in tags["property_value"]:
        if tag.value.startswith("skos:exactMatch"):
            other = tag.value.removeprefix("skos:exactMatch").split(" xsd:")[0].strip().strip('"')
            yield CrossReference(id, canonical(other))


def _relations(tags: dict[str, list[Tag]], id: str, vocabulary: str) -> Iterator[Row]:
    """is_a and relationship lines, and what an intersection adds to them; the ends named, where a remark names them."""
    seen: Counter[tuple[str, str]] = Counter()
    for tag in (*tags["is_a"], *tags["relationship"], *tags["intersection_of"]):
        words = _bare(tag.value).split()
        kind_of = tag.name == "is_a" or (tag.name == "intersection_of" and len(words) == 1)
        predicate, object = ("is_a", words[:1]) if kind_of else ("".join(words[:1]), words[1:2])
        if not object:
            raise Unfit(tag.number, f"the line “{tag.name}:” names no term")
        predicate, other = LABELS.get(predicate, predicate), canonical(object[0])
        seen[predicate, other] += 1
        if seen[predicate, other] > 1 or other == id:
            continue
        label = tag.value.partition(" ! ")[2].strip()
        if label and tag.name != "intersection_of":
            yield Concept(other, one_line(_unescaped(label)), mentioned=True)
        yield Relation(id, predicate, other, vocabulary)


def _quoted(tag: Tag) -> tuple[str, str]:
    match = _QUOTED.match(tag.value)
    if not match:
        raise Unfit(tag.number, f"the line “{tag.name}:” has no text between quotes")
    return _unescaped(match[1]), match[2]


def _bare(value: str) -> str:
    """A value without the remark behind it and without modifiers in braces."""
    before = ""
    while before != value:
        before, value = value, _REMARK.sub("", value)
    return value.replace("\\", "").strip()


def _unescaped(text: str) -> str:
    """OBO writes a colon, a comma or a quote of the text behind a backslash; \\n and \\W are white space."""
    return re.sub(r"\\(.)", lambda found: " " if found[1] in "nWt" else found[1], text)
