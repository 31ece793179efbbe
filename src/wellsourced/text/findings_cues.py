"""Cues: the words of a sentence that tell a finding, and where one finding ends and another begins."""

from collections.abc import Iterator

from wellsourced.text.findings_reading import ENDS, Cue, Kind, Word, ratios, significances
from wellsourced.text.findings_words import (
    BAD,
    CHANGES,
    COMPARATIVES,
    DIFFER,
    DOWN,
    GOOD,
    NEGATIVELY,
    NEGATORS,
    PARTS,
    POSITIVELY,
    SAME,
    UP,
    VERBS,
    WEIGHED,
)


def telling(sentence: list[Word], text: str, naming: frozenset[str] = frozenset()) -> list[Cue]:
    """The cues of a sentence; where it has none its ratios with their intervals, else its p-values."""
    found = cues(sentence, naming) or ratios(sentence, text)
    return found or [Cue("differ" if sure > 0 else "same", 0, at, sure) for at, sure in significances(sentence)]


_REACH = 9
"""Words behind a negation among which it denies a finding."""
_REACH_OF_WITHOUT = 4


def cues(sentence: list[Word], naming: frozenset[str] = frozenset()) -> list[Cue]:
    """The words of a sentence that tell findings, in order, with how sure each is.

    Words of `naming` name an outcome ("weight gain") and tell nothing, unless they are denied.
    """
    found: list[Cue] = []
    at = 0
    while at < len(sentence):
        cue, after = (None, at + 1) if sentence[at].word in naming - NEGATORS else _cue(sentence, at)
        if cue:
            found.append(cue)
        at = after
    return [_weighed(cue, sentence) for cue in _composed(found, sentence)]


def _cue(sentence: list[Word], at: int) -> tuple[Cue | None, int]:
    """The cue at a place, and the place to go on from."""
    word = sentence[at].word
    if word in NEGATORS and not _is_no_negation(sentence, at):
        return _denied(sentence, at)
    if word in DIFFER and at and (sign := _sense(sentence[at - 1].word)):
        return Cue("turn", sign, at), at + 1
    if word in SAME or (word == "same" and at and sentence[at - 1].word in {"the", "at"}):
        return Cue("same", 0, at), at + 1
    return _told(word, at), at + 1


def _sense(word: str) -> int:
    """ "Inversely associated", "positive correlation"."""
    return 1 if word in POSITIVELY else -1 if word in NEGATIVELY else 0


def _told(word: str, at: int) -> Cue | None:
    if word in UP:
        return Cue("turn", 1, at)
    if word in DOWN:
        return Cue("turn", -1, at)
    if word in GOOD:
        return Cue("valued", 1, at)
    if word in BAD:
        return Cue("valued", -1, at)
    return Cue("differ", 0, at) if word in DIFFER else None


def _is_no_negation(sentence: list[Word], at: int) -> bool:
    following = [word.word for word in sentence[at + 1 : at + 3]]
    if at and sentence[at - 1].word in {"or", "and"} and sentence[at].word == "without":
        return True
    if sentence[at].word == "non":
        return not any(word.startswith("significan") for word in following)
    return bool(following) and following[0] in {"only", "just", "merely", "necessarily"}


def _denied(sentence: list[Word], at: int) -> tuple[Cue | None, int]:
    """ "No difference", "did not significantly reduce": the last telling word in reach is denied."""
    best: Cue | None = None
    stop = at + 1
    reach = _REACH_OF_WITHOUT if sentence[at].word == "without" else _REACH
    for place in range(at + 1, min(len(sentence), at + 1 + reach)):
        word = sentence[place].word
        if word == "longer" and place == at + 1:
            continue
        if word in PARTS or word in ENDS or word in "();:" or (word == "," and best is None):
            break
        cue = _told(word, place)
        if cue or word in WEIGHED:
            best = Cue("same", cue.sign if cue else 0, place)
            stop = place + 1
            if cue:
                while stop < len(sentence) and _told(sentence[stop].word, stop):
                    stop += 1
                break
    return best, stop


def _composed(found: list[Cue], sentence: list[Word]) -> Iterator[Cue]:
    """ "A greater reduction", "the reduction was greater": one cue, of both signs together."""
    used: set[int] = set()
    for index, cue in enumerate(found):
        if index in used:
            continue
        following = found[index + 1] if index + 1 < len(found) else None
        if following and index + 1 not in used and _sizes(cue, following, sentence):
            used.add(index + 1)
            kind: Kind = "valued" if "valued" in (cue.kind, following.kind) else "turn"
            yield Cue(kind, cue.sign * following.sign, max(cue.at, following.at))
        else:
            yield cue


def _sizes(cue: Cue, following: Cue, sentence: list[Word]) -> bool:
    if not (cue.sign and following.sign) or "same" in (cue.kind, following.kind):
        return False
    one, other = sentence[cue.at].word, sentence[following.at].word
    between = {word.word for word in sentence[cue.at + 1 : following.at]}
    if one in COMPARATIVES and other in CHANGES:
        return following.at - cue.at <= 3 and not between & {",", "and", "in", "("}
    if one in CHANGES and other in COMPARATIVES:
        return following.at - cue.at <= 14 and bool(between & {"was", "were", "is", "are"}) and "and" not in between
    return False


_BESIDE = 3


def _weighed(cue: Cue, sentence: list[Word]) -> Cue:
    """The cue with what the words beside it say of its significance."""
    sure = 0.0
    for word in sentence[max(0, cue.at - _BESIDE) : cue.at + _BESIDE + 1]:
        if word.word.startswith("significan"):
            sure = 1.0
        elif word.word in {"trend", "tended", "tendency", "numerically", "slight", "slightly"}:
            return cue._replace(sure=-1.0)
    return cue._replace(sure=sure)


def _opens(between: list[Word], following: Cue, mark: str) -> bool:
    """Whether a finding of its own follows: "and cost was lower", "and lower cost"."""
    if len(between) <= 1 and following.kind == "turn":
        return True
    return mark == "and" and any(word.word in VERBS for word in between)


def parts(sentence: list[Word], told: list[Cue]) -> list[tuple[int, int]]:
    """Where the findings of a sentence part: at "but", "whereas" …, and at an "and" between two of them."""
    bounds = [0]
    for at, word in enumerate(sentence):
        if word.word in PARTS and at > bounds[-1]:
            bounds.append(at)
        elif word.word in {"and", ","} and any(bounds[-1] <= cue.at < at for cue in told):
            following = next((cue for cue in told if cue.at > at), None)
            if following and _opens(sentence[at + 1 : following.at], following, word.word):
                bounds.append(at)
    return list(zip(bounds, [*bounds[1:], len(sentence)], strict=True))
