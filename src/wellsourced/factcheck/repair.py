"""SourceCleanup: a claim that fails gets the smallest edit that its source supports, or is removed.

Nothing is edited without a source that could be read, and no edit stands that the judge does not find supported when
it is asked anew. Without a language model only one word is exchanged, where the source's own word is beyond doubt.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.claims.guard import Disagreement, find_disagreements
from wellsourced.clinical.quantities import extract_quantities
from wellsourced.errors import ModelError
from wellsourced.factcheck.document_windows import DocumentWindows
from wellsourced.factcheck.pairing import JudgingOptions, nearest_sentence, refuse_unfaithful
from wellsourced.factcheck.run_store import RETRIED_CLASSES, RunStore
from wellsourced.factcheck.verdicts import has_retraction, was_read
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model
from wellsourced.prompts.factcheck import CleanUp, CleanUpReply
from wellsourced.text.sanitization import fold_case, one_line
from wellsourced.text.sentences import Span
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.types import Checkup, Claim, ClaimEdit, ClaimSourceVerdict, Verdict

MAX_EXCERPT = 4_000
"""Characters of a source that an edit is made from."""

MIN_CONTENT_WORDS = 3
"""Content words of a statement that says something."""

MAX_GROWTH, GROWTH_ROOM = 2, 80
"""An edit has at most so many times the characters of its statement, and so many more: the smallest was asked for."""

NO_SOURCE_REASON = "no source of it could be read"


class ClaimFault(NamedTuple):
    """A claim that does not stand, the source that it is held against, and the part of it that is about the claim."""

    claim: Claim
    verdict: Verdict
    source: str = ""
    excerpt: str = ""
    sentence: str = ""


class EditProposal(NamedTuple):
    """New words for a claim; none, with the reason, when it has to go. `excerpt`: the words that they rest on."""

    text: str = ""
    reason: str = ""
    excerpt: str = ""
    reversed: bool = False


async def repair_claims(
    checkup: Checkup, store: RunStore, judge: Judge, model: Model | None, manner: JudgingOptions
) -> tuple[ClaimEdit, ...]:
    """What becomes of each claim that its sources contradict or do not say; what is not judged stays as it is.

    All proposals are made at once, and judged in one further wave. Raises ModelError as the judge does.
    """
    faults = _find_faults(checkup, store)
    if model:
        proposed = list(await asyncio.gather(*(_ask_edit(fault, model) for fault in faults)))
    else:
        proposed = [_exchange_word(fault) for fault in faults]
    checked = [(fault, _validate_proposal(fault, one)) for fault, one in zip(faults, proposed, strict=True)]
    shown = {Pair(one.text, fault.excerpt): one.excerpt for fault, one in checked if one.text}
    verdicts = dict(zip(shown, await judge.judge([*shown]), strict=True)) if shown else {}
    if not manner.guarded:
        for pair, said in verdicts.items():
            verdicts[pair] = refuse_unfaithful(pair.claim, said, shown[pair], pair.text)
    return tuple(_build_edit(fault, one, verdicts) for fault, one in checked)


def _build_edit(fault: ClaimFault, made: EditProposal, verdicts: Mapping[Pair, Verdict]) -> ClaimEdit:
    reason = made.reason or fault.verdict.reason
    after = made.text
    if after and (again := verdicts[Pair(after, fault.excerpt)]).label != "supports":
        after, reason = "", f"no edit stands ({again.reason or again.label}); {fault.verdict.reason}"
    return ClaimEdit(
        claim=fault.claim.number,
        before=fault.claim.text,
        after=after,
        source=fault.source,
        reason=reason,
        reversed=bool(after) and made.reversed,
    )


# --- what does not stand -------------------------------------------------------------------------------------------


def _find_faults(checkup: Checkup, store: RunStore) -> list[ClaimFault]:
    @cache
    def open_windows(source: str) -> DocumentWindows | None:
        document = store.load_document(source)
        return DocumentWindows(document, MAX_EXCERPT, 1) if document else None

    withdrawn = {one.key for one in checkup.traced if has_retraction(one)}
    by_claim: dict[int, list[ClaimSourceVerdict]] = defaultdict(list)
    for pairing in checkup.pairings:
        if was_read(pairing) and pairing.source not in withdrawn:
            by_claim[pairing.claim].append(pairing)
    told = zip(checkup.submitted.claims, checkup.verdicts, strict=True)
    spared = spared_claims(checkup)
    return [
        _build_fault(claim, verdict, by_claim[claim.number], open_windows)
        for claim, verdict in told
        if verdict.label in ("contradicts", "silent") and claim.number not in spared
    ]


def spared_claims(checkup: Checkup) -> set[int]:
    """Numbers of claims that nothing speaks against but that a source of theirs was not reached this time.

    Who is offline does not want all of a text removed. What is gone for good, or behind a login, spares nothing.
    """
    later = {one.key for one in checkup.traced if one.fetched in RETRIED_CLASSES and one.standing == "unreachable"}
    marked = {claim.number for claim in checkup.submitted.claims if claim.cites}
    unread = [one for one in checkup.pairings if one.source in later and not was_read(one)]
    missed = {one.claim for one in unread if one.own or one.claim not in marked}
    told = zip(checkup.submitted.claims, checkup.verdicts, strict=True)
    return {claim.number for claim, verdict in told if verdict.label == "silent" and claim.number in missed}


def _build_fault(
    claim: Claim,
    verdict: Verdict,
    usable: Sequence[ClaimSourceVerdict],
    open_windows: Callable[[str], DocumentWindows | None],
) -> ClaimFault:
    """The source that contradicts it, else the one of its own, else of all, that the judge finds nearest to it."""
    best = max(usable, key=lambda one: (one.verdict.label == "contradicts", one.own, one.verdict.score), default=None)
    parts = open_windows(best.source) if best else None
    if best is None or parts is None or not parts.spans:
        return ClaimFault(claim, verdict)
    part = parts.part_around(best.start, best.end) if best.quote else parts.best_parts(claim.text)[0]
    sentence = Span(best.start, best.end) if best.quote else nearest_sentence(parts.text, part, claim.text)
    return ClaimFault(claim, verdict, best.source, parts.text[slice(*part)], parts.text[slice(*sentence)])


# --- a model's edit ------------------------------------------------------------------------------------------------


async def _ask_edit(fault: ClaimFault, model: Model) -> EditProposal:
    if not fault.excerpt:
        return EditProposal(reason=_removal_reason(fault))
    prompt = CleanUp(statement=fault.claim.text, source=fault.excerpt, reason=fault.verdict.reason)
    try:
        return _read_reply(fault, await model.complete(prompt))
    except ModelError as error:
        return EditProposal(reason=f"it could not be edited ({error.phrase}); {fault.verdict.reason}")


def _read_reply(fault: ClaimFault, reply: CleanUpReply) -> EditProposal:
    if reply.action == "remove":
        return EditProposal(reason=f"the model finds nothing in the source to say in its place; {fault.verdict.reason}")
    places = align_quote(reply.excerpt, fault.excerpt)
    excerpt = " … ".join(fault.excerpt[one.start : one.end] for one in places)
    return EditProposal(
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


def _exchange_word(fault: ClaimFault) -> EditProposal:
    """One word of the claim exchanged for the source's own, when the claim is but for it what its sentence says."""
    found = _drop_contained(find_disagreements(fault.claim.text, fault.sentence)) if fault.sentence else []
    if len(found) != 1 or not _is_exchangeable(found[0], fault.claim.text):
        return EditProposal(reason=_removal_reason(fault))
    wrong, right = found[0].claim, found[0].evidence
    text = _replace_words(fault.claim.text, wrong, right)
    if stem_coverage(text, fault.sentence) < 1 or find_disagreements(text, fault.sentence):
        return EditProposal(reason=_removal_reason(fault))
    reason = f"“{wrong}” is “{right}” in the source: “{fault.sentence}”"
    return EditProposal(text, reason, fault.sentence, reversed=found[0].kind == "direction")


