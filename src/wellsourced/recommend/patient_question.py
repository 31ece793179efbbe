"""What is searched for when somebody asks for one patient: the question's words, with the names of the problems.

    tell the patient from the question → read the record → name the problems → put both together

All of it is done without a language model, and only where nothing is searched or asked over a network: the names of a
patient's problems are not among what a question may carry out of this machine.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple, cast

from wellsourced.claims.required_entities import find_required_entities
from wellsourced.context import Context
from wellsourced.medicine.ages import extract_age
from wellsourced.medicine.conditions import find_conditions, wider_conditions
from wellsourced.medicine.drugs import find_prescribed_drugs
from wellsourced.medicine.record_lines import unwrap_lines
from wellsourced.medicine.scope import find_scope, is_own
from wellsourced.recommend.event_times import find_days_ago
from wellsourced.recommend.patient_record import MAX_RECORD_CHARS, PatientFact, PatientRecord
from wellsourced.text.languages import detect_language
from wellsourced.text.tables import read_rows, read_word_lists
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Question

MAX_PROBLEMS = 3
"""Problems that a question is searched for with when it has no content words of its own."""

MAX_PROBLEMS_BESIDE = 2
"""Problems that are added to a question that has."""

MAX_ACUTE = 1
"""Acute problems that a question is searched for with: the most pressing."""

_TOLD_AND_ASKED = re.compile(
    r"^(?P<told>.{12,}?)(?::|[.;!]|\s[-–—])\s+(?P<asked>(?:(?!: )[^.;!]){3,200}?\?*)\s*$", re.DOTALL
)
_ACT = re.compile(r"\b(?:add\w*|start\w*|begin|giv\w+|missing|drugs?|medic\w+|switch|stop)\b", re.IGNORECASE)
"""Says what is to be done; "next step" and "what now" do not."""


class SearchedQuestion(NamedTuple):
    """A question as it is searched for, and the names of the problems that were put into it.

    has_own_words   whether the question says by itself what it is about
    is_kept_apart   whether the record is not searched with, for what else is asked
    """

    question: Question
    added: tuple[str, ...] = ()
    has_own_words: bool = True
    is_kept_apart: bool = False


def split_patient(question: Question) -> Question:
    """The question with the patient apart that it tells of itself: "58-year-old with gout: what should I add?".

    Whoever is told of has an age; a question with a patient of its own, or an earlier one, stays.
    """
    if question.patient or question.pico or question.history or question.asked:
        return question
    match = _TOLD_AND_ASKED.match(question.text)
    if match is None or not _tells_of_patient(match["told"]):
        whole = question.text if _tells_of_patient(question.text) else ""
        return question.model_copy(update={"patient": whole})
    asked = match["asked"].strip()
    return question.model_copy(
        update={"text": asked[:1].upper() + asked[1:], "asked": question.text, "patient": match["told"]}
    )


def _tells_of_patient(text: str) -> bool:
    return extract_age(text) is not None


def may_search_record(question: Question, context: Context) -> bool:
    """Whether names of problems may be searched for: nothing leaves this machine, and no model words the question."""
    is_plain = not (question.pico or question.history or question.given)
    return is_plain and not (context.has_model or context.outbound) and detect_language(question.text) in ("en", "")


# The problems of a patient that are searched for: names of `searched_problems.tsv`, never words of the record.
#
# A row is how pressing a problem is, what it is searched for as, the conditions of the record that it is, of which
# others one must be there too, and how a record may write it besides. The first row that holds takes its conditions:
# in a patient with cirrhosis who vomits blood the problem is variceal bleeding, and neither of the two alone. A
# measure in braces stands for its figure: "{potassium}"; a row whose figure is not known does not hold.


MAX_ACUTE_DAYS = 14.0
"""Days after which what happened is no longer what a patient presents with."""

Pressure = Literal["acute", "chronic", "minor"]

_OVER = re.compile(r"\b(?:known|since (?:19|20)\d\d|recurrent)\b", re.IGNORECASE)
"""Said of what is no news."""
_TAKING = "taking "


class Problem(NamedTuple):
    """A problem of a patient.

    words      what it is searched for as
    pressure   acute: what the patient presents with; minor: it is searched for where nothing else is known
    """

    words: str
    pressure: Pressure


class _ProblemRow(NamedTuple):
    pressure: Pressure
    words: str
    conditions: frozenset[str]
    others: tuple[str, ...]
    pattern: re.Pattern[str] | None

    @property
    def taken_conditions(self) -> frozenset[str]:
        """The conditions that it stands for: a later row on one of them says nothing new."""
        named = {*self.conditions, *self.others, *(one.name for one in find_conditions(self.words))}
        return frozenset(named | {wider for name in named for wider in wider_conditions(name)})


def find_problems(text: str, record: PatientRecord) -> tuple[Problem, ...]:
    """What a record says that its patient has: what is acute as pressing as the table has it, then the chronic and the
    minor in the order in which they are told.
    """
    found: list[tuple[int, int, Problem]] = []
    taken: set[str] = set()
    told = unwrap_lines(text[:MAX_RECORD_CHARS])
    for number, row in enumerate(_load_rows()):
        if row.conditions and row.conditions <= taken:
            continue
        at = _find_place(row, told, record)
        words = _fill_in(row.words, record)
        if at is None or not words or (not row.conditions and _is_told(row, taken)):
            continue
        found.append(
            (_ORDER.index(row.pressure), number if row.pressure == "acute" else at, Problem(words, row.pressure))
        )
        taken |= row.taken_conditions
    return tuple(problem for _, _, problem in sorted(found))


_ORDER: tuple[Pressure, ...] = ("acute", "chronic", "minor")


def _fill_in(words: str, record: PatientRecord) -> str:
    """The words with the figures that they ask for; "" where one is not known."""
    for measure in re.findall(r"\{([\w ]+)\}", words):
        figures = record.find_figures(measure)
        words = words.replace(f"{{{measure}}}", f"{figures[0].value:g}") if figures else ""
    return words


def _is_told(row: _ProblemRow, taken: set[str]) -> bool:
    named = {one.name for one in find_conditions(row.words)}
    return bool(named) and named <= taken


def _find_place(row: _ProblemRow, text: str, record: PatientRecord) -> int | None:
    """Where a record tells of a problem; None where it does not, or tells that it is over."""
    is_acute = row.pressure == "acute"
    places = [
        match.start()
        for match in (row.pattern.finditer(text) if row.pattern else ())
        if is_own(text, *match.span()) and not (is_acute and _is_over_at(text, *match.span()))
    ]
    if any(_has(other, record) for other in row.others) or not row.others:
        facts = [record.conditions[name] for name in row.conditions if name in record.conditions]
        places += [_place_fact(text, fact) for fact in facts if not (is_acute and _is_over(fact))]
    return min(places, default=None)


def _has(other: str, record: PatientRecord) -> bool:
    if other.startswith(_TAKING):
        return any(drug.drug == other.removeprefix(_TAKING) for drug in record.current_drugs)
    return other in record.conditions


def _is_over_at(text: str, start: int, end: int) -> bool:
    words = re.split(r"[.;,\n]", text[max(0, start - 40) : start])[-1]
    is_past = find_scope(text, start, end) == "past"
    return _is_over(PatientFact("", words, find_days_ago(text, start, end), is_past))


def _is_over(fact: PatientFact) -> bool:
    is_old = fact.days_ago is not None and fact.days_ago > MAX_ACUTE_DAYS
    return fact.is_past or is_old or bool(_OVER.search(fact.words))


def _place_fact(text: str, fact: PatientFact) -> int:
    """Where a fact is told: where its name stands, or its words; behind everything where figures alone say it."""
    named = [one.start for one in find_conditions(text) if fact.name in (one.name, *one.wider)]
    at = text.find(fact.words)
    return min(named, default=at if at >= 0 else len(text))


@cache
def _load_rows() -> tuple[_ProblemRow, ...]:
    return tuple(
        _ProblemRow(
            cast(Pressure, pressure),
            words,
            frozenset(filter(None, conditions.split("|"))),
            tuple(filter(None, others.split("|"))),
            re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) if pattern else None,
        )
        for pressure, words, conditions, others, pattern in read_rows("wellsourced.recommend", "searched_problems.tsv")
    )


def add_problems(question: Question, problems: Sequence[Problem]) -> SearchedQuestion:
    """The question with the problems that it leans on; one that names a disease itself stays as it is."""
    if not has_own_words(question.text):
        chosen = _choose_problems(problems, MAX_PROBLEMS)
        text = _word_whole(question.text, chosen) if chosen else question.text
        return SearchedQuestion(_put_text(question, text), chosen, has_own_words=False)
    if find_conditions(question.text):
        return SearchedQuestion(question)
    most = 1 if find_prescribed_drugs(question.text) or find_required_entities(question) else MAX_PROBLEMS_BESIDE
    known = {*tokenize(question.text)}
    chosen = tuple(one for one in _choose_problems(problems, most) if not known.issuperset(tokenize(one)))
    if not chosen:
        return SearchedQuestion(question)
    stem = question.text.rstrip(" ?.!")
    return SearchedQuestion(_put_text(question, f"{stem} in {_join(chosen)}?"), chosen)


def says_its_subject(question: Question) -> bool:
    """Whether a question, or what came before it, says what it is about."""
    before = question.pico or question.history or question.given
    return bool(before) or detect_language(question.text) not in ("en", "") or has_own_words(question.text)


def has_own_words(text: str) -> bool:
    """Whether a question says what it is about: "what now?" and "which drug should I add?" do not."""
    return bool(set(content_stems(text)) - _EMPTY_STEMS)


def _choose_problems(problems: Sequence[Problem], most: int) -> tuple[str, ...]:
    """The acute ones alone where there are any; minor ones where there is nothing else."""
    for pressure in ("acute", "chronic", "minor"):
        if chosen := [one.words for one in problems if one.pressure == pressure]:
            return tuple(chosen[: MAX_ACUTE if pressure == "acute" else most])
    return ()


def _word_whole(text: str, chosen: Sequence[str]) -> str:
    """The question for whoever has these problems; one that names no act asks for the treatment."""
    if _ACT.search(text):
        return f"{text.rstrip(' ?.!')} in {_join(chosen)}?"
    return f"What treatment is recommended in {_join(chosen)}?"


def _join(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"


def _put_text(question: Question, text: str) -> Question:
    if text == question.text:
        return question
    return question.model_copy(update={"text": text, "asked": question.asked or question.text})


_EMPTY_STEMS = frozenset(
    stem
    for word in read_word_lists("wellsourced.recommend", "empty_question_words.tsv")["empty"]
    for stem in content_stems(word)
)
