"""Questions that yes or no would answer: how they are put, what they ask about, whether a text speaks of that, and
which way it points.
"""

import re
from functools import cache
from typing import NamedTuple

from wellsourced.claims.advice_signs import MAX_TEXT_LENGTH, strip_opening
from wellsourced.claims.guard.disagreement import is_exclusive
from wellsourced.claims.guard.negation import compare_polarity
from wellsourced.claims.results.agreement import result_features
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.drugs import find_drugs, list_class_expressions
from wellsourced.medicine.word_forms import word_beginnings
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import content_stems, stem_coverage

_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)"
_ASKS_FOR_WORDS = lazy_regex(
    r"(?:^|[.?!:;,–—-]\s+|\b(?:and|or|in|at|for|by|to|after|before|from|above|below|under|within|until|over"
    r"|if so,?)\s+)(?:what|which|how|when|why|who|whom|whose|where)\b",
    re.IGNORECASE,
)
_ASKS_SOMEBODY = lazy_regex(
    rf"\b{_AUXILIARY}\s+(?:you|anyone|anybody|someone|somebody|we|i)\s+(?:please\s+|also\s+)?"
    r"(?:tell|explain|describe|list|give me|help|know (?:what|which|how|why|if|of)|advise me|recommend|suggest|provide"
    r"|summari[sz]e|name)",
    re.IGNORECASE,
)
_ALTERNATIVES = lazy_regex(
    r"\bor\b(?!\s+(?:not|more|less|older|above|over|under|below|higher|lower|greater|later|after|before|equal)\b)|\beither\b",
    re.IGNORECASE,
)

MIN_SUBJECT_SHARE = 0.5
"""A text speaks of the subject if it has more than this share of its words: ACE inhibitors are no SGLT2 inhibitors."""

_OBJECT_VERB = (
    r"needs?|gets?|gives?|given|receives?|uses?|used|takes?|starts?|stops?|adds?|try|require|offer|order|prescribe|skip|"
    r"continue|hold|switch|combine|check|measure|repeat|perform|do|have|benefit from|rely on|screen for|treat|"
    r"role (?:for|of)|place for|point in"
)
_OTHER_END = (
    r"in|for|to|of|with|without|when|if|after|before|at|on|from|as|during|by|because|while|until|who|whose|that|than|"
    r"be|been|being|is|are|enough|alone|safe|ok|okay|fine|still|also|ever|routinely|always|usually|"
    r"recommended|indicated|contraindicated|preferred|necessary|appropriate|required|useful|effective|better|needed|"
    r"reduces?|improves?|prevents?|helps?|causes?|increases?|lowers?|rules? out|exclude|mean|count|work"
)
_PART = lazy_regex(rf"\b(?:(?P<verb>{_OBJECT_VERB})|{_OTHER_END})\b|[,;:()]", re.IGNORECASE)

MAX_WORDS = 300
"""Words of a question, and of a text, that are read."""

_WORD = lazy_regex(r"[a-z]+")

_ANSWER_WORD = lazy_regex(r"\s*(?P<word>yes|no|maybe)\s*[:,.;–—-]\s*(?=\S)", re.IGNORECASE)
"""The “Yes:”, “No:” or “Maybe:” with which a statement may begin: it answers the question, and says nothing of the
sources."""

# How questions of yes or no are put, in whole sentences and as they are jotted down: `yes_no_forms.tsv`.
MAX_QUESTION_LENGTH = 1_000
"""Characters of a question that are read."""

