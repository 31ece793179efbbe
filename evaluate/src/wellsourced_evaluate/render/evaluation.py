"""What an evaluation came to, in lines for a terminal."""

from collections.abc import Iterator, Sequence

from wellsourced.app.terminal import format_count, format_decimal, format_range, format_table, sanitize_line
from wellsourced.confidence import ConfidenceInterval
from wellsourced_evaluate.pair_sets.fitted import FittedPairs
from wellsourced_evaluate.pair_sets.rater_votes import VoteAgreement
from wellsourced_evaluate.verification import VerificationFigures

LABEL_WORDS = {"supports": "supported", "contradicts": "contradicted", "silent": "not enough", "unjudged": "unjudged"}


def verification_lines(
    judge: str,
    found: VerificationFigures,
    notes: Sequence[str],
    fitted: Sequence[FittedPairs] = (),
    votes: VoteAgreement | None = None,
) -> Iterator[str]:
    """What a judge of support came to, for people."""
    yield f"{format_count(found.n, 'pair')} of {format_count(found.clusters, 'group')} put to {sanitize_line(judge)}\n"
    yield from (f"FITTED: {one.describe(found.n)}.\n" for one in fitted)
    # Of an order without any knowledge, half of all comparisons are right.
    named = {
        "accuracy": (found.accuracy, found.floor.accuracy),
        "macro-F1": (found.macro_f1, found.floor.macro_f1),
        "AUROC supported": (found.support, 0.5),
        "AUROC contradicted": (found.contradiction, 0.5),
        "rationale P@1": (found.rationale, None),
        "rationale R@3": (found.rationale_recall, None),
    }
    on = "yes" if fitted else "no"
    rows = [
        (
            *(name, format_decimal(one.mean), "–" if one.low != one.low else format_range(one.low, one.high)),
            *("–" if floor is None else format_decimal(floor), _place_interval(one, floor), on),
        )
        for name, (one, floor) in named.items()
        if one
    ]
    yield format_table(rows, ("measure", "value", "95 % interval", "floor", "against it", "fitted on"))
    if found.floor.label:
        yield f"The floor of accuracy and macro-F1 is to say “{LABEL_WORDS[found.floor.label]}” of every pair.\n"
    yield f"Calibration of support: ECE {format_decimal(found.ece)}, Brier {format_decimal(found.brier)}\n"
    bins = [(f"{place / 10:.1f}–{place / 10 + 0.1:.1f}", one) for place, one in enumerate(found.bins)]
    cells = [
        (name, f"{one.n:,}", format_decimal(one.score), format_decimal(one.supported)) for name, one in bins if one.n
    ]
    yield format_table(cells, ("score", "pairs", "mean score", "supported"))
    yield "What is known, and what was said:\n"
    columns = [*LABEL_WORDS] if found.unjudged else [name for name in LABEL_WORDS if name != "unjudged"]
    matrix = {(str(known), str(said)): pairs for (known, said), pairs in found.matrix.items()}
    lines = [
        (LABEL_WORDS[known], *(f"{matrix.get((known, said), 0):,}" for said in columns))
        for known in LABEL_WORDS
        if known != "unjudged"
    ]
    yield format_table(lines, ("known", *(LABEL_WORDS[said] for said in columns)))
    if found.unjudged:
        yield f"{format_count(found.unjudged, 'pair')} without a verdict: left out of every other figure."
    if votes:
        yield from vote_lines(votes)
    yield f"{found.rate:,.1f} pairs a second ({found.seconds:,.1f} s)."
    yield from (f"Note: {sanitize_line(note)}." for note in notes)


def _place_interval(one: ConfidenceInterval, floor: float | None) -> str:
    """Where an interval lies beside its floor."""
    if floor is None or one.low != one.low:
        return "–"
    return "above" if one.low > floor else "below" if one.high < floor else "around"


def vote_lines(found: VoteAgreement) -> Iterator[str]:
    """How far the judge agrees with people, and they with one another."""
    yield f"\nAgreement on {format_count(found.voted, 'pair')} that people voted on:\n"
    rows = [
        (
            f"{one.one}, {one.other}",
            *(f"{one.same:,} of {one.items:,}", format_decimal(one.share)),
            *(format_range(one.low, one.high), format_decimal(one.kappa)),
        )
        for one in (*found.raters.pairs, *found.judge)
    ]
    yield format_table(rows, ("who", "the same", "share", "95 % interval", "Cohen's kappa"))
    fleiss = "" if found.raters.fleiss is None else f", Fleiss' kappa {found.raters.fleiss:.3f}"
    yield f"All raters say the same of {found.raters.unanimous:,} of {found.raters.complete:,} pairs{fleiss}."
    if found.majority:
        label, share = found.majority
        yield f"Floor: always “{LABEL_WORDS[label]}” agrees with the majority in {share:.3f}."
    if found.ties or found.unjudged:
        level = f"{format_count(found.ties, 'pair')} on which raters come out level"
        yield f"Left out: {level}, {found.unjudged:,} without a verdict."
