"""Whether a rater read what was rated: the same question twice, and an answer that is obviously wrong."""

from collections.abc import Iterator, Sequence

from wellsourced_evaluate.rating.criteria import Criterion
from wellsourced_evaluate.rating.questionnaire import RIGHT, WRONG, StudyKey
from wellsourced_evaluate.rating.rating_rows import RatedItem

MAX_DRIFT = 0.25
"""How far ratings of the same answers may lie apart on the average, as a part of the scale: one step of five."""


def find_failures(items: Sequence[RatedItem], key: StudyKey) -> dict[str, tuple[str, ...]]:
    """Rater → why quality control was not passed; nobody who passed it, or returned none of its items."""
    found: dict[str, tuple[str, ...]] = {}
    for rater in dict.fromkeys(one.rater for one in items):
        own = [one for one in items if one.rater == rater]
        if reasons := (*_judge_control(own, key), *_judge_repeat(own, key)):
            found[rater] = reasons
    return found


def _judge_control(items: Sequence[RatedItem], key: StudyKey) -> Iterator[str]:
    """What speaks against a rater in the control question: the wrong answer is preferred, or rated as good."""
    for item in items:
        if item.key.kind != "control":
            continue
        if item.preferred == WRONG:
            yield "preferred the wrong answer of the control question"
        elif item.preferred == "":
            yield "saw no difference between the right and the wrong answer of the control question"
        gains = [
            (item.values[RIGHT, one.name] - item.values[WRONG, one.name]) * _direction(one)
            for one in key.criteria.criteria
            if (RIGHT, one.name) in item.values and (WRONG, one.name) in item.values
        ]
        if gains and sum(gains) <= 0:
            yield "rated the wrong answer of the control question as good as the right one"


def _direction(criterion: Criterion) -> int:
    return 1 if criterion.better == "higher" else -1


def _judge_repeat(items: Sequence[RatedItem], key: StudyKey) -> Iterator[str]:
    """What speaks against a rater in the question that was put twice: another preference, or ratings far apart."""
    first = {item.key.question: item for item in items if item.key.kind == "question"}
    for again in items:
        before = first.get(again.key.question)
        if again.key.kind != "repeat" or before is None:
            continue
        if before.preferred and again.preferred and before.preferred != again.preferred:
            yield "preferred another answer when a question was put again with the answers exchanged"
        steps = {one.name: one.high - one.low for one in key.criteria.criteria}
        drifts = [
            abs(value - before.values[cell]) / steps[cell[1]]
            for cell, value in again.values.items()
            if cell in before.values
        ]
        if drifts and sum(drifts) / len(drifts) > MAX_DRIFT:
            yield "rated the same answers far apart when a question was put again"
