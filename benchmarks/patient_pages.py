"""How patients' questions are answered from pages that are written for patients (MedQuAD, K-QA).

python -m benchmarks.patient_pages pages|facts HOME [FILE] [--show] [--half first|second|all]

HOME has a library called `consumer` that was made of corpora/consumer.jsonl.gz of the development data.

pages   questions/patient_pages.jsonl: five questions of each site of MedQuAD, drawn by a seed, in words of our own that
        a patient might use; whether the page that the collection has for it is quoted, and leads, how much of the
        beginning of that page is said, and how many statements hang on a sentence that is not shown
facts   FILE is K-QA: what doctors say an answer must have, as the share of its content words that one statement has
"""

import argparse
import asyncio
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rouge_score_rs.rouge_scorer import RougeScorer

from benchmarks.corpora import Row
from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.sources.library import Library
from wellsourced.text.quotable_spans import needs_previous_sentence
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, Statement

LIBRARY = "consumer"
QUESTIONS = Path(__file__).parent / "questions" / "patient_pages.jsonl"

BEGINNING_WORDS = 60
"""Words of a page that are its beginning."""

SAID_SHARE = 0.7
"""Share of a fact's content words from which it counts as said."""

_SCORER = RougeScorer(["rougeL"], use_stemmer=False)
_SPLINTER = re.compile(r"[-•*]\s|.*:$", re.DOTALL)
"""An item without its list, a line without what it introduces."""


class PageScore(NamedTuple):
    """What came of one question.

    is_quoted   the page that the collection has for it, or one of the same subject and sort, is quoted
    leads       the short answer quotes it
    on_focus    a page of its title leads
    beginning   share of the beginning of the page that is said (recall of ROUGE-L)
    dangling    statements that cannot be understood by themselves
    """

    is_refused: bool
    is_quoted: bool
    leads: bool
    on_focus: bool
    beginning: float
    dangling: int
    statements: int
    words: int
    short_words: int


def read_rows(path: Path) -> list[Row]:
    """A JSON object a line, gzip or not."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def select_half(rows: Sequence[Row], half: str) -> list[Row]:
    """Every other row, from the first or from the second; or all."""
    return list(rows if half == "all" else rows[half == "second" :: 2])


def list_quoted(answer: Answer, statements: Sequence[Statement]) -> set[str]:
    """The ids of the documents that statements quote."""
    documents = {item.passage.id: item.passage.reference.id for item in answer.evidence}
    return {documents[id] for statement in statements for id in statement.cited_ids}


def dangles(statement: Statement) -> bool:
    """Whether a statement begins with a word that points at what is not shown, or is a splinter of a list."""
    return needs_previous_sentence(statement.text) or _SPLINTER.match(statement.text) is not None


def score_page(row: Row, answer: Answer, page: str) -> PageScore:
    """Hold an answer against the page that the collection has for its question."""
    leads = [one for one in answer.statements if one.lead]
    titles = {item.passage.reference.id: item.passage.reference.title for item in answer.evidence}
    gold, said = set(row["gold"]), " ".join(one.text for one in answer.statements)
    beginning = " ".join(page.split()[:BEGINNING_WORDS])
    return PageScore(
        is_refused=answer.abstained,
        is_quoted=bool(gold & list_quoted(answer, answer.statements)),
        leads=bool(gold & list_quoted(answer, leads)),
        on_focus=row["focus"] in {titles[id] for id in list_quoted(answer, leads)},
        beginning=_SCORER.score(beginning, said)["rougeL"].recall,
        dangling=sum(map(dangles, answer.statements)),
        statements=len(answer.statements),
        words=len(said.split()),
        short_words=len(answer.tldr.split()),
    )


def describe_pages(scores: Sequence[PageScore]) -> list[str]:
    """What was measured, a line each."""
    count = len(scores)
    said = [one for one in scores if not one.is_refused]
    return [
        f"questions {count}, refused {count - len(said)}",
        f"the page quoted {sum(one.is_quoted for one in scores) / count:.2f}, "
        f"leads {sum(one.leads for one in scores) / count:.2f}; "
        f"a page of its title leads {sum(one.on_focus for one in scores) / count:.2f}",
        f"of the beginning of the page said {sum(one.beginning for one in scores) / count:.2f}",
        f"statements that hang on what is not shown {sum(one.dangling for one in scores)} "
        f"of {sum(one.statements for one in scores)}",
        f"words {sum(one.words for one in said) / max(1, len(said)):.0f}, "
        f"{sum(one.short_words for one in said) / max(1, len(said)):.0f} of them in the short answer",
    ]


def count_facts_said(facts: Sequence[str], statements: Sequence[Statement]) -> int:
    """How many facts have most of their content words in one statement."""
    said = [set(content_stems(one.text)) for one in statements]
    return sum(
        any(len(wanted & one) >= SAID_SHARE * len(wanted) for one in said)
        for wanted in (set(content_stems(fact)) for fact in facts)
    )


def show_answer(question: str, answer: Answer) -> None:
    """Print an answer, what leads with a star."""
    print(f"--- {question}\n{answer.reason if answer.abstained else ''}")
    titles = {item.passage.id: item.passage.reference.title for item in answer.evidence}
    for one in answer.statements:
        print(f"{'*' if one.lead else ' '} {one.text} [{'; '.join(titles[id] for id in one.cited_ids)}]")


async def measure_pages(rows: Sequence[Row], context: Context, library: Library, show: bool) -> None:
    """Print how often the page of the collection is quoted, and what of it is said."""
    scores = []
    for row in rows:
        answer = await ask(row["question"], context)
        page = (await library.open(row["gold"][0])).text.partition("\n\n")[2]
        scores.append(score_page(row, answer, page))
        if show:
            show_answer(row["question"], answer)
            print(f"    {scores[-1]}", flush=True)
    print("\n".join(describe_pages(scores)))


async def measure_facts(rows: Sequence[Row], context: Context, show: bool) -> None:
    """Print how many of the facts that an answer must have are said."""
    said = wanted = refused = words = 0
    for row in rows:
        answer = await ask(row["question"], context)
        found = count_facts_said(row["must_have"], answer.statements)
        said, wanted, refused = said + found, wanted + len(row["must_have"]), refused + answer.abstained
        words += sum(len(one.text.split()) for one in answer.statements)
        if show:
            show_answer(row["question"], answer)
            print(f"    {found} of {len(row['must_have'])}", flush=True)
    answered = max(1, len(rows) - refused)
    print(f"questions {len(rows)}, refused {refused}; facts said {said} of {wanted}; words {words / answered:.0f}")


async def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["pages", "facts"])
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", nargs="?", type=Path, default=QUESTIONS)
    parser.add_argument("--half", choices=["first", "second", "all"], default="all")
    parser.add_argument("--show", action="store_true", help="print what was answered")
    given = parser.parse_args()
    rows = select_half(read_rows(given.questions), given.half)
    home = given.home.resolve()
    settings = config.load({"home": str(home), "network.offline": True})
    async with config.open_context(settings, libraries=(LIBRARY,)) as context:
        if given.kind == "pages":
            await measure_pages(rows, context, Library.at(home / "libraries", LIBRARY, None), given.show)
        else:
            await measure_facts(rows, context, given.show)


if __name__ == "__main__":
    asyncio.run(main())
