"""What is known of a judge on published pairs: what of it was fitted on them, and how far it agrees with people.

Fitted: a figure on those pairs says little of pairs that are new. `fitted_pairs.tsv` has a pattern of the ids by which
pairs of a set are known, as it was released and in our form, which of them, the judge, what of it was fitted, the
script, and the figure of weighed.json that says how good the same is where it was fitted on the other sets alone.
"development": the pairs whose group has an even SHA-1. A file may be renamed; pairs without their ids are not known.

Raters: SourceCheckup (Wu et al., Nature Communications 2025) validates its judge by people's labels, each rater's and
the majority's; K-QA has three physicians' votes. Pairs without votes, and those on which the judge gives no verdict,
are left out of its agreement and counted.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from wellsourced.config.judges import hash_claim, load_shipped_evidence
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.checkups.agreement import (
    GroupAgreement,
    PairAgreement,
    compare_group,
    compare_raters,
    find_majority,
)
from wellsourced_evaluate.labelled_pairs import LabelledPair
from wellsourced_evaluate.questions.fitted_sets import is_among
from wellsourced_evaluate.verification import JudgedPair


class FittedPairs(NamedTuple):
    """What of a judge was fitted on a part of some pairs, by which script, and how many pairs that part has.

    unseen   what is known of the same where it had not seen the set: name of the figure → its value
    """

    what: str
    script: str
    pairs: int
    unseen: Mapping[str, float]

    def describe(self, every: int) -> str:
        """As a sentence without a full stop."""
        known = "; ".join(f"{name} {value:.3f}" for name, value in self.unseen.items())
        return (
            f"{self.pairs:,} of {every:,} pairs belong to those on which the judge was fitted: {self.what}, by "
            f"{self.script}. Less is to be expected of pairs that it has not seen"
            f"{f' ({known})' if known else ''}"
        )


def list_fitted_pairs(
    judge: str, pairs: Sequence[LabelledPair], calibrated: Collection[str] = frozenset()
) -> list[FittedPairs]:
    """What of a judge, by its name, was fitted on these pairs; nothing where it was fitted on none.

    calibrated   hashes of the claims that the user's own calibration of the judge was fitted on
    """
    found: dict[tuple[str, str], FittedPairs] = {}
    for one in _list_shipped(judge, pairs):
        known = found.get((one.what, one.script), one._replace(pairs=0))
        unseen = {**known.unseen, **one.unseen}
        found[one.what, one.script] = one._replace(pairs=known.pairs + one.pairs, unseen=unseen)
    own = sum(hash_claim(one.claim) in calibrated for one in pairs)
    users = [FittedPairs("your own calibration", "wellsourced judges calibrate", own, {})] if own else []
    return [*found.values(), *users]


def list_measured_files(judge: str, hashes: Mapping[str, str]) -> list[str]:
    """Of these files (name → sha256 or its beginning) those on which it was measured how far the judge is believed."""
    known = [one.sha256 for shipped in load_shipped_evidence() if shipped.judge in judge for one in shipped.sets]
    return [name for name, digest in hashes.items() if any(one.startswith(digest) for one in known)]


def _list_shipped(judge: str, pairs: Sequence[LabelledPair]) -> Iterator[FittedPairs]:
    """What was fitted on a part of these pairs before it came along, a set each."""
    figures = json.loads(files("wellsourced.judges").joinpath("weighed.json").read_text("utf-8"))["figures"]
    for pattern, which, fitted, what, script, figure in read_rows("wellsourced_evaluate.pair_sets", "fitted_pairs.tsv"):
        if re.search(rf"\b{re.escape(fitted)}\b", judge):
            its = [one for one in pairs if re.fullmatch(pattern, one.id) and is_among(which, one.group)]
            if its:
                yield FittedPairs(what, script, len(its), {figure: figures[figure]} if figure else {})


# --- raters ----------------------------------------------------------------------------------------------------------

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
