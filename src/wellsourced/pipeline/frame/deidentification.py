"""Mask identifiers in a question before it is stored, shown and searched for, and copy no private record into it.

What leaves this machine is seen to where it leaves (`wellsourced.privacy`), whoever sends it. Here the user is told
early, and answers, events and logs of a question that goes elsewhere do not hold the words either.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.deidentification import detect_identifiers, mask_identifiers
from wellsourced.errors import NextStep, QuestionError
from wellsourced.expressions import compile_regex
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
    everywhere. The notes tell kinds and numbers, never the words. Raises QuestionError where such a question is to be
    refused.
    """
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

_WORD = compile_regex(r"\w+")
_FIGURE_WITH_NEIGHBOURS = compile_regex(
    r"(?:\w+[ -])?[<>≤≥=]*\s?\d+(?:[.,]\d+)*(?:\s?(?:[-–]|to|and|/)\s?\d+(?:[.,]\d+)*)*"
    r"(?:[ -]?\w[\w/%²³]*(?: ago\b| old\b)?)?"
)
_DENIAL_OR_LIMIT = compile_regex(
    r"\b(?:no|not|non|nor|never|without|denie[sd]|denying|under|over|above|below|more than|less than|fewer than|before"
    r"|after|until|since|except|off|only|if|unless|between|acute|chronic|former|previous|prior|past"
    r"|recent|(?:family )?history of)[ -]\w+(?:[ -]\w+)?",
    re.IGNORECASE,
)
SYNONYMS = {"with": "having", "and": "plus"}
"""Small words that another one replaces, so that the sentence can still be read."""

_JOINS_NAMES = compile_regex(r"\s(?:with|of|in|due to)\s(?:an?\s|the\s)?")
_UNIT_BEHIND = compile_regex(r"(?<=\d)\s?[A-Za-zµ]+(?:/[\w.²³]+){0,3}$")


def break_copied_ngrams(text: str, private: str, typed: Iterable[str] = ()) -> str:
    """The text without runs of `COPIED_NGRAM_WORDS` words of the private text: each loses a word, a small one first.

    Runs that stand in what was typed are nobody's secret. Case, punctuation and hyphens make no difference.
    """
    secret = set(_word_runs(private)).difference(*map(_word_runs, typed))
    if not secret:
        return text
    secret -= {run for one in _join_conditions(text) for run in _word_runs(text[one.start : one.end])}
    while (start := next((at for at, run in enumerate(_word_runs(text)) if run in secret), None)) is not None:
        text = _drop_unit(text, start)
    return text


def _word_runs(text: str) -> Iterator[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return zip(*(words[at:] for at in range(COPIED_NGRAM_WORDS)), strict=False)


def _drop_unit(text: str, start: int) -> str:
    """The text without one thing of the run from this word on: a small word that stands alone, another that does, a
    unit of measurement that can be spared, or the unit that the run ends in.
    """
    run = [Span(*word.span()) for word in _WORD.finditer(text)][start : start + COPIED_NGRAM_WORDS]
    units = _find_units(text)
    alone = [word for word in run if not any(unit.start < word.end and word.start < unit.end for unit in units)]
    small = [word for word in alone if text[word.start : word.end].casefold() in STOP_WORDS]
    last = run[-1]
    whole = [unit for unit in units if unit.start < last.end and last.start < unit.end]
    spare = [] if alone else _find_spare_unit(text, run[0].start, last.end)
    left_out = (*small[:1], *alone[-1:], *spare, *whole, last)[0]
    word = text[left_out.start : left_out.end]
    instead = SYNONYMS.get(word, "") if left_out in small else ""
    left = " ".join((text[: left_out.start] + instead + text[left_out.end :]).split())
    return re.sub(r"(?:\s*([,.;:]))+", r"\1", left).strip(" ,;")


def _find_spare_unit(text: str, start: int, end: int) -> list[Span]:
    """The unit of measurement of a figure that overlaps a place, where the figure reads the same without it."""
    figures = [(one.measure, one.value) for one in find_figures(text)]
    for span in _locate_figures(text):
        unit = _UNIT_BEHIND.search(text, span.start, span.end)
        if unit and span.start < end and start < span.end:
            left = find_figures(text[: unit.start()] + text[unit.end() :])
            if [(one.measure, one.value) for one in left] == figures:
                return [Span(*unit.span())]
    return []


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
