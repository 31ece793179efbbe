"""A checked text as a table: a row for each pair of a statement and a source, in columns that a spreadsheet reads."""

import csv
import io
from collections.abc import Iterator, Sequence

from wellsourced.app.check.results import Result
from wellsourced.app.terminal import harmless
from wellsourced.types import ClaimSourceVerdict

COLUMNS = (
    "response", "statement id", "statement", "verdict", "source", "own", "url", "url class", "standing", "label",
    "excerpt", "start", "end", "reason", "model", "date",
)  # fmt: skip

COMMANDS = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run (OWASP, CSV injection)."""


def as_csv(results: Sequence[Result]) -> str:
    """A header and all rows, RFC 4180; a statement without source has a row too, and so has a source without."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for result in results:
        writer.writerows([inert(cell) for cell in row] for row in _rows(result))
    return out.getvalue()


def inert(cell: object) -> object:
    """The cell, with an apostrophe before text that a spreadsheet would run, and without commanding characters."""
    if not isinstance(cell, str):
        return cell
    return harmless(f"'{cell}" if cell.startswith(COMMANDS) else cell)


def _rows(result: Result) -> Iterator[tuple[object, ...]]:
    ending = (result.checkup.judge, str(result.checkup.as_of or ""))
    for claim, verdict in result.judged:
        begin = (result.name, claim.number + 1, claim.text, verdict.label)
        pairs = result.pairs.get(claim.number, ())
        for pair in pairs:
            yield (*begin, *_source(result, pair), *ending)
        if not pairs:
            yield (*begin, *[""] * 5, verdict.label, "", "", "", verdict.reason, *ending)
    put = {pair.source for pair in result.checkup.pairings}
    for key, traced in result.traced.items():
        if key not in put:
            yield (result.name, "", "", "", *_named(result, key, ""), *[""] * 4, traced.reason, *ending)


def _source(result: Result, pair: ClaimSourceVerdict) -> tuple[object, ...]:
    return (
        *_named(result, pair.source, "yes" if pair.own else "no"),
        pair.verdict.label,
        pair.quote,
        pair.start if pair.quote else "",
        pair.end if pair.quote else "",
        pair.verdict.reason,
    )


def _named(result: Result, key: str, own: str) -> tuple[str, ...]:
    """A source: its key, whether the statement bears its mark, its address and what came of it."""
    traced, cited = result.traced[key], result.cited.get(key)
    address = traced.reference.url if traced.reference else ""
    return key, own, (cited.url if cited else "") or address, traced.fetched, traced.standing
