"""The guard: numbers, units, negation and direction must be equal in a claim and in what it rests on.

No similarity sees these: a claim with "increased" for "reduced" is as close to its source as a claim can be. The
guard says where the two disagree; where it finds nothing to compare it is silent, and others judge.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import Literal, NamedTuple

import Stemmer

from wellsourced.text.lexicon import (
    AXES,
    NEGATED_WORDS,
    NEGATIONS_OF_NOUNS,
    NEGATIONS_OF_VERBS,
    NOT_NEGATED,
    NOUN_SCOPE_ENDS,
    NUMBER_WORDS,
    PREFIXES,
    SCOPE_ENDS,
    STOP_WORDS,
)
from wellsourced.text.quantities import Quantity, names, plain, quantities

Kind = Literal["number", "unit", "comparator", "negation", "direction"]


class Disagreement(NamedTuple):
    """A fact that the claim changes: the words on each side; `evidence` is "" where it has nothing of the kind."""

    kind: Kind
    claim: str
    evidence: str


def disagreements(claim: str, evidence: str) -> list[Disagreement]:
    """The facts of the claim that the evidence states otherwise, or (numbers) does not state at all."""
    if claim.split() == evidence.split():
        return []
    return list(dict.fromkeys([*_numbers(claim, evidence), *_turns(claim, evidence)]))


_OCCURRENCES = 32
"""Of one word, or of other numbers, that are looked at: a bound for hostile texts."""


# --- numbers -------------------------------------------------------------------------------------------------------

_IMPLIED = frozenset({"year", "u", "time", "fold"})
"""Units that a text may leave out: "aged 65", "500 heparin"."""

_DOWN = re.compile(r"\b(?:decreas|reduc|lower|fell|declin|loss|lost|less|drop)", re.IGNORECASE)


def _numbers(claim: str, evidence: str) -> Iterator[Disagreement]:
    stated: dict[Decimal, list[Quantity]] = defaultdict(list)
    for quantity in quantities(evidence):
        stated[quantity.value].append(quantity)
    for quantity in quantities(claim):
        found = _unlike(quantity, stated, bool(_DOWN.search(claim)), bool(_DOWN.search(evidence)))
        if found:
            yield found
    known = defaultdict(set)
    for named in names(evidence):
        known[named.name].add(named.number)
    for named in names(claim):
        if named.name in known and named.number not in known[named.name]:
            yield Disagreement("number", named.words, ", ".join(sorted(known[named.name])))


def _unlike(
    wanted: Quantity, stated: dict[Decimal, list[Quantity]], claim_falls: bool, evidence_falls: bool
) -> Disagreement | None:
    """Why a quantity of the claim is not among those of the evidence."""
    # "a change of −5" and "decreased by 5" are the same.
    falls = claim_falls if wanted.value > 0 else evidence_falls
    same = stated.get(wanted.value) or (falls and stated.get(-wanted.value))
    if not same:
        others = list(islice(chain.from_iterable(stated.values()), _OCCURRENCES))
        nearest = min(
            others, key=lambda given: (given.unit != wanted.unit, abs(given.value - wanted.value)), default=None
        )
        return Disagreement("number", wanted.words, nearest.words if nearest else "")
    fitting = [given for given in same if _fits(wanted, given)] or [
        given for given in same if not given.unit and wanted.unit in _IMPLIED and len({g.unit for g in same}) == 1
    ]
    if not fitting:
        return Disagreement("unit", wanted.words, same[0].words)
    if wanted.comparator and all(_opposed(wanted.comparator, given.comparator) for given in fitting):
        words = (f"{quantity.comparator} {quantity.words}" for quantity in (wanted, fitting[0]))
        return Disagreement("comparator", *words)
    return None


def _fits(wanted: Quantity, given: Quantity) -> bool:
    if not wanted.unit or wanted.unit == given.unit or wanted.lent or given.lent:
        return True
    return wanted.unit == f"{given.unit}/day" or given.unit == f"{wanted.unit}/day"


def _opposed(one: str, other: str) -> bool:
    return bool(other) and one != other


# --- negation and direction ----------------------------------------------------------------------------------------


class _Token(NamedTuple):
    """A content word or a number.

    key     what it is compared by: a stem, an axis of directions, "#" for every number
    name    what its neighbours know it by: the key, or the number itself
    sign    its direction
    at      its place in the text, with a distance put in at every break
    """

    key: str
    name: str
    word: str
    sign: int
    at: int


class _Cue(NamedTuple):
    """A negation and the tokens (indexes) that it turns round."""

    word: str
    governed: tuple[int, ...]


class _Reading(NamedTuple):
    """A text as the guard reads it; `sense` holds +1 or -1 for each token, negations and directions multiplied."""

    tokens: list[_Token]
    cues: list[_Cue]
    sense: list[int]


_STEM: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
_WORDS = re.compile(r"\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+|[.;:,!?()]")
_NONE = re.compile(NOT_NEGATED, re.VERBOSE)
_JOINED = re.compile(r"\b(pre|post|hyper|hypo|up|down|over|under|tachy|brady)-(?=[a-z])")
_BREAK = {".": 8, "!": 8, "?": 8, ";": 4, ":": 2}
_REACH = {"verb": 4, "noun": 3}
_WINDOW = 5
_ENOUGH = {"word": 1.2, "number": 2.0}
"""Likeness of the surroundings from which two occurrences speak of the same: 1 is one neighbour in the same place."""
_NEARER = {"word": 0.25, "number": 1.0}
"""By how much a disagreeing occurrence must be nearer than any agreeing one: a share for words, else likeness."""
_SHARE = 0.5
"""Share of the words that a negation governs which the other side must have."""


def _directions() -> dict[str, tuple[str, int]]:
    table = {}
    for number, axis in enumerate(AXES.split("|")):
        for sign, side in zip((1, -1), axis.split(":"), strict=True):
            for word in side.split():
                table[word] = (f"axis {number}", sign)
    return table


_DIRECTIONS = _directions()
_NEGATED = {word: re.sub(r"^(?:un|in|ir|non)", "", word) for word in NEGATED_WORDS}


def _turns(claim: str, evidence: str) -> Iterator[Disagreement]:
    said, given = _read(claim), _read(evidence)
    partner = _partners(said, given)
    for index, other in partner.items():
        token, opposite = said.tokens[index], given.tokens[other]
        if token.name != opposite.name:
            yield Disagreement("number", token.word, opposite.word)
        if token.sign != opposite.sign and said.sense[index] != given.sense[other]:
            yield Disagreement("direction", token.word, opposite.word)
    for cue in said.cues:
        pairs = [(index, partner[index]) for index in cue.governed if index in partner]
        if _all_turned(pairs, said, given) and len(pairs) >= len(cue.governed) * _SHARE:
            yield Disagreement("negation", _phrase(said, cue), _spelled(given, [other for _, other in pairs]))
    partners: dict[int, list[int]] = defaultdict(list)
    for index, other in partner.items():
        partners[other].append(index)
    for cue in given.cues:
        pairs = [(index, other) for other in cue.governed for index in partners.get(other, ())]
        if _all_turned(pairs, said, given) and len({other for _, other in pairs}) >= len(cue.governed) * _SHARE:
            yield Disagreement("negation", _spelled(said, [index for index, _ in pairs]), _phrase(given, cue))


def _all_turned(pairs: list[tuple[int, int]], said: _Reading, given: _Reading) -> bool:
    """Whether every word a negation turns round has another sense on the other side, and not by its direction alone."""
    if not pairs or any(said.tokens[index].sign != given.tokens[other].sign for index, other in pairs):
        return False
    return all(said.sense[index] != given.sense[other] for index, other in pairs)


def _phrase(reading: _Reading, cue: _Cue) -> str:
    return f"{cue.word} {_spelled(reading, cue.governed)}"


def _spelled(reading: _Reading, indexes: list[int] | tuple[int, ...]) -> str:
    return " ".join(reading.tokens[index].word for index in indexes)


# --- reading -------------------------------------------------------------------------------------------------------


def _read(text: str) -> _Reading:
    """Content words with their directions, and what each negation governs."""
    text = plain(text).lower().replace("cannot", "can not")
    text = _JOINED.sub(r"\1", re.sub(r"n't\b", " not", _NONE.sub(" ", text)))
    words = [match.group() for match in _WORDS.finditer(text)]
    tokens: list[_Token] = []
    owner: list[int | None] = []
    at = 0
    for word in words:
        at += _BREAK.get(word, 0)
        token = _token(word, at)
        owner.append(len(tokens) if token else None)
        if token:
            tokens.append(token)
            at += 1
    cues = list(_cues(words, owner))
    sense = [token.sign for token in tokens]
    for cue in cues:
        for index in cue.governed:
            sense[index] = -sense[index]
    return _Reading(tokens, cues, sense)


def _token(word: str, at: int) -> _Token | None:
    """The token of a word; None for a mark, a cue or a word without content."""
    if word[0].isdigit() or word in NUMBER_WORDS:
        value = str(NUMBER_WORDS.get(word, word)).replace(",", "")
        return _Token("#", value.rstrip("0").rstrip(".") if "." in value else value, word, 1, at)
    base = _NEGATED.get(word, word)
    if base in _DIRECTIONS:
        key, sign = _DIRECTIONS[base]
        return _Token(key, key, word, sign, at)
    if not word[0].isalnum() or word in STOP_WORDS or word in NEGATIONS_OF_VERBS or word in NEGATIONS_OF_NOUNS:
        return None
    for up, down in PREFIXES:
        for prefix, sign in ((up, 1), (down, -1)):
            if base.startswith(prefix) and len(base) > len(prefix) + 3:
                key = f"{up}+{_STEM(base.removeprefix(prefix))}"
                return _Token(key, key, word, sign, at)
    key = _STEM(base)
    return _Token(key, key, word, 1, at)


def _cues(words: list[str], owner: list[int | None]) -> Iterator[_Cue]:
    for place, word in enumerate(words):
        if word in _NEGATED:
            yield _Cue(word, tuple(index for index in [owner[place]] if index is not None))
        elif word in NEGATIONS_OF_VERBS or word in NEGATIONS_OF_NOUNS:
            kind = "verb" if word in NEGATIONS_OF_VERBS else "noun"
            yield _Cue(word, _governed(words, owner, place, kind) or _preceding(words, owner, place))


def _governed(words: list[str], owner: list[int | None], place: int, kind: str) -> tuple[int, ...]:
    """The content words behind a negation, as far as it reaches."""
    found: list[int] = []
    for step, word in enumerate(words[place + 1 : place + 16]):
        index = owner[place + 1 + step]
        ends = word in SCOPE_ENDS or not word[0].isalnum() or (kind == "noun" and word in NOUN_SCOPE_ENDS and step > 0)
        if ends or len(found) == _REACH[kind]:
            break
        if index is not None:
            found.append(index)
    return tuple(found)


def _preceding(words: list[str], owner: list[int | None], place: int) -> tuple[int, ...]:
    """The two content words before a negation that nothing follows ("reflexes were absent")."""
    found: list[int] = []
    for word, index in zip(words[max(0, place - 8) : place][::-1], owner[max(0, place - 8) : place][::-1], strict=True):
        if not word[0].isalnum() or len(found) == 2:
            break
        if index is not None:
            found.append(index)
    return tuple(found)


# --- which words speak of the same ---------------------------------------------------------------------------------


def _partners(said: _Reading, given: _Reading) -> dict[int, int]:
    """For each token of the claim the token of the evidence that stands in the most similar surroundings."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, token in enumerate(given.tokens):
        for key in {token.key, token.name}:
            if len(places[key]) < _OCCURRENCES:
                places[key].append(index)
    around = {index: _surroundings(given.tokens, index) for indexes in places.values() for index in indexes}
    found: dict[int, int] = {}
    for index, token in enumerate(said.tokens):
        near = _surroundings(said.tokens, index)
        # The same number first: of the others, which share one key, only so many are looked at.
        others = {*places.get(token.name, ()), *places.get(token.key, ())}
        rated = [(_likeness(near, around[other]), other) for other in others]
        if not rated:
            continue
        kind = "number" if token.key == "#" else "word"
        enough = min(_ENOUGH[kind], 0.3 * (len(said.tokens) - 1))
        best = max(rated)
        nearer = _NEARER[kind] * (best[0] if kind == "word" else 1)
        agreeing = max((pair for pair in rated if _agree(said, index, given, pair[1])), default=None)
        likeness, other = agreeing if agreeing and agreeing[0] >= best[0] - nearer else best
        if likeness >= enough:
            found[index] = other
    return found


def _agree(said: _Reading, index: int, given: _Reading, other: int) -> bool:
    return said.sense[index] == given.sense[other] and said.tokens[index].name == given.tokens[other].name


def _surroundings(tokens: list[_Token], index: int) -> list[tuple[str, int]]:
    here = tokens[index].at
    return [
        (token.name, token.at - here)
        for token in tokens[max(0, index - _WINDOW) : index + _WINDOW + 1]
        if token.at != here and abs(token.at - here) <= _WINDOW + 2
    ]


def _likeness(one: list[tuple[str, int]], other: list[tuple[str, int]]) -> float:
    """Shared neighbours, each the more the closer it stands to the same place."""
    likeness = 0.0
    for name, at in one:
        likeness += max((1 / (1 + abs(at - there)) for neighbour, there in other if neighbour == name), default=0.0)
    return likeness
