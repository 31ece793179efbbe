"""Titles, as titles are compared: without case, accents, markup and misprints, and knowing what a notice is."""

import html
import re
from typing import Literal, NamedTuple

from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import content_stems, tokenize

MIN_PREFIX_WORDS = 4
"""Words of the shorter of two titles from which it may be a beginning or an end of the longer: a subtitle left out."""

MIN_MISPRINT_LETTERS = 5
"""Letters of a word from which one that is another may be a misprint: "fraktion". Shorter ones mean something else."""

MIN_CONTENT_WORDS = 3
"""Content words from which what is called a title can be held against one: "DAPA-HF" cannot."""

GENERIC_STEMS = frozenset(
    content_stems(
        "patient adult people subject participant trial study randomized randomised controlled clinical effect "
        "multicentre multicenter prospective retrospective review analysis result article"
    )
)
"""Stems that come and go when a title is repeated from memory."""

ENGLISH_WORDS = frozenset(("of", "the", "and", "with", "for", "from", "by", "on", "among", "between"))
"""Words that a title in English has, and one in another language has not."""

_GREEK_NAMES = ("alpha", "beta", "gamma", "delta", "kappa", "lambda", "omega", "epsilon")
GREEK = {ord(letter): f" {name} " for letter, name in zip("αβγδκλωε", _GREEK_NAMES, strict=True)}
NoticeKind = Literal["correction", "retraction", "concern", ""]
_NOTICE: tuple[tuple[NoticeKind, re.Pattern[str]], ...] = (
    (
        "correction",
        re.compile(
            r"(?i)^\W*(?:(?:author|publisher|editorial)[’']?s?\s+)?(?:correction|corrigend(?:um|a)|errat(?:um|a)|addendum)"
            r"\b(?:\s+(?:to|for|in|of|on)\b|\s*[:.—–-])?\s*"
        ),
    ),
    (
        "retraction",
        re.compile(
            r"(?i)^\W*(?:(?:notice\s+of\s+)?(?:retraction|withdrawal)(?:\s+(?:note|notice|statement))?)\b"
            r"(?:\s+(?:to|for|in|of|on)\b|\s*[:.—–-])\s*"
        ),
    ),
    (
        "concern",
        re.compile(r"(?i)^\W*(?:editorial\s+)?expressions?\s+of\s+concern\b(?:\s+(?:to|for|on)\b|\s*[:.—–-])?\s*"),
    ),
)

_RETRACTION_MARK = re.compile(
    r"(?i)^\W*(?:retracted|withdrawn)(?:\s+article)?\s*[:.—–-]\s*|\s*[\[(]retracted[^\])]*[\])]\s*\.?$"
)
_LATEX = (
    (re.compile(r"""\\['"`^~=.uvHcdbr]\s*\{?\\?([A-Za-z])\}?"""), r"\1"),
    (re.compile(r"\\([A-Za-z]+)\s*\{([^{}]*)\}"), r"\2"),
    (re.compile(r"\\([A-Za-z]+)"), r" \1 "),
    (re.compile(r"[{}$~]"), " "),
)
_SUBTITLE = re.compile(r"[:?!]\s|\s[–—-]\s|\.\s")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")


class Title(NamedTuple):
    """A title as titles are compared.

    words   without case, accents, punctuation, markup; Greek letters by their names
    stems   of its content words
    main    the words before a subtitle
    notice  what it speaks of another work's title as, if it does
    translated   it stands in brackets: the work has another title in its own language
    """

    words: tuple[str, ...]
    stems: frozenset[str]
    main: tuple[str, ...] = ()
    notice: NoticeKind = ""
    translated: bool = False


def parse_title(printed: str) -> Title:
    """A title, taken apart."""
    bare = html.unescape(_TAG.sub("", printed)).strip()
    if "\\" in bare or "$" in bare or "{" in bare:
        for pattern, by in _LATEX:
            bare = pattern.sub(by, bare)
    bare = _RETRACTION_MARK.sub("", bare)
    notice: NoticeKind = ""
    for kind, pattern in _NOTICE:
        if pattern.match(bare):
            notice, bare = kind, pattern.sub("", bare, count=1)
            break
    translated = bool(re.fullmatch(r"\[.+\]\s*\.?", bare.strip()))
    spelled = _spell_out_greek(bare)
    return Title(
        tuple(tokenize(spelled)),
        frozenset(content_stems(spelled)),
        tuple(tokenize(_spell_out_greek(_SUBTITLE.split(bare)[0]))),
        notice,
        translated,
    )


def _spell_out_greek(title: str) -> str:
    """Greek letters by their names; a possessive is its noun, also where its apostrophe was lost."""
    return re.sub(r"(?:['’‘`]|\s)s\b", "", title.lower()).translate(GREEK)


def titles_match(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two titles are one: the same words, one the beginning or the end of the other, or misprinted."""
    if one == other or "".join(one) == "".join(other):
        return True
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) >= MIN_PREFIX_WORDS and (_is_beginning(shorter, longer) or longer[-len(shorter) :] == shorter):
        return True
    return _is_misprint(one, other)


def _is_beginning(shorter: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Whether one is how the other begins, its last word cut off perhaps."""
    size = len(shorter) - 1
    return longer[:size] == shorter[:size] and longer[size].startswith(shorter[size])


def _is_misprint(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the content words are the same but for misprints and words that tell nothing; every number is."""
    # Numbers tell trials and phases apart: "… 2" is another work than "… 3", and never a misprint of it.
    if [word for word in one if word[0].isdigit()] != [word for word in other if word[0].isdigit()]:
        return False
    left, right = _unmatched_words(one, other), _unmatched_words(other, one)
    return not left and not right and len(set(one) & set(other) - STOP_WORDS) >= MIN_CONTENT_WORDS


def _unmatched_words(one: tuple[str, ...], other: tuple[str, ...]) -> list[str]:
    """The words that only the first title has, without those that tell nothing and those that are misprints."""
    there = frozenset(content_stems(" ".join(other))) | GENERIC_STEMS
    content = [word for word in one if word not in STOP_WORDS and there.isdisjoint(content_stems(word))]
    return [word for word in content if not any(_is_one_letter_off(word, printed) for printed in other)]


def is_word_swap(said: Title, printed: Title) -> bool:
    """Whether one has a word or two in the place of others, and all else in common."""
    left, right = _unmatched_words(said.words, printed.words), _unmatched_words(printed.words, said.words)
    return 0 < len(left) <= 2 and 0 < len(right) <= 2 and len(said.stems & printed.stems) >= MIN_CONTENT_WORDS


def _is_one_letter_off(one: str, other: str) -> bool:
    """Whether two words are one with a letter too many, too few, another, or two changed about. Names of drugs differ
    by more."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < MIN_MISPRINT_LETTERS or len(longer) - len(shorter) > 1:
        return False
    same = next((at for at, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]), len(shorter))
    if len(shorter) == len(longer) and shorter[same : same + 2] == longer[same : same + 2][::-1]:
        return shorter[same + 2 :] == longer[same + 2 :]
    return shorter[same + (len(shorter) == len(longer)) :] == longer[same + 1 :]
