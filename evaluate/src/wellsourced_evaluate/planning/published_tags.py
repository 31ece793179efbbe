"""Plans as published planners write them: a pair of tags for each source, with queries between (Omni-RAG).

    <book> heart failure drugs ; "a; b" </book> <guideline></guideline> <graph> gout , what causes it </graph>

Queries end with a semicolon; in what is asked of a graph a comma stands behind the term. An empty pair asks a source
nothing, which is another thing than no pair at all.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from wellsourced.errors import UnparsableReply
from wellsourced.prompts.planning import PlannedQuery, SourcePlan, SourceQueries
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import fold_case
from wellsourced_evaluate.recorded_rows import RecordedRow, Words, read_recorded

TAG_KINDS = {"wiki": ("web", "consumer"), "knowledge_graph": ("graph",), "paper": ("research",)}
"""Tag → kinds of source that it means besides the kind of its own name."""

_TAG = re.compile(r"<\s*(/?)\s*([\w -]+?)\s*>")
_QUERY = re.compile(r'(?:"[^"]*"|[^;])+')


class RecordedPlan(RecordedRow):
    """What a planner replied to a question, as it wrote it."""

    id: Words
    reply: str


def read_replies(path: Path) -> dict[str, str]:
    """Question → the reply of a planner. Raises UnreadableFile."""
    return {row.id: row.reply for row in read_recorded(path, RecordedPlan).rows}


def read_tags(reply: str, cards: Sequence[SourceInfo]) -> SourcePlan:
    """The plan: an entry for every source that has a pair of tags, by its name or its kind.

    Raises UnparsableReply of a reply without a pair.
    """
    pairs = list(_find_pairs(reply))
    if not pairs:
        raise UnparsableReply(reply, "it has no pair of tags")
    entries = []
    for tag, words in pairs:
        name = fold_case(tag).replace(" ", "_")
        kinds = (name, *TAG_KINDS.get(name, ()))
        meant = [card for card in cards if fold_case(card.name) == name]
        meant = meant or [card for card in cards if card.kind in kinds]
        for source in [card.name for card in meant] or [tag]:
            looks_up = any("term" in card.asks for card in meant)
            entries.append(SourceQueries(source=source, queries=tuple(_read_queries(words, looks_up))))
    return SourcePlan(entries=tuple(entries))


def _find_pairs(reply: str) -> Iterator[tuple[str, str]]:
    """Each tag with what stands between it and the next that ends it; of nested pairs the outer one, without tags."""
    at = 0
    while begins := _TAG.search(reply, at):
        at = begins.end()
        if begins[1]:
            continue
        ends = (one for one in _TAG.finditer(reply, at) if one[1] and fold_case(one[2]) == fold_case(begins[2]))
        if end := next(ends, None):
            yield begins[2], _TAG.sub(" ", reply[at : end.start()])
            at = end.end()


def _read_queries(words: str, looks_up: bool) -> Iterator[PlannedQuery]:
    for found in _QUERY.finditer(words):
        text = " ".join(found.group().split()).strip("\"' ")
        term, comma, rest = text.partition(",")
        if not text:
            continue
        if looks_up:
            yield PlannedQuery(term=term.strip(), text=rest.strip() if comma else text)
        else:
            yield PlannedQuery(text=text)
