"""Measure what the judges that come along have earned on statements that they were not fitted on, and write it down.

    python -m benchmarks.written_statements.earn [--data FOLDER] [--out src/wellsourced/judges/evidence.json]

The statements are those of this folder, as_written.pairs.jsonl.gz and played_drafts.jsonl.gz, each held against the
whole passage. Everything is as on a new machine: no calibration of a user's own, nothing downloaded.
"""

import argparse
import asyncio
import json
import tempfile
from datetime import date
from pathlib import Path

from wellsourced import config
from wellsourced.config.judges import FittedStatements, JudgeEvidence, StatementSet, open_unproven_judge
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.judge_evidence import measure_evidence, read_statements
from wellsourced_evaluate.verification import judge_pairs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

JUDGES = ("weighed", "similarity", "overlap")

UNSEEN = "; no judge was fitted on them"
AUTHORS = {
    "statements_a.jsonl": f"one author who had not seen the judges, as strong language models write{UNSEEN}",
    "statements_b.jsonl": f"another author who had not seen the judges, likewise{UNSEEN}",
    "as_written.pairs.jsonl.gz": f"one of our own, by hand, likewise{UNSEEN}",
    "played_drafts.jsonl.gz": f"one of our own, who played a language model that drafts an answer{UNSEEN}",
}

FITTED_ON = ("scifact.pairs.jsonl.gz", "evidence_inference.pairs.jsonl.gz", "kqa.pairs.jsonl.gz")
"""What benchmarks/fit_support.py and benchmarks/calibrate_judges.py fit to."""


def locate_files(data: Path) -> list[Path]:
    """The files of statements, where they lie."""
    return [next(path for path in (HERE / name, data / "verification" / name) if path.exists()) for name in AUTHORS]


async def measure(name: str, files: list[Path], data: Path) -> JudgeEvidence:
    """What one judge has earned."""
    fitted_on = {name: hash_file(data / "verification" / name) for name in FITTED_ON}
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({"home": home, "network.offline": "true"})
        statements = read_statements(files, None, FittedStatements(files=frozenset(fitted_on.values())))
        async with open_unproven_judge(name, settings) as (judge, _):
            said, _ = await judge_pairs(statements.pairs, judge, lambda *_: None)
            found = measure_evidence(said, judge.name, name, map(tell_author, statements.sets), date.today())
    return found.model_copy(update={"fitted_on": fitted_on})


def tell_author(one: StatementSet) -> StatementSet:
    """The set, with who wrote it."""
    return one.model_copy(update={"written_by": AUTHORS[one.name]})


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT / "../shared/data")
    parser.add_argument("--out", type=Path, default=ROOT / "src/wellsourced/judges/evidence.json")
    given = parser.parse_args()
    found = [asyncio.run(measure(name, locate_files(given.data), given.data)) for name in JUDGES]
    rows = [one.model_dump(mode="json") for one in found]
    given.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for one in found:
        for call in one.calls:
            print(f"{one.called}, {call.label}: {call.known} so, {call.others} not; threshold {call.threshold}")
            for step in call.steps:
                if step.calls:
                    told = f"{step.right}/{step.calls} = {step.precision:.3f} ({step.low:.3f}–{step.high:.3f})"
                    print(f"  from {step.threshold:g}: {told}, reaches {call.reached_share(step):.3f}")


if __name__ == "__main__":
    main()
