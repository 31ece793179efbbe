"""The steps of a strategy: its lines, their numbers, and what a line gets that refers to others."""

import re
from typing import NamedTuple

from wellsourced.query_language.query_tree import MAX_TERMS, And, Node, Or, QueryNotes, combine_nodes, leaves

PRINTED_NUMBER = re.compile(r"[ \t]*#?(\d{1,3})(?:[.):]|[ \t])[.):]?[ \t]*(?=\S)")
"""The number of a line, where numbers were printed."""


class StrategyStep(NamedTuple):
    """A line that asks for something: query[start:end], without its number."""

    label: str
    start: int
    end: int


def line_spans(text: str) -> list[tuple[int, int]]:
    """Where the lines that are not empty begin and end, without the spaces around them."""
    found, place = [], 0
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if bare:
            start = place + line.index(bare)
            found.append((start, start + len(bare)))
        place += len(line)
    return found


def split_steps(text: str) -> list[StrategyStep]:
    """The lines that are not empty, by their printed numbers where all have them, else by their places."""
    lines = [span for span in line_spans(text) if not re.fullmatch(r"\s*\[[^\]]*\]\s*", text[span[0] : span[1]])]
    printed = [PRINTED_NUMBER.match(text, *span) for span in lines]
    if len(lines) > 1 and all(found and found[1] == str(place) for place, found in enumerate(printed, 1)):
        return [
            StrategyStep(found[1], found.end(), end) for found, (_, end) in zip(printed, lines, strict=True) if found
        ]
    return [StrategyStep(str(place), start, end) for place, (start, end) in enumerate(lines, 1)]


class StrategySteps:
    """What the lines that were read so far ask for.

    A line that refers to itself, or to one that comes later, was numbered by another count: it is read by one that is
    possible, where there is one, and that is told.
    """

    def __init__(self, notes: QueryNotes) -> None:
        self._notes = notes
        self._nodes: dict[str, Node] = {}
        self._sizes: dict[str, int] = {}
        self._unused: dict[str, int] = {}
        self._label, self._size, self._shift, self._total = "", 0, 0, 0

    def begin_step(self, step: StrategyStep) -> None:
        """The next line."""
        self._label, self._size, self._shift = step.label, 0, 0
        self._unused[step.label] = step.start

    def note_unused_lines(self) -> None:
        """Lines that the result does not take in: where a number was mistyped, that shows here."""
        unused = [label for label in self._unused if label != self._label]
        if unused:
            lines, verb = ("Line", "is") if len(unused) == 1 else ("Lines", "are")
            shown = ", ".join(unused[:20])
            self._notes.add_note(self._unused[unused[0]], f"{lines} {shown} {verb} not used by any later line")

    def finish_step(self, node: Node) -> None:
        """What it asks for."""
        if not self._size:
            self._size = sum(1 for _ in leaves(node))
        self._nodes[self._label], self._sizes[self._label] = node, self._size

    def expect_references(self, labels: list[str]) -> None:
        """The lines that this one refers to one by one: whether they are all counted too high."""
        own = int(self._label) if self._label.isdecimal() else 0
        wanted = [int(label) for label in labels if label.isdecimal()]
        over = max(wanted, default=0) - (own - 1)
        if own and wanted and 0 < over <= 2 and min(wanted) > over:
            self._shift = over

    def resolve_line(self, label: str, at: int) -> Node:
        """What one line asks for. Raises BadQuery when there is none of that number."""
        wanted = label.lstrip("#")
        if self._shift and wanted.isdecimal():
            less = f"Line {self._label} refers to itself or a later one; its numbers were read as {self._shift} less"
            self._notes.add_note(at, less)
            wanted = str(int(wanted) - self._shift)
        node = self._nodes.get(wanted)
        if node is None:
            reason = f"No line {wanted} precedes this one"
            self._notes.refuse(at, reason, "Refer to earlier lines.")
        self._unused.pop(wanted, None)
        self._size += self._sizes[wanted]
        self._total += self._sizes[wanted]
        if self._size > MAX_TERMS or self._total > 10 * MAX_TERMS:
            reason = f"The lines expand to more than {MAX_TERMS:,} terms"
            self._notes.refuse(at, reason, "Refer to each line once.")
        return node

    def resolve_last_line(self, at: int) -> Node:
        """What the line before asks for."""
        return self.resolve_line(next(reversed(self._nodes), "0"), at)

    def resolve_lines(self, said: str, at: int) -> Node:
        """What "or/1-7" or "and/3,5" asks for."""
        operator, _, members = said.partition("/")
        wanted = [label for part in members.split(",") for label in self._expand_range(part, at)]
        if not wanted:
            self._notes.refuse(at, f"“{said}” refers to no earlier line", "Refer to earlier lines.")
        return combine_nodes(
            And if operator.strip() == "and" else Or, tuple(self.resolve_line(label, at) for label in wanted)
        )

    def _expand_range(self, part: str, at: int) -> list[str]:
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not dash:
            return [first]
        own = int(self._label) if self._label.isdecimal() else len(self._nodes) + 1
        end = int(last)
        if end >= own:
            self._notes.add_note(at, f"No line {end} precedes this one; the lines from {first} to {own - 1} were used")
            end = own - 1
        return [str(number) for number in range(int(first), end + 1) if str(number) in self._nodes]
