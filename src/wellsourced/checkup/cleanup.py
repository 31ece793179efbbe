"""SourceCleanup: a claim that does not stand gets the smallest edit that its source supports, or is removed.

Nothing is edited without a source that could be read, and no edit stands that the judge does not find supported when
it is asked anew. Without a language model only one word is exchanged, where the source's own word is beyond doubt.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.checkup.pairing import Manner, faithful, nearest
from wellsourced.checkup.store import AGAIN, Store
from wellsourced.checkup.verdicts import is_retracted, was_read
from wellsourced.checkup.windows import Windows
from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model
from wellsourced.prompts.checkup_repair import Cleaned, CleanUp
from wellsourced.text.guard import Disagreement, disagreements
from wellsourced.text.lines import folded, one_line
from wellsourced.text.quantities import quantities
from wellsourced.text.quotes import aligned
from wellsourced.text.sentences import Span
from wellsourced.text.tokens import coverage, stems
from wellsourced.types import Checkup, Claim, Edit, Pairing, Verdict

EXCERPT = 4_000
"""Characters of a source that an edit is made from."""

FEWEST = 3
"""Content words of a statement that says something."""

LONGEST, ROOM = 2, 80
"""An edit has at most so many times the characters of its statement, and so many more: the smallest was asked for."""

NO_SOURCE = "no source of it could be read"


class Fault(NamedTuple):
    """A claim that does not stand, the source that it is held against, and the part of it that is about the claim."""

    claim: Claim
    verdict: Verdict
    source: str = ""
    excerpt: str = ""
    sentence: str = ""


class Proposed(NamedTuple):
    """New words for a claim; none, with the reason, when it has to go. `excerpt`: the words that they rest on."""

    text: str = ""
    reason: str = ""
    excerpt: str = ""
    reversed: bool = False


async def clean_up(
    checkup: Checkup, store: Store, judge: Judge, model: Model | None, manner: Manner
) -> tuple[Edit, ...]:
    """What becomes of each claim that its sources contradict or do not say; what is not judged stays as it is.

    All proposals are made at once, and judged in one further wave. Raises ModelError as the judge does.
    """
    faults = _faults(checkup, Shelf(store))
    if model:
        proposed = list(await asyncio.gather(*(_asked(fault, model) for fault in faults)))
    else:
        proposed = [_exchanged(fault) for fault in faults]
    checked = [_sound(fault, one) for fault, one in zip(faults, proposed, strict=True)]
    pairs = [Pair(one.text, fault.excerpt) for fault, one in zip(faults, checked, strict=True) if one.text]
    verdicts = dict(zip(pairs, await judge.judge(pairs), strict=True)) if pairs else {}
    if not manner.guarded:
        shown = {Pair(one.text, fault.excerpt): one.excerpt for fault, one in zip(faults, checked, strict=True)}
        verdicts = {pair: faithful(pair.claim, said, shown[pair], pair.text) for pair, said in verdicts.items()}
    return tuple(_edit(fault, one, verdicts) for fault, one in zip(faults, checked, strict=True))


def _edit(fault: Fault, made: Proposed, verdicts: Mapping[Pair, Verdict]) -> Edit:
    reason = made.reason or fault.verdict.reason
    after = made.text
    if after and (again := verdicts[Pair(after, fault.excerpt)]).label != "supports":
        after, reason = "", f"no edit stands ({again.reason or again.label}); {fault.verdict.reason}"
    return Edit(
        claim=fault.claim.number,
        before=fault.claim.text,
        after=after,
        source=fault.source,
        reason=reason,
        reversed=bool(after) and made.reversed,
    )


# --- what does not stand -------------------------------------------------------------------------------------------


class Shelf:
    """The documents of a run, opened once each, in parts of which a model can be shown one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._opened: dict[str, Windows | None] = {}

    def open(self, source: str) -> Windows | None:
        """A source in parts; None when its words were not had."""
        if source not in self._opened:
            document = self._store.document(source)
            self._opened[source] = Windows(document, EXCERPT, 1) if document else None
        return self._opened[source]


def _faults(checkup: Checkup, shelf: Shelf) -> list[Fault]:
    withdrawn = {one.key for one in checkup.traced if is_retracted(one)}
    by_claim: dict[int, list[Pairing]] = defaultdict(list)
    for pairing in checkup.pairings:
        if was_read(pairing) and pairing.source not in withdrawn:
            by_claim[pairing.claim].append(pairing)
    told = zip(checkup.submitted.claims, checkup.verdicts, strict=True)
    spared = left_alone(checkup)
    return [
        _fault(claim, verdict, by_claim[claim.number], shelf)
        for claim, verdict in told
        if verdict.label in ("contradicts", "silent") and claim.number not in spared
    ]


def left_alone(checkup: Checkup) -> set[int]:
    """Numbers of claims that nothing speaks against but that a source of theirs was not reached this time.

    Who is offline does not want all of a text removed. What is gone for good, or behind a login, spares nothing.
    """
    later = {one.key for one in checkup.traced if one.fetched in AGAIN and one.standing == "unreachable"}
    missed = {one.claim for one in checkup.pairings if one.source in later and not was_read(one) and one.own}
    marked = {claim.number for claim in checkup.submitted.claims if claim.cites}
    missed |= {
        one.claim for one in checkup.pairings if one.source in later and not was_read(one) and one.claim not in marked
    }
    told = zip(checkup.submitted.claims, checkup.verdicts, strict=True)
    return {claim.number for claim, verdict in told if verdict.label == "silent" and claim.number in missed}


