# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Dates that identify: days, months with a year, in the forms and languages in which notes give them; ages from 90."""

import re
from collections.abc import Iterator

from wellsourced.clinical.deidentification.identifiers import LABEL_WORDS, Identifier, IdentifierRule, apply_rules
from wellsourced.text.dates import MONTH_ABBREVIATIONS, MONTH_NAMES

_MONTHS = LABEL_WORDS["month"]
_MONTH = rf"(?i:{_MONTHS})\b\.?"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_NO_UNIT_BEHIND = r"(?!\s*(?:mg|mcg|µg|g\b|ml|mL|units?|IU|%|mm|kg|cm|/\s*\d|-\d))"
_NO_EDITION_BEHIND = r"(?! (?:update|guidelines?|edition|version|statement|revision|issue|consensus))"
_DATE_WORDS = LABEL_WORDS["word before a date"]
_WEEKDAY = (
    r"(?:(?i:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?i:day)?,?|(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo),?)"
)
_NO_COUNT_BEHIND = (
    r"(?!\s?(?:of\b|tablets?|tabs?\b|occasions|cases|patients|strength|way\b|times|days|hours|weeks|months|h\b|criteria|positive"
    r"|to \d{1,2}/\d|points?|score|pain|doses?|teeth|limbs?))"
)

_DATE_PATTERNS = (
    re.compile(rf"\b{_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}(?!\d)"),
    re.compile(rf"\b{_DAY}([/-]){_DAY}\1(?:{_YEAR}|\d\d)(?!\w){_NO_UNIT_BEHIND}"),
    re.compile(rf"\b{_DAY}\.\s?{_MONTH_NUMBER}\.\s?{_YEAR}\b|\b{_DAY}\.{_MONTH_NUMBER}\.\d\d\b(?![.,]?\d)"),
    re.compile(rf"\b{_DAY}([-/. ])(?:{_MONTH}|(?i:ago|out|set|ene|gen|mag|giu|lug))\1(?:{_YEAR}|\d\d)\b"),
    re.compile(rf"\b{_YEAR}[-/ ]{_MONTH}[-/ ]{_DAY}\b"),
    re.compile(
        rf"(?<![\w.,])(?:{_WEEKDAY} )?(?:the )?{_DAY}(?:st|nd|rd|th|er|ste|de|e|º|ª|\.)?[ -](?:of |de |d')?{_MONTH}(?:(?:,? |-| de | del |/)(?:{_YEAR}|\d\d\b))?"
        rf"{_NO_EDITION_BEHIND}{_NO_UNIT_BEHIND}"
    ),
    re.compile(
        rf"\b{_MONTH} (?:the )?{_DAY}(?:st|nd|rd|th)?\b(?![./:]\d)(?:,? {_YEAR}\b)?{_NO_UNIT_BEHIND}(?! (?:million|to \d|patients|cases))"
    ),
    re.compile(rf"\b{_MONTH},? (?:de )?{_YEAR}\b{_NO_EDITION_BEHIND}"),
)
_MONTH_FIRST, _MONTH_AND_YEAR = _DATE_PATTERNS[6], _DATE_PATTERNS[7]
_MONTH_OR_VERB = re.compile(r"(?:may|mar|mars|set|out|dec|gen|ago|mag|mai|lug|apr|sun|do) ", re.IGNORECASE)
"""Small letters that are a word oftener than a month: "may 5", "set 3"."""

_MONTH_ENDS_SENTENCE = re.compile(rf"(?i:{'|'.join(MONTH_NAMES)})\. ?\d")
"""A sentence that ends with a month, and a number that begins another."""

_BARE_DAY_AND_MONTH = re.compile(
    rf"(?<![\w/.,<>=-])(?<!BP )(?<!TA )(?<!RR )(?<!GCS )(?<!PCV )(?<!PAP )(?<!PS )(?<!SIMV )(?<!score )((?:1[3-9]|2\d|3[01])/(?:0?[1-689]|11))(?![\w/%-]|[.,]\d){_NO_UNIT_BEHIND}{_NO_COUNT_BEHIND}"
)
"""A day and a month that nothing announces: no days of seven, no points of ten, no months of twelve."""

_DATE_WORD_BEFORE = re.compile(r"(?i:\b(?:due|on|since|until|till|from|by|was|born|around)(?: the)? )$")

