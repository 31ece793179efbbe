"""Whether a record is of the work that a text describes: title, authors and year, as people misprint them."""

import html
import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, cast

from wellsourced.citations.deduplication import MARKUP_TAG, RETRACTION_MARK
from wellsourced.citations.people import GROUP_WORD, parse_author
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import CitedSource, Reference

MIN_SIMILARITY = 0.8
"""How similar (difflib) two family names are that are one misprinted; and the share of a title's words that is most."""

MIN_TITLE_SHARE = 0.6
"""Share of the words of a title that a record has too, from which, with author and year, it is the work."""

YEAR_TOLERANCE = 1
"""Years by which print and screen may be apart; with title and author in agreement, LATE."""

WIDE_YEAR_TOLERANCE = 2

EDITED_YEARLY = {"statpearls", "genereviews", "genereviews®", "statpearls [internet]", "genereviews® [internet]"}

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
_NOTICE = re.compile(
    r"(?i)^\W*(?:(?P<correction>(?:(?:author|publisher|editorial)[’']?s?\s+)?(?:correction|corrigend(?:um|a)"
    r"|errat(?:um|a)|addendum)\b)|(?P<concern>(?:editorial\s+)?expressions?\s+of\s+concern\b)"
    r"|(?P<retraction>(?:notice\s+of\s+)?(?:retraction|withdrawal)(?:\s+(?:note|notice|statement))?\b"
    r"(?=\s+(?:to|for|in|of|on)\b|\s*[:.—–-])))(?:\s+(?:to|for|in|of|on)\b|\s*[:.—–-])?\s*"
)

