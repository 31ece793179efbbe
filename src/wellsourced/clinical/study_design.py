"""What kind of study a record is of, by its publication types, its title and its own words.

Levels are those of the Oxford Centre for Evidence-Based Medicine (OCEBM Levels of Evidence Working Group, “The Oxford
2011 Levels of Evidence”), column “Does this intervention help?”. A record that says nothing has no design: it is never
guessed from what it is about.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


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


def _build_kind(name: str, level: int | None, types: str, pattern: str, titled: str = "") -> _DesignKind:
    """`pattern` is looked for in titles and texts, `titled` in titles only: texts speak of other works too."""
    both = "|".join(filter(None, (titled, pattern)))
    return _DesignKind(
        name,
        level,
        tuple(filter(None, types.split("|"))),
        re.compile(pattern or NO_MATCH, re.IGNORECASE),
        re.compile(both, re.IGNORECASE),
    )


_ANIMALS = r"(?:mice|mouse|rats?|murine|rabbits?|zebrafish|drosophila|pigs?|dogs?|macaques?|rodents?)"

DESIGN_KINDS = (
    _build_kind(
        "study protocol",
        None,
        "Clinical Trial Protocol",
        r"\bstudy protocol\b|\bprotocol for an?\b|\btrial protocol\b",
    ),
    _build_kind(
        "systematic review of randomised trials",
        1,
        "",
        r"\b(?:systematic\w*|meta-?analy\w+|cochrane)\W+(?:\w+\W+){0,8}?(?:randomi[sz]ed|controlled) (?:\w+ )?trials?"
        r"|\bnetwork meta-?analysis|\bmeta-?analysis of (?:\w+ )?(?:randomi[sz]ed|RCTs)"
        r"|\bRCTs? were (?:included|pooled)",
    ),
    _build_kind(
        "systematic review",
        2,
        "Meta-Analysis|Systematic Review|Network Meta-Analysis",
        r"\bsystematic(?:ally)? (?:literature )?review|\bmeta-?analysis\b|\bcochrane review",
    ),
    _build_kind(
        "non-randomised controlled trial",
        3,
        "Controlled Clinical Trial|Non-Randomized Controlled Trial",
        r"\bnon-?randomi[sz]ed\b|\bquasi-?randomi[sz]ed|\bquasi-?experimental",
    ),
    _build_kind("Mendelian randomisation", 3, "Mendelian Randomization Analysis", r"\bmendelian randomi[sz]ation"),
    _build_kind(
        "randomised controlled trial",
        2,
        "Randomized Controlled Trial|Equivalence Trial|Pragmatic Clinical Trial|Adaptive Clinical Trial",
        r"\brandomi[sz]ed[\w ,-]{0,60}? (?:trial|study|design|comparison)|\b(?:were|was|be) (?:\w+ )?randomi[sz]ed\b"
        r"|\brandomly (?:assigned|allocated|divided)|\bplacebo-controlled|\bdouble-blind|\brandomi[sz]ed (?:to\b|\d)"
        r"|\bwe randomi[sz]ed\b",
    ),
    _build_kind(
        "case-control study",
        4,
        "Case-Control Studies",
        r"\bcase-control(?:led)? (?:study|design|analysis)|\bnested case-control",
    ),
    _build_kind(
        "cohort study",
        3,
        "Cohort Studies|Observational Study|Longitudinal Studies|Prospective Studies|Retrospective Studies",
        r"\bcohort\b|\bobservational (?:study|analysis)|\bprospective(?:ly)? (?:\w+ ){0,2}?(?:study|follow|enrol)"
        r"|\blongitudinal (?:study|analysis)|\bregist(?:ry|er)-based|\bretrospective(?:ly)?\b",
    ),
    _build_kind(
        "cross-sectional study", 4, "Cross-Sectional Studies", r"\bcross-sectional\b|\bprevalence (?:study|survey)"
    ),
    _build_kind(
        "case series", 4, "", r"\bcase series\b|\bseries of (?:\w+ )?(?:cases|patients)\b|\bconsecutive patients\b"
    ),
    _build_kind(
        "case report",
        4,
        "Case Reports",
        r"\bwe (?:report|describe|present) (?:a|the) (?:\w+ )?case\b",
        r"\bcase reports?\b|\Aa case of\b",
    ),
    _build_kind(
        "clinical trial",
        3,
        "Clinical Trial" + "".join(f"|Clinical Trial, Phase {phase}" for phase in ("I", "II", "III", "IV")),
        r"\bphase (?:[1-4]|I{1,3}V?)\b[\w /]{0,20}(?:trial|study)|\bopen-label\b|\bsingle-arm\b",
    ),
    _build_kind(
        "animal study",
        5,
        "",
        rf"\b{_ANIMALS} (?:model|were|was|study)\b|\bin (?:mice|rats|rabbits|zebrafish|animal models)\b",
    ),
    _build_kind(
        "laboratory study", 5, "In Vitro", r"\bin vitro\b|\bcell (?:lines?|cultures?)\b|\bcultured (?:\w+ )?cells\b"
    ),
    _build_kind(
        "guideline",
        None,
        "Practice Guideline|Guideline|Consensus Development Conference",
        r"\bthis (?:guideline|(?:consensus|position) statement)\b",
        r"\A(?:[\w-]+\W+){0,9}?(?:guidelines?|consensus statement|position statement)(?: (?:for|on)\b|\W*\Z)",
    ),
    _build_kind(
        "narrative review", 5, "Review", r"\b(?:narrative|literature|this) review\b|\bwe review\b|\boverview of\b"
    ),
    _build_kind("opinion", 5, "Editorial|Comment|Letter|News", "", r"\b(?:editorial|commentary|viewpoint)\b"),
)
"""In the order in which they are believed: a review of trials says "randomised" too."""

_PEOPLE = re.compile(
    r"\b(?:patients?|participants?|people|persons?|men|women|children|adults?|volunteers?|infants?|students)\b",
    re.IGNORECASE,
)

_OTHER_WORKS_BEFORE = re.compile(
    r"(?:future|further|larger|previous|earlier|recent|other|prior|more|no|several|lack of|need(?:ed)? for|await\w*"
    r"|should be|remains? to be|confirmed in|warranted|are needed|is needed)\W+(?:\w+\W+){0,4}\Z",
    re.IGNORECASE,
)
"""What stands before a design that is not the record's own: "previous randomised trials"."""

MAX_CHARACTERS = 6_000
"""Characters of a text in which its design is looked for: what comes later is the discussion."""


def detect_design(publication_types: Sequence[str], title: str, text: str) -> StudyDesign | None:
    """The design; None when nothing says it. Types that indexers gave count most, the title more than the text."""
    types = {type_.casefold() for type_ in publication_types}
    by_type = list(_find_by_type(types))
    by_words = [*_find_by_words(title, "its title"), *_find_by_words(text[:MAX_CHARACTERS], "its text")]
    if by_type:
        # Indexers say "Meta-Analysis" and leave open of what; "Clinical Trial" and "Review" are often all they say.
        return next((one for one in (*by_type, *by_words) if _is_narrower(one.name, by_type[0].name)), by_type[0])
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
            if not _OTHER_WORKS_BEFORE.search(text[max(0, match.start() - 60) : match.start()]):
                yield StudyDesign(kind.name, kind.level, match.group(), where)
                break
