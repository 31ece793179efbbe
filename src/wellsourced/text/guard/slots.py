"""Slots: what a sentence of the claim has in the place of what, and whether that is another fact."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from wellsourced.text.guard.classes import is_group, other_class
from wellsourced.text.guard.copies import Change, Copy, Word
from wellsourced.text.guard.kinds import Disagreement, Kind
from wellsourced.text.guard.named import is_disease, is_named, is_short_for, is_symbol
from wellsourced.text.guard.reading import NEGATED, NEGATIONS
from wellsourced.text.lexicon import STOP_WORDS, word_set
from wellsourced.text.quantities import CANONICAL

_LONGEST = 6
"""Words of a change that are held against each other: of longer stretches it is not known what stands for what."""

_CLOSE = 0.75
"""Share of the claim's words that are the evidence's, from which more may be read off a change."""

_UNITS = frozenset(CANONICAL.values())
_TIME = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "ms"})
_ABOVE = word_set("> ≥ over above more greater least older longer higher exceeding minimum")
_BELOW = word_set("< ≤ under below less fewer smaller most younger shorter lower maximum")
_PEOPLE = word_set("patients people participants subjects individuals persons")
_SIGNS = frozenset("<>=≤≥")
_MAY = word_set("may might could possibly potentially perhaps")
_LETTERED = word_set("vitamin hepatitis group type class arm grade stage subtype influenza factor protein")
_EMPTY = STOP_WORDS | NEGATIONS | {"found", "any", "significantly", "significant"}


def exchanged(copy: Copy) -> Iterator[Disagreement]:
    """The facts that are others in the claim, change by change."""
    new = Counter(word.key for word in copy.said)
    new.subtract(word.key for word in copy.given)
    for change in copy.changes:
        yield from _denied(change)
        if copy.closeness >= _CLOSE:
            yield from _hedged(change)
        if not change.said or not change.given or max(len(change.said), len(change.given)) > _LONGEST:
            continue
        yield from _bounds(change, copy)
        yield from _quantities(change, copy, new)
        for one, other in product(change.said, change.given):
            # What stands on the other side too, elsewhere, has only moved.
            if new[one.key] > 0 > new[other.key] and (found := _apart(one, other, change, copy)):
                yield Disagreement(found, one.word.lower(), other.word.lower())


def opposites(change: Change) -> Iterator[tuple[Word, Word]]:
    """Words of the claim that point the other way than those in their place."""
    for one in change.said:
        for other in change.given:
            if one.key[-1] in "+-" and one.key[:-1] == other.key[:-1] and one.key != other.key:
                yield one, other


def _apart(one: Word, other: Word, change: Change, copy: Copy) -> Kind | None:
    """On what two words in the same place disagree."""
    if found := other_class(one.word.lower(), other.word.lower()):
        return None if found in ("strength", "condition") and copy.closeness < _CLOSE else found
    if other.word.lower() in _PEOPLE and is_group(one.word.lower()) and one.key not in copy.known:
        return "population"
    if (one, other) in opposites(change):
        return None if _cues(change.said) != _cues(change.given) else "direction"
    if is_disease(one.word) and is_disease(other.word) and copy.closeness >= _CLOSE:
        return "condition"
    if _is_lettered(one, change.at, copy.said) and _is_lettered(other, change.there, copy.given):
        return "drug"
    return "drug" if _renamed(one, other, change, copy.closeness) else None


def _renamed(one: Word, other: Word, change: Change, closeness: float) -> bool:
    """Whether both are names, of different things as far as can be seen."""
    if is_symbol(one.word) and (closeness < _CLOSE or max(len(change.said), len(change.given)) > 2):
        return False
    if not is_named(one.word) or not is_named(other.word) or is_symbol(one.word) != is_symbol(other.word):
        return False
    said, given = (" ".join(word.word for word in words) for words in (change.said, change.given))
    return not is_short_for(one.word, given) and not is_short_for(other.word, said)


def _is_lettered(word: Word, at: int, sentence: Sequence[Word]) -> bool:
    """ "vitamin D", "group B"."""
    return len(word.word) == 1 and word.word.isupper() and at > 0 and sentence[at - 1].word.lower() in _LETTERED


# --- what is denied, and how sure it is ------------------------------------------------------------------------------


def _cues(words: Sequence[Word]) -> int:
    small = [word.word.lower() for word in words]
    return sum(word in NEGATIONS or word in NEGATED for word in small) % 2


def _denied(change: Change) -> Iterator[Disagreement]:
    """A negation too many or too few, where the words around it are the same."""
    if _cues(change.said) == _cues(change.given) or _rest(change.said) != _rest(change.given):
        return
    yield Disagreement("negation", _spelled(change.said) or "nothing", _spelled(change.given))


def _rest(words: Sequence[Word]) -> set[str]:
    """What a change says besides the negation."""
    small = [word.word.lower() for word in words]
    return {NEGATED.get(word, word) for word in small if word not in _EMPTY}


def _hedged(change: Change) -> Iterator[Disagreement]:
    """ "May" is left out, and nothing of the kind put in its place."""
    said, given = ({word.word.lower() for word in words} for words in (change.said, change.given))
    if given & _MAY and not said & _MAY and not given - _MAY - STOP_WORDS and not said - STOP_WORDS:
        yield Disagreement("strength", _spelled(change.said) or "nothing", _spelled(change.given))


def _spelled(words: Sequence[Word]) -> str:
    return " ".join(word.word.lower() for word in words)


# --- quantities ------------------------------------------------------------------------------------------------------


def _bounds(change: Change, copy: Copy) -> Iterator[Disagreement]:
    """A bound of the other side, before a number or behind "or"."""
    behind = copy.said[change.at + len(change.said) :][:2]
    before = copy.said[max(0, change.at - 1) : change.at]
    bound = any(word.is_number for word in (*change.said, *behind)) or any(word.word.lower() == "or" for word in before)
    said, given = ({word.word.lower() for word in words} for words in (change.said, change.given))
    for one, other in ((_ABOVE, _BELOW), (_BELOW, _ABOVE)):
        if bound and said & one and given & other and not said & other and not given & one:
            yield Disagreement("comparator", _spelled(change.said), _spelled(change.given))


def _quantities(change: Change, copy: Copy, new: Counter[str]) -> Iterator[Disagreement]:
    """As many numbers as in the evidence, but others; another unit behind the same number."""
    if len(_numbers(change.said)) == len(_numbers(change.given)):
        for one, other in zip(_numbers(change.said), _numbers(change.given), strict=True):
            if new[one.key] > 0 > new[other.key]:
                yield Disagreement(_kind(change, copy), one.word, other.word)
    measured = change.at > 0 and (copy.said[change.at - 1].is_number or copy.said[change.at - 1].key in _UNITS)
    one, other = change.said[0], change.given[0]
    if measured and one.key in _UNITS and other.key in _UNITS and one.key != other.key:
        yield Disagreement("time" if {one.key, other.key} <= _TIME else "unit", one.word, other.word)


def _numbers(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.is_number]


def _kind(change: Change, copy: Copy) -> Kind:
    """Of what the changed number is, by the words around it."""
    before = [word.word.lower() for word in copy.said[max(0, change.at - 6) : change.at]]
    behind = [word.key for word in copy.said[change.at + len(change.said) - 1 :][:2]]
    if "p" in before[-3:] and _SIGNS & {*before[-1:], *(word.word for word in change.said)}:
        return "p-value"
    if {"ci", "interval", "cis", "intervals"} & set(before):
        return "interval"
    if "%" in behind:
        return "percentage"
    return "time" if _TIME & set(behind) else "number"
