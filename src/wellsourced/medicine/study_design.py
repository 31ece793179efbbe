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
from wellsourced.text.sentences import split_sentences
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
    r"[^.;]{0,40}?\b(?:(?:arm|group) of (?:an?|another|the) (?:[\w-]+ ){0,3}(?:trial|study)"
    r"|(?:had been|was) planned|(?:is|are) (?:proposed|planned|needed|required|warranted|awaited)"
    r"|(?:should|must|could) be (?:done|conducted|performed|planned)|will be (?:needed|required))\b",
    re.IGNORECASE,
)
"""What stands behind one: "a registry-based randomised trial is proposed"."""

_PLANNED = lazy_regex(
    r"\b(?:patients|participants|people|adults|women|men|children|infants|individuals|subjects)\b[^.;]{0,60}?"
    r"\bwill (?:then )?be (?:\w+ )?(?:enrol+ed|recruited|randomi[sz]ed|included|allocated|assigned)\b"
    r"|\b(?:stud(?:y|ies)|trial|intervention|evaluation|outcomes?|effects?|data) will"
    r" (?:be|take|compare|assess|utili[sz]e)\b"
    r"|\banticipated sample\b",
    re.IGNORECASE,
)
"""People who are still to be studied."""

_TRAINING_PART = lazy_regex(
    r"[^.;]{0,60}\b(?:training|validation|derivation|development|test(?:ing)?) (?:and|set|cohort|sample|group)",
    re.IGNORECASE,
)
"""What is divided at random so is data."""

_ANIMALS = lazy_regex(
    r"\b(?:mice|mouse|rats?|murine|rabbits?|zebrafish|drosophila|pigs?|piglets?|swine|porcine|dogs?|canine|sheep|ovine"
    r"|macaques?|rodents?|animals?)\b",
    re.IGNORECASE,
)

_REPORTED = lazy_regex(
    r"(?:^|[.\n]\s*)(?:results?|findings)\s?:|\bwe found\b|\bp\s?[<=]\s?0?\.\d|\b95 ?% ?(?:CI|confidence)",
    re.IGNORECASE,
)
"""Results: a text that has some is no protocol, whatever it plans besides."""

NAMED_IN_TITLES = (
    "study protocol",
    "systematic review of randomised trials",
    "systematic review",
    "case report",
    "qualitative study",
)
"""Designs that a title names as those of the work itself, whatever its text speaks of."""

MAX_CHARACTERS = 6_000
"""Characters of a text in which its design and its size are looked for: what comes later is the discussion."""


def detect_design(publication_types: Sequence[str], title: str, text: str) -> StudyDesign | None:
    """The design; None when nothing says it. Types that indexers gave count most, the title more than the text."""
    types = {type_.casefold() for type_ in publication_types}
    by_type = list(_find_by_type(types))
    read = text.removeprefix(title)[:MAX_CHARACTERS]
    by_words = list(_find_by_words(read, "its text"))
    # What was done decides; a title may name what the work is about ("why a randomised trial failed").
    is_open = {one.name for one in by_words} <= {"cohort study", "clinical trial"}
    named = [one for one in _find_by_words(title, "its title") if is_open or one.name in NAMED_IN_TITLES]
    order = [kind.name for kind in DESIGN_KINDS]
    named.sort(key=lambda one: order.index(one.name))
    whole = [one for one in named if one.name in NAMED_IN_TITLES]
    by_words = [*whole, *sorted((*named, *by_words), key=lambda one: order.index(one.name))]
    planned = _PLANNED.search(read)
    # A text with results is no protocol, whatever it plans besides.
    if planned and not _REPORTED.search(read):
        return StudyDesign(DESIGN_KINDS[0].name, DESIGN_KINDS[0].level, planned.group(), "its text")
    if by_type:
        # Indexers say "Meta-Analysis" and leave open of what; "Clinical Trial" and "Review" are often all they say.
        return next((one for one in (*by_type, *by_words) if _is_narrower(one.name, by_type[0].name)), by_type[0])
    # Where animals were studied, "randomised" is said of them.
    studied = f"{title} {read}"
    if len(_ANIMALS.findall(studied)) >= len(people := _PEOPLE.findall(studied)):
        by_words.sort(key=lambda one: one.name != "animal study" and (bool(people) or one.name != "laboratory study"))
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
            is_other = _OTHER_WORKS_BEFORE.search(before) or _OTHER_WORKS_BEHIND.match(behind)
            if not is_other and not ("random" in match.group().lower() and _TRAINING_PART.match(behind)):
                yield StudyDesign(kind.name, kind.level, match.group(), where)
                break


