"""Count the sections of the guideline digests that have a stem: `question/digest_stems.tsv`, when the digests change.

    python tools/digest_stems.py

What a question asks about and no digest has is told from what is only said in other words by these counts.
"""

import re
from collections import Counter
from pathlib import Path

from wellsourced.readers.guidelines import load_digests
from wellsourced.text.tokens import content_stems

TARGET = Path(__file__).parents[1] / "src" / "wellsourced" / "question" / "digest_stems.tsv"


def count_stems(texts: list[str]) -> Counter[str]:
    """Sections of these digests that each stem stands in, figures left out."""
    sections = (section for text in texts for section in re.split(r"^#+ ", text, flags=re.MULTILINE))
    return Counter(stem for section in sections for stem in set(content_stems(section)) if not stem[0].isdecimal())


def main() -> None:
    """Count, and write the file."""
    counts = count_stems(list(load_digests().texts.values()))
    TARGET.write_text("".join(f"{stem}\t{count}\n" for stem, count in sorted(counts.items())), encoding="utf-8")
    print(f"{len(counts):,} stems: {TARGET}")


if __name__ == "__main__":
    main()
