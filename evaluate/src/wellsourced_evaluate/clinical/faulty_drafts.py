"""Drafts of 2 to 5 sentences on one or two passages, right and faulty statements mixed, and what repair makes of them.

A draft is written with its truth in braces: {+right}, {-contradicted}, {?not said}; {a001} is the statement of that id.
Thirty are in drafts_by_hand.txt, where sentences lean on each other and hold several statements; one for each passage
is laid out here from statements_a.jsonl and statements_b.jsonl, in eight layouts. `repair_replies.jsonl` has what a
strong model would reply to the requests of repair, written by hand.
"""

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from wellsourced import config
from wellsourced.config.judges import open_judge
from wellsourced.factcheck.check import CheckContext, CheckOptions, run_checkup, text_to_document
from wellsourced.factcheck.edited_text import apply_edits
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.pairing import JudgingOptions
from wellsourced.factcheck.resolve.base import TracedSource
from wellsourced.factcheck.run_store import RunStore
from wellsourced.judges.base import Judge, Pair
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Checkup, CitedSource, Document, EditAction, Reference, SourceResolution, Verdict
from wellsourced_evaluate.clinical.cases import CaseMarks, CaseWish
from wellsourced_evaluate.clinical.statement_checks import read_passages
from wellsourced_evaluate.development_data import find_data, read_rows

UNTOUCHED = "as it stands"
ADDRESS = "https://passages.example/"

Truth = Literal["supported", "contradicted", "not_enough"]
SIGNS: Mapping[str, Truth] = {"+": "supported", "-": "contradicted", "?": "not_enough"}
LABELS: Mapping[Truth, str] = {"supported": "supports", "contradicted": "contradicts", "not_enough": "silent"}
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


class DraftStatement(NamedTuple):
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


# --- drafts ----------------------------------------------------------------------------------------------------------


def build_drafts() -> list[Draft]:
    """All of them: those by hand first."""
    rows = {
        one["id"]: DraftStatement(one["id"], one["passage_id"], one["claim"], one["label"])
        for name in "ab"
        for one in read_rows(find_data(f"written_statements/statements_{name}.jsonl"))
    }
    written = list(_read_drafts(rows))
    taken = {draft.passages[0] for draft in written}
    by_passage: dict[str, list[DraftStatement]] = defaultdict(list)
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


def _read_drafts(rows: Mapping[str, DraftStatement]) -> Iterator[Draft]:
    text = find_data("written_statements/drafts_by_hand.txt").read_text("utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=True):
        passages = tuple(re.split(r", (?=pubmedqa:|pmid:|digest:)", head[2]))
        yield parse_draft(head[1], text[head.end() : end].rstrip("\n"), passages, rows)


def parse_draft(name: str, marked: str, passages: tuple[str, ...], rows: Mapping[str, DraftStatement]) -> Draft:
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
    entries = [f"{number}. Record of {one}. {_address(one)}" for number, one in enumerate(passages, 1)]
    return Draft(name, "\n".join((f"{text}\n\n## References\n", *entries, "")), passages, tuple(found))


def _address(passage: str) -> str:
    """An address that stands for a passage in a list of references."""
    return ADDRESS + re.sub(r"\W+", "-", passage)


def _lay_openers(said: Sequence[str]) -> str:
    second, third = (
        re.sub(r"(?<=^\{.)(?:[A-Z](?=[a-z]+ )|A(?= ))", lambda one: one[0].lower(), one) for one in said[1:3]
    )
    return f"{said[0]} [1]. However, {second} [1]. In addition, {third} [1]."


def _fill(form: str) -> Callable[[Sequence[str]], str]:
    return lambda said: form.format(*said)


LAYOUTS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "paragraph": _fill("{0} [1]. {1} [1]. {2} [1]."),
    "stops": _fill("{0}.[1] {1}.[1] {3}.[2] {2}.[1]"),
    "prose": _fill(
        "## Summary\n\nThank you for the question. {0} [1]. {1} [1].\n\n{2} [1]. Please discuss this with your doctor."
    ),
    "bullets": _fill("The record says:\n\n- {0} [1]\n- {1} [1]\n- {2} [1]"),
    "numbers": _fill("**Key points**\n\n1. {0}. [1]\n2. {1}. [1]\n3. {3}. [2]\n\nFinally, {2} [1]."),
    "sections": _fill("# Answer\n\n### First\n\n{0} [1].\n\n### Second\n\n{1} [1]. {3} [2].\n\n{2} [1]."),
    "openers": _lay_openers,
    "table": _fill(
        "What is known:\n\n| No. | Finding |\n|---|---|\n| 1 | {0}. [1] |\n| 2 | {1}. [1] |\n| 3 | {2}. [1] |"
    ),
}
"""Name of a layout → the text of three statements on the first passage and one on the second."""


