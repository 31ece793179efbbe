"""Drafts of 2 to 5 sentences on one or two passages, right and faulty statements mixed, with the truth of each.

A draft is written with its truth in braces: {+right}, {-contradicted}, {?not said}; {a001} is the statement of that id.
Thirty are in drafts_by_hand.txt, where sentences lean on each other and hold several statements; one for each passage
is laid out here from statements_a.jsonl and statements_b.jsonl, in eight layouts.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.text.tokens import stem_coverage
from wellsourced.types import CitedSource, Document, Reference, SourceResolution

HERE = Path(__file__).parent
ADDRESS = "https://passages.example/"

Truth = Literal["supported", "contradicted", "not_enough"]
SIGNS: Mapping[str, Truth] = {"+": "supported", "-": "contradicted", "?": "not_enough"}
_MARKUP = re.compile(r"\{(?:([+\-?])([^{}]*)|([ab]\d{3}))\}")
_HEAD = re.compile(r"^=== (\w+) (.+)\n", re.MULTILINE)


class StatementSpan(NamedTuple):
    """Where a statement of a draft stands, and whether its passage says it."""

    start: int
    end: int
    truth: Truth


class Draft(NamedTuple):
    """A text with a list of references; `passages`: the ids of what it cites, in the order of the list."""

    name: str
    text: str
    passages: tuple[str, ...]
    statements: tuple[StatementSpan, ...]

    def truth_of(self, claim: str, start: int, end: int) -> Truth:
        """The truth of a claim made from a stretch: of the statement there that has its words, else of the worst."""
        inside = [one for one in self.statements if one.start < end and start < one.end]
        if not inside:
            return "supported"
        likeness = {one: stem_coverage(self.text[one.start : one.end], claim) for one in inside}
        said = [one for one in inside if likeness[one] > 0.6] or inside
        return min((one.truth for one in said), key=("contradicted", "not_enough", "supported").index)


class StatementRow(NamedTuple):
    """A statement of the files, on its passage."""

    id: str
    passage: str
    text: str
    truth: Truth

    @property
    def markup(self) -> str:
        """The statement in braces, without its full stop."""
        sign = next(sign for sign, truth in SIGNS.items() if truth == self.truth)
        return f"{{{sign}{self.text.rstrip('.')}}}"


def load_passages() -> dict[str, str]:
    """Id of a passage → its text."""
    lines = (HERE / "passages.jsonl").read_text("utf-8").splitlines()
    return {one["passage_id"]: one["text"] for one in map(json.loads, lines)}


def load_statements() -> dict[str, StatementRow]:
    """Id of a statement → the statement."""
    lines = [line for name in "ab" for line in (HERE / f"statements_{name}.jsonl").read_text("utf-8").splitlines()]
    rows = [StatementRow(one["id"], one["passage_id"], one["claim"], one["label"]) for one in map(json.loads, lines)]
    return {row.id: row for row in rows}


def build_drafts() -> list[Draft]:
    """All of them: those by hand first."""
    rows = load_statements()
    written = list(_read_drafts(rows))
    taken = {draft.passages[0] for draft in written}
    by_passage: dict[str, list[StatementRow]] = defaultdict(list)
    for row in rows.values():
        by_passage[row.passage].append(row)
    left = sorted(by_passage, key=lambda passage: passage in taken)
    layouts = list(LAYOUTS)
    for number, passage in enumerate(left):
        layout = layouts[number % len(layouts)]
        own, other = by_passage[passage], by_passage[left[number - 1]]
        turned = [*own[number // 8 % 3 :], *own[: number // 8 % 3], other[number % 3]]
        marked, passages = LAYOUTS[layout]([one.markup for one in turned]), (passage, left[number - 1])
        cited = passages if "[2]" in marked else passages[:1]
        written.append(parse_draft(f"s{number:03}_{layout}", marked, cited, rows))
    return written


def _read_drafts(rows: Mapping[str, StatementRow]) -> Iterator[Draft]:
    text = (HERE / "drafts_by_hand.txt").read_text("utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=True):
        passages = tuple(re.split(r", (?=pubmedqa:|pmid:|digest:)", head[2]))
        yield parse_draft(head[1], text[head.end() : end].rstrip("\n"), passages, rows)


def parse_draft(name: str, marked: str, passages: tuple[str, ...], rows: Mapping[str, StatementRow]) -> Draft:
    """A draft of its text with braces; the list of references is added."""
    text, at = "", 0
    found = []
    for one in _MARKUP.finditer(marked):
        text += marked[at : one.start()]
        words = one[2] if one[1] else rows[one[3]].text
        truth = SIGNS[one[1]] if one[1] else rows[one[3]].truth
        found.append(StatementSpan(len(text), len(text) + len(words), truth))
        text, at = text + words, one.end()
    text += marked[at:]
    entries = [f"{number}. Record of {one}. {address_of(one)}" for number, one in enumerate(passages, 1)]
    return Draft(name, "\n".join((f"{text}\n\n## References\n", *entries, "")), passages, tuple(found))


def address_of(passage: str) -> str:
    """An address that stands for a passage in a list of references."""
    return ADDRESS + re.sub(r"\W+", "-", passage)


def reference_passage(cited: CitedSource, draft: Draft) -> tuple[SourceResolution, Document]:
    """The passage that an entry of the list names, as one who traces sources finds it."""
    passage = next(one for one in draft.passages if address_of(one) == cited.url)
    reference = Reference(id=f"url:{cited.url}", title=f"Record of {passage}")
    document = Document(reference=reference, text=load_passages()[passage])
    return SourceResolution(key=cited.key, fetched="ok", standing="found", reference=reference), document


# --- layouts -------------------------------------------------------------------------------------------------------


def _lay_paragraph(said: Sequence[str]) -> str:
    return f"{said[0]} [1]. {said[1]} [1]. {said[2]} [1]."


def _lay_marks_behind_stops(said: Sequence[str]) -> str:
    return f"{said[0]}.[1] {said[1]}.[1] {said[3]}.[2] {said[2]}.[1]"


def _lay_prose_around(said: Sequence[str]) -> str:
    return (
        f"## Summary\n\nThank you for the question. {said[0]} [1]. {said[1]} [1].\n\n{said[2]} [1]. "
        "Please discuss this with your doctor."
    )


def _lay_bullets(said: Sequence[str]) -> str:
    return f"The record says:\n\n- {said[0]} [1]\n- {said[1]} [1]\n- {said[2]} [1]"


def _lay_numbers(said: Sequence[str]) -> str:
    return f"**Key points**\n\n1. {said[0]}. [1]\n2. {said[1]}. [1]\n3. {said[3]}. [2]\n\nFinally, {said[2]} [1]."


def _lay_sections(said: Sequence[str]) -> str:
    return f"# Answer\n\n### First\n\n{said[0]} [1].\n\n### Second\n\n{said[1]} [1]. {said[3]} [2].\n\n{said[2]} [1]."


def _lay_openers(said: Sequence[str]) -> str:
    second, third = (
        re.sub(r"(?<=^\{.)(?:[A-Z](?=[a-z]+ )|A(?= ))", lambda one: one[0].lower(), one) for one in said[1:3]
    )
    return f"{said[0]} [1]. However, {second} [1]. In addition, {third} [1]."


def _lay_table(said: Sequence[str]) -> str:
    rows = "\n".join(f"| {number} | {one}. [1] |" for number, one in enumerate(said[:3], 1))
    return f"What is known:\n\n| No. | Finding |\n|---|---|\n{rows}"


LAYOUTS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "paragraph": _lay_paragraph,
    "stops": _lay_marks_behind_stops,
    "prose": _lay_prose_around,
    "bullets": _lay_bullets,
    "numbers": _lay_numbers,
    "sections": _lay_sections,
    "openers": _lay_openers,
    "table": _lay_table,
}
"""Name of a layout → the text of three statements on the first passage and one on the second."""
