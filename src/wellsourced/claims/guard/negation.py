"""The content words of a text with their directions, which of them a negation reverses, and where two texts differ in
that.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import Stemmer

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.text import lexicon
from wellsourced.text.typography import normalize_characters


class GuardToken(NamedTuple):
    """A content word or a number.

    key     what it is compared by: a stem, an axis of directions, "#" for every number
    name    what its neighbours know it by: the key, or the number itself
    sign    its direction
    position   its place in the text, with a distance put in at every break
    """

    key: str
    name: str
    word: str
    sign: int
    position: int


class NegationCue(NamedTuple):
    """A negation and the indexes of the tokens that it reverses."""

    word: str
    governed_indexes: tuple[int, ...]


class PolarityAnnotation(NamedTuple):
    """A text as the guard reads it; `sense` holds +1 or -1 for each token, negations and directions multiplied."""

    tokens: list[GuardToken]
    cues: list[NegationCue]
    polarity: list[int]


POSITIVE_FORMS = {word: re.sub(r"^(?:un|in|ir|non)", "", word) for word in lexicon.NEGATED_WORDS}
"""A word that has its negation within it → the word without."""

_VERB_NEGATIONS = lexicon.NEGATIONS_OF_VERBS - {"failure"}
NEGATIONS = _VERB_NEGATIONS | lexicon.NEGATIONS_OF_NOUNS
"""Words that deny what follows them; "heart failure" denies nothing, and "failure to" is read as "fail to"."""

stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
_WORD_OR_MARK = re.compile(r"\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+|[.;:,!?()]")
_FALSE_NEGATION = re.compile(lexicon.FALSE_NEGATION_PATTERN, re.VERBOSE | re.IGNORECASE)
_FAILURE_TO = re.compile(r"\bfailure to\b", re.IGNORECASE)
_BARE_DECIMAL_POINT = re.compile(r"(?<![\w.)])\.(?=\d)")
_PER_CENT = re.compile(r"(?<=\d)\s?per\s?cent\b", re.IGNORECASE)
_HYPHENATED_PREFIX = re.compile(r"\b(pre|post|hyper|hypo|up|down|over|under|tachy|brady)-(?=[a-z])", re.IGNORECASE)
_BREAK_DISTANCES = {".": 8, "!": 8, "?": 8, ";": 4, ":": 2}
_NEGATION_REACH = {"verb": 4, "noun": 3}

_DIRECTIONS = {
    word: (f"axis {number}", sign)
    for number, axis in enumerate(lexicon.DIRECTION_AXES.split("|"))
    for sign, side in zip((1, -1), axis.split(":"), strict=True)
    for word in side.split()
}
"""Word → its axis, and its side on it."""


def find_direction(word: str) -> tuple[str, int] | None:
    """The axis of a small word and its side on it (+1 or -1); None for a word without a direction."""
    # The list before the prefixes: "under" of "underlying" points nowhere.
    if word in _DIRECTIONS:
        return _DIRECTIONS[word]
    for up, down in lexicon.OPPOSITE_PREFIXES:
        for prefix, sign in ((up, 1), (down, -1)):
            if word.startswith(prefix) and len(word) > len(prefix) + 3:
                return f"{up}+{stem(word.removeprefix(prefix))}", sign
    return None


def normalize_spelling(text: str) -> str:
    """The text in one spelling: "not" by itself, "percent" a sign, without what looks like a negation and is none."""
    text = re.sub(r"n't\b", " not", normalize_characters(text).replace("annot", "an not"))
    text = _PER_CENT.sub("%", _FALSE_NEGATION.sub(" ", text))
    text = _FAILURE_TO.sub("fail to", _BARE_DECIMAL_POINT.sub("0.", text))
    return _HYPHENATED_PREFIX.sub(r"\1", text)


def annotate_polarity(text: str) -> PolarityAnnotation:
    """Content words with their directions, and what each negation governs."""
    words = [match.group() for match in _WORD_OR_MARK.finditer(normalize_spelling(text).lower())]
    tokens: list[GuardToken] = []
    owner: list[int | None] = []
    at = 0
    for word in words:
        at += _BREAK_DISTANCES.get(word, 0)
        token = _build_token(word, at)
        owner.append(len(tokens) if token else None)
        if token:
            tokens.append(token)
            at += 1
    cues = list(_find_cues(words, owner))
    sense = [token.sign for token in tokens]
    for cue in cues:
        for index in cue.governed_indexes:
            sense[index] = -sense[index]
    return PolarityAnnotation(tokens, cues, sense)


def _build_token(word: str, at: int) -> GuardToken | None:
    """The token of a word; None for a mark, a cue or a word without content."""
    if word[0].isdigit() or word in lexicon.NUMBER_WORDS:
        value = str(lexicon.NUMBER_WORDS.get(word, word)).replace(",", "")
        return GuardToken("#", value.rstrip("0").rstrip(".") if "." in value else value, word, 1, at)
    # "unchanged" is compared as "changed", and its "un-" is a negation of its own.
    base = POSITIVE_FORMS.get(word, word)
    if base in _DIRECTIONS:
        key, sign = _DIRECTIONS[base]
        return GuardToken(key, key, word, sign, at)
    if not word[0].isalnum() or word in lexicon.STOP_WORDS or word in NEGATIONS:
        return None
    key, sign = find_direction(base) or (stem(base), 1)
    return GuardToken(key, key, word, sign, at)


def _find_cues(words: list[str], owner: list[int | None]) -> Iterator[NegationCue]:
    for place, word in enumerate(words):
        if word in POSITIVE_FORMS:
            yield NegationCue(word, tuple(index for index in [owner[place]] if index is not None))
        elif word in NEGATIONS:
            kind = "verb" if word in _VERB_NEGATIONS else "noun"
            yield NegationCue(
                word, _find_governed_tokens(words, owner, place, kind) or _find_preceding_tokens(words, owner, place)
            )


def _find_governed_tokens(words: list[str], owner: list[int | None], place: int, kind: str) -> tuple[int, ...]:
    """The content words behind a negation, as far as it reaches."""
    found: list[int] = []
    for step, word in enumerate(words[place + 1 : place + 16]):
        index = owner[place + 1 + step]
        # "no pain but fever" denies no fever; a noun's negation reaches less far than a verb's.
        ends = (
            word in lexicon.SCOPE_ENDS
            or not word[0].isalnum()
            or (kind == "noun" and word in lexicon.NOUN_SCOPE_ENDS and step > 0)
        )
        if ends or len(found) == _NEGATION_REACH[kind]:
            break
        if index is not None:
            found.append(index)
    return tuple(found)


def _find_preceding_tokens(words: list[str], owner: list[int | None], place: int) -> tuple[int, ...]:
    """The two content words before a negation that nothing follows ("reflexes were absent")."""
    found: list[int] = []
    for word, index in zip(words[max(0, place - 8) : place][::-1], owner[max(0, place - 8) : place][::-1], strict=True):
        if not word[0].isalnum() or len(found) == 2:
            break
        if index is not None:
            found.append(index)
    return tuple(found)


MAX_OCCURRENCES = 32
"""Of one word, or of other numbers, that are looked at: a bound for hostile texts."""

_MAX_COMPARED_PAIRS = 20_000
"""Pairs of occurrences whose surroundings are compared, at most: a bound for hostile texts."""

_WINDOW = 5
_MIN_LIKENESS = {"word": 1.2, "number": 2.0}
"""Likeness of the surroundings from which two occurrences speak of the same: 1 is one neighbour in the same place."""
_MIN_ADVANTAGE = {"word": 0.25, "number": 1.0}
"""By how much a disagreeing occurrence must be nearer than any agreeing one: a share for words, else likeness."""
_MIN_GOVERNED_SHARE = 0.5
"""Share of the words that a negation governs which the other side must have."""


def compare_polarity(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Directions, negations and numbers of the claim that stand otherwise in the most similar place of the evidence."""
    said, given = annotate_polarity(claim), annotate_polarity(evidence)
    partner = _match_occurrences(said, given)
    for index, other in partner.items():
        token, opposite = said.tokens[index], given.tokens[other]
        if token.name != opposite.name:
            yield Disagreement("number", token.word, opposite.word)
        # "not increased" and "decreased" differ in the word and agree in what they say.
        if token.sign != opposite.sign and said.polarity[index] != given.polarity[other]:
            yield Disagreement("direction", token.word, opposite.word)
    yield from _compare_negations(said, given, partner)


