"""What kind of study a record is of, how many were studied, and how strong a recommendation is, in the words of those
who made it.

Levels are those of the Oxford Centre for Evidence-Based Medicine (OCEBM Levels of Evidence Working Group, “The Oxford
2011 Levels of Evidence”), column “Does this intervention help?”. A record that says nothing has no design: it is never
guessed from what it is about.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import extract_quantities, normalize_characters
from wellsourced.text.tables import read_alternatives


class StudyDesign(NamedTuple):
    """A design, its level (None: it has none), the words that say so, and where they stand.

    where   "its publication type", "its title", "its text"
    """

    name: str
    level: int | None
    words: str
    where: str


NO_MATCH = r"(?!)"


class _DesignKind(NamedTuple):
    name: str
    level: int | None
    publication_types: tuple[str, ...]
    text_pattern: re.Pattern[str]
    title_pattern: re.Pattern[str]


def _load_kinds() -> tuple[_DesignKind, ...]:
    """Expressions for "title" are looked for in titles only: texts speak of other works too."""
    parts = read_alternatives("wellsourced.medicine", "study_designs.tsv")
    kinds = []
    for name in dict.fromkeys(name for name, _ in parts):
        level, types, titled, pattern = (
            parts.get((name, part), "") for part in ("level", "publication type", "title", "title or text")
        )
        kinds.append(
            _DesignKind(
                name,
                int(level) if level else None,
                tuple(filter(None, types.split("|"))),
                lazy_regex(pattern or NO_MATCH, re.IGNORECASE),
                lazy_regex("|".join(filter(None, (titled, pattern))), re.IGNORECASE),
            )
        )
    return tuple(kinds)


DESIGN_KINDS = _load_kinds()
"""In the order in which they are believed: a protocol first, and a review of trials says "randomised" too."""

_PEOPLE = lazy_regex(
    r"\b(?:patients?|participants?|people|persons?|men|women|children|adults?|volunteers?|infants?|students)\b",
    re.IGNORECASE,
)

_OTHER_WORKS_BEFORE = lazy_regex(
    r"(?:future|further|larger|previous|earlier|recent|other|prior|more|no|several|lack of|need(?:ed)? for|await\w*"
    r"|should be|remains? to be|confirmed in|warranted|are needed|is needed)\W+(?:\w+\W+){0,4}\Z",
    re.IGNORECASE,
)
"""What stands before a design that is not the record's own: "previous randomised trials"."""

_OTHER_WORKS_BEHIND = lazy_regex(
    r"[^.;]{0,40}?\b(?:(?:is|are) (?:proposed|planned|needed|required|warranted|awaited)"
    r"|(?:should|must|could) be (?:done|conducted|performed|planned)|will be (?:needed|required))\b",
    re.IGNORECASE,
)
"""What stands behind one: "a registry-based randomised trial is proposed"."""

_PLANNED = lazy_regex(
    r"\b(?:patients|participants|people|adults|women|men|children|infants|individuals|subjects)\b[^.;]{0,60}?"
    r"\bwill (?:then )?be (?:\w+ )?(?:enrol+ed|recruited|randomi[sz]ed|included|allocated|assigned)\b",
    re.IGNORECASE,
)
"""People who are still to be studied."""

_REPORTED = lazy_regex(
    r"(?:^|[.\n]\s*)(?:results?|findings)\s?:|\bwe found\b|\bp\s?[<=]\s?0?\.\d|\b95 ?% ?(?:CI|confidence)",
    re.IGNORECASE,
)
"""Results: a text that has some is no protocol, whatever it plans besides."""

MAX_CHARACTERS = 6_000
"""Characters of a text in which its design and its size are looked for: what comes later is the discussion."""


