"""Is somebody in danger now? Recognised by rules, before anything is searched, and without a model.

`emergencies.tsv` has the signs of each kind and what to do first. A sign counts when it is said of somebody who is
there: not in a question about medicine, a case history, a story, a supposition, the past, or after "no". Signs are
listed for English; the commonest ones for German, Spanish and French.

This is a net with holes, to be told as one: that nothing was recognised does not mean that there is no danger. Of
descriptions in words that the table's author had not thought of, about half were recognised at the first look, twice
(27 of 54, 40 of 76). A second net that has learnt hangs below it in understanding/alarm.py, which gives both figures.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from wellsourced.text.misspelled import mended
from wellsourced.types import Emergency

GAP = r"[^.?!\n]{0,40}?"
"""What "…" in the table stands for: the rest of a clause or two, never another sentence."""

LONGEST = 2000
"""Characters of a question that are looked at: whoever needs help now writes no more; a longer text is a record."""

_SENTENCE = re.compile(r"[^.?!\n]+(?:[.?!](?=\w)[^.?!\n]+)*[.?!]*")
_CLAUSE_END = re.compile(r"[,;:.?!\n]| but | and (?=now|he|she|i |my )", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\b(?:no(?! one| idea| longer| matter)|never|without|denies|nor|neither|fear of|afraid of|worried about)"
    r"(?: \w+){0,2}"
    r"|(?:\bnot|n't)(?: (?:have|having|had|an?|any|feel|feeling|in|been|getting|got|actually|really|thinking|planning)"
    r"){0,3}) $",
    re.IGNORECASE,
)
_ORDER = {"alone": 0, "person": 1, "pair": 2}


class Sign(NamedTuple):
    """Words of one kind of emergency.

    weight   "alone": enough in themselves; "person": enough when said of somebody, or with another sign of the kind;
             "a", "b": enough together
    """

    kind: str
    weight: str
    words: re.Pattern[str]


class Table(NamedTuple):
    """emergencies.tsv, read: signs in order, advice by kind or language, and the frames that a sign may stand in."""

    signs: tuple[Sign, ...]
    advice: dict[str, str]
    frames: dict[str, re.Pattern[str]]


class Seen(NamedTuple):
    """A sign that counts: which one, where it stands in the text as typed, and whether it is said of somebody."""

    sign: Sign
    start: int
    end: int
    of_somebody: bool


def emergency(text: str) -> Emergency | None:
    """The gravest emergency that this text speaks of as happening now, with the words that say so; None if none.

    text   a question as it was typed; of a longer one the first 2,000 characters

    What it finds is told first and stops nothing: the question is answered all the same.
    """
    table, spelled = _table(), mended(_plain(text))
    if _of_nobody_here(spelled.text, table.frames):
        return None
    seen = [one for part in _SENTENCE.finditer(spelled.text) for one in _counting(spelled.text, part, table)]
    kind = _gravest(seen, table.frames["person"].search(spelled.text) is not None)
    if kind is None:
        return None
    spans = sorted((spelled.place(one.start), spelled.place(one.end)) for one in seen if one.sign.kind == kind)
    name, _, language = kind.partition(":")
    return Emergency(kind=name, signs=_apart(text, spans), advice=table.advice[language or name])


def said_of_now(text: str) -> str:
    """What of this text may speak of somebody in danger now, as it was typed; "" when nothing does.

    Left out are sentences that ask about medicine or suppose, and clauses that tell of the past; of a case history, an
    exam question or a story everything is. As with `emergency`, only the first 2,000 characters are looked at.
    """
    plain, frames = _plain(text), _table().frames
    if _of_nobody_here(plain, frames):
        return ""
    kept = []
    for sentence in _SENTENCE.finditer(plain):
        if not _supposed_or_asked(sentence.group().strip(), frames):
            starts = [sentence.start(), *(end.end() for end in _CLAUSE_END.finditer(plain, *sentence.span()))]
            clauses = [text[start:end] for start, end in pairwise([*starts, sentence.end()])]
            kept += [clause for clause in clauses if not _of_the_past(clause, frames)]
    return "".join(kept).strip(" ,;:\n")


def _plain(text: str) -> str:
    """What is looked at, with one kind of apostrophe and of space; characters keep their places."""
    return text[:LONGEST].translate({0x2019: "'", 0x2018: "'", 0x0060: "'", 0x00A0: " ", 0x09: " "})


def _of_nobody_here(text: str, frames: dict[str, re.Pattern[str]]) -> bool:
    """Whether it is a record, a story or an exam question."""
    if any(frames[name].search(text) for name in ("record", "fiction")):
        return True
    return frames["vignette"].match(text.strip()) is not None


def _supposed_or_asked(words: str, frames: dict[str, re.Pattern[str]]) -> bool:
    """Whether a sentence supposes something, or asks about medicine and names nobody."""
    if frames["supposed"].search(words):
        return True
    if frames["person"].search(words):
        return False
    return frames["knowledge"].match(words) is not None or frames["topic"].search(words) is not None


def _of_the_past(clause: str, frames: dict[str, re.Pattern[str]]) -> bool:
    return frames["past"].search(clause) is not None and not frames["present"].search(clause)


def _counting(text: str, sentence: re.Match[str], table: Table) -> Iterator[Seen]:
    """Signs in a sentence that speaks of somebody, now; none where it asks about medicine or supposes."""
    words, frames = sentence.group().strip(), table.frames
    if _supposed_or_asked(words, frames):
        return
    somebody = frames["person"].search(words) is not None
    for sign in table.signs:
        for found in sign.words.finditer(text, sentence.start(), sentence.end()):
            if found.group() and not _negated_or_past(text, sentence, found, frames):
                yield Seen(sign, found.start(), found.end(), somebody)


def _negated_or_past(
    text: str, sentence: re.Match[str], found: re.Match[str], frames: dict[str, re.Pattern[str]]
) -> bool:
    before = _CLAUSE_END.split(text[sentence.start() : found.start()])[-1]
    after = _CLAUSE_END.split(text[found.end() : sentence.end()])[0]
    if _NEGATED.search(before):
        return True
    return _of_the_past(before + found.group() + after, frames)


def _gravest(seen: Iterable[Seen], somebody: bool) -> str | None:
    """The kind with the strongest signs; of equals, the first in the table."""
    kinds: dict[str, list[Seen]] = {}
    for one in seen:
        kinds.setdefault(one.sign.kind, []).append(one)
    ranked = {kind: _ORDER[strength] for kind, signs in kinds.items() if (strength := _strength(signs, somebody))}
    order = list(dict.fromkeys(sign.kind for sign in _table().signs))
    return min(ranked, key=lambda kind: (ranked[kind], order.index(kind)), default=None)


def _strength(signs: list[Seen], somebody: bool) -> str:
    """How surely these signs of one kind speak of an emergency; "" when they do not."""
    weights = {one.sign.weight for one in signs}
    if "alone" in weights:
        return "alone"
    if any(one.sign.weight == "person" and (one.of_somebody or somebody) for one in signs):
        return "person"
    if "person" in weights and len({one.sign for one in signs}) > 1:
        return "person"
    return "pair" if {"a", "b"} <= weights else ""


def _apart(text: str, spans: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """The words of each span, in order; a span within another is not said twice."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return tuple(dict.fromkeys(text[start:end].strip() for start, end in kept))


@cache
def _table() -> Table:
    lines = files("wellsourced.text").joinpath("emergencies.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    lists = {name: words for kind, name, words in rows if kind == "list"}
    return Table(
        signs=tuple(
            Sign(kind, weight, _compiled(words, lists))
            for kind, weight, words in rows
            if kind not in ("list", "frame") and weight != "advice"
        ),
        advice={kind: words for kind, weight, words in rows if weight == "advice"},
        frames={name: _compiled(words, lists) for kind, name, words in rows if kind == "frame"},
    )


def _compiled(words: str, lists: dict[str, str]) -> re.Pattern[str]:
    """A pattern of the table: <name> is one of a list, … a gap, an apostrophe may be missing; whole words only."""
    while (full := re.sub(r"<(\w+)>", lambda found: f"(?:{lists[found.group(1)]})", words)) != words:
        words = full
    flexible = words.replace("…", GAP).replace("'", "'?").replace(" ?", " *").replace(" ", " +").replace(" +*", " *")
    return re.compile(rf"(?<!\w)(?:{flexible})(?!\w)", re.IGNORECASE)
