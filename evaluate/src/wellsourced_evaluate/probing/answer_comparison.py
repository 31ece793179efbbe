"""What becomes of an answer when its question is asked in other words, and how it compares to a known one."""

from collections.abc import Sequence

from wellsourced.errors import QuestionError
from wellsourced.models.base import Model
from wellsourced.prompts.probing import CompareToGold, GoldComparison
from wellsourced.types import Answer, Value, cited_passage_ids
from wellsourced_evaluate.probing.question_variants import Variant

EMPTY_ANSWER = GoldComparison(label="less", reason="the answer says nothing")


class AnswerChange(Value):
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


def compare_answers(variant: Variant, answer: Answer, original: Answer) -> AnswerChange:
    """What differs between the answers to a question and to its variant."""
    cited, cited_before = _cited_works(answer), _cited_works(original)
    either, checks = cited | cited_before, answer.checks
    return AnswerChange(
        manner=variant.manner,
        question=variant.question,
        answered=not answer.abstained,
        before=not original.abstained,
        supported=(checks.verbatim + checks.verified) / checks.drafted if checks and checks.drafted else None,
        shared=len(cited & cited_before) / len(either) if either else None,
        same_choice=answer.choice == original.choice if original.question.options else None,
    )


async def compare_to_gold(question: str, known: str, answer: str, model: Model) -> GoldComparison:
    """How an answer stands to the one that is known to be right; an empty one says less, without a call.

    Raises QuestionError when there is no known answer, ModelError.
    """
    if not known.strip():
        raise QuestionError("There is no known answer to compare with: give one.")
    if not answer.strip():
        return EMPTY_ANSWER
    return await model.complete(CompareToGold(question=question, known=known, answer=answer))


def mean_shared_works(changes: Sequence[AnswerChange]) -> float | None:
    """The mean share of works that stay the same over all variants; None when none can be compared."""
    shares = [one.shared for one in changes if one.shared is not None]
    return sum(shares) / len(shares) if shares else None


def _cited_works(answer: Answer) -> set[str]:
    home = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return {home[id] for id in cited_passage_ids(answer.statements)}