def detect_design(publication_types: Sequence[str], title: str, text: str) -> StudyDesign | None:
    """The design; None when nothing says it. Types that indexers gave count most, the title more than the text."""
    types = {type_.casefold() for type_ in publication_types}
    by_type = list(_find_by_type(types))
    by_words = [*_find_by_words(title, "its title"), *_find_by_words(text[:MAX_CHARACTERS], "its text")]
    planned = _PLANNED.search(text[:MAX_CHARACTERS])
    # A text with results is no protocol, whatever it plans besides.
    if planned and not _REPORTED.search(text[:MAX_CHARACTERS]):
        return StudyDesign(DESIGN_KINDS[0].name, DESIGN_KINDS[0].level, planned.group(), "its text")
    if by_type:
        # Indexers say "Meta-Analysis" and leave open of what; "Clinical Trial" and "Review" are often all they say.
        return next((one for one in (*by_type, *by_words) if _is_narrower(one.name, by_type[0].name)), by_type[0])
    # Where nobody was studied, "randomised" is said of animals.
    if not _PEOPLE.search(f"{title} {text[:MAX_CHARACTERS]}"):
        by_words.sort(key=lambda one: one.name != "animal study")
    return next(iter(by_words), None)


def _is_narrower(name: str, broad: str) -> bool:
    narrower = {
        "systematic review": {"systematic review of randomised trials"},
        "clinical trial": {"randomised controlled trial", "non-randomised controlled trial"},
        "narrative review": {"systematic review", "systematic review of randomised trials"},
    }
    return name in narrower.get(broad, ())


def _find_by_type(types: set[str]) -> Iterator[StudyDesign]:
    for kind in DESIGN_KINDS:
        if said := next((type_ for type_ in kind.publication_types if type_.casefold() in types), ""):
            yield StudyDesign(kind.name, kind.level, said, "its publication type")


def _find_by_words(text: str, where: str) -> Iterator[StudyDesign]:
    for kind in DESIGN_KINDS:
        pattern = kind.title_pattern if where == "its title" else kind.text_pattern
        for match in pattern.finditer(text):
            before, behind = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 80]
            # "previous randomised trials" and "a randomised trial is proposed" are designs of other works.
            if not _OTHER_WORKS_BEFORE.search(before) and not _OTHER_WORKS_BEHIND.match(behind):
                yield StudyDesign(kind.name, kind.level, match.group(), where)
                break


