"""What is told rightly and wrongly, counted, and the shares that follow from the counts."""

from collections.abc import Iterable
from typing import NamedTuple


class Confusion(NamedTuple):
    """How often each of the four cases came up.

    tp, fp   it was said to be so, and is; and is not
    fn, tn   it was not said to be so, and is; and is not
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def from_cases(cls, cases: Iterable[tuple[bool, bool]]) -> "Confusion":
        """Counted from (said, so) pairs."""
        told = list(cases)
        return cls(
            tp=told.count((True, True)),
            fp=told.count((True, False)),
            fn=told.count((False, True)),
            tn=told.count((False, False)),
        )

    @property
    def precision(self) -> float | None:
        """Of what was said to be so, the share that is."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Of what is so, the share that was said to be."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall, as 2·tp / (2·tp + fp + fn)."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def specificity(self) -> float | None:
        """Of what is not so, the share that was not said to be."""
        return ratio(self.tn, self.tn + self.fp)

    @property
    def informedness(self) -> float | None:
        """Recall + specificity - 1 (Youden's J): 0 is chance, however often something is so or said to be."""
        if self.recall is None or self.specificity is None:
            return None
        return self.recall + self.specificity - 1

    @property
    def prevalence(self) -> float | None:
        """The share that is so."""
        return ratio(self.tp + self.fn, sum(self))

    @property
    def predicted_share(self) -> float | None:
        """The share that was said to be so."""
        return ratio(self.tp + self.fp, sum(self))


def ratio(part: int, whole: int) -> float | None:
    """part / whole; None of nothing."""
    return part / whole if whole else None
