"""Put statements, as strong language models write them, to what checks them; count what is refused, shown and marked.

    python benchmarks/written_statements/measure.py [FILE …] [--data FOLDER] [--show]

FILE      statements_a.jsonl, statements_b.jsonl (both if none is named), or rows of as_written.pairs.jsonl.gz and
          played_drafts.jsonl.gz, which carry their passage as `evidence`
refused   of the right statements, those that the rules overrule although a model says that the source supports them,
          and shows the words: that model is taken to be honest
stopped   of the faulty ones, those that the rules alone would stop if the model overlooked them
"""

import argparse
import asyncio
import gzip
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wellsourced import config
from wellsourced.config.judges import open_judge
from wellsourced.factcheck.pairing import JudgingOptions, judge_document
from wellsourced.pipeline.verify.vetoes import find_statement_veto
from wellsourced.types import Citation, Document, Passage, Question, Reference, Statement, Verdict

HERE = Path(__file__).parent
SUPPORTED = Verdict(label="supports", score=1.0)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Statements with the passage that each is held against as `evidence`."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    if "evidence" in rows[0]:
        return rows
    lines = (HERE / "passages.jsonl").read_text("utf-8").splitlines()
    passages = {one["passage_id"]: one["text"] for one in map(json.loads, lines)}
    return [row | {"evidence": passages[row["passage_id"]]} for row in rows]


def build_statement(row: dict[str, Any]) -> tuple[Statement, Passage]:
    """The claim, citing its quotes where they stand in its passage."""
    text = row["evidence"]
    passage = Passage(reference=Reference(id=f"row:{row['id']}", title=""), text=text, start=0, end=len(text))
    places = [(quote, text.find(quote)) for quote in row["quotes"]]
    citations = tuple(
        Citation(passage_id=passage.id, quote=quote, start=at, end=at + len(quote)) for quote, at in places if at >= 0
    )
    return Statement(text=row["claim"], citations=citations, verdict=SUPPORTED), passage


def count_vetoes(rows: Sequence[dict[str, Any]], show: bool) -> None:
    """Print how often the rules overrule a model that says “supports”."""
    refused: Counter[bool] = Counter()
    for row in rows:
        statement, passage = build_statement(row)
        question = Question(text=row.get("question", ""), asked=row.get("question", ""))
        veto = find_statement_veto(question, statement, {passage.id: passage})
        right = row["label"] == "supported"
        refused[right] += veto is not None
        if show and (veto is not None) == right:
            print(f"  {row['id']} {row['label']} {row.get('kind', '')}: {row['claim']}\n      {veto and veto.verdict.reason}")
    right = sum(row["label"] == "supported" for row in rows)
    print(f"with a model: right ones refused {refused[True]} of {right}, faulty ones stopped {refused[False]} of {len(rows) - right}")


async def count_local(rows: Sequence[dict[str, Any]], show: bool) -> None:
    """Print what is told of each kind without a model."""
    settings = config.load({"network.offline": True})
    told: dict[str, Counter[str]] = {"supported": Counter(), "faulty": Counter()}
    async with open_judge("weighed", settings) as judge:
        for row in rows:
            document = Document(reference=Reference(id=f"row:{row['id']}", title=""), text=row["evidence"])
            found = (await judge_document(document, [row["claim"]], judge, JudgingOptions()))[row["claim"]]
            kind = "supported" if row["label"] == "supported" else "faulty"
            told[kind][found.verdict.label] += 1
            if show and (kind == "supported") == (found.verdict.label == "contradicts"):
                print(f"  {row['id']} {row['label']}: {row['claim']}\n      {found.verdict.label}: {found.verdict.reason}")
    print(f"without: right ones {dict(told['supported'])}, faulty ones {dict(told['faulty'])}")


def main() -> None:
    """Read the arguments and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    given = parser.parse_args()
    for path in given.files or sorted(HERE.glob("statements_*.jsonl")):
        rows = read_rows(path)
        print(f"{path.name}: {len(rows)} statements")
        count_vetoes(rows, given.show)
        asyncio.run(count_local(rows, given.show))


if __name__ == "__main__":
    main()
