"""What an evaluation came to, in lines for a terminal."""

from collections.abc import Iterator, Mapping, Sequence

from wellsourced.app.terminal import count, safe, table
from wellsourced.evaluate.contrast import RunComparison
from wellsourced.evaluate.report import summarize_run
from wellsourced.evaluate.results import RetrievalRun
from wellsourced.evaluate.retrieval import changed_settings
from wellsourced.evaluate.verification import VerificationFigures

SHOWN = 5
"""Queries that gained most, and that lost most, and errors, that are shown."""


def lines(
    run: RetrievalRun, comparison: RunComparison | None, notes: Sequence[str], words: Mapping[str, str]
) -> Iterator[str]:
    """Everything, for people."""
    found = summarize_run(run)
    corpus = run.header.corpus
    yield f"{count(found.queries, 'query')} put to {safe(str(corpus['name']))}, {corpus['documents']:,} documents\n"
    cells = [(name, f"{one.mean:.3f}", f"{one.low:.3f}–{one.high:.3f}") for name, one in found.means.items()]
    yield table(cells, ("measure", "mean", "95 % interval"))
    yield from troubles(found.empty, found.partial, found.failed, found.errors)
    yield from (f"Note: {safe(note)}." for note in notes)
    for note, queries in [*found.notes.items()][:SHOWN]:
        yield f"{count(queries, 'query')}: {safe(note)}."
    yield f"A search took {found.p50:,.0f} ms (median), {found.p95:,.0f} ms (95th percentile)."
    yield from origin(run)
    if comparison:
        yield from compared(comparison, words)


def troubles(empty: int, partial: int, failed: int, errors: tuple[str, ...]) -> Iterator[str]:
    """What did not go as it should; a line of reassurance when all did."""
    yield (
        f"{count(empty, 'query')} found nothing, and {'count' if empty != 1 else 'counts'} as 0."
        if empty
        else ("Every query that was measured found something.")
    )
    if failed:
        yield f"{count(failed, 'query')} FAILED, left out of the means: the same command measures them again."
    if partial:
        yield f"{count(partial, 'query')} lacked a source that failed; they count with what the others found."
    yield from (f"  {safe(error)}" for error in errors[:SHOWN])
    if len(errors) > SHOWN:
        yield f"  and {count(len(errors) - SHOWN, 'error')} more, in the file of results"


def origin(run: RetrievalRun) -> Iterator[str]:
    """What was measured, so that it can be measured again."""
    header = run.header
    others = ", ".join(f"{name}={value}" for name, value in changed_settings(header.settings).items())
    versions = ", ".join(f"{name} {number}" for name, number in header.versions.items())
    yield f"Settings: {safe(others) or 'as they come'}"
    yield f"Versions: wellsourced {header.wellsourced} (code {header.code}), {versions}"
    yield f"Corpus: sha256 {header.corpus['sha256']}, {header.corpus['passages']:,} passages"
    yield f"Results: {safe(str(run.path))}"


def compared(found: RunComparison, words: Mapping[str, str]) -> Iterator[str]:
    """The difference from the base, measure by measure, and the queries that changed most."""
    yield f"\nAgainst {safe(str(found.base.path))}, {count(found.queries, 'query')} of both"
    yield f"What differs: {safe('; '.join(found.unlike)) or 'nothing'}\n"
    if found.left_out:
        yield f"{count(found.left_out, 'query')} failed in one of the two, and could not be compared."
    header = ("measure", "base", "now", "difference", "95 % interval", "p", "better", "same", "worse")
    cells = [
        (
            *(one.measure, f"{one.base:.3f}", f"{one.ours:.3f}", f"{one.difference.mean:+.3f}"),
            *(f"{one.difference.low:+.3f} … {one.difference.high:+.3f}", f"{one.p:.4f}"),
            *(f"{number:,}" for number in (one.wins, one.ties, one.losses)),
        )
        for one in found.contrasts
    ]
    yield table(cells, header)
    gains = [(query, gain) for query, gain in found.changes.items() if gain > 0][:SHOWN]
    losses = [(query, gain) for query, gain in reversed([*found.changes.items()]) if gain < 0][:SHOWN]
    for name, some in (("gained", gains), ("lost", losses)):
        if some:
            yield f"Queries that {name} most ({found.contrasts[0].measure}):"
            yield from (f"  {gain:+.3f}  {safe(query)}  {safe(words.get(query, ''))[:90]}" for query, gain in some)


WORDS = {"supports": "supported", "contradicts": "contradicted", "silent": "not enough", "unjudged": "unjudged"}


def verified(judge: str, found: VerificationFigures, notes: Sequence[str]) -> Iterator[str]:
    """What a judge of support came to, for people."""
    yield f"{count(found.n, 'pair')} of {count(found.clusters, 'group')} put to {safe(judge)}\n"
    named = {
        "accuracy": found.accuracy,
        "macro-F1": found.macro_f1,
        "AUROC supported": found.support,
        "AUROC contradicted": found.contradiction,
        "rationale P@1": found.rationale,
    }
    rows = [(name, _number(one.mean), f"{_number(one.low)}–{_number(one.high)}") for name, one in named.items() if one]
    yield table(rows, ("measure", "value", "95 % interval"))
    yield f"Calibration of support: ECE {_number(found.ece)}, Brier {_number(found.brier)}\n"
    bins = [(f"{place / 10:.1f}–{place / 10 + 0.1:.1f}", one) for place, one in enumerate(found.bins)]
    cells = [(name, f"{one.n:,}", _number(one.score), _number(one.supported)) for name, one in bins if one.n]
    yield table(cells, ("score", "pairs", "mean score", "supported"))
    yield "What is known, and what was said:\n"
    columns = [*WORDS] if found.unjudged else [name for name in WORDS if name != "unjudged"]
    matrix = {(str(known), str(said)): pairs for (known, said), pairs in found.matrix.items()}
    lines = [
        (WORDS[known], *(f"{matrix.get((known, said), 0):,}" for said in columns))
        for known in WORDS
        if known != "unjudged"
    ]
    yield table(lines, ("known", *(WORDS[said] for said in columns)))
    if found.unjudged:
        yield f"{count(found.unjudged, 'pair')} without a verdict: left out of every other figure."
    yield f"{found.rate:,.1f} pairs a second ({found.seconds:,.1f} s)."
    yield from (f"Note: {safe(note)}." for note in notes)


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"
