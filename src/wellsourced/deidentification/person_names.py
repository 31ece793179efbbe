# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Names of people that something announces: a title, a label, a word of kinship, a signature, a common given name."""

import re
from collections.abc import Callable, Iterator, Sequence

from wellsourced.deidentification.identifiers import EPONYMS, GIVEN_NAMES, LABEL_WORDS, NOT_NAMES, Identifier
from wellsourced.medicine.word_forms import is_drug_name
from wellsourced.text.lexicon import word_set

_KIN = LABEL_WORDS["kin"]
_UPPER_CASE = "A-ZÀ-ÖØ-ÞĀ-ŐŒŚŠŞŹŻŽİŁĐĆČ"
_NAME_PART = (
    rf"\b(?:[{_UPPER_CASE}](?:[^\W\d_A-Z]{{1,30}}|['’][A-Z][^\W\d_]+|\.)(?:[A-Z][^\W\d_A-Z]+)?(?:[-‐][{_UPPER_CASE}][^\W\d_]{{0,25}}){{0,2}}"
    rf"|[{_UPPER_CASE}]{{2,20}}(?:['’-][{_UPPER_CASE}]{{2,20}})?(?=[,. \n)(]|$))"
)
_NAME_PARTICLE = r"(?:van|von|de|der|den|del|da|di|la|le|al|el|bin|bint|dos|do|das|du|ter|ten|af|ibn|abu|e|y|zu|[Nn]í|[Nn]ic|Ó|[Aa]p|[Aa]b|ferch)"
_FULL_NAME = rf"(?:{_NAME_PARTICLE} ){{0,2}}{_NAME_PART}(?:,? (?:{_NAME_PARTICLE} |al-){{0,2}}{_NAME_PART}){{0,3}}"
_TITLE = LABEL_WORDS["title"]
_NAME_FIELD = LABEL_WORDS["name field"]
_ANNOUNCED_NAMES = (
    re.compile(rf"(?<![\w.])(?:{_TITLE})\.?\)?(?: (?:Kolleg(?:e|en|in)|[Cc]oll?ega)(?: (?:Dr|Prof)\.?)?)? {{1,2}}({_FULL_NAME})"),
    re.compile(rf"(?<![\w])(?<!drug )(?<!brand )(?<!generic )(?<!trade )(?i:{_NAME_FIELD}|{_KIN})\s{{0,3}}[:=]\s{{0,4}}(?:(?:{_TITLE})\.? ){{0,2}}({_FULL_NAME})"),
    re.compile(rf"\b(?i:(?:my|our|his|her|their|the|mother|father|w/|with) (?:{_KIN}|patient|client|resident|mother in law|father in law)),? \(?({_FULL_NAME})"),
    re.compile(
        rf"({_NAME_PART},? {_NAME_PART}(?: {_NAME_PART})?),? (?:is |was |an? )*"
        rf"(?:\(?(?:DOB|born|MRN|NHS|SSN|geb\.|née? le)\b|\(?\d{{1,3}}[ -]?(?:year|y/?o|yo|[MF]\b))"
    ),
    re.compile(rf"\b[Pp]assport [^.]{{0,80}}\bname ({_FULL_NAME})|\bname ({_FULL_NAME})"),
    re.compile(rf"\b(?i:(?:e-?)?(?:signed|dictated|reviewed|verified|seen|reported|entered|typed|transcribed|examined|referred|d/w|discussed with|spoke (?:to|with|w/)|c/o|s/o|w/o|d/o|b/o|née|nee|aka|a\.k\.a\.|p/w)(?: electronically)?(?: by)?:?) (?:Dr\.? )?({_FULL_NAME})"),
    re.compile(rf"(?:^|\n|- ?|– ?|--|, |\. )({_NAME_PART}(?: {_NAME_PART}){{1,3}})(?=,? (?:MD|DO|RN|LPN|NP|PA-C|PA|MSW|LCSW|PharmD|FRCP|MBBS|MRCGP|PhD|DPT|RGN|RM|SHO|SpR|ST\d|CNM|CRNA|BSN|EMT-?P?)\b)"),
    re.compile(r"(?<![\w'’.-])([A-Z][A-Z'’-]{1,25}\^[A-Z][A-Z'’.-]{2,25}(?:\^[A-Z][A-Z'’.-]{0,25}){0,2})(?!\w)"),
)  # fmt: skip
_TITLE_PATTERNS = frozenset({0, 1})
_LOWERCASE_AFTER_TITLE = re.compile(
    r"(?<![\w.])(?:mr|mrs|miss|dr|prof|doctor|sister|nurse|midwife|señora?|sra?\.|frau|herr|mme|dott|dhr|mevr|pani)\.? (?:\(|in law )?([^\W\d_]{2,24}(?:[-'’][^\W\d_]{2,24})?)(?: ([^\W\d_]{2,24}(?:[-'’][^\W\d_]{2,24})?))?"
)
_CAPITALIZED_WORD = re.compile(rf"[{_UPPER_CASE}][\w'’À-ÿ]{{0,40}}(?:-[{_UPPER_CASE}][\w]{{0,40}})?")
_MEDICAL_NOUN_BEHIND = re.compile(
    r"['’]?s?[ -](?i:disease|syndrome|sign|score|criteria|phenomenon|test|lymphoma|palsy|murmur|wort|body|bodies|catheter|scale|index|classification|procedure|fracture|manoeuvre|maneuver|thyroiditis|stage|grade|negativ|line|reflex|virus|fever|rings?|curves?|protein|criterion|trial|study|strain|rats?|mice|node|triad|anomaly|malformation|gene|reagent|pouch|space|fossa|duct|canal|ligament|gland|islets?|tubes?|valve|clamp|drain|forceps|retractor|stent|needle|splint|collar|brace|frame|mask|cannula|electrode|position|incision|repair|flap|block|regimen|protocol|nomogram|method|assay|unit|lens|lamp|solution|lactate|leu[ck]ocidin|toxin|antigen|antibod(?:y|ies)|stain|equation|formula|law|lesions?|cells?|model|regression)\b"
)
_TWO_CAPITALS = re.compile(
    r"(?!Mc|Mac|De|Di|Du|La|Le|Lo|Van|Von|Fitz|O['’]|D['’]|Al|El|St|Ap|Ab|Da|Mb|Ni)[A-Z][a-z]+[A-Z][A-Za-z]+|(?!de|di|van|al|el|la|le|mac|mc)[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]+"
)


