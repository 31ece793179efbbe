"""How near short answers from research abstracts come to those that experts wrote (BioASQ).

python -m benchmarks.short_answers DATA HOME [--questions 300] [--half tune|report|all] [--given] [--out FILE]

DATA is the folder of the development data; HOME has a library called `research` that was made of
DATA/corpora/research.jsonl.gz, with vectors or without. ROUGE-L is that of `rouge-score` without stemming, against the
nearest of the experts' answers; who abstains has said nothing and scores 0.
"""

import argparse
import asyncio
import hashlib
import json
import random
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from rouge_score_rs.rouge_scorer import RougeScorer

from benchmarks.corpora import SEED, Row, rows
from benchmarks.report import working
from benchmarks.retrieval import difference
from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.sources.library import Library, list_libraries
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Query, Question
from wellsourced_evaluate.preflight.confusion import ratio

Half = Literal["tune", "report", "all"]

LIBRARY = "research"

FLOOR_SENTENCES = 2
"""Sentences that end the first abstract, which an answer has to beat."""

_NOT_WORD = re.compile(r"[^\w]+")
_SCORER = RougeScorer(["rougeL"], use_stemmer=False)


class ShortAnswer(NamedTuple):
    """What was answered to a question of the set, and what it is compared with.

    said     the short answer; "" where it abstained
    floor    the last sentences of the abstract that BM25 finds first
    ideal    the experts' answers
    names    a factoid's answer, in each way in which it may be written; () for other questions
    """

    id: str
    question: str
    said: str
    floor: str
    ideal: tuple[str, ...]
    names: tuple[str, ...] = ()
    abstained: bool = False


def draw_questions(path: Path, count: int, half: Half) -> list[Row]:
    """Questions that an abstract answers, drawn with a fixed seed; 0: all. Raises OSError without the file."""
    able = [row for row in rows(path) if row["gold_doc_ids"] and row["ideal_answer"]]
    drawn = random.Random(SEED).sample(able, count) if 0 < count < len(able) else able  # noqa: S311
    return [row for row in drawn if half in ("all", find_half(row["group"]))]


def find_half(group: str) -> Half:
    """The half in which all questions of a group are: what is tuned on one is reported on the other."""
    return "tune" if hashlib.sha256(group.encode()).digest()[0] % 2 else "report"


def score_overlap(said: str, ideal: Sequence[str]) -> float:
    """F1 of ROUGE-L against the nearest answer, 0 … 1."""
    return max((_SCORER.score(one, said)["rougeL"].fmeasure for one in ideal), default=0.0)


def contains_any(said: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in the text, as whole words; case, accents and punctuation do not count."""
    return any(normalized in _normalize(said) for name in names if (normalized := _normalize(name)).strip())


def _normalize(text: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return f" {_NOT_WORD.sub(' ', plain).strip()} "


def last_sentences(text: str, count: int) -> str:
    """The sentences that end a text, in one line."""
    spans = split_sentences(text)
    return " ".join(" ".join(text[start:end].split()) for start, end in list(spans)[-count:])


def list_names(row: Row) -> tuple[str, ...]:
    """The synonyms of a factoid's answer; () for every other question."""
    return tuple(name for one in row["answer"] for name in one) if row["type"] == "factoid" else ()


async def answer_row(row: Row, context: Context, by_words: Library, *, given: bool) -> ShortAnswer:
    """The short answer to one question, and the floor. Raises what `ask` raises."""
    documents = tuple(row["gold_doc_ids"]) if given else ()
    answer = await ask(Question(text=row["question"], given=documents), context)
    hits = (await by_words.search(Query(terms=(row["question"],)), 1)).hits
    first = (await by_words.open(hits[0].passage.reference.id)).text if hits else ""
    floor = last_sentences(first, FLOOR_SENTENCES)
    said = "" if answer.abstained else answer.tldr
    ideal, names = tuple(row["ideal_answer"]), list_names(row)
    return ShortAnswer(row["id"], row["question"], said, floor, ideal, names, answer.abstained)


def describe(answers: Sequence[ShortAnswer]) -> list[str]:
    """What was measured, a line each. Raises ValueError when there is nothing to measure."""
    if not answers:
        raise ValueError("No question was answered or drawn: there is nothing to measure.")
    ours = np.array([score_overlap(one.said, one.ideal) for one in answers])
    floor = np.array([score_overlap(one.floor, one.ideal) for one in answers])
    gain = difference(ours, floor)
    factoids = [one for one in answers if one.names]
    held = ratio(sum(contains_any(one.said, one.names) for one in factoids), len(factoids))
    floor_held = ratio(sum(contains_any(one.floor, one.names) for one in factoids), len(factoids))
    words = np.mean([len(one.said.split()) for one in answers if one.said] or [0])
    lines = [
        f"questions {len(answers)}, of these factoids {len(factoids)}",
        f"ROUGE-L F1 {ours.mean():.3f}, floor {floor.mean():.3f}, "
        f"difference {gain.mean:+.3f} ({gain.low:+.3f} … {gain.high:+.3f})",
        f"abstained {sum(one.abstained for one in answers) / len(answers):.3f}",
        f"words of a short answer {words:.0f}",
    ]
    if held is not None:
        lines.insert(2, f"factoid answers contained {held:.3f}, floor {floor_held:.3f}")
    return lines


async def measure(options: argparse.Namespace) -> list[ShortAnswer]:
    """Every question drawn, asked of the library. SystemExit where there is none."""
    root = options.home.resolve() / "libraries"
    if LIBRARY not in list_libraries(root):
        raise SystemExit(f"There is no library called {LIBRARY} in {root}: make it with `wellsourced library create`.")
    drawn = draw_questions(options.data / "qa/bioasq.jsonl.gz", options.questions, options.half)
    by_words = Library.at(root, LIBRARY, None)
    answers = []
    settings = config.load({"home": str(options.home.resolve()), "network.offline": True})
    async with config.open_context(settings) as context:
        for place, row in enumerate(drawn):
            working(f"{place} of {len(drawn)} questions")
            answers.append(await answer_row(row, context, by_words, given=options.given))
    working("")
    return answers


def main() -> None:
    """Measure, print, and write the answers to a file where one is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.short_answers", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--questions", type=int, default=300, help="drawn with a fixed seed; 0: all (default: 300)")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--given", action="store_true", help="answer from the documents that the experts named")
    parser.add_argument("--out", type=Path, help="the answers, as JSON lines")
    options = parser.parse_args()
    answers = asyncio.run(measure(options))
    if options.out:
        lines = (json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in answers)
        options.out.write_text("".join(lines), encoding="utf-8")
    print("\n".join(describe(answers)))


if __name__ == "__main__":
    main()
