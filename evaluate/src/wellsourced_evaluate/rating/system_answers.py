"""What several systems answered to the same questions, a file each, matched question by question."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from wellsourced.citations.markers import find_markers
from wellsourced.citations.reference_lists import extract_reference_list
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.factcheck.load.answer_rows import read_rows
from wellsourced.factcheck.load.text_files import convert_answer
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Answer, Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.checkups.rater_files import fold_words
from wellsourced_evaluate.questions.answer_marks import said_text
from wellsourced_evaluate.recorded_rows import describe_fault, refuse_faults

Citations = Literal["keep", "strip"]

ROW_FORMAT = 'A row reads {"question": "…", "answer": "…"}, or is an answer as `wellsourced ask --json` prints it.'

_REPAIRS = (
    (re.compile(r"(?<=\S)[ \t]+(?=[.,;:!?](?:\s|$))", re.MULTILINE), ""),
    (re.compile(r"(?<=\S)[ \t]{2,}(?=\S)"), " "),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
    (re.compile(r"\n{3,}"), "\n\n"),
)
"""Space that what is taken out leaves behind, and what replaces it."""


class GivenAnswer(NamedTuple):
    """An answer as it is shown, the question as it was put, and the texts that were found for it, where known."""

    question: str
    text: str
    documents: tuple[str, ...] = ()


class SystemAnswers(Value):
    """What one system answered, and the file that has it.

    answers   by the folded words of the question; not written into a key
    """

    name: str
    file: str
    sha256: str
    answers: dict[str, GivenAnswer] = Field(default_factory=dict, exclude=True)


class ComparedQuestion(NamedTuple):
    """A question, and what each system answered."""

    question: str
    answers: Mapping[str, GivenAnswer]


class MatchedAnswers(NamedTuple):
    """Questions that all systems answered.

    questions   on which at least two answers differ
    identical   on which all answers are the same words: there is nothing to compare
    lone        (question, system that did not answer it): left out
    """

    questions: tuple[ComparedQuestion, ...]
    identical: tuple[str, ...]
    lone: tuple[tuple[str, str], ...]

    def list_warnings(self) -> Iterator[str]:
        """What was left out, and answers that say the name of their system: a rater may know it."""
        for question, system in self.lone:
            yield f"Left out, since {system} did not answer it: {question}"
        for question in self.identical:
            yield f"Left out, since all answers are the same: {question}"
        for question, answers in self.questions:
            for system, answer in answers.items():
                if re.search(rf"(?<!\w){re.escape(system)}(?!\w)", answer.text, re.IGNORECASE):
                    yield f"An answer of {system} says its own name: {question}"


def read_system_answers(path: Path, citations: Citations) -> SystemAnswers:
    """The answers of a file; its name without the endings is that of the system.

    Raises UnreadableFile that names the rows which cannot be used: a question that is left out unseen changes a mean.
    """
    found: dict[str, GivenAnswer] = {}
    rows: dict[str, int] = {}
    faults: list[str] = []
    for number, fields in read_rows(path):
        try:
            given = _read_row(fields, citations)
            key = fold_words(given.question)
            if key in rows:
                raise ValueError(f"it asks what row {rows[key]} asks")
        except ValueError as fault:
            faults.append(f"row {number}: {fault}")
        else:
            found[key], rows[key] = given, number
    refuse_faults(path, faults)
    if not found:
        raise UnreadableFile(path, "it holds no answer", ROW_FORMAT)
    name = path.name.partition(".")[0] or path.name
    return SystemAnswers(name=name, file=path.name, sha256=hash_file(path)[:16], answers=found)


def _read_row(fields: Mapping[str, Any] | str, citations: Citations) -> GivenAnswer:
    """Question and answer. Raises ValueError, which says what is wrong with the row."""
    if isinstance(fields, str):
        raise ValueError(fields)
    question, answer, documents = fields.get("question"), fields.get("answer"), _read_documents(fields)
    if isinstance(question, dict):
        try:
            own = Answer.model_validate(fields)
        except ValidationError as error:
            raise ValueError(f"it is not an answer of wellsourced ({describe_fault(error)})") from error
        question, answer = own.question.text, _compose_text(own, citations)
        documents = tuple(text_under_titles(item.passage) for item in own.evidence)
    elif isinstance(answer, str) and citations == "strip":
        answer = strip_citations(answer)
    if not isinstance(question, str) or not question.strip():
        raise ValueError("it has no question")
    if not isinstance(answer, str) or not answer.strip():
        raise ValueError("it has no answer")
    return GivenAnswer(" ".join(question.split()), answer.strip(), documents)


def _read_documents(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that a row names as found. Raises ValueError for what is no list of them."""
    given = fields.get("documents") or fields.get("contexts") or fields.get("refs") or []
    if not isinstance(given, list):
        raise ValueError("its documents are no list")
    texts = [one.get("text") if isinstance(one, dict) else one for one in given]
    return tuple(one.strip() for one in texts if isinstance(one, str) and one.strip())


def _compose_text(answer: Answer, citations: Citations) -> str:
    if answer.abstained:
        return answer.reason
    if citations == "keep":
        return convert_answer(answer).document.text
    said = [said_text(answer)] if answer.sections else [one.text for one in answer.statements]
    return "\n\n".join(map(strip_citations, said))


def strip_citations(text: str) -> str:
    """The text without marks of citation, addresses of links, and lists of references; words of links stay."""
    listed = extract_reference_list(text)
    for start, end in reversed(listed.spans):
        text = text[:start].rstrip() + "\n\n" + text[end:].lstrip("\n")
    pieces, at = [], 0
    for mark in find_markers(text, [one.label for one in listed.entries]):
        pieces += [text[at : mark.start], text[slice(*mark.words_span)]]
        at = mark.end
    text = "".join((*pieces, text[at:]))
    for pattern, put in _REPAIRS:
        text = pattern.sub(put, text)
    return text.strip()


def match_answers(systems: Sequence[SystemAnswers]) -> MatchedAnswers:
    """The questions in the order of the first file. Raises SourceRefused where no question has all answers."""
    every = dict.fromkeys(key for one in systems for key in one.answers)
    lone = [(key, one.name) for key in every for one in systems if key not in one.answers]
    without = {key for key, _ in lone}
    questions, identical = [], []
    for key in every:
        if key in without:
            continue
        question = systems[0].answers[key].question
        answers = {one.name: one.answers[key] for one in systems}
        if len({one.text for one in answers.values()}) == 1 < len(systems):
            identical.append(question)
        else:
            questions.append(ComparedQuestion(question, answers))
    if not questions:
        why = "all answers are the same words" if identical else "no question was answered by all of them"
        raise SourceRefused(f"There is nothing to compare: {why}. Give files of answers to the same questions.")
    asked = {key: given.question for one in reversed(systems) for key, given in one.answers.items()}
    return MatchedAnswers(tuple(questions), tuple(identical), tuple((asked[key], name) for key, name in lone))
