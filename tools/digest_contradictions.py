"""Write where digests contradict themselves into the package: python tools/digest_contradictions.py FILE.jsonl

A line of FILE, as somebody wrote it who read the digests:

    {"guideline": "aba_burn_2016", "about": "…", "sides": [{"file": "inhalation_injury", "line": 89}, …]}

with the numbers of lines of GUIDELINE/FILE.md, the gravest contradiction first.
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

from wellsourced.readers.guidelines import GuidelineDigests, document_id, load_digests, read_guidelines
from wellsourced.types import Document
from wellsourced.types.documents import hash_text

TABLE = Path(__file__).parents[1] / "src" / "wellsourced" / "readers" / "digest_contradictions.tsv"

MARK = re.compile(r"(?:[-•*]|\d+[.)])\s+")
"""Of an item of a list: it is not quoted."""


SEARCHED_AHEAD = 60
"""Lines of a document, after the last one that was found, among which the next one of a file is looked for."""

Place = tuple[str, int, int]
"""A line of a document: its id, and where the line begins and ends."""


def list_lines(document: Document) -> Iterator[tuple[Place, str]]:
    """The lines of a document that say something, and their plain words."""
    at = 0
    for line in document.text.split("\n"):
        start = at + len(line) - len(line.lstrip())
        if words := strip_marks(line):
            yield (document.reference.id, start, at + len(line.rstrip())), words
        at += len(line) + 1


def strip_marks(line: str) -> str:
    """The words of a line, in small letters, without Markdown, its number in a list and its table's bars."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).replace("*", "")
    words = re.findall(r"\w+", plain.lower())
    return " ".join(words[1:] if re.match(r"\s*\d+[.)]\s", plain) else words)


def place_file_lines(digests: GuidelineDigests, documents: dict[str, Document]) -> dict[tuple[str, str, int], Place]:
    """(guideline, file, number of a line) → where the line stands in the document of the guideline."""
    found: dict[tuple[str, str, int], Place] = {}
    for entry in digests.entries.values():
        lines, at = list(list_lines(documents[document_id(entry)])), 0
        for name, path in zip(entry.sections, entry.paths, strict=True):
            for number, line in enumerate(digests.texts[path].splitlines(), 1):
                words = "" if line.startswith("#") else strip_marks(line)
                ahead = range(at, min(at + SEARCHED_AHEAD, len(lines)))
                place = next((one for one in ahead if words and lines[one][1] == words), None)
                if place is not None:
                    found[entry.id, name, number], at = lines[place][0], place
    return found


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
