# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Numbers that lead to a person: of records, insurances, papers, licences, accounts, devices and telephones; and
addresses of the network.

A label says what a number is in some thirty languages and systems; a number of many digits that nothing explains is
taken for one, too. Numbers of trials, papers, genes, codes and amounts stay.
"""

import re
from collections.abc import Iterator

from wellsourced.deidentification.identifiers import (
    EMAIL_RULE,
    LABEL_WORDS,
    US_SSN_RULE,
    Identifier,
    IdentifierKind,
    IdentifierRule,
    apply_rules,
)

_NUMBER_NOUN = (
    r"(?:[ -]?(?:no|nr|n[º°]|num(?:ber)?|núm(?:ero)?|numero|número|nummer|numer|id|code|ref(?:erence)?|card|kort|pin)\b\.?)?"
    r"\s{0,2}[#№]?\s{0,2}[:=#.]{0,2}\s{0,2}(?:is\s+)?"
)
_CODE = (
    r"(?!(?:19|20)\d\d\b(?![-/]\d))(?=[A-Za-z0-9/.()-]{0,12}?[ ]?[\dOl]{2})"
    r"((?:[A-Z]{1,4} )?[A-Z0-9][A-Za-z0-9]{0,24}(?:[-/.][A-Za-z0-9]{1,16}|\s\d{3,16}|\s\d{2}(?= \d)|(?<=\d)\s\d{1,4}(?![\d./]| ?[a-z])){0,6}(?:-[A-Z0-9])?(?:\([A-Z0-9]\))?(?:\s[A-Z]{1,2}\b(?=[\s,.;)]))?)"
    r"(?![\w])(?!\s*(?:mg|ml|%|mmol|mcg|kg|cm|bpm))"
)
"""A number with at least two digits together, its parts joined by marks or spaces."""

_RECORD_LABELS = LABEL_WORDS["record"]
_ACCOUNT_LABELS = LABEL_WORDS["account"]
_PERSONAL_LABELS = LABEL_WORDS["personal number"]
_DEVICE_LABELS = LABEL_WORDS["device"]
_LABELS_BY_KIND: tuple[tuple[IdentifierKind, str], ...] = (
    ("record", _RECORD_LABELS),
    ("account", _ACCOUNT_LABELS),
    ("ssn", _PERSONAL_LABELS),
    ("device", _DEVICE_LABELS),
)
_LABEL_RULES = tuple(
    IdentifierRule(kind, re.compile(rf"(?<![\w])((?i:(?:{labels})(?![A-Za-z]){_NUMBER_NOUN})){_CODE}"))
    for kind, labels in _LABELS_BY_KIND
)
_LICENCE_PLATE = re.compile(
    r"(?i:\b(?:plate|registration|rego|reg|targa|Kennzeichen|placa|matr[íi]cula|kenteken|tablica)(?: (?:no|nr|number))?\.?:?)\s{1,2}([A-ZÄÖÜ0-9]{1,4}[ -][A-Z0-9]{1,4}(?:[ -][A-Z0-9]{1,4})?)\b"
)

_FORM_RULES = (
    US_SSN_RULE,
    IdentifierRule("ssn", re.compile(r"\b[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]\b|\b\d{3}\.\d{3}\.\d{3}-\d\d\b|\b[XYZ]-?\d{7}-?[A-Z]\b|\b\d{8}-?[A-Z]\b")),
    IdentifierRule("ssn", re.compile(r"\b[A-Z]{4}\d{6}[HM][A-Z]{5}\w\d\b|\b[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]\b|\b(?:19|20)?\d{6}[-+]\d{4}\b(?!-)")),
    IdentifierRule("account", re.compile(r"\b[A-Z]{2}\d\d ?[A-Z]{3}\b(?! ?\d)")),
    IdentifierRule("account", re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")),

)  # fmt: skip

_LONG_NUMBER = re.compile(r"(?<![\w.,/#+-])\d{6,20}(?![\w]|[.,]\d|[/-]\w)")
_GROUPED_NUMBER = re.compile(r"(?<![\w.,/+])\(?\d{1,5}\)?(?:[ .-]\d{2,8}){1,7}(?![\w%]|[.,]\d|[-/]\w)")
_MIXED_CODE = re.compile(
    r"(?<![\w.,/+:])(?=[A-Z0-9/.-]{0,24}\d{3})[A-Z0-9]{1,14}(?:[-/.][A-Z0-9]{1,14}){0,4}(?:\([A-Z0-9]\))?(?![\w]|[-/.]\w)"
)
_SCIENTIFIC_LABEL = re.compile(
    r"(?i:(?:PMID|PMCID|PMC|NCT|DOI|ISRCTN|EudraCT|ChEMBL|OMIM|MIM|CUI|UMLS|SNOMED(?: CT)?|RxNorm|LOINC|ATC|GSE|MeSH|CAS|ISBN|ISSN|CTRI|ACTRN|UMIN"
    r"|BI|SB|GSK|PF|AZD|MK|BMS|LY|RO|AMG|TAK|ONO|ABT|JNJ|DrugBank|ORPHA|ORDO|HGNC|Entrez|CRD|catalog(?:ue)?|cat|trial|registration|registered|grant|award|patent|protocol|clinicaltrials\.gov|version|EC|RRID|dbSNP|Nappi|tariff|GOÄ|BIN|code|lot|batch|CPT|LOINC|ICD|OPCS|HCPCS|ISO|IEC"
    r"|registry|register|DRKS|NTR|ChiCTR|jRCT|identifier|position|bp|hotline|helpline)[\s:#.()n°oº,-]{0,6})$"
)
_AMOUNT = re.compile(
    r"\s?(?:mg|mcg|µg|g\b|ml|mL|units?|IU|U\b|%|mm|kg|cm|cells?|copies|platelets|/|×|x10|patients|people|persons|women|men|children|deaths|cases|adults|births"
    r"|participants|individuals|dollars|euros?|naira|USD|EUR|years?|subjects|base|bp\b|nucleotides|residents|inhabitants|per\b|person|per cent|million|members|veterans|visits|admissions|households|records|infants|live|genes|SNPs|reads|CFU|IE\b|UI\b)",
)
_SCIENTIFIC_CODE = re.compile(
    r"(?:NCT|PMC|PMID|ISRCTN|CHEMBL|GSE|GSM|SRR|SRP|ENS[GTP]|DRKS|ACTRN|UMIN|CTRI|JRCT|CRD|CD|MIM|OMIM|HP|GO|DOID|MONDO|CVCL|NM|NP|XM|RS|ORPHA|NTR|HGNC|KCT|CAS|EU|COVID|SARS|ICD|NG|TA|CG|KIAA|FLJ|LOC|ISO|IEC|EN|MK|BAY|AMG|ABT|GSK|PF|LY|BMS|RO|SB|AZD|MDL|SCH|CP|DAPA|CHA|HBA|ECOG|TNM|HLA|CYP|IL|CD|MIR|UK|US|C|D|MA|PD|RG|SAR|TAK|JNJ|ONO|LCZ|CI|PSI|LP|WO|NOM|RDC|DIN|ASTM|ATCC|HEK)-?\d"
)
_MEASURE = re.compile(
    r"[<>]?\d{0,4}\.\d{1,2}(?:-\d{0,4}\.?\d{1,4})?|\d{1,3}[-/]\d{1,3}(?:\.\d)?|[A-Z]{1,3}\d{1,2}\.\d{1,2}|[A-Z]\d\d\.[0-9A-Z]{1,4}|G\d+P\d+\w*"
)
"""Intervals, ranges, ratios, codes of diseases, pregnancies and births."""

_PLAIN_NUMBER_OR_STRENGTH = re.compile(
    r"[\d.]+|\d+-\d+|(?:\d{1,3}/){2}\d{1,3}|\d{1,8}/\d{1,4}|[\d/-]*\d{1,3}(?:MG|ML|MCG|G|H)"
)
_YEARS = re.compile(r"\(?(?:19|20)\d\d\)?(?:[ .-](?:19|20)\d\d)*$")
MIN_LABELLED_DIGITS = 4
"""Digits from which a number behind a label is somebody's."""

