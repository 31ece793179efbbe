"""Hand-written clinical texts in which invented people are put: those with slots, and marked notes made into such.

A slot is "{KIND}" with an optional number (the same number is the same person) and an optional "^" (all capitals);
in small letters it is filled in small letters. What stands outside of slots identifies nobody.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wellsourced_evaluate.training.deidentification.people import People

LOCALES = {
    "de": ("de_DE", "de_AT", "de_CH"),
    "es": ("es_ES", "es_MX", "es_CO", "es_AR"),
    "fr": ("fr_FR", "fr_BE", "fr_CA"),
    "it": ("it_IT",),
    "pt": ("pt_BR", "pt_PT"),
    "nl": ("nl_NL", "nl_BE"),
    "pl": ("pl_PL",),
    "sv": ("sv_SE", "da_DK", "no_NO", "fi_FI"),
    "da": ("da_DK", "no_NO"),
    "no": ("no_NO", "da_DK"),
    "fi": ("fi_FI",),
    "tr": ("tr_TR",),
}
"""Locales that people of a text are drawn from mostly, by its language."""

_SLOT = re.compile(r"\{([A-Za-z_]+?(?:90)?)(\^?)_?(\d*)(\^?)\}")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PARTICLE = re.compile(
    r"(?i:van|von|de|der|den|del|da|di|la|le|al|el|bin|bint|dos|do|das|du|ter|ten|af|ibn|abu|y|e|ap|ní|freiherr|jr|sr|ii|iii)$"
)
_OF_STREETS = re.compile(
    r"(?i:street|st|road|rd|avenue|ave?|lane|ln|drive|dr|court|ct|close|crescent|cres|way|place|pl|terrace|square|gardens"
    r"|flat|apt|apartment|unit|room|block|floor|plot|lot|box|p|o|po|hwy|highway|blvd|house|home|school|primary|county|rr|rural|route"
    r"|road|row|walk|mews|park|village|farm|calle|col|colonia|avenida|rua|travessa|lote|via|viale|piazza|rue|bis|ul|m|lok"
    r"|am|an|auf|im|zur|der|dem|of|the|near|on|upon|and|no|d|c|s|n|n[oº]?|h|de|del|la|du|des|weg|str|dto|straße|care|nursing|north|south|east|west|new|old)$"
)


class Carrier(NamedTuple):
    """A text with slots, or with marks ("⟪name|words⟫"), and the language that its people speak."""

    id: str
    language: str
    text: str


def read_slotted(path: Path) -> list[Carrier]:
    """The texts with slots of a file of JSON lines."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Carrier(str(row.get("id", at)), row.get("language", "en"), row["text"]) for at, row in enumerate(rows)]


def read_marked(path: Path) -> list[Carrier]:
    """The notes of a file of JSON lines, their marks kept as "⟪kind|words⟫"; institutions are left as they are."""
    found = []
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        text, end = "", 0
        for mark in sorted(row["identifiers"], key=lambda one: one["start"]):
            if mark["kind"] == "institution" or mark["start"] < end:
                continue
            words = row["text"][mark["start"] : mark["end"]]
            text += row["text"][end : mark["start"]] + f"⟪{mark['kind']}|{words}⟫"
            end = mark["end"]
        found.append(Carrier(row["id"], row["language"], text + row["text"][end:]))
    return found


def fill_carrier(carrier: Carrier, people: People) -> str:
    """The text with invented people, marked as `People` marks them."""
    return (fill_marks if "⟪" in carrier.text else fill_slots)(carrier, people)


