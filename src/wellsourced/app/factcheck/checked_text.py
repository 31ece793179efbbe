"""A checked text under the name by which it was given, and the same as JSON."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wellsourced.app.terminal import escape_unsafe, format_count
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
)

VERDICT_MARKS: dict[VerdictLabel, str] = {"supports": "✓", "contradicts": "✗", "silent": "✗", "unjudged": "?"}
VERDICT_WORDS: dict[VerdictLabel, str] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "not supported",
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

    def find_deciding(self, claim: Claim, verdict: Verdict) -> list[ClaimSourceVerdict]:
        """The pairings that say what the verdict says, in words; the claim's own sources first."""
        there = self.verdicts_by_claim.get(claim.number, ())
        told = [one for one in there if one.quote and one.verdict.label == verdict.label]
        return sorted(told, key=lambda one: not one.own)


def summary_line(result: CheckedText) -> str:
    """One line: how many statements, and what came of them."""
    checkup = result.checkup
    labels = [verdict.label for verdict in checkup.verdicts]
    told = ", ".join(f"{labels.count(label)} {word}" for label, word in VERDICT_WORDS.items() if label in labels)
    statements = f"{format_count(len(labels), 'statement')}{f': {told}' if told else ''}"
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
    if len(results) == 1:
        told: Any = _checkup_data(results[0])
    else:
        shares = {name: share.model_dump(mode="json") for name, share in together.items()}
        told = {"checkups": {one.name: _checkup_data(one) for one in results}, "shares": shares}
    return escape_unsafe(json.dumps(told, ensure_ascii=False, indent=2)) + "\n"


def _checkup_data(result: CheckedText) -> dict[str, Any]:
    return result.checkup.model_dump(mode="json")