_LATEX = (
    (re.compile(r"""\\['"`^~=.uvHcdbr]\s*\{?\\?([A-Za-z])\}?"""), r"\1"),
    (re.compile(r"\\([A-Za-z]+)\s*\{([^{}]*)\}"), r"\2"),
    (re.compile(r"\\([A-Za-z]+)"), r" \1 "),
)
_SUBTITLE = re.compile(r"[:?!]\s|\s[–—-]\s|\.\s")


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
    bare = html.unescape(MARKUP_TAG.sub("", printed)).strip()
    if "\\" in bare or "$" in bare or "{" in bare:
        for pattern, by in _LATEX:
            bare = pattern.sub(by, bare)
        bare = bare.translate(dict.fromkeys(map(ord, "{}$~"), " "))
    bare = RETRACTION_MARK.sub("", bare)
    found = _NOTICE.match(bare)
    bare = bare[found.end() :] if found else bare
    translated = bare.strip().startswith("[") and bare.rstrip(" .").endswith("]")
    spelled = _spell_out_greek(bare)
    return Title(
        tuple(tokenize(spelled)),
        frozenset(content_stems(spelled)),
        tuple(tokenize(_spell_out_greek(_SUBTITLE.split(bare)[0]))),
        cast("NoticeKind", found.lastgroup if found else ""),
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


NOTICE_TYPES: dict[str, NoticeKind] = {
    "Published Erratum": "correction",
    "Retraction of Publication": "retraction",
    "Retraction Notice": "retraction",
    "Expression of Concern": "concern",
}
_NOTICE_WORDS = re.compile(
    r"(?i)\b(?:retract(?:ion|ed)|withdraw(?:al|n)|errat(?:um|a)|correct(?:ion|ed)|corrigend(?:um|a)|concern|notice)\b"
)


class RecordAgreement(NamedTuple):
    """What a text says of a work, beside its record; None where one of the two does not say.

    share     of the content words of the title said, those that the record's title has too
    years     between the two
    notice    the record is a correction (a retraction, a concern) of what the text names, or the other way round
    is_word_swap   the titles are one, but for a word or two in the place of others: such are of two works
    is_yearly   it is edited anew every year
    """

    title: bool | None
    author: bool | None
    years: int | None
    share: float = 0.0
    notice: NoticeKind = ""
    is_word_swap: bool = False
    is_yearly: bool = False

    @property
    def year(self) -> bool | None:
        """Whether the years agree, or nearly: print follows screen, and an edition the one before."""
        if self.years is None or self.is_yearly:
            return None
        return self.years <= (WIDE_YEAR_TOLERANCE if self.title and self.author else YEAR_TOLERANCE)

    @property
    def differing(self) -> tuple[str, ...]:
        """What the text says otherwise than the record; () when the record is of the work."""
        others = [name for name, same in (("the authors", self.author), ("the year", self.year)) if same is False]
        return ("the title", *others) if self.title is False and not self._is_other_wording else tuple(others)

    @property
    def _is_other_wording(self) -> bool:
        """Whether another title may still be of the work: a shorter or older one, or one from memory."""
        return bool(
            self.author and self.year and self.share >= MIN_TITLE_SHARE and not self.notice and not self.is_word_swap
        )

    @property
    def is_sure(self) -> bool:
        """Whether the title alone tells that it is the work, and nothing speaks against it."""
        return self.title is True and not self.differing

    @property
    def is_near(self) -> bool:
        """Whether somebody who repeats a citation from memory may mean this work."""
        if self.title:
            return True
        if self.share >= MIN_SIMILARITY:
            return not (self.author is False and self.year is False)
        return bool(self.share > MIN_TITLE_SHARE and self.author and self.year)


def _spell_out_initials(title: str, other: str) -> str:
    """ "ACR Guideline" as "American College of Rheumatology Guideline", where the other title has these words."""
    for short in dict.fromkeys(_INITIALS.findall(title)):
        words = r"\W+(?:(?:of|for|and|the|on|in)\W+)*".join(rf"{letter}[a-z]+" for letter in short)
        if not re.search(rf"\b{short}\b", other) and (found := re.search(rf"\b{words}", other)):
            title = re.sub(rf"\b{short}\b", found.group(), title)
    return title


_INITIALS = re.compile(r"\b[A-Z]{2,6}\b")


def compare_record(cited: CitedSource, reference: Reference) -> RecordAgreement:
    """How what a text says agrees with a record."""
    said = parse_title(_spell_out_initials(cited.title, reference.title))
    printed = parse_title(_spell_out_initials(reference.title, cited.title))
    if not printed.notice and not _NOTICE_WORDS.search(cited.title):
        printed = printed._replace(notice=_notice_kind(reference))
    telling = said.stems - GENERIC_STEMS
    share = len(telling & printed.stems) / len(telling) if telling else 0.0
    notice = (printed.notice or said.notice) if said.words and said.notice != printed.notice else ""
    return RecordAgreement(
        _titles_agree(said, printed, share, len(parse_title(cited.title).stems - GENERIC_STEMS)),
        _authors_agree(cited.authors, reference),
        abs(int(cited.year[:4]) - reference.year) if cited.year[:4].isdecimal() and reference.year else None,
        share,
        notice,
        is_word_swap(said, printed),
        reference.kind == "book" or reference.journal.lower() in EDITED_YEARLY,
    )


def _notice_kind(reference: Reference) -> NoticeKind:
    """Of a record whose title does not say it: PubMed gives notices the title of the work at times."""
    return next((NOTICE_TYPES[type_] for type_ in reference.publication_types if type_ in NOTICE_TYPES), "")


def _titles_agree(said: Title, printed: Title, share: float, telling: int) -> bool | None:
    """Whether the titles are one; None where nobody can tell: of its words, as typed, too few are `telling`."""
    if not said.words or not printed.words:
        return None
    # A correction has the title of what it corrects: the words agree, and it is another publication.
    if said.notice != printed.notice:
        return False
    if titles_match(said.words, printed.words) or (len(said.words) > 1 and said.words == printed.main):
        return True
    if telling < MIN_CONTENT_WORDS and not said.notice:
        return None
    # Of a translated title, the text may name the original.
    return None if printed.translated and share < MIN_TITLE_SHARE and ENGLISH_WORDS.isdisjoint(said.words) else False


def _authors_agree(said: tuple[str, ...], reference: Reference) -> bool | None:
    """Whether the first author named is one of the record's; None of groups, which are called in many ways."""
    first = re.sub(r"(?i)[,;]?\s*\bet\s+al\b\.?|\band (?:others|colleagues)\b", "", said[0]).strip() if said else ""
    persons = [_family_names(author) for author in reference.authors if not _is_group(author)]
    names = _family_names(first)
    if not names or not persons or _is_group(first):
        return None
    return any(_is_same_person(names, person) for person in persons)


def _family_names(printed: str) -> frozenset[str]:
    """The words of a name that are no initials: of "Smith, J. A." and "Smith JA" the family name alone."""
    name = parse_author(printed)
    words = (name.family or name.group).replace("-", " ").replace("'", "").replace("’", "")
    return frozenset(word for word in tokenize(words) if len(word) > 1)


def _is_same_person(one: frozenset[str], other: frozenset[str]) -> bool:
    pairs = [(a, b) for a in one for b in other if min(len(a), len(b)) > 3]
    return bool(one & other) or any(SequenceMatcher(None, a, b).ratio() >= MIN_SIMILARITY for a, b in pairs)


def _is_group(name: str) -> bool:
    is_long, is_acronym = len(name.split()) > 5, name.isupper() and len(name) > 3
    return is_long or is_acronym or bool(GROUP_WORD.search(name)) or any(letter.isdigit() for letter in name)