def _drop_contained(found: Sequence[Disagreement]) -> list[Disagreement]:
    """One of those that name the same place of the claim: "30 %" and its "30"."""
    kept: list[Disagreement] = []
    for one in sorted(found, key=lambda one: -len(one.claim)):
        if not any(one.claim in other.claim and one.evidence in other.evidence for other in kept):
            kept.append(one)
    return kept


def _is_exchangeable(found: Disagreement, claim: str) -> bool:
    """Whether the source's words can stand where the claim's stand: a quantity, or a direction in the same form."""
    if len(_find_places(claim, found.claim)) != 1:
        return False
    if found.kind != "direction":
        both = (found.claim, found.evidence)
        return all(_QUANTITY.match(words) and _UNIT.fullmatch(_FIGURES.sub("", words)) for words in both)
    endings = (_ENDING.search(word) for word in (found.claim, found.evidence))
    return len({ending.group() for ending in endings if ending}) == 1


def _find_places(text: str, words: str) -> list[re.Match[str]]:
    return [*re.finditer(rf"(?<![\w.,]){re.escape(words)}(?!\w|[.,]\d)", text, re.IGNORECASE)]


def _replace_words(text: str, wrong: str, right: str) -> str:
    place = _find_places(text, wrong)[0]
    word = right[:1].upper() + right[1:] if place.group()[:1].isupper() else right
    before = _ARTICLE.sub(rf"\g<1>{'n' * (word[:1] in 'aeiou')}", text[: place.start()])
    return before + word + text[place.end() :]


# --- what an edit has to be ----------------------------------------------------------------------------------------


def _validate_proposal(fault: ClaimFault, made: EditProposal) -> EditProposal:
    """The proposal, unless it is none: as before, too short, without words of the source, with numbers of its own."""
    wrong = _find_edit_fault(fault.claim.text, made) if made.text else ""
    return EditProposal(reason=f"the edit {wrong}; {fault.verdict.reason}") if wrong else made


def _find_edit_fault(statement: str, made: EditProposal) -> str:
    """What is wrong with an edit; "" for nothing."""
    if fold_case(made.text) == fold_case(statement):
        return "changes nothing"
    if len(content_stems(made.text)) < MIN_CONTENT_WORDS:
        return "says nothing any more"
    if len(made.text) > MAX_GROWTH * len(statement) + GROWTH_ROOM:
        return "says more than the statement set out to say"
    if not made.excerpt:
        return "shows no words of the source"
    had = {one.value for one in extract_quantities(made.excerpt)}
    strange = next((one.words for one in extract_quantities(made.text) if one.value not in had), "")
    return f"has a number that its excerpt has not (“{strange}”)" if strange else ""


def _removal_reason(fault: ClaimFault) -> str:
    return fault.verdict.reason if fault.source else f"{NO_SOURCE_REASON}; {fault.verdict.reason}"
