"""What a question of yes or no asks of a guideline, whether a sentence speaks of that and under which condition, and
how it may be read as an answer.

Each test exists because a sentence that failed it was once taken for an answer: advice on some of the question's
people, on another value, on starting where stopping was asked for, on the drug that another is preferred over.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from wellsourced.claims import advice_signs, yes_no_questions
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.drugs import find_prescribed_drugs
from wellsourced.medicine.quantities import find_bounds
from wellsourced.medicine.word_forms import word_beginnings, write_out_abbreviations
from wellsourced.question.requested_quantity import holds_for, question_values
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import content_stems, stem_coverage

MIN_CONDITION_COVERAGE = 0.5
"""Share of a condition's words that the question has if it is asked of just that case."""

MAX_SENTENCES = 20
"""Sentences of a text that are read."""

_NUMBER = lazy_regex(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.-]\w)")
_CONDITION = lazy_regex(
    r"\b(?:(?<!even )if|unless|except|provided|as long as|only (?:if|when|for|in|as|after|with))\b"
    r"(?P<condition>[^.;:,()]+)",
    re.IGNORECASE,
)
_MATTER_OF_COURSE = lazy_regex(
    r"\s*(?:not )?(?:otherwise )?(?:contra-?indicated|indicated|tolerated|possible|needed|necessary|appropriate"
    r"|available|feasible)\b\s*$",
    re.IGNORECASE,
)
_WEAK = lazy_regex(
    r"\b(?:(?:may|might|can|could) (?:\w+ )?be (?:\w+ )?(?:considered|reasonable|used|useful|beneficial|given)"
    r"|consider)\b"
    r"|\bin selected\b|\bcase[- ]by[- ]case\b|\bindividuali[sz]ed\b",
    re.IGNORECASE,
)
_OF_SOME = lazy_regex(
    r"\b[\w-]*eligible\b|\b(?:suitable|appropriate|selected|certain|specific) (?:\w+ )?"
    r"(?:patients?|candidates?|individuals?|people|persons?|adults|women|men|cases|circumstances|situations)\b"
    r"|\bcandidates? for\b|\b(?:who|which|that) (?:is|are|can be) (?:able|eligible|suitable|appropriate|candidates?)\b",
    re.IGNORECASE,
)
PROVISO = lazy_regex(
    r"\b(?:unless|if not|without|no|absence of(?: an?y?)?|free of) (?:\w+ ){0,2}contra-?indicat\w*"
    r"|\b(?:if|when|where|as) (?:clinically |otherwise )?(?:indicated|appropriate|tolerated|suitable)\b",
    re.IGNORECASE,
)
"""What leaves open whether advice holds for somebody: "unless contraindicated", "if indicated"."""

