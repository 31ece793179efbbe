"""Comparing: what becomes of an answer when its question is asked otherwise, and how it stands to a known one."""

from collections.abc import Sequence

from wellsourced.errors import QuestionError
from wellsourced.models.base import Model
from wellsourced.probing.variants import Variant
from wellsourced.prompts.probing import Compared, CompareToGold
from wellsourced.types import Answer, Value

NOTHING_SAID = Compared(label="less", reason="the answer says nothing")


class Change(Value):
    """An answer to a variant beside the answer to the question itself.

    answered        whether it says anything; `before` whether the other did
    supported       share of its drafted statements that were supported; None when nothing was drafted
    shared          works that both cite, of those that either cites (Jaccard); None when neither cites any
    same_choice     both chose the same option; None without options
    """

    manner: str
    question: str
    answered: bool
    before: bool
    supported: float | None = None
    shared: float | None = None
    same_choice: bool | None = None


def change(variant: Variant, answer: Answer, original: Answer) -> Change:
    """What differs between the answers to a question and to its variant."""
    cited, cited_before = _cited(answer), _cited(original)
    either = cited | cited_before
    return Change(
        manner=variant.manner,
        question=variant.question,
        answered=not answer.abstained,
        before=not original.abstained,
        supported=_supported(answer),
        shared=len(cited & cited_before) / len(either) if either else None,
        same_choice=answer.choice == original.choice if original.question.options else None,
    )


async def compared(question: str, known: str, answer: str, model: Model) -> Compared:
    """How an answer stands to the one that is known to be right; an empty one says less, without a call.

    Raises QuestionError when there is no known answer, ModelError.
    """
    if not known.strip():
        raise QuestionError("There is no known answer to compare with: give one.")
    if not answer.strip():
        return NOTHING_SAID
    return await model.complete(CompareToGold(question=question, known=known, answer=answer))


def steady(changes: Sequence[Change]) -> float | None:
    """The mean share of works that stay the same over all variants; None when none can be compared."""
    shares = [one.shared for one in changes if one.shared is not None]
    return sum(shares) / len(shares) if shares else None


def _cited(answer: Answer) -> set[str]:
    home = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return {home[citation.passage_id] for statement in answer.statements for citation in statement.citations}


def _supported(answer: Answer) -> float | None:
    checks = answer.checks
    return checks.supports / checks.drafted if checks and checks.drafted else None