def _compare_negations(
    said: PolarityAnnotation, given: PolarityAnnotation, partner: dict[int, int]
) -> Iterator[Disagreement]:
    """What one side denies and the other does not."""
    for cue in said.cues:
        pairs = [(index, partner[index]) for index in cue.governed_indexes if index in partner]
        if _reverses_every_pair(pairs, said, given) and len(pairs) >= len(cue.governed_indexes) * _MIN_GOVERNED_SHARE:
            yield Disagreement("negation", _format_cue(said, cue), _join_tokens(given, [other for _, other in pairs]))
    partners: dict[int, list[int]] = defaultdict(list)
    for index, other in partner.items():
        partners[other].append(index)
    for cue in given.cues:
        pairs = [(index, other) for other in cue.governed_indexes for index in partners.get(other, ())]
        reached = len({other for _, other in pairs})
        if _reverses_every_pair(pairs, said, given) and reached >= len(cue.governed_indexes) * _MIN_GOVERNED_SHARE:
            yield Disagreement("negation", _join_tokens(said, [index for index, _ in pairs]), _format_cue(given, cue))


def _reverses_every_pair(pairs: list[tuple[int, int]], said: PolarityAnnotation, given: PolarityAnnotation) -> bool:
    """Whether every word a negation turns round has another sense on the other side, and not by its direction alone."""
    # A word that points the other way is told as a direction already.
    if not pairs or any(said.tokens[index].sign != given.tokens[other].sign for index, other in pairs):
        return False
    return all(said.polarity[index] != given.polarity[other] for index, other in pairs)


