"""Who a text is about: what names a person or leads to one, found by rules, so that it can be masked.

The kinds follow the 18 of the Safe Harbor method (45 CFR 164.514(b)(2)), as far as they stand in text: faces and
fingerprints do not. Doses, laboratory values, eponyms and years stay.

Rules miss names that nothing announces ("Ngozi feels better"), streets and places without a number or "lives in",
and whatever a person can be known by that is no identifier. A masked text is safer, never anonymous.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from wellsourced.text.names import COUNTRIES, EPONYMS, GIVEN, NO_NAMES

Kind = Literal[
    "name", "address", "postcode", "date", "age", "phone", "email", "ssn", "record", "account", "device", "url", "ip"
]
"""`record`: of a patient, a chart, a case, an insurance; `account`: of a bank, a licence, a passport, a car."""


class Identifier(NamedTuple):
    """What identifies, and where: half-open, in code points."""

    kind: Kind
    start: int
    end: int


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|janvier|février|mars|avril|mai|juin"
    r"|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre"
    r"|octubre|noviembre|diciembre|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\b\.?"
)
_UNIT = r"(?!\s*(?:mg|mcg|µg|g\b|ml|mL|units?|IU|%|mm|kg|/\s*\d|-\d))"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_OF_A_PAPER = r"(?! (?:update|guidelines?|edition|version|statement|revision|issue|consensus))"
_NUMBER = r"(?:\s*(?:no|nr|number|num|id|#)\b\.?|\s*#)?\s*[:#=]?\s*(?:is\s+)?"
_CODE = (
    r"(?!(?:19|20)\d\d\b(?!-\d))(?=[A-Z0-9/-]*\d)[A-Z0-9](?:[A-Z0-9/-]|\s(?=\d{3,})){2,}[A-Z0-9]\b(?!\s*(?:mg|ml|%))"
)
_KIN = (
    "husband|wife|son|daughter|mother|father|mom|mum|dad|brother|sister|baby|partner|child|friend|grandmother|aunt"
    "|grandfather|uncle|nephew|niece|neighbou?r|boyfriend|girlfriend|cousin|grandson|granddaughter|boy|girl|man|woman"
)
_STATE = (
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|PR|RI|S[CD]|T[NX]|UT|V[AT]"
    "|W[AIVY]"
)
_PART = (
    r"\b(?:[A-ZÀ-ÖØ-Þ](?:[a-zß-ÿ]{1,30}|['’][A-Z][a-z]+|\.)(?:[A-Z][a-zß-ÿ]+)?(?:-[A-Z][a-zß-ÿ]+)?"
    r"|[A-Z]{2,20}(?=,| |$))"
)
_OF = r"(?:van|von|de|der|den|del|da|di|la|le|al|el|bin)"
_FULL = rf"(?:{_OF} ){{0,2}}{_PART}(?:,? (?:{_OF} |al-)*{_PART}){{0,3}}"

_FOUND: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")),
    ("url", re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+[^\s<>\"')\].,;:]")),
    ("device", re.compile(r"\b(?:[0-9A-F]{2}:){5}[0-9A-F]{2}\b")),
    ("ip", re.compile(r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b(?!\.\d)")),
    ("ip", re.compile(r"\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b", re.IGNORECASE)),
    ("ssn", re.compile(r"\b\d{3}-\d{2}-\d{4}\b")),
    ("date", re.compile(rf"\b{_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}\b")),
    ("date", re.compile(rf"\b{_DAY}([/-]){_DAY}\1(?:{_YEAR}|\d\d)\b{_UNIT}")),
    ("date", re.compile(rf"\b{_DAY}\.\s?(?:0?[1-9]|1[0-2])\.\s?{_YEAR}\b|\b\d\d\.(?:0[1-9]|1[0-2])\.\d\d\b(?!\.)")),
    (
        "date",
        re.compile(
            rf"\b{_DAY}(?:st|nd|rd|th|er|\.)?[ -](?:of |de )?{_MONTH}(?:(?:,? |-| de | del )(?:{_YEAR}|\d\d\b))?"
            rf"{_OF_A_PAPER}"
        ),
    ),
    (
        "date",
        re.compile(rf"\b{_MONTH} {_DAY}(?:st|nd|rd|th)?\b(?![./]\d)(?:,? {_YEAR}\b)?{_UNIT}(?! (?:million|to \d))"),
    ),
    ("date", re.compile(rf"\b{_MONTH},? {_YEAR}\b{_OF_A_PAPER}")),
    (
        "date",
        re.compile(rf"(?:\b(?:seen|admitted|born|discharged|visit|dated|surgery)(?: on)?|DOB:?) ({_DAY}/{_DAY})\b"),
    ),
    (
        "age",
        re.compile(
            r"\b(?:aged?:?|age of|[A-Z][a-z]+,) (9\d|1[01]\d)\b(?! ?(?:%|m[glm]|years? of|patients))"
            r"|(?<!over )(?<!above )(?<!than )(?<![≥>])(?<!beyond )(?<!-)\b(9\d|1[01]\d)"
            r"(?:[ -]years?[ -]old|[ -]?y/?o\b|(?=[MF]\b))"
        ),
    ),
    (
        "record",
        re.compile(
            rf"(?i:\b(?:MRN|medical record|hospital|NHS|CHI|patient|chart|case|file|accession|insurance|policy|member"
            rf"|subscriber|medicare|medicaid|health card|health plan|beneficiary|group|study id){_NUMBER})({_CODE})"
        ),
    ),
    ("record", re.compile(r"\bNHS(?i:\s*(?:no|number)?\.?:?)\s*(\d{3}[ -]?\d{3}[ -]?\d{4})\b")),
    (
        "account",
        re.compile(
            rf"(?i:\b(?:bank account|account|acct|IBAN|driver['’]?s licen[cs]e|licen[cs]e(?: plate)?|passport"
            rf"|certificate|DEA|NPI|credit card|card){_NUMBER})({_CODE})"
        ),
    ),
    (
        "account",
        re.compile(r"(?i:\b(?:plate|registration)(?: (?:no|number))?\.?:?)\s+([A-Z0-9]{2,4}[ -][A-Z0-9]{2,4})\b"),
    ),
    ("device", re.compile(rf"(?i:\b(?:serial|S/N|device id|UDI|device identifier){_NUMBER})({_CODE})")),
    (
        "phone",
        re.compile(
            r"(?i:\b(?:tel|telephone|telefon|téléphone|phone|mobile|cell|fax|call(?: me)?(?: (?:on|at))?)\b\.?:?\s*)"
            r"(\+?\(?\d[\d ().-]{5,16}\d)"
        ),
    ),
    ("phone", re.compile(r"(?<![\w.])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\b")),
    ("phone", re.compile(r"(?<![\w.])\+\d{1,3}[ .-]?\(?\d[\d ().-]{5,14}\d\b")),
    ("phone", re.compile(r"(?<![\w.])0\d{2,4} \d{3,4} ?\d{3,4}\b|(?<![\w.])0\d(?: \d\d){4}\b")),
    (
        "address",
        re.compile(
            r"(?:\b(?:Flat|Apartment|Apt|Unit|Suite)\.? \w+, )?\b\d{1,5}[A-Za-z]? "
            r"(?:[A-Z][\w'’.]+ ){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Boulevard|Blvd|Court"
            r"|Way|Close|Crescent|Place|Square|Terrace|Highway|View|Gardens|Grove|Parkway|Row)\b\.?"
            r"(?:,? (?:Apt|Apartment|Flat|Unit|Suite)\.? ?\w+)?"
        ),
    ),
    ("address", re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+(?:straße|strasse|str\.|weg|platz|allee|gasse) \d{1,4}[a-z]?\b")),
    ("address", re.compile(r"\b\d{1,4},? (?:rue|avenue|boulevard|place) (?:de |du |des |la )*[A-Z]\w+")),
    ("address", re.compile(r"\b(?:Calle|Avenida|Via|Rue) (?:de |la |del )*[A-Z]\w+,? \d{1,4}\b")),
    ("address", re.compile(r"\bP\.? ?O\.? Box \d+")),
    (
        "postcode",
        re.compile(
            rf"\b(?:(?:{_STATE}),? |(?i:zip(?: code)?:? ))(\d{{5}}(?:-\d{{4}})?)\b(?! ?(?:mg|IU|patients|units))"
        ),
    ),
    ("postcode", re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b")),
    ("postcode", re.compile(r"(?<=, )\d{5}(?= [A-ZÄÖÜ][a-zäöüß]+)")),
)

_ANNOUNCED = (
    re.compile(
        rf"\b(?:Mr|Mrs|Ms|(?<![Ww]e )(?<!to )Miss|Mx|Dr|Prof|Professor|Herrn?|Frau|Señora?|Sra?"
        rf"|Monsieur|Madame|Mme|Dame|Nurse|Midwife|Rev|Rabbi|Imam|Captain|Sergeant)\.? ({_FULL})"
    ),
    re.compile(
        rf"\b(?<!drug )(?<!brand )(?<!generic )(?<!trade )(?i:patient(?: name)?|pt(?: name)?|name|surname"
        rf"|forenames?|given name|(?:first|last) name"
        rf"|{_KIN}|next of kin|mother|father|carer|client"
        rf"|consultant|attending|referred by|signed|re|contact|GP|physician)\s*[:=]\s*({_FULL})"
    ),
    re.compile(rf"\b(?:[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|\w{{1,30}}['’]s) (?:full )?name(?:'s| is| was) ({_FULL})"),
    re.compile(rf"\b(?:{_KIN}|patient|client|resident|he|she|is|I'm|am),? (?:is )?(?:called|named) ({_FULL})"),
    re.compile(rf"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er) (?:{_KIN}|patient|client|resident),? ({_FULL})"),
    re.compile(rf"\b(?:(?:Hi|Hello|Hey|Dear \w+),? (?:I'm|I am|this is|it's)|This is|I,) ({_FULL})(?=[,. ])"),
    re.compile(rf"\b(?:I am|I'm|I’m) ({_PART} {_PART})(?=[,.;) ])"),
    re.compile(r"\b(?:[Pp]atient|[Pp]t\.?|[Mm]rs?\.?) ((?:[A-Z]\.\s?){1,3})"),
    re.compile(
        rf"({_PART},? {_PART}(?: {_PART})?),? (?:is |was |an? )*"
        rf"(?:\(?(?:DOB|born|MRN|NHS|SSN)\b|\(?\d{{1,3}}[ -]?(?:year|y/?o|yo|[MF]\b))"
    ),
    re.compile(rf"\b[Pp]assport [^.]*\bname ({_FULL})|\bname ({_FULL})"),
    re.compile(rf"\b(?:[Pp]atient|[Pp]t) ({_FULL})(?= (?:MRN|DOB|was|is|has|himself|herself|presented))"),
)
_SMALL = re.compile(rf"\b(?:my|our|his|her) (?:{_KIN}),? ([a-z]{{3,}})\b")
"""A given name after a word of kinship, in small letters: people type so."""
_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’À-ÿ]*(?:-[A-Z][\w]*)?")
_OF_MEDICINE = re.compile(
    r"['’]?s? (?:disease|syndrome|sign|score|criteria|phenomenon|test|lymphoma|palsy|murmur|wort)"
)
_SAINT = re.compile(r"\b(?:St|Saint)\.? $")
_LIVES = re.compile(r"\b(?:lives?|living|resid(?:es?|ing)) in ([A-Z][a-zß-ÿ]+(?: [A-Z][a-zß-ÿ]+)?)")


def identifiers(text: str) -> list[Identifier]:
    """Every identifier that the rules find, in order, none within another.

    A name that is found once ("Mrs Okafor") is found wherever it stands, also without its title.
    """
    return _apart((*_by_pattern(text), *_places(text), *_names(text)))


def masked(text: str) -> str:
    """The text with each identifier replaced by its kind: "[NAME]", "[DATE]" …; a masked text stays as it is."""
    parts, end = [], 0
    for found in identifiers(text):
        parts += [text[end : found.start], f"[{found.kind.upper()}]"]
        end = found.end
    return "".join((*parts, text[end:]))


def _by_pattern(text: str) -> Iterator[Identifier]:
    for kind, pattern in _FOUND:
        for found in pattern.finditer(text):
            group = next((at for at in range(1, (found.re.groups or 0) + 1) if found[at] and len(found[at]) > 1), 0)
            start, end = found.span(group)
            yield Identifier(kind, start, end)


def _places(text: str) -> Iterator[Identifier]:
    for found in _LIVES.finditer(text):
        if found[1].split()[0] not in COUNTRIES | NO_NAMES:
            yield Identifier("address", *found.span(1))


def _names(text: str) -> Iterator[Identifier]:
    for found in _SMALL.finditer(text):
        if found[1].title() in GIVEN:
            yield Identifier("name", *found.span(1))
    known: set[str] = set()
    for start, end in (*_announced(text), *_given(text)):
        yield Identifier("name", start, end)
        known |= {word for word in _CAPITAL.findall(text[start:end]) if len(word) > 2}
    known |= {word.title() for word in known if word.isupper()}
    known -= NO_NAMES
    for found in _CAPITAL.finditer(text) if known else ():
        bare = re.split(r"['’]s?$", found.group())[0]
        if bare in known and not (bare in EPONYMS and _OF_MEDICINE.match(text, found.end())):
            yield Identifier("name", found.start(), found.start() + len(bare))


def _announced(text: str) -> Iterator[tuple[int, int]]:
    """Names that a title, a label or a phrase comes before, cut where words begin that are no names."""
    for pattern in _ANNOUNCED:
        for found in pattern.finditer(text):
            group = next(at for at in range(1, pattern.groups + 1) if found[at])
            yield from _cut(text, *found.span(group), titled=pattern is _ANNOUNCED[0])


def _cut(text: str, start: int, end: int, *, titled: bool) -> Iterator[tuple[int, int]]:
    last = start
    for word in _CAPITAL.finditer(text, start, end):
        bare = word.group().removesuffix("'s").removesuffix("’s")
        initial = len(bare) == 1 and text[word.end() : word.end() + 1] == "."
        if (bare in NO_NAMES and not initial) or (bare in EPONYMS and not titled):
            break
        last = word.start() + len(bare) + initial
    if last > start:
        yield start, last


def _given(text: str) -> Iterator[tuple[int, int]]:
    """Common given names, and the capitalised word after one."""
    for found in _CAPITAL.finditer(text):
        bare = found.group().removesuffix("'s").removesuffix("’s")
        if (
            bare not in GIVEN
            or _SAINT.search(text[max(0, found.start() - 7) : found.start()])
            or _OF_MEDICINE.match(text, found.end())
        ):
            continue
        after = re.compile(rf" (?:[A-Z]\. )?({_PART})").match(text, found.end()) if bare == found.group() else None
        surname = after is not None and after[1] not in NO_NAMES and len(after[1]) > 2
        yield found.start(), after.end() if after is not None and surname else found.start() + len(bare)


def _apart(found: Iterable[Identifier]) -> list[Identifier]:
    """In order of place; of those that overlap the one that begins first, then the longest."""
    kept: list[Identifier] = []
    for one in sorted(set(found), key=lambda each: (each.start, -each.end, each.kind)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end > kept[-1].end:
            kept[-1] = kept[-1]._replace(end=one.end)
    return kept
