"""Questions that the guidelines answer, questions that they nearly answer, and both as people write messages."""

from collections.abc import AsyncIterator
from typing import Any

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.events import ignore_event
from wellsourced.types import Answer, Question
from wellsourced_evaluate.clinical.cases import (
    CaseMarks,
    CaseWish,
    Marks,
    Row,
    ask_cases,
    count,
    count_words,
    describe_answer,
    has_deciding_words,
    has_plain_pattern,
    list_quoted,
    split_answer,
)
from wellsourced_evaluate.corpus import open_corpus
from wellsourced_evaluate.development_data import find_data, read_rows
from wellsourced_evaluate.questions.answer_marks import has_pattern


async def measure_facts(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Of each question the facts, as patterns, that the statements have, and that the short answer has."""
    async with wish.open_context() as context:
        async for one in ask_cases(wish.read_cases("clinical_cases/facts.jsonl"), context, mark_facts):
            yield one


def mark_facts(case: Row, answer: Answer) -> Marks:
    """Facts said, at all and in the short answer, and how many words that took."""
    text, short = split_answer(answer)
    patterns = [fact["pattern"] for fact in case["facts"]]
    return {
        "facts said": count(has_pattern(one, text) for one in patterns),
        "facts in the short answer": count(has_pattern(one, short) for one in patterns),
        "refused": count([answer.abstained]),
        "words of an answer": count_words(text),
        "words of a short answer": count_words(short),
    }


async def measure_near_misses(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Questions that the digests do not answer, and controls that they do."""
    async with wish.open_context() as context:
        async for one in ask_cases(wish.read_cases("clinical_cases/near_misses.jsonl"), context, _mark_near_miss):
            yield one


def _mark_near_miss(case: Row, answer: Answer) -> Marks:
    text, _ = split_answer(answer)
    if case["missing"]:
        wrong = count([has_pattern(case["wrong"], text)])
        return {"near misses answered": count([not answer.abstained]), "… as the case calls wrong": wrong}
    right = count([has_pattern(case["expected"], text)])
    return {"controls right": right, "controls refused": count([answer.abstained])}


async def measure_questions(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """A file questions_*.jsonl: deciding words and facts of what is answerable, what is refused or wrongly answered."""
    async with wish.open_context() as context:
        async for one in ask_cases(wish.read_cases(), context, mark_question):
            yield one


def mark_question(case: Row, answer: Answer) -> Marks:
    """What is said of what is answerable, and what is answered of what is not."""
    text, short = split_answer(answer)
    if not case["answerable"]:
        name = {"near": "near misses", "off": "other matters"}[case["kind"]]
        wrong = count([has_pattern(case.get("wrong") or r"(?!)", text)])
        return {f"{name} answered": count([not answer.abstained]), f"{name}: as the case calls wrong": wrong}
    facts = [fact["pattern"] for fact in case.get("facts", ())]
    marks = {
        "deciding words said": count([has_deciding_words(case, text)]),
        "deciding words in the short answer": count([has_deciding_words(case, short)]),
        "facts said": count(has_plain_pattern(one, text) for one in facts),
        "facts in the short answer": count(has_plain_pattern(one, short) for one in facts),
        "refused": count([answer.abstained]),
    }
    if answer.abstained:
        near = "\n".join(one.text for one in answer.found_instead)
        marks["of those refused the deciding words stand in what is nearest"] = count([has_deciding_words(case, near)])
    else:
        marks["words of an answer"] = count_words(text)
    if case["kind"] == "yes_no":
        label = answer.decision.label if answer.decision else ""
        marks["yes or no decided"] = count([label in ("yes", "no")])
        marks["yes or no decided rightly"] = count([label == case.get("answer")])
    return marks


# --- messages --------------------------------------------------------------------------------------------------------


async def measure_messages(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Questions as people write messages, beside the plain ones: refused, same first document, facts, decisions kept.

    Those on studies are asked of the research corpus, where the development data are named.
    """
    folder = find_data("clinical_cases")
    known = {"facts": {case["id"]: case for case in read_rows(folder / "facts.jsonl")}, "pubmedqa": {}}
    if wish.data:
        known["pubmedqa"] = {case["id"]: case for case in read_rows(wish.data / "qa/pubmedqa.jsonl.gz")}
    rows = wish.read_cases("clinical_cases/messages.jsonl")
    cases = [{"facts": [], **known[row["of"]][row["id"]], **row} for row in rows if row["id"] in known[row["of"]]]
    cases = [one for one in cases if wish.half in ("", one["half"])]
    async with wish.open_context() as context:
        for case in cases:
            if case["of"] == "facts":
                yield await _compare_message(case, context)
    if wish.data:
        settings = config.load({"home": str(wish.home), "network.offline": True} if wish.home else {})
        built = await open_corpus(str(wish.data / "corpora/research.jsonl.gz"), settings, "research", ignore_event)
        async with config.open_context(built.settings, libraries=(built.library,), live=()) as context:
            for case in cases:
                if case["of"] == "pubmedqa":
                    yield await _compare_message(case, context)


async def _compare_message(case: Row, context: Context) -> CaseMarks:
    plain, message = [await ask(Question(text=case[name]), context) for name in ("question", "message")]
    was, now = _record(case, plain), _record(case, message)
    name = f"{case['half']} {case['of']}"
    marks: dict[str, tuple[float, float]] = {
        f"{name}: refused as a plain question": count([plain.abstained]),
        f"{name}: refused as a message": count([message.abstained]),
        f"{name}: facts said, plain": count(was["facts"]),
        f"{name}: facts said, message": count(now["facts"]),
    }
    if was["leads"]:
        marks[f"{name}: same first document"] = count([was["leads"][:1] == now["leads"][:1]])
    if was["decision"] in ("yes", "no", "depends"):
        marks[f"{name}: decision kept"] = count([was["decision"] == now["decision"]])
    return CaseMarks(case["id"], marks, describe_answer(message))


def _record(case: Row, answer: Answer) -> dict[str, Any]:
    """What is compared of an answer."""
    text, _ = split_answer(answer)
    return {
        "leads": list_quoted(answer, [one for one in answer.statements if one.lead]),
        "decision": answer.decision.label if answer.decision else "",
        "facts": [has_pattern(fact["pattern"], text) for fact in case["facts"]],
    }
