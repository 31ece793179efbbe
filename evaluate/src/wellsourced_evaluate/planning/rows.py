"""Training rows of judged queries: plans to imitate (SFT), and plans to prefer to others (DPO).

A row shows what the planner `prompting` shows a model, rendered by the same prompt: what is trained is what is asked.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.models.prompt_rendering import render_prompt
from wellsourced.models.reply_parsing import build_messages
from wellsourced.planners.prompting import MAX_QUERIES_PER_SOURCE
from wellsourced.prompts.planning import PlanSources, SourcePlan, SourceSummary
from wellsourced.types import Query
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.planning.exploration import Exploration, ExploredQuestion, RecordedSearch
from wellsourced_evaluate.planning.judging import Judgements, SearchLabel, pair_verdicts
from wellsourced_evaluate.record_log import LogHeader
from wellsourced_evaluate.recorded_rows import write_rows
from wellsourced_evaluate.tables import Block, Part, Table, Text

SFT_FILE, DPO_FILE, MANIFEST_FILE = "sft.jsonl", "dpo.jsonl", "manifest.json"

SCHEMA = 1
"""Of the rows; training refuses others."""

Message = dict[str, str]


class RowManifest(LogHeader):
    """What the rows of a folder were made from, and what was left out: their data card.

    judged                 source → label → queries that were judged
    positives, negatives   source → queries that are in the rows
    left_out               reason → ids of questions
    """

    schema_version: int = SCHEMA
    seed: int
    explorer: str
    judge: str
    exploration: str
    cards: tuple[SourceSummary, ...]
    sft: int
    dpo: int
    sha256: dict[str, str]
    judged: dict[str, dict[str, int]]
    positives: dict[str, int]
    negatives: dict[str, int]
    left_out: dict[str, tuple[str, ...]]
    questions: dict[str, int]


class QuestionRows(NamedTuple):
    """The rows of one question; `left_out` says why there is none of a kind, "" where there is."""

    sft: dict[str, Any] | None
    dpo: dict[str, Any] | None
    left_out: str = ""


def make_rows(exploration: Exploration, judged: Judgements, out: Path, seed: int) -> RowManifest:
    """Write the rows of all judged questions to a folder. Raises SourceRefused for judgements of something else."""
    left_out: defaultdict[str, list[str]] = defaultdict(list)
    rows: list[QuestionRows] = []
    drawn: dict[str, Counter[str]] = {"positive": Counter(), "negative": Counter()}
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    # In the order of ids: the same rows whatever the order of the files.
    for id in sorted(judged.questions):
        verdicts = pair_verdicts(exploration, judged.questions[id])
        question = exploration.questions[id]
        for search, verdict in verdicts:
            labels[search.source][verdict.label] += 1
        plans = {label: _draw_queries(question, verdicts, label, seed) for label in ("positive", "negative")}
        made = _build_rows(question, exploration.header.cards, plans)
        if made.left_out:
            left_out[made.left_out].append(id)
        for label, plan in plans.items():
            if made.sft if label == "positive" else made.dpo:
                drawn[label].update({source: len(queries) for source, queries in plan.items()})
        rows.append(made)
    left_out["no known answer"] += sorted(exploration.questions.keys() - judged.questions.keys())
    out.mkdir(parents=True, exist_ok=True)
    parts = {SFT_FILE: [one.sft for one in rows if one.sft], DPO_FILE: [one.dpo for one in rows if one.dpo]}
    for name, its in parts.items():
        write_rows(out / name, its)
    manifest = RowManifest(
        seed=seed,
        explorer=exploration.header.explorer,
        judge=judged.header.judge,
        exploration=exploration.header.hash,
        cards=exploration.header.cards,
        sft=len(parts[SFT_FILE]),
        dpo=len(parts[DPO_FILE]),
        sha256={name: hash_file(out / name) for name in parts},
        judged={source: dict(its) for source, its in sorted(labels.items())},
        positives=dict(drawn["positive"]),
        negatives=dict(drawn["negative"]),
        left_out={reason: tuple(ids) for reason, ids in left_out.items() if ids},
        questions=dict(Counter(exploration.questions[id].set for id in judged.questions)),
    )
    (out / MANIFEST_FILE).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return manifest


Plans = Mapping[str, list[Query]]


def _draw_queries(
    question: ExploredQuestion, verdicts: Sequence[tuple[RecordedSearch, Any]], label: SearchLabel, seed: int
) -> Plans:
    """At most three queries of this label for each source, in their order; the draw depends on the question alone."""
    draw = random.Random(f"{seed} {question.id} {label}")  # noqa: S311
    queries: defaultdict[str, list[Query]] = defaultdict(list)
    for search, verdict in verdicts:
        if verdict.label == label:
            queries[search.source].append(search.query)
    return {
        source: [its[place] for place in sorted(draw.sample(range(len(its)), min(len(its), MAX_QUERIES_PER_SOURCE)))]
        for source, its in sorted(queries.items())
    }


def _build_rows(
    question: ExploredQuestion, cards: tuple[SourceSummary, ...], plans: Mapping[str, Plans]
) -> QuestionRows:
    positive, negative = plans["positive"], plans["negative"]
    if not positive:
        return QuestionRows(None, None, "no query found support")
    prompt = render_messages(question.asked or question.question, question.options, cards)
    chosen = _say_plan(cards, positive)
    sft = {"id": question.id, "messages": [*prompt, chosen]}
    rejected = _say_plan(cards, negative)
    if not negative or rejected == chosen:
        return QuestionRows(sft, None, "every query found support: no pair")
    return QuestionRows(sft, {"id": question.id, "prompt": prompt, "chosen": [chosen], "rejected": [rejected]})


def render_messages(question: str, options: dict[str, str], cards: tuple[SourceSummary, ...]) -> list[Message]:
    """What a model is told and shown when it plans, as engines in this process say it."""
    prompt = PlanSources(question=question, options=options, cards=cards, most=MAX_QUERIES_PER_SOURCE)
    return build_messages(render_prompt(prompt), SourcePlan)


def _say_plan(cards: Sequence[SourceSummary], queries: Plans) -> Message:
    """The plan as the model is to write it: an entry for every source, empty where it is not asked."""
    plan = {
        "entries": [
            {"source": card.name, "queries": [_say_query(query) for query in queries.get(card.name, ())]}
            for card in cards
        ]
    }
    return {"role": "assistant", "content": json.dumps(plan, ensure_ascii=False)}


def _say_query(query: Query) -> dict[str, str]:
    if query.kind == "term":
        return {"text": " ".join(query.also), "term": query.text}
    return {"text": query.text}


def manifest_blocks(manifest: RowManifest, out: Path) -> Iterator[Block]:
    """How many rows there are, of which source, and what was left out."""
    yield Text(f"{manifest.sft:,} plans to imitate and {manifest.dpo:,} pairs of plans in {out}.")
    rows = []
    for card in manifest.cards:
        labels = manifest.judged.get(card.name, {})
        share = Part(labels.get("positive", 0), sum(labels.values()))
        rows.append((card.name, share, manifest.positives.get(card.name, 0), manifest.negatives.get(card.name, 0)))
    yield Table(("source", "positive", "queries imitated", "queries rejected"), rows)
    for reason, ids in manifest.left_out.items():
        yield Text(f"{len(ids):,} questions: {reason}.")