MIN_GROUPED_DIGITS = 9
"""Digits from which a number in groups is taken for somebody's."""


def find_record_numbers(text: str) -> Iterator[Identifier]:
    """Numbers that a label, a form or their length gives away."""
    yield from apply_rules(text, (*_FORM_RULES, IdentifierRule("account", _LICENCE_PLATE)))
    for kind, pattern in _LABEL_RULES:
        for found in pattern.finditer(text):
            if _is_record_number(found[2]) and not _is_scientific_or_amount(text, found.start(2), found.end(2)):
                yield Identifier(kind, *found.span(2))
    yield from _find_unlabelled_numbers(text)


def _is_record_number(code: str) -> bool:
    first = re.split(r"[\s/.-]", code)[0]
    if (
        _MEASURE.fullmatch(code)
        or code.startswith(("ISO ", "IEC "))
        or (first.isalpha() and not (first.isupper() and len(first) < 6))
    ):
        return False
    return sum(letter.isdigit() or letter in "Ol" for letter in code) >= MIN_LABELLED_DIGITS


def _find_unlabelled_numbers(text: str) -> Iterator[Identifier]:
    for pattern, is_somebodys in (
        (_LONG_NUMBER, _is_long_number),
        (_GROUPED_NUMBER, _is_grouped_number),
        (_MIXED_CODE, _is_mixed_code),
    ):
        for found in pattern.finditer(text):
            if is_somebodys(found) and not _is_scientific_or_amount(text, *found.span()):
                yield Identifier("record", *found.span())


def _is_long_number(found: re.Match[str]) -> bool:
    """Whether digits in a row are not round."""
    number = found.group()
    return not (number.endswith("000") or (len(number) < 8 and number.endswith("00")))


