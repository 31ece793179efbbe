"""The text with its edits: what stood keeps its place, its marks and its layout."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import NamedTuple

from wellsourced.factcheck.claim_spans import claim_spans
from wellsourced.types import Claim, ClaimEdit, SubmittedText

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|\s+|.", re.DOTALL)
_MARKS = re.compile(
    r"\s?(?:\[[^\[\]\n]{1,60}\](?:\([^()\s]{1,500}\))?|\([^()\n]{0,80}\b(?:19|20)\d\d[a-z]?[^()\n]{0,80}\))"
)
"""Marks as texts bear them: "[3]", "[the trial](https://…)", "(Smith et al., 2019)"."""

_TRAILING_MARKS = re.compile(r"(?:\s?\[[\d,;–\- ]{1,40}\])+[.]?")
_ITEM_OPENING = re.compile(r"[ \t]*(?:[-*+•▪◦‣·–—]|\(?\d{1,3}[.)])?[ \t]*(?:[*_]{1,3}[ \t]*\n?[ \t]*[*_]{0,3})?")
"""What stands before the words of an item: its mark, and emphasis that begins, even on a line of its own."""

_EMPHASIS = re.compile(r"[ \t]*[*_]{0,3}[ \t]*")
ITEM_LOOKBACK = 80
"""Characters before a claim in which its item begins."""


class EditPlace(NamedTuple):
    """A stretch of the text, and the claims that stand in it: one, or several that one sentence makes."""

    start: int
    end: int
    claims: tuple[Claim, ...]


def apply_edits(submitted: SubmittedText, edits: Sequence[ClaimEdit]) -> str:
    """The text with each edit in the place of its claim; a claim that is removed goes with the marks behind it.

    Of a sentence that makes several claims, of which some are removed, the others are left in their own words.
    """
    text = submitted.document.text
    by_claim = {edit.claim: edit for edit in edits}
    parts: list[str] = []
    at = 0
    for place in _group_claims(text, submitted.claims):
        if not any(claim.number in by_claim for claim in place.claims):
            continue
        new = _rewrite_place(text[place.start : place.end], place.claims, by_claim)
        start, end = (place.start, place.end) if new else _removal_span(text, place)
        parts += (text[at : max(at, start)], new)
        at = max(at, end)
    return "".join((*parts, text[at:]))


def diff_edits(submitted: SubmittedText, edits: Sequence[ClaimEdit], name: str = "text") -> str:
    """What the edits change, as a unified diff; "" when nothing."""
    before = submitted.document.text.splitlines(keepends=True)
    after = apply_edits(submitted, edits).splitlines(keepends=True)
    lines = unified_diff(before, after, name, f"{name} (cleaned)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _group_claims(text: str, claims: Sequence[Claim]) -> Iterator[EditPlace]:
    """Claims whose places overlap, together; in the order of the text."""
    own = claim_spans(text, claims)
    place: EditPlace | None = None
    for claim in sorted(claims, key=lambda one: own[one.number]):
        start, end = own[claim.number]
        if place and start < place.end:
            place = EditPlace(place.start, max(place.end, end), (*place.claims, claim))
            continue
        if place:
            yield place
        place = EditPlace(start, end, (claim,))
    if place:
        yield place


def _rewrite_place(text: str, claims: Sequence[Claim], edits: Mapping[int, ClaimEdit]) -> str:
    """What stands in the place of claims; "" when all of them go."""
    kept = [claim for claim in claims if claim.number not in edits or edits[claim.number].after]
    if len(kept) < len(claims):
        said = dict.fromkeys(edits[one.number].after if one.number in edits else one.text for one in kept)
        return _restore_marks(" ".join(map(_end_sentence, said)), text) if said else ""
    for claim in claims:
        if edit := edits.get(claim.number):
            text = merge_edit(text, edit.before, edit.after)
    return text


def _end_sentence(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _restore_marks(said: str, text: str) -> str:
    marks = "".join(mark.group() for mark in _MARKS.finditer(text))
    return f"{said[:-1]}{marks if marks[:1].isspace() else f' {marks}'}{said[-1]}" if marks else said


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


def _removal_span(text: str, place: EditPlace) -> tuple[int, int]:
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
