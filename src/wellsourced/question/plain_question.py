"""What a message asks: its question in ordinary letters, without pleasantries, what is told of the patient before it.

Nothing is lost: the words as they were typed stay in `Question.asked`. What is told stays with the question unless it
is on somebody's life ("I work as a postman", "The patient is a retired nurse"), and the question stands without it. A
disease, a drug, a figure, or the age of a child or of an old person always stays: advice may turn on them.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.conditions import extract_conditions, find_conditions
from wellsourced.medicine.drugs import find_drugs, known_drug_words
from wellsourced.medicine.measurements import extract_age, find_figures
from wellsourced.medicine.names import listed_terms, term_key
from wellsourced.medicine.word_forms import (
    find_abbreviation,
    is_medical_abbreviation,
    is_medical_term,
    list_ambiguous_abbreviations,
)
from wellsourced.question.follow_up import is_follow_up
from wellsourced.question.vocabulary import load_word_counts
from wellsourced.question.word_rarity import load_ordinary_stems
from wellsourced.text.lexicon import AUXILIARIES, STOP_WORDS, VERBS
from wellsourced.text.tables import read_alternatives, read_word_lists
from wellsourced.text.tokens import content_stems
from wellsourced.types import Question

MAX_TOLD_SENTENCES = 4
"""Sentences before or after what is asked from which a case is told, of which nothing is left out."""

MIN_ASKING_STEMS = 3
"""Content words of a question that may stand without what is told."""

_OF_SOMEBODY = lazy_regex(
    r"(?:(?:and|also|so|but|well|ps|p\.s\.),? )?(?:i|we|he|she|they|i['’]?m|i['’]?ve|my|our|his|her)\b"
    r"|(?:(?:the|this) patient|mum|mom|dad|mother|father|wife|husband|carer|parent)\b",
    re.IGNORECASE,
)
_POINTS_BACK = lazy_regex(r"\b(?:he|she|him|his|hers?|ones?)\b", re.IGNORECASE)
_YES_NO_OPTIONS = frozenset({"yes", "no", "maybe"})
_FIRST_PERSON = lazy_regex(r"\b(?:i|me|my|we|us|our)\b", re.IGNORECASE)
_ADULT = lazy_regex(r"\b(?:1[89]|[2-5]\d)[- ]years?[- ]old\b", re.IGNORECASE)
"""An age at which no guideline speaks of children or of the old."""

_PLACE = lazy_regex(r"\b(?:from|in|to) [A-Z][a-z]+\b")


def apply_plain_question(question: Question, typed: str) -> Question:
    """The question with what it asks for text, where that is not all that was typed; in English alone.

    A question with options to choose from, other than yes and no, tells a case, of which every word counts.

    typed   with its lines, which end sentences
    """
    if question.language != "en" or question.asked or " ".join(typed.split()) != question.text:
        return question
    if not _YES_NO_OPTIONS.issuperset(one.casefold() for one in question.options.values()):
        return question
    text = find_plain_question(typed)
    return question if text == question.text else question.model_copy(update={"text": text, "asked": question.text})


# What is said around a question and is no part of it: greetings, thanks, apologies, ways of asking for an answer.
#
# Patterns stand in `pleasantries.tsv`: a `greeting` opens a message, a `sentence` is nothing else, an `opening` leads
# to what is asked, an `indirect` one makes a statement of it, a `closing` ends it, and what is `inline` may stand
# anywhere. Nothing that names a disease, a drug, a figure or an age is taken for a courtesy; `telling` words are what
# else advice may turn on.


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
    """A sentence of a message without its pleasantries.

    is_asking   whether it asks: by its mark, or by a way of asking that was taken from it
    """

    text: str
    is_asking: bool


def list_plain_sentences(message: str) -> tuple[MessageSentence, ...]:
    """The sentences of a message that are more than pleasantries, without those that stand within them."""
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
        or any(is_medical_term(word) or is_medical_abbreviation(word) for word in words)
        or _names_term(sentence)
    )


def _names_term(sentence: str) -> bool:
    """Whether words of it are what patients or clinicians say for a term."""
    said = f" {term_key(sentence)} "
    return any(f" {term} " in said for term in listed_terms())


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
    tables = read_alternatives(__package__, "pleasantries.tsv")
    return {
        kind: re.compile(_SHAPES.get(kind, r"(?:{})(?!\w)").format(words), re.IGNORECASE)
        for (kind,), words in tables.items()
    }


# Words that are written in capitals alone, in ordinary letters: "CAN ADULTS WITH COPD …", "Can adults with COPD …".
#
# What is an abbreviation stays one, as the tables write it ("HFREF" is HFrEF), unless it is an everyday word as well:
# who writes all in capitals means "it" by IT. What no vocabulary has and nobody could read as a word stays too.


MIN_SHOUTED_WORDS = 4
"""Words of two letters or more in capitals, from which a sentence is written so and does not hold abbreviations."""

MIN_SHOUTED_SHARE = 0.75
"""Of the words of two letters or more, how many are."""

SHORT_LENGTHS = range(4, 6)
"""Letters of words that are taken for abbreviations when texts do not have them; of shorter ones no list is kept."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"(?:[^.?!\n]|[.?!](?=[^\s.?!]))+[.?!\n]*")
_NUMBERED = re.compile(r"(?<![^\W_])[A-Z]{2,4}(?=-\d)")
_EVERYDAY = frozenset({*STOP_WORDS, *AUXILIARIES, *VERBS})
_WRITTEN = {word.lower(): word for word in read_word_lists(__package__, "letter_case.tsv")["written"]}
"""Units and abbreviations that stand in no table of meanings."""


