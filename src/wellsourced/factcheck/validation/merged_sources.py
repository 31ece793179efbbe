"""Statements that no source alone supports, put to all of their sources together (SourceCheckup: merged sources).

A check never adds sources up: one of them alone has to say what a statement says. How much that rule costs is measured
here, and the verdicts of the check stay as they are.
"""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.factcheck.pairing import DocumentVerdict, DocumentWindows, JudgingOptions, judge_document
from wellsourced.factcheck.run_store import RunStore
from wellsourced.factcheck.verdicts import has_retraction
from wellsourced.judges.base import Judge
from wellsourced.types import Checkup, Claim, Document, Reference, Verdict

PART_SEPARATOR = "\n\n"

MIN_ROOM = 600
"""Characters of each source, at least: a few sentences, however many sources there are."""


class MergedVerdict(NamedTuple):
    """What several sources together say of a statement that none of them supports alone.

    alone     as the check has it
    sources   the keys of those whose words were put together
    quote     the words that decide; "" when they are silent
    """

    claim: Claim
    alone: Verdict
    sources: tuple[str, ...]
    together: Verdict
    quote: str


class MergedRun(NamedTuple):
    """All statements of a checkup that are not supported.

    judged        those with two sources or more that have words
    one_source    those with one: nothing can be merged; none: those with no source that was read
    """

    judged: tuple[MergedVerdict, ...]
    one_source: int
    no_source: int

    @property
    def support_count(self) -> int:
        """Statements that only the sources together support."""
        return sum(one.together.label == "supports" for one in self.judged)


async def judge_merged_sources(checkup: Checkup, store: RunStore, judge: Judge, options: JudgingOptions) -> MergedRun:
    """Each statement that is not supported, put to its sources together. Raises ModelError.

    A statement that bears marks is put to the sources that these name, any other to all that it was put to. Of each
    source the judge is shown the parts that have most of the statement's words, so that all fit where one does.
    """
    documents: dict[str, Document | None] = {}
    judged: list[MergedVerdict] = []
    counts = [0, 0]
    for claim, verdict in zip(checkup.submitted.claims, checkup.verdicts, strict=True):
        if verdict.label == "supports":
            continue
        keys = _mergeable_sources(checkup, claim)
        documents |= {key: store.load_document(key) for key in keys if key not in documents}
        named = {key: document for key in keys if (document := documents[key])}
        if len(named) < 2:
            counts[len(named)] += 1
            continue
        found = await _judge_together(claim.text, [*named.values()], judge, options)
        judged.append(MergedVerdict(claim, verdict, tuple(named), found.verdict, found.quote))
    return MergedRun(tuple(judged), one_source=counts[1], no_source=counts[0])


def _mergeable_sources(checkup: Checkup, claim: Claim) -> list[str]:
    """The sources of a claim; a work that was retracted supports nothing, together with others neither."""
    retracted = {one.key for one in checkup.traced if has_retraction(one)}
    put = [one for one in checkup.pairings if one.claim == claim.number and one.source not in retracted]
    own = [one.source for one in put if one.own]
    return own or [one.source for one in put]


async def _judge_together(
    claim: str, documents: Sequence[Document], judge: Judge, options: JudgingOptions
) -> DocumentVerdict:
    room = max(MIN_ROOM, options.window // len(documents))
    parts = [part for document in documents for part in _best_part_texts(claim, document, room)]
    text = PART_SEPARATOR.join(parts)
    merged = Document(reference=Reference(id="merged:", title=""), text=text)
    whole = options._replace(window=max(options.window, len(text)))
    return (await judge_document(merged, [claim], judge, whole))[claim]


def _best_part_texts(claim: str, document: Document, room: int) -> list[str]:
    windows = DocumentWindows(document, room, 1)
    return [document.text[span.start : span.end] for span in windows.best_parts(claim)]
