"""What an answer is marked by: the label it says, the facts that its statements have, whether its own source helped."""

import re
from collections.abc import Sequence

from wellsourced.evaluate.questions.case_rows import ExpectedFact, QuestionCase
from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Answer, Statement, Value

_OPENING_LABEL = re.compile(r"\W*(?P<label>yes|no|maybe)\b\**\s*(?:[,.;:—–-]|\Z)", re.IGNORECASE)
"""A model's statement that begins with the label: "No, it did not", and not "No trial was found"."""


class FactMark(Value):
    """One thing that an answer should say.

    said        whether the statements say it; None: who was to judge gave no verdict
    leads       whether the short answer does
    is_judged   by a judge, since it has no pattern
    """

    fact: str
    said: bool | None
    leads: bool | None
    is_judged: bool = False


class RecordedQuote(Value):
    """Words that a statement cites: its place among the statements, from 0, the document, and the words."""

    statement: int
    document: str
    quote: str


def join_texts(statements: Sequence[Statement]) -> str:
    """What statements say, one a line."""
    return "\n".join(statement.text for statement in statements)


def lead_text(answer: Answer) -> str:
    """The short answer."""
    return join_texts([statement for statement in answer.statements if statement.lead])


def has_pattern(pattern: str, text: str) -> bool:
    """Whether a text has what the expression finds; case does not count."""
    return re.search(pattern, text, re.IGNORECASE) is not None


def read_label(case: QuestionCase, answer: Answer) -> str:
    """The label that an answer says, "" for none: a letter, what was decided, or the word with which it begins.

    "depends" is a label that no set has, so that it is never right; whoever abstains says none.
    """
    if answer.abstained:
        return ""
    if case.options:
        return answer.choice
    if answer.decision is not None:
        return "" if answer.decision.label == "not said" else answer.decision.label
    return match_opening_label(lead_text(answer) or join_texts(answer.statements))


def match_opening_label(text: str) -> str:
    """The label with which a text begins: yes, no or maybe; "" for none."""
    opening = _OPENING_LABEL.match(text)
    return opening["label"].casefold() if opening else ""


async def mark_facts(case: QuestionCase, answer: Answer, judge: Judge) -> tuple[FactMark, ...]:
    """Each fact that the case expects, found by its pattern, or by the judge where it has none. Raises ModelError."""
    text, short = join_texts(answer.statements), lead_text(answer)
    judged = [one for one in case.facts if not one.pattern]
    supported = await _judge_statements(judged, (text, short), judge) if judged else {}
    marks: list[FactMark] = []
    said: bool | None
    leads: bool | None
    for one in case.facts:
        if one.pattern:
            said, leads = (has_pattern(one.pattern, words) for words in (text, short))
            marks.append(FactMark(fact=one.fact, said=said, leads=leads))
        else:
            said, leads = supported[one.fact, text], supported[one.fact, short]
            marks.append(FactMark(fact=one.fact, said=said, leads=leads, is_judged=True))
    return tuple(marks)


async def _judge_statements(
    facts: Sequence[ExpectedFact], texts: Sequence[str], judge: Judge
) -> dict[tuple[str, str], bool | None]:
    """(fact, text) → whether the judge says that the text supports it; an empty text supports nothing."""
    pairs = list(dict.fromkeys(Pair(one.fact, text) for one in facts for text in texts if text))
    verdicts = await judge.judge(pairs) if pairs else []
    found: dict[tuple[str, str], bool | None] = {(one.fact, ""): False for one in facts}
    for pair, verdict in zip(pairs, verdicts, strict=True):
        found[pair.claim, pair.text] = None if verdict.label == "unjudged" else verdict.label == "supports"
    return found


def cited_documents(answer: Answer) -> tuple[str, ...]:
    """Ids of the documents that the statements cite, each once."""
    documents = {one.passage.id: one.passage.reference.id for one in answer.evidence}
    return tuple(dict.fromkeys(documents[id] for one in answer.statements for id in one.cited_ids))


def cited_quotes(answer: Answer) -> tuple[RecordedQuote, ...]:
    """The words that each statement cites."""
    documents = {one.passage.id: one.passage.reference.id for one in answer.evidence}
    return tuple(
        RecordedQuote(statement=at, document=documents[cited.passage_id], quote=cited.quote)
        for at, statement in enumerate(answer.statements)
        for cited in statement.citations
    )


def has_own_source(case: QuestionCase, answer: Answer) -> bool | None:
    """Whether a document from which the question was made is among the evidence; None: it is not known which."""
    if not case.sources:
        return None
    references = [one.passage.reference for one in answer.evidence]
    ids = {name for one in references for name in (one.id, f"pubmed:{one.pmid}", f"doi:{one.doi}")}
    return not ids.isdisjoint(case.source_ids)
