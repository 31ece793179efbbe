"""K-QA (Manes et al., 2024) as it was released: NLI_medical_annotator.csv, what three physicians say of statements.

Columns are a number without a name, `Question`, `llm_x`, `answer`, `claim` (a statement of the physicians' answer),
`category_x`, `majority_label` and `label_0`, `label_1`, `label_2` (Entailment, Neutral, Contradiction)
(github.com/Itaymanes/K-QA, dataset/NLI_medical_annotator.csv). The text is the language model's answer: does it say
what the physicians say? Pairs of one question are a group.
"""

import hashlib
import re
from collections.abc import Iterator

from wellsourced_evaluate.pair_sets.base import Fields, PairLine, PairSet, SetFile, require_text, translate_label

LABELS = {"Entailment": "supported", "Neutral": "not_enough", "Contradiction": "contradicted"}
VOTE_COLUMNS = ("label_0", "label_1", "label_2")
"""What each of the three said; `majority_label` is what two of them or all said."""


def read_kqa(file: SetFile) -> Iterator[PairLine]:
    """A pair for each row."""
    return file.translate(_say_pair)


def _say_pair(fields: Fields) -> list[Fields]:
    question, number = require_text(fields, "Question"), str(fields.get("") or "").strip()
    return [
        {
            **({"id": f"kqanli-{number}"} if number else {}),
            "group": name_question(question),
            "claim": require_text(fields, "claim"),
            "evidence": require_text(fields, "answer"),
            "label": translate_label(fields.get("majority_label"), LABELS),
            "votes": [translate_label(fields.get(name), LABELS, name) for name in VOTE_COLUMNS],
        }
    ]


def name_question(question: str) -> str:
    """The group of a question: made of its letters and digits, so that its punctuation does not matter."""
    plain = re.sub(r"[^a-z0-9]+", " ", question.lower()).strip()
    return f"kqa-{hashlib.sha1(plain.encode(), usedforsecurity=False).hexdigest()[:10]}"


KQA = PairSet(
    "kqa",
    "K-QA's NLI_medical_annotator.csv, with three physicians' votes",
    (frozenset({"Question", "answer", "claim", "majority_label"}),),
    read_kqa,
)