_REPORTED = lazy_regex(
    r"\b(?:trials?|stud(?:y|ies)|meta-?analys[ie]s|cohorts?|registr(?:y|ies)|RCTs?)\b[^.;]*"
    r"\b(?:showed|found|demonstrated|reported|reduced|improved|increased|failed|did not|was|were|had)\b"
    r"|(?<!discontinuation )(?<!withdrawal )(?<!stopping )(?<!interruption )\b(?:was|were|has been|have been)"
    r" (?:associated|randomi[sz]ed|observed)\b"
    r"|\bevidence (?:derives?|comes?|is from)\b",
    re.IGNORECASE,
)
_ADVISES = lazy_regex(
    r"\b(?:recommends?|suggests?|(?:is|are) (?:\w+ )?(?:recommended|suggested|contraindicated|indicated))\b", re.I
)
_PAST = lazy_regex(
    r"\b(?:previous|earlier|prior|former|older|superseded|preceding|last) (?:\w+ )?"
    r"(?:editions?|guidelines?|guidance|versions?|recommendations?|updates?)\b"
    r"|\b(?:previously|formerly|historically|once|earlier) (?:\w+ )?(?:recommended|advised|suggested|preferred|used)\b"
    r"|\b(?:was|were) (?:\w+ )?(?:recommended|advised|preferred)\b"
    r"|\bin (?:the )?(?:19|20)\d\d (?:edition|guidelines?|version)\b"
    r"|\bthe (?:19|20)\d\d (?:\w+ )?(?:editions?|guidelines?|version) (?:recommended|advised|suggested|used)\b",
    re.IGNORECASE,
)
_OTHERS = lazy_regex(
    r"\b(?:some|other|many|most|certain|European|American|British|international) "
    r"(?:cent(?:er|re)s|guidelines?|societies|clinicians|experts|institutions|countries|authors|bodies|hospitals)\b",
    re.IGNORECASE,
)
_NOT_OF_CLASS = lazy_regex(
    r"\bnon-?\s?[\w-]+(?: (?:inhibitors?|blockers?|agonists?|antagonists?))?"
    r"|\bwhile (?:on|taking) (?:an? )?[\w-]+(?: (?:inhibitors?|blockers?|agonists?|antagonists?))?"
    r"|\bdevelop\b[^.;,]*\bon an? [\w-]+(?: (?:inhibitors?|blockers?|agonists?|antagonists?))?",
    re.IGNORECASE,
)
_CELL_END = lazy_regex(r";\s+(?=[A-Z])|\s+(?:--|–|—)\s+")
_EVERYBODY = lazy_regex(
    r"\b(?:all(?! right)|every|everyone|everybody|always|any|anyone|each|universal(?:ly)?)\b", re.IGNORECASE
)
_ONLY = lazy_regex(r"\b(?:only|alone|solely|never|enough|sufficient|monotherapy|single)\b", re.IGNORECASE)
_PREFERRED_OVER = lazy_regex(r"\b(?:over|than|instead of|in place of|compared (?:with|to)|versus|vs)\b", re.IGNORECASE)
_TOGETHER = lazy_regex(
    r"\b(?:together|combin\w*|on top of|along with|alongside|at the same time|both)\b", re.IGNORECASE
)
_WITH = lazy_regex(
    r"\b(?:together|combin\w*|add\w*|plus|both|dual|triple|concomitant\w*|concurrent\w*|co-?administ\w*"
    r"|simultaneous\w*|with)\b|\+",
    re.IGNORECASE,
)
_COMPARES = lazy_regex(
    r"\b(?:as \w+ as|better|superior|inferior|safer|worse|(?:more|less) \w+ than|interchangeabl\w*|equivalent)\b",
    re.IGNORECASE,
)
_COMPARING = lazy_regex(
    r"\b(?:as \w+ as|better|superior\w*|inferior\w*|safer|worse|than|over|versus|vs|compar\w*|prefer\w*|rather|instead"
    r"|similar\w*|interchangeabl\w*|equivalent\w*|substitut\w*)\b",
    re.IGNORECASE,
)
_KIND = lazy_regex(r"\b(type|stage|grade|phase|group) (\d|[IV]+)\b", re.IGNORECASE)
_SHORT_KIND = lazy_regex(r"\bT([12])D")
_ACTIONS = {
    "stop": lazy_regex(
        r"\b(?:stop|discontinu|withh|hold|held|ceas|omit|withdr|interrupt|paus|delay|defer)", re.IGNORECASE
    ),
    "start": lazy_regex(
        r"\b(?:start|initiat|beg[aiu]n|introduc|add(?:ed|ing)?\b|naive|naïve|delay|defer)", re.IGNORECASE
    ),
    "continue": lazy_regex(r"\b(?:continu|maintain|kept?\b|resum|restart)", re.IGNORECASE),
}


def split_advice(text: str) -> Iterator[str]:
    """A text's sentences; of a row of a table each cell, under what the row is called."""
    for start, end in split_sentences(text)[:MAX_SENTENCES]:
        # A cell says nothing without the name of its row.
        first, *others = _CELL_END.split(text[start:end])
        name = first.partition(": ")[0] if ": " in first else ""
        yield from (first, *(f"{name}: {one}" if name else one for one in others))


