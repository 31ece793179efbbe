"""What is wrong with a text, as SARIF 2.1.0: editors and code hosts show it in its place."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.app.terminal import sanitize_text
from wellsourced.factcheck.issues import IssueKind, TextIssue, find_issues

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

RULES: dict[IssueKind, tuple[str, str, str]] = {
    "unsupported": ("unsupported", "warning", "No source says what the statement says."),
    "contradicted": ("contradicted", "error", "A source says the opposite of the statement."),
    "fabricated": ("fabricated", "error", "The cited source does not exist, as far as those know who would know it."),
    "retracted": ("retracted", "error", "The cited source was retracted."),
    "misattributed": ("misattributed", "error", "The identifier leads to another work than the citation says."),
    "dead": ("dead-link", "warning", "The address of the source leads nowhere."),
    "unverified": ("unverified", "note", "Nobody who can be believed has judged the statement."),
    "dangling": ("dangling-mark", "warning", "No source of the text belongs to the mark."),
}
"""Kind → id, level and description of its rule."""


def render_sarif(results: Sequence[CheckedText]) -> str:
    """One log with one run; a text that is no plain file has findings without lines."""
    rules = [
        {"id": rule, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for rule, level, text in RULES.values()
    ]
    run = {
        "tool": {"driver": {"name": "wellsourced", "version": version("wellsourced"), "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [found for result in results for found in _build_results(result)],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return sanitize_text(json.dumps(log, ensure_ascii=False, indent=2))


def _build_results(result: CheckedText) -> Iterator[dict[str, Any]]:
    text = result.checkup.submitted.document.text
    begins = line_starts(text)
    for one in find_issues(result.checkup):
        # Of a PDF or a web page the offsets are those of the text taken from it: lines would point at nothing in the
        # file.
        region = text_region(text, begins, one.start, one.end) if result.has_file_offsets else None
        yield _build_result(result.name, one, region)


def _build_result(name: str, finding: TextIssue, place: dict[str, Any] | None) -> dict[str, Any]:
    rule, level, _ = RULES[finding.kind]
    physical = {"artifactLocation": {"uri": artifact_uri(name)}, **({"region": place} if place else {})}
    return {
        "ruleId": rule,
        "ruleIndex": [*RULES].index(finding.kind),
        "level": level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": physical}],
    }


def artifact_uri(name: str) -> str:
    """The name as a reference: an address as it is, a relative file relative, standard input as "stdin"."""
    if name == "-":
        return "stdin"
    if "://" in name:
        return name
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def line_starts(text: str) -> list[int]:
    """Where each line of a text begins."""
    return [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]


def text_region(text: str, begins: Sequence[int], start: int, end: int) -> dict[str, Any]:
    """Lines and columns from 1, the end column behind the last character, as SARIF counts them."""
    # An end at the beginning of a line belongs to the line before; an empty stretch still has one.
    first, last = bisect_right(begins, start) - 1, bisect_right(begins, max(start, end - 1)) - 1
    return {
        "startLine": first + 1,
        "startColumn": start - begins[first] + 1,
        "endLine": last + 1,
        "endColumn": end - begins[last] + 1,
        "snippet": {"text": text[start:end]},
    }
