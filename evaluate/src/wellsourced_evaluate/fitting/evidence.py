"""What the judges that come along have earned on statements that they were not fitted on (judges/evidence.json).

    python -m wellsourced_evaluate.fitting.evidence DATA [--out src/wellsourced/judges/evidence.json]

The statements are those of evaluate/data/written_statements, as_written.pairs.jsonl.gz and played_drafts.jsonl.gz, each
held against the whole passage. Everything is as on a new machine: no calibration of a user, nothing downloaded.
"""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wellsourced import config
from wellsourced.judges.track_record import JudgeEvidence
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.development_data import PRODUCT, find_data
from wellsourced_evaluate.fitting.models import start_parser
from wellsourced_evaluate.judge_records import MeasuredStatements, evidence_blocks, measure_judge
from wellsourced_evaluate.tables import to_text

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


async def measure(name: str, files: Sequence[Path], data: Path) -> tuple[MeasuredStatements, JudgeEvidence]:
    """The statements, and what one judge has earned."""
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({"home": home, "network.offline": "true"})
        statements, found = await measure_judge(name, settings, lambda *_: None, files=files)
    sets = tuple(one.model_copy(update={"written_by": AUTHORS[one.name]}) for one in found.sets)
    fitted_on = {name: hash_file(data / "verification" / name) for name in FITTED_ON}
    return statements, found.model_copy(update={"sets": sets, "fitted_on": fitted_on})


def main() -> None:
    """Measure, write, print."""
    given = start_parser(__doc__, PRODUCT / "judges/evidence.json").parse_args()
    folders = find_data("written_statements"), given.data / "verification"
    files = [next(folder / name for folder in folders if (folder / name).exists()) for name in AUTHORS]
    found = [asyncio.run(measure(name, files, given.data)) for name in JUDGES]
    rows = [evidence.model_dump(mode="json") for _, evidence in found]
    given.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for statements, evidence in found:
        print(to_text(evidence_blocks(evidence, statements, str(given.out))))


if __name__ == "__main__":
    main()
