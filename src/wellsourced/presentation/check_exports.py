"""Checked texts for programs: JSON, and a table of every pair (CSV)."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.text.sanitization import escape_unsafe, neutralize_cell
from wellsourced.types import ShareInterval


def export_json(results: Sequence[CheckedText], together: Mapping[str, ShareInterval]) -> str:
    """One text as its Checkup; several under `checkups`, by their names, with the figures of all of them."""
    # One text keeps the form in which it was always printed; only several need names.
    if len(results) == 1:
        data: Any = results[0].checkup.model_dump(mode="json")
    else:
        shares = {name: share.model_dump(mode="json") for name, share in together.items()}
        data = {"checkups": {one.name: one.checkup.model_dump(mode="json") for one in results}, "shares": shares}
    return escape_unsafe(json.dumps(data, ensure_ascii=False, indent=2)) + "\n"


COLUMNS = (
    "response", "statement id", "statement", "verdict", "source", "own", "url", "url class", "standing", "label",
    "excerpt", "start", "end", "reason", "model", "date", "question", "system", "kind",
)  # fmt: skip


def export_csv(results: Sequence[CheckedText]) -> str:
    """A header and all rows, RFC 4180; a statement without source has a row too, and so has a source without."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="")
    writer.writeheader()
    for result in results:
        checkup, origin = result.checkup, result.checkup.origin
        same = {"response": result.name, "model": checkup.judge, "date": str(checkup.as_of or "")}
        same |= {"question": origin.question, "system": origin.system, "kind": origin.kind}
        for row in _build_rows(result):
            writer.writerow({name: neutralize_cell(cell) for name, cell in (same | row).items()})
    return out.getvalue()


def _build_rows(result: CheckedText) -> Iterator[dict[str, object]]:
    for claim, verdict in result.judged_claims:
        said = {"statement id": claim.number + 1, "statement": claim.text, "verdict": verdict.status}
        pairs = result.verdicts_by_claim.get(claim.number, ())
        for pair in pairs:
            place = {"start": pair.start, "end": pair.end} if pair.quote else {}
            judged = {"label": pair.verdict.status, "excerpt": pair.quote, "reason": pair.verdict.reason}
            yield said | _identify_source(result, pair.source) | {"own": "yes" if pair.own else "no"} | judged | place
        if not pairs:
            yield said | {"label": verdict.status, "reason": verdict.reason}
    used = {pair.source for pair in result.checkup.pairings}
    for key, found in result.resolutions.items():
        # A source that no statement was put to (not found, not readable) is a finding, and would be missing otherwise.
        if key not in used:
            yield _identify_source(result, key) | {"reason": found.reason}


def _identify_source(result: CheckedText, key: str) -> dict[str, object]:
    found = result.resolutions[key]
    url = result.find_source_address(key)
    return {"source": key, "url": url, "url class": found.fetched, "standing": found.standing}
