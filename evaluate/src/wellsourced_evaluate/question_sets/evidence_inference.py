"""Evidence Inference 2.0 (DeYoung et al., BioNLP 2020): what a trial found of one outcome.

Read from JSON lines with `intervention`, `comparator`, `outcome`, `answer` (the effect) and `evidence` (the spans that
doctors marked). The original, github.com/jayded/evidence-inference, annotations/*.csv, is read as pairs (`pair_sets`).
Of the three claims that can be made of a prompt the right one should be said: the judge of support says whether it is.
"""

from collections.abc import Mapping
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    require_label,
    require_object,
    require_text,
    translate_lines,
)

EFFECT_CLAIMS: Mapping[str, str] = {
    "significantly increased": "Compared with {comparator}, {intervention} significantly increased {outcome}.",
    "significantly decreased": "Compared with {comparator}, {intervention} significantly decreased {outcome}.",
    "no significant difference": "Compared with {comparator}, {intervention} made no significant difference to "
    "{outcome}.",
}
"""Effect → how it is said of a prompt."""

PARTS = ("intervention", "comparator", "outcome")


def translate_prompt(record: Any) -> Row:
    """A prompt and its effect, as one statement that the answer should say."""
    fields = require_object(record)
    effect = require_label(fields, "answer", tuple(EFFECT_CLAIMS))
    claim = EFFECT_CLAIMS[effect].format(**{name: require_text(fields, name) for name in PARTS})
    return {**translate_lines(record), "must_have": [claim], "snippets": _name_spans(fields)}


def _name_spans(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What doctors marked, by the document from which the prompt was made."""
    document = next(iter(fields.get("gold_doc_ids") or []), None)
    spans = fields.get("evidence")
    if not isinstance(spans, list) or document is None:
        return []
    texts = [one.get("text") for one in spans if isinstance(one, dict)]
    return [{"document": document, "text": text} for text in texts if isinstance(text, str) and text.strip()]


EVIDENCE_INFERENCE = PublishedSet(
    name="evidence_inference",
    paper="DeYoung et al., BioNLP 2020",
    address="https://github.com/jayded/evidence-inference",
    access="public",
    licence="MIT (annotations); articles by their own licences",
    scored="whether the right effect is said, by the judge",
    forms=(
        SetForm(
            "lines", "evidence_inference.jsonl", "lines", translate_prompt, ("intervention", "comparator", "outcome")
        ),
    ),
    files=(),
)
