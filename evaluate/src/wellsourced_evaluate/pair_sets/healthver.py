"""HealthVer (Sarrouti et al., Findings of EMNLP 2021): claims about COVID-19 and what passages of papers say of them.

As it was released, healthver_train.csv, _dev.csv and _test.csv: `id`, `evidence`, `claim`, `label` (Supports, Refutes,
Neutral), `topic_ip` and `question` (github.com/sarrouti/HealthVer, data/healthver_dev.csv). As it is packed for
MultiVerS (Wadden et al., 2022; huggingface.co/datasets/dwadden/healthver_entailment), and SciFact is, too: `claim_id`,
`claim`, `abstract_id`, `title`, `abstract` (sentences), `verdict` (SUPPORT, CONTRADICT, NEI) and `evidence` (places of
sentences). Pairs of one topic, or of one abstract or claim, are a group: they share claims and texts.
"""

from collections.abc import Iterator

from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    PairSet,
    SetFile,
    UnusableLine,
    require_text,
    translate_label,
)

LABELS = {"Supports": "supported", "Refutes": "contradicted", "Neutral": "not_enough"}
VERDICTS = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "NEI": "not_enough"}


def read_healthver(file: SetFile) -> Iterator[PairLine]:
    """A pair for each row."""
    return file.translate(lambda fields: [_packed_pair(fields) if "verdict" in fields else _released_pair(fields)])


def _released_pair(fields: Fields) -> Fields:
    return {
        "id": f"healthver-{require_text(fields, 'id')}",
        "group": f"healthver-topic-{require_text(fields, 'topic_ip')}",
        "claim": require_text(fields, "claim"),
        "evidence": require_text(fields, "evidence"),
        "label": translate_label(fields.get("label"), LABELS),
    }


def _packed_pair(fields: Fields) -> Fields:
    sentences, places = fields.get("abstract"), fields.get("evidence") or []
    if not isinstance(sentences, list) or not sentences:
        raise UnusableLine("it has no abstract")
    try:
        marked = [str(sentences[place]) for place in places]
    except (IndexError, TypeError) as bad:
        raise UnusableLine("its evidence names sentences that the abstract does not have") from bad
    return {
        "id": f"{fields.get('claim_id')}-{fields.get('abstract_id')}",
        "group": f"claim-{fields.get('claim_id')}",
        "doc_id": str(fields.get("abstract_id")),
        "claim": require_text(fields, "claim"),
        "evidence": " ".join(map(str, sentences)),
        "evidence_sentences": marked,
        "label": translate_label(fields.get("verdict"), VERDICTS, "verdict"),
    }


HEALTHVER = PairSet(
    "healthver",
    "HealthVer's tables, or as it and SciFact are packed for MultiVerS",
    (
        frozenset({"id", "evidence", "claim", "label", "topic_ip"}),
        frozenset({"claim_id", "claim", "abstract_id", "abstract", "verdict"}),
    ),
    read_healthver,
)
