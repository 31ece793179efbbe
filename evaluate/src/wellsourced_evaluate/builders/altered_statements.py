"""Pairs for judges of support, made by rule: sentences of articles with one thing changed, and the same reworded.

They are minimal pairs (`minimal_pairs.py`). Whoever wrote the rules knew what would come of them: on such pairs, a
judge's figures bound from below what it misses, and say nothing of how it does on what people and models write.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.text.passages import cut_passages
from wellsourced.types import Passage
from wellsourced_evaluate.builders.articles import ArticleFiles, read_articles
from wellsourced_evaluate.builders.built_set import BuildHeader, BuiltItem, Manifest, SetWriter
from wellsourced_evaluate.builders.minimal_pairs import CLASSES, MinimalPair, make_minimal_pairs

BUILDER = "altered-statements"

MIN_CHARACTERS = 300
"""Of a passage that a sentence is drawn from: of less there is no context to read it in."""

WHY: Mapping[str, str] = {
    "negation": "it says the opposite: a “not” was put in or taken out",
    "direction": "a word of direction was turned round",
    "number": "a number is another",
    "unit": "a unit is another",
    "dose": "the dose or the way of giving it is another",
    "percentage": "a percentage is another",
    "interval": "a bound of an interval is another",
    "p-value": "a p-value is another",
    "comparator": "a bound was turned round: above, below",
    "population": "other people or animals than in the text",
    "drug": "another drug, gene or procedure of the same kind",
    "time": "a time or an order in time is another",
    "role": "who was compared with whom, or two values, stand in each other's place",
    "term": "one technical term stands for its neighbour",
    "paraphrase": "the same in other words or in another order",
    "white space": "the same with other line ends and spaces",
    "unicode": "the same in other characters",
    "abbreviation": "the same with a name written short or out",
    "left out": "the same without an aside or a clause",
}

OTHER_SUBJECT = frozenset({"population", "drug", "term"})
"""Changes after which a sentence speaks of something that its text is silent on; after all others it contradicts it."""


class AlterationTask(NamedTuple):
    """What is altered, how, and into which file.

    kinds   names of CLASSES
    each    pairs of each kind
    """

    paths: tuple[Path, ...]
    out: Path
    kinds: tuple[str, ...] = tuple(CLASSES)
    each: int = 50
    seed: int = 7
    fresh: bool = False


def build_altered_statements(task: AlterationTask) -> Manifest:
    """Write pairs.jsonl with its manifest. Raises SourceRefused, UnreadableFile."""
    articles = read_articles(task.paths)
    header = BuildHeader(
        builder=BUILDER,
        seed=task.seed,
        options={"kinds": list(task.kinds), "count": task.each},
        inputs=articles.inputs,
    )
    writer = SetWriter(task.out, header, fresh=task.fresh)
    if writer.manifest:
        return writer.manifest
    passages = _list_passages(articles)
    pairs = [pair for kind in task.kinds for pair in _make_pairs(kind, passages, task)]
    for item in _group_by_document(pairs, passages):
        if item.key not in writer.items:
            writer.add(item)
    for place, reason in articles.faults:
        writer.add(BuiltItem(key=place, left_out="it cannot be read", detail=reason))
    return writer.finish(("label", "kind"), tuple(_describe_lack(pairs, task, len(articles.documents))))


def _list_passages(articles: ArticleFiles) -> dict[str, Passage]:
    """The text of each passage that is long enough → the passage."""
    every = (passage for document in articles.documents for passage in cut_passages(document))
    return {passage.text: passage for passage in every if len(passage.text) >= MIN_CHARACTERS}


def _make_pairs(kind: str, passages: Mapping[str, Passage], task: AlterationTask) -> Iterator[MinimalPair]:
    """Of passages in an order of its own for each kind, so that all kinds together are of many texts."""
    texts = list(passages)
    random.Random(f"{task.seed} {kind}").shuffle(texts)  # noqa: S311
    return make_minimal_pairs(texts, kind, task.each, task.seed)


def _group_by_document(pairs: Sequence[MinimalPair], passages: Mapping[str, Passage]) -> Iterator[BuiltItem]:
    """The rows of each document, documents in the order of their first pair."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, pair in enumerate(pairs, 1):
        passage = passages[pair.text]
        rows[passage.reference.id].append(
            {
                "id": f"altered-{number}",
                "claim": pair.claim,
                "evidence": pair.text,
                "label": label_pair(pair),
                "kind": pair.change,
                "why": WHY[pair.change],
                "original": pair.original,
                "group": passage.reference.id,
            }
        )
    for key, made in rows.items():
        yield BuiltItem(key=key, rows=tuple(made))


def label_pair(pair: MinimalPair) -> str:
    """What a judge should say of it, in the words of files of pairs."""
    if not pair.harmful:
        return "supported"
    return "not_enough" if pair.change in OTHER_SUBJECT else "contradicted"


def _describe_lack(pairs: Sequence[MinimalPair], task: AlterationTask, documents: int) -> Iterator[str]:
    yield f"Made from {documents:,} documents, passages of them in an order that the seed drew for each kind."
    yield "The pairs are made by rule: a judge's figures on them bound from below what it misses."
    for kind in task.kinds:
        made = sum(pair.change == kind for pair in pairs)
        if made < task.each:
            yield f"Of “{kind}” {made:,} pairs could be made, not {task.each:,}."
