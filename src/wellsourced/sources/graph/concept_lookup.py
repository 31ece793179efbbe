"""From terms to concepts: by id, by name, by words in common, by initials; and what there is to read on a concept."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from wellsourced.readers.concepts.base import canonical_id
from wellsourced.sources.graph.concept_page import ConceptData, ConceptPage, build_concept_page, synonyms
from wellsourced.sources.graph.concept_store import ConceptEntry, ConceptStore, NamedConcept
from wellsourced.sources.graph.name_forms import fold_name, initials, is_abbreviation, name_variants
from wellsourced.sources.graph.schema import BARE, LAST_SYNONYM_SCOPE
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.types import Query

MAX_CONCEPTS = 3
"""Concepts that one query may be about."""

MAX_NAMES = 1_000
"""Names of a concept, joined ones included, that are looked through."""

MAX_RELATIONS = 5_000
"""Relations of a concept, in either direction, that its document holds."""

MIN_ABBREVIATION_LETTERS = 4
"""Letters of the shortest abbreviation that is looked for among initials; three are anybody's: HIV is also the
"hypoplasia of the inferior vermis"."""

MAX_CANDIDATES = 50
"""Names that a full-text search brings up."""

MAX_QUERY_WORDS = 400
"""Words of a query in which terms are looked for."""

MAX_TERM_WORDS = 8
"""Words of the longest term that is looked for within a text."""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GENERAL_WORDS = _word_set("""
    abnormality age adult adults adverse benefit best care case cases cause causes caused child children
    clinical common complication complications condition conditions control cure dangerous day days diagnosis
    difference disease diseases disorder disorders dose drug drugs effect effects effective efficacy evidence
    factor factors first function gene genes good group health heart help high human important increase index
    level levels life line long low male management mechanism medication medications medicine method men mild
    mode moderate new normal old onset option options patient patients people person pharmacotherapy phenotype
    physician population prevention procedure prognosis quality question rate reaction recommended recurrent
    related result results risk role safe severe severity side sign signs stage standard study symptom
    symptoms syndrome syndromes system target term test tests therapies therapy time treat treated treatment
    treatments trial type use used woman women work year years
