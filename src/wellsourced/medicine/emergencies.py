"""Signs of an emergency, recognised by rules before anything is searched, and without a model.

`emergencies.tsv` has the signs of each kind and what to do first. A sign counts when it is said of somebody who is
there: not in a question about medicine, a case history, a story, a supposition, the past, or after "no". Signs are
listed for English; the commonest ones for German, Spanish and French.

This is a net with holes, to be told as one: that nothing was recognised does not mean that there is no danger. Of
descriptions in words that the table's author had not thought of, about half were recognised at the first look, twice
(27 of 54, 40 of 76). A second net that has learnt hangs below it in pipeline/frame/emergency_model.py, which gives both
figures.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.scope import find_scope
from wellsourced.text.tables import read_rows
from wellsourced.text.typography import NormalizedText, replace_matches
from wellsourced.types import Emergency

GAP_PATTERN = r"\b[^.?!\n]{0,40}?\b"
"""What "…" in the table stands for: the rest of a clause or two, never another sentence."""

MAX_CHARACTERS = 2000
"""Characters of a question that are looked at: whoever needs help now writes no more; a longer text is a record."""

_SENTENCE = lazy_regex(r"[^.?!\n]+(?:[.?!](?=\w)[^.?!\n]+)*[.?!]*")
_CLAUSE_END = lazy_regex(r"[,;:.?!\n]| but | and (?=now|he|she|i |my )", re.IGNORECASE)
_STRENGTH_ORDER = {"alone": 0, "person": 1, "pair": 2}


class EmergencySign(NamedTuple):
    """Words of one kind of emergency.

    weight   "alone": enough in themselves; "person": enough when said of somebody, or with another sign of the kind;
             "a", "b": enough together
    """

    kind: str
    weight: str
    words: re.Pattern[str]


class EmergencyTable(NamedTuple):
    """emergencies.tsv, read: signs in order, advice by kind or language, where advice is from, by kind, and the frames
    that a sign may stand in."""

    signs: tuple[EmergencySign, ...]
    advice: dict[str, str]
    sources: dict[str, str]
    frames: dict[str, re.Pattern[str]]


class SignOccurrence(NamedTuple):
    """A sign that counts: which one, where it stands in the text as typed, and whether it is said of somebody."""

    sign: EmergencySign
    start: int
    end: int
    is_of_somebody: bool


DANGER_WORDS = frozenset(
    """
    breathe breathing swallowed overdose overdosed suicidal suicide unconscious seizure swollen bleeding paracetamol
    acetaminophen ibuprofen slurred drooping collapsed responding choking vomiting diabetic pregnant allergic reaction
    anaphylaxis testicle headache pressure confused throat poison insulin wheezing gasping fainted drowning
    pneumonia chest tongue stabbed
    """.split()  # noqa: SIM905
)
"""Only words none of whose `generate_typos` is a word of its own ("sweating" would be found in "seating")."""

VOWELS = "aeiou"
SIMILAR_WORDS = {"breath", "collapse", "confuse", "overdoses"}
"""Words that a slip of a key word would take for it."""

IRREGULAR_TYPOS = {"pian": "pain", "chocking": "choking", "paracetomol": "paracetamol", "diabetis": "diabetic"}
"""Slips that the rule does not make."""

_WORD = re.compile(r"[A-Za-z]{4,}")


def correct_danger_words(text: str) -> NormalizedText:
    """The text with slips of key words put right: two letters exchanged, one missing, doubled, or another vowel."""
    corrections = _build_corrections()
    return replace_matches(_WORD, text, lambda word: corrections.get(word.group().lower(), word.group()))


def generate_typos(word: str) -> Iterator[str]:
    """What a word becomes by one slip; the first letter stays."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if word[at] in VOWELS:
            yield from (word[:at] + vowel + word[at + 1 :] for vowel in VOWELS)


@cache
def _build_corrections() -> dict[str, str]:
    known = {*DANGER_WORDS, *SIMILAR_WORDS}
    return IRREGULAR_TYPOS | {
        slip: word
        for word in sorted(DANGER_WORDS)
        for slip in generate_typos(word)
        # A slip of one key word that is another one stays as it was typed.
        if slip not in known and len(slip) > 4
    }


def detect_emergency(text: str) -> Emergency | None:
    """The gravest emergency that this text speaks of as happening now, with the words that say so; None if none.

    text   a question as it was typed; of a longer one the first 2,000 characters

    What it finds is told first and stops nothing: the question is answered all the same.
    """
    table, spelled = _load_table(), correct_danger_words(_normalize_characters(text))
    # A case history, an exam question or a story speaks of nobody who is there.
    if _is_record_or_story(spelled.text, table.frames):
        return None
    seen = [one for part in _SENTENCE.finditer(spelled.text) for one in _find_signs(spelled.text, part, table)]
    kind = _select_gravest_kind(seen, table.frames["person"].search(spelled.text) is not None)
    if kind is None:
        return None
    spans = sorted(spelled.original_span(one.start, one.end) for one in seen if one.sign.kind == kind)
    name, _, language = kind.partition(":")
    signs, source = _merge_sign_words(text, spans), table.sources.get(name, "")
    return Emergency(kind=name, signs=signs, advice=table.advice[language or name], source=source)


