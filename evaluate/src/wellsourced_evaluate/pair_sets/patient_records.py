"""Files of the form of AEBMP and MOEQA (Wang et al., Nature Communications 2025): a patient's record, a question, an
answer, and what somebody said of the answer.

The sets themselves are hospital records and were not released, so that the names are ours: `record` (or `patient`,
`case`), `question`, `answer`, and `label` or `votes` as in the sets of SourceCheckup. Does the record support the
answer? MOEQA's cases in parts (`patient`, `examination`, `diagnosis`, `treatment`, `order`) are one record. Rows
without a label are questions: `wellsourced evaluate run` asks those.
"""

from collections.abc import Iterator

from wellsourced_evaluate.pair_sets.base import Fields, PairLine, PairSet, SetFile, UnusableLine, require_text
from wellsourced_evaluate.pair_sets.sourcecheckup import read_verdict

RECORD_PARTS = ("record", "patient", "case", "examination", "diagnosis", "treatment", "order")
"""What a record is made of, in the order in which it is read."""


def read_patient_records(file: SetFile) -> Iterator[PairLine]:
    """A pair for each row."""
    return file.translate(_say_pair)


def _say_pair(fields: Fields) -> list[Fields]:
    record = join_record(fields)
    require_text(fields, "question")
    return [
        {
            **({"id": str(fields["id"])} if fields.get("id") is not None else {}),
            "group": record,
            "claim": require_text(fields, "answer"),
            "evidence": record,
            **read_verdict(fields),
        }
    ]


def join_record(fields: Fields) -> str:
    """The parts of a record that a row has, a paragraph each. Raises UnusableLine where it has none."""
    parts = [str(fields[name]).strip() for name in RECORD_PARTS if fields.get(name)]
    if not any(parts):
        raise UnusableLine(f"it has no record: none of {', '.join(RECORD_PARTS)}")
    return "\n".join(filter(None, parts))


PATIENT_RECORDS = PairSet(
    "patient_records",
    "records, questions and answers with a label or votes (of the form of AEBMP and MOEQA)",
    tuple(frozenset({name, "question", "answer"}) for name in ("record", "patient", "case", "order")),
    read_patient_records,
)
