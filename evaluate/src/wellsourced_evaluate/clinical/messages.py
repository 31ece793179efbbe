"""Ask questions as people write messages, and as they stand alone; count what is refused, and what stays the same.

    python benchmarks/clinical_cases/messages.py ask OUT --home FOLDER [--half seen|unseen] [--plain] [--data FOLDER]
    python benchmarks/clinical_cases/messages.py compare PLAIN MESSAGES

ask       answer the messages of `messages.jsonl` (with --plain the questions that they are written around) and write
          a line for each into OUT; what stands there already is not asked again
compare   for both halves: refused, the same first document in the short answer, facts said, decisions that stay
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.clinical_cases.guideline_answers import HERE, read_cases
from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.events import ignore_event
from wellsourced.types import Answer
from wellsourced_evaluate.corpus import open_corpus
from wellsourced_evaluate.questions.answer_marks import has_pattern, join_texts


def read_messages(data: Path | None) -> list[dict[str, Any]]:
    """The messages, each with its plain question and the facts that its answer should have."""
    facts = {case["id"]: case for case in read_cases(HERE / "facts.jsonl")}
    studies = {case["id"]: case for case in read_cases(data / "qa/pubmedqa.jsonl.gz")} if data else {}
    rows = read_cases(HERE / "messages.jsonl")
    known = {"facts": facts, "pubmedqa": studies}
    return [{"facts": [], **known[row["of"]][row["id"]], **row} for row in rows if row["id"] in known[row["of"]]]


def record_answer(case: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """What is compared of an answer."""
    home = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    leads = [home[one] for statement in answer.statements if statement.lead for one in statement.cited_ids]
    text = join_texts(answer.statements)
    return {
        "id": case["id"],
        "of": case["of"],
        "half": case["half"],
        "text": answer.question.text,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "decision": answer.decision.label if answer.decision else "",
        "leads": list(dict.fromkeys(leads)),
        "facts": [has_pattern(fact["pattern"], text) for fact in case["facts"]],
        "said": text,
    }


async def ask_cases(cases: Sequence[dict[str, Any]], context: Context, wording: str, out: Path) -> None:
    """A line for each case."""
    for case in cases:
        answer = await ask(case[wording], context)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record_answer(case, answer), ensure_ascii=False) + "\n")


def compare_answers(plain: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> None:
    """Print for each half and each kind of case how the answers to messages differ from those to plain questions."""
    base = {case["id"]: case for case in plain}
    for half in ("unseen", "seen"):
        for of in ("facts", "pubmedqa"):
            pairs = [(base[one["id"]], one) for one in other if one["id"] in base]
            pairs = [(was, now) for was, now in pairs if (now["half"], now["of"]) == (half, of)]
            led = [(was, now) for was, now in pairs if was["leads"]]
            decided = [(was, now) for was, now in pairs if was["decision"] in ("yes", "no", "depends")]
            same = sum(was["leads"][:1] == now["leads"][:1] for was, now in led)
            kept = sum(was["decision"] == now["decision"] for was, now in decided)
            refused = [sum(one["abstained"] for one in side) for side in zip(*pairs, strict=True)]
            facts = [sum(sum(one["facts"]) for one in side) for side in zip(*pairs, strict=True)]
            print(
                f"{half} {of}, {len(pairs)}: refused as plain questions and as messages {refused}; same first document "
                f"{same}/{len(led)}; decision kept {kept}/{len(decided)}; facts said {facts} "
                f"of {sum(len(now['facts']) for _, now in pairs)}"
            )


async def ask_all(given: argparse.Namespace) -> None:
    """Guideline questions of the guidelines, questions on studies of the corpus in DATA."""
    wording = "question" if given.plain else "message"
    there = {case["id"] for case in read_cases(given.out)} if given.out.exists() else set()
    cases = [one for one in read_messages(given.data) if given.half in ("", one["half"]) and one["id"] not in there]
    settings = config.load({"home": given.home, "network.offline": True})
    async with config.open_context(settings) as context:
        await ask_cases([one for one in cases if one["of"] == "facts"], context, wording, given.out)
    if given.data:
        corpus = str(given.data / "corpora/research.jsonl.gz")
        built = await open_corpus(corpus, settings, "research", ignore_event)
        async with config.open_context(built.settings, libraries=(built.library,), live=()) as context:
            await ask_cases([one for one in cases if one["of"] == "pubmedqa"], context, wording, given.out)


def main() -> None:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    asking = kinds.add_parser("ask")
    asking.add_argument("out", type=Path)
    asking.add_argument("--home", required=True, help="folder of the libraries, as for wellsourced --home")
    asking.add_argument("--half", default="", choices=["seen", "unseen"])
    asking.add_argument("--plain", action="store_true", help="ask the plain questions")
    asking.add_argument("--data", type=Path, help="folder of the development data, for the questions on studies")
    comparing = kinds.add_parser("compare")
    comparing.add_argument("plain", type=Path)
    comparing.add_argument("messages", type=Path)
    given = parser.parse_args()
    if given.kind == "ask":
        asyncio.run(ask_all(given))
    else:
        compare_answers(read_cases(given.plain), read_cases(given.messages))


if __name__ == "__main__":
    main()