def is_eponym(text: str, words: str, end: int) -> bool:
    """Whether a name names a disease, a sign, a score where it stands."""
    return bool(_MEDICAL_NOUN_BEHIND.match(text, end)) or all(
        (part.title() if part.isupper() else part) in EPONYMS for part in re.split(r",? |-", words.removeprefix("von "))
    )


def is_trade_name(word: str) -> bool:
    """Whether a word has a capital in its middle as trade names have ("PowerScribe"), or ends as drugs do."""
    return bool(_TWO_CAPITALS.fullmatch(word) or is_drug_name(word))


def strip_possessive(word: str) -> str:
    """A name without "'s"."""
    return re.split(r"['’][sS]?$", word)[0]


def find_announced_names(
    text: str, is_ordinary: Callable[[str], bool], is_given: Callable[[str], bool]
) -> Iterator[Identifier]:
    """Names that a title, a label or a phrase comes before, cut where words begin that are no names.

    is_ordinary   whether a word is known as one of a language or of medicine, and not as a name
    is_given      whether a word is known as a given name
    """
    for place, pattern in enumerate(_ANNOUNCED_NAMES):
        for found in pattern.finditer(text):
            group = next(at for at in range(1, pattern.groups + 1) if found[at])
            yield from _cut_at_ordinary_word(
                text,
                *found.span(group),
                titled=place in _TITLE_PATTERNS,
                is_ordinary=(lambda _: False) if place == 0 else is_ordinary,
                is_given=is_given,
            )


def _cut_at_ordinary_word(
    text: str,
    start: int,
    end: int,
    *,
    titled: bool,
    is_ordinary: Callable[[str], bool],
    is_given: Callable[[str], bool],
) -> Iterator[Identifier]:
    last, is_capitals = start, True
    for word in _CAPITALIZED_WORD.finditer(text, start, end):
        bare = strip_possessive(word.group())
        initial = len(bare) == 1 and text[word.end() : word.end() + 1] == "."
        if (
            (bare in NOT_NAMES and not initial)
            or (not titled and bare.isupper() and len(bare) > 1 and bare.title() in NOT_NAMES)
            or (len(bare) > 1 and is_ordinary(bare))
            or (bare in EPONYMS and not titled and last == start)
            or text[word.end() : word.end() + 1] == ":"
            or is_trade_name(bare)
            # Behind a comma stands a given name, or a post, a town and a number of somebody who has been named.
            or (last > start and "," in text[last : word.start()] and not is_given(bare))
            # A degree behind a name in small letters: "Katherine Boone RN".
            or (last > start and not is_capitals and len(bare) > 1 and bare.isupper())
        ):
            break
        last, is_capitals = word.start() + len(bare) + initial, is_capitals and bare.isupper()
    if last > start and any(letter.isalpha() for letter in text[start:last]):
        yield Identifier("name", start, last)


