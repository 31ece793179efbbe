"""A claim about a result, as evidence is compared with it: its outcome, its arms, its direction, and which words of a
sentence name them.
"""

from typing import Literal, NamedTuple

from wellsourced.claims.results import tokens as lex
from wellsourced.claims.results.cues import find_result_cues
from wellsourced.claims.results.tokens import ResultCue, ResultToken, split_sentences, tokenize
from wellsourced.text.lexicon import STOP_WORDS

Direction = Literal["up", "down", "differ", "same"]
Stems = tuple[str, ...]


class ClaimedResult(NamedTuple):
    """The first study result that a claim states.

    outcome_weights   stems and numbers that name the outcome, each with its weight
    outcome_stems   the outcome's words in order, stems
    outcome_words   the same as written, lower case: in evidence such a word names the outcome and tells no direction
    abbreviations   abbreviations that the claim explains, with the stems they stand for
    arm, comparator  stems that only the one arm has
    arm_is_absence   whether the arm is the lack of what it names ("folate deficiency"); None: the arms differ in more
    direction    what is claimed of the arm
    outcome_sign   +1 where more of the outcome is better, -1 where it is worse
    """

    outcome_weights: dict[str, float]
    outcome_stems: Stems
    outcome_words: frozenset[str]
    abbreviations: dict[str, Stems]
    arm: frozenset[str]
    comparator: frozenset[str]
    arm_is_absence: bool | None
    direction: Direction
    outcome_sign: int


_MAX_WORDS = 300
"""Words of a claim that are read."""


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
    # "X was better than Y": no outcome is named, only the two that are compared.
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
    # "No difference in Z between X and Y": nothing stands before the cue, and prepositions say which is which.
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
        before = [word.word for word in sentence[max(0, cue.position - 4) : cue.position]]
        if before[-1:] == ["significantly"] or (cue.kind == "same" and "made" in before):
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


def parse_claimed_result(text: str) -> ClaimedResult | None:
    """The first finding that a claim states; None where it states none."""
    for sentence in split_sentences(tokenize(text, _MAX_WORDS), text):
        frame = parse_frame(sentence, find_result_cues(sentence, text))
        if frame:
            return _build_claimed_result(frame)
    return None


def _build_claimed_result(frame: ResultFrame) -> ClaimedResult:
    short = _find_abbreviations(frame.outcome)
    named = [*frame.arm, *frame.outcome] if frame.is_link else frame.outcome
    outcome = {word.key: _outcome_weight(word) for word in named if _is_content_word(word) and word.key not in short}
    apart = set() if frame.is_link else outcome.keys()
    arm = {word.key for word in frame.arm if _is_content_word(word)} - apart
    comparator = {word.key for word in frame.comparator if _is_content_word(word)} - outcome.keys()
    without, alone = any(word.word in lex.ABSENCE_WORDS for word in frame.arm), not comparator - arm
    return ClaimedResult(
        outcome or {word.key: 1.0 for word in frame.outcome},
        tuple(word.key for word in frame.outcome if word.word[0].isalnum()),
        frozenset(word.word for word in frame.outcome),
        short,
        _select_distinct_stems(arm, comparator),
        _select_distinct_stems(comparator, arm) if not alone else frozenset(),
        without if alone else None,
        resolve_direction(frame),
        _outcome_sign(frame.outcome),
    )


def resolve_direction(frame: ResultFrame) -> Direction:
    """What became of the outcome; what "improved" rose where more of it is better, and fell where it is worse."""
    cue = frame.cue
    if cue.kind == "same" or cue.significance < 0:
        return "same"
    sign = cue.sign * (_outcome_sign(frame.outcome) if cue.kind == "valued" else 1)
    return "up" if sign > 0 else "down" if sign < 0 else "differ"


def _outcome_sign(outcome: list[ResultToken]) -> int:
    return -1 if any(word.key in lex.HARM_STEMS for word in outcome) else 1


def _is_content_word(word: ResultToken) -> bool:
    return word.word[0].isalnum() and word.word not in STOP_WORDS and word.word not in lex.FILLER_WORDS


def _outcome_weight(word: ResultToken) -> float:
    if word.key in lex.GENERIC_OUTCOME_STEMS:
        return 0.25
    return 0.5 if word.word[0].isdigit() else 1.0


def _select_distinct_stems(one: set[str], other: set[str]) -> frozenset[str]:
    """The stems that only the one arm has; numbers and what arms share only where nothing else is left."""
    only = one - other or one
    named = {key for key in only if key not in lex.GENERIC_ARM_STEMS and not key[0].isdigit()}
    return frozenset(named or only)


def _find_abbreviations(told: list[ResultToken]) -> dict[str, Stems]:
    """ "Visceral adipose tissue (VAT)": vat stands for the three stems before it."""
    found: dict[str, Stems] = {}
    for at in range(2, len(told) - 1):
        short = told[at].word
        if told[at - 1].word != "(" or told[at + 1].word != ")" or not 2 <= len(short) <= 8:
            continue
        before = told[max(0, at - 1 - len(short)) : at - 1]
        if "".join(word.word[0] for word in before) == short:
            found[told[at].key] = tuple(word.key for word in before if _is_content_word(word))
    return found


def expand_abbreviation(claim: ClaimedResult, short: str) -> Stems:
    """The stems of the outcome that an abbreviation stands for, by the claim's own words or by first letters."""
    if short in claim.abbreviations:
        return claim.abbreviations[short]
    initials = "".join(key[0] for key in claim.outcome_stems)
    at = initials.find(short)
    if at < 0 and len(initials) > 1 and short.endswith(initials):
        return claim.outcome_stems
    return claim.outcome_stems[at : at + len(short)] if at >= 0 and (len(short) > 2 or initials == short) else ()
