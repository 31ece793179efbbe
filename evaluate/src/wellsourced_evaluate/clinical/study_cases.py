"""Questions that studies answer: how near short answers come to experts' own, names that nothing is said of, tiers."""

import hashlib
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from wellsourced.api import ask
from wellsourced.claims.word_matches import AskedWord, list_asked_words
from wellsourced.clinical.word_forms import known_abbreviations
from wellsourced.context import Context
from wellsourced.events import Event, PassagesRead
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.search_plan import is_sufficient
from wellsourced.sources.library import Library
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Answer, Query, Question
from wellsourced_evaluate.clinical.cases import (
    CaseMarks,
    CaseWish,
    Marks,
    Row,
    ask_cases,
    count,
    count_words,
    describe_answer,
)
from wellsourced_evaluate.clinical.patient_cases import SCORER
from wellsourced_evaluate.development_data import SEED, draw_rows, read_rows

LIBRARY = "research"
"""The library of a home that was made of corpora/research.jsonl.gz of the development data."""

QUESTIONS = 300
"""Drawn of BioASQ with a fixed seed."""

FLOOR_SENTENCES = 2
"""Sentences that end the first abstract, which an answer has to beat."""

_NOT_WORD = re.compile(r"[^\w]+")


def is_in_half(group: str, half: str) -> bool:
    """Whether a group of questions is in the half "tune" or "report": what is tuned on one is reported on the other."""
    is_tuned = hashlib.sha256(group.encode()).digest()[0] % 2 == 1
    return half not in ("tune", "report") or is_tuned == (half == "tune")


# --- short answers ---------------------------------------------------------------------------------------------------


def draw_questions(path: Path, number: int, half: str) -> list[Row]:
    """Questions that an abstract answers, drawn with a fixed seed; 0: all. Raises OSError without the file."""
    able = [row for row in read_rows(path) if row["gold_doc_ids"] and row["ideal_answer"]]
    drawn = draw_rows(able, number) if 0 < number < len(able) else able
    return [row for row in drawn if is_in_half(row["group"], half)]


