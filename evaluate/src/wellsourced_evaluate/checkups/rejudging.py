"""The words that a check read, put to a judge once more (SourceCheckup: other evaluators, merged sources).

By another judge, both side by side; or by the same, with the sources of a statement put together.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.factcheck.document_windows import DocumentWindows
from wellsourced.factcheck.metrics import measure_shares
from wellsourced.factcheck.pairing import DocumentVerdict, JudgingOptions, judge_document
from wellsourced.factcheck.run_store import RunStore
from wellsourced.factcheck.verdicts import build_pairing, combine_verdicts, has_retraction, was_read
from wellsourced.judges.base import Judge
from wellsourced.text.sanitization import deduplicate_texts, fold_case
from wellsourced.types import Checkup, Claim, ClaimSourceVerdict, Document, Reference, Verdict, VerdictLabel
from wellsourced_evaluate.checkups.agreement import PairAgreement, compare_raters
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup
from wellsourced_evaluate.statistics import mcnemar_p


async def judge_again(checkup: Checkup, store: RunStore, judge: Judge, options: JudgingOptions) -> Checkup:
    """The checkup as another judge has it: the same statements, sources and words. Raises ModelError.

    A pair of a source without words stays as it is; edits are left out, since they were made for the first judge.
    """
    claims = {claim.number: claim for claim in checkup.submitted.claims}
    wanted: dict[str, list[Claim]] = defaultdict(list)
    for pair in checkup.pairings:
        wanted[pair.source].append(claims[pair.claim])
    resolutions = {one.key: one for one in checkup.traced}
    verdicts = {key: await _judge_source(store, key, its, judge, options) for key, its in wanted.items()}
    pairings = tuple(
        build_pairing(claim, pair.source, found, resolutions[pair.source])
        if (found := verdicts[pair.source].get(fold_case((claim := claims[pair.claim]).text)))
        else pair
        for pair in checkup.pairings
    )
    return _rebuild_checkup(checkup, pairings, judge.name)


async def _judge_source(
    store: RunStore, key: str, claims: Sequence[Claim], judge: Judge, options: JudgingOptions
) -> Mapping[str, DocumentVerdict]:
    """What a source says of each claim, by its folded text; nothing where its words were not had."""
    document = store.load_document(key)
    if document is None:
        return {}
    found = await judge_document(document, deduplicate_texts(claim.text for claim in claims), judge, options)
    return {fold_case(text): one for text, one in found.items()}


def _rebuild_checkup(checkup: Checkup, pairings: tuple[ClaimSourceVerdict, ...], judge: str) -> Checkup:
    by_claim: dict[int, list[ClaimSourceVerdict]] = defaultdict(list)
    for pair in pairings:
        by_claim[pair.claim].append(pair)
    submitted, resolutions = checkup.submitted, {one.key: one for one in checkup.traced}
    verdicts = tuple(
        combine_verdicts(claim, by_claim[claim.number], submitted.sources, resolutions) for claim in submitted.claims
    )
    again = checkup.model_copy(
        update={"pairings": pairings, "verdicts": verdicts, "judge": judge, "edits": (), "complete": True}
    )
    return again.model_copy(update={"shares": measure_shares(again)})


# --- side by side --------------------------------------------------------------------------------------------


class JudgedDifference(NamedTuple):
    """A pair of a statement and a source of which two judges say different things."""

    text: str
    claim: Claim
    source: str
    one: Verdict
    other: Verdict


class JudgeComparison(NamedTuple):
    """Two judges on the same pairs.

    agreement    over the pairs that both judged
    unjudged     pairs that one of them could not judge; unread: pairs whose source had no words to be judged
    table        (label by the one, label by the other) → pairs
    supported    pairs that each of them finds supported; p: how often chance alone would part them as far (McNemar)
    statements   of these, how many are supported by some source, as the one has it and as the other has it
    differences  in the order of the texts
    """

    agreement: PairAgreement
    unjudged: int
    unread: int
    table: Mapping[tuple[VerdictLabel, VerdictLabel], int]
    supported: tuple[int, int]
    p: float
    statements: int
    statements_supported: tuple[int, int]
    differences: tuple[JudgedDifference, ...]


def compare_judges(ours: Sequence[NamedCheckup], again: Sequence[NamedCheckup]) -> JudgeComparison:
    """The same checkups as two judges have them, in the same order."""
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    counts: Counter[tuple[VerdictLabel, VerdictLabel]] = Counter()
    differences: list[JudgedDifference] = []
    unjudged = unread = 0
    for (name, one), (_, other) in zip(ours, again, strict=True):
        for mine, its in zip(one.pairings, other.pairings, strict=True):
            labels = (mine.verdict.label, its.verdict.label)
            if not was_read(mine):
                unread += 1
                continue
            if "unjudged" in labels:
                unjudged += 1
                continue
            counts[labels] += 1
            id = f"{name}\0{mine.claim}\0{mine.source}"
            first[id], second[id] = labels
            if labels[0] != labels[1]:
                claim = one.submitted.claims[mine.claim]
                differences.append(JudgedDifference(name, claim, mine.source, mine.verdict, its.verdict))
    names = [", ".join(dict.fromkeys(one.checkup.judge for one in side)) for side in (ours, again)]
    only = [sum(n for labels, n in counts.items() if _is_support_by(labels, side)) for side in (0, 1)]
    both = counts["supports", "supports"]
    return JudgeComparison(
        compare_raters(names[0], names[1], first, second),
        unjudged,
        unread,
        dict(counts),
        (only[0] + both, only[1] + both),
        mcnemar_p(*only),
        sum(len(one.checkup.verdicts) for one in ours),
        (_count_supported(ours), _count_supported(again)),
        tuple(differences),
    )


def _is_support_by(labels: tuple[VerdictLabel, VerdictLabel], side: int) -> bool:
    """Whether the judge of this side, and not the other, finds support."""
    return labels[side] == "supports" != labels[1 - side]


def _count_supported(side: Sequence[NamedCheckup]) -> int:
    return sum(verdict.label == "supports" for one in side for verdict in one.checkup.verdicts)


# --- sources put together ----------------------------------------------------------------------------------------
# A check never adds sources up: one of them alone has to say what a statement says. How much that rule costs is
# measured here, and the verdicts of the check stay as they are.

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
