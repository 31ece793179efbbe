"""Words that the claim has in the place of others, and whether that makes another fact."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from wellsourced.claims.guard.alignment import AlignmentWord, SentenceAlignment, Substitution
from wellsourced.claims.guard.contrast_words import find_contrast, is_population_word
from wellsourced.claims.guard.disagreement import Disagreement, FactKind
from wellsourced.claims.guard.entities import is_abbreviation_of, is_disease_name, is_entity_name, is_symbol
from wellsourced.claims.guard.negation import NEGATIONS, POSITIVE_FORMS
from wellsourced.clinical.quantities import CANONICAL_UNITS
from wellsourced.text.lexicon import STOP_WORDS, word_set

_MAX_SUBSTITUTION = 6
"""Words of a change that are held against each other: of longer stretches it is not known what stands for what."""

_MIN_CLOSENESS = 0.75
"""Share of the claim's words that are the evidence's, from which more may be read off a change."""

_UNITS = frozenset(CANONICAL_UNITS.values())
_TIME_UNITS = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "ms"})
_ABOVE_WORDS = word_set("> ≥ over above more greater least older longer higher exceeding minimum")
_BELOW_WORDS = word_set("< ≤ under below less fewer smaller most younger shorter lower maximum")
_PEOPLE_WORDS = word_set("patients people participants subjects individuals persons")
_COMPARISON_SIGNS = frozenset("<>=≤≥")
_HEDGES = word_set("may might could possibly potentially perhaps")
_LETTERED_NOUNS = word_set("vitamin hepatitis group type class arm grade stage subtype influenza factor protein")
_EMPTY_WORDS = STOP_WORDS | NEGATIONS | {"found", "any", "significantly", "significant"}


def detect_changed_facts(copy: SentenceAlignment) -> Iterator[Disagreement]:
    """The facts that are others in the claim, change by change."""
    new = Counter(word.key for word in copy.claim_words)
    new.subtract(word.key for word in copy.evidence_words)
    for change in copy.substitutions:
        yield from _detect_negation_change(change)
        if copy.closeness >= _MIN_CLOSENESS:
            yield from _detect_dropped_hedge(change)
        fewer, more = sorted((len(change.claim_words), len(change.evidence_words)))
        if not fewer or more > _MAX_SUBSTITUTION:
            continue
        yield from _detect_bound_change(change, copy)
        yield from _detect_quantity_change(change, copy, new)
        for one, other in product(change.claim_words, change.evidence_words):
            # What stands on the other side too, elsewhere, has only moved.
            if new[one.key] > 0 > new[other.key] and (found := _classify_difference(one, other, change, copy)):
                yield Disagreement(found, one.lower, other.lower)


def _classify_difference(
    one: AlignmentWord, other: AlignmentWord, change: Substitution, copy: SentenceAlignment
) -> FactKind | None:
    """On what two words in the same place disagree."""
    if found := find_contrast(one.lower, other.lower):
        return None if found in ("strength", "condition") and copy.closeness < _MIN_CLOSENESS else found
    if other.lower in _PEOPLE_WORDS and is_population_word(one.lower) and one.key not in copy.evidence_keys:
        return "population"
    if one.key[-1] in "+-" and one.key[:-1] == other.key[:-1] and one.key != other.key:
        return None if _negation_parity(change.claim_words) != _negation_parity(change.evidence_words) else "direction"
    if is_disease_name(one.word) and is_disease_name(other.word) and copy.closeness >= _MIN_CLOSENESS:
        return "condition"
    if _is_letter_name(one, change.claim_position, copy.claim_words) and _is_letter_name(
        other, change.evidence_position, copy.evidence_words
    ):
        return "drug"
    return "drug" if _are_different_names(one, other, change, copy.closeness) else None


def _are_different_names(one: AlignmentWord, other: AlignmentWord, change: Substitution, closeness: float) -> bool:
    """Whether both are names, of different things as far as can be seen."""
    if is_symbol(one.word) and (
        closeness < _MIN_CLOSENESS or max(len(change.claim_words), len(change.evidence_words)) > 2
    ):
        return False
    if not is_entity_name(one.word) or not is_entity_name(other.word) or is_symbol(one.word) != is_symbol(other.word):
        return False
    said, given = (" ".join(word.word for word in words) for words in (change.claim_words, change.evidence_words))
    return not is_abbreviation_of(one.word, given) and not is_abbreviation_of(other.word, said)


def _is_letter_name(word: AlignmentWord, at: int, sentence: Sequence[AlignmentWord]) -> bool:
    """ "vitamin D", "group B"."""
    return len(word.word) == 1 and word.word.isupper() and at > 0 and sentence[at - 1].lower in _LETTERED_NOUNS


# --- what is denied, and how sure it is ------------------------------------------------------------------------------


def _negation_parity(words: Sequence[AlignmentWord]) -> int:
    return sum(word.lower in NEGATIONS or word.lower in POSITIVE_FORMS for word in words) % 2


def _detect_negation_change(change: Substitution) -> Iterator[Disagreement]:
    """A negation too many or too few, where the words around it are the same."""
    said, given = change.claim_words, change.evidence_words
    if _negation_parity(said) != _negation_parity(given) and (
        _words_besides_negation(said) == _words_besides_negation(given)
    ):
        yield Disagreement("negation", _join_words(said) or "nothing", _join_words(given))


def _words_besides_negation(words: Sequence[AlignmentWord]) -> set[str]:
    """What a change says besides the negation."""
    return {POSITIVE_FORMS.get(word.lower, word.lower) for word in words if word.lower not in _EMPTY_WORDS}


def _detect_dropped_hedge(change: Substitution) -> Iterator[Disagreement]:
    """ "May" is left out, and nothing of the kind put in its place."""
    said, given = ({word.lower for word in words} for words in (change.claim_words, change.evidence_words))
    if given & _HEDGES and not said & _HEDGES and not given - _HEDGES - STOP_WORDS and not said - STOP_WORDS:
        yield Disagreement("strength", _join_words(change.claim_words) or "nothing", _join_words(change.evidence_words))


def _join_words(words: Sequence[AlignmentWord]) -> str:
    return " ".join(word.lower for word in words)


# --- quantities ------------------------------------------------------------------------------------------------------


def _detect_bound_change(change: Substitution, copy: SentenceAlignment) -> Iterator[Disagreement]:
    """A bound of the other side, before a number or behind "or"."""
    behind = copy.claim_words[change.claim_position + len(change.claim_words) :][:2]
    before = copy.claim_words[max(0, change.claim_position - 1) : change.claim_position]
    bound = any(word.is_number for word in (*change.claim_words, *behind)) or any(word.lower == "or" for word in before)
    said, given = ({word.lower for word in words} for words in (change.claim_words, change.evidence_words))
    for one, other in ((_ABOVE_WORDS, _BELOW_WORDS), (_BELOW_WORDS, _ABOVE_WORDS)):
        if bound and said & one and given & other and not said & other and not given & one:
            yield Disagreement("comparator", _join_words(change.claim_words), _join_words(change.evidence_words))


def _detect_quantity_change(change: Substitution, copy: SentenceAlignment, new: Counter[str]) -> Iterator[Disagreement]:
    """As many numbers as in the evidence, but others; another unit behind the same number."""
    numbers = [[word for word in words if word.is_number] for words in (change.claim_words, change.evidence_words)]
    if len(numbers[0]) == len(numbers[1]):
        for one, other in zip(*numbers, strict=True):
            if new[one.key] > 0 > new[other.key]:
                yield Disagreement(_classify_number(change, copy), one.word, other.word)
    before = copy.claim_words[max(0, change.claim_position - 1) : change.claim_position]
    measured = any(word.is_number or word.key in _UNITS for word in before)
    one, other = change.claim_words[0], change.evidence_words[0]
    if measured and one.key in _UNITS and other.key in _UNITS and one.key != other.key:
        yield Disagreement("time" if {one.key, other.key} <= _TIME_UNITS else "unit", one.word, other.word)


def _classify_number(change: Substitution, copy: SentenceAlignment) -> FactKind:
    """Of what the changed number is, by the words around it."""
    before = [word.lower for word in copy.claim_words[max(0, change.claim_position - 6) : change.claim_position]]
    behind = [word.key for word in copy.claim_words[change.claim_position + len(change.claim_words) - 1 :][:2]]
    if "p" in before[-3:] and _COMPARISON_SIGNS & {*before[-1:], *(word.word for word in change.claim_words)}:
        return "p-value"
    if {"ci", "interval", "cis", "intervals"} & set(before):
        return "interval"
    if "%" in behind:
        return "percentage"
    return "time" if _TIME_UNITS & set(behind) else "number"
