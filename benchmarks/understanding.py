"""What is understood of questions without a model: false corrections, misspellings mended, keywords, time.

python -m benchmarks.understanding DATA WORK

DATA is the folder of the development data, WORK the one in which the benchmarks keep their libraries.
"""

import asyncio
import random
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import SEED, TASKS, Bench, asked, library, rows
from wellsourced.text.tokens import content_stems
from wellsourced.types import Question
from wellsourced.understanding.base import LiteralUnderstanding, Understanding
from wellsourced.understanding.lexical import LexicalUnderstanding

QUESTIONS = 200
"""Of each set."""

FIRST = (1, 2, 3, 4)
"""How many keywords a document that answers should hold."""

VOWELS = "aeiou"


class Mended(NamedTuple):
    """A question with an error, the word it should be, and how it was written."""

    text: str
    right: str
    wrong: str


def misspelled(text: str, draw: random.Random) -> Mended | None:
    """The question with one error in its longest plain word; None when it has none of six letters."""
    plain = [found for found in re.finditer(r"[a-z]{6,}", text) if text[found.start() - 1 : found.start()] in ("", " ")]
    if not plain:
        return None
    word = max(plain, key=lambda found: len(found.group()))
    wrong = error(word.group(), draw)
    return Mended(text[: word.start()] + wrong + text[word.end() :], word.group(), wrong)


def error(word: str, draw: random.Random) -> str:
    """Two letters exchanged, one missing, one doubled, or a vowel for another."""
    at = draw.randrange(1, len(word) - 2)
    vowels = [place for place, letter in enumerate(word) if letter in VOWELS]
    made = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    if vowels:
        place = draw.choice(vowels)
        made.append(word[:place] + draw.choice(VOWELS.replace(word[place], "")) + word[place + 1 :])
    return draw.choice([one for one in made if one != word])


async def corrections(words: Understanding, texts: Sequence[str]) -> list[tuple[str, str]]:
    """What is corrected in these questions."""
    expansions = [one for text in texts for one in await words.find_expansions(Question(text=text))]
    return [(one.said, one.meant) for one in expansions if one.kind == "spelling"]


async def held(
    understanding: Understanding, questions: dict[str, str], gold: dict[str, list[frozenset[str]]]
) -> list[float]:
    """For each number of first keywords, the share of (question, document that answers) in which it holds them all."""
    shares: list[list[bool]] = [[] for _ in FIRST]
    for name, text in questions.items():
        keywords = await understanding.extract_keywords(Question(text=text))
        for place, first in enumerate(FIRST):
            needed = {stem for keyword in keywords[:first] for stem in content_stems(keyword)}
            shares[place] += [needed <= document for document in gold[name]]
    return [sum(share) / len(share) for share in shares]


async def _main(bench: Bench) -> None:
    libraries = [await library(bench, name, None) for name in ("research", "consumer")]
    words = LexicalUnderstanding(libraries, None)
    for task in TASKS:
        await _tell_spelling(task.name, list(asked(bench, task).queries.values()), words)
    texts = {row["_id"]: f"{row['title']} {row['text']}" for row in rows(bench.data / "corpora/research.jsonl.gz")}
    for task in TASKS[:2]:
        put = asked(bench, task)
        gold = {
            name: [frozenset(content_stems(texts[one])) for one in put.qrels[name] if one in texts]
            for name in put.queries
        }
        for who, understanding in (("words", words), ("question's order", LiteralUnderstanding())):
            shares = await held(understanding, put.queries, gold)
            print(f"{task.name}, {who}: the first {FIRST} keywords are held by", *(f"{share:.2f}" for share in shares))


async def _tell_spelling(name: str, texts: Sequence[str], words: Understanding) -> None:
    draw = random.Random(SEED)  # noqa: S311
    begun = time.perf_counter()
    clean = await corrections(words, texts)
    each = (time.perf_counter() - begun) / len(texts) * 1e3
    made = [one for text in texts if (one := misspelled(text, draw))]
    mended = [(one, await corrections(words, [one.text])) for one in made]
    right = sum((one.wrong, one.right) in found for one, found in mended)
    print(f"{name}: {len(clean)} corrections in {len(texts)} clean questions ({each:.1f} ms each): {clean[:8]}")
    print(f"{name}: {right / len(made):.2f} of {len(made)} made errors mended")


if __name__ == "__main__":
    asyncio.run(_main(Bench(Path(sys.argv[1]), Path(sys.argv[2]), sample=0, queries=QUESTIONS)))
