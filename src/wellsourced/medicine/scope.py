"""In which scope words stand: whether a text says that its patient has what they name, or denies, supposes or plans it.

After NegEx (Chapman et al. 2001, doi:10.1006/jbin.2001.1029) and ConText (Harkema et al. 2009,
doi:10.1016/j.jbi.2009.05.002): cues govern what stands before or behind them as far as their clause goes, of two cues at
a place the longer counts, words that only look like a cue hide it, and words that turn to something else end what it
governs. New is that lines come first: wrapped lines are joined, bullets, label lines with their items, boxes, tabs and
several statements in one line are parted, and no cue reaches from one statement into another.

    cut the text into statements → find the cues of each → say what each governs → look a place up
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple, cast

from wellsourced.lazy import lazy_regex
from wellsourced.text.tables import read_rows

Scope = Literal["present", "denied", "family", "other person", "hypothetical", "planned", "past", "uncertain"]

SCOPES: tuple[Scope, ...] = (
    *("denied", "family", "other person", "hypothetical", "planned", "uncertain", "past", "present"),
)
"""Of several scopes around the same words the first counts: "no family history of" denies."""

NOT_OWN: frozenset[Scope] = frozenset({"denied", "family", "other person", "hypothetical", "planned"})
"""What is said so is nothing that the patient has or takes."""

MAX_READ_CHARS = 50_000
"""Characters of a text that are read; what stands behind them is present."""

MAX_BARE_WORDS = 5
"""Words of an item of a list, at most, over which a cue goes on: "no cyanosis, clubbing, or oedema"."""

MAX_NEAR_WORDS = 3
"""Words before "prophylaxis" and the like that it speaks of."""


class ScopeRegion(NamedTuple):
    """The characters that a cue governs.

    sort   what kind of cue it is: a scope; of the past "over" where it is no more and "history" where it may be still;
           "case" of what is hypothetical because it is the case that is spoken of ("if")
    """

    scope: Scope
    start: int
    end: int
    cue: str
    sort: str


class Cue(NamedTuple):
    """Words that govern others: `place` says where these stand ("before" the words, "behind" them, in a "label")."""

    sort: str
    place: str
    start: int
    end: int


class Statement(NamedTuple):
    """A part of a text that says something by itself, and the label whose item it is."""

    start: int
    end: int
    label: Cue | None = None


def find_scope(text: str, start: int, end: int) -> Scope:
    """The scope of text[start:end]: "present" where nothing says otherwise."""
    found = {region.scope for region in find_regions(text, start, end)}
    return next((scope for scope in SCOPES if scope in found), "present")


def is_own(text: str, start: int, end: int) -> bool:
    """Whether the patient has or takes what text[start:end] names, or had it, or may have it."""
    return find_scope(text, start, end) not in NOT_OWN


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether a question or a guideline says of text[start:end] that it is not so, or not yet; a case ("if") is so."""
    return any(one.sort in ("denied", "hypothetical") for one in find_regions(text, start, end))


def blank_others(text: str) -> str:
    """The text with blanks where it speaks of others than its patient, or of what may come: characters keep their places."""
    for one in list_regions(text):
        if one.scope in ("family", "other person", "hypothetical"):
            blank = re.sub(r"[^\n]", " ", text[one.start : one.end])
            text = f"{text[: one.start]}{blank}{text[one.end :]}"
    return text


def find_regions(text: str, start: int, end: int) -> list[ScopeRegion]:
    """What governs text[start:end], a region for each cue."""
    return [one for one in list_regions(text) if one.start <= start and end <= one.end]


@lru_cache(maxsize=200)
def list_regions(text: str) -> tuple[ScopeRegion, ...]:
    """What the cues of a text govern, in order."""
    plain = _plain(text)
    return tuple(region for one in split_statements(text) for region in _read_statement(plain, one))


# --- statements ----------------------------------------------------------------------------------------------------

