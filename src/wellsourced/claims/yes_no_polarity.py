"""Which way a sentence of a study points that may answer a question by yes or no, as numbers that a model weighs."""

import re
from functools import cache

from wellsourced.claims.advice_signs import MAX_TEXT_LENGTH, strip_opening
from wellsourced.claims.guard.polarity import compare_polarity
from wellsourced.claims.results.agreement import result_features
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import stem_coverage

QUESTION_WORDS = ("exclusive", "ability", "presence", "comparison")
"""Sorts of words of a question that are told apart."""

ANSWER_WORDS = ("no effect", "effect", "uncertainty", "contrast", "aim")
"""Sorts of words of a sentence that are told apart, besides "sameness"."""

MAX_COUNT = 3
"""Words of a sort that are counted in one sentence."""

_SMALL_P = re.compile(r"\bp\s?[<=≤]\s?0?\.0[0-4]\d*", re.IGNORECASE)
_LARGE_P = re.compile(r"\bp\s?[=>≥]\s?0?\.(?:0[5-9]|[1-9])|\b[np]\.?s\.?(?=[,;)])", re.IGNORECASE)


@cache
def _load_words() -> dict[str, re.Pattern[str]]:
    lists = read_alternatives("wellsourced.claims", "yes_no_words.tsv")
    return {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for (kind,), words in lists.items()}


def _count_words(kind: str, text: str) -> float:
    return float(min(MAX_COUNT, sum(1 for _ in _load_words()[kind].finditer(text))))


def describe_question(question: str) -> dict[str, float]:
    """Which sorts of words a question has, 0 or 1 each."""
    read = question[:MAX_TEXT_LENGTH]
    return {f"question: {kind}": float(bool(_load_words()[kind].search(read))) for kind in QUESTION_WORDS}


def describe_answer(question: str, sentence: str) -> dict[str, float]:
    """How a sentence relates to what is asked, as numbers from -3 to 3; its first 1,000 characters are read."""
    claim, read = strip_opening(question), sentence[:MAX_TEXT_LENGTH]
    asks_for_sameness = _load_words()["sameness"].search(claim) is not None
    results = result_features(claim, read)
    return {
        **{kind: _count_words(kind, read) for kind in ANSWER_WORDS},
        "sameness": _count_words("sameness", read) * (-1 if asks_for_sameness else 1),
        "disagreements": float(min(2, sum(1 for _ in compare_polarity(claim, read)))),
        "result supports": results["supports"],
        "result refutes": results["refutes"],
        "p is small": float(bool(_SMALL_P.search(read))),
        "p is large": float(bool(_LARGE_P.search(read))),
        "coverage": stem_coverage(claim, read),
    }


def find_polarity(described: dict[str, float]) -> int:
    """+1 where a sentence, as `describe_answer` describes it, affirms what is asked, -1 where it denies it, else 0."""
    if described["aim"] and not (described["p is small"] or described["p is large"]):
        return 0
    denies = (
        described["no effect"] + described["disagreements"] + described["p is large"] + max(0, described["sameness"])
    )
    if denies or described["result refutes"] > described["result supports"]:
        return -1
    return 1
