"""What a message asks: its question in ordinary letters, without courtesies, what is told of the patient before it.

Nothing is lost: the words as they were typed stay in `Question.asked`. What is told stays with the question unless it
is on somebody's life ("I work as a postman", "The patient is a retired nurse"), and the question stands without it. A
disease, a drug, a figure, or the age of a child or of an old person always stays: advice may turn on them.
"""

import re
from collections.abc import Sequence

from wellsourced.clinical.word_forms import load_ordinary_stems
from wellsourced.late import compile_late
from wellsourced.pipeline.frame.courtesies import MessageSentence, list_plain_sentences, tells_of_patient
from wellsourced.pipeline.frame.follow_up import is_follow_up
from wellsourced.pipeline.frame.letter_case import fold_capitals
from wellsourced.text.tokens import content_stems
from wellsourced.types import Question

MAX_TOLD_SENTENCES = 4
"""Sentences before or after what is asked from which a case is told, of which nothing is left out."""

MIN_ASKING_STEMS = 3
"""Content words of a question that may stand without what is told."""

_OF_SOMEBODY = compile_late(
    r"(?:(?:and|also|so|but|well|ps|p\.s\.),? )?(?:i|we|he|she|they|i['’]?m|i['’]?ve|my|our|his|her)\b"
    r"|(?:(?:the|this) patient|mum|mom|dad|mother|father|wife|husband|carer|parent)\b",
    re.IGNORECASE,
)
_POINTS_BACK = compile_late(r"\b(?:he|she|him|his|hers?|ones?)\b", re.IGNORECASE)
_YES_NO_OPTIONS = frozenset({"yes", "no", "maybe"})
_FIRST_PERSON = compile_late(r"\b(?:i|me|my|we|us|our)\b", re.IGNORECASE)
_ADULT = compile_late(r"\b(?:1[89]|[2-5]\d)[- ]years?[- ]old\b", re.IGNORECASE)
"""An age at which no guideline speaks of children or of the old."""

_PLACE = compile_late(r"\b(?:from|in|to) [A-Z][a-z]+\b")


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


def find_plain_question(message: str) -> str:
    """What a message asks, after what it tells of the patient; the message where it is nothing but courtesies."""
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
    """Whether a question names what it is about, and nobody who was told of before."""
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
