"""Lists of words that the product ships, and fingerprints of the questions that something was fitted on.

    python -m wellsourced_evaluate.fitting.word_lists counts DATA
    python -m wellsourced_evaluate.fitting.word_lists stems /usr/share/dict/{american,british}-english-small
    python -m wellsourced_evaluate.fitting.word_lists fingerprints DATA

counts        understanding/word_counts.tsv: in how many documents of the development corpora words stand. Words in
              fewer than five documents are left out, with them most misspellings; no text is kept
stems         clinical/ordinary_stems.txt: of everyday and clinical words. The lists are SCOWL's (Debian:
              wamerican-small, wbritish-small), without what is written with a capital; to them come the stems in more
              than 48 of the passages that `stem_counts.tsv` counts, and what clinicians say at work
              (evaluate/data/work_words.txt)
fingerprints  questions/fitted_questions.tsv: for each part of a set that `fitted_data.tsv` names, five bytes of the
              hash of each question, and nothing from which it could be read
"""

import argparse
import base64
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from wellsourced.text.tables import read_rows as read_cells
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced_evaluate.development_data import CORPORA, PRODUCT, find_data, read_rows
from wellsourced_evaluate.questions import fitted_sets
from wellsourced_evaluate.questions.cases import find_set
from wellsourced_evaluate.questions.fitted_sets import PACKAGE, fingerprint_question, is_among

MIN_DOCUMENTS, MIN_LETTERS = 5, 4

MIN_PASSAGES = 49
"""Passages of 53,069 that a stem stands in which is no unusual name."""


def count_words(data: Path) -> list[str]:
    """The lines of the table of counts, the words in the order of the alphabet."""
    counts: Counter[str] = Counter()
    documents = 0
    for corpus in CORPORA.values():
        for row in read_rows(data / corpus.file):
            documents += 1
            text = row.get("text") or " ".join(row.get("sentences", ()))
            counts.update(set(tokenize(f"{row.get('title', '')} {text}")))
    kept = (
        f"{word}\t{count}"
        for word, count in sorted(counts.items())
        if count >= MIN_DOCUMENTS and len(word) >= MIN_LETTERS and word.isascii() and word.isalpha()
    )
    return [f"\t{documents}", *kept]


def list_ordinary_stems(lists: Iterable[Path]) -> list[str]:
    """The stems of words that are no unusual names, sorted."""
    words = {word for path in lists for word in path.read_text("utf-8").splitlines() if word == word.lower()}
    (_, _), *counted = read_cells("wellsourced.judges", "stem_counts.tsv")
    work_words = find_data("work_words.txt").read_text("utf-8").split()
    stems = {stem for word in (*words, *work_words) for stem in content_stems(word)}
    stems |= {stem for stem, passages in counted if int(passages) >= MIN_PASSAGES}
    return sorted(stem for stem in stems if stem.isascii() and stem.replace("'", "").isalpha())


def list_fingerprints(data: Path) -> list[str]:
    """A line for each part of a set: the fingerprints of its questions, each once, in order."""
    lines = []
    for name, which in dict.fromkeys((row[0], row[1]) for row in read_cells(PACKAGE, "fitted_data.tsv")):
        own = find_data("clinical_cases") / f"{name}.jsonl"
        rows = read_rows(own if own.exists() else find_set(name, data))
        marks = {
            fingerprint_question(one["question"]) for one in rows if is_among(which, one.get("group") or one["id"])
        }
        lines.append(f"{name}\t{which}\t{base64.b64encode(b''.join(sorted(marks))).decode()}")
    return lines


def main() -> None:
    """Write the list that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("counts", "stems", "fingerprints"))
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    made: dict[str, tuple[Path, Callable[[], list[str]]]] = {
        "counts": (PRODUCT / "understanding/word_counts.tsv", lambda: count_words(given.paths[0])),
        "stems": (PRODUCT / "clinical/ordinary_stems.txt", lambda: list_ordinary_stems(given.paths)),
        "fingerprints": (
            Path(fitted_sets.__file__).with_name("fitted_questions.tsv"), lambda: list_fingerprints(given.paths[0]),
        ),
    }  # fmt: skip
    target, build = made[given.which]
    lines = build()
    target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(lines):,} lines in {target}")


if __name__ == "__main__":
    main()
