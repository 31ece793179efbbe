"""Make src/wellsourced/understanding/word_counts.tsv: in how many documents of the development corpora words stand.

    python -m benchmarks.count_words DATA

Words in fewer than five documents are left out, with them most misspellings; no text is kept.
"""

import sys
from collections import Counter
from pathlib import Path

from benchmarks.corpora import CORPORA, rows
from wellsourced.text.tokens import tokenize

TARGET = Path(__file__).parents[1] / "src" / "wellsourced" / "understanding" / "word_counts.tsv"
FEWEST, SHORTEST = 5, 4


def counted(data: Path) -> tuple[int, Counter[str]]:
    """The number of documents, and in how many of them each word stands."""
    counts: Counter[str] = Counter()
    documents = 0
    for corpus in CORPORA.values():
        for row in rows(data / corpus.file):
            documents += 1
            counts.update(
                set(tokenize(f"{row.get('title', '')} {row.get('text') or ' '.join(row.get('sentences', ()))}"))
            )
    return documents, counts


def main() -> None:
    """Count, and write the table, the words in the order of the alphabet."""
    documents, counts = counted(Path(sys.argv[1]))
    kept = {
        word: count
        for word, count in sorted(counts.items())
        if count >= FEWEST and len(word) >= SHORTEST and word.isascii() and word.isalpha()
    }
    lines = [f"\t{documents}", *(f"{word}\t{count}" for word, count in kept.items())]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
