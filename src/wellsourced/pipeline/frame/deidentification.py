"""Mask identifiers in a question before it is stored, shown and searched for, and copy no private record into it.

What leaves this machine is seen to where it leaves (`wellsourced.privacy`), whoever sends it. Here the user is told
early, and answers, events and logs of a question that goes elsewhere do not hold the words either.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.deidentification import detect_identifiers, mask_birth_dates, mask_identifiers
from wellsourced.errors import NextStep, QuestionError
from wellsourced.medicine.conditions import find_conditions
from wellsourced.medicine.drugs import find_drugs
from wellsourced.medicine.measurements import find_figures
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.sentences import Span
from wellsourced.types import Pico, Question

MASKED_NOTE = "masked before anything left this machine"

SEPARATOR = "\n\n␞\n\n"
"""Between texts that are looked at together."""


class FramedQuestion(NamedTuple):
    """A question as far as it is framed, and what its reader should know of how it was made."""

    question: Question
    notes: tuple[str, ...] = ()


def deidentify_question(question: Question, context: Context) -> FramedQuestion:
    """The question without identifiers, where anything of it may leave this machine and the user did not allow it.

    A patient's text counts only where a model may see it: else nobody is shown it. Who is named anywhere is found
    everywhere. The notes tell kinds and numbers, never the words. No model is shown a date of birth, wherever it is.
    Raises QuestionError where such a question is to be refused.
    """
    if context.has_model:
        private = {name: mask_birth_dates(getattr(question, name)) for name in ("patient", "text", "asked")}
        question = question.model_copy(update=private)
    if not context.outbound or context.phi == "allow":
        return FramedQuestion(question)
    texts = _list_texts(question)
    found = _count_identifiers(
        texts if context.sees_patient else texts[1:], unseen="" if context.sees_patient else question.patient
    )
    if not found:
        return FramedQuestion(question)
    if context.phi == "refuse":
        raise QuestionError(
            f"The question may contain personal data ({_format_counts(found)}), so it was not sent.",
            next_step=NextStep("allow identifiers", "mask"),
        )
    return FramedQuestion(
        _mask_question(question, texts, context.sees_patient), (f"{MASKED_NOTE}: {_format_counts(found)}",)
    )


def _list_texts(question: Question) -> list[str]:
    """The patient's text, then all of a question that is searched for or shown, as `_mask_question` orders it."""
    pico = question.pico or Pico()
    turns = [turn.text for turn in question.history]
    options = question.options.values()
    return [question.patient, question.text, question.asked, *pico.model_dump().values(), *turns, *options]


def _count_identifiers(texts: Sequence[str], unseen: str) -> Counter[str]:
    """How many identifiers of each kind stand in the texts; who is named in `unseen` is known, and is not counted."""
    # What was typed and what is searched for are one question, whose name counts once.
    whole = SEPARATOR.join((unseen, *dict.fromkeys(texts)))
    return Counter(one.kind for one in detect_identifiers(whole) if one.start >= len(unseen))


def _mask_question(question: Question, texts: Sequence[str], with_patient: bool) -> Question:
    parts = mask_identifiers(SEPARATOR.join(texts)).split(SEPARATOR)
    if len(parts) != len(texts):  # An identifier that reaches from one text into the next is none.
        parts = [mask_identifiers(text) for text in texts]
    patient, text, asked, *others = parts
    rest = iter(others)
    pico = [next(rest) for _ in Pico.model_fields]
    turns = tuple(turn.model_copy(update={"text": next(rest)}) for turn in question.history)
    return question.model_copy(
        update={
            "patient": patient if with_patient else question.patient,
            "text": text,
            "asked": asked,
            "pico": question.pico and Pico(**dict(zip(Pico.model_fields, pico, strict=True))),
            "history": turns,
            "options": dict(zip(question.options, rest, strict=True)),
        }
    )


