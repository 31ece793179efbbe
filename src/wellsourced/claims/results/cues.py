"""The words of a sentence that report a result, and where one result ends and another begins."""

from collections.abc import Iterator

from wellsourced.claims.results import tokens as lex
from wellsourced.claims.results.tokens import CueKind, ResultCue, ResultToken, extract_ratio_cues, locate_p_values


def find_result_cues(sentence: list[ResultToken], text: str, naming: frozenset[str] = frozenset()) -> list[ResultCue]:
    """The cues of a sentence; where it has none its ratios with their intervals, else its p-values."""
    found = find_word_cues(sentence, naming) or extract_ratio_cues(sentence, text)
    return found or [ResultCue("differ" if sure > 0 else "same", 0, at, sure) for at, sure in locate_p_values(sentence)]


_NEGATION_REACH = 9
"""Words behind a negation among which it denies a finding."""
_WITHOUT_REACH = 4


def find_word_cues(sentence: list[ResultToken], naming: frozenset[str] = frozenset()) -> list[ResultCue]:
    """The words of a sentence that tell findings, in order, with how sure each is.

    Words of `naming` name an outcome ("weight gain") and tell nothing, unless they are denied.
    """
    found: list[ResultCue] = []
    at = 0
    while at < len(sentence):
        cue, after = (None, at + 1) if sentence[at].word in naming - lex.NEGATORS else _read_cue(sentence, at)
        if cue:
            found.append(cue)
        at = after
    return [_add_significance(cue, sentence) for cue in _combine_cues(found, sentence)]


def _read_cue(sentence: list[ResultToken], at: int) -> tuple[ResultCue | None, int]:
    """The cue at a place, and the place to go on from."""
    word = sentence[at].word
    if word in lex.NEGATORS and not _is_false_negation(sentence, at):
        return _apply_negation(sentence, at)
    if word in lex.DIFFERENCE_WORDS and at and (sign := _adverb_sign(sentence[at - 1].word)):
        return ResultCue("turn", sign, at), at + 1
    if word in lex.EQUIVALENCE_WORDS or (word == "same" and at and sentence[at - 1].word in {"the", "at"}):
        return ResultCue("same", 0, at), at + 1
    return _classify_word(word, at), at + 1


def _adverb_sign(word: str) -> int:
    """ "Inversely associated", "positive correlation"."""
    return 1 if word in lex.POSITIVE_ADVERBS else -1 if word in lex.NEGATIVE_ADVERBS else 0


_CUE_WORDS: tuple[tuple[frozenset[str], CueKind, int], ...] = (
    (lex.INCREASE_WORDS, "turn", 1),
    (lex.DECREASE_WORDS, "turn", -1),
    (lex.IMPROVEMENT_WORDS, "valued", 1),
    (lex.WORSENING_WORDS, "valued", -1),
    (lex.DIFFERENCE_WORDS, "differ", 0),
)


def _classify_word(word: str, at: int) -> ResultCue | None:
    return next((ResultCue(kind, sign, at) for words, kind, sign in _CUE_WORDS if word in words), None)


def _is_false_negation(sentence: list[ResultToken], at: int) -> bool:
    following = [word.word for word in sentence[at + 1 : at + 3]]
    if at and sentence[at - 1].word in {"or", "and"} and sentence[at].word == "without":
        return True
    if sentence[at].word == "non":
        return not any(word.startswith("significan") for word in following)
    return bool(following) and following[0] in {"only", "just", "merely", "necessarily"}


def _apply_negation(sentence: list[ResultToken], at: int) -> tuple[ResultCue | None, int]:
    """ "No difference", "did not significantly reduce": the last telling word in reach is denied."""
    best: ResultCue | None = None
    stop = at + 1
    reach = _WITHOUT_REACH if sentence[at].word == "without" else _NEGATION_REACH
    for place in range(at + 1, min(len(sentence), at + 1 + reach)):
        word = sentence[place].word
        if word == "longer" and place == at + 1:
            continue
        if word in lex.CONTRAST_WORDS or word in lex.SENTENCE_ENDS or word in "();:" or (word == "," and best is None):
            break
        cue = _classify_word(word, place)
        if cue or word in lex.DENIABLE_WORDS:
            best = ResultCue("same", cue.sign if cue else 0, place)
            stop = place + 1
            if cue:
                while stop < len(sentence) and _classify_word(sentence[stop].word, stop):
                    stop += 1
                break
    return best, stop


def _combine_cues(found: list[ResultCue], sentence: list[ResultToken]) -> Iterator[ResultCue]:
    """ "A greater reduction", "the reduction was greater": one cue, of both signs together."""
    used: set[int] = set()
    for index, cue in enumerate(found):
        if index in used:
            continue
        following = found[index + 1] if index + 1 < len(found) else None
        if following and index + 1 not in used and _is_sized_change(cue, following, sentence):
            used.add(index + 1)
            kind: CueKind = "valued" if "valued" in (cue.kind, following.kind) else "turn"
            yield ResultCue(kind, cue.sign * following.sign, max(cue.position, following.position))
        else:
            yield cue


def _is_sized_change(cue: ResultCue, following: ResultCue, sentence: list[ResultToken]) -> bool:
    if not (cue.sign and following.sign) or "same" in (cue.kind, following.kind):
        return False
    one, other = sentence[cue.position].word, sentence[following.position].word
    between = {word.word for word in sentence[cue.position + 1 : following.position]}
    if one in lex.COMPARATIVES and other in lex.CHANGE_NOUNS:
        return following.position - cue.position <= 3 and not between & {",", "and", "in", "("}
    if one in lex.CHANGE_NOUNS and other in lex.COMPARATIVES:
        is_said = bool(between & {"was", "were", "is", "are"}) and "and" not in between
        return is_said and following.position - cue.position <= 14
    return False


_SIGNIFICANCE_WINDOW = 3


def _add_significance(cue: ResultCue, sentence: list[ResultToken]) -> ResultCue:
    sure = 0.0
    for word in sentence[max(0, cue.position - _SIGNIFICANCE_WINDOW) : cue.position + _SIGNIFICANCE_WINDOW + 1]:
        if word.word.startswith("significan"):
            sure = 1.0
        elif word.word in {"trend", "tended", "tendency", "numerically", "slight", "slightly"}:
            return cue._replace(significance=-1.0)
    return cue._replace(significance=sure)


def _opens_result(between: list[ResultToken], following: ResultCue, mark: str) -> bool:
    """Whether a finding of its own follows: "and cost was lower", "and lower cost"."""
    if len(between) <= 1 and following.kind == "turn":
        return True
    return mark == "and" and any(word.word in lex.AUXILIARY_VERBS for word in between)


def locate_results(sentence: list[ResultToken], told: list[ResultCue]) -> list[tuple[int, int]]:
    """Where the findings of a sentence part: at "but", "whereas" …, and at an "and" between two of them."""
    bounds = [0]
    for at, word in enumerate(sentence):
        if word.word in lex.CONTRAST_WORDS and at > bounds[-1]:
            bounds.append(at)
        elif word.word in {"and", ","} and any(bounds[-1] <= cue.position < at for cue in told):
            following = next((cue for cue in told if cue.position > at), None)
            if following and _opens_result(sentence[at + 1 : following.position], following, word.word):
                bounds.append(at)
    return list(zip(bounds, [*bounds[1:], len(sentence)], strict=True))
