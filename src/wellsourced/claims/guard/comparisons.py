"""What was compared with what ("A was better than B" has the words of "B was better than A"), and words in the place of
others that make another fact.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from wellsourced.claims.guard import disagreement
from wellsourced.claims.guard.alignment import AlignmentWord, SentenceAlignment, Substitution
from wellsourced.claims.guard.disagreement import Disagreement, FactKind
from wellsourced.claims.guard.negation import NEGATIONS, POSITIVE_FORMS
from wellsourced.medicine.units import CANONICAL_UNITS
from wellsourced.text.lexicon import STOP_WORDS, word_set

_FIRST_SIDE_WINDOW = 24
"""Words before a pivot among which its first side is named."""

_MAX_COMPARISONS = 8
"""Comparisons of one sentence that are looked at, at most."""

_PREPOSITIONAL_PIVOTS = word_set("superior inferior compared comparable preferable")
"""Words that need a "to" or a "with" behind them to be a pivot."""

_GENERAL_WORDS = word_set(
    "group groups arm arms patients patient participants subjects those the a an in with for among of to that "
    "treated receiving cases people individuals trial"
)
"""Words that do not tell two sides apart, and such as may stand before a side."""

_DIRECTION_WINDOW = 24
"""Words on either side of a pivot among which its direction is looked for."""


class RoleComparison(NamedTuple):
    """A comparison: where its pivot stands, the words behind it that name the second side, and its direction, or 0."""

    pivot: int
    second_side: tuple[AlignmentWord, ...]
    axis: str
    sign: int

    @property
    def second_side_keys(self) -> frozenset[str]:
        """What the second side is compared by."""
        return frozenset(word.key for word in self.second_side)


def detect_role_swaps(copy: SentenceAlignment) -> Iterator[Disagreement]:
    """Two sides that changed places while the direction between them did not."""
    for said, given in _pair_swapped_comparisons(copy):
        if said.sign and given.sign and said.axis == given.axis and said.sign == given.sign:
            yield Disagreement("role", _format_second_side(said), _format_second_side(given))


def is_converse(copy: SentenceAlignment) -> bool:
    """Whether sides and direction changed together: "lower with B than with A" is "higher with A than with B"."""
    return any(
        said.axis == given.axis and said.sign == -given.sign != 0 for said, given in _pair_swapped_comparisons(copy)
    )


def _format_second_side(frame: RoleComparison) -> str:
    return f"than {' '.join(word.word for word in frame.second_side)}"


def _pair_swapped_comparisons(copy: SentenceAlignment) -> Iterator[tuple[RoleComparison, RoleComparison]]:
    """Comparisons of the same two sides in which each stands where the other stood."""
    sides = (copy.claim_words, copy.evidence_words)
    frames = [list(islice(_find_comparisons(words), _MAX_COMPARISONS)) for words in sides]
    for said, given in product(*frames):
        one, other = said.second_side[0].key, given.second_side[0].key
        if one in given.second_side_keys or other in said.second_side_keys:
            continue
        if other in _first_side_keys(copy.claim_words, said) and one in _first_side_keys(copy.evidence_words, given):
            yield said, given


def _first_side_keys(words: Sequence[AlignmentWord], frame: RoleComparison) -> frozenset[str]:
    """The words among which the first side is named: before the pivot, or behind one that opens the sentence."""
    before = words[max(0, frame.pivot - _FIRST_SIDE_WINDOW) : frame.pivot]
    return frozenset(word.key for word in (before if frame.pivot > 1 else words[frame.pivot + 2 :]))


def _find_comparisons(words: Sequence[AlignmentWord]) -> Iterator[RoleComparison]:
    for at, word in enumerate(words):
        small = word.lower
        follows = words[at + 1].lower if at + 1 < len(words) else ""
        if small not in ("than", "versus", "vs") and not (small in _PREPOSITIONAL_PIVOTS and follows in ("to", "with")):
            continue
        if second := _find_second_side(words, at + 1):
            yield RoleComparison(at, second, *_find_pivot_direction(words, at))


def _find_second_side(words: Sequence[AlignmentWord], start: int) -> tuple[AlignmentWord, ...]:
    found: list[AlignmentWord] = []
    for word in words[start : start + 6]:
        if word.is_number:
            break
        if found and (word.follows_comma or not word.has_content or word.lower in _GENERAL_WORDS):
            break
        if word.has_content and word.lower not in _GENERAL_WORDS:
            found.append(word)
    return tuple(found[:3])


def _find_pivot_direction(words: Sequence[AlignmentWord], at: int) -> tuple[str, int]:
    """The word nearest before the pivot, else behind it, that has a direction, negations beside it counted."""
    for word in (*reversed(words[max(0, at - _DIRECTION_WINDOW) : at + 1]), *words[at : at + _DIRECTION_WINDOW]):
        if word.key.startswith("axis"):
            place = words.index(word)
            denied = sum(near.lower in NEGATIONS for near in words[max(0, place - 3) : place])
            return word.key[:-1], (-1 if denied % 2 else 1) * (1 if word.key[-1] == "+" else -1)
    return "", 0


_MAX_SUBSTITUTION = 6
"""Words of a change that are held against each other: of longer stretches it is not known what stands for what."""

_MIN_CLOSENESS = 0.75
"""Share of the claim's words that are the evidence's, from which more may be read off a change."""

_UNITS = frozenset(CANONICAL_UNITS.values())
_TIME_UNITS = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "ms"})
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
        yield from _detect_quantity_change(change, copy, new)
        for one, other in product(change.claim_words, change.evidence_words):
            # What stands on the other side too, elsewhere, has only moved.
            if new[one.key] > 0 > new[other.key] and (found := _classify_difference(one, other, change, copy)):
                yield Disagreement(found, one.lower, other.lower)


def _classify_difference(
    one: AlignmentWord, other: AlignmentWord, change: Substitution, copy: SentenceAlignment
) -> FactKind | None:
    """On what two words in the same place disagree."""
    if found := disagreement.find_contrast(one.lower, other.lower):
        return None if found in ("strength", "condition") and copy.closeness < _MIN_CLOSENESS else found
    if (
        other.lower in _PEOPLE_WORDS
        and disagreement.is_population_word(one.lower)
        and one.key not in copy.evidence_keys
    ):
        return "population"
    if one.key[-1] in "+-" and one.key[:-1] == other.key[:-1] and one.key != other.key:
        return None if _negation_parity(change.claim_words) != _negation_parity(change.evidence_words) else "direction"
    if (
        disagreement.is_disease_name(one.word)
        and disagreement.is_disease_name(other.word)
        and copy.closeness >= _MIN_CLOSENESS
    ):
        return "condition"
    if _is_letter_name(one, change.claim_position, copy.claim_words) and _is_letter_name(
        other, change.evidence_position, copy.evidence_words
    ):
        return "drug"
    return "drug" if _are_different_names(one, other, change, copy.closeness) else None


def _are_different_names(one: AlignmentWord, other: AlignmentWord, change: Substitution, closeness: float) -> bool:
    """Whether both are names, of different things as far as can be seen."""
    if disagreement.is_symbol(one.word) and (
        closeness < _MIN_CLOSENESS or max(len(change.claim_words), len(change.evidence_words)) > 2
    ):
        return False
    if (
        not disagreement.is_entity_name(one.word)
        or not disagreement.is_entity_name(other.word)
        or disagreement.is_symbol(one.word) != disagreement.is_symbol(other.word)
    ):
        return False
    said, given = (" ".join(word.word for word in words) for words in (change.claim_words, change.evidence_words))
    return not disagreement.is_abbreviation_of(one.word, given) and not disagreement.is_abbreviation_of(
        other.word, said
    )


def _is_letter_name(word: AlignmentWord, at: int, sentence: Sequence[AlignmentWord]) -> bool:
    """ "vitamin D", "group B"."""
    return len(word.word) == 1 and word.word.isupper() and at > 0 and sentence[at - 1].lower in _LETTERED_NOUNS


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
    return {POSITIVE_FORMS.get(word.lower, word.lower) for word in words if word.lower not in _EMPTY_WORDS}


def _detect_dropped_hedge(change: Substitution) -> Iterator[Disagreement]:
    """ "May" is left out, and nothing of the kind put in its place."""
    said, given = ({word.lower for word in words} for words in (change.claim_words, change.evidence_words))
    if given & _HEDGES and not said & _HEDGES and not given - _HEDGES - STOP_WORDS and not said - STOP_WORDS:
        yield Disagreement("strength", _join_words(change.claim_words) or "nothing", _join_words(change.evidence_words))


def _join_words(words: Sequence[AlignmentWord]) -> str:
    return " ".join(word.lower for word in words)


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