_PLAIN = {ord(mark): " " for mark in "*_`\u00a0\u2009\u202f\r"} | {
    ord("|"): "\t",
    0x2019: "'",
    0x2018: "'",
    0x02BC: "'",
}
_BULLET = lazy_regex(r"\s*(?:[-–—•‣◦▪·>]+\s+|\(?(?:\d{1,2}|[a-z])[.)]\s+(?=\D)|#+\s*)")
_SENTENCE_END = lazy_regex(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bvs)(?<!\bSt)(?<!\bPt)(?<!\bneg)(?<!\be\.g)(?<!\bi\.e)(?<!\bno(?=\. ?\d))"
    r"(?:[.!]+(?=\s|$)|(?<=\w)\?+(?=\s|$)(?!\s*(?:yes|no|none|nil|denie[sd]|n|y)\b))|;(?=\s|$)",
    re.IGNORECASE,
)
_RUNS_ON = lazy_regex(
    r"(?:[,/]|\b(?:and|or|nor|of|for|to|with|not|without|denies|the|an?|in|from|has|had|his|her)|(?<=[a-z] )no)\s*$",
    re.IGNORECASE,
)
_OPENS = lazy_regex(r"\s*(?:no|not|denie[sd]|takes|on|has|had|never)\b", re.IGNORECASE)
_ENDS = lazy_regex(r"[.;:!?]\s*$")
_BOX = lazy_regex(r"\[\s*[xX✓✔]\s*\]|\([xX✓✔]\)|[☑☒✓✔■]|(?P<empty>\[\s*\]|\(\s+\)|[☐□✗✘])")
_ANSWER = lazy_regex(r"\W*(?:yes|no|y|n|unknown)\W*", re.IGNORECASE)
_LABEL = lazy_regex(r"\s*(?P<words>[^\W\d][^:.;,\t\n]{0,40}?|\?)\s*(?::(?!\S)|:(?=[^\W\d])|\t(?=\S))")

MIN_WRAPPED_CHARS = 50
"""Characters of a line that is taken for a wrapped one, where the next begins in small letters."""

MAX_LABEL_WORDS = 6
"""Words of a line of its own that ends with a colon and labels what follows."""


def _plain(text: str) -> str:
    """What is read of a text, with marks of emphasis as blanks and one apostrophe: characters keep their places."""
    return text[:MAX_READ_CHARS].translate(_PLAIN)


def split_statements(text: str) -> list[Statement]:
    """The statements of a text, in order; a sentence that was wrapped is one, and a line has as many as marks part."""
    plain = _plain(text)
    found: list[Statement] = []
    label: Cue | None = None
    # Items of a label are told by their bullets, if the first of them has one.
    is_first, is_listed = True, False
    for start, end in _join_wrapped(plain):
        line = plain[start:end]
        bullet = _BULLET.match(plain, start, end)
        begin = bullet.end() if bullet else start
        if not line.strip():
            label = label if is_first else None
        elif own := _read_label_line(plain, begin, end):
            label, is_first = own, True
        else:
            is_item = bool(bullet) or line[0] in " \t"
            is_listed = is_item if is_first else is_listed
            if (not is_first and is_listed and not is_item) or (_LABEL.match(line) and not is_item):
                label = None
            is_first = False
            found += _split_line(plain, begin, end, label)
    return found


def unwrap_lines(text: str) -> str:
    """The text with a blank for each line break inside a sentence: characters keep their places."""
    parts = [text[start:end] for start, end in _join_wrapped(text)]
    return "".join(f"{part[:-1].replace(chr(10), ' ')}{part[-1:]}" for part in parts)


def _join_wrapped(text: str) -> Iterator[tuple[int, int]]:
    """The lines of a text; those into which one sentence was wrapped are one."""
    spans: list[tuple[int, int]] = []
    at = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else ""
        is_possible = (
            before.strip()
            and line.strip()
            and not ("\t" in before or _ENDS.search(before) or _BULLET.match(line) or _BOX.match(line.strip()))
        )
        if is_possible and (
            _RUNS_ON.search(before)
            or (line.lstrip()[0].islower() and not _OPENS.match(line) and _is_prose(lines, number))
        ):
            spans[-1] = (spans[-1][0], at + len(line))
        else:
            spans.append((at, at + len(line)))
        at += len(line)
    yield from spans


def _is_prose(lines: Sequence[str], number: int) -> bool:
    """Whether a line goes on with the one before: that one is long, or a sentence that began in capitals ends below."""
    if len(lines[number - 1]) >= MIN_WRAPPED_CHARS:
        return True
    last = number
    while last + 1 < len(lines) and lines[last + 1].strip()[:1].islower() and not _ENDS.search(lines[last]):
        last += 1
    return bool(_ENDS.search(lines[last]))


