"""Every set of pairs that can be read, and which of them a file is: by the fields of its first row."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from wellsourced.errors import SettingsError
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    PairSet,
    RejectedLine,
    SetFile,
    read_numbered_rows,
)
from wellsourced_evaluate.pair_sets.evidence_inference import EVIDENCE_INFERENCE
from wellsourced_evaluate.pair_sets.healthver import HEALTHVER
from wellsourced_evaluate.pair_sets.kqa import KQA
from wellsourced_evaluate.pair_sets.nli import NLI
from wellsourced_evaluate.pair_sets.patient_records import PATIENT_RECORDS
from wellsourced_evaluate.pair_sets.scifact import SCIFACT
from wellsourced_evaluate.pair_sets.sourcecheckup import SOURCECHECKUP


def read_own_pairs(file: SetFile) -> Iterator[PairLine]:
    """A pair for each line in the form of our own; whoever takes the pairs says what is wrong with one."""
    return (PairLine(file.path.name, number, fields) for number, fields in file.rows)


OWN_PAIRS = PairSet("pairs", "claim, label and evidence or doc_id", (frozenset({"claim", "label"}),), read_own_pairs)

PAIR_SETS: Mapping[str, PairSet] = {
    one.name: one
    for one in (
        SCIFACT,
        HEALTHVER,
        EVIDENCE_INFERENCE,
        KQA,
        NLI,
        SOURCECHECKUP,
        PATIENT_RECORDS,
        OWN_PAIRS,
    )
}
"""By name, in the order in which they are tried; what none recognises is in the form of our own."""


class ReadPairLines:
    """The pairs of a file in the form of our own, the set that it is of, and every file that was read for it."""

    def __init__(self, path: Path, form: str, corpus: Path | None, rejected: list[RejectedLine]) -> None:
        rows = read_numbered_rows(path, rejected)
        first = next(rows, None)
        self.pair_set = find_pair_set(form) if form else recognise_pair_set(first[1] if first else {})
        file = SetFile(path, chain([first] if first else [], rows), corpus, rejected)
        self.lines = list(self.pair_set.read(file))
        self.files = (path, *file.others)


def find_pair_set(name: str) -> PairSet:
    """The set of this name. Raises SettingsError."""
    if name not in PAIR_SETS:
        raise SettingsError(f"There is no set of pairs “{name}”: choose {', '.join(PAIR_SETS)}.")
    return PAIR_SETS[name]


def recognise_pair_set(fields: Fields) -> PairSet:
    """The set that a row is of."""
    return next((one for one in PAIR_SETS.values() if one.recognises(fields)), OWN_PAIRS)
