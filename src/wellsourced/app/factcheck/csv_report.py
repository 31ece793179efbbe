"""A checked text as a table: a row for each pair of a statement and a source, in columns that a spreadsheet reads."""

import csv
import io
from collections.abc import Iterator, Sequence

from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.app.terminal import sanitize_text
from wellsourced.types import ClaimSourceVerdict

COLUMNS = (
    "response", "statement id", "statement", "verdict", "source", "own", "url", "url class", "standing", "label",
    "excerpt", "start", "end", "reason", "model", "date", "question", "system", "kind",
)  # fmt: skip

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run (OWASP, CSV injection)."""


def render_csv(results: Sequence[CheckedText]) -> str:
    """A header and all rows, RFC 4180; a statement without source has a row too, and so has a source without."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for result in results:
        writer.writerows([neutralize_cell(cell) for cell in row] for row in _build_rows(result))
    return out.getvalue()


def neutralize_cell(cell: object) -> object:
    """The cell, with an apostrophe before text that a spreadsheet would run, and without commanding characters."""
    if not isinstance(cell, str):
        return cell
    return sanitize_text(f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell)


def _build_rows(result: CheckedText) -> Iterator[tuple[object, ...]]:
    origin = result.checkup.origin
    ending = (result.checkup.judge, str(result.checkup.as_of or ""), origin.question, origin.system, origin.kind)
    for claim, verdict in result.judged_claims:
        begin = (result.name, claim.number + 1, claim.text, verdict.status)
        pairs = result.verdicts_by_claim.get(claim.number, ())
        for pair in pairs:
            yield (*begin, *_source_cells(result, pair), *ending)
        if not pairs:
            yield (*begin, *[""] * 5, verdict.status, "", "", "", verdict.reason, *ending)
    put = {pair.source for pair in result.checkup.pairings}
    for key, traced in result.resolutions.items():
        # A source that no statement was put to (not found, not readable) is a finding, and would be missing otherwise.
        if key not in put:
            yield (result.name, "", "", "", *_source_identity(result, key, ""), *[""] * 4, traced.reason, *ending)


def _source_cells(result: CheckedText, pair: ClaimSourceVerdict) -> tuple[object, ...]:
    return (
        *_source_identity(result, pair.source, "yes" if pair.own else "no"),
        pair.verdict.status,
        pair.quote,
        pair.start if pair.quote else "",
        pair.end if pair.quote else "",
        pair.verdict.reason,
    )


def _source_identity(result: CheckedText, key: str, own: str) -> tuple[str, ...]:
    """A source: its key, whether the statement bears its mark, its address and what came of it."""
    traced = result.resolutions[key]
    return key, own, result.find_source_address(key), traced.fetched, traced.standing
