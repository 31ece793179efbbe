"""Whether a record is of the work that a text describes: title, authors and year, as people misprint them."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from wellsourced.citations.reference_styles import GROUP_WORD, parse_author_name
from wellsourced.factcheck.resolve.titles import (
    ENGLISH_WORDS,
    GENERIC_STEMS,
    MIN_CONTENT_WORDS,
    NoticeKind,
    Title,
    is_word_swap,
    parse_title,
    titles_match,
)
from wellsourced.text.tokens import tokenize
from wellsourced.types import CitedSource, Reference

MIN_SIMILARITY = 0.8
"""How similar (difflib) two family names are that are one misprinted; and the share of a title's words that is most."""

MIN_TITLE_SHARE = 0.6
"""Share of the words of a title that a record has too, from which, with author and year, it is the work."""

YEAR_TOLERANCE = 1
"""Years by which print and screen may be apart; with title and author in agreement, LATE."""

WIDE_YEAR_TOLERANCE = 2

EDITED_YEARLY = {"statpearls", "genereviews", "genereviews®", "statpearls [internet]", "genereviews® [internet]"}

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


def compare_record(cited: CitedSource, reference: Reference) -> RecordAgreement:
    """How what a text says agrees with a record."""
    said, printed = parse_title(cited.title), parse_title(reference.title)
    if not printed.notice and not _NOTICE_WORDS.search(cited.title):
        printed = printed._replace(notice=_notice_kind(reference))
    telling = said.stems - GENERIC_STEMS
    share = len(telling & printed.stems) / len(telling) if telling else 0.0
    notice = (printed.notice or said.notice) if said.words and said.notice != printed.notice else ""
    return RecordAgreement(
        _titles_agree(said, printed, share),
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


def _titles_agree(said: Title, printed: Title, share: float) -> bool | None:
    if not said.words or not printed.words:
        return None
    # A correction has the title of what it corrects: the words agree, and it is another publication.
    if said.notice != printed.notice:
        return False
    if titles_match(said.words, printed.words) or (len(said.words) > 1 and said.words == printed.main):
        return True
    if len(said.stems - GENERIC_STEMS) < MIN_CONTENT_WORDS and not said.notice:
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
    name = parse_author_name(printed)
    return frozenset(
        word for word in tokenize(name.family.replace("-", " ").replace("'", "").replace("’", "")) if len(word) > 1
    )


def _is_same_person(one: frozenset[str], other: frozenset[str]) -> bool:
    pairs = [(a, b) for a in one for b in other if min(len(a), len(b)) > 3]
    return bool(one & other) or any(SequenceMatcher(None, a, b).ratio() >= MIN_SIMILARITY for a, b in pairs)


def _is_group(name: str) -> bool:
    is_long, is_acronym = len(name.split()) > 5, name.isupper() and len(name) > 3
    return is_long or is_acronym or bool(GROUP_WORD.search(name)) or any(letter.isdigit() for letter in name)
