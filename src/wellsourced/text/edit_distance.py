"""How far apart two spellings are, as people go wrong: vowels, doubled letters and neighbours cost less."""

from functools import lru_cache

VOWELS = frozenset("aeiouy")
SIMILAR_SOUNDS = frozenset(
    map(frozenset, ("ck", "cs", "sz", "kq", "gj", "vw", "mn", "td", "bp", "fv", "cq", "xz", "cx"))
)
"""Letters that are taken for each other because they sound alike."""

SLIGHT_COST = 0.5
"""Of a vowel for another, a letter doubled or not, a mute h, two letters in the wrong order."""

LIKELY_COST = 0.75
"""Of letters that sound alike, and of a vowel that is missing or too many."""


@lru_cache(maxsize=16_384)
def edit_distance(wrong: str, right: str) -> float:
    """Edits from the one to the other (Damerau's, optimal string alignment), each at most 1."""
    before: list[float] = []
    row = _first_row(right)
    for at, letter in enumerate(wrong, start=1):
        line = [row[0] + _insertion_cost(wrong, at - 1)]
        for place, other in enumerate(right, start=1):
            cost = min(
                row[place - 1] + _substitution_cost(letter, other),
                row[place] + _insertion_cost(wrong, at - 1),
                line[place - 1] + _insertion_cost(right, place - 1),
            )
            if at > 1 and place > 1 and letter == right[place - 2] and wrong[at - 2] == other != letter:
                cost = min(cost, before[place - 2] + SLIGHT_COST)
            line.append(cost)
        before, row = row, line
    return row[-1]


def _first_row(right: str) -> list[float]:
    row = [0.0]
    for place in range(len(right)):
        row.append(row[-1] + _insertion_cost(right, place))
    return row


def _substitution_cost(one: str, other: str) -> float:
    if one == other:
        return 0.0
    if one in VOWELS and other in VOWELS:
        return SLIGHT_COST
    return LIKELY_COST if frozenset((one, other)) in SIMILAR_SOUNDS else 1.0


def _insertion_cost(word: str, at: int) -> float:
    """The cost of a letter that the other spelling lacks."""
    letter = word[at]
    if letter == "h" or (at and word[at - 1] == letter) or (at + 1 < len(word) and word[at + 1] == letter):
        return SLIGHT_COST
    return LIKELY_COST if letter in VOWELS else 1.0
