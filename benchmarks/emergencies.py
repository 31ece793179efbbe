"""How many emergencies are recognised, how often a question alarms, and how sure these figures are.

python -m benchmarks.emergencies [DATA]

On the labelled set of the tests, each part apart, by the rules alone and by the rules with the learnt net as it comes
with the package. At the first look the part "kept", written before the rules, gave the rules a sensitivity of 60/62 and
a specificity of 136/137 in English; "fresh", written in freer words after them, 27/54 and 44/46; "last", written by
another who had not read them, 40/76 and 94/95, and with a learnt net that had not seen it either 71/76 and 78/95. The
rules were then widened by "fresh", and the net was fitted on every part: what is printed now is no longer what to
expect of words that nobody thought of. `benchmarks/fit_alarm.py` measures the net on rows that it was not fitted on.
With DATA, the folder of the development data, also on real questions, whose alarms by the rules are printed.
"""

import asyncio
import gzip
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.text.labelled import Asked, emergencies
from wellsourced.clinical.emergencies import detect_emergency
from wellsourced.encoders.minilm import MiniLM
from wellsourced.understanding.emergency_model import ModelEmergencyDetector

SETS = ("kqa", "medqa", "medmcqa", "mmlu_med", "bioasq", "pubmedqa", "pubmedrs200", "expertqa", "evidence_inference")
Z = 1.959964


class Share(NamedTuple):
    """A share and its 95 % interval."""

    share: float
    low: float
    high: float


def wilson(hits: int, of: int) -> Share:
    """The score interval of a proportion (Wilson, J Am Stat Assoc 1927); NaN of none."""
    if not of:
        return Share(math.nan, math.nan, math.nan)
    share = hits / of
    middle = (share + Z**2 / (2 * of)) / (1 + Z**2 / of)
    half = Z / (1 + Z**2 / of) * math.sqrt(share * (1 - share) / of + Z**2 / (4 * of**2))
    return Share(share, max(0.0, middle - half), min(1.0, middle + half))


def told(name: str, hits: int, of: int) -> str:
    """One line of the table."""
    found = wilson(hits, of)
    return f"{name:<42}{hits:>6} of {of:<7}{found.share:.3f}  ({found.low:.3f} to {found.high:.3f})"


def questions(data: Path) -> Iterator[tuple[str, str]]:
    """(set, question) of the development data."""
    for name in SETS:
        for row in _rows(data / "qa" / f"{name}.jsonl.gz"):
            yield name, row["question"]
    for row in _rows(data / "retrieval" / "medquad.queries.jsonl.gz"):
        yield "medquad", row["text"]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def by_rule(one: Asked) -> bool:
    """Whether the rules alone alarm."""
    return detect_emergency(one.text) is not None


@cache
def _alarm() -> ModelEmergencyDetector:
    return ModelEmergencyDetector(MiniLM())


@cache
def by_both(one: Asked) -> bool:
    """Whether the rules or the learnt net alarm."""
    return asyncio.run(_alarm().detect(one.text)) is not None


def _labelled(asked: Sequence[Asked]) -> None:
    for language in ("en", "other languages"):
        for half in ("seen", "kept", "fresh", "last", "more"):
            part = [one for one in asked if one.half == half and (one.language == "en") == (language == "en")]
            present = [one for one in part if one.kind != "none"]
            absent = [one for one in part if one.kind == "none"]
            if not part:
                continue
            for who, alarmed in (("rules", by_rule), ("both", by_both)):
                print(told(f"{language}, {half}, {who}: sensitivity", sum(map(alarmed, present)), len(present)))
                calm = len(absent) - sum(map(alarmed, absent))
                print(told(f"{language}, {half}, {who}: specificity", calm, len(absent)))
    kinds = Counter(one.kind for one in asked if one.kind != "none")
    for kind, count in kinds.items():
        print(told(f"  {kind}, both", sum(by_both(one) for one in asked if one.kind == kind), count))
    for one in asked:
        if by_both(one) == (one.kind == "none"):
            print("wrong:", one)


def _real(data: Path) -> None:
    counts, alarms = Counter[str](), Counter[str]()
    begun = time.perf_counter()
    for name, text in questions(data):
        counts[name] += 1
        found = detect_emergency(text)
        if found is not None:
            alarms[name] += 1
            print(f"alarm in {name}: {found.kind} {found.signs}: {text[:200]!r}")
    each = (time.perf_counter() - begun) / counts.total() * 1e3
    for name, count in counts.items():
        print(told(f"alarms in {name}", alarms[name], count))
    print(told("alarms in all", alarms.total(), counts.total()), f"at {each:.2f} ms each")


if __name__ == "__main__":
    _labelled(emergencies())
    if len(sys.argv) > 1:
        _real(Path(sys.argv[1]))