def find_failed_tests(question: str, claim: str, sentence: str, above: str, sign: int) -> frozenset[str]:
    """What speaks against taking a sentence for an answer, by name.

    Advice against a class is advice against its drugs, and so it is for some of those who are asked about; advice for
    a class may be for others of them.

    claim   what of the question is asked, without the story before it
    above   the titles and lines under which the sentence stands
    sign    whether it advises for something (+1), or against it (-1)
    """
    whole, values = f"{above}\n{sentence}", question_values(question)
    is_named = yes_no_questions.mentions_subject(claim, whole) or (
        sign < 0 and yes_no_questions.mentions_subject_class(claim, whole)
    )
    tests = {
        "subject": not is_named,
        "other group": yes_no_questions.names_other_group(claim, whole),
        "other value": bool(values and find_bounds(sentence)) and not holds_for(values, sentence),
        "other kind": _names_other_kind(question, whole),
        # What holds for some does not answer whether everybody should; what speaks against it for some, does.
        "everybody": sign > 0 and bool(_EVERYBODY.search(claim)) and not _EVERYBODY.search(whole),
        "only": bool(_ONLY.search(claim)) and not _ONLY.search(whole),
        "together": bool(_TOGETHER.search(claim)) and not _WITH.search(sentence),
        "comparison": bool(_COMPARES.search(claim)) and not _COMPARING.search(sentence),
        "another preferred": _prefers_another(claim, sentence),
        "reported": bool(_REPORTED.search(sentence)) and not _ADVISES.search(sentence),
        "past": bool(_PAST.search(sentence)),
        "others": bool(_OTHERS.search(sentence)),
        "action": not _is_of_same_action(claim, "\n".join((above.rpartition("\n")[2], sentence))),
    }
    return frozenset(name for name, fails in tests.items() if fails)


def _is_of_same_action(question: str, sentence: str) -> bool:
    """Whether it does not speak of starting only where stopping or going on is asked for, or the other way round."""
    asked = {name for name, words in _ACTIONS.items() if words.search(question)}
    said = {name for name, words in _ACTIONS.items() if words.search(sentence)}
    if not asked or not said:
        return True
    # To stop and to continue are two answers to one question; to start is another question.
    return bool(asked & said) or ("start" not in asked and "start" not in said)


def _names_other_kind(question: str, text: str) -> bool:
    """Whether it speaks of type 2 only where type 1 is asked about."""
    asked, said = _list_kinds(question), _list_kinds(text)
    # A text that names no type speaks of all; one that names only another type does not.
    return any(one not in said and any(name == one[0] for name, _ in said) for one in asked)


def _list_kinds(text: str) -> set[tuple[str, str]]:
    return {(name.lower(), number.lower()) for name, number in _KIND.findall(_SHORT_KIND.sub(r"type \1 d", text))}


def _prefers_another(claim: str, sentence: str) -> bool:
    """Whether the subject stands there only as what something else is preferred over."""
    subject = yes_no_questions.find_asked_subject(claim)
    told = subject & word_beginnings(sentence)
    if told and not subject & word_beginnings(_NOT_OF_CLASS.sub(" ", sentence)):
        return True
    if not (found := _PREFERRED_OVER.search(sentence)):
        return False
    before, _, after = sentence.partition(found[0])
    is_last = bool(subject & word_beginnings(after))
    return is_last and not subject & word_beginnings(_NOT_OF_CLASS.sub(" ", before))


def is_conditional(question: str, sentence: str, is_permission: bool = False) -> bool:
    """Whether it holds under a condition of which the question does not speak, or is only to be considered.

    "Not if the clearance is above 95" speaks of a question that gives a clearance of 110.

    is_permission   whether it is asked if something may be done: what may be considered, may be
    """
    values = question_values(question)
    is_of_some = _OF_SOME.search(sentence) is not None and not _OF_SOME.search(question)
    is_further = is_of_some or any(
        not holds_for(values, condition) and stem_coverage(condition, question) < MIN_CONDITION_COVERAGE
        for condition in (found["condition"] for found in _CONDITION.finditer(sentence))
        if not _MATTER_OF_COURSE.match(condition)
    )
    return is_further or (not is_permission and _WEAK.search(sentence) is not None and not _WEAK.search(question))


def cover_question(question: str, text: str) -> float:
    """The share of the question's telling words that a text has; 0 where it lacks a number of the question.

    A number stands there too where it lies in a range that the text gives.
    """
    numbers, ranges, values = frozenset(_NUMBER.findall(text)), find_bounds(text), question_values(question)
    for number in _NUMBER.findall(question):
        is_in_range = float(number) in values and any(one.has(float(number)) for one in ranges)
        if number not in numbers and not is_in_range:
            return 0.0
    plain = _NUMBER.sub(" ", advice_signs.remove_graded_words(advice_signs.strip_opening(question)))
    if not content_stems(plain):
        return 1.0
    return stem_coverage(write_out_abbreviations(plain), write_out_abbreviations(text))


