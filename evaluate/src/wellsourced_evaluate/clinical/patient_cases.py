"""Patients for whom something is recommended, and patients who ask themselves, from pages that are written for them."""

import re
from collections.abc import AsyncIterator, Iterable

from rouge_score_rs.rouge_scorer import RougeScorer

from wellsourced.recommend.recommendation import recommend
from wellsourced.sources.library import Library
from wellsourced.text.quotable_spans import needs_previous_sentence
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, Question, Statement
from wellsourced.types.answers import PatientWarning
from wellsourced_evaluate.clinical.cases import (
    CaseMarks,
    CaseWish,
    Marks,
    Row,
    ask_cases,
    count,
    count_words,
    describe_answer,
    list_quoted,
)
from wellsourced_evaluate.questions.answer_marks import has_pattern, join_texts

SHOWN_WHOLE = 8
"""Warnings that the screen shows with their words."""

LIBRARY = "consumer"
"""The library of a home that was made of corpora/consumer.jsonl.gz of the development data."""

BEGINNING_WORDS = 60
"""Words of a page that are its beginning."""

SAID_SHARE = 0.7
"""Share of a fact's content words from which it counts as said."""

SCORER = RougeScorer(["rougeL"], use_stemmer=False)
_SPLINTER = re.compile(r"[-•*]\s|.*:$", re.DOTALL)
"""An item without its list, a line without what it introduces."""


# --- recommendations -------------------------------------------------------------------------------------------------


async def measure_patients(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Warnings that must be said for a patient, whether they are shown whole, false alarms, what stands without."""
    async with wish.open_context() as context:
        for case in wish.read_cases("clinical_cases/patients.jsonl"):
            answer = await recommend(Question(text=case["question"], patient=case["record"]), context)
            marks, missing = mark_patient(case, answer)
            yield CaseMarks(case["id"], marks, "\n".join([describe_answer(answer), *missing]))


def mark_patient(case: Row, answer: Answer) -> tuple[Marks, list[str]]:
    """The marks, and what is missing. Without `must_warn` every warning about what is asked is a false alarm."""
    warnings = answer.recommendation.warnings if answer.recommendation else ()
    quotes = [_join_quotes(one) for one in warnings]
    others = [_join_quotes(other) for one in warnings for other in one.also]
    asked = [one for one in warnings if one.is_asked]
    wanted = case["must_warn"]
    missing = [one for one in wanted if not _finds(one["pattern"], [*quotes, *others])]
    shown = quotes[: min(len(asked), SHOWN_WHOLE)]
    forbidden = [one for one in case["must_not"] if _finds(one, (said.text for said in answer.statements))]
    marks: dict[str, tuple[float, float]] = {
        "warnings said": (len(wanted) - len(missing), len(wanted)),
        "warnings shown whole": count(_finds(one["pattern"], shown) for one in wanted),
        "recommendations without their warning": (len(forbidden) if missing else 0, len(case["must_not"])),
    }
    if wanted:
        marks["warnings about what was asked, a patient with a conflict"] = (len(asked), 1)
    elif not case.get("beyond"):
        marks["false alarms, a patient in whom nothing conflicts"] = (len(asked), 1)
    return marks, [f"missing: {one['about']}" for one in missing]


def _join_quotes(warning: PatientWarning) -> str:
    return " ".join((*warning.drugs, *(one.quote for one in warning.citations)))


def _finds(pattern: str, texts: Iterable[str]) -> bool:
    return any(has_pattern(pattern, text) for text in texts)


async def measure_recommended_first(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Whether the first sentences of a recommendation say what they must; what no digest covers has to be refused."""
    cases = wish.read_cases("clinical_cases/recommended_first.jsonl")
    async with wish.open_context() as context:
        for case in cases:
            answer = await recommend(Question(text=case["question"], patient=case["record"]), context)
            leads = join_texts([one for one in answer.statements if one.lead])
            right = has_pattern(case["first"], leads) if case["first"] else answer.abstained
            yield CaseMarks(case["id"], {"first recommendation right": count([right])}, describe_answer(answer))


# --- pages for patients ----------------------------------------------------------------------------------------------


async def measure_patient_pages(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Five questions of each site of MedQuAD in a patient's words: whether its page is quoted, leads, what is said."""
    cases = _take_half(wish.read_cases("questions/patient_pages.jsonl"), wish.half)
    async with wish.open_context(libraries=(LIBRARY,)) as context:
        library = Library.at(wish.need_home() / "libraries", LIBRARY, None)
        pages = {case["id"]: (await library.open(case["gold"][0])).text.partition("\n\n")[2] for case in cases}
        async for one in ask_cases(cases, context, lambda case, answer: mark_page(case, answer, pages[case["id"]])):
            yield one


def mark_page(case: Row, answer: Answer, page: str) -> Marks:
    """An answer beside the page that the collection has for its question."""
    leads = list_quoted(answer, [one for one in answer.statements if one.lead])
    titles = {item.passage.reference.id: item.passage.reference.title for item in answer.evidence}
    gold, said = set(case["gold"]), " ".join(one.text for one in answer.statements)
    beginning = " ".join(page.split()[:BEGINNING_WORDS])
    marks: dict[str, tuple[float, float]] = {
        "refused": count([answer.abstained]),
        "the page quoted": count([gold & {*list_quoted(answer, answer.statements)}]),
        "the page leads": count([gold & {*leads}]),
        "a page of its title leads": count([case["focus"] in {titles[id] for id in leads}]),
        "of the beginning of the page said (recall of ROUGE-L)": (SCORER.score(beginning, said)["rougeL"].recall, 1),
        "statements that hang on what is not shown": count(map(_dangles, answer.statements)),
    }
    if not answer.abstained:
        marks |= {"words of an answer": count_words(said), "words of a short answer": count_words(answer.tldr)}
    return marks


def _dangles(statement: Statement) -> bool:
    """Whether a statement begins with a word that points at what is not shown, or is a splinter of a list."""
    return needs_previous_sentence(statement.text) or _SPLINTER.match(statement.text) is not None


async def measure_patient_facts(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """K-QA: what doctors say an answer must have, as the share of its content words that one statement has."""
    path = wish.file or wish.need_data() / "qa/kqa.jsonl.gz"
    cases = _take_half(wish._replace(file=path).read_cases(), wish.half)
    async with wish.open_context(libraries=(LIBRARY,)) as context:
        async for one in ask_cases(cases, context, mark_patient_facts):
            yield one


def mark_patient_facts(case: Row, answer: Answer) -> Marks:
    """How many facts have most of their content words in one statement."""
    said = [set(content_stems(one.text)) for one in answer.statements]
    facts = [set(content_stems(fact)) for fact in case["must_have"]]
    return {
        "refused": count([answer.abstained]),
        "facts said": count(any(len(fact & one) >= SAID_SHARE * len(fact) for one in said) for fact in facts),
        "words of an answer": (sum(len(one.text.split()) for one in answer.statements), int(not answer.abstained)),
    }


def _take_half(rows: list[Row], half: str) -> list[Row]:
    """Every other row, from the first or from the second; or all."""
    return rows[half == "second" :: 2] if half in ("first", "second") else rows
