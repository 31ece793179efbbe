"""Write the stems of words that name nothing unusual: `src/wellsourced/claims/ordinary_stems.txt`.

    python -m benchmarks.list_ordinary_stems /usr/share/dict/{american,british}-english-small

The lists are SCOWL's (Debian: wamerican-small, wbritish-small), without what is written with a capital. To them come
the stems in more than 48 of the passages that `stem_counts.tsv` counts, and what clinicians say at work (WORK_WORDS).
"""

import argparse
from pathlib import Path

from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems

TARGET = Path(__file__).parent.parent / "src" / "wellsourced" / "claims" / "ordinary_stems.txt"

MIN_PASSAGES = 49
"""Passages of 53,069 that a stem stands in which is no unusual name."""

WORK_WORDS = """
detox bleeder comatose pressor afebrile maxed cath angio obs nebs bloods vitals pyelo urosepsis echo crit tox peds
neuro cardio gastro rehab postop preop intraop ortho periop uptitrate downtitrate titrate reintubate extubate rebolus
scoped scalded quid sats fortnightly jabs preventer reliever inhaler nebuliser nebulizer cannula venflon drip bleep
consultant registrar houseman triage handover ward clinic theatre theater stepdown comorbid comorbidity multimorbid
decompensate decompensation lytic lysis vascath neurosurgery neurosurgeon haematemesis hematemesis melaena melena
haemoptysis hemoptysis haematuria synergy synergistic antibiogram seropositive obtunded bicarb gent vanc norad levo
tazo cefs trops lytes resus defib trach peg stoma pacer ablated paced polypharmacy scuba
"""


def main() -> None:
    """Read the lists that are named, and write the stems, sorted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", type=Path, help="files with a word on each line")
    given = parser.parse_args()
    words = {word for path in given.lists for word in path.read_text("utf-8").splitlines() if word == word.lower()}
    (_, _), *counted = read_rows("wellsourced.judges", "stem_counts.tsv")
    stems = {stem for word in (*words, *WORK_WORDS.split()) for stem in content_stems(word)}
    stems |= {stem for stem, passages in counted if int(passages) >= MIN_PASSAGES}
    kept = sorted(stem for stem in stems if stem.isascii() and stem.replace("'", "").isalpha())
    TARGET.write_text("\n".join(kept) + "\n", encoding="utf-8")
    print(f"{len(kept):,} stems in {TARGET.name}")


if __name__ == "__main__":
    main()
