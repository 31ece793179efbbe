"""What of a text does not stand, sentence by sentence, with the part of the source that each is held against."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.claims.atomic_facts import has_several_clauses
from wellsourced.factcheck.claim_spans import ClaimPlace, group_claims
from wellsourced.factcheck.document_windows import DocumentWindows
from wellsourced.factcheck.edited_text import strip_marks
from wellsourced.factcheck.run_store import RunStore
from wellsourced.factcheck.verdicts import has_retraction, was_read
from wellsourced.types import Checkup, Claim, ClaimSourceVerdict, Verdict, VerdictStatus

MAX_EXCERPT = 4_000
"""Characters of a source that an edit is made from."""

FAULTY: frozenset[VerdictStatus] = frozenset({"contradicted", "unsupported"})
"""What does not stand; what nobody verified is marked, and no more."""


class ClaimFault(NamedTuple):
    """A claim that does not stand, the source that it is held against, and the part of it that is about the claim."""

    claim: Claim
    verdict: Verdict
    source: str = ""
    excerpt: str = ""


class FaultySentence(NamedTuple):
    """A sentence of the text, and what of it does not stand; `is_whole`: nothing of it does, as far as is known."""

    text: str
    place: ClaimPlace
    faults: tuple[ClaimFault, ...]
    is_whole: bool

    @property
    def excerpt(self) -> str:
        """The parts of the sources that its faults are held against, each once."""
        return " … ".join(dict.fromkeys(fault.excerpt for fault in self.faults if fault.excerpt))[:MAX_EXCERPT]

    @property
    def reason(self) -> str:
        """Why it does not stand."""
        return "; ".join(dict.fromkeys(fault.verdict.reason for fault in self.faults if fault.verdict.reason))

    @property
    def is_contradicted(self) -> bool:
        """Whether a source says the opposite of a claim of it."""
        return any(fault.verdict.status == "contradicted" for fault in self.faults)

    @property
    def source(self) -> str:
        """The source that its first fault is held against."""
        return next((fault.source for fault in self.faults if fault.source), "")


def find_faulty_sentences(checkup: Checkup, store: RunStore) -> list[FaultySentence]:
    """The sentences of which a claim does not stand, in the order of the text."""
    faults = {fault.claim.number: fault for fault in _find_faults(checkup, store)}
    text = checkup.submitted.document.text
    found = []
    for place in group_claims(text, checkup.submitted.claims):
        mine = tuple(faults[claim.number] for claim in place.claims if claim.number in faults)
        if mine:
            words = strip_marks(text[place.start : place.end])
            sentence = place.claims[0].text if len(place.claims) == 1 else words
            # A claim of several clauses may be wrong in one of them only: such a sentence is never removed whole.
            is_whole = len(mine) == len(place.claims) and not any(has_several_clauses(one.claim.text) for one in mine)
            found.append(FaultySentence(sentence, place, mine, is_whole))
    return found


def _find_faults(checkup: Checkup, store: RunStore) -> list[ClaimFault]:
    @cache
    def open_windows(source: str) -> DocumentWindows | None:
        document = store.load_document(source)
        return DocumentWindows(document, MAX_EXCERPT, 1) if document else None

    withdrawn = {one.key for one in checkup.traced if has_retraction(one)}
    by_claim: dict[int, list[ClaimSourceVerdict]] = defaultdict(list)
    for pairing in checkup.pairings:
        # A correction made from a retracted work would be one more error.
        if was_read(pairing) and pairing.source not in withdrawn:
            by_claim[pairing.claim].append(pairing)
    told = zip(checkup.submitted.claims, checkup.verdicts, strict=True)
    return [
        _build_fault(claim, verdict, by_claim[claim.number], open_windows)
        for claim, verdict in told
        if verdict.status in FAULTY
    ]


def _build_fault(
    claim: Claim,
    verdict: Verdict,
    usable: Sequence[ClaimSourceVerdict],
    open_windows: Callable[[str], DocumentWindows | None],
) -> ClaimFault:
    """The source that contradicts it, else the one of its own, else of all, that the judge finds nearest to it."""
    best = max(usable, key=lambda one: (one.verdict.status == "contradicted", one.own, one.verdict.score), default=None)
    parts = open_windows(best.source) if best else None
    if best is None or parts is None or not parts.spans:
        return ClaimFault(claim, verdict)
    part = parts.part_around(best.start, best.end) if best.quote else parts.best_parts(claim.text)[0]
    return ClaimFault(claim, verdict, best.source, parts.text[part.start : part.end])
