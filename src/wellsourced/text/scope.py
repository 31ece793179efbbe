"""In which scope words stand: whether a text says that its patient has what they name, or denies, supposes or plans it.

After NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029) and ConText (Harkema et al. 2009,
doi:10.1016/j.jbi.2009.05.002): cues (`scope_cues.tsv`) govern what stands before or behind them as far as their clause
goes, of two cues at a place the longer counts, words that only look like a cue hide it, and words that turn to
something else end what it governs. New is that lines come first: wrapped lines are joined; bullets, label lines with
their items, boxes, cells and several statements in one line are parted; no cue reaches into another statement.

    cut the text into statements → find the cues of each → say what each governs → look a place up
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Literal, NamedTuple, cast

from wellsourced.lazy import lazy_regex
from wellsourced.text.lexicon import NEGATIONS_OF_NOUNS
from wellsourced.text.record_lines import BOX, BULLET, join_wrapped_lines
from wellsourced.text.tables import read_alternatives

Scope = Literal["present", "denied", "family", "other person", "hypothetical", "planned", "past", "uncertain"]

_ORDER: list[Scope] = ["denied", "family", "other person", "hypothetical", "planned", "uncertain", "past", "present"]
"""Of several scopes around the same words the first counts: "no family history of" denies."""

NOT_OWN: frozenset[Scope] = frozenset({"denied", "family", "other person", "hypothetical", "planned"})
"""What is said so is nothing that the patient has or takes."""

_SCOPES = {"over": "past", "history": "past", "case": "hypothetical", "unshown": "denied", "asked": "uncertain"}

MAX_READ_CHARS = 50_000
"""Characters of a text that are read; what stands behind them is present."""

MAX_STATEMENT_CHARS = 1_000
"""Characters of one statement that are read: a bound for hostile texts."""

MAX_BARE_WORDS = 5
"""Words of an item of a list, at most, over which a cue goes on: "no cyanosis, clubbing, or oedema"."""

MAX_NEAR_WORDS = 3
"""Words before "prophylaxis" and the like that it speaks of."""


class ScopeRegion(NamedTuple):
    """The characters that a cue governs, and where it stands itself.

    sort   what kind of cue it is: a scope; of the past "over" where it is no more and "history" where it may be still;
           "case" of what is hypothetical because it is the case that is spoken of ("if"); "unshown" of what is denied
           because nobody has found it ("no evidence that"), "asked" of what somebody asks or assumes
    """

    scope: Scope
    start: int
    end: int
    sort: str
    cue_start: int


class Cue(NamedTuple):
    """Words that govern others: `place` says where these stand ("before" the words, "behind" them, in a "label")."""

    sort: str
    place: str
    start: int
    end: int


class StatementSpan(NamedTuple):
    """A part of a text that says something by itself, and the label whose item it is."""

    start: int
    end: int
    label: Cue | None = None


def find_scope(text: str, start: int, end: int) -> Scope:
    """The scope of text[start:end]: "present" where nothing says otherwise."""
    found = {region.scope for region in find_regions(text, start, end)}
    return next((scope for scope in _ORDER if scope in found), "present")


def is_own(text: str, start: int, end: int) -> bool:
    """Whether the patient has or takes what text[start:end] names, or had it, or may have it."""
    return find_scope(text, start, end) not in NOT_OWN


def blank_others(text: str) -> str:
    """The text with blanks where it speaks of somebody else, or of what may come: characters keep their places."""
    letters = list(text)
    for one in list_regions(text):
        if one.scope in ("family", "other person", "hypothetical"):
            letters[one.start : one.end] = (letter if letter == "\n" else " " for letter in text[one.start : one.end])
    return "".join(letters)


def find_regions(text: str, start: int, end: int) -> list[ScopeRegion]:
    """What governs text[start:end], a region for each cue."""
    plain, statements = _read(text)
    here = [one for one in statements if one.start <= start < one.end]
    regions = [region for one in here for region in _read_statement(plain, one)]
    return [one for one in regions if one.start <= start and end <= one.end]


def list_regions(text: str) -> Iterator[ScopeRegion]:
    """What the cues of a text govern, in order of the statements."""
    plain, statements = _read(text)
    return chain.from_iterable(_read_statement(plain, one) for one in statements)


@lru_cache(maxsize=200)
def _read(text: str) -> tuple[str, tuple[StatementSpan, ...]]:
    return _plain(text), tuple(split_statements(text))


# --- statements ----------------------------------------------------------------------------------------------------

_PLAIN = str.maketrans("*_`\u00a0\u2009\u202f\r|’‘ʼ", "       \t'''")
_SENTENCE_END = lazy_regex(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bvs)(?<!\bSt)(?<!\bPt)(?<!\bneg)(?<!\be\.g)(?<!\bi\.e)"
    r"(?<!\bno(?=\. ?\d))[.!]+(?=\s|$)"
    r"|(?<=\w)\?+(?=\s|$)(?!\s*(?:yes|no|none|nil|denie[sd]|n|y)\b)|;(?=\s|$)",
    re.IGNORECASE,
)
_ANSWER = lazy_regex(r"\W*(?:yes|no|y|n|unknown)\W*", re.IGNORECASE)
_LABEL = lazy_regex(r"\s*(?P<words>[^\W\d][^:.;,\t\n]{0,40}?|\?)\s*(?::(?!\S)|:(?=[^\W\d])|\t(?=\S))")

MAX_LABEL_WORDS = 6
"""Words of a line of its own that ends with a colon and labels what follows."""


def _plain(text: str) -> str:
    """What is read of a text: marks of emphasis are blanks, strokes of tables tabs; characters keep their places."""
    return text[:MAX_READ_CHARS].translate(_PLAIN)


def split_statements(text: str) -> list[StatementSpan]:
    """The statements of a text, in order; a sentence that was wrapped is one, and a line has as many as marks part."""
    plain = _plain(text)
    found: list[StatementSpan] = []
    label: Cue | None = None
    # Items of a label are told by their bullets, if the first of them has one.
    is_first, is_listed = True, False
    for start, end in join_wrapped_lines(plain):
        line = plain[start:end]
        bullet = BULLET.match(plain, start, end)
        begin = bullet.end() if bullet else start
        if not line.strip():
            label = label if is_first else None
            continue
        is_item = bool(bullet) or line[0] in " \t"
        is_listed = is_item if is_first else is_listed
        if not is_item and ((is_listed and not is_first) or _LABEL.match(line)):
            label = None
        is_first = False
        found += _split_line(plain, begin, end, label)
        # "Gout. Denies:": what a line ends with may label those below.
        if own := _read_label_line(plain, found[-1].start, end):
            found.pop()
            label, is_first = own, True
    return found


def _split_line(text: str, start: int, end: int, label: Cue | None) -> Iterator[StatementSpan]:
    above = label
    for mark in (*_SENTENCE_END.finditer(text, start, end), None):
        stop = mark.end() if mark else end
        if text[start:stop].strip():
            yield StatementSpan(start, min(stop, start + MAX_STATEMENT_CHARS), above)
        # "Not present: icterus; ascites.": what a label says goes on over semicolons.
        is_open = mark is not None and mark.group() == ";"
        above = (_read_inline_label(text, start, stop) or above) if is_open else label
        start = stop


def _read_label_line(text: str, start: int, end: int) -> Cue | None:
    """The cue of a line that is nothing but a label: "Denies:", "FAMILY HISTORY"."""
    line = text[start:end].strip()
    words = line.strip("#:-–—. \t")
    is_marked = line.endswith((":", "–", "—", "-")) or words.isupper()
    sort = _find_label(words)
    if not sort and line.endswith(":") and len(words.split()) <= MAX_LABEL_WORDS:
        return Cue("present", "label", start, end)
    # "No" alone may be an answer; "FH" is a label in any case.
    return Cue(sort, "label", start, end) if sort and (is_marked or sort not in ("denied", "uncertain")) else None


def _read_inline_label(text: str, start: int, end: int) -> Cue | None:
    """The label that opens a statement: "FHx: atopy"."""
    found = _LABEL.match(text, start, end)
    sort = _find_label(found["words"].strip()) if found else ""
    return Cue(sort, "label", start, found.end()) if found and sort else None


@lru_cache(maxsize=500)
def _find_label(words: str) -> str:
    return next((sort for sort, pattern in _load_cues()["label"].items() if pattern.fullmatch(words)), "")


# --- cues ------------------------------------------------------------------------------------------------------------


@cache
def _load_cues() -> dict[str, dict[str, re.Pattern[str]]]:
    """Place → sort → expression, the longest alternatives first; <name> stands for a list of the table."""
    cues: dict[str, dict[str, re.Pattern[str]]] = {}
    rows = read_alternatives("wellsourced.text", "scope_cues.tsv")
    for (sort, place), words in rows.items():
        while (full := re.sub(r"<(\w+)>", lambda found: f"(?:{rows['list', found[1]]})", words)) != words:
            words = full
        whole = full if place == "label" else rf"(?:\b|(?<!\w)(?=\W))(?:{full})(?:(?<!\w)|(?!\w))"
        cues.setdefault(place, {})[sort] = lazy_regex(whole, re.IGNORECASE)
    return cues


@cache
def _words(name: str) -> re.Pattern[str]:
    """An expression for one of the words of a list of the table."""
    return re.compile(rf"\b(?:{read_alternatives('wellsourced.text', 'scope_cues.tsv')['list', name]})\b", re.I)


@cache
def _only(name: str) -> re.Pattern[str]:
    """An expression for marks, and words of a list of the table, and nothing else."""
    return re.compile(rf"(?:\W|{_words(name).pattern})*", re.IGNORECASE)


def _find_cues(text: str, start: int, end: int) -> list[Cue]:
    """The cues of a statement: of those that overlap the longest; of those at one place what hides others first."""
    found = [
        Cue(sort, place, *match.span())
        for place in ("hide", "list", "before", "behind", "near", "both")
        for sort, pattern in _load_cues()[place].items()
        for match in pattern.finditer(text, start, end)
        if match.group()
    ]
    found.sort(key=lambda cue: cue.start - cue.end)
    kept: list[Cue] = []
    for cue in found:
        rivals = [one for one in kept if cue.start < one.end and one.start < cue.end]
        twins = [one for one in rivals if one[2:] == cue[2:] and one.sort == cue.sort]
        if all(one[2:] == cue[2:] and one.place != "hide" for one in rivals):
            # The same words may stand before and behind what they govern: "ruled out a stroke", "a stroke ruled out".
            is_behind = cue.place in ("behind", "near")
            if not twins or is_behind == _stands_behind(text, cue, start, end):
                kept = [*(one for one in kept if one not in twins), cue]
    return sorted((cue for cue in kept if cue.place != "hide"), key=lambda cue: cue.start)


def _stands_behind(text: str, cue: Cue, start: int, end: int) -> bool:
    """Whether a cue stands behind what it governs: nothing that it could govern follows, and something was named."""
    if not text[cue.end : end].strip(" .;!?\n"):
        return True
    clause = re.split(r"[,;:(]\s|\b(?:but|and)\s", text[start : cue.start])[-1]
    follows = re.match(r"\s*(?:[^\w\s'\"+?]|(?=(?P<word>[\w'-]+)))", text[cue.end : end])
    word = follows["word"] or "" if follows else "more"
    closes = not word or word[0].isdigit() or _words("closing").fullmatch(word)
    return bool(closes) and not _only("opening").fullmatch(clause)


# --- what a cue governs ----------------------------------------------------------------------------------------------

_BREAK = lazy_regex(rf"\s{{2,}}(?=\S)|\t|{BOX.pattern}")
_COMMA = lazy_regex(r",\s")
_JOINT = lazy_regex(r"\b(?:and|or|nor|ni|ou|oder|o|und|et|y)\b|&|/", re.IGNORECASE)


@lru_cache(maxsize=2_000)
def _read_statement(text: str, statement: StatementSpan) -> tuple[ScopeRegion, ...]:
    return tuple(_list_statement_regions(text, statement))


def _list_statement_regions(text: str, statement: StatementSpan) -> Iterator[ScopeRegion]:
    start, end, above = statement
    own = _read_inline_label(text, start, end)
    begin = own.end if own else start
    for label in (above, own):
        if label and label.sort != "present":
            yield _build_region(label, begin, _cut_at_end(text, label.sort, begin, end))
    for line in re.finditer(r"[^\n]+", text[start:end]):
        yield from _read_boxes(text, start + line.start(), start + line.end())
    cues = _find_cues(text, begin, end)
    for cue in cues:
        if cue.place in ("behind", "near", "both"):
            yield _build_region(cue, _find_left_end(text, cue, cues, start), cue.start)
        if cue.place not in ("behind", "near"):
            yield _build_region(cue, cue.end, _find_right_end(text, cue, cues, begin, end))


def _build_region(cue: Cue, start: int, end: int) -> ScopeRegion:
    scope = cast(Scope, _SCOPES.get(cue.sort, cue.sort))
    return ScopeRegion(scope, start, end, cue.sort, cue.start)


def _read_boxes(text: str, start: int, end: int) -> Iterator[ScopeRegion]:
    """What of a line stands at empty boxes, which are before their items or behind them, or is answered with "no"."""
    boxes = list(BOX.finditer(text, start, end))
    if not boxes:
        return
    left, right = [start, *(box.end() for box in boxes)], [*(box.start() for box in boxes), end]
    parts = [text[begin:stop].strip(" .\t").lower() for begin, stop in zip(left[1:], right[1:], strict=True)]
    if all(_ANSWER.fullmatch(part) for part in parts):
        checked = {part[:1] for box, part in zip(boxes, parts, strict=True) if not box["empty"]}
        if checked != {"y"}:
            sort = "denied" if "n" in checked else "uncertain"
            yield _build_region(Cue(sort, "box", *boxes[0].span()), start, boxes[0].start())
        return
    is_behind = not parts[-1]
    for number, box in enumerate(boxes):
        if box["empty"]:
            at = number + (not is_behind)
            yield _build_region(Cue("denied", "box", *box.span()), left[at], right[at])


def _find_left_end(text: str, cue: Cue, cues: Sequence[Cue], start: int) -> int:
    """Where that begins which a cue behind it governs."""
    before = text[start : cue.start].rstrip(" ,(")
    is_addition = text[start : cue.start].rstrip().endswith(",")
    # "allopurinol (stopped 2021)", "hepatitis C, cured with …": what the cue is an addition to stands before the mark.
    stop = start + len(before)
    if cue.place == "near":
        near = re.split(rf"{_words('joining').pattern}|[,(]", before, flags=re.IGNORECASE)[-1].split()
        return stop - len(" ".join(near[-MAX_NEAR_WORDS:]))
    left = max([start, *(one.end for one in cues if one[:2] == cue[:2] and one.end <= cue.start)])
    if before.rfind("(") > before.rfind(")"):
        left = max(left, start + before.rfind("(") + 1)
    turns = re.compile(rf"{_words('turn').pattern}|\+|;\s|\s[-–—]\s|\s{{2,}}|{BOX.pattern}", re.IGNORECASE)
    left = max([left, *(mark.end() for mark in turns.finditer(text, left, stop) if mark.end() < stop)])
    commas = [mark.end() for mark in _COMMA.finditer(text, left, stop)]
    # "Zoloft for a year, no side effects, stopped 2020": what begins with a cue of its own is an addition as well.
    while is_addition and commas and any(0 <= one.start - commas[-1] <= 1 for one in cues if one.place != "behind"):
        commas.pop()
    if commas and _JOINT.search(text, commas[-1], stop):
        while commas and _is_bare(text[commas[-1] : stop]):
            commas.pop()
    return commas[-1] if commas else left


def _find_right_end(text: str, cue: Cue, cues: Sequence[Cue], start: int, end: int) -> int:
    """Where that ends which a cue before it governs."""
    before = text[start : cue.start]
    if before.rfind("(") > before.rfind(")") and (closed := text.find(")", cue.end, end)) >= 0:
        end = closed
    if (found := _BREAK.search(text, cue.end, end)) and text[cue.end : found.start()].strip():
        end = found.start()
    limit, end = end, _cut_at_end(text, cue.sort, cue.end, end)
    commas = [mark.start() for mark in _COMMA.finditer(text, cue.end, end)]
    if not commas:
        return end
    if _words("subordinate").match(text[start : cue.end].lstrip()):
        return commas[0]
    others = [one.start for one in cues if one.start > cue.end]
    named = _LABEL.match(text, start, cue.start)
    is_first = _only("opening").fullmatch(text, named.end() if named else start, cue.start) is not None
    if cue.place == "list" or (cue.sort in ("family", "other person") and is_first):
        # A list goes on until something begins with a cue of its own.
        return next((comma for comma in commas if any(0 <= other - comma <= 2 for other in others)), end)
    items = re.split(r"\bbut\b", text[cue.end : limit])[0].split(",")
    if (
        is_first
        and not others
        and text[cue.start : cue.end].lower() in NEGATIONS_OF_NOUNS
        and all(map(_is_bare, items))
    ):
        return end
    return _find_list_end(text, [*commas, end], others)


def _cut_at_end(text: str, sort: str, start: int, end: int) -> int:
    """Where words turn to something else, from a place on: what follows the cue directly belongs to it."""
    filler = _only("filler").match(text, start, end)
    pattern = _load_cues()["end"].get(sort)
    stop = pattern.search(text, filler.end() if filler else start, end) if pattern else None
    return stop.start() if stop else end


def _find_list_end(text: str, edges: Sequence[int], others: Sequence[int]) -> int:
    """Where a list ends: over its commas as far as an item is joined by "or", or a bare one by "and"."""
    reached = edges[0]
    for left, right in pairwise(edges):
        piece = text[left + 1 : right]
        if any(left < other < right for other in others):
            break
        joint = _JOINT.search(piece)
        if joint and (joint.group().lower() != "and" or _is_bare(piece)):
            reached = right
        elif not _is_bare(piece):
            break
    return reached


def _is_bare(piece: str) -> bool:
    """Whether an item of a list is a name and nothing more."""
    return len(piece.split()) <= MAX_BARE_WORDS and not re.search(rf"\d|{_words('verbal').pattern}", piece)