MIN_CLAIM_WORDS = 2
"""Telling words of a claim from which it says by itself what is asked; "carry on?" is of what stands before it."""


class AskedAdvice(NamedTuple):
    """What is asked of a guideline.

    question       as it was put
    claim          what is asked, with as much of the story as it takes to say of what
    core           what of it is to be done, or asked of, without its circumstances: "start his allopurinol"
    sign           -1 where "yes" means that something is not done: "Can it be left off?"
    is_permission  whether it is asked if something may be done: what may be considered, may be
    asks_need      whether it is asked if something has to be done: only then does "not required" say no
    asks_advice    whether it is asked what to do, and not what is: only the latter is affirmed by a fact
    """

    question: str
    claim: str
    core: str
    sign: int
    is_permission: bool = False
    asks_need: bool = False
    asks_advice: bool = False


@cache
def _load_words() -> dict[str, re.Pattern[str]]:
    lists = {kind: words for (kind,), words in read_alternatives("wellsourced.claims", "asked_advice.tsv").items()}
    lists["around"] = f"{lists['circumstance']}|{lists['around']}"
    found = {kind: rf"\b(?:{words})\b" for kind, words in lists.items()}
    found["around"] += r"|[,;:(]"
    return {kind: re.compile(expression, re.IGNORECASE) for kind, expression in found.items()}


def read_asked_advice(question: str) -> AskedAdvice:
    """What a question asks of a guideline; of one that is none of yes or no, all of it."""
    claim = yes_no_questions.find_asked_claim(question) or yes_no_questions.AskedClaim(
        advice_signs.strip_opening(question), question
    )
    core = _find_core(claim.text)
    if not word_beginnings(core):
        drugs = " ".join(dict.fromkeys(one.words for one in find_prescribed_drugs(claim.story)))
        core = drugs or claim.text
    whole = claim.text if len(word_beginnings(claim.text)) >= MIN_CLAIM_WORDS else f"{core} {claim.text}"
    if not word_beginnings(whole):
        whole = core = question
    words = _load_words()
    return AskedAdvice(
        question,
        whole,
        core,
        _find_asked_sign(claim.text),
        is_permission=words["permission"].search(claim.clause) is not None,
        asks_need=words["need"].search(whole) is not None,
        asks_advice=words["advice"].search(claim.clause) is not None,
    )


def _find_core(claim: str) -> str:
    """What stands before the first circumstance that has something telling before it, without words of acting."""
    ends = [*(mark.start() for mark in _load_words()["around"].finditer(claim)), len(claim)]
    parts = (" ".join(_load_words()["acting"].sub(" ", claim[:end]).split()) for end in ends)
    return next((one for one in parts if word_beginnings(one)), "")


def _find_asked_sign(claim: str) -> int:
    """To stop is the contrary of doing, and so is what is wrong to do; it may be wrong to stop.

    What somebody "hasn't stopped" is a circumstance.
    """
    asked = _load_words()["circumstance"].split(claim, maxsplit=1)[0]
    is_turned = [
        -1 in advice_signs.list_clause_signs(asked, advice_signs.load_sign_tiers()[tier])
        for tier in ("graded", "plain")
    ]
    return -1 if sum(is_turned) == 1 else 1


# How the sentences of a guideline may be read as a "yes" or "no" to what is asked, and what speaks for each reading.
#
# A reading is one sentence, or one clause where a sentence advises both ways. Nothing is refused here: of each the
# tests that it fails are told, and a model weighs them (`models/advice_choice.py`).