_PHONE_LABEL = (
    r"(?i:\b(?:tel[eé]?(?:phone|fon|fono|fone|foon|f)?|t[eé]l|tlf|tfno|tlm|phone|ph|mob(?:ile)?|m[óo]vil|cel(?:l|ular)?|fax|handy"
    r"|whatsapp|pager|bleep|ext|callback|call(?: me)?(?: (?:on|at))?|nok|contact|cp#|cp|gsm|numer tel|telefone?)\b\.?(?: ?(?:no|number|nr|n[º°])\b\.?)?"
    r"[:#.]{0,2}\s{0,3})"
)

_CONTACT_RULES = (
    EMAIL_RULE,
    IdentifierRule("url", re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+[^\s<>\"')\].,;:]")),
    IdentifierRule("url", re.compile(r"(?i:\b(?:twitter|insta(?:gram)?|ig|facebook|fb|tiktok|snap(?:chat)?|telegram|skype|handle|username|user))[: ]{1,2}(@?[\w.]*[\d_.@][\w.]{2,})")),
    IdentifierRule("url", re.compile(r"(?<![\w@.])@[A-Za-z][\w.]{2,30}\b(?! \d)")),
    IdentifierRule("device", re.compile(r"(?i:\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b)")),
    IdentifierRule("ip", re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b(?!\.\d)")),
    IdentifierRule("ip", re.compile(r"(?<![\w:])(?=[0-9a-fA-F:]*\d)(?:[0-9a-fA-F]{1,4}:){3,7}(?::?[0-9a-fA-F]{1,4})(?::[0-9a-fA-F]{1,4}){0,4}\b(?![\w:])")),
    IdentifierRule("ip", re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){1,6}(?::[0-9a-fA-F]{1,4}){1,6}(?![\w:])")),
    IdentifierRule("phone", re.compile(_PHONE_LABEL + r"(\+?\(?[\dOl]{1,5}\)?(?:[ .()/-]{0,2}[\dOl]){3,14})(?![\w])")),
    IdentifierRule("phone", re.compile(r"(?<![\w.])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\b")),
    IdentifierRule("phone", re.compile(r"(?<![\w.])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?(?:\d[ ().-]{0,2}){5,13}\d\b")),
    IdentifierRule("phone", re.compile(r"(?<![\w.])0\d{2,4}[ -]\d{3,4}[ -]?\d{3,4}\b|(?<![\w.])0\d(?:[ .]\d\d){4}\b|(?<![\w.])\(0\d{1,4}\) ?\d{3,4} ?\d{3,4}\b")),
    IdentifierRule("phone", re.compile(r"(?<![\w])x(\d{4,5})\b(?! ?(?:mg|ml|days))")),
)  # fmt: skip
_FREE_NUMBER = re.compile(r"\(?(?:\+?1[-. (]{1,2})?(?:0?800|0?808|88[878]|877|866|855|844|833|116)\b")
"""Numbers that anyone calls free of charge are nobody's."""

_EMERGENCY_NUMBER = re.compile(r"(?:\D*(?:911|999|112|111|988|000|2222|3333)\D*)$")


def find_contacts(text: str) -> Iterator[Identifier]:
    """Numbers, names and addresses under which somebody can be reached; not those of help lines."""
    for one in apply_rules(text, _CONTACT_RULES):
        if one.kind != "phone" or not is_help_line(text[one.start : one.end]):
            yield one


def is_help_line(number: str) -> bool:
    """Whether anyone may call a number: free of charge, or in an emergency."""
    return bool(_FREE_NUMBER.match(number) or _EMERGENCY_NUMBER.match(number))


def _is_grouped_number(found: re.Match[str]) -> bool:
    """Whether digits in groups are no round number, decimal, years, or a number that anyone may call."""
    number = found.group()
    is_decimal = re.search(r"\d\.\d{1,2}(?:\D|$)", number) and number.count(".") == 1
    return (
        sum(map(str.isdigit, number)) >= MIN_GROUPED_DIGITS
        and re.search(r"\d{3}", number) is not None
        and not (is_decimal or number.endswith(("000", "00 00")) or _YEARS.match(number) or is_help_line(number))
    )


def _is_mixed_code(found: re.Match[str]) -> bool:
    """Whether digits with letters or marks are no measure, and no code of science."""
    code = found.group()
    digits, has_letters = sum(map(str.isdigit, code)), any(map(str.isalpha, code))
    marks = sum(map(code.count, "-/."))
    return (
        digits >= 5
        and (has_letters or marks >= 2 or (marks > 0 and digits >= MIN_GROUPED_DIGITS))
        and not (is_help_line(code) or _MEASURE.fullmatch(code) or _SCIENTIFIC_CODE.match(code))
        and not _PLAIN_NUMBER_OR_STRENGTH.fullmatch(code)
    )


def _is_scientific_or_amount(text: str, start: int, end: int) -> bool:
    """Whether what stands before or behind says that a number is of science, or an amount."""
    said = _SCIENTIFIC_LABEL.search(text[max(0, start - 30) : start])
    return bool(said or _AMOUNT.match(text, end))
