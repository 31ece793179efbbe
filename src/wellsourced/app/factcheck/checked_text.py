"""A checked text under the name by which it was given, and the same as JSON."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wellsourced.app.terminal import escape_unsafe, format_count
from wellsourced.factcheck.pages.addresses import AddressCounts, count_addresses
from wellsourced.factcheck.verdicts import sources_with_text
from wellsourced.types import (
    Checkup,
    CitedSource,
    Claim,
    ClaimSourceVerdict,
    ShareInterval,
    SourceResolution,
    Usage,
    Verdict,
    VerdictLabel,
    VerdictStatus,
)

STATUS_MARKS: dict[VerdictStatus, str] = {
    "verbatim": "✓",
    "verified": "✓",
    "contradicted": "✗",
    "unsupported": "✗",
    "unverified": "~",
    "unjudged": "?",
}
VERDICT_WORDS: dict[VerdictLabel, str] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "not supported",
    "unjudged": "not judged",
}
"""The opinion of a judge, where judges are compared; what is told of a statement is its status."""

STATUS_WORDS: dict[VerdictStatus, str] = {
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
    checkup: Checkup
    has_file_offsets: bool = False
    spent: Usage = field(default_factory=Usage)

    @property
    def judged_claims(self) -> list[tuple[Claim, Verdict]]:
        """Each claim with its verdict."""
        return [*zip(self.checkup.submitted.claims, self.checkup.verdicts, strict=True)]

    @cached_property
    def cited_sources(self) -> Mapping[str, CitedSource]:
        """Each source as the text names it, by its key."""
        return {one.key: one for one in self.checkup.submitted.sources}

    @cached_property
    def resolutions(self) -> Mapping[str, SourceResolution]:
        """What came of each source, by its key."""
        return {one.key: one for one in self.checkup.traced}

    @cached_property
    def verdicts_by_claim(self) -> Mapping[int, Sequence[ClaimSourceVerdict]]:
        """What each source says of a claim, by its number."""
        pairs: dict[int, list[ClaimSourceVerdict]] = defaultdict(list)
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

    def find_deciding(self, claim: Claim, verdict: Verdict) -> list[ClaimSourceVerdict]:
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


def render_json(results: Sequence[CheckedText], together: Mapping[str, ShareInterval]) -> str:
    """One text as its Checkup; several under `checkups`, by their names, with the figures of all of them."""
    # One text keeps the form in which it was always printed; only several need names.
    if len(results) == 1:
        told: Any = _checkup_data(results[0])
    else:
        shares = {name: share.model_dump(mode="json") for name, share in together.items()}
        told = {"checkups": {one.name: _checkup_data(one) for one in results}, "shares": shares}
    return escape_unsafe(json.dumps(told, ensure_ascii=False, indent=2)) + "\n"


def _checkup_data(result: CheckedText) -> dict[str, Any]:
    return result.checkup.model_dump(mode="json")