async def measure_short_answers(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """BioASQ: ROUGE-L of the short answer against the experts' nearest one, beside the end of the first abstract.

    ROUGE-L is that of `rouge-score` without stemming; who abstains has said nothing and scores 0.
    """
    drawn = draw_questions(wish.need_data() / "qa/bioasq.jsonl.gz", QUESTIONS, wish.half)
    by_words = Library.at(wish.need_home() / "libraries", LIBRARY, None)
    async with wish.open_context() as context:
        for row in wish.cut(drawn):
            answer = await ask(Question(text=row["question"]), context)
            hits = (await by_words.search(Query(terms=(row["question"],)), 1)).hits
            first = (await by_words.open(hits[0].passage.reference.id)).text if hits else ""
            yield CaseMarks(row["id"], mark_short_answer(row, answer, take_end(first)), describe_answer(answer))


def mark_short_answer(row: Row, answer: Answer, floor: str) -> Marks:
    """How near the short answer is to the experts', and whether it has a factoid's name; the same of the floor."""
    said = "" if answer.abstained else answer.tldr
    marks: dict[str, tuple[float, float]] = {
        "ROUGE-L F1": (score_overlap(said, row["ideal_answer"]), 1),
        "ROUGE-L F1 of the floor": (score_overlap(floor, row["ideal_answer"]), 1),
        "abstained": count([answer.abstained]),
    }
    names = [name for one in row["answer"] for name in one] if row["type"] == "factoid" else []
    if names:
        marks["factoid answers contained"] = count([contains_any(said, names)])
        marks["factoid answers contained in the floor"] = count([contains_any(floor, names)])
    return marks | {"words of a short answer": count_words(said)} if said else marks


def score_overlap(said: str, ideal: Sequence[str]) -> float:
    """F1 of ROUGE-L against the nearest answer, 0 … 1."""
    return max((SCORER.score(one, said)["rougeL"].fmeasure for one in ideal), default=0.0)


def contains_any(said: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in the text, as whole words; case, accents and punctuation do not count."""
    return any(normalized in _normalize(said) for name in names if (normalized := _normalize(name)).strip())


def _normalize(text: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return f" {_NOT_WORD.sub(' ', plain).strip()} "


def take_end(text: str, number: int = FLOOR_SENTENCES) -> str:
    """The sentences that end a text, in one line."""
    return " ".join(" ".join(text[start:end].split()) for start, end in list(split_sentences(text))[-number:])


# --- swapped names ---------------------------------------------------------------------------------------------------

SWAPPED, ANSWERABLE = 60, 120

NAME_DOCUMENTS = range(2, 200)
"""Documents that have a name which is put into a question: elsewhere it is known, and it is no everyday word."""

_GENE = re.compile(r"(?=\w*\d)[A-Z][A-Z0-9]{2,7}|[A-Z]{4,6}")
_WORD = re.compile(r"[^\W_]+")
WordIndex = Mapping[str, frozenset[str]]
"""Word, in small letters → the documents of a corpus that have it."""


async def measure_swapped_names(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Questions whose drug or gene was swapped for one of which no document says anything there, which should be
    refused; beside them as many as they were asked, with the share whose own source is cited."""
    data = wish.need_data()
    sets = {name: list(read_rows(data / f"qa/{name}.jsonl.gz")) for name in ("pubmedqa", "bioasq")}
    asked = {
        name: [one for one in rows if one["type"] in ("yesno", "yesnomaybe", "factoid")] for name, rows in sets.items()
    }
    cases = list(_draw_swapped([one for rows in asked.values() for one in rows], data))
    for rows in asked.values():
        cases += draw_rows([one for one in rows if one["gold_doc_ids"]], ANSWERABLE // len(sets))
    wish.need_home()
    async with wish.open_context() as context:
        drawn = wish.cut(one for one in cases if is_in_half(one["id"], wish.half))
        async for one in ask_cases(drawn, context, _mark_swapped):
            yield one


def _mark_swapped(case: Row, answer: Answer) -> Marks:
    if put_in := case.get("put_in"):
        named = answer.abstained and put_in.casefold() in answer.reason.casefold()
        return {"swapped: refused": count([answer.abstained]), "swapped: the name told": count([named])}
    cited = {one.passage_id.partition("#")[0] for said in answer.statements for one in said.citations}
    own = count([not cited.isdisjoint(case["gold_doc_ids"])])
    return {"as asked: refused": count([answer.abstained]), "as asked: own source cited": own}


def _draw_swapped(every: Sequence[Row], data: Path) -> Iterator[Row]:
    """Questions with one name swapped for another of its sort, which stands in no document with any disease, or else
    the rarest word, that is left of the question."""
    index = index_words(data / "corpora/research.jsonl.gz")
    names: defaultdict[str, set[str]] = defaultdict(set)
    for row in every:
        for word in list_asked_words(Question(text=row["question"])):
            if len(index.get(word.text.casefold(), ())) in NAME_DOCUMENTS and (sort := _find_sort(word)):
                names[sort].add(word.text)
    dice = random.Random(SEED)  # noqa: S311
    left = SWAPPED
    for row in dice.sample(every, len(every)):
        words = list_asked_words(Question(text=row["question"]))
        named = [one for one in words if one.kind == "drug"] or [one for one in words if _find_sort(one)]
        kept = _list_kept(words, named, index)
        if left <= 0 or len(named) != 1 or not kept:
            continue
        places = frozenset[str]().union(*(index.get(one.text.casefold(), frozenset()) for one in kept))
        others = sorted(names[_find_sort(named[0])] - {named[0].text})
        apart = [one for one in others if index[one.casefold()].isdisjoint(places)]
        if apart:
            left -= 1
            put_in = dice.choice(apart)
            swapped = re.sub(rf"\b{re.escape(named[0].text)}\b", put_in, row["question"])
            yield {"id": row["id"], "question": swapped, "put_in": put_in}


def index_words(path: Path) -> WordIndex:
    """The words of a corpus."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in read_rows(path):
        for word in {*_WORD.findall(f"{row['title']} {row['text']}".casefold())}:
            found[word].add(row["_id"])
    return {word: frozenset(ids) for word, ids in found.items()}


def _list_kept(words: Sequence[AskedWord], named: Sequence[AskedWord], index: WordIndex) -> list[AskedWord]:
    """The diseases of a question, or else its rarest word, besides what is swapped."""
    left = [one for one in words if one not in named and one.text.casefold() in index]
    diseases = [one for one in left if one.kind in ("disease", "short")]
    return diseases or sorted(left, key=lambda one: len(index[one.text.casefold()]))[:1]


def _find_sort(word: AskedWord) -> str:
    if word.kind == "drug" and word.text.islower():
        return "drug"
    return "gene" if _GENE.fullmatch(word.text) and word.text not in known_abbreviations() else ""


# --- tiers -----------------------------------------------------------------------------------------------------------

ENOUGH, CERTAIN = (1, 2, 3, 4), (0.5, 0.6, 0.7, 0.8)
NEVER = 1_000_000
"""So many works are never enough: every tier is read once, and where the path would have ended is seen afterwards."""


async def measure_tiers(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """Whether guideline questions stop at the guidelines, and others are not held up by one that is near.

    20 questions of our own that a guideline answers; 20 that a study of the research corpus answers, most of them on a
    disease that has a guideline; others of which a guideline is near and says nothing. For each `enough` x `certain`.
    """
    wish.need_home()
    async with wish.open_context() as context:
        for case in wish.read_cases("questions/tiers.jsonl"):
            heard: list[PassagesRead] = []

            def hear(event: Event, heard: list[PassagesRead] = heard) -> None:
                if isinstance(event, PassagesRead):
                    heard.append(event)

            through = replace(context, policy=context.policy.model_copy(update={"sufficient_works": NEVER}))
            answer = await answer_question(Question(text=case["question"]), through, hear)
            yield CaseMarks(case["question"], await _mark_tiers(case, answer, heard, context), describe_answer(answer))


async def _mark_tiers(case: Row, answer: Answer, read: Sequence[PassagesRead], context: Context) -> Marks:
    documents, is_guideline = set(case["documents"]), case["tier"] == "guidelines"
    kind = "guideline: stopped" if is_guideline else "research: held up" if documents else "near: held up"
    marks: dict[str, tuple[float, float]] = {}
    for enough in ENOUGH:
        for certain in CERTAIN:
            changed: dict[str, Any] = {"sufficient_works": enough, "min_certainty": certain}
            policy = context.policy.model_copy(update=changed)
            stop = len(read) - 1
            for place, tier in reversed(list(enumerate(read))):
                if await is_sufficient(answer.question, tier.evidence, context.understanding, policy):
                    stop = place
            marks[f"{enough} x {certain:g}, {kind}"] = count([stop == 0])
            if documents:
                ids = {item.passage.reference.id for tier in read[: stop + 1] for item in tier.evidence}
                marks[f"{enough} x {certain:g}, document among the evidence"] = count([ids & documents])
    cited = [one.citations[0].passage_id.split("#")[0] in documents for one in answer.statements]
    if is_guideline:
        marks["guideline: statements from it, all tiers read"] = count(cited)
    elif documents:
        marks["research: answered from its study"] = count([any(cited)])
    return marks