def _split_line(text: str, start: int, end: int, label: Cue | None) -> Iterator[Statement]:
    above = label
    for mark in (*_SENTENCE_END.finditer(text, start, end), None):
        stop = mark.end() if mark else end
        if text[start:stop].strip():
            yield Statement(start, stop, above)
        # "Not present: icterus; ascites.": what a label says goes on over semicolons.
        is_open = mark is not None and mark.group() == ";"
        above = (_read_inline_label(text, start, stop) or above) if is_open else label
        start = stop


def _read_label_line(text: str, start: int, end: int) -> Cue | None:
    """The cue of a line that is nothing but a label: "Denies:", "FAMILY HISTORY"."""
    line = text[start:end].strip()
    words = line.strip("#:-–—. \t")
    is_marked = line.endswith((":", "–", "—", "-")) or words.isupper()
    known = _find_label(words)
    if known and (is_marked or known not in ("denied", "uncertain")):
        return Cue(known, "label", start, end)
    return Cue("present", "label", start, end) if line.endswith(":") and len(words.split()) <= MAX_LABEL_WORDS else None


@lru_cache(maxsize=500)
def _find_label(words: str) -> str:
    return next((sort for sort, pattern in _load_cues()["label"] if pattern.fullmatch(words)), "")


# --- cues ------------------------------------------------------------------------------------------------------------


