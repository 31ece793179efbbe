"""A checked text under the name by which it was given, with what is looked up in it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wellsourced import types
from wellsourced.factcheck.verdicts import ClaimGroup, best_pairing, group_claim, was_read


@dataclass(frozen=True)
class CheckedText:
    """A checked text.

    name    the file or the address, as it was typed; "-": standard input
    spent   what language models were asked for it
    """

    name: str
    checkup: types.Checkup
    spent: types.Usage = field(default_factory=types.Usage)

    @property
    def judged_claims(self) -> list[tuple[types.Claim, types.Verdict]]:
        """Each claim with its verdict."""
        return [*zip(self.checkup.submitted.claims, self.checkup.verdicts, strict=True)]

    @cached_property
    def cited_sources(self) -> Mapping[str, types.CitedSource]:
        """Each source as the text names it, by its key."""
        return {source.key: source for source in self.checkup.submitted.sources}

    @cached_property
    def resolutions(self) -> Mapping[str, types.SourceResolution]:
        """What was found for each source, by its key."""
        return {found.key: found for found in self.checkup.traced}

    @cached_property
    def verdicts_by_claim(self) -> Mapping[int, Sequence[types.ClaimSourceVerdict]]:
        """What each source says of a claim, by its number."""
        pairs: dict[int, list[types.ClaimSourceVerdict]] = defaultdict(list)
        for pair in self.checkup.pairings:
            pairs[pair.claim].append(pair)
        return pairs

    def find_source_address(self, key: str) -> str:
        """Where a source is: as the text says, else as its record says; "" where neither does."""
        cited, found = self.cited_sources.get(key), self.resolutions.get(key)
        # What the text says comes first: a reader looks for the address that he can see there.
        return (cited.url if cited else "") or (found.reference.url if found and found.reference else "")

    def find_group(self, claim: types.Claim, verdict: types.Verdict) -> ClaimGroup:
        """Where a statement belongs in a report."""
        return group_claim(verdict, self.find_nearest(claim, verdict), claim.text)

    def find_nearest(self, claim: types.Claim, verdict: types.Verdict) -> types.ClaimSourceVerdict | None:
        """The pairing that a verdict is of, or else the best; None where no source of it was read."""
        pairs = [pair for pair in self.verdicts_by_claim.get(claim.number, ()) if was_read(pair)]
        return best_pairing([pair for pair in pairs if pair.verdict.status == verdict.status] or pairs)

    def find_deciding(self, claim: types.Claim, verdict: types.Verdict) -> list[types.ClaimSourceVerdict]:
        """The pairings that say what the verdict says, in words; the claim's own sources first."""
        pairs = self.verdicts_by_claim.get(claim.number, ())
        deciding = [pair for pair in pairs if pair.quote and pair.verdict.status == verdict.status]
        # A statement's own source decides what a reader checks first, even where another one says it too.
        return sorted(deciding, key=lambda pair: not pair.own)
