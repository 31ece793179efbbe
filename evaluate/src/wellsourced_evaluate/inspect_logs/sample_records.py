"""One sample of an eval log of inspect_ai as the record of a case.

A sample with choices, or whose target is yes, no or maybe, has a label; it is read from what its scorer took as the
answer, else from the output. Any other target is a text: whether it is said is what the scorer of the log says.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wellsourced_evaluate.inspect_logs.dataset_rows import letter_choices, read_input, read_targets
from wellsourced_evaluate.questions.answer_marks import FactMark, match_opening_label
from wellsourced_evaluate.questions.answer_run import AnswerRecord
from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

_ANSWER_LINE = re.compile(r"ANSWER\s*:\s*\(?(?P<answer>[A-Za-z]+)\b", re.IGNORECASE)
"""How inspect_ai asks models to end: "ANSWER: B"."""


def read_sample(sample: "EvalSample", score: "Score | None") -> AnswerRecord:
    """What one sample says. Raises BadRow for what cannot be taken."""
    given = sample.input if isinstance(sample.input, str) else [one.model_dump() for one in sample.input]
    choices = letter_choices(sample.choices or [])
    targets = read_targets(sample.target)
    labels = _read_labels(choices, targets)
    text = sample.output.completion
    metadata = sample.metadata
    known: dict[str, Any] = {
        "case": str(sample.id),
        "group": str(metadata.get("group") or sample.id),
        "question": read_input(given),
        "choices": choices,
        "options": len(choices),
        "seconds": round(sample.total_time or 0.0, 3),
        "gaps": (f"inspect_ai: stopped at its limit of {sample.limit.type}",) if sample.limit else (),
        **_count_usage(sample),
    }
    said = read_verdict(score)
    if labels:
        known["gold"] = ", ".join(sorted(labels)) if choices else labels[0]
    elif targets:
        known["marks"] = (FactMark(fact=" / ".join(targets), said=said, leads=None, is_judged=True),)
    if sample.error or sample.invalidation:
        reason = sample.error.message if sample.error else "it was made invalid in the log"
        lost = [one.model_copy(update={"said": False}) for one in known.get("marks", ())]
        return AnswerRecord.model_validate({**known, "marks": lost, "status": "failed", "error": reason or "no reason"})
    if score is not None and score.reason == "refusal":
        reason = score.explanation or "refused"
        return AnswerRecord.model_validate({**known, "status": "abstained", "reason": reason, "text": text})
    label = _read_label(choices, labels, score, text)
    short = (score.answer if score else None) or ""
    return AnswerRecord.model_validate({**known, "status": "answered", "label": label, "text": text, "short": short})


def read_verdict(score: "Score | None") -> bool | None:
    """Whether a scorer says that an answer is right; None: it says neither, as of an answer that is right in part."""
    value: Any = score.value if score else None
    if isinstance(value, str):
        return {"C": True, "I": False, "N": False}.get(value)
    return bool(value) if isinstance(value, bool | int | float) and value in (0, 1) else None


def _read_labels(choices: Mapping[str, str], targets: Sequence[str]) -> list[str]:
    """The right label, or labels; none when the target is a text."""
    if choices:
        letters = [letter for one in targets for letter in split_letters(one)]
        if not letters or not all(letter in choices for letter in letters):
            raise BadRow(f"its target {', '.join(targets) or '(none)'} is no letter of its {len(choices)} choices")
        return letters
    folded = [one.casefold() for one in targets]
    return folded if len(folded) == 1 and folded[0] in YES_NO_LABELS else []


def _read_label(choices: Mapping[str, str], labels: Sequence[str], score: "Score | None", text: str) -> str:
    if not labels:
        return ""
    lines = [one["answer"] for one in _ANSWER_LINE.finditer(text)]
    found = [(score.answer if score else None) or "", *lines[-1:]]
    if choices:
        spelled = (split_letters(one) for one in found)
        return next((", ".join(sorted(one)) for one in spelled if one and choices.keys() >= set(one)), "")
    words = (one.strip(" .").casefold() for one in found)
    return next((one for one in words if one in YES_NO_LABELS), "") or match_opening_label(text)


def split_letters(text: str) -> list[str]:
    """The letters of choices that a text lists: "b, C" has B and C."""
    return [one for one in re.split(r"[,\s]+", text.upper()) if one]


def _count_usage(sample: "EvalSample") -> dict[str, Any]:
    used = list(sample.model_usage.values())
    costs = [one.total_cost for one in used]
    return {
        "calls": sum(one.event == "model" for one in sample.events),
        "tokens": sum(one.total_tokens for one in used),
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
    }
