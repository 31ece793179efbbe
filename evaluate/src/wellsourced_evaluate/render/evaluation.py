"""What an evaluation came to, in lines for a terminal."""

from collections.abc import Iterator, Mapping, Sequence

from wellsourced.app.terminal import format_count, format_decimal, format_range, format_table, sanitize_line
from wellsourced.confidence import ConfidenceInterval
from wellsourced_evaluate.pair_sets.fitted import FittedPairs
from wellsourced_evaluate.pair_sets.rater_votes import VoteAgreement
from wellsourced_evaluate.report import summarize_run
from wellsourced_evaluate.retrieval import changed_settings
from wellsourced_evaluate.run_comparison import RunComparison
from wellsourced_evaluate.run_file import RetrievalRun
from wellsourced_evaluate.verification import VerificationFigures

MAX_SHOWN = 5
"""Queries that gained most, and that lost most, and errors, that are shown."""


def retrieval_lines(
    run: RetrievalRun, comparison: RunComparison | None, notes: Sequence[str], words: Mapping[str, str]
) -> Iterator[str]:
    """Everything, for people."""
    found = summarize_run(run)
    corpus = run.header.corpus
    yield (
        f"{format_count(found.queries, 'query')} put to {sanitize_line(str(corpus['name']))}, "
        f"{corpus['documents']:,} documents\n"
    )
    cells = [(name, f"{one.mean:.3f}", f"{one.low:.3f}–{one.high:.3f}") for name, one in found.means.items()]
    yield format_table(cells, ("measure", "mean", "95 % interval"))
    yield from trouble_lines(found.empty, found.partial, found.failed, found.errors)
    yield from (f"Note: {sanitize_line(note)}." for note in notes)
    for note, queries in [*found.notes.items()][:MAX_SHOWN]:
        yield f"{format_count(queries, 'query')}: {sanitize_line(note)}."
    yield f"A search took {found.p50:,.0f} ms (median), {found.p95:,.0f} ms (95th percentile)."
    yield from provenance_lines(run)
    if comparison:
        yield from comparison_lines(comparison, words)


def trouble_lines(empty: int, partial: int, failed: int, errors: tuple[str, ...]) -> Iterator[str]:
    """What did not go as it should; a line of reassurance when all did."""
    if empty:
        yield f"{format_count(empty, 'query')} found nothing, and {'count' if empty != 1 else 'counts'} as 0."
    else:
        yield "Every query that was measured found something."
    if failed:
        yield f"{format_count(failed, 'query')} FAILED, left out of the means: the same command measures them again."
    if partial:
        yield f"{format_count(partial, 'query')} lacked a source that failed; they count with what the others found."
    yield from (f"  {sanitize_line(error)}" for error in errors[:MAX_SHOWN])
    if len(errors) > MAX_SHOWN:
        yield f"  and {format_count(len(errors) - MAX_SHOWN, 'error')} more, in the file of results"


def provenance_lines(run: RetrievalRun) -> Iterator[str]:
    """What was measured, so that it can be measured again."""
    header = run.header
    others = ", ".join(f"{name}={value}" for name, value in changed_settings(header.settings).items())
    versions = ", ".join(f"{name} {number}" for name, number in header.versions.items())
    yield f"Settings: {sanitize_line(others) or 'as they come'}"
    yield f"Versions: wellsourced {header.wellsourced} (code {header.code}), {versions}"
    yield f"Corpus: sha256 {header.corpus['sha256']}, {header.corpus['passages']:,} passages"
    yield f"Results: {sanitize_line(str(run.path))}"


def comparison_lines(found: RunComparison, words: Mapping[str, str]) -> Iterator[str]:
    """The difference from the base, measure by measure, and the queries that changed most."""
    yield f"\nAgainst {sanitize_line(str(found.base.path))}, {format_count(found.queries, 'query')} of both"
    yield f"What differs: {sanitize_line('; '.join(found.unlike)) or 'nothing'}\n"
    if found.left_out:
        yield f"{format_count(found.left_out, 'query')} failed in one of the two, and could not be compared."
    header = ("measure", "base", "now", "difference", "95 % interval", "p", "better", "same", "worse")
    cells = [
        (
            *(name, f"{one.base:.3f}", f"{one.other:.3f}", f"{one.difference.mean:+.3f}"),
            *(f"{one.difference.low:+.3f} … {one.difference.high:+.3f}", f"{one.p:.4f}"),
            *(f"{number:,}" for number in (one.more, one.equal, one.less)),
        )
        for name, one in found.contrasts.items()
    ]
    yield format_table(cells, header)
    gains = [(query, gain) for query, gain in found.changes.items() if gain > 0][:MAX_SHOWN]
    losses = [(query, gain) for query, gain in reversed([*found.changes.items()]) if gain < 0][:MAX_SHOWN]
    for name, some in (("gained", gains), ("lost", losses)):
        if some:
            yield f"Queries that {name} most ({next(iter(found.contrasts))}):"
            yield from (
                f"  {gain:+.3f}  {sanitize_line(query)}  {sanitize_line(words.get(query, ''))[:90]}"
                for query, gain in some
            )


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
