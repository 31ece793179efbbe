"""Show near duplicates once, and let no single source take every place."""

from collections import Counter
from collections.abc import Mapping, Sequence

from wellsourced.claims.near_duplicates import StemmedText, are_near_duplicates, share_nearly_all_stems, stem_text
from wellsourced.pipeline.retrieve.retractions import retraction_in_record
from wellsourced.pipeline.retrieve.search import Candidate, CandidateRanking
from wellsourced.policy import Policy
from wellsourced.types import Reference, Retraction


def diversify_candidates(candidates: Sequence[Candidate], limit: int, policy: Policy) -> CandidateRanking:
    """The first candidates, at most `limit`, each of which says something that none before it says.

    Where several sources found something, one gives at most its share (`policy.per_source`); its further places are
    not filled by others that have nothing more. A passage that says what another does is named in that one's `also_in`,
    and what speaks against its work speaks against the other, too.
    """
    share = limit
    if len({one.source for one in candidates}) > 1:
        share = max(1, round(policy.per_source * limit))
    taken: Counter[str] = Counter()
    kept: list[Candidate] = []
    told: list[tuple[StemmedText, StemmedText]] = []
    withdrawn: dict[str, Retraction] = {}
    twins = beyond = 0
    for candidate in candidates:
        if len(kept) == limit:
            break
        words = stem_text(candidate.passage.reference.title), stem_text(candidate.passage.text)
        twin = next((place for place, others in enumerate(told) if _is_duplicate(words, others)), None)
        if twin is not None:
            kept[twin] = _add_duplicate(kept[twin], candidate)
            withdrawn |= _inherit_retraction(kept[twin].passage.reference, candidate.passage.reference)
            twins += 1
        elif taken[candidate.source] == share:
            beyond += 1
        else:
            kept.append(candidate)
            told.append(words)
            taken[candidate.source] += 1
    told_of = tuple(_apply_retraction(one, withdrawn) for one in kept)
    return CandidateRanking(
        told_of, (*_count_notes(twins, "said what another says"), *_count_notes(beyond, "went beyond a source's share"))
    )


def _is_duplicate(one: tuple[StemmedText, StemmedText], other: tuple[StemmedText, StemmedText]) -> bool:
    """The same words mean the same under the same title: “It is inherited in an autosomal recessive pattern.”"""
    titles, texts = zip(one, other, strict=True)
    if not share_nearly_all_stems(*texts):
        return False
    return (are_near_duplicates(*titles) or not any(title.stems for title in titles)) and are_near_duplicates(*texts)


def _add_duplicate(candidate: Candidate, twin: Candidate) -> Candidate:
    ids = (*candidate.also_in, twin.passage.reference.id, *twin.also_in)
    own = candidate.passage.reference.id
    return candidate._replace(also_in=tuple(id for id in dict.fromkeys(ids) if id != own))


def _inherit_retraction(kept: Reference, twin: Reference) -> dict[str, Retraction]:
    """Who prints words that were withdrawn elsewhere may not know it: they must not come back through that record."""
    says = retraction_in_record(twin)
    return {kept.id: says} if says.objection and not retraction_in_record(kept).objection else {}


def _apply_retraction(candidate: Candidate, withdrawn: Mapping[str, Retraction]) -> Candidate:
    reference = candidate.passage.reference
    retraction = withdrawn.get(reference.id, reference.retraction)
    return candidate._replace(passage=candidate.passage.with_retraction(retraction))


def _count_notes(count: int, what: str) -> tuple[str, ...]:
    return (f"{count} {'passage' if count == 1 else 'passages'} {what}",) if count else ()
