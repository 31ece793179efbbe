"""Statements of one answer that cannot both hold: both stay, as not verified, each with the other beside it.

The model that checks them names such pairs in the same reply. Which of the two is right it was asked already.
"""

from collections.abc import Mapping, Sequence

from wellsourced.pipeline.verify.consistency import Clash
from wellsourced.text.sanitization import short_line
from wellsourced.types import Statement

MAX_SHOWN_WORDS = 40
"""Words of the other statement, and of the model's reason, that are shown."""


def mark_clashes(kept: Mapping[str, Statement], clashes: Sequence[Clash]) -> tuple[Statement, ...]:
    """The statements that stand, by the keys under which they were checked; a pair counts where both of it stand."""
    marked = dict(kept)
    for clash in clashes:
        if clash.first == clash.second or not {clash.first, clash.second} <= kept.keys():
            continue
        why = f" ({short_line(clash.reason, MAX_SHOWN_WORDS).rstrip('.')})" if clash.reason else ""
        for key, other in ((clash.first, clash.second), (clash.second, clash.first)):
            verdict = marked[key].verdict
            # What is in the source's own words stays that: its source says it, whatever another statement says.
            if verdict.status != "verbatim":
                told = f"it cannot hold together with “{short_line(kept[other].text, MAX_SHOWN_WORDS)}”{why}"
                changed = verdict.model_copy(update={"reason": told, "basis": "likeness"})
                marked[key] = marked[key].model_copy(update={"verdict": changed})
    return tuple(marked.values())