def fill_slots(carrier: Carrier, people: People) -> str:
    """The text with invented people in its slots, what identifies marked as `People` marks it."""
    among = LOCALES.get(carrier.language[:2], ())
    known: dict[str, tuple[str, str]] = {}

    def find_person(number: str) -> tuple[str, str]:
        if number not in known:
            where = people.locale(*among)
            known[number] = people.given(where), people.surname(where)
        return known[number]

    makers: dict[str, Callable[[str], str]] = {
        "NAME": lambda number: _mark("N", " ".join(find_person(number))),
        "GIVEN": lambda number: _mark("N", find_person(number)[0]),
        "SURNAME": lambda number: _mark("N", find_person(number)[1]),
        "SURNAME_FIRST": lambda number: _mark("N", "{1}, {0}".format(*find_person(number))),
        "INITIALS": lambda number: _mark("N", "".join(name[0] for name in find_person(number)).upper()),
        "TOWN": lambda _: _mark("P", people.town()),
        "STREET": lambda _: _mark("P", people.street()),
        "POSTCODE": lambda _: _mark("X", people.postcode()),
        "DATE": lambda _: _mark("X", people.date()),
        "PHONE": lambda _: _mark("X", people.phone()),
        "EMAIL": lambda number: _mark("X", f"{'.'.join(find_person(number))}@mail.example".replace(" ", "").lower()),
        "RECORD": lambda _: _mark("X", people.code()),
        "ACCOUNT": lambda _: _mark("X", people.code()),
        "SSN": lambda _: _mark("X", people.code()),
        "DEVICE": lambda _: _mark("X", people.code()),
        "URL": lambda number: _mark("X", f"www.{find_person(number)[1].lower().replace(' ', '')}.example"),
        "AGE90": lambda _: _mark("X", str(people.draw.randint(90, 104))),
    }  # fmt: skip

    def fill(slot: re.Match[str]) -> str:
        kind = slot[1].upper()
        if kind not in makers:
            raise SystemExit(f"{carrier.id}: no such slot: {slot.group()}")
        words = makers[kind](slot[3])
        return _raise(words, lower=slot[1].islower(), upper=bool(slot[2] or slot[4]))

    return _SLOT.sub(fill, carrier.text)


def _mark(kind: str, words: str) -> str:
    return f"⟦{kind}{words}⟧"


def _raise(words: str, *, lower: bool, upper: bool) -> str:
    """Words in other letters; the mark that begins them stays."""
    head, rest = (words[:2], words[2:]) if words.startswith("⟦") else ("", words)
    return head + (rest.lower() if lower else rest.upper() if upper else rest)


def fill_marks(carrier: Carrier, people: People) -> str:
    """The note with other people in place of the marked ones: each word of a name by one written alike."""
    among = LOCALES.get(carrier.language[:2], ())
    where = people.locale(*among)
    known: dict[str, str] = {}

    def replace_word(found: re.Match[str]) -> str:
        word = found.group()
        if len(word) == 1:
            return people.initial() if word.isupper() else people.initial().lower()
        if _PARTICLE.match(word):
            return word
        other = known.setdefault(word.lower(), _draw_name(people, where))
        return other.upper() if word.isupper() else other.lower() if word.islower() else other

    def replace_place(found: re.Match[str]) -> str:
        word = found.group()
        if len(word) == 1 or _OF_STREETS.match(word):
            return word
        other = known.setdefault(word.lower(), people.draw.choice((people.town, people.last))().split()[-1])
        return other.upper() if word.isupper() else other.lower() if word.islower() else other

    def fill(found: re.Match[str]) -> str:
        kind, words = found[1], found[2]
        if kind == "name":
            return _mark("N", _LETTERS.sub(replace_word, words))
        digits = re.sub(r"\d", lambda _: people.draw.choice("123456789"), words)
        if kind == "address":
            return _mark("P", _LETTERS.sub(replace_place, digits))
        return _mark("X", words if kind in {"date", "age"} else digits)

    return re.sub(r"⟪(\w+)\|([^⟫]*)⟫", fill, carrier.text)


def _draw_name(people: People, where: str) -> str:
    name = people.draw.choice((people.given, people.surname))(where)
    return re.split(r"[ -]", name)[-1].capitalize() if people.draw.random() < 0.8 else name