@cache
def _load_cues() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Place → kinds with their expressions, of `scope_cues.tsv`; <name> stands for one of its lists."""
    rows = read_rows("wellsourced.medicine", "scope_cues.tsv")
    lists = {name: words for kind, name, words in rows if kind == "list"}
    cues: dict[str, dict[str, list[str]]] = {}
    for sort, place, words in rows:
        if sort != "list":
            cues.setdefault(place, {}).setdefault(sort, []).extend(_split_alternatives(words))
    return {
        place: [(sort, _compile(sorted(words, key=len, reverse=True), lists, place)) for sort, words in kinds.items()]
        for place, kinds in cues.items()
    }


def _split_alternatives(words: str) -> list[str]:
    """The alternatives of an expression that stand in no brackets."""
    depth, parts = 0, [""]
    for token in re.findall(r"\\.|\[(?:\\.|[^\]])*\]|.", words):
        depth += (token == "(") - (token == ")")
        if token == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _compile(words: Sequence[str], lists: dict[str, str], place: str) -> re.Pattern[str]:
    """The longest alternatives first: "no evidence of" before "no"."""
    full = "|".join(words)
    while (wider := re.sub(r"<(\w+)>", lambda found: f"(?:{lists[found[1]]})", full)) != full:
        full = wider
    whole = full if place == "label" else rf"(?:\b|(?<!\w)(?=\W))(?:{full})(?:(?<!\w)|(?!\w))"
    return re.compile(whole, re.IGNORECASE)


def _find_cues(text: str, start: int, end: int) -> list[Cue]:
    """The cues of a statement; of those that overlap the longest, and what hides cues before all of its length."""
    found = [
        Cue(sort, place, match.start(), match.end())
        for place, cues in _load_cues().items()
        if place not in ("end", "label")
        for sort, pattern in cues
        for match in pattern.finditer(text, start, end)
        if match.group()
    ]
    found.sort(key=lambda cue: (cue.start - cue.end, cue.place != "hide"))
    kept: list[Cue] = []
    for cue in found:
        if all(
            cue.end <= one.start
            or one.end <= cue.start
            or ((cue.start, cue.end) == (one.start, one.end) and one.place != "hide")
            for one in kept
        ):
            kept.append(cue)
    return sorted((cue for cue in kept if cue.place != "hide"), key=lambda cue: cue.start)


# --- what a cue governs ----------------------------------------------------------------------------------------------

_FILLER = lazy_regex(
    r"(?:[\s,(\"']|c/o\b|\b(?:that|he|she|they|it|there|one|does|did|ever|any|having|have|has|had|to|an?|the|known|patient|pt|been|be|is|are"
    r"|was|were|of|being|yet|currently|on|with|who|which|i|we|you|current|taking|takes|found|saw|heard|noticed|reported)\b)*"
)
_OPENING = lazy_regex(
    r"(?:\W|\b(?:he|she|they|it|i|we|patient|pt|the|has|had|have|is|was|are|were|been|does|did|do|who|also|and|but|be|to|on|not|us|ct|him|her|scan)\b)*",
    re.IGNORECASE,
)
_CLOSES = lazy_regex(
    r"\s*(?:$|[^\w\s'\"+?]|(?:and|or|but|by|on|in|at|after|with|from|before|during|since|until|as|via|to|so|this|last|again|now|for|today|yesterday|twice|because|due|owing|when|if|until|one|two|three)\b)",
    re.I,
)
_SUBORDINATE = lazy_regex(
    r"\W*(?:while|although|though|if|since|as|because|when|after|once|in case|whereas|even)\b", re.IGNORECASE
)
_BREAK = lazy_regex(rf"\s{{2,}}(?=\S)|\t|{_BOX.pattern}")
_COMMA = lazy_regex(r",\s")
_JOINT = lazy_regex(r"\b(?:and|or|nor|ni|ou|oder|o|und|et|y)\b|&|/", re.IGNORECASE)
_JOINING = lazy_regex(r"\b(?:and|or|of|for|with|on|in|after|before|to|by|as|at|from|no)\b|,", re.IGNORECASE)


def _read_statement(text: str, statement: Statement) -> Iterator[ScopeRegion]:
    start, end, above = statement
    own = _read_inline_label(text, start, end)
    start = own.end if own else start
    for label in (above, own):
        if label and label.sort != "present":
            yield _region(text, label, start, _cut_at_end(text, label.sort, start, end))
    yield from _read_boxes(text, statement.start, end)
    cues = _find_cues(text, start, end)
    for number, cue in enumerate(cues):
        twin = next(
            (
                one
                for one in cues
                if one != cue and (one.start, one.end) == (cue.start, cue.end) and one.sort == cue.sort
            ),
            None,
        )
        if cue.place == "both":
            yield _region(text, cue, _find_left_end(text, cue, cues, statement), cue.start)
        elif twin and (cue.place in ("behind", "near")) != _stands_behind(text, cue, statement):
            continue
        if cue.place in ("behind", "near"):
            yield _region(text, cue, _find_left_end(text, cue, cues, statement), cue.start)
        else:
            yield _region(text, cue, cue.end, _find_right_end(text, cue, cues, Statement(start, end)))


_SCOPE_OF_SORT: dict[str, Scope] = {"over": "past", "history": "past", "case": "hypothetical"}


def _region(text: str, cue: Cue, start: int, end: int) -> ScopeRegion:
    scope = cast(Scope, _SCOPE_OF_SORT.get(cue.sort, cue.sort))
    return ScopeRegion(scope, start, end, text[cue.start : cue.end].strip(), cue.sort)


def _read_inline_label(text: str, start: int, end: int) -> Cue | None:
    """The label that opens a statement: "FHx: atopy"."""
    found = _LABEL.match(text, start, end)
    sort = _find_label(found["words"].strip()) if found else ""
    return Cue(sort, "label", start, found.end()) if found and sort else None


def _read_boxes(text: str, start: int, end: int) -> Iterator[ScopeRegion]:
    """What stands at boxes that are empty, or is answered with "no": boxes stand before their items, or behind them."""
    for line in re.finditer(r"[^\n]+", text[start:end]):
        first, last = start + line.start(), start + line.end()
        boxes = list(_BOX.finditer(text, first, last))
        if not boxes:
            continue
        parts = [
            text[one.end() : other]
            for one, other in zip(boxes, [*(box.start() for box in boxes[1:]), last], strict=True)
        ]
        if all(_ANSWER.fullmatch(part) for part in parts):
            checked = [part.strip().lower() for box, part in zip(boxes, parts, strict=True) if not box["empty"]]
            scope = (
                "denied"
                if any(one.startswith("n") for one in checked)
                else "uncertain"
                if checked != ["yes"] and checked != ["y"]
                else ""
            )
            spans = [(first, boxes[0].start(), scope)]
        elif not parts[-1].strip(" .\t"):
            edges = [first, *(box.end() for box in boxes)]
            spans = [
                (edge, box.start(), "denied" if box["empty"] else "") for edge, box in zip(edges, boxes, strict=False)
            ]
        else:
            edges = [*(box.start() for box in boxes[1:]), last]
            spans = [
                (box.end(), edge, "denied" if box["empty"] else "") for box, edge in zip(boxes, edges, strict=True)
            ]
        for left, right, scope in spans:
            if scope:
                yield _region(text, Cue(scope, "box", boxes[0].start(), boxes[0].end()), left, right)


def _stands_behind(text: str, cue: Cue, statement: Statement) -> bool:
    """Whether a cue that may stand before or behind what it governs stands behind it: nothing that it could govern
    follows, and something was named before.
    """
    if not text[cue.end : statement.end].strip(" .;!?\n"):
        return True
    clause = re.split(r"[,;:(]\s|\b(?:but|and)\s", text[statement.start : cue.start])[-1]
    return bool(_CLOSES.match(text, cue.end, statement.end)) and not _OPENING.fullmatch(clause)


def _find_left_end(text: str, cue: Cue, cues: Sequence[Cue], statement: Statement) -> int:
    """Where that begins which a cue behind it governs."""
    left = max(
        [
            statement.start,
            *(one.end for one in cues if one.place == "behind" and one.sort == cue.sort and one.end <= cue.start),
        ]
    )
    # "allopurinol (stopped 2021)", "hepatitis C, cured with …": what the cue is an addition to stands before the mark.
    is_addition = text[: cue.start].rstrip().endswith(",")
    cue = cue._replace(start=len(text[: cue.start].rstrip(" ,(")))
    opened = text.rfind("(", left, cue.start)
    if opened >= 0 and text.find(")", opened, cue.start) < 0:
        left = opened + 1
    for mark in _BREAK.finditer(text, left, cue.start):
        left = mark.end() if text[mark.start()] != "\t" and text[mark.end() : cue.start].strip() else left
    for match in re.finditer(
        r"\b(?:but|however|although|though|whereas|while|because|since|yes|Y|has|takes)\b|\+|;\s",
        text[left : cue.start],
    ):
        left = left + match.end() if match.end() < cue.start - left else left
    pieces = list(_COMMA.finditer(text, left, cue.start))
    # "Zoloft for a year, no side effects, stopped 2020": what begins with a cue of its own is an addition as well.
    while (
        is_addition and pieces and any(0 <= one.start - pieces[-1].end() <= 1 for one in cues if one.place != "behind")
    ):
        pieces.pop()
    if cue.place == "near":
        near = _JOINING.split(text[left : cue.start])[-1].split()
        return cue.start - len(" ".join(near[-MAX_NEAR_WORDS:])) - 1
    if pieces and not _JOINT.search(text, pieces[-1].end(), cue.start):
        return pieces[-1].end()
    while pieces and _is_bare(text[pieces[-1].end() : cue.start]):
        pieces.pop()
    return left if not pieces else pieces[-1].end()


def _find_right_end(text: str, cue: Cue, cues: Sequence[Cue], clause: Statement) -> int:
    """Where that ends which a cue before it governs."""
    end = clause.end
    opened = text.rfind("(", clause.start, cue.start)
    if opened >= 0 and text.find(")", opened, cue.start) < 0 and (closed := text.find(")", cue.end, end)) >= 0:
        end = closed
    if found := _BREAK.search(text, cue.end, end):
        end = found.start() if text[cue.end : found.start()].strip() else end
    limit, end = end, _cut_at_end(text, cue.sort, cue.end, end)
    others = [one.start for one in cues if one.start > cue.end]
    commas = [mark.start() for mark in _COMMA.finditer(text, cue.end, end)]
    if commas and _SUBORDINATE.match(text, clause.start, cue.end):
        return commas[0]
    named = _LABEL.match(text, clause.start, cue.start)
    opens = _OPENING.fullmatch(text, named.end() if named else clause.start, cue.start) is not None
    if cue.place == "list" or (cue.sort in ("family", "other person") and opens):
        # A list goes on until something begins with a cue of its own.
        return next((comma for comma in commas if any(0 <= other - comma <= 2 for other in others)), end)
    whole = re.split(r"\bbut\b", text[cue.end : limit])[0]
    if commas and cue.sort == "denied" and opens and not others and all(map(_is_bare, whole.split(","))):
        return end
    return _find_list_end(text, [*commas, end], others) if commas else end


def _cut_at_end(text: str, sort: str, start: int, end: int) -> int:
    """Where words turn to something else, from a place on: what follows the cue directly belongs to it."""
    filler = _FILLER.match(text, start, end)
    begin = filler.end() if filler else start
    stops = [pattern.search(text, begin, end) for one, pattern in _load_cues()["end"] if one == sort]
    return min((stop.start() for stop in stops if stop), default=end)


def _find_list_end(text: str, edges: Sequence[int], others: Sequence[int]) -> int:
    """Where a list ends: it goes over its commas as far as its last item is joined by "or", or by "and" if all are bare."""
    reached = edges[0]
    for left, right in zip(edges, edges[1:], strict=False):
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
    return len(piece.split()) <= MAX_BARE_WORDS and not re.search(
        r"\d|\b(?:since|on|takes?|has|had|is|was|with|under)\b", piece
    )