# --- repair ----------------------------------------------------------------------------------------------------------


class PassageTracer:
    """Finds the passages that a draft cites, as one who traces sources finds them."""

    name = "passages"

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    async def trace(self, cited: CitedSource) -> TracedSource:
        """The passage that an entry of its list names."""
        passage = next(one for one in self.draft.passages if _address(one) == cited.url)
        reference = Reference(id=f"url:{cited.url}", title=f"Record of {passage}")
        document = Document(reference=reference, text=read_passages()[passage])
        found = SourceResolution(key=cited.key, fetched="ok", standing="found", reference=reference)
        return TracedSource(found, document)


class HonestJudge:
    """Says of each claim of a draft what is true of it, and is believed; a claim that is not of it is silent."""

    name = "honest"

    def __init__(self, draft: Draft) -> None:
        claims = decompose_text(text_to_document(draft.text)).claims
        self.truths = {claim.text: draft.truth_of(claim.text, claim.start, claim.end) for claim in claims}

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """The truth."""
        labels = [LABELS[self.truths.get(pair.claim, "not_enough")] for pair in pairs]
        return [Verdict.model_validate({"label": label, "score": 0.9, "basis": "model"}) for label in labels]


async def measure_drafts(wish: CaseWish) -> AsyncIterator[CaseMarks]:
    """What becomes of right and faulty statements of 140 drafts that are repaired without a model, by the judge of a
    new machine; with `--half honest` by one that is believed and knows the truth of each."""
    async with open_judge("weighed", config.load({"network.offline": True})) as weighed:
        for draft in wish.cut(build_drafts()):
            done = await repair_draft(draft, HonestJudge(draft) if wish.half == "honest" else weighed)
            yield CaseMarks(draft.name, mark_repair(draft, done), describe_repair(draft, done))


async def repair_draft(draft: Draft, judge: Judge) -> Checkup:
    """The checkup of a draft, with what becomes of each sentence."""
    store = RunStore()
    try:
        tools = CheckContext(PassageTracer(draft), judge, Path(), None, JudgingOptions())
        submitted = decompose_text(text_to_document(draft.text))
        return await run_checkup(submitted, tools, CheckOptions(scope="own", repair=True), store)
    finally:
        store.close()


def mark_repair(draft: Draft, done: Checkup) -> dict[str, tuple[int, int]]:
    """How many statements of each truth were edited, removed, marked, or stand as they did."""
    kinds = ["right" if one.truth == "supported" else "faulty" for one in draft.statements]
    actions = []
    for one in draft.statements:
        numbers = {claim.number for claim in done.submitted.claims if claim.start < one.end and one.start < claim.end}
        actions.append(next((edit.action for edit in done.edits if numbers.intersection(edit.claims)), UNTOUCHED))
    became = list(zip(kinds, actions, strict=True))
    return {
        f"{kind} statements, {action}": (became.count((kind, action)), kinds.count(kind))
        for kind in ("right", "faulty")
        for action in (UNTOUCHED, *get_args(EditAction))
    }


def describe_repair(draft: Draft, done: Checkup) -> str:
    """The text, the repaired text, and what was done to each sentence."""
    lines = [draft.text.partition("## References")[0].rstrip(), "-------- repaired"]
    lines += [apply_edits(done.submitted, done.edits).rstrip(), "-------- done"]
    for claim, verdict in zip(done.submitted.claims, done.verdicts, strict=True):
        truth = draft.truth_of(claim.text, claim.start, claim.end)
        edit = next((one for one in done.edits if claim.number in one.claims), None)
        action = edit.action if edit else UNTOUCHED
        lines.append(f"  {claim.number} {truth}, {verdict.status}, {action}: {claim.text}")
    return "\n".join(lines)
