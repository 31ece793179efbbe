"""What the judges that come along have earned on statements that they were not fitted on (judges/evidence.json).

    python -m wellsourced_evaluate.fitting.evidence DATA [--out src/wellsourced/judges/evidence.json]

The statements are those of evaluate/data/written_statements, as_written.pairs.jsonl.gz and played_drafts.jsonl.gz, each
held against the whole passage, as far as the judge was not fitted on them. Everything is as on a new machine: no
calibration of a user, nothing downloaded.
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

UNSEEN = "; the judge was not fitted on them"
AUTHORS = {
    "statements_a.jsonl": f"one author who had not seen the judges, as strong language models write{UNSEEN}",
    "statements_b.jsonl": f"another author who had not seen the judges, likewise{UNSEEN}",
    "as_written.pairs.jsonl.gz": f"one of our own, by hand, likewise{UNSEEN}",
    "played_drafts.jsonl.gz": f"one of our own, who played a language model that drafts an answer{UNSEEN}",
}

PUBLISHED = ("scifact.pairs.jsonl.gz", "evidence_inference.pairs.jsonl.gz", "kqa.pairs.jsonl.gz")
FITTED_ON = {
    "comparison": (*PUBLISHED, *(f"statements_{author}.jsonl" for author in "abcd"), "as_written.pairs.jsonl.gz"),
    "similarity": PUBLISHED,
    "overlap": PUBLISHED,
}
"""The judges, and what each is fitted on: that is no evidence for it."""


async def measure(name: str, folders: Sequence[Path]) -> tuple[MeasuredStatements, JudgeEvidence]:
    """The statements that a judge was not fitted on, and what it has earned."""
    files = [_find_file(file, folders) for file in AUTHORS if file not in FITTED_ON[name]]
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({"home": home, "network.offline": "true"})
        statements, found = await measure_judge(name, settings, lambda *_: None, files=files)
    sets = tuple(one.model_copy(update={"written_by": AUTHORS[one.name]}) for one in found.sets)
    fitted_on = {file: hash_file(_find_file(file, folders)) for file in FITTED_ON[name]}
    return statements, found.model_copy(update={"sets": sets, "fitted_on": fitted_on})


def _find_file(name: str, folders: Sequence[Path]) -> Path:
    return next(folder / name for folder in folders if (folder / name).exists())


def main() -> None:
    """Measure, write, print."""
    given = start_parser(__doc__, PRODUCT / "judges/evidence.json").parse_args()
    folders = find_data("written_statements"), given.data / "verification"
    found = [asyncio.run(measure(name, folders)) for name in FITTED_ON]
    rows = [evidence.model_dump(mode="json") for _, evidence in found]
    given.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for statements, evidence in found:
        print(to_text(evidence_blocks(evidence, statements, str(given.out))))


if __name__ == "__main__":
    main()