def _format_counts(found: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" if count > 1 else kind for kind, count in sorted(found.items()))


# No record is copied into a search: of words in a row that stand in a private text too, some are left out.
#
# What is left out may say less and never something else: a figure stays with what is measured, a name keeps its parts
# ("type 2 diabetes", "creatinine clearance 28 mL/min"), and a word that denies or compares stays with what it is said
# of. What belongs together so is a unit, and goes whole where nothing smaller can go. The name of a disease is
# nobody's secret, however many words it has ("heart failure with reduced ejection fraction"), and stays readable.


COPIED_NGRAM_WORDS = 5
"""Words in a row from which a text is a copy of another."""

_WORD = re.compile(r"\w+")
_EMPTY_BRACKETS = re.compile(r"\s?\(\s*\)")
_FIGURE_WITH_NEIGHBOURS = re.compile(
    r"(?:\w+[ -])?[<>≤≥=]*\s?\d+(?:[.,]\d+)*(?:\s?(?:[-–]|to|and|/)\s?\d+(?:[.,]\d+)*)*"
    r"(?:[ -]?\w[\w/%²³]*(?: ago\b| old\b)?)?"
)
_DENIAL_OR_LIMIT = re.compile(
    r"\b(?:no|not|non|nor|never|without|denie[sd]|denying|under|over|above|below|more than|less than|fewer than|before"
    r"|after|until|since|except|off|only|if|unless|between|acute|chronic|former|previous|prior|past"
    r"|recent|(?:family )?history of)[ -]\w+(?:[ -]\w+)?",
    re.IGNORECASE,
)
SYNONYMS = {"with": "having", "and": "plus"}
"""Small words that another one replaces, so that the sentence can still be read."""

_JOINS_NAMES = re.compile(r"\s(?:with|of|in|due to)\s(?:an?\s|the\s)?")


def break_copied_ngrams(text: str, private: str, typed: Iterable[str] = ()) -> str:
    """The text without runs of `COPIED_NGRAM_WORDS` words of the private text: each gets a word, where one says nothing
    else, or loses one, a small one first.

    Runs that stand in what was typed are nobody's secret. Case, punctuation and hyphens make no difference.
    """
    secret = set(_word_runs(private)).difference(*map(_word_runs, typed))
    if not secret:
        return text
    secret -= {run for one in _join_conditions(text) for run in _word_runs(text[one.start : one.end])}
    # Bounded, since a word that is put in may be one that goes again.
    insertions = len(text)
    while (start := next((at for at, run in enumerate(_word_runs(text)) if run in secret), None)) is not None:
        run = [Span(*word.span()) for word in _WORD.finditer(text)][start : start + COPIED_NGRAM_WORDS]
        parted = next(_insert_words(text, run), "") if insertions else ""
        insertions -= bool(parted)
        text = parted or _drop_unit(text, run)
    return text


def _word_runs(text: str) -> Iterator[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return zip(*(words[at:] for at in range(COPIED_NGRAM_WORDS)), strict=False)


def _drop_unit(text: str, run: Sequence[Span]) -> str:
    """The text without one thing of the run: a small word that stands alone, another that does, or the unit that the
    run ends in."""
    units = _find_units(text)
    alone = [word for word in run if not any(unit.start < word.end and word.start < unit.end for unit in units)]
    small = [word for word in alone if text[word.start : word.end].casefold() in STOP_WORDS]
    last = run[-1]
    whole = [unit for unit in units if unit.start < last.end and last.start < unit.end]
    left_out = (*small[:1], *alone[-1:], *whole, last)[0]
    word = text[left_out.start : left_out.end]
    instead = SYNONYMS.get(word, "") if left_out in small else ""
    left = _EMPTY_BRACKETS.sub(" ", " ".join((text[: left_out.start] + instead + text[left_out.end :]).split()))
    return re.sub(r"(?:\s*([,.;:]))+", r"\1", left).strip(" ,;")


def _insert_words(text: str, run: Sequence[Span]) -> Iterator[str]:
    """The text with a word within the run that says nothing else: “eGFR of 38” is “eGFR 38”, and an item of a list
    “and” the next."""
    figures = _locate_figures(text)
    for before, word in pairwise(run):
        between = text[before.end : word.start]
        is_one = any(span.start <= before.start and word.end <= span.end for span in figures)
        is_named = text[before.start : before.end].casefold() not in STOP_WORDS
        if is_one and is_named and between == " " and text[word.start].isdigit():
            yield f"{text[: before.end]} of{text[before.end :]}"
    for before, word in pairwise(run):
        if text[before.end : word.start] == ", " and text[word.start : word.end].casefold() not in STOP_WORDS:
            yield f"{text[: word.start]}and {text[word.start :]}"


def _locate_figures(text: str) -> list[Span]:
    found = {one.words for one in find_figures(text)}
    return [Span(*match.span()) for words in found for match in re.finditer(re.escape(words), text)]


def _join_conditions(text: str) -> list[Span]:
    """The diseases of a text; one whose name goes on with what sort of it is meant is one with that."""
    joined: list[Span] = []
    before = ""
    for one in sorted(find_conditions(text), key=lambda one: (one.start, -one.end)):
        span = Span(one.start, one.end)
        goes_on = joined and before in one.wider and _JOINS_NAMES.fullmatch(text[joined[-1].end : span.start])
        if goes_on:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
        before = one.name
    return joined


def _find_units(text: str) -> list[Span]:
    """What belongs together in a text, in order; what overlaps is one."""
    named = [Span(one.start, one.end) for one in _join_conditions(text)]
    named += [Span(one.start, one.end) for one in find_drugs(text)]
    written = [
        Span(*match.span()) for form in (_FIGURE_WITH_NEIGHBOURS, _DENIAL_OR_LIMIT) for match in form.finditer(text)
    ]
    merged: list[Span] = []
    for span in sorted((*_locate_figures(text), *named, *written)):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