MAX_JOTTED_WORDS = 14
"""Words of a clause without a verb that may be a question: "Narcan first in the delivery room?" """
_CLAUSE_END = re.compile(r"(?<=[?!])\s+|(?<=[^\W_][^\W_][.:;])\s+|(?<=[^\W_][.:;])\s+(?=[A-Z])|\s+[-–—]+\s+")
_COMMA = re.compile(r",\s+", re.IGNORECASE)
_INVERSION = re.compile(rf"^(?P<joined>(?:and|so|then|but)\s+)?{_AUXILIARY}(?:n['’]t)?\s+(?!not? )", re.IGNORECASE)
_ASKS_OF_SOMEBODY = re.compile(
    rf"\b{_AUXILIARY}(?:n['’]t)?\s+(?=(?:i|we|you|they|he|she|it|this|that|the|his|her|their|these|those)\b)",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\b(?:wonder(?:s|ing)?|asks?|asking|know|unsure|sure|tell)\b[^,.]{0,30}\b(?:if|whether)\s+", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r",?\s+or\s+(?:(?:is|was|would|does|do|should|must|can|need|has|have|shall|will)\s+)?(?:(?:i|we|you|he|she|they|it|that|this)\s+)?"
    r"(?:(?:have|has|need|better)\s+(?:to\s+)?)?(?:be\s+)?(?:just\s+)?(?:not|wait|hold|stop|settle|leave|delay|wrong|skip|avoid|too\s+\w+|contraindicated|"
    r"unsafe|harmful|defer|withhold)\b[^?.]*",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|or)\s*$", re.IGNORECASE)
_ASKS_WITHIN = re.compile(r"\b(?:what|which|how|why|whom|whose|where|who|when)\b[^,]*$", re.IGNORECASE)


class AskedClaim(NamedTuple):
    """What a question of yes or no puts.

    text    the claim, without the words that ask: "carry on the aspirin"
    clause  the clause that asks, as it is written
    story   what stands before it: of whom or of what it is asked
    """

    text: str
    clause: str
    story: str = ""


@cache
def _load_forms() -> dict[str, re.Pattern[str]]:
    words = {kind: found for (kind,), found in read_alternatives("wellsourced.claims", "yes_no_forms.tsv").items()}
    no_amount = rf"(?!\s+(?:and|or|of|{words['amount']})\b)"
    forms = {
        "opening": rf"^(?:(?:so|and|then|is it|is there|would it be|it|there)\s+)?(?:{words['opening']})\b\s*(?=\S*\w)",
        "verb": rf"^(?:(?:so|and|then|just|still)\s+)?(?=(?:{words['verb']})\b{no_amount})",
        "judged": rf"\b(?:{words['judged']})\b(?=\W*$|\s+(?:{words['joining']})\b)",
        "aside": rf"(?<=\w\s)(?:{words['aside']})\b",
        "amount": rf"\b(?:{words['amount']})\b",
    }
    return {kind: re.compile(expression, re.IGNORECASE) for kind, expression in forms.items()}


