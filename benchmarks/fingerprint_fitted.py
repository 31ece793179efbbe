"""Write the fingerprints of the questions that something was fitted on, so that a renamed copy of them is known.

python -m benchmarks.fingerprint_fitted DATA

DATA is the folder of the development data: its `qa` has the halves of published sets that fitting has seen; the
questions on guidelines lie in benchmarks/clinical_cases. For each part of a set that `fitted_data.tsv` names, five
bytes of the hash of each question go into `fitted_questions.tsv`, and nothing from which it could be read.
"""

import argparse
import base64
import json
from pathlib import Path

from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.questions.cases import find_set
from wellsourced_evaluate.questions.fitted_sets import PACKAGE, fingerprint_question, is_among

CASES = Path(__file__).parent / "clinical_cases"
OUT = Path(__file__).parents[1] / "src" / "wellsourced" / "evaluate" / "questions" / "fitted_questions.tsv"


def pack_part(path: Path, which: str) -> str:
    """The fingerprints of the questions of a part of a set, each once, in order."""
    rows = [json.loads(line) for _, line in iter_lines(path)]
    asked = [row["question"] for row in rows if is_among(which, row.get("group") or row["id"])]
    return base64.b64encode(b"".join(sorted({fingerprint_question(one) for one in asked}))).decode()


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    lines = []
    for name, which in dict.fromkeys((row[0], row[1]) for row in read_rows(PACKAGE, "fitted_data.tsv")):
        here = CASES / f"{name}.jsonl"
        path = here if here.exists() else find_set(name, data)
        lines.append(f"{name}\t{which}\t{pack_part(path, which)}\n")
        print(f"{name}, {which}: {path}")
    OUT.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
