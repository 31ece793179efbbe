"""Words that are negated or point up in one text, and are not or point down in the other, wherever they stand."""

from collections import defaultdict
from collections.abc import Iterator

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.claims.guard.negation import GuardToken, NegationCue, PolarityAnnotation, annotate_polarity

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
        if (
            _reverses_every_pair(pairs, said, given)
            and len({other for _, other in pairs}) >= len(cue.governed_indexes) * _MIN_GOVERNED_SHARE
        ):
            yield Disagreement("negation", _join_tokens(said, [index for index, _ in pairs]), _format_cue(given, cue))


def _reverses_every_pair(pairs: list[tuple[int, int]], said: PolarityAnnotation, given: PolarityAnnotation) -> bool:
    """Whether every word a negation turns round has another sense on the other side, and not by its direction alone."""
    if not pairs or any(said.tokens[index].sign != given.tokens[other].sign for index, other in pairs):
        return False
    return all(said.polarity[index] != given.polarity[other] for index, other in pairs)


def _format_cue(reading: PolarityAnnotation, cue: NegationCue) -> str:
    return f"{cue.word} {_join_tokens(reading, cue.governed_indexes)}"


def _join_tokens(reading: PolarityAnnotation, indexes: list[int] | tuple[int, ...]) -> str:
    return " ".join(reading.tokens[index].word for index in indexes)


# --- which words speak of the same ---------------------------------------------------------------------------------


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
        agreeing = max((pair for pair in rated if _has_same_sense(said, index, given, pair[1])), default=None)
        likeness, other = agreeing if agreeing and agreeing[0] >= best[0] - nearer else best
        if likeness >= enough:
            found[index] = other
    return found


def _has_same_sense(said: PolarityAnnotation, index: int, given: PolarityAnnotation, other: int) -> bool:
    return said.polarity[index] == given.polarity[other] and said.tokens[index].name == given.tokens[other].name


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
