"""A stored run judged by another judge on the same words, and both side by side (SourceCheckup: other evaluators)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.factcheck.pairing import DocumentVerdict, JudgingOptions, judge_document
from wellsourced.factcheck.run_store import RunStore
from wellsourced.factcheck.validation.agreement import PairAgreement, compare_raters, mcnemar_p
from wellsourced.factcheck.validation.stored_runs import NamedCheckup
from wellsourced.factcheck.verdicts import build_pairing, combine_verdicts, measure_shares, was_read
from wellsourced.judges.base import Judge
from wellsourced.text.sanitization import deduplicate_texts, fold_case
from wellsourced.types import Checkup, Claim, ClaimSourceVerdict, Verdict, VerdictLabel


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


# --- side by side --------------------------------------------------------------------------------------------------


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
