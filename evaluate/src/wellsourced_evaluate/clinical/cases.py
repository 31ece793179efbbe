"""Cases that are asked: messages beside plain questions, patients for whom something is recommended. Last, all sets."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence

from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.recommendation import recommend
from wellsourced.types import Answer, LineToCheck, Question
from wellsourced_evaluate.clinical import questions, statement_checks, text_checks
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, Marks, Measure, Row, count, describe_answer
from wellsourced_evaluate.development_data import find_data, read_rows, show_work
from wellsourced_evaluate.questions.answer_marks import cited_documents, has_pattern, lead_text, said_text

Put = Callable[[Row, Context], Awaitable[CaseMarks]]


async def put_cases(cases: Sequence[Row], put: Put, options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Each case put to the libraries of the home."""
    async with options.open_context() as context:
        for place, case in enumerate(cases):
            show_work(f"{place} of {len(cases)} cases")
            yield await put(case, context)
    show_work("")


# --- messages --------------------------------------------------------------------------------------------------------


def measure_messages(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Questions as people write messages, beside the plain ones: under another head, same first document, facts."""
    known = {case["id"]: case for case in read_rows(find_data("clinical_cases/facts.jsonl"))}
    rows = sorted(options.read_cases("clinical_cases/messages.jsonl"), key=lambda row: row["half"])
    return put_cases([{**known[row["id"]], **row} for row in rows], compare_message, options)


async def compare_message(case: Row, context: Context) -> CaseMarks:
    """A question as a message beside the plain one."""
    plain, message = [await ask(Question(text=case[name]), context) for name in ("question", "message")]
    facts = [
        count(has_pattern(fact["pattern"], said_text(answer)) for fact in case["facts"]) for answer in (plain, message)
    ]
    marks: dict[str, tuple[float, float]] = {
        "under another head as a plain question": count([plain.abstained]),
        "under another head as a message": count([message.abstained]),
        "facts printed, plain": facts[0],
        "facts printed, message": facts[1],
        "same first document": count([cited_documents(plain)[:1] == cited_documents(message)[:1]]),
    }
    return CaseMarks(case["id"], marks, describe_answer(message), case["half"])


# --- recommendations -------------------------------------------------------------------------------------------------


def measure_file(name: str, mark: Callable[[Row, Answer], Marks]) -> Measure:
    """Recommend for the cases of a file of evaluate/data, or of those that are named; `mark` says what is told."""

    async def put(case: Row, context: Context) -> CaseMarks:
        answer = await recommend(Question(text=case["question"], patient=case.get("record", "")), context)
        missing = [f"missing: {one['about']}" for one in list_missing(case, answer)]
        return CaseMarks(case["id"], mark(case, answer), "\n".join([describe_answer(answer), *missing]))

    def measure(options: CaseOptions) -> AsyncIterator[CaseMarks]:
        return put_cases(options.read_cases(name), put, options)

    measure.__doc__ = mark.__doc__
    return measure


def mark_patient(case: Row, answer: Answer) -> Marks:
    """Expected warnings among the lines to check, lines a patient, and those of a patient in whom nothing conflicts."""
    lines, wanted = list_lines(answer), case["must_warn"]
    marks: dict[str, tuple[float, float]] = {
        "expected warnings among the lines to check": (len(wanted) - len(list_missing(case, answer)), len(wanted)),
        "lines to check, a patient": (len(lines), 1),
    }
    if not wanted and not case.get("beyond"):
        marks["lines to check, a patient in whom nothing conflicts"] = (len(lines), 1)
    return marks


def list_missing(case: Row, answer: Answer) -> list[Row]:
    """What a case wants to be warned of and no line to check says."""
    said = [" ".join((*line.drugs, *(one.quote for one in line.citations))) for line in list_lines(answer)]
    return [one for one in case.get("must_warn", ()) if not _finds(one["pattern"], said)]


def list_lines(answer: Answer) -> tuple[LineToCheck, ...]:
    """The lines to check of a recommendation."""
    return answer.recommendation.lines if answer.recommendation else ()


def _finds(pattern: str, texts: Iterable[str]) -> bool:
    return any(has_pattern(pattern, text) for text in texts)


def mark_first(case: Row, answer: Answer) -> Marks:
    """Whether the first sentences of a recommendation say what they must; what no digest covers has to be refused."""
    right = has_pattern(case["first"], lead_text(answer)) if case["first"] else answer.abstained
    return {"first recommendation right": count([right])}


# --- the table -------------------------------------------------------------------------------------------------------

CASE_SETS: Mapping[str, Measure] = {
    "questions": questions.measure_questions,
    "messages": measure_messages,
    "patients": measure_file("clinical_cases/patients.jsonl", mark_patient),
    "recommended-first": measure_file("clinical_cases/recommended_first.jsonl", mark_first),
    "emergencies": text_checks.measure_emergencies,
    "identifiers": text_checks.measure_identifiers,
    "vetoes": statement_checks.measure_vetoes,
    "statuses": statement_checks.measure_statuses,
    "marks": statement_checks.measure_marks,
}
"""Every set, with its measure; the first sentence of the measure's docstring is what the command says of the set."""
