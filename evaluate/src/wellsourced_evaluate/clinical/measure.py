"""Put statements, as strong language models write them, to what checks them; count what is refused, shown and marked.

    python benchmarks/written_statements/measure.py [FILE …] [--show] [--vetoes-only]

FILE      statements_a.jsonl, statements_b.jsonl (both if none is named), or rows of as_written.pairs.jsonl.gz and
          played_drafts.jsonl.gz, which carry their passage as `evidence`
refused   of the right statements, those that the rules overrule although a model says that the source supports them,
          and shows the words: that model is taken to be honest
stopped   of the faulty ones, those that the rules alone would stop if the model overlooked them
pointed   statements of which the model is asked at least one pointed question
without   what `check` tells of each without a model (verbatim, verified, contradicted, unverified …)
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
from wellsourced.claims.pointed_questions import PointedQuestion, list_pointed_questions
from wellsourced.claims.yes_no_questions import strip_answer_word
from wellsourced.config.judges import open_judge
from wellsourced.factcheck.pairing import JudgingOptions, judge_document
from wellsourced.pipeline.support import cited_sentences
from wellsourced.pipeline.verify.vetoes import find_statement_veto
from wellsourced.text.tokens import content_stems
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
    questioned: Counter[bool] = Counter()
    named = Counter[bool]()
    for row in rows:
        statement, passage = build_statement(row)
        question = Question(text=row.get("question", ""), asked=row.get("question", ""))
        veto = find_statement_veto(question, statement, {passage.id: passage})
        right = row["label"] == "supported"
        refused[right] += veto is not None
        sentences = cited_sentences(statement, {passage.id: passage})
        claim = strip_answer_word(statement.text)
        questions = list_pointed_questions(claim, sentences, passage.text, question.text)
        questioned[right] += bool(questions)
        if row.get("changed"):
            named[any(_names_fault(one, row["changed"]) for one in questions) or veto is not None] += 1
        if show and (veto is not None) == right:
            print(f"  {row['id']} {row['label']} {row.get('kind', '')}: {row['claim']}")
            print(f"      {veto and veto.verdict.reason}")
    right = sum(row["label"] == "supported" for row in rows)
    faulty = len(rows) - right
    print(
        f"with a model: right ones refused {refused[True]} of {right}, faulty ones stopped {refused[False]} of {faulty}"
    )
    print(f"pointed questions: right ones {questioned[True]} of {right}, faulty ones {questioned[False]} of {faulty}")
    if named:
        print(f"    of near copies, the fault is named or stopped in {named[True]} of {sum(named.values())}")


def _names_fault(question: PointedQuestion, changed: Sequence[str]) -> bool:
    """Whether a question shows words that are wrong in the claim, or the source's for them."""
    shown = set(content_stems(f"{question.claim} {question.evidence}"))
    said, meant = (set(content_stems(words)) for words in changed)
    return bool((said ^ meant) & shown) or not said ^ meant


async def count_local(rows: Sequence[dict[str, Any]], show: bool) -> None:
    """Print which status is told of right and faulty ones without a model."""
    settings = config.load({"network.offline": True})
    told: dict[str, Counter[str]] = {"supported": Counter(), "faulty": Counter()}
    async with open_judge("weighed", settings) as judge:
        for row in rows:
            document = Document(reference=Reference(id=f"row:{row['id']}", title=""), text=row["evidence"])
            found = (await judge_document(document, [row["claim"]], judge, JudgingOptions()))[row["claim"]]
            kind = "supported" if row["label"] == "supported" else "faulty"
            status = found.verdict.status
            told[kind][status] += 1
            if show and status == ("contradicted" if kind == "supported" else "verified"):
                print(f"  {row['id']} {row['label']}: {row['claim']}\n      {status}: {found.verdict.reason}")
    print(f"without a model: right ones {dict(told['supported'])}, faulty ones {dict(told['faulty'])}")


def main() -> None:
    """Read the arguments and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    parser.add_argument("--vetoes-only", action="store_true", help="leave out the local judge, which is slow")
    given = parser.parse_args()
    for path in given.files or sorted(HERE.glob("statements_*.jsonl")):
        rows = read_rows(path)
        print(f"{path.name}: {len(rows)} statements")
        count_vetoes(rows, given.show)
        if not given.vetoes_only:
            asyncio.run(count_local(rows, given.show))


if __name__ == "__main__":
    main()
