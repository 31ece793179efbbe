"""What is said around a question and is no part of it: greetings, thanks, apologies, ways of asking for an answer.

Patterns stand in `courtesies.tsv`: a `greeting` opens a message, a `sentence` is nothing else, an `opening` leads to
what is asked, an `indirect` one makes a statement of it, a `closing` ends it, and what is `inline` may stand anywhere.
Nothing that names a disease, a drug, a figure or an age is taken for a courtesy; `telling` words are what else advice
may turn on.
"""

import re
from functools import cache
from typing import NamedTuple

from wellsourced.clinical.ages import extract_age
from wellsourced.clinical.conditions import extract_conditions
from wellsourced.clinical.drugs import find_drugs, known_drug_words
from wellsourced.clinical.jargon import is_jargon, is_medical_abbreviation
from wellsourced.clinical.measurements import find_figures
from wellsourced.clinical.warned_conditions import find_conditions
from wellsourced.text.tables import read_alternatives, read_rows
from wellsourced.text.tokens import tokenize

MAX_OPENINGS = 6
"""Courtesies that are taken from one beginning or end, at most."""

_SENTENCE_END = re.compile(
    r"(?<=[?!…])\s+|(?<![\s.(]dr\.)(?<![\s.(]mr\.)(?<!mrs\.)(?<!prof\.)(?<![\s.(]st\.)(?<![\s.(]vs\.)(?<![\s.][a-z]\.)"
    r"(?<=[^\s.]\.)\s+(?=\D)|\n\s*\n|\n(?-i:(?=\s*[A-Z]))",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(?:(?:Dr|Prof|Mrs?|Ms)\.? )?[A-Z][\w'’.-]*(?:,? [A-Z][\w'’.-]*){0,3}\W*")
_SHAPES = {
    "closing": r"(?<=[\s,.!?])(?:{})[\s.!?,x:()]*$",
    "inline": r"[\s,]*(?<!\w)(?:{})",
    "telling": r"(?<![\w-])(?:{})(?!\w)",
}
"""How patterns of a kind stand in a sentence, where not at its beginning."""

_EDGES = " \t\n,;:–—-"


class MessageSentence(NamedTuple):
    """A sentence of a message without its courtesies.

    is_asking   whether it asks: by its mark, or by a way of asking that was taken from it
    """

    text: str
    is_asking: bool


def strip_courtesies(message: str) -> str:
    """The message without courtesies; as it is where nothing else would be left."""
    return " ".join(one.text for one in list_plain_sentences(message)) or message


def list_plain_sentences(message: str) -> tuple[MessageSentence, ...]:
    """The sentences of a message that are more than courtesies, without those that stand within them."""
    found: list[MessageSentence] = []
    was_courtesy = False
    for sentence in filter(None, (" ".join(one.split()) for one in _SENTENCE_END.split(message))):
        is_signature = was_courtesy and bool(found) and _is_signature(sentence)
        plain = None if is_signature else _strip_sentence(sentence)
        was_courtesy = plain is None or not plain.text
        if plain and plain.text:
            found.append(plain)
    return tuple(found)


def names_facts(sentence: str) -> bool:
    """Whether it names a disease, a drug, a figure or an age."""
    return bool(
        find_conditions(sentence)
        or find_drugs(sentence)
        or find_figures(sentence)
        or extract_age(sentence) is not None
        or not known_drug_words().isdisjoint(re.findall(r"\w+", sentence.lower()))
    )


def tells_of_patient(sentence: str) -> bool:
    """Whether it names what an answer may hang on: a disease, a drug, a figure, an age, a part of the body."""
    words = re.findall(r"[^\W_][\w'’-]*", sentence)
    return bool(
        _compile_patterns()["telling"].search(sentence)
        or names_facts(sentence)
        or extract_conditions(sentence)
        or any(is_jargon(word) or is_medical_abbreviation(word) for word in words)
        or _names_term(sentence)
    )


def _names_term(sentence: str) -> bool:
    """Whether words of it are what patients or clinicians say for a term."""
    said = f" {' '.join(tokenize(sentence))} "
    return any(term in said for term in _load_terms())


@cache
def _load_terms() -> tuple[str, ...]:
    rows = [
        row for name in ("lay_terms.tsv", "clinician_terms.tsv") for row in read_rows("wellsourced.understanding", name)
    ]
    return tuple(f" {' '.join(tokenize(row[0]))} " for row in rows)


def _strip_sentence(sentence: str) -> MessageSentence:
    patterns = _compile_patterns()
    text, is_asking = sentence, sentence.endswith("?")
    for _ in range(MAX_OPENINGS):
        bare = text.strip(" .!,?)(")
        if any(patterns[kind].fullmatch(bare) for kind in ("sentence", "greeting")) and not names_facts(text):
            return MessageSentence("", is_asking=False)
        rest, asks = _strip_opening(text)
        rest = _strip_closing(rest)
        if rest == text:
            break
        text, is_asking = rest, is_asking or asks
    if (bare := patterns["inline"].sub("", text)) != text:
        text = re.sub(r",(?=\s*[?.!])", "", " ".join(bare.split()))
    if not re.search(r"\w", text):
        return MessageSentence("", is_asking=False)
    if text != sentence:
        text = f"{text[:1].upper()}{text[1:]}" if sentence[:1].isupper() else text
        text = f"{text.rstrip(' .!')}?" if is_asking and not text.endswith("?") else text
    return MessageSentence(text, is_asking)


def _strip_opening(text: str) -> tuple[str, bool]:
    """The sentence without the courtesy that it begins with, and whether that asks."""
    for kind in ("greeting", "indirect", "opening"):
        found = _compile_patterns()[kind].match(text)
        if found and not names_facts(found.group()) and (rest := text[found.end() :].lstrip(f"{_EDGES}.!")):
            return re.sub(
                r"\A(?:if|whether)\b", "is it true that", rest, flags=re.IGNORECASE
            ), kind != "greeting" and " " in found.group()
    return text, False


def _strip_closing(text: str) -> str:
    found = _compile_patterns()["closing"].search(text)
    if not found or names_facts(found.group()) or not (before := text[: found.start()].rstrip(_EDGES)):
        return text
    return f"{before}?" if text.endswith("?") and not before.endswith("?") else before


def _is_signature(sentence: str) -> bool:
    return _SIGNATURE.fullmatch(sentence) is not None and not sentence.endswith("?") and not names_facts(sentence)


@cache
def _compile_patterns() -> dict[str, re.Pattern[str]]:
    tables = read_alternatives(__package__, "courtesies.tsv")
    return {
        kind: re.compile(_SHAPES.get(kind, r"(?:{})(?!\w)").format(words), re.IGNORECASE)
        for (kind,), words in tables.items()
    }
