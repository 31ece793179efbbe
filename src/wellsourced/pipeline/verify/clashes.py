"""Statements of one answer that cannot both hold, as the model that checks names them in the same reply.

Both are written anew, with the condition that each holds under, and checked again. What is not, since nobody may write
or its passages say no more, stays as not verified, with the other beside it.
"""

from collections.abc import Mapping, Sequence

from wellsourced.pipeline.verify.consistency import Clash
from wellsourced.pipeline.verify.repair import JudgedStatement
from wellsourced.text.sanitization import short_line
from wellsourced.types import Statement, short_key

MAX_SHOWN_WORDS = 40
"""Words of the other statement, and of the model's reason, that are shown."""


def list_clashing(judged: Sequence[JudgedStatement], clashes: Sequence[Clash]) -> list[JudgedStatement]:
    """Those of some statements that stand and clash with another of them, each as a fault that says so."""
    by_key = {short_key(one.statement.text): one for one in judged if one.verdict.status != "verbatim"}
    faults: dict[str, JudgedStatement] = {}
    for clash in clashes:
        if clash.first != clash.second and {clash.first, clash.second} <= by_key.keys():
            for key, other in ((clash.first, clash.second), (clash.second, clash.first)):
                reason = _explain_clash(by_key[other].statement, clash)
                verdict = by_key[key].verdict.model_copy(update={"reason": reason})
                faults[key] = by_key[key]._replace(verdict=verdict, objection_kind="clash")
    return list(faults.values())


def _explain_clash(other: Statement, clash: Clash) -> str:
    why = f" ({short_line(clash.reason, MAX_SHOWN_WORDS).rstrip('.')})" if clash.reason else ""
    return f"it cannot hold together with “{short_line(other.text, MAX_SHOWN_WORDS)}”{why}"


def mark_clashes(kept: Mapping[str, Statement], clashes: Sequence[Clash]) -> tuple[Statement, ...]:
    """The statements that stand, by the keys under which they were checked; a pair counts where both of it stand."""
    marked = dict(kept)
    for clash in clashes:
        if clash.first == clash.second or not {clash.first, clash.second} <= kept.keys():
            continue
        for key, other in ((clash.first, clash.second), (clash.second, clash.first)):
            verdict = marked[key].verdict
            # What is in the source's own words stays that: its source says it, whatever another statement says.
            if verdict.status != "verbatim":
                told = _explain_clash(kept[other], clash)
                changed = verdict.model_copy(update={"reason": told, "basis": "likeness"})
                marked[key] = marked[key].model_copy(update={"verdict": changed})
    return tuple(marked.values())
