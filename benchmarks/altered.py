"""Which changes of a fact are seen, and which harmless ones are held against a text: the suite of altered quotes.

    python -m benchmarks.altered --data ../shared/data [--count 300] [--seed 7]

makes minimal pairs from the abstracts of the research corpus (`wellsourced_evaluate.builders`) and prints for each
class how many are refused: as quotes of the abstract, by the guard against the sentence, by the guard against the whole
abstract. Then what the guard says of real claims, by their label. Everything is seeded: two runs print the same.
"""

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.emergencies import wilson
from wellsourced.citations.quote_alignment import align_quote
from wellsourced.claims.guard import find_disagreements
from wellsourced_evaluate.builders.minimal_pairs import CLASSES, HARMFUL, MinimalPair, make_minimal_pairs

COPIES = frozenset({*HARMFUL, "white space", "unicode"})
"""Classes whose claims are copies of the sentence, right or wrong: of the others a quote has to be refused."""

SHORTEST = 600
"""Characters of a text that counts as a whole abstract."""


class Judged(NamedTuple):
    """A real claim and its evidence: of a set, with a label."""

    set: str
    label: str
    claim: str
    evidence: str


def main() -> None:
    """Make the pairs, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=300, help="pairs of each class")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    texts = abstracts(given.data, given.seed)
    print(f"{'class':14}{'':10}{'n':>5}  {'as a quote':22}{'guard, sentence':22}{'guard, abstract':22}")
    pairs = [pair for name in CLASSES for pair in make_minimal_pairs(texts, name, given.count, given.seed)]
    for name in CLASSES:
        print(told(name, [pair for pair in pairs if pair.change == name]))
    for harmful in (True, False):
        print(told("all", [pair for pair in pairs if pair.harmful == harmful]))
    print()
    on_real_claims(list(real(given.data)))


def abstracts(data: Path, seed: int) -> list[str]:
    """The whole abstracts of the research corpus, in an order that the seed decides."""
    texts = [row["text"] for row in rows(data / "corpora" / "research.jsonl.gz") if not row["metadata"].get("partial")]
    texts = [text for text in texts if len(text) >= SHORTEST]
    random.Random(seed).shuffle(texts)  # noqa: S311
    return texts


def told(name: str, pairs: Sequence[MinimalPair]) -> str:
    """A line of the table: the share of pairs that are refused, three times."""
    copies = [pair for pair in pairs if pair.change in COPIES]
    shares = (
        share([not align_quote(pair.claim, pair.text) for pair in copies]),
        share([bool(find_disagreements(pair.claim, pair.original)) for pair in pairs]),
        share([bool(find_disagreements(pair.claim, pair.text)) for pair in pairs]),
    )
    kind = "harmful" if pairs and pairs[0].harmful else "harmless"
    return f"{name:14}{kind:10}{len(pairs):5}  {shares[0]:22}{shares[1]:22}{shares[2]:22}"


def share(refused: Sequence[bool]) -> str:
    """A share with its 95 % interval; a dash of none."""
    if not refused:
        return "-"
    found = wilson(sum(refused), len(refused))
    return f"{found.share:.3f} ({found.low:.3f}-{found.high:.3f})"


# --- real claims -----------------------------------------------------------------------------------------------------


def on_real_claims(claims: Sequence[Judged]) -> None:
    """How often the guard speaks: on supported claims that is the harm it does, on contradicted ones the gain."""
    for name, label in dict.fromkeys((one.set, one.label) for one in claims):
        found = [find_disagreements(one.claim, one.evidence) for one in claims if (one.set, one.label) == (name, label)]
        kinds = Counter(kind for each in found for kind in {one.kind for one in each})
        spoken = ", ".join(f"{kind} {count / len(found):.3f}" for kind, count in kinds.most_common())
        print(f"{name:20}{label:14}{len(found):5}  {share([bool(each) for each in found]):22}{spoken}")


def real(data: Path) -> Iterator[Judged]:
    """The claims of the verification sets; those of SciFact with their sentences, then with the whole abstract."""
    folder = data / "verification"
    corpus = {str(row["_id"]): " ".join(row["sentences"]) for row in rows(folder / "scifact.corpus.jsonl.gz")}
    for row in rows(folder / "scifact.pairs.jsonl.gz"):
        yield Judged("scifact abstract", row["label"], row["claim"], corpus[str(row["doc_id"])])
        if row["evidence_sentences"]:
            yield Judged("scifact rationale", row["label"], row["claim"], _joined(row["evidence_sentences"]))
    for name in ("evidence_inference", "kqa"):
        for row in rows(folder / f"{name}.pairs.jsonl.gz"):
            yield Judged(name, row["label"], row["claim"], row["evidence"])


def _joined(sentences: Sequence[str | Sequence[str]]) -> str:
    return " ".join(part if isinstance(part, str) else " ".join(part) for part in sentences)


def rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """The lines of a file, each an object."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
