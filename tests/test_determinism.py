"""The same question gets the same answer: in another process, and when sources reply in another order."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.world import TRIAL, context, document, source
from wellsourced import Answer, Question, ask
from wellsourced.sources.base import SearchResult
from wellsourced.sources.fake import FakeSource
from wellsourced.sources.library import Library
from wellsourced.types import Document, Query, Reference

ROOT = Path(__file__).parents[1]

ASKED = (
    "Does colchicine prevent gout flares?",
    "How is hypertensoin treated in patients with CKD?",
    "Is Lasix or an ACE inhibitor better for heart failure?",
)
"""With a misspelled word, a brand and abbreviations in them, which several libraries know of."""

ASKER = f"""
import asyncio, sys
from wellsourced import Question, ask, config

async def main():
    settings = config.load({{"planner": sys.argv[1], "encoder": "none", "guidelines": "false"}})
    async with config.open_context(settings) as context:
        for text in {ASKED!r}:
            print((await ask(Question(text=text), context)).model_copy(update={{"timings": {{}}}}).model_dump_json())

asyncio.run(main())
"""

LIBRARIES = ("one", "other", "third")
SAID = (
    "Colchicine prevents gout flares in adults who begin to take allopurinol.",
    "Hypertension in patients with chronic kidney disease is treated with ACE inhibitors.",
    "Furosemide relieves congestion in heart failure, and an ACE inhibitor lowers mortality.",
    "Hypertension and gout often meet in patients with chronic kidney disease.",
)


async def filled(root: Path, name: str) -> None:
    """A library in which every sentence stands in three records, so that many scores are equal."""
    Library.create(root, name, "research")
    library = Library.at(root, name, write=True)
    await library.add(
        [
            Document(
                reference=Reference(id=f"{name}:{number}-{copy}", title=text, kind="research", published=f"202{copy}"),
                text=text,
            )
            for number, text in enumerate(SAID)
            for copy in range(3)
        ]
    )
    library.close()


def answers(home: Path, planner: str, seed: str) -> list[Answer]:
    """What a process of its own answers, whose sets have their members in an order of this seed."""
    (home / "verdicts.sqlite3").unlink(missing_ok=True)
    asking = subprocess.run(
        [sys.executable, "-c", ASKER, planner],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return [Answer.model_validate_json(line) for line in asking.stdout.splitlines()]


@pytest.mark.parametrize("planner", ["rules", pytest.param("boolean", marks=pytest.mark.nightly)])
def test_another_process_gives_the_same_answer(home: Path, planner: str) -> None:
    for name in LIBRARIES:
        asyncio.run(filled(home / "libraries", name))
    first, again = answers(home, planner, "1"), answers(home, planner, "2")
    assert first == again
    assert len(first) == len(ASKED)
    assert any(answer.statements for answer in first)
    assert all({attempt.search.source for attempt in answer.attempts} == {*LIBRARIES} for answer in first)
    assert all(answer.question.expansions for answer in first[1:])


MARKER = """
import json
from pathlib import Path
from wellsourced.compare.differences import find_differences
from wellsourced.compare.alignment import find_source_sentence
folder = Path("evaluate/data/written_statements")
rows = [json.loads(line) for line in (folder / "passages.jsonl").read_text("utf-8").splitlines()]
passages = {row["passage_id"]: row["text"] for row in rows}
for row in map(json.loads, (folder / "statements_a.jsonl").read_text("utf-8").splitlines()):
    passage = passages[row["passage_id"]]
    place = find_source_sentence(row["claim"], passage)
    if place:
        found = find_differences(row["claim"], passage[place.start : place.end])
        print(row["id"], place, *found)
"""


def test_another_process_marks_the_same_words() -> None:
    marked = [
        subprocess.run(
            [sys.executable, "-c", MARKER],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for seed in ("1", "2")
    ]
    assert marked[0].count("\n") > 100
    assert marked[0] == marked[1]


class Slow(FakeSource):
    """Answers after some turns of the event loop."""

    turns = 0

    async def search(self, query: Query, limit: int) -> SearchResult:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        return await super().search(query, limit)


def slow(name: str, turns: int, *documents: Document) -> Slow:
    told = source(name, *documents)
    made = Slow(name, documents, told.passages, "research")
    made.turns = turns
    return made


async def asked(turns: Sequence[int]) -> Answer:
    """The answer of three sources with equal places for their records, two of which are of one article."""
    copy = document("doi:10.1000/copy", TRIAL.text, title=TRIAL.reference.title)
    records = [("b", TRIAL), ("a", copy), ("c", document("pubmed:9", f"{TRIAL.text} It ended.", title="Another"))]
    sources = [slow(name, turn, record) for turn, (name, record) in zip(turns, records, strict=True)]
    answer = await ask(Question(text="Does colchicine shorten gout flares?"), context(*sources))
    return answer.model_copy(update={"timings": {}})


async def test_the_answer_is_the_same_whichever_source_is_first_to_reply() -> None:
    first = await asked((0, 3, 9))
    assert first.evidence
    assert first == await asked((9, 3, 0)) == await asked((3, 0, 9))