_COUNT = r"\d{1,3}(?:[,\s\u2009\u202f]\d{3})+(?!\d)|\d{1,7}"
_STUDIED_PEOPLE = (
    r"(?:(?:out|in)?patients|participants|subjects|adults|(?:school)?children|infants|neonates|newborns|adolescents"
    r"|women|men|females|males|people|persons|individuals|volunteers|respondents|survivors|pregnancies|births"
    r"|deliveries|eyes|veterans|residents|students|nurses|physicians|doctors|clinicians|practitioners|surgeons"
    r"|caregivers|employees|workers|mothers|parents|families|couples|girls|boys|athletes|donors|smokers"
    r"|mice|rats|pigs|rabbits|dogs|sheep|animals)"
)
_FILLER_WORD = r"(?:(?!(?:in|of|per|to|by|for|with|was|were|had|has|have|as|at|on|the)\b)[^\W\d][\w'’/-]*,?\s)"
_COUNT_OF_PEOPLE = rf"(?P<n>{_COUNT})\s(?!and\b|or\b){_FILLER_WORD}{{0,8}}?{_STUDIED_PEOPLE}\b"
_POOLED_COUNT = lazy_regex(
    rf"(?<![\w.])(?P<said>(?:{_COUNT}|\w+)\s(?:\w+\s){{0,3}}?(?:trials?|studies|RCTs?)\s?"
    r"(?:\(|,|with|involving|including|comprising|enrolling|of|\s)+\s?(?:a total of\s)?(?:n\s?=\s?)?"
    rf"{_COUNT_OF_PEOPLE})",
    re.IGNORECASE,
)
_IS_REVIEW = lazy_regex(
    r"\bsystematic\w*|\bmeta-?analy|\bpooled\b|\bwe searched\b|\bliterature search"
    r"|\b(?:trials|studies)\b[^.;]{0,80}\bwere (?:found|included|identified|eligible)\b",
    re.IGNORECASE,
)
_PEOPLE_COUNT = lazy_regex(rf"(?<![\w.(/–-])(?<!\d,)(?P<said>{_COUNT_OF_PEOPLE})", re.IGNORECASE)
_REMAINING_COUNT = lazy_regex(
    r"(?:\bof (?:these|whom|them)\b,?\s|\band\s|,\s)"
    rf"(?P<said>(?P<n>{_COUNT})\s(?:(?:were|was)\s(?:then\s|finally\s)?(?:enrol+ed|recruited|included|randomi[sz]ed|analy[sz]ed)"
    r"|gave (?:\w+ )?consent|agreed|consented|participated|took part|completed|answered|responded|returned"
    r"|met (?:the |our |all )?(?:\w+ )?criteria))",
    re.IGNORECASE,
)
"""Those who stayed of others, who were screened or asked."""

_N_EQUALS = lazy_regex(
    rf"\b{_STUDIED_PEOPLE}(?:\s(?!and\b|or\b|groups?\b|arms?\b)[\w-]+){{0,8}}\s\((?P<said>[Nn]\s?=\s?(?P<n>{_COUNT}))\)",
    re.IGNORECASE,
)

_STUDY_STAGES = (
    lazy_regex(r"\brandomi[sz]ed\b|\brandomly\b|\b(?:assigned|allocated) (?:to|into)\b", re.IGNORECASE),
    lazy_regex(
        r"\b(?:enrol+ed|recruited|included|participated|participants?|took part|consent(?:ed)?|agreed|analy[sz]ed"
        r"|evaluated"
        r"|completed|answered|responded|returned|interviewed|surveyed|volunteered|met (?:\w+ )*criteria)\b",
        re.IGNORECASE,
    ),
    lazy_regex(
        r"\b(?:stud(?:y|ied)|treated|follow(?:ed|-up)|underwent|undergoing|reviewed|received|took|given|examined|tested"
        r"|measured|used|ingested|trial|cohort|series|sample|survey|analysis|data|compris(?:ed|ing)|consist(?:ed|ing)"
        r"|admitted|presenting|presented|attending|asked|divided|compared|assessed|investigated|conducted|performed)\b",
        re.IGNORECASE,
    ),
)
"""How far somebody came in a study, the furthest first: whoever was screened or asked is not yet studied."""

