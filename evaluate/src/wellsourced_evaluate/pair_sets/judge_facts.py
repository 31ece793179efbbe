"""What of a judge was fitted, or measured, on published pairs.

A figure on those pairs says little of pairs that are new. `fitted_pairs.tsv` has a pattern of the ids by which
pairs of a set are known, as it was released and in our form, which of them, the judge, what of it was fitted, the
script, and the figure of weighed.json that says how good the same is where it was fitted on the other sets alone.
"development": the pairs whose group has an even SHA-1. A file may be renamed; pairs without their ids are not known.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from wellsourced.config.judges import hash_claim, load_shipped_evidence
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.labelled_pairs import LabelledPair
from wellsourced_evaluate.questions.fitted_sets import is_among


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
    figures = json.loads(files("wellsourced.judges").joinpath("weighed.json").read_text("utf-8"))["figures"]
    found: dict[tuple[str, str], FittedPairs] = {}
    for pattern, which, fitted, what, script, figure in read_rows("wellsourced_evaluate.pair_sets", "fitted_pairs.tsv"):
        if not re.search(rf"\b{re.escape(fitted)}\b", judge):
            continue
        its = [one for one in pairs if re.fullmatch(pattern, one.id) and is_among(which, one.group)]
        if its:
            known = found.get((what, script), FittedPairs(what, script, 0, {}))
            unseen = {**known.unseen, **({figure: figures[figure]} if figure else {})}
            found[what, script] = FittedPairs(what, script, known.pairs + len(its), unseen)
    own = sum(hash_claim(one.claim) in calibrated for one in pairs)
    users = [FittedPairs("your own calibration", "wellsourced judges calibrate", own, {})] if own else []
    return [*found.values(), *users]


def list_measured_files(judge: str, hashes: Mapping[str, str]) -> list[str]:
    """Of these files (name → sha256 or its beginning) those on which it was measured how far the judge is believed."""
    known = [one.sha256 for shipped in load_shipped_evidence() if shipped.judge in judge for one in shipped.sets]
    return [name for name, digest in hashes.items() if any(one.startswith(digest) for one in known)]
