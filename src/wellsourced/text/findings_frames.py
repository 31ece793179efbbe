"""Frames: which words of a sentence name the outcome, which the arm, and which what it is compared with."""

from typing import NamedTuple

from wellsourced.text.findings_reading import Cue, Word
from wellsourced.text.findings_words import (
    CHANGES,
    COMPARING,
    COPULAS,
    DIFFER,
    DOWN,
    FILLERS,
    LINKING,
    OPENING,
    PLACES,
    ROLES,
    UP,
    WITHOUT_OBJECT,
)


class Frame(NamedTuple):
    """One finding of a sentence: its cue and the words on each side, any of which may be missing.

    linked  whether it only links the two ("A is associated with B"), so that either may be the outcome
    """

    cue: Cue
    outcome: list[Word]
    arm: list[Word]
    comparator: list[Word]
    linked: bool = False


def framed(sentence: list[Word], cues: list[Cue]) -> Frame | None:
    """The main finding of a sentence; None where no word tells one."""
    if not cues:
        return None
    cue = _main(sentence, cues)
    first = next((other.at for other in cues if other.kind in ("differ", "same") and 0 < cue.at - other.at < 4), cue.at)
    marker = next((at for at in _markers(sentence) if at > cue.at), None)
    leading = next((at for at in _markers(sentence) if at < first), None)
    end = marker if marker is not None else len(sentence)
    if marker is not None and sentence[marker].word == "than" and marker - cue.at == 1:
        return Frame(cue, [], sentence[:first], sentence[marker + 1 :])
    comparator = sentence[marker + 1 :] if marker is not None else []
    before, after = sentence[:first], sentence[cue.at + 1 : end]
    if leading is not None:
        comma = _comma(sentence, leading, first)
        if comma is not None:
            comparator, before = sentence[leading + 1 : comma], sentence[comma + 1 : first]
    return _turned(cue, sentence[cue.at], before, after, comparator)


def _turned(cue: Cue, word: Word, before: list[Word], after: list[Word], comparator: list[Word]) -> Frame:
    """ "X reduced Z" against "Z was reduced by X", "Z fell with X", "no effect of X on Z"."""
    links = word.word in LINKING
    if cue.kind in ("same", "differ") and not links and all(one.word in OPENING for one in before):
        return _named(cue, after, comparator)
    place = next((at for at, one in enumerate(after[:3]) if one.word in PLACES), None)
    passive = any(one.word in COPULAS for one in before[-3:]) and place is not None
    if not links and (passive or not after or _is_intransitive(after)):
        arm = after[place + 1 :] if place is not None else []
        return Frame(cue, before, arm, comparator)
    if cue.kind in ("turn", "valued") and after and after[0].word in CHANGES & (UP | DOWN):
        cue = cue._replace(sign=cue.sign if after[0].word in UP else -cue.sign)
    return Frame(cue, after, before, comparator, links)


def _is_intransitive(after: list[Word]) -> bool:
    """Whether what follows the verb is no object: "pain fell in the X group", "pain improved more with X"."""
    following = next((one.word for one in after if one.word not in FILLERS), ".")
    return following in WITHOUT_OBJECT


def _named(cue: Cue, after: list[Word], comparator: list[Word]) -> Frame:
    """ "(No) difference between X and Y in Z", "(no) effect of X on Z": the words behind each preposition."""
    found: dict[str, list[Word]] = {"outcome": [], "arm": []}
    role = "outcome"
    for at, word in enumerate(after):
        first = ROLES.get(word.word)
        # "In", "for" and "of" open a role only once: "no effect of X on quality of life".
        if first and (at == 0 or not found[first]):
            role = first
        else:
            found[role].append(word)
    return Frame(cue, found["outcome"], found["arm"], comparator)


def _main(sentence: list[Word], cues: list[Cue]) -> Cue:
    """The cue that is the sentence's verb: beside "significantly" first, then a denial, then a verb, then any."""
    for cue in cues:
        if cue.at and sentence[cue.at - 1].word == "significantly":
            return cue
        if cue.kind == "same" and any(word.word == "made" for word in sentence[max(0, cue.at - 4) : cue.at]):
            return cue
    denials = [cue for cue in cues if cue.kind == "same"]
    if denials:
        return denials[0]
    verbs = [cue for cue in cues if sentence[cue.at].word.endswith(("s", "ed")) and sentence[cue.at].word not in DIFFER]
    return next(iter([*verbs, *(cue for cue in cues if cue.sign), *cues]))


def _markers(sentence: list[Word]) -> list[int]:
    """Where a comparator follows: behind "than", or behind the last word of "compared with", "relative to", "vs."."""
    found = []
    for at, word in enumerate(sentence):
        if word.word in COMPARING:
            following = sentence[at + 1].word if at + 1 < len(sentence) else ""
            found.append(at + (following in {"with", "to", "."}))
    return found


def _comma(sentence: list[Word], start: int, end: int) -> int | None:
    """The first comma between two places that stands in no bracket."""
    depth = 0
    for at in range(start, end):
        word = sentence[at].word
        depth += (word == "(") - (word == ")")
        if word == "," and depth <= 0:
            return at
    return None
