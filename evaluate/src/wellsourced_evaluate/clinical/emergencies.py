"""How many emergencies are recognised, how often a question alarms, and how sure these figures are.

On the labelled set of the tests, each part apart, by the rules alone and by the rules with the learnt net as it comes
with the package. At the first look the part "kept", written before the rules, gave the rules a sensitivity of 60/62 and
a specificity of 136/137 in English; "fresh", written in freer words after them, 27/54 and 44/46; "last", written by
another who had not read them, 40/76 and 94/95, and with a learnt net that had not seen it either 71/76 and 78/95. The
rules were then widened by "fresh", and the net was fitted on every part: what is printed now is no longer what to
expect of words that nobody thought of. `fitting/alarm.py` measures the net on rows that it was not fitted on.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.clinical.emergencies import detect_emergency
from wellsourced.confidence import wilson_interval
from wellsourced.encoders.minilm import MiniLM
from wellsourced.understanding.emergency_model import ModelEmergencyDetector
from wellsourced_evaluate.development_data import REPOSITORY, read_rows

LABELLED = REPOSITORY / "tests/text/data/emergencies.tsv"
SETS = ("kqa", "medqa", "medmcqa", "mmlu_med", "bioasq", "pubmedqa", "pubmedrs200", "expertqa", "evidence_inference")


class LabelledText(NamedTuple):
    """A question; kind "none": no emergency. half: when it was written, as above; "more": to fit the net on."""

    half: str
    kind: str
    language: str
    text: str


def read_emergencies() -> list[LabelledText]:
    """The labelled set."""
    with LABELLED.open(encoding="utf-8", newline="") as file:
        return [LabelledText(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def read_questions(data: Path) -> Iterator[tuple[str, str]]:
    """(set, question) of the development data."""
    for name in SETS:
        for row in read_rows(data / "qa" / f"{name}.jsonl.gz"):
            yield name, row["question"]
    for row in read_rows(data / "retrieval" / "medquad.queries.jsonl.gz"):
        yield "medquad", row["text"]


def describe_share(name: str, hits: int, of: int) -> str:
    """One line of the table."""
    found = wilson_interval(hits, of)
    return f"{name:<42}{hits:>6} of {of:<7}{found.mean:.3f}  ({found.low:.3f} to {found.high:.3f})"


async def measure_labelled() -> None:
    """Print sensitivity and specificity of each part, and what is told wrongly."""
    net, asked = ModelEmergencyDetector(MiniLM()), read_emergencies()
    rules = {one for one in asked if detect_emergency(one.text) is not None}
    both = rules | {one for one in asked if await net.detect(one.text) is not None}
    for language in ("en", "other languages"):
        for half in ("seen", "kept", "fresh", "last", "more"):
            part = [one for one in asked if one.half == half and (one.language == "en") == (language == "en")]
            present = [one for one in part if one.kind != "none"]
            absent = [one for one in part if one.kind == "none"]
            for who, alarmed in (("rules", rules), ("both", both)) if part else ():
                name, hits = f"{language}, {half}, {who}", sum(one in alarmed for one in present)
                print(describe_share(f"{name}: sensitivity", hits, len(present)))
                calm = sum(one not in alarmed for one in absent)
                print(describe_share(f"{name}: specificity", calm, len(absent)))
    for kind, count in Counter(one.kind for one in asked if one.kind != "none").items():
        print(describe_share(f"  {kind}, both", sum(one in both for one in asked if one.kind == kind), count))
    print(*(f"wrong: {one}" for one in asked if (one in both) == (one.kind == "none")), sep="\n")


def measure_real(data: Path) -> None:
    """Print how often the rules alarm on real questions, and on which."""
    counts, alarms = Counter[str](), Counter[str]()
    for name, text in read_questions(data):
        counts[name] += 1
        found = detect_emergency(text)
        if found is not None:
            alarms[name] += 1
            print(f"alarm in {name}: {found.kind} {found.signs}: {text[:200]!r}")
    for name, count in (*counts.items(), ("all", counts.total())):
        print(describe_share(f"alarms in {name}", alarms.total() if name == "all" else alarms[name], count))
