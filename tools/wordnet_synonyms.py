"""Write the synonyms that METEOR asks for: `wordnet_synonyms.tsv.gz` of the laboratory, from the files of WordNet 3.0.

    python tools/wordnet_synonyms.py /usr/share/wordnet

The folder is that of Debian's package wordnet-base (`apt install wordnet-base`; without installing it, `apt download
wordnet-base` and `dpkg-deb --extract`). What is kept of WordNet: the words of each synonym set that are one word, and
the irregular forms. A line is `s` or `e`, the part of speech, and words: of a set, or an irregular form and its bases.
"""

import gzip
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).parents[1] / "evaluate" / "src" / "wellsourced_evaluate" / "wordnet_synonyms.tsv.gz"
PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def read_synonym_sets(file: Path) -> Iterator[tuple[str, ...]]:
    """The single words of each set, of a file `data.*`: offset, file, kind, count in hex, word, id, word …"""
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            fields = line.split(" ")
            words = (re.sub(r"\(\w+\)$", "", fields[4 + 2 * place]) for place in range(int(fields[3], 16)))
            yield tuple(dict.fromkeys(word for word in words if "_" not in word))


def keep_informative(sets: Iterator[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Each set once; a word that stands alone only where no other set says that it exists."""
    each = {words for words in sets if words}
    shared = {word for words in each if len(words) > 1 for word in words}
    return sorted(words for words in each if len(words) > 1 or words[0] not in shared)


def read_irregular_forms(file: Path) -> list[tuple[str, ...]]:
    """Form and bases, of a file `*.exc`."""
    lines = (tuple(line.split()) for line in file.read_text(encoding="utf-8").splitlines())
    return sorted(words for words in lines if not any("_" in word for word in words))


def main() -> None:
    """Read the folder, and write the table: the same bytes for the same files."""
    folder = Path(sys.argv[1])
    rows = []
    for letter, name in PARTS_OF_SPEECH.items():
        rows += [("s", letter, *words) for words in keep_informative(read_synonym_sets(folder / f"data.{name}"))]
        rows += [("e", letter, *words) for words in read_irregular_forms(folder / f"{name}.exc")]
    text = "".join("\t".join((*row[:2], " ".join(row[2:]))) + "\n" for row in rows)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(rows):,} lines, {TARGET.stat().st_size / 1e6:.1f} MB: {TARGET}")


if __name__ == "__main__":
    main()