_EXCEPTION = re.compile(
    r"\b(?:unless|except (?:if|when|where|in)|if not|provided (?:that )?(?:it is )?not)\b[^.;:,)]*", re.IGNORECASE
)
_STOPPING_HARMS = re.compile(
    r"\b(?:discontinuation|withdrawal|stopping|withholding|omission|interruption|cessation)\b[^.;:]*"
    r"\b(?:leads? to|(?:is|are|was|been) associated with|increase[sd]?|worsens?|causes?|results? in"
    r"|precipitates?|triggers?)\b",
    re.IGNORECASE,
)
_NAMED_NOT = re.compile(r",\s+not (?:an? |the )?(\w+)\b")
_UNNEEDED = re.compile(
    r"\b(?:no|not|without)\b[^.;,]{0,40}?\b(?:required|needed|necessary|needs?|requires?|prerequisite|mandatory)\b",
    re.IGNORECASE,
)
_GRADE = re.compile(r"\((?:class|COR|LOE|level|strong|weak|conditional|recommendation|grade)\b[^)]*\)", re.IGNORECASE)
_RECOMMENDS_NOT = re.compile(
    r"\b(?:recommends?|suggests?|recommended|suggested|advises?)\b(?=[^.;]{0,40}\bthat\b[^.;]*\bnot\W+(?:be|receive|use|take)\b)",
    re.IGNORECASE,
)
_LESSER = re.compile(r"\b(?:rather than|instead of|in place of|over|as opposed to)\b[^.;:,)]*", re.IGNORECASE)


class AdviceReading(NamedTuple):
    """A sentence or clause as an answer.

    sign            +1: it says yes, -1: no
    tier            by which sort of words: one of SIGN_TIERS; "lead-in": the line above says it
    words           what is read
    failed          the tests that it fails, by name
    is_conditional  whether it holds under a condition that the question does not name, or is only to be considered
    is_clause       whether the rest of its sentence advises the other way
    """

    sign: int
    tier: str
    words: str
    failed: frozenset[str]
    is_conditional: bool
    is_clause: bool


def list_readings(asked: AskedAdvice, text: str, above: str = "") -> Iterator[AdviceReading]:
    """Each sentence of a text that says yes or no to something.

    above   the titles and lines under which the text stands; the last one may itself advise ("Not recommended:")
    """
    kept, last_line = above[-advice_signs.MAX_TEXT_LENGTH :], above[-advice_signs.MAX_TEXT_LENGTH :].rpartition("\n")[2]
    heading = find_sign(last_line)
    for sentence in split_advice(text[: 10 * advice_signs.MAX_TEXT_LENGTH]):
        told = sentence if asked.asks_need else _UNNEEDED.sub(" ", sentence)
        is_denied = _denies_name(asked.claim, sentence)
        found = [(sentence, ("factual", -1), False)] if is_denied else list(_read_sentence(told))
        for words, (tier, sign), is_clause in found:
            if heading[1] and heading[0] != "factual" and tier in ("factual", "none"):
                tier, sign = "lead-in", heading[1] * (sign if tier == "factual" and sign < 0 else 1)
            if sign:
                failed = find_failed_tests(asked.question, asked.claim, words, kept, sign)
                is_open = is_conditional(asked.question, sentence, asked.is_permission)
                yield AdviceReading(asked.sign * sign, tier, words, failed, is_open, is_clause)


def _denies_name(claim: str, sentence: str) -> bool:
    """Whether it says that something is not what it is asked to be: "a stroke, not TIA"."""
    named = content_stems(" ".join(_NAMED_NOT.findall(sentence)))
    return bool(named) and bool(set(named[:1]) & set(content_stems(claim)[-1:]))


def _read_sentence(sentence: str) -> Iterator[tuple[str, tuple[str, int], bool]]:
    """The sentence with its sign; where its clauses differ, each that has one."""
    tier, sign = find_sign(sentence)
    if sign or tier == "none":
        yield sentence, (tier, sign), False
        return
    for clause in advice_signs.split_clauses(sentence):
        own = find_sign(clause)
        if own[1]:
            yield clause, own, True


def find_sign(text: str) -> tuple[str, int]:
    """Which way a text points, and by which sort of words; ("mixed", 0) where it points both ways, ("none", 0)."""
    whole = _RECOMMENDS_NOT.sub("does not recommend", text.replace("*", "").replace("_", " "))
    if _STOPPING_HARMS.search(whole):
        return "plain", 1
    plain = _GRADE.sub("", whole)
    plain = plain if any(one.search(plain) for one in list(advice_signs.load_sign_tiers().values())[:2]) else whole
    plain = _LESSER.sub("", _EXCEPTION.sub("", plain)).strip() or plain
    for tier, pattern in advice_signs.load_sign_tiers().items():
        signs = {
            sign
            for clause in advice_signs.split_clauses(plain)
            for sign in advice_signs.list_clause_signs(clause, pattern)
        }
        if signs:
            return (tier, signs.pop()) if len(signs) == 1 else ("mixed", 0)
    return "none", 0
