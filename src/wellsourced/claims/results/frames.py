"""Which words of a sentence name the outcome, which the group, and which what that is compared with."""

from typing import NamedTuple

from wellsourced.claims.results import lexicon as lex
from wellsourced.claims.results.tokens import ResultCue, ResultToken


class ResultFrame(NamedTuple):
    """One result in a sentence: its cue and the words on each side, any of which may be missing.

    is_link   whether it only links the two ("A is associated with B"), so that either may be the outcome
    """

    cue: ResultCue
    outcome: list[ResultToken]
    arm: list[ResultToken]
    comparator: list[ResultToken]
    is_link: bool = False


def parse_frame(sentence: list[ResultToken], cues: list[ResultCue]) -> ResultFrame | None:
    """The main finding of a sentence; None where no word tells one."""
    if not cues:
        return None
    cue = _select_main_cue(sentence, cues)
    vague = (other.position for other in cues if other.kind in ("differ", "same"))
    first = next((at for at in vague if 0 < cue.position - at < 4), cue.position)
    marker = next((at for at in _locate_comparison_markers(sentence) if at > cue.position), None)
    leading = next((at for at in _locate_comparison_markers(sentence) if at < first), None)
    end = marker if marker is not None else len(sentence)
    if marker is not None and sentence[marker].word == "than" and marker - cue.position == 1:
        return ResultFrame(cue, [], sentence[:first], sentence[marker + 1 :])
    comparator = sentence[marker + 1 :] if marker is not None else []
    before, after = sentence[:first], sentence[cue.position + 1 : end]
    if leading is not None:
        comma = _locate_comma(sentence, leading, first)
        if comma is not None:
            comparator, before = sentence[leading + 1 : comma], sentence[comma + 1 : first]
    return _assign_sides(cue, sentence[cue.position], before, after, comparator)


def _assign_sides(
    cue: ResultCue,
    word: ResultToken,
    before: list[ResultToken],
    after: list[ResultToken],
    comparator: list[ResultToken],
) -> ResultFrame:
    """ "X reduced Z" against "Z was reduced by X", "Z fell with X", "no effect of X on Z"."""
    links = word.word in lex.LINKING_WORDS
    if cue.kind in ("same", "differ") and not links and all(one.word in lex.OPENING_WORDS for one in before):
        return _assign_by_prepositions(cue, after, comparator)
    place = next((at for at, one in enumerate(after[:3]) if one.word in lex.ARM_PREPOSITIONS), None)
    passive = any(one.word in lex.COPULAS for one in before[-3:]) and place is not None
    if not links and (passive or not after or _opens_without_object(after)):
        arm = after[place + 1 :] if place is not None else []
        return ResultFrame(cue, before, arm, comparator)
    sized = after and after[0].word in lex.CHANGE_NOUNS & (lex.INCREASE_WORDS | lex.DECREASE_WORDS)
    if sized and cue.kind in ("turn", "valued"):
        cue = cue._replace(sign=cue.sign if after[0].word in lex.INCREASE_WORDS else -cue.sign)
    return ResultFrame(cue, after, before, comparator, links)


def _opens_without_object(after: list[ResultToken]) -> bool:
    """Whether what follows the verb is no object: "pain fell in the X group", "pain improved more with X"."""
    following = next((one.word for one in after if one.word not in lex.FILLER_WORDS), ".")
    return following in lex.OBJECTLESS_WORDS


def _assign_by_prepositions(cue: ResultCue, after: list[ResultToken], comparator: list[ResultToken]) -> ResultFrame:
    """ "(No) difference between X and Y in Z", "(no) effect of X on Z": the words behind each preposition."""
    found: dict[str, list[ResultToken]] = {"outcome": [], "arm": []}
    role = "outcome"
    for at, word in enumerate(after):
        first = lex.PREPOSITION_ROLES.get(word.word)
        # "In", "for" and "of" open a role only once: "no effect of X on quality of life".
        if first and (at == 0 or not found[first]):
            role = first
        else:
            found[role].append(word)
    return ResultFrame(cue, found["outcome"], found["arm"], comparator)


def _select_main_cue(sentence: list[ResultToken], cues: list[ResultCue]) -> ResultCue:
    """The cue that is the sentence's verb: beside "significantly" first, then a denial, then a verb, then any."""
    for cue in cues:
        if cue.position and sentence[cue.position - 1].word == "significantly":
            return cue
        if cue.kind == "same" and any(
            word.word == "made" for word in sentence[max(0, cue.position - 4) : cue.position]
        ):
            return cue
    denials = [cue for cue in cues if cue.kind == "same"]
    if denials:
        return denials[0]
    verbs = [
        cue
        for cue in cues
        if sentence[cue.position].word.endswith(("s", "ed")) and sentence[cue.position].word not in lex.DIFFERENCE_WORDS
    ]
    return next(iter([*verbs, *(cue for cue in cues if cue.sign), *cues]))


def _locate_comparison_markers(sentence: list[ResultToken]) -> list[int]:
    """Where a comparator follows: behind "than", or behind the last word of "compared with", "relative to", "vs."."""
    found = []
    for at, word in enumerate(sentence):
        if word.word in lex.COMPARISON_WORDS:
            following = sentence[at + 1].word if at + 1 < len(sentence) else ""
            found.append(at + (following in {"with", "to", "."}))
    return found


def _locate_comma(sentence: list[ResultToken], start: int, end: int) -> int | None:
    """The first comma between two places that stands in no bracket."""
    depth = 0
    for at in range(start, end):
        word = sentence[at].word
        depth += (word == "(") - (word == ")")
        if word == "," and depth <= 0:
            return at
    return None
