"""The preflight: do two rankings of the same passages agree on the best ones? If so, one reading of all is enough."""

from collections.abc import Sequence
from fractions import Fraction

from wellsourced.text.passages import text_under_titles
from wellsourced.text.ranking import bm25_scores
from wellsourced.types import Passage, Preflight


def run_preflight(query: str, passages: Sequence[Passage], top: int, delta: float, parts: int) -> Preflight:
    """Whether to read the passages, given best first, in parts: their order beside that of BM25 over them alone.

    A model overlooks what stands in the middle of a long prompt. Where words and the first ranking name the same best
    passages, what answers is likely to stand at the beginning already (Zhang et al., npj Digital Medicine 2025).

    top     best passages of either ranking that are compared; 1 or more
    delta   in [0, 1); they agree when the IoU of both is greater
    parts   in how many they would be read, at most; each is a call that one reading of all saves
    """
    top, parts = min(top, len(passages)), min(parts, len(passages))
    scores = bm25_scores(query, [text_under_titles(passage) for passage in passages])
    shared = _count_shared(passages, scores, top)
    few = len(passages) <= top
    mapped = not few and not is_agreement(shared, top, delta)
    return Preflight(
        mapped=mapped,
        top=top,
        delta=delta,
        shared=shared,
        iou=float(intersection_over_union(shared, top)),
        parts=parts,
        saved=0 if mapped else parts,
        reason=_too_few_reason(len(passages)) if few else _agreement_reason(shared, top, mapped, worded=any(scores)),
    )


def is_agreement(shared: int, top: int, delta: float) -> bool:
    """Whether the IoU is greater than delta as it is written, so that 1/5 is not greater than 0.2."""
    return intersection_over_union(shared, top) > Fraction(str(delta))


def intersection_over_union(shared: int, top: int) -> Fraction:
    """Intersection over union of two sets of `top` members, so many of them shared; 1 for two empty sets."""
    return Fraction(shared, 2 * top - shared) if top else Fraction(1)


def _count_shared(passages: Sequence[Passage], scores: Sequence[float], top: int) -> int:
    """How many passages stand among the first of both rankings; none when words rank nothing."""
    if len(passages) > top and not any(scores):
        return 0
    return len({one.id for one in passages[:top]} & {one.id for one in rank_by_score(passages, scores)[:top]})


def rank_by_score(passages: Sequence[Passage], scores: Sequence[float]) -> list[Passage]:
    """Best first. Equal scores by reference: by their first rank, they would seem to agree with it."""
    order = sorted(
        zip(passages, scores, strict=True), key=lambda one: (-one[1], one[0].reference.id, one[0].start, one[0].end)
    )
    return [passage for passage, _ in order]


def _too_few_reason(count: int) -> str:
    return "there is only one passage" if count == 1 else f"there are only {count} passages"


def _agreement_reason(shared: int, top: int, mapped: bool, *, worded: bool) -> str:
    if not worded:
        return "no passage has a word of the question, so words do not tell which are the best"
    found = f"{shared} of the best {top} passages are the best by their words too"
    return f"{found}: what answers may stand in the middle" if mapped else found