_COUNT = r"\d{1,3}(?:[,\s\u2009\u202f]\d{3})+|\d{1,7}"
_STUDIED_PEOPLE = (
    r"(?:patients?|participants?|subjects?|adults?|children|infants?|neonates|adolescents?|women|men|people|persons?"
    r"|individuals?|volunteers?|cases|controls|pregnancies|births|eyes|veterans|residents|students|nurses|physicians)"
)
_FILLER_WORD = r"(?:(?!in\b|of\b|per\b|and\b|or\b|to\b)[\w-]+\s)"
_COUNT_OF_PEOPLE = rf"(?P<n>{_COUNT})\s{_FILLER_WORD}{{0,4}}?{_STUDIED_PEOPLE}\b"
_TOTAL_COUNT = lazy_regex(
    rf"\b(?:a total of|in total,?|overall,?|altogether,?)\s(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE
)
_ENROLLED_COUNT = lazy_regex(
    r"\b(?:randomi[sz]ed|enrol+ed|recruited|included|assigned|studied|analy[sz]ed|followed|identified|evaluated)\s"
    rf"(?P<said>{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_SUBJECT_COUNT = lazy_regex(
    rf"(?<![\w.])(?P<said>{_COUNT_OF_PEOPLE})[^.;]{{0,60}}?\b(?:were|was|underwent|completed)\b", re.IGNORECASE
)
_POOLED_COUNT = lazy_regex(
    rf"(?<![\w.])(?P<said>(?:{_COUNT}|\w+)\s(?:\w+\s){{0,3}}?(?:trials?|studies|RCTs?)\s?"
    r"(?:\(|,|with|involving|including|comprising|\s)+\s?(?:a total of\s)?(?:n\s?=\s?)?"
    rf"{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_N_EQUALS = lazy_regex(rf"(?<![\w.])(?P<said>[Nn]\s?=\s?(?P<n>{_COUNT}))(?![\d.%]|\s?%)")
_ANY_COUNT = lazy_regex(rf"(?<![\w.])(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE)

_ARM_BEFORE = lazy_regex(r"\b(?:each|per|every|both|either)\s(?:\w+\s)?(?:group|arm)s?\b[^.;]{0,30}\Z", re.IGNORECASE)
_ARM_BEHIND = lazy_regex(
    r"[^.;]{0,30}?\b(?:in|per|to|of)\s(?:each|every|both|either)\s(?:of the\s)?(?:\w+\s)?(?:group|arm)", re.IGNORECASE
)
"""How the size of one arm is told: "in each group, there were 44 patients"."""

_PEOPLE_BEHIND = lazy_regex(rf"\s{_FILLER_WORD}{{0,3}}?{_STUDIED_PEOPLE}\b", re.IGNORECASE)
_PART_OF_NUMBER = lazy_regex(r"\b(?:hundred|thousand)\s(?:and\s)?\Z", re.IGNORECASE)

MIN_WRITTEN = 13
"""Smaller numbers in words are seldom of people."""


def find_sample(text: str) -> str:
    """The words that state how many were studied; "" when none do, or when the largest of several cannot be told.

    Words that say that it is all of them come first ("a total of 312 women"), then those with a verb of enrolment; of
    "n = 30" and the like the largest, since arms and subgroups are smaller than the whole. What is told of each arm is
    no size of the whole; a number in words is told in digits.
    """
    read = _write_digits(text[:MAX_CHARACTERS])
    # Surest first: words that say it is all of them, then a verb of enrolment, then any number of people.
    for pattern in (_POOLED_COUNT, _TOTAL_COUNT, _ENROLLED_COUNT, _SUBJECT_COUNT, _N_EQUALS, _ANY_COUNT):
        whole = (one for one in pattern.finditer(read) if not _is_of_one_arm(one, read))
        # Arms and subgroups are smaller than the whole.
        if found := max(whole, key=_matched_size, default=None):
            return " ".join(found["said"].split())
    return ""


def _is_of_one_arm(match: re.Match[str], text: str) -> bool:
    before, behind = text[max(0, match.start() - 60) : match.start()], text[match.end("said") :]
    return bool(_ARM_BEFORE.search(before) or _ARM_BEHIND.match(behind))


def _write_digits(text: str) -> str:
    """The text with larger numbers in words as digits: "Eighty eight patients" is "88 patients"."""
    written = normalize_characters(text)
    for one in reversed(extract_quantities(written)):
        is_part = _PART_OF_NUMBER.search(written[: one.start])
        is_written = one.value >= MIN_WRITTEN and not one.unit and not re.search(r"\d", one.words)
        if is_written and not is_part and _PEOPLE_BEHIND.match(written, one.start + len(one.words)):
            written = f"{written[: one.start]}{one.value:f}{written[one.start + len(one.words) :]}"
    return written


def parse_sample_size(words: str) -> int:
    """The largest number in such words; 0 without one."""
    return max((int(re.sub(r"\D", "", number)) for number in re.findall(_COUNT, words)), default=0)


def _matched_size(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", match["n"]))


_RECOMMENDATION_CLASS = r"(?:I{1,3}|IV|IIa|IIb|[123][ab]?)"
_COMBINED_GRADE = r"(?i:grade)\s?[12][ABC]\b|\([12][ABC]\)"

_STRENGTH = re.compile(
    rf"""(?ix:
      (?<!NYHA\ )(?<!functional\ )(?<!Killip\ )(?<!Pugh\ )(?<!WHO\ )\bclass(?:\ of\ recommendation)?:?\s
      (?-i:{_RECOMMENDATION_CLASS})\b(?:\s+recommendation)?(?=\s*(?:[,;:)\]/.]|\(|$|recommendation|evidence|LOE|level))
    | \bCOR:?\s(?-i:{_RECOMMENDATION_CLASS})\b
    | \b(?:strong|weak|conditional|moderate|optional|discretionary)\s+recommendations?(?:\s+(?:for|against)\b)?
    | \b(?:strongly|weakly|conditionally)\s+recommend(?:ed|s)?(?:\s+against\b)?
    | \b(?:strength|grade)\ of\ (?:the\ )?recommendation:?\s(?:is\s|was\s)?(?:[A-D]\b|strong|weak|conditional|moderate)
    | \bgrade\s[A-DI]\s(?:recommendation|statement)s?\b | \brecommendation\s(?:grade\s)?\(?grade\s[A-D]\b
    | (?<=\()(?:strong|weak|conditional)(?=,\s?(?:very\ low|low|moderate|high)\))
    ) | {_COMBINED_GRADE}""",
    re.VERBOSE,
)
_CERTAINTY = re.compile(
    rf"""(?ix:
      \b(?:very[ -]low|low|moderate|high)[ -](?:certainty|quality|confidence)\b(?:\s+(?:of\s+)?evidence\b)?
    | \b(?:certainty|quality|confidence)\s+(?:(?:of|in)\s+(?:the\s+)?evidence\s*)?
      (?:was\s|is\s|were\s|as\s|rated\s|judged\s|:\s?)+(?:very\ low|low|moderate|high)\b
    | \b(?:level\ of\ evidence|evidence\ level|LOE):?\s
      (?-i:A|B(?:-N?R)?|C(?:-(?:LD|EO))?|[1-5][abc]?[+-]{{0,2}}|I{{1,3}}|IV|V)(?!\w)
    | \blevel\s(?-i:A|B|C|B-N?R|C-LD|C-EO)\s+evidence\b
    | (?<!Pugh\ )(?-i:\bGrade\s[ABCE])(?=[)\].;])
    | (?:(?<=\(strong,\ )|(?<=\(weak,\ )|(?<=\(conditional,\ ))(?:very\ low|low|moderate|high)(?=\))
    ) | {_COMBINED_GRADE}""",
    re.VERBOSE,
)


_FOREMOST = lazy_regex(
    r"\b(?:first[- ]line|preferred|cornerstone|mainstay|foundation|all (?:adult )?patients|at a minimum"
    r"|(?:initial|primary) (?:\w+ )?(?:therapy|treatment|resuscitation))\b",
    re.IGNORECASE,
)
"""What comes before anything else."""

_ALTERNATIVE = re.compile(r"\balternatives?\b", re.IGNORECASE)

MAX_FOREMOST = 2
"""Words that say that it comes first, as far as they are counted."""

_STRONG = re.compile(r"\bstrong(?:ly)?\b|\b(?:class|COR):?\s(?-i:I|1)\b|\bgrade\s?[1A]", re.IGNORECASE)
_AGAINST = re.compile(r"\b(?:against|not recommended|should not|avoid(?:ed)?|class III|harm)\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def rate_advice(text: str) -> float:
    """How far a sentence is what a reader has to know first: strong before weak, what comes first, what is to be done
    before what is not; 0 for what carries no grade and comes first of nothing."""
    strengths = extract_strengths(text)
    graded = 1.0 + any(map(_STRONG.search, strengths)) if strengths else 0.0
    foremost = {found.lower() for found in _FOREMOST.findall(text)}
    rating = graded + min(MAX_FOREMOST, len(foremost)) - bool(foremost and _ALTERNATIVE.search(text))
    # What is to be done comes before what is not.
    return rating / 2 if _AGAINST.search(text) else rating


def extract_strengths(text: str) -> tuple[str, ...]:
    """What a text says of the strength of recommendations ("Class I", "strong recommendation"), each wording once."""
    return _match_wordings(_STRENGTH, text)


def extract_certainties(text: str) -> tuple[str, ...]:
    """What it says of the certainty of evidence ("low certainty", "LOE A"), each wording once."""
    return _match_wordings(_CERTAINTY, text)


def single_wording(words: Sequence[str]) -> str:
    """The one thing that is said, however it is written; "" when nothing is, or several things are."""
    kinds = {" ".join(word.casefold().split()) for word in words}
    return words[0] if len(kinds) == 1 else ""


def _match_wordings(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match.group().strip("() ") for match in pattern.finditer(text)))