_OTHER_WORK = lazy_regex(
    r"\banother\b|\b(?:previous|prior|earlier|recent|published) (?:\w+ )?(?:stud|trial|cohort|report|work|review|data)"
    r"|\bet al\b|\[\d|\bas in\b|\bplanned\b|\bwill be\b|\b(?:is|are) needed\b|\baffects?\b|\bliterature\b"
    r"|\bhave been (?:reported|described|shown)\b",
    re.IGNORECASE,
)
"""A sentence about other works, or about what is still to come."""

_PART_BEFORE = lazy_regex(
    r"(?:\b(?:and|or|versus|vs\.?|plus|than|consisting of|except|only|another|other|remaining"
    r"|types?|grades?|stages?|phases?|class|groups?|day|week|level)"
    r"|\b(?:screen|invit|approach|contact|identif|exclud|eligib|regist|databas|sampl\w* frame)\w*[^.;]{0,25}"
    r"|(?<!study )(?<!studies )(?<!trial )(?<!cohort )(?<!series )(?<!sample )(?<!survey )(?<!analysis )(?<!total )"
    r"(?<!data )(?<!records )(?<!review )(?<!comparison )(?<!evaluation )\bof)"
    r"(?:\s(?:the|these|all|our|initial|first|total))*\s?\Z"
    r"|\b(?:each|per|every|both|either)\s(?:\w+\s)?(?:group|arm)s?\b[^.;]{0,30}\Z",
    re.IGNORECASE,
)
_PART_BEHIND = lazy_regex(
    r"\s?\(\s?\d+(?:\.\d+)?\s?%"
    r"|[^.;]{0,30}?\b(?:in|per|to|of)\s(?:each|every|both)\s(?:of the\s)?(?:\w+\s)?(?:group|arm)"
    r"|[^.;,]{0,25}?\b(?:screened|invited|approached|contacted|eligible|excluded|died|relapsed|developed|experienced|withdrew"
    r"|dropped out|discontinued|lost to|failed|achieved|required|recovered|improved|were identified|identified by)\b"
    r"|[^.;]{0,40}?\((?:cluster|group|arm|cohort)\b|[^.;]{0,80}?\bas (?:an? |the )?(?:\w+ )?controls?\b"
    rf"|[^.;(]{{0,60}}?\b(?:and|versus|vs\.?|or|,)\s{_COUNT_OF_PEOPLE}",
    re.IGNORECASE,
)
"""A part of those who were studied: an arm, a share, those to whom something happened; or more than those."""

_ARM_BEHIND = lazy_regex(
    r"[^.;]{0,40}?\b(?:in|to|from|of)\s(?:the|an?)\s(?:[\w/-]+\s){0,3}?(?:group|arm|cluster)\b(?P<rest>[^.;]{0,60})",
    re.IGNORECASE,
)
_BOTH_ARMS = lazy_regex(r"\s(?:or|and)\b(?!\s\d)", re.IGNORECASE)
_ENROLLED_BEHIND = lazy_regex(
    r"\s?(?:who (?:were )?)?(?:enrol+ed|recruited|included|randomi[sz]ed|analy[sz]ed|studied)\b", re.IGNORECASE
)
_TOTAL_BEFORE = lazy_regex(r"\b(?:a total of|in total,?|overall,?|altogether,?)\s\Z", re.IGNORECASE)
_EQUALS_SIGN = lazy_regex(r"\bn\s?=", re.IGNORECASE)
_SINGLE_CASE = lazy_regex(
    r"\bcase report\b"
    r"|\A.{0,400}?\ban? \d{1,3}[- ]year[- ]old (?:\w+ ){0,2}(?:man|woman|boy|girl|male|female|patient)\b",
    re.IGNORECASE | re.DOTALL,
)
_SECTION_LABEL = lazy_regex(
    r"\W*(?P<other>background|introduction|context|rationale|conclusions?|discussion|interpretation|implications?)\b"
    r"(?=\s?[:.\n]|\Z|\s[A-Z])|\W*(?:objectives?|aims?|purpose|methods?|design|setting|participants|patients|results?"
    r"|findings|materials?|main outcome)\b[^.:\n]{0,30}(?:[:\n]|\Z)",
    re.IGNORECASE,
)

