"""How far a judge agrees with people who said of the same pairs what the text says: each of them, and their majority.

SourceCheckup (Wu et al., Nature Communications 2025) validates its judge so; K-QA has three physicians' votes. Pairs
without votes, and those on which the judge gives no verdict, are left out of its agreement and counted.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from wellsourced_evaluate.checkups.agreement import (
    GroupAgreement,
    PairAgreement,
    compare_group,
    compare_raters,
    find_majority,
)
from wellsourced_evaluate.verification import JudgedPair

JUDGE, MAJORITY = "judge", "majority"


class VoteAgreement(NamedTuple):
    """What raters' votes say of a judge.

    voted      pairs that have votes; unjudged: of these, those without a verdict
    raters     among themselves
    judge      with each rater, in their order, and last with the majority
    ties       pairs on which the raters came out level: they have no majority
    majority   the majority's commonest label and its share: what saying it always would agree to
    """

    voted: int
    unjudged: int
    raters: GroupAgreement
    judge: tuple[PairAgreement, ...]
    ties: int
    majority: tuple[str, float] | None

    def to_json(self) -> dict[str, Any]:
        """Everything by its name."""
        plain = self._asdict()
        raters = self.raters._asdict() | {"pairs": [one._asdict() for one in self.raters.pairs]}
        floor = {"label": self.majority[0], "share": self.majority[1]} if self.majority else None
        return plain | {"raters": raters, "judge": [one._asdict() for one in self.judge], "majority": floor}


def compare_votes(said: Sequence[JudgedPair]) -> VoteAgreement | None:
    """The judge beside the people; None where no pair has votes."""
    voted = [(str(place), one) for place, one in enumerate(said) if one.pair.votes]
    if not voted:
        return None
    places = max(len(one.pair.votes) for _, one in voted)
    raters = {
        f"rater {place + 1}": {id: str(one.pair.votes[place]) for id, one in voted if len(one.pair.votes) > place}
        for place in range(places)
    }
    judged = {id: str(one.verdict.label) for id, one in voted if one.verdict.label != "unjudged"}
    majority, ties = find_majority(raters)
    counts = Counter(majority.values()).most_common(1)
    return VoteAgreement(
        len(voted),
        len(voted) - len(judged),
        compare_group(raters),
        (
            *(compare_raters(JUDGE, name, judged, labels) for name, labels in raters.items()),
            compare_raters(JUDGE, MAJORITY, judged, majority),
        ),
        len(ties),
        (counts[0][0], counts[0][1] / len(majority)) if counts else None,
    )
