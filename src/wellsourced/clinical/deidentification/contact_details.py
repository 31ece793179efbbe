# ruff: noqa: E501 - tables of forms are easier to read a line each
"""Telephones, mail, addresses of the network and handles."""

import re
from collections.abc import Iterator

from wellsourced.clinical.deidentification.identifiers import EMAIL_RULE, Identifier, IdentifierRule, apply_rules

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