def find_lowercase_candidates(text: str) -> Iterator[Identifier]:
    """Words where a name may stand in small letters, behind a title."""
    for found in _LOWERCASE_AFTER_TITLE.finditer(text):
        yield from (Identifier("name", *found.span(group)) for group in (1, 2) if found[group])


def find_given_names(text: str) -> Iterator[Identifier]:
    """Common given names, and the capitalised word after one."""
    surname = re.compile(rf" (?:[A-Z]\. )?({_NAME_PART})")
    for found in _CAPITALIZED_WORD.finditer(text):
        bare = strip_possessive(found.group())
        if bare not in GIVEN_NAMES or _MEDICAL_NOUN_BEHIND.match(text, found.end()):
            continue
        after = surname.match(text, found.end()) if bare == found.group() else None
        named = after is not None and after[1] not in NOT_NAMES and len(after[1]) > 2
        yield Identifier("name", found.start(), after.end() if after and named else found.start() + len(bare))


_CHAT_WRITER = re.compile(
    r"(?m)^\[?\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4},? \d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[APap]\.?[Mm]\.?)?\]?(?: ?[-–])? ([^:\n]{2,40}):"
)


def find_chat_writers(text: str) -> Iterator[Identifier]:
    """Who wrote each message of a chat that was saved as a text."""
    for found in _CHAT_WRITER.finditer(text):
        yield Identifier("name", *found.span(1))


_SIGNING_ROLE = LABEL_WORDS["signing role"]
_INITIALS = (
    re.compile(
        rf"(?i:\b(?:{_SIGNING_ROLE}))(?i: by)?[:,]? ((?!\w*[a-z])[{_UPPER_CASE}]{{2,3}})(?=[.,;)\n]| on | at | \d|\s*$)"
    ),
    re.compile(rf"\b(?:[Bb]y|BY) ([{_UPPER_CASE}]{{2,3}})(?=[.,;)\n]| on | at |\s*$)"),
    re.compile(
        rf"(?i:\b(?:crew|nurse|rn|hca|scribe|initials))[: ]{{1,2}}([{_UPPER_CASE}]{{2,3}}(?:/[{_UPPER_CASE}]{{2,3}})?)(?=[.,;)\n]|\s*$)"
    ),
)
_ACRONYMS = word_set("""
    PE CT MI HR BP RR OD OS OU PO IV IM SC PT OT GP ED ER OR RN MD NP PA TB MS DM AF HF UC CF RA OA ET ICU ITU CCU
    GPS EMS SHO US XR MR GI GU LP NG NJ OK AM PM NHS WHO FDA CDC BD TDS QDS PRN STAT NAD FY PCP ENT OBS CXR ECG EKG
    MRI HPC SOB LMP EDD HCA CNA MA PAS EMT SW SN SSN MOM DAD MUM LAB PCR HPLC ELISA CBC FBC MDT
""")


def find_initials(text: str) -> Iterator[Identifier]:
    """Two or three capitals that sign, or behind a word for what somebody did."""
    for pattern in _INITIALS:
        for found in pattern.finditer(text):
            if found[1] not in _ACRONYMS:
                yield Identifier("name", *found.span(1))


def find_repeated_names(text: str, names: Sequence[Identifier]) -> Iterator[Identifier]:
    """Each word of a name wherever else it stands."""
    known: set[str] = set()
    for _, start, end in names:
        known |= {strip_possessive(word) for word in _CAPITALIZED_WORD.findall(text[start:end]) if len(word) > 2}
    known |= {word.title() for word in known if word.isupper()} | {word.upper() for word in known}
    known = {word for word in known if word.title() not in NOT_NAMES}
    for found in _CAPITALIZED_WORD.finditer(text) if known else ():
        bare = strip_possessive(found.group())
        if bare in known and not (bare in EPONYMS and _MEDICAL_NOUN_BEHIND.match(text, found.end())):
            yield Identifier("name", found.start(), found.start() + len(bare))


def find_certain_given_names(text: str, is_surely_given: Callable[[str], bool]) -> Iterator[Identifier]:
    """Capitalised words that are given names and no words of a language, of medicine or of a map."""
    for found in _CAPITALIZED_WORD.finditer(text):
        bare = strip_possessive(found.group())
        if (
            len(bare) > 3
            and not bare.isupper()
            and is_surely_given(bare)
            and bare not in NOT_NAMES | EPONYMS
            and text[found.start() - 1 : found.start()] != "-"
            and not re.match(
                r"[-‐]|\s?\d| [A-Z]?\d|['’]?s? (?:disease|syndrome)",
                text[found.start() + len(bare) : found.start() + len(bare) + 24],
            )
            and not _MEDICAL_NOUN_BEHIND.match(text, found.end())
        ):
            yield Identifier("name", found.start(), found.start() + len(bare))
