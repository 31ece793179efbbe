"""What an answer is marked by: the label it says, the facts that its statements have, whether its own source helped."""

import re
from collections.abc import Sequence

from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Answer, Statement, Value, VerdictLabel
from wellsourced_evaluate.questions.case_rows import ExpectedFact, QuestionCase

_OPENING_LABEL = re.compile(r"\W*(?P<label>yes|no|maybe)\b\**\s*(?:[,.;:—–-]|\Z)", re.IGNORECASE)
"""A model's statement that begins with the label: "No, it did not", and not "No trial was found"."""


class FactMark(Value):
    """One thing that an answer should say.

    said           whether the statements say it; None: who was to judge gave no verdict
    leads          whether the short answer does
    is_judged      by a judge, since it has no pattern
    contradicted   whether the statements contradict it; None: it has a pattern, or no verdict was given
    is_optional    nothing is lacking where it is not said
    """

    fact: str
    said: bool | None
    leads: bool | None
    is_judged: bool = False
    contradicted: bool | None = None
    is_optional: bool = False


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
    labels = await _judge_statements(judged, (text, short), judge) if judged else {}
    marks: list[FactMark] = []
    said: bool | None
    leads: bool | None
    for one in case.facts:
        if one.pattern:
            said, leads = (has_pattern(one.pattern, words) for words in (text, short))
            marks.append(FactMark(fact=one.fact, said=said, leads=leads))
        else:
            marks.append(_read_labels(one, labels[one.fact, text], labels[one.fact, short]))
    return tuple(marks)


def _read_labels(fact: ExpectedFact, label: VerdictLabel, short_label: VerdictLabel) -> FactMark:
    is_known = label != "unjudged"
    return FactMark(
        fact=fact.fact,
        said=label == "supports" if is_known else None,
        leads=short_label == "supports" if short_label != "unjudged" else None,
        is_judged=True,
        contradicted=label == "contradicts" if is_known else None,
        is_optional=fact.is_optional,
    )


def lose_marks(case: QuestionCase) -> tuple[FactMark, ...]:
    """The marks of a case to which nothing was said: every fact is lacking, and none contradicted."""
    return tuple(
        FactMark(
            fact=one.fact,
            said=False,
            leads=False,
            is_judged=not one.pattern,
            contradicted=None if one.pattern else False,
            is_optional=one.is_optional,
        )
        for one in case.facts
    )


async def _judge_statements(
    facts: Sequence[ExpectedFact], texts: Sequence[str], judge: Judge
) -> dict[tuple[str, str], VerdictLabel]:
    """(fact, text) → what the judge says that the text is to it; an empty text is silent."""
    pairs = list(dict.fromkeys(Pair(one.fact, text) for one in facts for text in texts if text))
    verdicts = await judge.judge(pairs) if pairs else []
    found: dict[tuple[str, str], VerdictLabel] = {(one.fact, ""): "silent" for one in facts}
    for pair, verdict in zip(pairs, verdicts, strict=True):
        found[pair.claim, pair.text] = verdict.label
    return found


def cited_documents(answer: Answer) -> tuple[str, ...]:
    """Ids of the documents that the statements cite, each once."""
    documents = {one.passage.id: one.passage.reference.id for one in answer.evidence}
    return tuple(dict.fromkeys(documents[id] for one in answer.statements for id in one.cited_ids))


def has_own_source(case: QuestionCase, answer: Answer, *, cited_only: bool = False) -> bool | None:
    """Whether a document from which the question was made is among the evidence, or is cited; None: not known which."""
    if not case.sources:
        return None
    cited = {id for one in answer.statements for id in one.cited_ids} if cited_only else None
    references = [one.passage.reference for one in answer.evidence if cited is None or one.passage.id in cited]
    ids = {name for one in references for name in (one.id, f"pubmed:{one.pmid}", f"doi:{one.doi}")}
    return not ids.isdisjoint(case.source_ids)
