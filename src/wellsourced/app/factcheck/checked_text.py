"""A checked text under the name by which it was given, and the same for programs: JSON, a table, SARIF."""

import csv
import io
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wellsourced import types
from wellsourced.factcheck.pages.addresses import AddressCounts, count_addresses
from wellsourced.factcheck.verdicts import IssueKind, TextIssue, find_issues, sources_with_text
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import escape_unsafe, sanitize_text

STATUS_MARKS: dict[types.VerdictStatus, str] = {
    "verbatim": "✓",
    "verified": "✓",
    "contradicted": "✗",
    "unsupported": "✗",
    "unverified": "~",
    "unjudged": "?",
}
VERDICT_WORDS: dict[types.VerdictLabel, str] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "not supported",
    "unjudged": "not judged",
}
"""The opinion of a judge, where judges are compared; what is told of a statement is its status."""

STATUS_WORDS: dict[types.VerdictStatus, str] = {
    "verbatim": "verbatim",
    "verified": "verified",
    "contradicted": "contradicted",
    "unsupported": "not supported",
    "unverified": "not verified",
    "unjudged": "not judged",
}


@dataclass(frozen=True)
class CheckedText:
    """A checked text.

    name    the file or the address, as it was typed; "-": standard input
    has_file_offsets   its offsets are those of the file: it is a text file that was read as it stands
    spent   what language models were asked for it
    """

    name: str
    checkup: types.Checkup
    has_file_offsets: bool = False
    spent: types.Usage = field(default_factory=types.Usage)

    @property
    def judged_claims(self) -> list[tuple[types.Claim, types.Verdict]]:
        """Each claim with its verdict."""
        return [*zip(self.checkup.submitted.claims, self.checkup.verdicts, strict=True)]

    @cached_property
    def cited_sources(self) -> Mapping[str, types.CitedSource]:
        """Each source as the text names it, by its key."""
        return {one.key: one for one in self.checkup.submitted.sources}

    @cached_property
    def resolutions(self) -> Mapping[str, types.SourceResolution]:
        """What came of each source, by its key."""
        return {one.key: one for one in self.checkup.traced}

    @cached_property
    def verdicts_by_claim(self) -> Mapping[int, Sequence[types.ClaimSourceVerdict]]:
        """What each source says of a claim, by its number."""
        pairs: dict[int, list[types.ClaimSourceVerdict]] = defaultdict(list)
        for pair in self.checkup.pairings:
            pairs[pair.claim].append(pair)
        return pairs

    @property
    def address_lines(self) -> list[str]:
        """Whose pages are cited: domains, countries, what is sold and what is gone; none where no address is known."""
        known = [one.address for one in self.checkup.traced if one.address]
        return [*describe_addresses(count_addresses(known))] if known else []

    def find_source_address(self, key: str) -> str:
        """Where a source is: as the text says, else as its record says; "" where neither does."""
        cited, found = self.cited_sources.get(key), self.resolutions.get(key)
        # What the text says comes first: a reader looks for the address that he can see there.
        return (cited.url if cited else "") or (found.reference.url if found and found.reference else "")

    def find_deciding(self, claim: types.Claim, verdict: types.Verdict) -> list[types.ClaimSourceVerdict]:
        """The pairings that say what the verdict says, in words; the claim's own sources first."""
        there = self.verdicts_by_claim.get(claim.number, ())
        told = [one for one in there if one.quote and one.verdict.status == verdict.status]
        # A statement's own source decides what a reader checks first, even where another one says it too.
        return sorted(told, key=lambda one: not one.own)


def describe_addresses(counts: AddressCounts) -> Iterator[str]:
    """The tables of the URL analysis, a line each."""
    yield f"domains: {', '.join(f'{name} ({number})' for name, number in counts.domains) or 'none'}"
    yield f"suffixes: {', '.join(f'.{name} ({number})' for name, number in counts.suffixes) or 'none'}"
    guessed = f", by the suffix alone {counts.guessed}" if counts.guessed else ""
    yield f"in the United States {counts.american}, elsewhere {counts.other}{guessed}"
    if counts.paywalled or counts.proxied:
        yield f"behind a paywall {counts.paywalled}, free {counts.free}; through a library's proxy {counts.proxied}"
    if counts.archived:
        yield f"gone: {', '.join(f'{number} {what}' for what, number in counts.archived.items())}"


def summary_line(result: CheckedText) -> str:
    """One line: how many statements, and what came of them."""
    checkup = result.checkup
    found = [verdict.status for verdict in checkup.verdicts]
    told = ", ".join(f"{found.count(one)} {word}" for one, word in STATUS_WORDS.items() if one in found)
    statements = f"{format_count(len(found), 'statement')}{f': {told}' if told else ''}"
    return f"{statements}; {format_count(len(checkup.traced), 'source')}, {len(sources_with_text(checkup)):,} read"


_PROBABILITIES = re.compile(r"supports (\d\.\d+), contradicts (\d\.\d+), silent \d\.\d+")


def reword_reason(reason: str) -> str:
    """A judge's reason in the words of a check, where "the text" is the one that is checked."""
    told = reason.replace("the text's own words", "the source's own words")
    told = re.sub(r"(?<=”) in the claim\b", " in the statement", told)
    told = re.sub(r"(?:(?<=”)|(?<=nothing)) in the text\b", " in the source", told)
    return _PROBABILITIES.sub(r"likelihood that it says so \1, that it says the opposite \2", told)


def render_json(results: Sequence[CheckedText], together: Mapping[str, types.ShareInterval]) -> str:
    """One text as its Checkup; several under `checkups`, by their names, with the figures of all of them."""
    # One text keeps the form in which it was always printed; only several need names.
    if len(results) == 1:
        told: Any = results[0].checkup.model_dump(mode="json")
    else:
        shares = {name: share.model_dump(mode="json") for name, share in together.items()}
        told = {"checkups": {one.name: one.checkup.model_dump(mode="json") for one in results}, "shares": shares}
    return escape_unsafe(json.dumps(told, ensure_ascii=False, indent=2)) + "\n"


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


def _source_cells(result: CheckedText, pair: types.ClaimSourceVerdict) -> tuple[object, ...]:
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