def _format_cue(reading: PolarityAnnotation, cue: NegationCue) -> str:
    return f"{cue.word} {_join_tokens(reading, cue.governed_indexes)}"


def _join_tokens(reading: PolarityAnnotation, indexes: list[int] | tuple[int, ...]) -> str:
    return " ".join(reading.tokens[index].word for index in indexes)


def _match_occurrences(said: PolarityAnnotation, given: PolarityAnnotation) -> dict[int, int]:
    """For each token of the claim the token of the evidence that stands in the most similar surroundings."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, token in enumerate(given.tokens):
        for key in {token.key, token.name}:
            if len(places[key]) < MAX_OCCURRENCES:
                places[key].append(index)
    around = {index: _surroundings(given.tokens, index) for indexes in places.values() for index in indexes}
    found: dict[int, int] = {}
    compared = 0
    for index, token in enumerate(said.tokens):
        near = _surroundings(said.tokens, index)
        # The same number first: of the others, which share one key, only so many are looked at.
        others = {*places.get(token.name, ()), *places.get(token.key, ())}
        rated = [(_context_likeness(near, around[other]), other) for other in others]
        compared += len(rated)
        if compared > _MAX_COMPARED_PAIRS:
            break
        if not rated:
            continue
        kind = "number" if token.key == "#" else "word"
        enough = min(_MIN_LIKENESS[kind], 0.3 * (len(said.tokens) - 1))
        best = max(rated)
        nearer = _MIN_ADVANTAGE[kind] * (best[0] if kind == "word" else 1)
        sense = (said.polarity[index], token.name)
        agreeing = max(
            (one for one in rated if (given.polarity[one[1]], given.tokens[one[1]].name) == sense), default=None
        )
        # In doubt for the claim: a place that disagrees has to be clearly nearer than any that agrees.
        likeness, other = agreeing if agreeing and agreeing[0] >= best[0] - nearer else best
        if likeness >= enough:
            found[index] = other
    return found


def _surroundings(tokens: list[GuardToken], index: int) -> list[tuple[str, int]]:
    here = tokens[index].position
    return [
        (token.name, token.position - here)
        for token in tokens[max(0, index - _WINDOW) : index + _WINDOW + 1]
        if token.position != here and abs(token.position - here) <= _WINDOW + 2
    ]


def _context_likeness(one: list[tuple[str, int]], other: list[tuple[str, int]]) -> float:
    """Shared neighbours, each the more the closer it stands to the same place."""
    likeness = 0.0
    for name, at in one:
        likeness += max((1 / (1 + abs(at - there)) for neighbour, there in other if neighbour == name), default=0.0)
    return likeness
