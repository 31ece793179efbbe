"""The text with its edits: what stood keeps its place, its marks and its layout."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher, unified_diff
from typing import NamedTuple

from wellsourced.citations.markers import find_markers
from wellsourced.claims.extraction import strip_citation_markers
from wellsourced.factcheck.text_outline import ClaimPlace, group_claims
from wellsourced.text.sanitization import one_line
from wellsourced.types import ClaimEdit, SubmittedText

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|\s+|.", re.DOTALL)
_LINKED_WORDS = re.compile(r"\[([^\[\]\n]*[^\W\d_]{2}[^\[\]\n]*)\]\([^()\s]{1,500}\)")
_LINKED_NUMBER = re.compile(r"\s?\[[^\[\]\n]{1,20}\]\([^()\s]{1,500}\)")
_CONNECTIVE = re.compile(
    r"(?:However|Similarly|Likewise|In contrast|By contrast|On the other hand|On the contrary|Conversely|As a result"
    r"|Thus|As a consequence|Therefore|Hence|Consequently|Accordingly|Nevertheless|Nonetheless|Instead|But|Yet)\b,? *"
)
"""Openings that say how a sentence follows from the one before it."""

_TRAILING_MARKS = re.compile(r"(?:\s?\[[\d,;–\- ]{1,40}\])+[.]?")


def apply_edits(submitted: SubmittedText, edits: Sequence[ClaimEdit]) -> str:
    """The text with each edit in the place of its sentence; one that is removed goes with the marks behind it."""
    text = submitted.document.text
    by_claim = {number: edit for edit in edits for number in (edit.claim, *edit.claims)}
    changes: list[_Change] = []
    for place in group_claims(text, submitted.claims):
        edit = next((by_claim[claim.number] for claim in place.claims if claim.number in by_claim), None)
        if edit and edit.action != "kept":
            changes.append(_build_change(text, place, edit))
    return _apply_changes(text, sorted(changes))


class _Change(NamedTuple):
    """New words for a stretch of the text; `is_removal`: none, and the blanks around it close."""

    start: int
    end: int
    words: str
    is_removal: bool = False


def _build_change(text: str, place: ClaimPlace, edit: ClaimEdit) -> _Change:
    if edit.action == "removed":
        return _Change(*_removal_span(text, place), "", True)
    sentence = text[place.start : place.end]
    if edit.action == "edited":
        return _Change(place.start, place.end, merge_edit(sentence, edit.before, edit.after, edit.reversed))
    behind = _TRAILING_MARKS.match(text, place.end)
    end = behind.end() if behind else place.end
    words = text[place.start : end].rstrip()
    # What stands behind the last bar of a row is shown nowhere.
    if words.endswith("|"):
        return _Change(place.start, end, f"{words[:-1].rstrip()} [{edit.note}] |")
    return _Change(place.start, end, f"{words} [{edit.note}]")


def _apply_changes(text: str, changes: Sequence[_Change]) -> str:
    done, at = "", 0
    for change in changes:
        done += text[at : max(at, change.start)] + change.words
        at = max(at, change.end)
        if change.is_removal:
            done, at = _close_gap(done, text, at)
    return done + text[at:]


def _close_gap(done: str, text: str, at: int) -> tuple[str, int]:
    """No blank at the end of a line, and one empty line where a paragraph went, none at the head of the text."""
    if at < len(text) and text[at] != "\n":
        return done, at
    done = done.rstrip(" \t")
    if not done or done.endswith("\n\n"):
        at += len(text[at:]) - len(text[at:].lstrip("\n"))
    return done, at


def strip_marks(sentence: str) -> str:
    """A sentence of the text without the marks that it bears, on one line."""
    return one_line(strip_citation_markers(_LINKED_NUMBER.sub("", _LINKED_WORDS.sub(r"\1", sentence))))


def diff_edits(submitted: SubmittedText, edits: Sequence[ClaimEdit], name: str = "text") -> str:
    """What the edits change, as a unified diff; "" when nothing."""
    before = submitted.document.text.splitlines(keepends=True)
    after = apply_edits(submitted, edits).splitlines(keepends=True)
    lines = unified_diff(before, after, name, f"{name} (cleaned)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def merge_edit(text: str, before: str, after: str, is_reversed: bool = False) -> str:
    """The sentence, in which a claim stands as `before` but for marks and layout, with what changes to `after`.

    Where the sentence has other words than the claim, but at its head, or says how it follows from the one before it
    and now says the opposite, the claim takes its place whole: its words are never mixed with others.
    """
    is_row = "|" in text
    if not is_row and (_words_differ(strip_marks(text), before, after) or (is_reversed and _CONNECTIVE.match(text))):
        return _replace_sentence(text, after)
    here, old, new = (_TOKEN.findall(part) for part in (text, before, after))
    at = _match_tokens(here, old)
    out = list(here)
    behind: dict[int, str] = {}
    for kind, start, end, low, high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for index in range(start, end):
            if index in at:
                out[at[index]] = ""
        place = next((at[index] for index in range(start - 1, -1, -1) if index in at), -1)
        behind[place] = behind.get(place, "") + "".join(new[low:high])
    return behind.get(-1, "") + "".join(token + behind.get(index, "") for index, token in enumerate(out))


def _words_differ(here: str, before: str, after: str) -> bool:
    """Whether a sentence has other words than a claim behind their heads, or a claim changes in its head."""
    said, old, new = (
        [one for one in _TOKEN.findall(part.casefold()) if one[0].isalnum()] for part in (here, before, after)
    )
    differing = [one for one in SequenceMatcher(None, said, old, autojunk=False).get_opcodes() if one[0] != "equal"]
    if not differing:
        return False
    if len(differing) > 1 or differing[0][1]:
        return True
    head = max(1, differing[0][4])
    return old[:head] != new[:head]


def _replace_sentence(text: str, after: str) -> str:
    marks = [*dict.fromkeys(text[mark.start : mark.end].strip() for mark in find_markers(text))]
    if not marks:
        return after
    if text.rstrip()[-2:-1] in ("]", ")") and text.rstrip().endswith((".", "!", "?")):
        return f"{after.rstrip('.')} {' '.join(marks)}."
    return f"{after} {' '.join(marks)}"


def _match_tokens(here: Sequence[str], old: Sequence[str]) -> dict[int, int]:
    """Index of a token of the claim → index of the same token in the text."""
    blocks = SequenceMatcher(None, old, here, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _removal_span(text: str, place: ClaimPlace) -> tuple[int, int]:
    """A sentence with the marks behind it, and the blanks behind these, or before it where its line ends with it."""
    behind = _TRAILING_MARKS.match(text, place.end)
    end = behind.end() if behind else place.end
    line_start, line_end = text.rfind("\n", 0, place.start) + 1, text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)]
    if rest.strip():
        return place.start, end + len(rest) - len(rest.lstrip())
    return line_start + len(text[line_start : place.start].rstrip()), end