_PARTIAL_DATE_PATTERNS = (
    re.compile(
        rf"(?i:(?<![\w/])(?:{_DATE_WORDS})(?: the)?[: ]{{1,2}})({_DAY}/{_DAY})(?![\d/])(?!\d){_NO_UNIT_BEHIND}{_NO_COUNT_BEHIND}"
    ),
    re.compile(rf"(?i:(?<![\w])(?:{_DATE_WORDS})[: ]{{1,2}})({_DAY}\.{_MONTH_NUMBER}\.)(?!\d)"),
    re.compile(rf"\b(?:{_WEEKDAY}) (?:the )?(?:{_DAY}(?:st|nd|rd|th)|{_DAY}[/.]{_MONTH_NUMBER}\.?)(?![\w/])"),
    re.compile(
        r"(?i:\b(?:on|since|until|till|by|from|before|after|operated)(?: on)?) ((?:the )?(?:[12]?\d|3[01])(?:st|nd|rd|th)"
        r" of (?:this|last|next) month|(?:the )?(?:[12]?\d|3[01])(?:st|nd|rd|th))(?=[,.;)\n]|$| at | and | with )"
    ),
    re.compile(
        r"\b((?:Christmas|Boxing|New Year[’']?s|Easter|Whit|Good|Ash|Thanksgiving) (?:Day|Eve|Sunday|Monday|Friday|Wednesday))\b"
    ),
    re.compile(r"(?i:\b(?:dob|d\.o\.b\.?|date|born|geb\.|né(?:e)? le)[: ]{1,3})(\d{8}|\d{6})(?!\d)"),
)
_AGE_UNITS = r"[ -]?(?:years?|yrs?|y)[ -]?(?:old|o\b)|[ -]?y/?o\b|[ -]?y\.o\.|[ -]?yrs?\b|(?=[MF]\b)|-jährig|-?jarige|-letni| Jahre\b| ans\b| años\b| anni\b| anos\b| jaar\b| lat\b| år\b| yaş"
_AGE_PATTERNS = (
    re.compile(r"\b(?:(?i:aged?|alter|edad|idade|età|leeftijd|wiek|ålder)(?:/sex)?\s*:?|age of|[A-Z][a-z]+,) ?(9\d|1[01]\d)\b(?! ?(?:%|m[glm]|m[LM]|M[LG]|k[Vg]|cc|cm|IU|bpm|years? of|patients|to\b|-))"),
    re.compile(rf"(?<!over )(?<!above )(?<!than )(?<![≥>])(?<!beyond )(?<!-)(?<!/)\b(9\d|1[01]\d)(?:{_AGE_UNITS})(?! (?:or|and) (?:older|over|above))"),
    re.compile(r"(?i:\b(?:died|passed(?: away)?|death|dead|décédée? à|gestorben mit) (?:at|aged?)?) ?(9\d|10\d)\b(?! ?(?:%|days|weeks|months))"),
    re.compile(r"(?i:\b(?:she|he)(?:[’']?s| is| was| turned| just turned)) (9\d|10\d)\b(?! ?(?:%|kg|cm|mg|lb|on |over))"),
    re.compile(r"\((9\d|10\d)(?: ?[MFmf]|!*)\)"),
)  # fmt: skip
_STUDY_WORD = re.compile(
    r"(?i:\b(?:patients|participants|studies|articles|trials|subjects|databases?|enrolled|women|children|infants|cohort|literature"
    r"|searched|data|retrospective(?:ly)?|cases|consecutive|hospitals|published|registry|volunteers|men|samples|survey)\b)"
)
_DOCUMENT_WORD_BEFORE = re.compile(
    r"(?:(?i:\b(?:rev(?:ised|ision)?|version|v ?\d+(?:\.\d+)?|updated?|edition|guidelines?|leaflet|form|copyright|valid|exp(?:iry|ires)?|template|protocol|policy"
    r"|approved|issued?|pathway|bnf|formulary|standard|recommendations?|statement|alert|bulletin|expired?|published|effective)\b[^\n]{0,28}"
    r"|©[^\n]{0,28})|\b(?:NICE|SIGN|NG\d{1,3}|MHRA|FDA|EMA|WHO|CDC|JCVI|ACIP|USPSTF|ESC|AHA|GINA|GOLD|KDIGO|ADA|BTS|BNF|RCOG|ACOG)\b[^\n]{0,16}|(?i:in line with|according to|as per|per) [A-Z]{2,6} )$"
)
_STUDY_WORD_WINDOW = 160


_COMPACT_DATE = re.compile(rf"\b{_DAY}(?i:{'|'.join(MONTH_ABBREVIATIONS)})(?:{_YEAR}|\d\d)\b")
"""As systems print a day: "02Mar25"."""

_PARTIAL_DATE_RULES = tuple(
    IdentifierRule("date", pattern) for pattern in (*_PARTIAL_DATE_PATTERNS, _BARE_DAY_AND_MONTH, _COMPACT_DATE)
)


def find_dates(text: str) -> Iterator[Identifier]:
    """Days and months with a year. The months in which a study ran are no patient's."""
    for pattern in _DATE_PATTERNS:
        yield from (Identifier("date", *found.span()) for found in pattern.finditer(text) if _is_of_somebody(found))
    yield from apply_rules(text, _PARTIAL_DATE_RULES)


def _is_of_somebody(found: re.Match[str]) -> bool:
    """Whether a date is none of a document or a study, and no other word than a month."""
    text, start = found.string, found.start()
    if _MONTH_ENDS_SENTENCE.match(found.group()):
        return False
    if found.re is _MONTH_FIRST and _MONTH_OR_VERB.match(found.group()) and not _is_certain_date(found.group()):
        return _DATE_WORD_BEFORE.search(text[max(0, start - 12) : start]) is not None
    if found.re is _MONTH_AND_YEAR:
        around = text[max(0, start - _STUDY_WORD_WINDOW) : found.end() + _STUDY_WORD_WINDOW]
        return not (_DOCUMENT_WORD_BEFORE.search(text[max(0, start - 40) : start]) or _STUDY_WORD.search(around))
    return True


def _is_certain_date(words: str) -> bool:
    return bool(re.search(r"(?:st|nd|rd|th)\b|(?:19|20)\d\d$", words)) or (
        words[0].isupper() and not words[:3].isupper()
    )


def find_ages(text: str) -> Iterator[Identifier]:
    """Ages from 90."""
    return apply_rules(text, [IdentifierRule("age", pattern) for pattern in _AGE_PATTERNS])
