"""Sets of natural language inference: a premise, a hypothesis, and whether the one entails the other.

SNLI, MultiNLI and MedNLI (Romanov and Shivade, EMNLP 2018: credentialed, mli_*_v1.jsonl; the user's own copy): JSON
lines with `gold_label` (entailment, neutral, contradiction; "-" where annotators did not agree), `sentence1` (the
premise), `sentence2` (the hypothesis) and `pairID`. ANLI (Nie et al., ACL 2020): `uid`, `context`, `hypothesis` and
`label` (e, n, c). As packed elsewhere: `premise`, `hypothesis` and `label` as a word or as 0, 1, 2 in this order.
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

LABELS = {
    **dict.fromkeys(("entailment", "e", "0"), "supported"),
    **dict.fromkeys(("neutral", "n", "1"), "not_enough"),
    **dict.fromkeys(("contradiction", "c", "2"), "contradicted"),
}

SPELLINGS = (
    ("sentence1", "sentence2", "gold_label", "pairID"),
    ("context", "hypothesis", "label", "uid"),
    ("premise", "hypothesis", "label", "id"),
)
"""What the premise, the hypothesis, the label and the id are called."""

NO_AGREEMENT = ("-", "-1")


def read_nli(file: SetFile) -> Iterator[PairLine]:
    """A pair for each line; those of one premise are a group."""
    return file.translate(_say_pair)


def _say_pair(fields: Fields) -> list[Fields]:
    premise, hypothesis, label, id = next((one for one in SPELLINGS if one[0] in fields), SPELLINGS[0])
    said = fields.get(label)
    if str(said) in NO_AGREEMENT:
        raise UnusableLine("its annotators did not agree on a label")
    text = require_text(fields, premise)
    named = {"id": str(fields[id])} if fields.get(id) is not None else {}
    return [
        {
            **named,
            "group": text,
            "claim": require_text(fields, hypothesis),
            "evidence": text,
            "label": translate_label(said, LABELS, label),
        }
    ]


NLI = PairSet(
    "nli",
    "MedNLI, SNLI, MultiNLI, ANLI and files like them: premise, hypothesis, label",
    tuple(frozenset(one[:3]) for one in SPELLINGS),
    read_nli,
)
