"""The text with its edits: what stood keeps its place, its marks and its layout."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher, unified_diff

from wellsourced.factcheck.claim_spans import ClaimPlace, group_claims
from wellsourced.text.sanitization import one_line
from wellsourced.types import ClaimEdit, SubmittedText

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|\s+|.", re.DOTALL)
_MARKS = re.compile(
    r"\s?(?:\[[^\[\]\n]{1,60}\](?:\([^()\s]{1,500}\))?|\([^()\n]{0,80}\b(?:19|20)\d\d[a-z]?[^()\n]{0,80}\))"
)
"""Marks as texts bear them: "[3]", "[the trial](https://…)", "(Smith et al., 2019)"."""

_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?])")
_TRAILING_MARKS = re.compile(r"(?:\s?\[[\d,;–\- ]{1,40}\])+[.]?")
_ITEM_OPENING = re.compile(r"[ \t]*(?:[-*+•▪◦‣·–—]|\(?\d{1,3}[.)])?[ \t]*(?:[*_]{1,3}[ \t]*\n?[ \t]*[*_]{0,3})?")
"""What stands before the words of an item: its mark, and emphasis that begins, even on a line of its own."""

_EMPHASIS = re.compile(r"[ \t]*[*_]{0,3}[ \t]*")
ITEM_LOOKBACK = 80
"""Characters before a claim in which its item begins."""


def apply_edits(submitted: SubmittedText, edits: Sequence[ClaimEdit]) -> str:
    """The text with each edit in the place of its sentence; one that is removed goes with the marks behind it."""
    text = submitted.document.text
    by_claim = {number: edit for edit in edits for number in (edit.claim, *edit.claims)}
    parts: list[str] = []
    at = 0
    for place in group_claims(text, submitted.claims):
        edit = next((by_claim[claim.number] for claim in place.claims if claim.number in by_claim), None)
        if edit is None or edit.action == "kept":
            continue
        new = _rewrite_sentence(text[place.start : place.end], edit)
        start, end = _removal_span(text, place) if edit.action == "removed" else (place.start, place.end)
        if edit.action == "marked" and (behind := _TRAILING_MARKS.match(text, end)):
            new, end = f"{text[start : behind.end()]} [{edit.note}]", behind.end()
        parts += (text[at : max(at, start)], new)
        at = max(at, end)
    return "".join((*parts, text[at:]))


def strip_marks(sentence: str) -> str:
    """A sentence of the text without the marks that it bears, on one line."""
    return one_line(_SPACE_BEFORE_STOP.sub("", _MARKS.sub("", sentence)))


def _rewrite_sentence(text: str, edit: ClaimEdit) -> str:
    """What stands in the place of a sentence; "" when it goes."""
    if edit.action == "removed":
        return ""
    return f"{text} [{edit.note}]" if edit.action == "marked" else merge_edit(text, edit.before, edit.after)


def diff_edits(submitted: SubmittedText, edits: Sequence[ClaimEdit], name: str = "text") -> str:
    """What the edits change, as a unified diff; "" when nothing."""
    before = submitted.document.text.splitlines(keepends=True)
    after = apply_edits(submitted, edits).splitlines(keepends=True)
    lines = unified_diff(before, after, name, f"{name} (cleaned)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def merge_edit(text: str, before: str, after: str) -> str:
    """The text, in which a claim stands as `before` but for marks and layout, with what changes from it to `after`."""
    here, old, new = (_TOKEN.findall(part) for part in (text, before, after))
    at = _match_tokens(here, old)
    out = list(here)
    behind: dict[int, str] = {}
    for kind, start, end, low, high in SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            continue
        for index in range(start, end):
            if index in at:
                out[at[index]] = ""
        place = next((at[index] for index in range(start - 1, -1, -1) if index in at), -1)
        behind[place] = behind.get(place, "") + "".join(new[low:high])
    return behind.get(-1, "") + "".join(token + behind.get(index, "") for index, token in enumerate(out))


def _match_tokens(here: Sequence[str], old: Sequence[str]) -> dict[int, int]:
    """Index of a token of the claim → index of the same token in the text."""
    blocks = SequenceMatcher(None, old, here, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _removal_span(text: str, place: ClaimPlace) -> tuple[int, int]:
    """The stretch that goes with removed claims: their marks, the blank before them, the line if nothing is left."""
    start, end = place.start, place.end
    if behind := _TRAILING_MARKS.match(text, end):
        end = behind.end()
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    item = _item_start(text, start)
    if item is not None and _EMPHASIS.fullmatch(text, end, line_end):
        return item, min(line_end + 1, len(text))
    if text[end:line_end].strip():
        return start, end + len(text[end:line_end]) - len(text[end:line_end].lstrip())
    return start - len(text[line_start:start]) + len(text[line_start:start].rstrip()), end


def _item_start(text: str, start: int) -> int | None:
    """Where the line begins of which words are the first; the line before, if it holds their mark alone."""
    first = max(0, start - ITEM_LOOKBACK)
    lines = [first + found.end() for found in re.finditer(r"\n", text[first:start])]
    if start < ITEM_LOOKBACK:
        lines = [0, *lines]
    openings = (at for at in lines[-2:] if _ITEM_OPENING.fullmatch(text, at, start))
    return next((at for at in openings if text[at:start].count("\n") < 2), None)
