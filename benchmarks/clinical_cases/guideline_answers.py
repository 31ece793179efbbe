"""Ask questions that the guidelines answer, and questions that they nearly answer; count what is said and what is not.

    python benchmarks/clinical_cases/guideline_answers.py facts [FILE] [--home FOLDER] [--show]
    python benchmarks/clinical_cases/guideline_answers.py near-misses [FILE] [--home FOLDER] [--show]

facts         of each question the facts, as patterns, that the statements have, and that the short answer has
near-misses   questions that the digests do not answer, and controls that they do (README.md says how to read them)
"""

import argparse
import asyncio
import gzip
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.types import Answer, Statement

HERE = Path(__file__).parent


def read_cases(path: Path) -> list[dict[str, Any]]:
    """A JSON object a line, gzip or not."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def join_texts(statements: Sequence[Statement]) -> str:
    """What statements say, one a line."""
    return "\n".join(statement.text for statement in statements)


def lead_text(answer: Answer) -> str:
    """The short answer."""
    return join_texts([statement for statement in answer.statements if statement.lead])


async def count_facts(cases: Sequence[dict[str, Any]], context: Context, show: bool) -> None:
    """Print the share of facts said, at all and in the short answer, and how many words that took."""
    said = short = every = words = short_words = 0
    for case in cases:
        answer = await ask(case["question"], context)
        text, lead = join_texts(answer.statements), lead_text(answer)
        patterns = [re.compile(fact["pattern"], re.IGNORECASE) for fact in case["facts"]]
        found = [pattern.search(text) is not None for pattern in patterns]
        every += len(patterns)
        said += sum(found)
        short += sum(pattern.search(lead) is not None for pattern in patterns)
        words += len(text.split())
        short_words += len(lead.split())
        lacking = [fact["fact"] for fact, one in zip(case["facts"], found, strict=True) if not one]
        print(f"{case['id']}: {sum(found)}/{len(found)}{' abstained' if answer.abstained else ''} lacks {lacking}")
        if show:
            print(text)
    print(
        f"facts said {said}/{every} = {said / every:.2f}, in the short answer {short / every:.2f}; "
        f"words {words / len(cases):.0f}, {short_words / len(cases):.0f} of them in the short answer"
    )


async def count_near_misses(cases: Sequence[dict[str, Any]], context: Context, show: bool) -> None:
    """Print how many near misses are answered, how many as the case calls wrong, and how many controls are right."""
    answered = wrong = right = silent = 0
    near = [case for case in cases if case["missing"]]
    for case in cases:
        answer = await ask(case["question"], context)
        text = join_texts(answer.statements)
        if case["missing"]:
            answered += not answer.abstained
            wrong += re.search(case["wrong"], text, re.IGNORECASE) is not None
        else:
            silent += answer.abstained
            right += re.search(case["expected"], text, re.IGNORECASE) is not None
        if show:
            print(f"{case['id']}: {answer.reason if answer.abstained else lead_text(answer)}")
    print(
        f"near misses {len(near)}: answered {answered}, as the case calls wrong {wrong}; "
        f"controls {len(cases) - len(near)}: right {right}, abstained {silent}"
    )


async def main() -> None:
    """Read the arguments and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["facts", "near-misses"])
    parser.add_argument("cases", nargs="?", type=Path)
    parser.add_argument("--home", help="folder of the libraries, as for wellsourced --home")
    parser.add_argument("--show", action="store_true", help="print what was answered")
    given = parser.parse_args()
    names = {"facts": "facts.jsonl", "near-misses": "near_misses.jsonl"}
    cases = read_cases(given.cases or HERE / names[given.kind])
    with tempfile.TemporaryDirectory() as spare:
        settings = config.load({"home": given.home or spare, "network.offline": True})
        async with config.open_context(settings) as context:
            count = count_facts if given.kind == "facts" else count_near_misses
            await count(cases, context, given.show)


if __name__ == "__main__":
    asyncio.run(main())
