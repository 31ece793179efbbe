"""What the judges that come along have earned on statements that they were not fitted on (judges/evidence.json).

    python -m wellsourced_evaluate.fitting.evidence DATA [--out src/wellsourced/judges/evidence.json]

The statements are those of evaluate/data/written_statements, as_written.pairs.jsonl.gz and played_drafts.jsonl.gz, each
held against the whole passage. Everything is as on a new machine: no calibration of a user, nothing downloaded.
"""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from wellsourced import config
from wellsourced.config.judges import FittedStatements, JudgeEvidence, open_unproven_judge
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.development_data import PRODUCT, find_data
from wellsourced_evaluate.fitting.models import start_parser
from wellsourced_evaluate.judge_records import measure_evidence, read_statements
from wellsourced_evaluate.verification import judge_pairs

JUDGES = ("weighed", "similarity", "overlap")

UNSEEN = "; no judge was fitted on them"
AUTHORS = {
    "statements_a.jsonl": f"one author who had not seen the judges, as strong language models write{UNSEEN}",
    "statements_b.jsonl": f"another author who had not seen the judges, likewise{UNSEEN}",
    "as_written.pairs.jsonl.gz": f"one of our own, by hand, likewise{UNSEEN}",
    "played_drafts.jsonl.gz": f"one of our own, who played a language model that drafts an answer{UNSEEN}",
}

FITTED_ON = ("scifact.pairs.jsonl.gz", "evidence_inference.pairs.jsonl.gz", "kqa.pairs.jsonl.gz")
"""What these judges are fitted on."""


async def measure(name: str, files: Sequence[Path], data: Path) -> JudgeEvidence:
    """What one judge has earned."""
    fitted_on = {name: hash_file(data / "verification" / name) for name in FITTED_ON}
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({"home": home, "network.offline": "true"})
        statements = read_statements(files, None, FittedStatements(files=frozenset(fitted_on.values())))
        sets = [one.model_copy(update={"written_by": AUTHORS[one.name]}) for one in statements.sets]
        async with open_unproven_judge(name, settings) as (judge, _):
            said, _ = await judge_pairs(statements.pairs, judge, lambda *_: None)
            found = measure_evidence(said, judge.name, name, sets, date.today())
    return found.model_copy(update={"fitted_on": fitted_on})


def report(found: JudgeEvidence) -> None:
    """Print from which score on a judge is right, and how often."""
    for call in found.calls:
        print(f"{found.called}, {call.label}: {call.known} so, {call.others} not; threshold {call.threshold}")
        for step in call.steps:
            if step.calls:
                told = f"{step.right}/{step.calls} = {step.precision:.3f} ({step.low:.3f}–{step.high:.3f})"
                print(f"  from {step.threshold:g}: {told}, reaches {call.reached_share(step):.3f}")


def main() -> None:
    """Measure, write, print."""
    given = start_parser(__doc__, PRODUCT / "judges/evidence.json").parse_args()
    folders = find_data("written_statements"), given.data / "verification"
    files = [next(folder / name for folder in folders if (folder / name).exists()) for name in AUTHORS]
    found = [asyncio.run(measure(name, files, given.data)) for name in JUDGES]
    rows = [one.model_dump(mode="json") for one in found]
    given.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for one in found:
        report(one)


if __name__ == "__main__":
    main()