def fold_capitals(text: str) -> str:
    """The text with each sentence in ordinary letters that is in capitals."""
    return _SENTENCE.sub(lambda found: _fold_sentence(found.group()), text)


def _fold_sentence(sentence: str) -> str:
    words = [word for word in _WORD.findall(sentence) if len(word) > 1 and word.isalpha()]
    shouted = [word for word in words if word.isupper()]
    if len(shouted) < MIN_SHOUTED_WORDS or len(shouted) < MIN_SHOUTED_SHARE * len(words):
        return sentence
    numbered = {found.start() for found in _NUMBERED.finditer(sentence)}
    folded = _WORD.sub(
        lambda found: found.group() if found.start() in numbered else _fold_word(found.group()), sentence
    )
    return re.sub(r"[^\W\d_]", lambda first: first.group().upper(), folded, count=1)


def _fold_word(word: str) -> str:
    low = word.lower()
    if not word.isupper() or word == "I":
        return word
    if low in _EVERYDAY or low == "a":
        return low
    for one, ending in ((word, ""), (word.removesuffix("S"), "s")):
        known = one if one in list_ambiguous_abbreviations() else ""
        if short := _WRITTEN.get(one.lower()) or find_abbreviation(one) or known:
            return f"{short}{ending}"
    return word if _is_unreadable(word) else low


def _is_unreadable(word: str) -> bool:
    """Whether it cannot be a word: with figures, without vowels, or of four or five letters and in no text."""
    letters = re.sub("['’]", "", word)
    is_strange = len(letters) in SHORT_LENGTHS and letters.lower() not in load_word_counts()[1]
    return not letters.isalpha() or is_strange or not re.search(r"[AEIOUY]", letters)


def find_plain_question(message: str) -> str:
    """What a message asks, after what it tells of the patient; the message where it is nothing but pleasantries."""
    folded = fold_capitals(message)
    sentences = list_plain_sentences(folded)
    if not sentences:
        return " ".join(message.split())
    asking = [number for number, one in enumerate(sentences) if one.is_asking]
    if not asking:
        return " ".join(one.text for one in sentences)
    asked = [one for one in sentences[asking[0] :] if one.is_asking or not _OF_SOMEBODY.match(one.text)]
    told = [one for one in sentences if not any(one is other for other in asked)]
    whole = " ".join(one.text for one in asked)
    return " ".join((*(_end(one.text) for one in _select_told(told, whole)), whole))


def _select_told(told: Sequence[MessageSentence], asked: str) -> list[MessageSentence]:
    """Of what is told what advice may turn on; all of it where a case is told, or the question leans on it."""
    if len(told) > MAX_TOLD_SENTENCES or not _stands_alone(asked):
        return list(told)
    return [one for one in told if not _is_on_life(one.text, asked)]


def _stands_alone(asked: str) -> bool:
    is_long = len(set(content_stems(asked))) >= MIN_ASKING_STEMS
    is_on_asker = _FIRST_PERSON.search(asked) and not (tells_of_patient(asked) or _has_rare_word(asked))
    return is_long and not is_on_asker and not _POINTS_BACK.search(asked) and not is_follow_up(asked)


def _is_on_life(sentence: str, asked: str) -> bool:
    """Whether it tells of somebody's life and names nothing that advice may turn on, nor what is asked about.

    Words that everyday English lacks may name a disease that no table has; a place, or an adult's age, is nothing such.
    """
    left = _PLACE.sub(" ", _ADULT.sub(" ", sentence))
    if not _OF_SOMEBODY.match(sentence) or re.search(r"\d", left) or _has_rare_word(left):
        return False
    shared = {*content_stems(sentence)} & {*content_stems(asked)} - {*content_stems("patient patients")}
    return not shared and not tells_of_patient(left)


def _has_rare_word(text: str) -> bool:
    return not load_ordinary_stems().issuperset(content_stems(text))


def _end(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", ":", ";", ",")) else f"{sentence}."
