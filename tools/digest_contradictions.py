"""Write where digests contradict themselves into the package: python tools/digest_contradictions.py FILE.jsonl

A line of FILE, as somebody wrote it who read the digests:

    {"guideline": "aba_burn_2016", "about": "…", "sides": [{"file": "inhalation_injury", "line": 89}, …]}

with the numbers of lines of GUIDELINE/FILE.md, the gravest contradiction first.
"""

import argparse
import json
import re
from pathlib import Path

from tools.expected_questions import place_file_lines
from wellsourced.readers.guidelines import document_id, load_digests, read_guidelines
from wellsourced.types.documents import hash_text

TABLE = Path(__file__).parents[1] / "src" / "wellsourced" / "readers" / "digest_contradictions.tsv"

MARK = re.compile(r"(?:[-•*]|\d+[.)])\s+")
"""Of an item of a list: it is not quoted."""


def main() -> None:
    """Read the file and write the table. SystemExit for a line that is not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    written = [json.loads(line) for line in parser.parse_args().file.read_text(encoding="utf-8").splitlines()]
    documents = {one.reference.id: one for one in read_guidelines()}
    places = place_file_lines(load_digests(), documents)
    ids = {id: document_id(entry) for id, entry in load_digests().entries.items()}
    rows = []
    for row in written:
        text, sides = documents[ids[row["guideline"]]].text, []
        for side in row["sides"]:
            key = (row["guideline"], side["file"], side["line"])
            if key not in places:
                raise SystemExit(f"{key} is no line that is shown: {row['about']}")
            _, start, end = places[key]
            mark = MARK.match(text[start:end])
            sides.append(f"{start + (len(mark[0]) if mark else 0)}-{end}")
        rows.append("\t".join((ids[row["guideline"]], hash_text(text), row["about"], " ".join(sides))))
    TABLE.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} contradictions: {TABLE}")


if __name__ == "__main__":
    main()