""")
"""Words that many questions hold and none is about; as terms of their own they still find what they name."""

BOOLEAN_OPERATORS = {"AND", "OR", "NOT"}
"""Words of Boolean queries, which are written as abbreviations are."""

_WORD = re.compile(r"\w[\w'’]*(?:[-–]\w[\w'’]*)*")


class ConceptMatch(NamedTuple):
    """What a term names.

    how      by which way it was found: "text" and "initials" are guesses, the others are not
    equivalents   the concepts of other vocabularies that are this one
    others   further concepts that the term names, the likeliest first
    """

    concept: ConceptEntry
    how: Literal["id", "name", "synonym", "text", "initials"]
    equivalents: tuple[ConceptEntry, ...] = ()
    others: tuple[ConceptEntry, ...] = ()

    @property
    def keys(self) -> list[int]:
        """The concept and those joined to it, as the store numbers them."""
        return [self.concept.key, *(one.key for one in self.equivalents)]


class ConceptLookup:
    """Looks up in a store; to be used by one thread at a time."""

    def __init__(self, store: ConceptStore) -> None:
        self.store = store

    def find(self, term: str) -> ConceptMatch | None:
        """The concept that a term or an id names; None when nobody knows it."""
        if not fold_name(term):
            return None
        return (
            self._find_by_id(term)
            or self._find_by_name(term)
            or self._find_by_text(term)
            or self._find_by_initials(term)
        )

    def _find_by_id(self, term: str) -> ConceptMatch | None:
        # Ids have a prefix, but for DrugBank's, which people write as they are.
        if ":" not in term and not re.fullmatch(r"DB\d{5}", term.strip(), re.IGNORECASE):
            return None
        id = canonical_id(term)
        entries = [one for one in self.store.find_by_id(id) if one.state != BARE]
        return self._build_match([NamedConcept(one, 0, one.name) for one in entries], "id", id) if entries else None

    def _find_by_name(self, term: str) -> ConceptMatch | None:
        forms = name_variants(term)
        known = self.store.find_by_names(forms)
        for form in forms:
            if called := [one for one in known.get(form, ()) if not differs_by_case(term, one.text)]:
                found = self._build_match(called, "synonym", term)
                # A preferred name is what the vocabulary itself calls the concept; any other may be somebody's wider
                # use.
                preferred = any(one.entry == found.concept and one.scope == 0 for one in called)
                return found._replace(how="name") if preferred else found
        return None

    def _find_by_text(self, term: str) -> ConceptMatch | None:
        called = self.store.find_by_text(fold_name(term).split()[:MAX_TERM_WORDS], MAX_CANDIDATES)
        if is_abbreviation(term.strip()):
            # The index stems, and "PE" is not the stem of "pes".
            called = [one for one in called if term.strip() in one.text.split()]
        if not called:
            return None
        # Of the names that hold all the words, those that hold least besides.
        sizes = [len(fold_name(one.text).split()) for one in called]
        return self._build_match(
            [one for one, size in zip(called, sizes, strict=True) if size == min(sizes)], "text", term
        )

    def _find_by_initials(self, term: str) -> ConceptMatch | None:
        """Only when all that these initials stand for is one concept, or one name: else they would be a guess."""
        letters = term.strip()
        if not is_abbreviation(letters) or len(letters) < MIN_ABBREVIATION_LETTERS:
            return None
        called = self.store.find_by_initials(letters.lower(), MAX_CANDIDATES)
        found = self._build_match(called, "initials", term) if called else None
        one_name = len({fold_name(one.text) for one in called}) == 1
        return found if found and (one_name or not found.others) else None

    def _build_match(
        self, called: Sequence[NamedConcept], how: Literal["id", "synonym", "text", "initials"], term: str
    ) -> ConceptMatch:
        """The best of these concepts: called so first of all, then defined ones, then the best connected."""
        best, *others = self.rank_concepts(called, term)
        joined = self.store.find_equivalents(best)
        return ConceptMatch(best, how, tuple(joined), tuple(one for one in others if one not in joined))

    def rank_concepts(self, called: Sequence[NamedConcept], term: str) -> list[ConceptEntry]:
        """The concepts that are called so, the likeliest first."""
        weights = self.store.weights({one.entry.key for one in called})
        short = term.strip() if is_abbreviation(term.strip()) else ""
        spelled = self._concepts_with_initials(called, short) if short else set()

        def order(one: NamedConcept) -> tuple[object, ...]:
            # "ALL" is not everything, but what it abbreviates; of two leukaemias, the one with these initials.
            case, letters = short and one.text != short, short and one.entry.key not in spelled
            defined, relations = weights[one.entry.key]
            way = (case, one.scope > LAST_SYNONYM_SCOPE, one.scope > 0, letters)
            return *way, -one.entry.state, not defined, -relations, one.entry.id

        return list(dict.fromkeys(one.entry for one in sorted(called, key=order)))

    def _concepts_with_initials(self, called: Sequence[NamedConcept], short: str) -> set[int]:
        """Which of these concepts have a name with the initials."""
        names = self.store.names([one.entry.key for one in called], MAX_NAMES)
        return {one.entry.key for one in names if initials(one.text) == short.lower()}

    def find_synonyms(self, term: str, limit: int) -> list[str]:
        """Other names of what a term names; none when the term was only found among the words of longer names."""
        found = self.find(term)
        if found is None or found.how == "text":
            return []
        return synonyms(found.concept, self.store.names(found.keys, MAX_NAMES), name_variants(term))[:limit]

    def build_pages(self, query: Query) -> list[ConceptPage]:
        """The documents of the concepts that a query names, each concept once."""
        found = self._find_in_terms(query.terms) if query.kind == "term" else self._find_in_text(query.text)
        entries: list[ConceptEntry] = []
        for one in found:
            # Concepts of two vocabularies that are one would give the same page twice.
            if not any(one == seen or one in self.store.find_equivalents(seen) for seen in entries):
                entries.append(one)
            if len(entries) == MAX_CONCEPTS:
                break
        return [self.build_page(one) for one in entries]

    def _find_in_terms(self, terms: Iterable[str]) -> Iterator[ConceptEntry]:
        for term in terms:
            if found := self.find(term):
                yield found.concept

    def _find_in_text(self, text: str) -> Iterator[ConceptEntry]:
        """What the longest names in a text name, the longest first; none overlaps another."""
        words = list(_WORD.finditer(text))[:MAX_QUERY_WORDS]
        terms = {
            (first, last): text[words[first].start() : words[last].end()]
            for first in range(len(words))
            for last in range(first, min(first + MAX_TERM_WORDS, len(words)))
        }
        known = self.store.find_by_names(
            {form for term in terms.values() if _is_specific(term) for form in name_variants(term)}
        )
        taken: set[int] = set()
        for first, last in sorted(terms, key=lambda span: (span[0] - span[1], -len(terms[span]), span)):
            inside = set(range(first, last + 1))
            # "type 2 diabetes" is not also "diabetes": the longest name takes its words.
            if not inside & taken and (entry := self._match_term(terms[first, last], known)):
                taken |= inside
                yield entry

    def _match_term(self, term: str, known: dict[str, list[NamedConcept]]) -> ConceptEntry | None:
        if not _is_specific(term):
            return None
        for form in name_variants(term):
            if called := [one for one in known.get(form, ()) if _has_same_case(term, one.text)]:
                return self.rank_concepts(called, term)[0]
        found = self._find_by_initials(term)
        return found.concept if found else None

    def build_page(self, entry: ConceptEntry) -> ConceptPage:
        joined = self.store.find_equivalents(entry)
        keys = [entry.key, *(one.key for one in joined)]
        names, types = self.store.names(keys, MAX_NAMES), self.store.types(keys)
        said, edges = self.store.definitions(keys), self.store.edges(keys, MAX_RELATIONS)
        releases = self.store.releases({one.file for one in said} | {edge.file for edge in edges})
        return build_concept_page(ConceptData(entry, joined, names, said, types, edges, releases))


def _is_specific(term: str) -> bool:
    """Whether a term can be what a text is about: no number, and no word that stands in every question."""
    words = term.split()
    if len(words) > 1:
        # A name does not begin or end with "of the"; what does is a piece cut out of a sentence.
        return not _is_stop_word(words[0]) and not _is_stop_word(words[-1])
    if is_abbreviation(term):
        return term not in BOOLEAN_OPERATORS
    name = fold_name(term)
    return len(name) > 2 and name not in STOP_WORDS and name not in GENERAL_WORDS and not name.isdecimal()


def _is_stop_word(word: str) -> bool:
    # The A of "vitamin A" is no article.
    return word.lower() in STOP_WORDS and not (len(word) == 1 and word.isupper())


def differs_by_case(term: str, name: str) -> bool:
    """Whether both are abbreviations of different things: the eGFR is no EGFR."""
    mixed = is_abbreviation(term.strip()) and term.strip() != term.strip().upper()
    return mixed and is_abbreviation(name) and name not in (term.strip(), term.strip().removesuffix("s"))


def _has_same_case(term: str, name: str) -> bool:
    """Within a text, an abbreviation is one only in its own case: "all" is not ALL, "cap" is not CAP."""
    return term == name or not is_abbreviation(name) or (is_abbreviation(term) and term.rstrip("s") == name)
