"""What a draft lost in its check, each loss once: a statement and what was written in its place are one."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer

MAX_WORDS = 20
"""Words of a statement that did not stand that a receipt shows."""

MAX_REASON_WORDS = 25
"""Words of the reason."""

MIN_OVERLAP = 0.3
"""Share of the content stems, of the shorter of two, from which one is written in place of the other."""

_ANEW = "written anew"
_SECOND_FAILURE = re.compile(rf"^{_ANEW}, it does not stand either: ")
_REPLACED = re.compile(rf"; {_ANEW} as “.*”$", re.DOTALL)
_SHARES = re.compile(r"supports (\d\.\d+), contradicts (\d\.\d+), silent (\d\.\d+)")
_JUDGED = (
    "the judge on this machine finds that it is said",
    "the judge on this machine finds that the opposite is said",
    "the judge on this machine does not find it said",
)
"""What the largest of the three shares means."""


class LostStatement(NamedTuple):
    """A drafted statement that is not said, why, and what was written in its place and did not stand either.

    is_replaced   something that was written in its place is said
    """

    text: str
    reason: str
    second: str = ""
    second_reason: str = ""
    is_replaced: bool = False

    @property
    def line(self) -> str:
        """The loss in a line."""
        told = f"“{short_line(self.text, MAX_WORDS)}”: {_shorten_reason(self.reason)}"
        if self.is_replaced:
            return f"said in other words: {told}"
        if not self.second:
            return f"dropped: {told}"
        anew = f"“{short_line(self.second, MAX_WORDS)}”, does not stand either: {_shorten_reason(self.second_reason)}"
        return f"dropped: {told}; {_ANEW} it reads {anew}"


def list_losses(answer: Answer) -> Iterator[LostStatement]:
    """The statements that are not said as they were drafted."""
    omitted = [one for one in answer.dropped if one.what == "statement"]
    again = [one for one in omitted if one.reason.startswith(_ANEW)]
    first = [one for one in omitted if one not in again]
    losses = [LostStatement(one.text, one.reason, is_replaced=bool(_REPLACED.search(one.reason))) for one in first]
    # The record keeps a rewritten statement as a loss of its own; a reader counts the two as one thing that was not
    # said.
    for one in again:
        place = _find_likest(one.text, losses)
        reason = _SECOND_FAILURE.sub("", one.reason)
        # No draft is like enough: it is told by itself, since a wrong pairing would explain a loss that never was.
        if place is None:
            losses.append(LostStatement(one.text, one.reason))
        else:
            losses[place] = losses[place]._replace(second=one.text, second_reason=reason)
    yield from losses


def explain_reason(reason: str) -> str:
    """A reason in plain words: shares of a judge as what the largest of them means."""

    def name_largest(found: re.Match[str]) -> str:
        shares = [float(share) for share in found.groups()]
        # Shares of a judge mean nothing to a reader; which of the three is largest does.
        largest = max(range(3), key=shares.__getitem__)
        sure = "" if shares[largest] >= 0.6 else ", without being sure"
        return f"{_JUDGED[largest]}{sure}"

    return _SHARES.sub(name_largest, reason)


def _shorten_reason(reason: str) -> str:
    return short_line(explain_reason(_REPLACED.sub("", reason)), MAX_REASON_WORDS)


def _find_likest(text: str, losses: Sequence[LostStatement]) -> int | None:
    """Which loss a statement was written for: the likest that has none yet."""
    shares = [
        (_stem_overlap(text, one.text), -place)
        for place, one in enumerate(losses)
        # A draft was rewritten once at most, and one whose rewriting is said did not lose it.
        if not one.second and not one.is_replaced
    ]
    overlap, place = max(shares, default=(0.0, 0))
    return -place if overlap >= MIN_OVERLAP else None


def _stem_overlap(one: str, other: str) -> float:
    said, meant = set(content_stems(one)), set(content_stems(other))
    return len(said & meant) / (min(len(said), len(meant)) or 1)