def extract_present_clauses(text: str) -> str:
    """What of this text may speak of somebody in danger now, as it was typed; "" when nothing does.

    Left out are sentences that ask about medicine or suppose, and clauses that tell of the past; of a case history, an
    exam question or a story everything is. As with `emergency`, only the first 2,000 characters are looked at.
    """
    plain, frames = _normalize_characters(text), _load_table().frames
    if _is_record_or_story(plain, frames):
        return ""
    kept = []
    for sentence in _SENTENCE.finditer(plain):
        if not _is_supposition_or_question(sentence.group().strip(), frames):
            starts = [sentence.start(), *(end.end() for end in _CLAUSE_END.finditer(plain, *sentence.span()))]
            clauses = [text[start:end] for start, end in pairwise([*starts, sentence.end()])]
            kept += [clause for clause in clauses if not _is_of_the_past(clause, frames)]
    return "".join(kept).strip(" ,;:\n")


def is_clinical_summary(text: str) -> bool:
    """Whether it is a patient as one clinician tells another of: the age first, and what was measured."""
    return _load_table().frames["summary"].search(_normalize_characters(text).strip()) is not None


def _normalize_characters(text: str) -> str:
    """What is looked at, with one kind of apostrophe and of space; characters keep their places."""
    return text[:MAX_CHARACTERS].translate({0x2019: "'", 0x2018: "'", 0x0060: "'", 0x00A0: " ", 0x09: " "})


def _is_record_or_story(text: str, frames: dict[str, re.Pattern[str]]) -> bool:
    """Whether it is a record, a story or an exam question."""
    if any(frames[name].search(text) for name in ("record", "fiction")):
        return True
    return frames["vignette"].match(text.strip()) is not None


def _is_supposition_or_question(words: str, frames: dict[str, re.Pattern[str]]) -> bool:
    """Whether a sentence supposes something, or asks about medicine and names nobody."""
    if frames["supposed"].search(words):
        return True
    if frames["person"].search(words):
        return False
    return frames["knowledge"].match(words) is not None or frames["topic"].search(words) is not None


def _is_of_the_past(clause: str, frames: dict[str, re.Pattern[str]]) -> bool:
    return frames["past"].search(clause) is not None and not frames["present"].search(clause)


def _find_signs(text: str, sentence: re.Match[str], table: EmergencyTable) -> Iterator[SignOccurrence]:
    """Signs in a sentence that speaks of somebody, now; none where it asks about medicine or supposes."""
    words, frames = sentence.group().strip(), table.frames
    if _is_supposition_or_question(words, frames):
        return
    somebody = frames["person"].search(words) is not None
    for sign in table.signs:
        for found in sign.words.finditer(text, sentence.start(), sentence.end()):
            if found.group() and not _is_denied_or_of_the_past(text, sentence, found, frames):
                yield SignOccurrence(sign, found.start(), found.end(), somebody)


def _is_denied_or_of_the_past(
    text: str, sentence: re.Match[str], found: re.Match[str], frames: dict[str, re.Pattern[str]]
) -> bool:
    if find_scope(text, *found.span()) == "denied":
        return True
    before = _CLAUSE_END.split(text[sentence.start() : found.start()])[-1]
    after = _CLAUSE_END.split(text[found.end() : sentence.end()])[0]
    return _is_of_the_past(before + found.group() + after, frames)


def _select_gravest_kind(seen: Iterable[SignOccurrence], somebody: bool) -> str | None:
    """The kind with the strongest signs; of equals, the first in the table."""
    kinds: dict[str, list[SignOccurrence]] = {}
    for one in seen:
        kinds.setdefault(one.sign.kind, []).append(one)
    ranked = {
        kind: _STRENGTH_ORDER[strength] for kind, signs in kinds.items() if (strength := _rate_signs(signs, somebody))
    }
    order = list(dict.fromkeys(sign.kind for sign in _load_table().signs))
    return min(ranked, key=lambda kind: (ranked[kind], order.index(kind)), default=None)


def _rate_signs(signs: list[SignOccurrence], somebody: bool) -> str:
    """How surely these signs of one kind speak of an emergency; "" when they do not."""
    weights = {one.sign.weight for one in signs}
    if "alone" in weights:
        return "alone"
    if any(one.sign.weight == "person" and (one.is_of_somebody or somebody) for one in signs):
        return "person"
    if "person" in weights and len({one.sign for one in signs}) > 1:
        return "person"
    return "pair" if {"a", "b"} <= weights else ""


def _merge_sign_words(text: str, spans: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """The words of each span, in order; a span within another is not said twice."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return tuple(dict.fromkeys(text[start:end].strip() for start, end in kept))


@cache
def _load_table() -> EmergencyTable:
    rows = read_rows("wellsourced.medicine", "emergencies.tsv")[1:]
    lists = {name: words for kind, name, words in rows if kind == "list"}
    return EmergencyTable(
        signs=tuple(
            EmergencySign(kind, weight, _compile_sign(words, lists))
            for kind, weight, words in rows
            if kind not in ("list", "frame") and weight not in ("advice", "source")
        ),
        advice={kind: words for kind, weight, words in rows if weight == "advice"},
        sources={kind: words for kind, weight, words in rows if weight == "source"},
        frames={name: _compile_sign(words, lists) for kind, name, words in rows if kind == "frame"},
    )


def _compile_sign(words: str, lists: dict[str, str]) -> re.Pattern[str]:
    """A pattern of the table: <name> is one of a list, … a gap, an apostrophe may be missing; whole words only."""
    while (full := re.sub(r"<(\w+)>", lambda found: f"(?:{lists[found.group(1)]})", words)) != words:
        words = full
    flexible = (
        words.replace("…", GAP_PATTERN).replace("'", "'?").replace(" ?", " *").replace(" ", " +").replace(" +*", " *")
    )
    return lazy_regex(rf"(?<!\w)(?:{flexible})(?!\w)", re.IGNORECASE)