def _fault(claim: Claim, verdict: Verdict, usable: Sequence[Pairing], shelf: Shelf) -> Fault:
    """The source that contradicts it, else the one of its own, else of all, that the judge finds nearest to it."""
    best = max(usable, key=lambda one: (one.verdict.label == "contradicts", one.own, one.verdict.score), default=None)
    parts = shelf.open(best.source) if best else None
    if best is None or parts is None or not parts.spans:
        return Fault(claim, verdict)
    part = parts.holding(best.start, best.end) if best.quote else parts.best(claim.text)[0]
    sentence = Span(best.start, best.end) if best.quote else nearest(parts.text, part, claim.text)
    return Fault(claim, verdict, best.source, parts.text[slice(*part)], parts.text[slice(*sentence)])


# --- a model's edit ------------------------------------------------------------------------------------------------


async def _asked(fault: Fault, model: Model) -> Proposed:
    if not fault.excerpt:
        return Proposed(reason=_removed(fault))
    prompt = CleanUp(statement=fault.claim.text, source=fault.excerpt, reason=fault.verdict.reason)
    try:
        return _read(fault, await model.complete(prompt))
    except ModelError as error:
        return Proposed(reason=f"it could not be edited ({str(error).rstrip('.')}); {fault.verdict.reason}")


def _read(fault: Fault, reply: Cleaned) -> Proposed:
    if reply.action == "remove":
        return Proposed(reason=f"the model finds nothing in the source to say in its place; {fault.verdict.reason}")
    places = aligned(reply.excerpt, fault.excerpt)
    excerpt = " … ".join(fault.excerpt[one.start : one.end] for one in places)
    return Proposed(
        one_line(reply.text),
        f"edited to what the source says: “{excerpt}”",
        excerpt,
        reversed=fault.verdict.label == "contradicts",
    )


# --- an edit without a model ---------------------------------------------------------------------------------------

_QUANTITY = re.compile(r"[<>≤≥=−-]?\s?\d")
_FIGURES = re.compile(r"[\s\d.,<>≤≥=−–-]+")
_UNIT = re.compile(r"[%°]?[^\W\d]{0,8}(?:/[^\W\d]{1,6}){0,2}")
"""What a quantity is without its figures; "0.07 with budesonide" is more than one, and is not moved."""

_ARTICLE = re.compile(r"\b([Aa])n?(?=\s\Z)")
_ENDING = re.compile(r"(?:ed|ing|(?<!s)s)?\Z")


def _exchanged(fault: Fault) -> Proposed:
    """One word of the claim exchanged for the source's own, when the claim is but for it what its sentence says."""
    found = _distinct(disagreements(fault.claim.text, fault.sentence)) if fault.sentence else []
    if len(found) != 1 or not _fits(found[0], fault.claim.text):
        return Proposed(reason=_removed(fault))
    wrong, right = found[0].claim, found[0].evidence
    text = _replaced(fault.claim.text, wrong, right)
    if coverage(text, fault.sentence) < 1 or disagreements(text, fault.sentence):
        return Proposed(reason=_removed(fault))
    reason = f"“{wrong}” is “{right}” in the source: “{fault.sentence}”"
    return Proposed(text, reason, fault.sentence, reversed=found[0].kind == "direction")


def _distinct(found: Sequence[Disagreement]) -> list[Disagreement]:
    """One of those that name the same place of the claim: "30 %" and its "30"."""
    kept: list[Disagreement] = []
    for one in sorted(found, key=lambda one: -len(one.claim)):
        if not any(one.claim in other.claim and one.evidence in other.evidence for other in kept):
            kept.append(one)
    return kept


def _fits(found: Disagreement, claim: str) -> bool:
    """Whether the source's words can stand where the claim's stand: a quantity, or a direction in the same form."""
    if len(_places(claim, found.claim)) != 1:
        return False
    if found.kind != "direction":
        both = (found.claim, found.evidence)
        return all(_QUANTITY.match(words) and _UNIT.fullmatch(_FIGURES.sub("", words)) for words in both)
    endings = (_ENDING.search(word) for word in (found.claim, found.evidence))
    return len({ending.group() for ending in endings if ending}) == 1


def _places(text: str, words: str) -> list[re.Match[str]]:
    return [*re.finditer(rf"(?<![\w.,]){re.escape(words)}(?!\w|[.,]\d)", text, re.IGNORECASE)]


def _replaced(text: str, wrong: str, right: str) -> str:
    place = _places(text, wrong)[0]
    word = right[:1].upper() + right[1:] if place.group()[:1].isupper() else right
    before = _ARTICLE.sub(rf"\g<1>{'n' * (word[:1] in 'aeiou')}", text[: place.start()])
    return before + word + text[place.end() :]


# --- what an edit has to be ----------------------------------------------------------------------------------------


def _sound(fault: Fault, made: Proposed) -> Proposed:
    """The proposal, unless it is none: as before, too short, without words of the source, with numbers of its own."""
    if not made.text:
        return made
    if folded(made.text) == folded(fault.claim.text):
        return Proposed(reason=f"the edit changes nothing; {fault.verdict.reason}")
    if len(stems(made.text)) < FEWEST:
        return Proposed(reason=f"the edit says nothing any more; {fault.verdict.reason}")
    if len(made.text) > LONGEST * len(fault.claim.text) + ROOM:
        return Proposed(reason=f"the edit says more than the statement set out to say; {fault.verdict.reason}")
    if not made.excerpt:
        return Proposed(reason=f"the edit shows no words of the source; {fault.verdict.reason}")
    had = {one.value for one in quantities(made.excerpt)}
    if strange := next((one.words for one in quantities(made.text) if one.value not in had), ""):
        return Proposed(reason=f"the edit has a number that its excerpt has not (“{strange}”); {fault.verdict.reason}")
    return made


def _removed(fault: Fault) -> str:
    return fault.verdict.reason if fault.source else f"{NO_SOURCE}; {fault.verdict.reason}"
