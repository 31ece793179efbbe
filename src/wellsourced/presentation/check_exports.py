"""Checked texts for programs: JSON, a table of every pair (CSV), what is wrong at its line (SARIF)."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.verdicts import IssueKind, find_issues
from wellsourced.text.sanitization import escape_unsafe, neutralize_cell, sanitize_text
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


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

RULES: dict[IssueKind, tuple[str, str, str]] = {
    "unsupported": ("unsupported", "warning", "No source says what the statement says."),
    "contradicted": ("contradicted", "error", "A source says the opposite of the statement."),
    "fabricated": ("fabricated", "error", "The cited source was not found in any catalogue that would list it."),
    "retracted": ("retracted", "error", "The cited source was retracted."),
    "misattributed": ("misattributed", "error", "The identifier leads to another work than the text names."),
    "dead": ("dead-link", "warning", "The address of the source leads nowhere."),
    "unverified": ("unverified", "note", "No trusted judge has verified the statement."),
    "dangling": ("dangling-mark", "warning", "The citation mark has no source."),
}
"""Kind → id, level and description of its rule."""


def export_sarif(results: Sequence[CheckedText]) -> str:
    """One log with one run; a text that is no plain file has findings without lines."""
    rules = [
        {"id": rule, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for rule, level, text in RULES.values()
    ]
    run = {
        "tool": {"driver": {"name": "wellsourced", "version": version("wellsourced"), "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [issue for result in results for issue in _build_results(result)],
    }
    log = json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)
    return sanitize_text(log) + "\n"


def _build_results(result: CheckedText) -> Iterator[dict[str, Any]]:
    kinds = [*RULES]
    for issue in find_issues(result.checkup):
        physical: dict[str, Any] = {"artifactLocation": {"uri": artifact_uri(result.name)}}
        # Of a PDF or a web page the offsets are those of the text taken from it: lines would point at nothing in the
        # file.
        if result.has_file_offsets:
            physical["region"] = text_region(result.checkup.submitted.document.text, issue.start, issue.end)
        yield {
            "ruleId": RULES[issue.kind][0],
            "ruleIndex": kinds.index(issue.kind),
            "level": RULES[issue.kind][1],
            "message": {"text": issue.message},
            "locations": [{"physicalLocation": physical}],
        }


def artifact_uri(name: str) -> str:
    """The name as a reference: an address as it is, a relative file relative, standard input as "stdin"."""
    if name == "-" or "://" in name:
        return "stdin" if name == "-" else name
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def text_region(text: str, start: int, end: int) -> dict[str, Any]:
    """Lines and columns from 1, the end column behind the last character, as SARIF counts them."""
    # An end at the beginning of a line belongs to the line before; an empty stretch still has one.
    last = max(start, end - 1)
    return {
        "startLine": text.count("\n", 0, start) + 1,
        "startColumn": start - text.rfind("\n", 0, start),
        "endLine": text.count("\n", 0, last) + 1,
        "endColumn": end - text.rfind("\n", 0, last),
        "snippet": {"text": text[start:end]},
    }
