"""What is said around a question and is no part of it: greetings, thanks, apologies, ways of asking for an answer.

Patterns stand in `courtesies.tsv`: a `greeting` opens a message, a `sentence` is nothing else, an `opening` leads to
what is asked, an `indirect` one makes a statement of it, a `closing` ends it, and what is `inline` may stand anywhere.
Nothing that names a disease, a drug, a figure or anything else of a `telling` word is taken for a courtesy.
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
from wellsourced.text.tables import read_alternatives
from wellsourced.understanding.question_words import corrected_run, list_runs, split_question_words, term_keys
from wellsourced.understanding.term_tables import brands, clinician_terms, lay_terms

MAX_OPENINGS = 6
"""Courtesies that are taken from one beginning or end, at most."""

_SENTENCE_END = re.compile(
    r"(?<=[?!…])\s+|(?<![\s.(]dr\.)(?<![\s.(]mr\.)(?<!mrs\.)(?<!prof\.)(?<![\s.(]st\.)(?<![\s.(]vs\.)(?<![\s.][a-z]\.)"
    r"(?<=[^\s.]\.)\s+(?=\D)|\n+",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(?:(?:Dr|Prof|Mrs?|Ms)\.? )?[A-Z][\w'’.-]*(?:,? [A-Z][\w'’.-]*){0,3}\W*")
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
    for sentence in filter(None, (one.strip() for one in _SENTENCE_END.split(message))):
        is_signature = was_courtesy and bool(found) and _is_signature(sentence)
        plain = None if is_signature else _strip_sentence(sentence)
        was_courtesy = plain is None or not plain.text
        if plain and plain.text:
            found.append(plain)
    return tuple(found)


def tells_of_patient(sentence: str) -> bool:
    """Whether it names what an answer may hang on: a disease, a drug, a figure, an age, a part of the body."""
    words = re.findall(r"[^\W_][\w'’-]*", sentence)
    return bool(
        _compile_patterns()["telling"].search(sentence)
        or find_conditions(sentence)
        or extract_conditions(sentence)
        or find_drugs(sentence)
        or find_figures(sentence)
        or extract_age(sentence) is not None
        or any(is_jargon(word) or is_medical_abbreviation(word) or word.lower() in known_drug_words() for word in words)
        or _names_term(sentence)
    )


def _names_term(sentence: str) -> bool:
    """Whether words of it stand in the tables of terms."""
    told = split_question_words(sentence)
    names = {
        name for first, last in list_runs(sentence, told, 4) for name in term_keys(corrected_run(told, first, last))
    }
    return any(not names.isdisjoint(table) for table in (lay_terms(), clinician_terms(), brands()))


def _strip_sentence(sentence: str) -> MessageSentence:
    patterns = _compile_patterns()
    text, is_asking = sentence, sentence.endswith("?")
    for _ in range(MAX_OPENINGS):
        bare = text.strip(" .!,?)(")
        if any(patterns[kind].fullmatch(bare) for kind in ("sentence", "greeting")) and not tells_of_patient(text):
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
        if found and not tells_of_patient(found.group()) and (rest := text[found.end() :].lstrip(f"{_EDGES}.!")):
            return rest, kind == "indirect" or (kind == "opening" and " " in found.group())
    return text, False


def _strip_closing(text: str) -> str:
    found = _compile_patterns()["closing"].search(text)
    if not found or tells_of_patient(found.group()) or not (before := text[: found.start()].rstrip(_EDGES)):
        return text
    return f"{before}?" if text.endswith("?") and not before.endswith("?") else before


def _is_signature(sentence: str) -> bool:
    return _SIGNATURE.fullmatch(sentence) is not None and not sentence.endswith("?") and not tells_of_patient(sentence)


@cache
def _compile_patterns() -> dict[str, re.Pattern[str]]:
    tables = {
        kind: words for (kind,), words in read_alternatives("wellsourced.understanding", "courtesies.tsv").items()
    }
    shapes = {
        "closing": r"(?<=[\s,.!?])(?:{})[\s.!?,x:()]*$",
        "telling": r"(?<![\w-])(?:{})(?!\w)",
        "inline": r"[\s,]*(?<!\w)(?:{})",
    }
    return {
        kind: re.compile(shapes.get(kind, r"(?:{})(?!\w)").format(words), re.IGNORECASE)
        for kind, words in tables.items()
    }
