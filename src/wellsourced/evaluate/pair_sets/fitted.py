"""What of this package was fitted on which published pairs: a figure on those says little of pairs that are new.

`fitted_pairs.tsv` has a pattern of the ids by which pairs of a set are known, as it was released and in our form, which
of them, the judge, what of it was fitted, and the script. "development": the pairs whose group has an even SHA-1. A
file may be renamed; pairs without their ids are not known.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.config.judges import hash_claim, load_shipped_evidence
from wellsourced.evaluate.labelled_pairs import LabelledPair
from wellsourced.evaluate.questions.published_sets import is_among
from wellsourced.text.tables import read_rows


class FittedPairs(NamedTuple):
    """What of a judge was fitted on a part of some pairs, by which script, and how many pairs that part has."""

    what: str
    script: str
    pairs: int

    def describe(self, every: int) -> str:
        """As a sentence without a full stop."""
        return (
            f"{self.pairs:,} of {every:,} pairs belong to those on which the judge was fitted: {self.what}, by "
            f"{self.script}. Less is to be expected of pairs that it has not seen"
        )


def list_fitted_pairs(
    judge: str, pairs: Sequence[LabelledPair], calibrated: Collection[str] = frozenset()
) -> list[FittedPairs]:
    """What of a judge, by its name, was fitted on these pairs; nothing where it was fitted on none.

    calibrated   hashes of the claims that the user's own calibration of the judge was fitted on
    """
    found: dict[tuple[str, str], int] = {}
    for what, script, count in _count_shipped(judge, pairs):
        found[what, script] = found.get((what, script), 0) + count
    if own := sum(hash_claim(one.claim) in calibrated for one in pairs):
        found["your own calibration", "wellsourced judges calibrate"] = own
    return [FittedPairs(what, script, count) for (what, script), count in found.items() if count]


def list_measured_files(judge: str, files: Mapping[str, str]) -> list[str]:
    """Of these files (name → sha256 or its beginning) those on which it was measured how far the judge is believed."""
    known = [one.sha256 for shipped in load_shipped_evidence() if shipped.judge in judge for one in shipped.sets]
    return [name for name, digest in files.items() if any(one.startswith(digest) for one in known)]


def _count_shipped(judge: str, pairs: Sequence[LabelledPair]) -> Iterator[tuple[str, str, int]]:
    for pattern, which, fitted, what, script in read_rows("wellsourced.evaluate.pair_sets", "fitted_pairs.tsv"):
        if re.search(rf"\b{re.escape(fitted)}\b", judge):
            its = [one for one in pairs if re.fullmatch(pattern, one.id) and is_among(which, one.group)]
            yield what, script, len(its)
