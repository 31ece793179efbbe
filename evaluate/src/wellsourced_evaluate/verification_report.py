"""What a judge of support came to, for people."""

from collections.abc import Iterator, Sequence

from wellsourced.app.terminal import format_count
from wellsourced.confidence import ConfidenceInterval
from wellsourced_evaluate.pair_sets.judge_facts import FittedPairs, VoteAgreement
from wellsourced_evaluate.tables import Block, Interval, Part, Table, Text, tabulate
from wellsourced_evaluate.verification import VerificationFigures

LABEL_WORDS = {"supports": "supported", "contradicts": "contradicted", "silent": "not enough", "unjudged": "unjudged"}


def verification_blocks(
    judge: str,
    found: VerificationFigures,
    notes: Sequence[str],
    fitted: Sequence[FittedPairs] = (),
    votes: VoteAgreement | None = None,
) -> Iterator[Block]:
    """Everything: figures against their floors, calibration, what was said of what is known, agreement with people."""
    yield Text(f"{format_count(found.n, 'pair')} of {format_count(found.clusters, 'group')} put to {judge}")
    yield from (Text(f"FITTED: {one.describe(found.n)}.", True) for one in fitted)
    # Of an order without any knowledge, half of all comparisons are right.
    figures: list[tuple[str, ConfidenceInterval | None, float | None]] = [
        ("accuracy", found.accuracy, found.floor.accuracy),
        ("macro-F1", found.macro_f1, found.floor.macro_f1),
        ("AUROC supported", found.support, 0.5),
        ("AUROC contradicted", found.contradiction, 0.5),
        ("rationale P@1", found.rationale, None),
        ("rationale R@3", found.rationale_recall, None),
    ]
    rows = [
        (name, one.mean, Interval(one.low, one.high), floor, _place_interval(one, floor), bool(fitted))
        for name, one, floor in figures
        if one
    ]
    yield Table(("measure", "value", "95 % interval", "floor", "against it", "fitted on"), rows)
    if found.floor.label:
        yield Text(f"The floor of accuracy and macro-F1 is to say “{LABEL_WORDS[found.floor.label]}” of every pair.")
    yield Text(f"Calibration of support: ECE {found.ece:.3f}, Brier {found.brier:.3f}")
    bins = [(f"{place / 10:.1f}–{place / 10 + 0.1:.1f}", one) for place, one in enumerate(found.bins) if one.n]
    yield Table(("score", "pairs", "mean score", "supported"), [(name, *one) for name, one in bins])
    yield Text("What is known, and what was said:")
    said = [label for label in LABEL_WORDS if found.unjudged or label != "unjudged"]
    matrix = {(str(known), str(label)): pairs for (known, label), pairs in found.matrix.items()}
    counts = [
        (LABEL_WORDS[known], *(matrix.get((known, label), 0) for label in said))
        for known in LABEL_WORDS
        if known != "unjudged"
    ]
    yield Table(("known", *(LABEL_WORDS[label] for label in said)), counts)
    if found.unjudged:
        yield Text(f"{format_count(found.unjudged, 'pair')} without a verdict: left out of every other figure.")
    if votes:
        yield from _vote_blocks(votes)
    yield Text(f"{found.rate:,.1f} pairs a second ({found.seconds:,.1f} s).")
    yield from (Text(f"Note: {note}.") for note in notes)


def _place_interval(one: ConfidenceInterval, floor: float | None) -> str | None:
    """Where an interval lies beside its floor."""
    if floor is None or one.low != one.low:
        return None
    return "above" if one.low > floor else "below" if one.high < floor else "around"


def _vote_blocks(found: VoteAgreement) -> Iterator[Block]:
    """How far the judge agrees with people, and they with one another."""
    yield Text(f"Agreement on {format_count(found.voted, 'pair')} that people voted on:")
    yield tabulate(
        (*found.raters.pairs, *found.judge),
        {
            "who": lambda pair: f"{pair.one}, {pair.other}",
            "the same": lambda pair: Part(pair.same, pair.items),
            "share": lambda pair: pair.share,
            "95 % interval": lambda pair: Interval(pair.low, pair.high),
            "Cohen's kappa": lambda pair: pair.kappa,
        },
    )
    fleiss = "" if found.raters.fleiss is None else f", Fleiss' kappa {found.raters.fleiss:.3f}"
    yield Text(f"All raters say the same of {found.raters.unanimous:,} of {found.raters.complete:,} pairs{fleiss}.")
    if found.majority:
        label, share = found.majority
        yield Text(f"Floor: always “{LABEL_WORDS[label]}” agrees with the majority in {share:.3f}.")
    if found.ties or found.unjudged:
        level = f"{format_count(found.ties, 'pair')} on which raters come out level"
        yield Text(f"Left out: {level}, {found.unjudged:,} without a verdict.")