_PEOPLE_BEHIND = lazy_regex(rf"\s{_FILLER_WORD}{{0,3}}?{_STUDIED_PEOPLE}\b", re.IGNORECASE)
_PART_OF_NUMBER = lazy_regex(r"\b(?:hundred|thousand)\s(?:and\s)?\Z", re.IGNORECASE)

MIN_WRITTEN = 13
"""Smaller numbers in words are seldom of people."""


def find_sample(text: str) -> str:
    """The words that state how many were studied in all; "" when none do, or when they may be of a part or of others.

    Read is what the work says of itself: not its background and conclusions, no sentence on another work. Of several
    numbers the one of those who came furthest counts (randomised before enrolled, enrolled before treated), and the
    first of these. What is told of an arm, a share, an outcome, or of those who were screened is no size of the whole;
    a number in words is told in digits.
    """
    read = _write_digits(text[:MAX_CHARACTERS])
    if _SINGLE_CASE.search(read[:MAX_CHARACTERS]):
        return ""
    sentences = list(_own_sentences(read))
    pooled = [found for sentence in sentences if (found := _POOLED_COUNT.search(sentence))]
    # A review counts other works: whoever was studied in one of them is not all.
    if _IS_REVIEW.search(read):
        return " ".join(pooled[0]["said"].split()) if pooled else ""
    others = {found.string for found in pooled}
    stated = [count for sentence in sentences if sentence not in others for count in _list_counts(sentence)]
    return min(stated, key=lambda count: count.stage).said if stated else ""


class _StatedCount(NamedTuple):
    stage: int
    said: str


def _own_sentences(text: str) -> Iterator[str]:
    """The sentences in which a work may say whom it studied itself."""
    is_other = False
    for span in split_sentences(text):
        sentence = text[span.start : span.end]
        if label := _SECTION_LABEL.match(sentence):
            is_other = bool(label["other"])
        if not is_other and not _OTHER_WORK.search(sentence):
            yield sentence


def _list_counts(sentence: str) -> Iterator[_StatedCount]:
    """The numbers of a sentence that are of all who were studied, and how far these came."""
    # Cases and their controls are two parts.
    if re.search(r"\bmatched\b[^.;]{0,60}\d|\bcontrols?\b[^.;]{0,20}\(n\s?=", sentence, re.IGNORECASE):
        return
    remaining = list(_REMAINING_COUNT.finditer(sentence))
    # Of several in brackets each is an arm.
    equal = list(_N_EQUALS.finditer(sentence)) if len(_EQUALS_SIGN.findall(sentence)) == 1 else []
    for found in (*_PEOPLE_COUNT.finditer(sentence), *remaining, *equal):
        before, behind = sentence[: found.start("said")], sentence[found.end("said") :]
        arm = _ARM_BEHIND.match(behind)
        is_part = _PART_BEHIND.match(behind) or (arm and not _BOTH_ARMS.match(arm["rest"]))
        is_aside = found not in equal and before.count("(") > before.count(")")
        is_part = is_part or is_aside or (found not in remaining and _PART_BEFORE.search(before))
        if (is_part and not _ENROLLED_BEHIND.match(behind)) or int(re.sub(r"\D", "", found["n"])) < 2:
            continue
        clause = f"{before[-150:]}{found['said']}{behind[:250]}"
        last = len(_STUDY_STAGES) if found in equal or _TOTAL_BEFORE.search(before) else None
        stage = next((at for at, stage in enumerate(_STUDY_STAGES) if stage.search(clause)), last)
        if stage is not None:
            yield _StatedCount(stage, " ".join(found["said"].split()))


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
