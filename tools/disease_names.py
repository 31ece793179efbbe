"""List names of diseases that are one word: `claims/guard/disease_names.txt`, from the Disease Ontology and MedQuAD.

    python tools/disease_names.py DATA

DATA is the folder of the development data. American spelling, small letters, no hyphens. What ends as names of diseases
do (`claims/guard/disagreement.py`) is known without a list, and what means something else as often is left out.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from wellsourced.medicine.name_forms import fold_name, is_disease_name
from wellsourced.text.lexicon import word_set

TARGET = Path(__file__).parents[1] / "src" / "wellsourced" / "claims" / "guard" / "disease_names.txt"

AMBIGUOUS = word_set("""
    abortion acquired adhesions aging anesthesia backache battery belch birthmarks bleeding burn burns burp
    cancer cavities childbirth choix choking cicatrix coma congenital contraception cough crabs creatinine
    crypto dentures depression disabilities disability disease disseminated divorce drowning earthquakes
    electrocardiogram endo enteropathica falls fatigue favus fever floods fractures genetic grief hernia idic
    infertility injuries injury itching leeches malignancy memory menopause menses menstruation moles mono
    nausea neoplasm neoplasms nevus obesity pain parenting period perspiration piles plague poisoning polyp
    pyrexia rape rare rash rashes scar scars seizure seizures shock smoking staph sterility strep stress suicide
    sweat syndrome tdap tiredness trich tumor ulcer weariness
""")
"""What is no disease, or one among many of its name."""


def read_labels(data: Path) -> Iterator[str]:
    """Names and synonyms of diseases."""
    with gzip.open(data / "corpora/consumer.jsonl.gz", "rt", encoding="utf-8") as pages:
        for row in map(json.loads, pages):
            about = row["metadata"]
            if about.get("semantic_group") == "Disorders":
                yield from (about["focus"], *(about.get("synonyms") or ()))
    with gzip.open(data / "graph/do.nodes.jsonl.gz", "rt", encoding="utf-8") as nodes:
        for row in map(json.loads, nodes):
            yield from (row["label"], *row["synonyms"])


def list_names(labels: Iterator[str]) -> list[str]:
    """The names of one word that the endings of diseases' names do not tell, each once."""
    bare = (re.sub(r"\(.*?\)", "", label).strip() for label in labels)
    words = {fold_name(label) for label in bare if re.fullmatch(r"[A-Za-z][a-z]*-?[a-z]{3,}", label)}
    return sorted(word for word in words if len(word) > 4 and not is_disease_name(word) and word not in AMBIGUOUS)


def main() -> None:
    """List, and write the file."""
    names = list_names(read_labels(Path(sys.argv[1])))
    TARGET.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    print(f"{len(names):,} names: {TARGET}")


if __name__ == "__main__":
    main()
