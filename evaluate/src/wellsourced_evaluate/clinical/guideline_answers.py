"""Ask questions that the guidelines answer, and questions that they nearly answer; count what is said and what is not.

    python benchmarks/clinical_cases/guideline_answers.py facts [FILE] [--home FOLDER] [--show]
    python benchmarks/clinical_cases/guideline_answers.py near-misses [FILE] [--home FOLDER] [--show]
    python benchmarks/clinical_cases/guideline_answers.py questions FILE [--home FOLDER] [--show]

facts         of each question the facts, as patterns, that the statements have, and that the short answer has
near-misses   questions that the digests do not answer, and controls that they do (README.md says how to read them)
questions     a file of questions_*.jsonl: the deciding words and the facts of what is answerable, what is refused,
              yes or no as decided, and what was answered although no digest says it
"""

import argparse
import asyncio
import gzip
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.types import Answer
from wellsourced_evaluate.questions.answer_marks import has_pattern, join_texts, lead_text

HERE = Path(__file__).parent


def read_cases(path: Path) -> list[dict[str, Any]]:
    """A JSON object a line, gzip or not."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def has_plain_pattern(pattern: str, text: str) -> bool:
    """Whether a text has an expression that may be written for Markdown, with its marks and the bars of tables."""
    plain = pattern.replace("\\*\\*", "").replace("**", "")
    try:
        re.compile(plain)
    except re.error:
        plain = pattern
    return any(has_pattern(plain, one) for one in (text, text.replace("| ", "|").replace("|", " ")))


def has_deciding_words(case: Mapping[str, Any], text: str) -> bool:
    """Whether a text has the words that decide a case."""
    pattern = case.get("lead") or case.get("expected") or re.escape(case.get("quote", ""))
    return bool(pattern) and has_plain_pattern(pattern, text)


async def count_facts(cases: Sequence[dict[str, Any]], context: Context, show: bool) -> None:
    """Print the share of facts said, at all and in the short answer, and how many words that took."""
    said = short = every = words = short_words = 0
    for case in cases:
        answer = await ask(case["question"], context)
        text, lead = join_texts(answer.statements), lead_text(answer)
        patterns = [fact["pattern"] for fact in case["facts"]]
        found = [has_pattern(pattern, text) for pattern in patterns]
        every += len(patterns)
        said += sum(found)
        short += sum(has_pattern(pattern, lead) for pattern in patterns)
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
            wrong += has_pattern(case["wrong"], text)
        else:
            silent += answer.abstained
            right += has_pattern(case["expected"], text)
        if show:
            print(f"{case['id']}: {answer.reason if answer.abstained else lead_text(answer)}")
    print(
        f"near misses {len(near)}: answered {answered}, as the case calls wrong {wrong}; "
        f"controls {len(cases) - len(near)}: right {right}, abstained {silent}"
    )


class QuestionScore(NamedTuple):
    """What came of one question of a file of questions."""

    is_refused: bool
    leads: bool
    leads_short: bool
    facts: int
    facts_short: int
    wanted: int
    words: int
    leads_near: bool = False


def score_question(case: dict[str, Any], answer: Answer) -> QuestionScore:
    """Hold an answer against the deciding words and the facts of its case."""
    text, short = join_texts(answer.statements), lead_text(answer)
    facts = [fact["pattern"] for fact in case.get("facts", ())]
    return QuestionScore(
        is_refused=answer.abstained,
        leads=has_deciding_words(case, text),
        leads_short=has_deciding_words(case, short),
        facts=sum(has_plain_pattern(one, text) for one in facts),
        facts_short=sum(has_plain_pattern(one, short) for one in facts),
        wanted=len(facts),
        words=len(text.split()),
        leads_near=has_deciding_words(case, join_texts(answer.found_instead)),
    )


def print_answerable(scores: Sequence[QuestionScore]) -> None:
    """Print shares over all answerable questions, those refused with nothing said."""
    count, wanted = len(scores) or 1, sum(one.wanted for one in scores) or 1
    said = [one for one in scores if not one.is_refused]
    print(
        f"answerable {len(scores)}: deciding words said {sum(one.leads for one in scores) / count:.2f}, "
        f"in the short answer {sum(one.leads_short for one in scores) / count:.2f}; "
        f"facts {sum(one.facts for one in scores) / wanted:.2f}, "
        f"{sum(one.facts_short for one in scores) / wanted:.2f}; "
        f"refused {sum(one.is_refused for one in scores) / count:.2f}; "
        f"words {sum(one.words for one in said) / (len(said) or 1):.0f}"
    )
    refused = [one for one in scores if one.is_refused]
    near = sum(one.leads_near for one in refused)
    print(f"of {len(refused)} refused the deciding words stand in what is nearest: {near}")


async def count_questions(cases: Sequence[dict[str, Any]], context: Context, show: bool) -> None:
    """Print what is said of what is answerable, and what is answered of what is not."""
    scores, decided, right = [], 0, 0
    answered = {"near": 0, "off": 0}
    asked = {"near": 0, "off": 0}
    wrong = 0
    for case in cases:
        answer = await ask(case["question"], context)
        if case["answerable"]:
            scores.append(score_question(case, answer))
            is_decided = answer.decision is not None and answer.decision.label in ("yes", "no")
            decided += case["kind"] == "yes_no" and is_decided
            right += answer.decision is not None and answer.decision.label == case.get("answer")
        else:
            asked[case["kind"]] += 1
            answered[case["kind"]] += not answer.abstained
            wrong += has_pattern(case.get("wrong") or r"(?!)", join_texts(answer.statements))
        if show:
            print(f"--- {case['id']} {case['kind']}: {case['question']}\n{answer.reason if answer.abstained else ''}")
            print("\n".join(f"{'*' if one.lead else ' '} {one.text}" for one in answer.statements))
            print("\n".join(f"~ {one.text}" for one in answer.found_instead))
            print(f"    {scores[-1]}" if case["answerable"] else f"    missing: {case.get('missing', '')}")
    print_answerable(scores)
    print(f"yes or no decided {decided}, rightly {right}")
    print(f"answered of near misses {answered['near']} of {asked['near']}, {wrong} as the case calls wrong; ", end="")
    print(f"of other matters {answered['off']} of {asked['off']}")


async def main() -> None:
    """Read the arguments and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["facts", "near-misses", "questions"])
    parser.add_argument("cases", nargs="?", type=Path)
    parser.add_argument("--home", help="folder of the libraries, as for wellsourced --home")
    parser.add_argument("--show", action="store_true", help="print what was answered")
    given = parser.parse_args()
    names = {"facts": "facts.jsonl", "near-misses": "near_misses.jsonl"}
    if given.cases is None and given.kind not in names:
        parser.error("questions: name the FILE")
    cases = read_cases(given.cases or HERE / names[given.kind])
    with tempfile.TemporaryDirectory() as spare:
        settings = config.load({"home": given.home or spare, "network.offline": True})
        async with config.open_context(settings) as context:
            counts = {"facts": count_facts, "near-misses": count_near_misses, "questions": count_questions}
            await counts[given.kind](cases, context, given.show)


if __name__ == "__main__":
    asyncio.run(main())
