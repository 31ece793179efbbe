"""Exact answers, as BioASQ's task b has them: a factoid with its synonyms, or a list of things with theirs.

Strict and lenient accuracy, reciprocal rank, and precision, recall and F1 of a list are those of the official measures
(Balikas et al., 2013; version of BioASQ 5): letters are compared without their case, nothing else is forgiven. They
need candidates, which an answer in the sources' own sentences does not give; of any answer it can be told whether its
statements say a synonym.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from wellsourced.claims.atomic_facts import is_complete_sentence
from wellsourced.types import Answer, Value

QuestionKind = Literal["", "yesno", "factoid", "list", "summary"]
QUESTION_KINDS: tuple[QuestionKind, ...] = ("yesno", "factoid", "list", "summary")
"""What a question asks for, as BioASQ has it."""

MAX_CANDIDATES = 5
"""Of a factoid: what comes after them does not count."""

MAX_LISTED = 100
"""Members of a list that may be submitted, as BioASQ allows."""

MAX_PHRASE_WORDS = 12
"""Words of a candidate: BioASQ's hundred characters."""

_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)?|[%°<>±+]")
_ABBREVIATION = re.compile(r"\s*\([^()]*\)\s*\Z")
"""In brackets behind a name: a text that says the name need not say it."""


class ExactMark(Value):
    """One thing that is the exact answer, or of the list that is: by which of its names it goes, and who says it.

    said    whether a statement says one of them
    leads   whether the short answer does
    asked   whether the question has it already
    """

    synonyms: tuple[str, ...]
    said: bool
    leads: bool
    asked: bool = False


def says(text: str, synonyms: Sequence[str]) -> bool:
    """Whether a text has one of these names as whole words, whatever their case and what stands between them.

    A name that ends with something in brackets is said too by who leaves that out: “progeria (HGPS)”.
    """
    words = f" {_join_words(text)} "
    names = {_join_words(name) for one in synonyms for name in (one, _ABBREVIATION.sub("", one))}
    return any(f" {name} " in words for name in names if name)


def _join_words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def mark_exact(exact: Sequence[Sequence[str]], question: str, text: str, short: str) -> tuple[ExactMark, ...]:
    """Each thing of an exact answer, and whether statements, the short answer and the question say it."""
    return tuple(
        ExactMark(synonyms=tuple(one), said=says(text, one), leads=says(short, one), asked=says(question, one))
        for one in exact
    )


def read_candidates(answer: Answer, kind: QuestionKind) -> tuple[str, ...] | None:
    """What an answer names as exact answers, best first; None when it speaks in sentences.

    A language model that is asked for a thing may name it and no more: its short answer is then a phrase, or phrases
    with semicolons, lines or, where a list is asked for, commas between them. The sources' own sentences are none.
    """
    leading = [one.text for one in answer.statements if one.lead] or [one.text for one in answer.statements]
    if not answer.writer or kind not in ("factoid", "list") or any(map(is_complete_sentence, leading)):
        return None
    parting = r"\s*[;\n•]\s*" if kind == "factoid" else r"\s*[;\n•]\s*|,\s+(?:and\s+)?|\s+and\s+"
    found = [part.strip(" .*_-–") for one in leading for part in re.split(parting, one)]
    found = [one for one in found if one]
    return tuple(found) if found and all(len(one.split()) <= MAX_PHRASE_WORDS for one in found) else None


def score_factoid(exact: Sequence[ExactMark], candidates: Sequence[str]) -> Mapping[str, float]:
    """Strict: the first candidate is a synonym; lenient: one of five is; MRR: one by the place of the first that is."""
    names = {name.casefold() for one in exact for name in one.synonyms}
    right = [one.casefold() in names for one in candidates[:MAX_CANDIDATES]]
    place = right.index(True) + 1 if True in right else 0
    return {
        "strict_accuracy": float(place == 1),
        "lenient_accuracy": float(place > 0),
        "MRR": 1 / place if place else 0.0,
    }


def score_list(exact: Sequence[ExactMark], candidates: Sequence[str]) -> Mapping[str, float]:
    """Precision, recall and F1 of the members that are named; a member that was met counts once."""
    open_names = [{name.casefold() for name in one.synonyms} for one in exact]
    named = candidates[:MAX_LISTED]
    met = 0
    for one in named:
        if hit := next((names for names in open_names if one.casefold() in names), None):
            open_names.remove(hit)
            met += 1
    precision, recall = met / len(named) if named else 0.0, met / len(exact)
    f1 = 2 * precision * recall / (precision + recall) if met else 0.0
    return {"list_precision": precision, "list_recall": recall, "list_f1": f1}