def find_asked_claim(question: str) -> AskedClaim | None:
    """The claim of the last clause that can be answered by yes or no; None where none can.

    Of what somebody asks it is read as far as the question mark; without one, to the end.
    """
    text = drop_alternative(" ".join(question[:MAX_QUESTION_LENGTH].split()))
    starts = [0, *(found.end() for found in _CLAUSE_END.finditer(text))]
    clauses = [(start, text[start:end]) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    marked = [(start, one) for start, one in clauses if "?" in one]
    for start, clause in reversed(marked or clauses):
        if found := _read_clause(clause.strip(" -–—"), is_marked=bool(marked)):
            place, claim = found
            before = clause[:place]
            if _ASKS_WITHIN.search(before) or (_AND.search(before) and _load_forms()["amount"].search(before)):
                return None
            return AskedClaim(claim.strip(" ?.!"), clause, text[: start + place].strip())
    return None


def _read_clause(clause: str, *, is_marked: bool) -> tuple[int, str] | None:
    """Where the question begins in a clause, and its claim; None where it is no question of yes or no."""
    forms = _load_forms()
    asked = clause.partition("?")[0]
    places = [0, *(found.end() for found in _COMMA.finditer(asked))]
    for place in places:
        part = asked[place:]
        if found := _INVERSION.match(part):
            return place + len(found["joined"] or ""), part[found.end() :]
        if found := forms["opening"].match(part):
            return place, part[found.end() :]
    for opening in (_WHETHER, _ASKS_OF_SOMEBODY):
        if found := opening.search(asked):
            return found.start(), asked[found.end() :]
    if not is_marked or _ASKS_WITHIN.search(asked):
        return None
    for place in places:
        if found := forms["verb"].match(asked[place:]):
            return place, asked[place + found.end() :]
    last = asked[places[-1] :]
    if len(last.split()) > MAX_JOTTED_WORDS or not content_stems(last):
        return None
    if forms["judged"].search(last) or (forms["aside"].search(last) and not forms["amount"].search(last)):
        return places[-1], last
    return None


def drop_alternative(question: str) -> str:
    """A question without the end that only says the contrary: "or is that wrong", "or must it settle first"."""
    return _OTHERWISE.sub("", question)


def is_yes_no_question(question: str) -> bool:
    """Whether "yes" or "no" would answer it: it makes a claim, names no alternatives and asks for nothing else."""
    text = drop_alternative(" ".join(question[:MAX_QUESTION_LENGTH].split()))
    if _ASKS_FOR_WORDS.search(text) or _ASKS_SOMEBODY.search(text) or _ALTERNATIVES.search(text):
        return False
    return find_asked_claim(question) is not None


def find_asked_subject(claim: str) -> frozenset[str]:
    """How the words of a claim's subject begin, or of what the subject is to get: "adults with gout need colchicine".

    frozenset() where it has none that tells, as in "it safe".
    """
    asked = claim[:MAX_QUESTION_LENGTH]
    marks = list(_PART.finditer(asked))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(asked)]
    parts = [word_beginnings(asked[start:end]) for start, end in zip(starts, ends, strict=True)]
    objects = [part for part, mark in zip(parts[1:], marks, strict=True) if mark["verb"]]
    return next((part for part in (parts[0], *objects, *parts) if part), frozenset())


def mentions_subject(claim: str, text: str) -> bool:
    """Whether a text has the words of what a claim is about; true where that tells nothing."""
    subject = find_asked_subject(claim)
    return not subject or len(subject & word_beginnings(text)) > MIN_SUBJECT_SHARE * len(subject)


def mentions_subject_class(claim: str, text: str) -> bool:
    """Whether a text speaks of a class of drugs to which a drug belongs that a claim is about."""
    subject = find_asked_subject(claim)
    asked = [one.words for one in find_drugs(claim) if subject & word_beginnings(one.words)]
    return any(re.search(words, text, re.IGNORECASE) for drug in asked for words in list_class_expressions(drug))


def names_other_group(question: str, text: str) -> bool:
    """Whether a word of the question is lacking in the text, which has one that excludes it: "unlikely", "likely"."""
    asked, said = _list_words(question), _list_words(text)
    return any(is_exclusive(one, other) for one in asked - said for other in said - asked)


def _list_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())[:MAX_WORDS])


def answer_word(text: str) -> str:
    """ "yes", "no" or "maybe" where the text begins with that and goes on; else ""."""
    found = _ANSWER_WORD.match(text)
    return found["word"].lower() if found else ""


def strip_answer_word(text: str) -> str:
    """What the text says besides its yes, no or maybe, as a sentence of its own."""
    rest = text[found.end() :] if (found := _ANSWER_WORD.match(text)) else text
    # “pH” and “mRNA” have a capital within, and keep their first letter.
    if rest is text or not rest[0].islower() or any(letter.isupper() for letter in rest.split()[0]):
        return rest
    return rest[0].upper() + rest[1:]


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
    denies = any(described[kind] > 0 for kind in ("no effect", "disagreements", "p is large", "sameness"))
    return -1 if denies or described["result refutes"] > described["result supports"] else 1
