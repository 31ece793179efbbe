"""What is answered to questions whose drug or gene was swapped for one of which no document there says anything.

python -m benchmarks.swapped_names DATA HOME [--swapped 60] [--answerable 120] [--half tune|report|all] [--out FILE]

DATA is the folder of the development data; HOME has a library that was made of DATA/corpora/research.jsonl.gz. A
swapped question should be refused; beside it stand as many questions as they were asked, of which none should be, with
the share whose own source is cited. Both are drawn with a fixed seed.
"""

import argparse
import asyncio
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import SEED, Row, rows
from benchmarks.report import working
from benchmarks.short_answers import Half, find_half
from wellsourced import config
from wellsourced.api import ask
from wellsourced.claims.word_matches import AskedWord, list_asked_words
from wellsourced.clinical.word_forms import known_abbreviations
from wellsourced.types import Question

SETS = ("pubmedqa", "bioasq")

NAME_DOCUMENTS = range(2, 200)
"""Documents that have a name which is put into a question: elsewhere it is known, and it is no everyday word."""

_GENE = re.compile(r"(?=\w*\d)[A-Z][A-Z0-9]{2,7}|[A-Z]{4,6}")
_WORD = re.compile(r"[^\W_]+")


class Case(NamedTuple):
    """A question, and what should come of it.

    put_in   the name that was swapped in; "" of a question as it was asked
    sources  the documents that answer it; () of a swapped one
    """

    id: str
    question: str
    put_in: str
    sources: tuple[str, ...]


class Outcome(NamedTuple):
    """A case, and what came of it."""

    case: Case
    abstained: bool
    reason: str
    said: str
    cited: tuple[str, ...]


def index_words(path: Path) -> dict[str, frozenset[str]]:
    """Word, in small letters → the documents of a corpus that have it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows(path):
        for word in {*_WORD.findall(f"{row['title']} {row['text']}".casefold())}:
            found[word].add(row["_id"])
    return {word: frozenset(ids) for word, ids in found.items()}


def draw_answerable(data: Path, count: int) -> list[Case]:
    """As many questions of each set: those that ask for yes or no, or for a fact."""
    drawn: list[Case] = []
    for name in SETS:
        able = [one for one in rows(data / f"qa/{name}.jsonl.gz") if one["gold_doc_ids"] and _asks_fact(one)]
        picked = random.Random(SEED).sample(able, count // len(SETS))  # noqa: S311
        drawn += [Case(one["id"], one["question"], "", tuple(one["gold_doc_ids"])) for one in picked]
    return drawn


def _asks_fact(row: Row) -> bool:
    return row["type"] in ("yesno", "yesnomaybe", "factoid")


def draw_swapped(data: Path, count: int) -> list[Case]:
    """Questions with one name swapped for another of its sort, which stands in no document with any disease, or else
    the rarest word, that is left of the question."""
    index = index_words(data / "corpora/research.jsonl.gz")
    every = [one for name in SETS for one in rows(data / f"qa/{name}.jsonl.gz") if _asks_fact(one)]
    names: defaultdict[str, set[str]] = defaultdict(set)
    for row in every:
        for word in list_asked_words(Question(text=row["question"])):
            if len(index.get(word.text.casefold(), ())) in NAME_DOCUMENTS and (sort := _find_sort(word)):
                names[sort].add(word.text)
    dice = random.Random(SEED)  # noqa: S311
    return list(_swap_names(dice.sample(every, len(every)), index, names, count, dice))


def _swap_names(
    every: Sequence[Row],
    index: dict[str, frozenset[str]],
    names: dict[str, set[str]],
    count: int,
    dice: random.Random,
) -> Iterator[Case]:
    for row in every:
        words = list_asked_words(Question(text=row["question"]))
        named = [one for one in words if one.kind == "drug"] or [one for one in words if _find_sort(one)]
        left = _list_places(words, named, index)
        if count <= 0 or len(named) != 1 or not left:
            continue
        places = frozenset[str]().union(*(index.get(one.text.casefold(), frozenset()) for one in left))
        others = sorted(names[_find_sort(named[0])] - {named[0].text})
        apart = [one for one in others if index[one.casefold()].isdisjoint(places)]
        if apart:
            count -= 1
            put_in = dice.choice(apart)
            asked = re.sub(rf"\b{re.escape(named[0].text)}\b", put_in, row["question"])
            yield Case(row["id"], asked, put_in, ())


def _list_places(
    words: Sequence[AskedWord], named: Sequence[AskedWord], index: dict[str, frozenset[str]]
) -> list[AskedWord]:
    """The diseases of a question, or else its rarest word, besides what is swapped."""
    left = [one for one in words if one not in named and one.text.casefold() in index]
    diseases = [one for one in left if one.kind == "disease" or one.kind == "short"]
    return diseases or sorted(left, key=lambda one: len(index[one.text.casefold()]))[:1]


def _find_sort(word: AskedWord) -> str:
    if word.kind == "drug" and word.text.islower():
        return "drug"
    return "gene" if _GENE.fullmatch(word.text) and word.text not in known_abbreviations() else ""


async def answer_cases(cases: Sequence[Case], home: Path) -> list[Outcome]:
    """What is answered to each. Raises what `ask` raises."""
    outcomes = []
    settings = config.load({"home": str(home), "network.offline": True})
    async with config.open_context(settings) as context:
        for place, case in enumerate(cases):
            working(f"{place} of {len(cases)} questions")
            answer = await ask(Question(text=case.question), context)
            quoted = (quote.passage_id for one in answer.statements for quote in one.citations)
            cited = tuple(dict.fromkeys(one.partition("#")[0] for one in quoted))
            said = "" if answer.abstained else answer.tldr
            outcomes.append(Outcome(case, answer.abstained, answer.reason, said, cited))
    working("")
    return outcomes


def describe(outcomes: Sequence[Outcome]) -> list[str]:
    """What was measured, a line each."""
    swapped = [one for one in outcomes if one.case.put_in]
    asked = [one for one in outcomes if not one.case.put_in]
    named = [one for one in swapped if one.abstained and one.case.put_in.casefold() in one.reason.casefold()]
    sourced = [one for one in asked if not set(one.cited).isdisjoint(one.case.sources)]
    return [
        f"swapped: refused {sum(one.abstained for one in swapped)} of {len(swapped)}, the name told in {len(named)}",
        f"as asked: refused {sum(one.abstained for one in asked)} of {len(asked)}, own source cited in {len(sourced)}",
    ]


def main() -> None:
    """Measure, print, and write what was answered to a file where one is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.swapped_names", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--swapped", type=int, default=60)
    parser.add_argument("--answerable", type=int, default=120)
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--out", type=Path, help="what was answered, as JSON lines")
    options = parser.parse_args()
    half: Half = options.half
    cases = [*draw_swapped(options.data, options.swapped), *draw_answerable(options.data, options.answerable)]
    outcomes = asyncio.run(
        answer_cases([one for one in cases if half in ("all", find_half(one.id))], options.home.resolve())
    )
    if options.out:
        lines = (json.dumps(one.case._asdict() | one._asdict() | {"case": None}) + "\n" for one in outcomes)
        options.out.write_text("".join(lines), encoding="utf-8")
    print("\n".join(describe(outcomes)))


if __name__ == "__main__":
    main()
