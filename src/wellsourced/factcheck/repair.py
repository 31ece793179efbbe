"""SourceCleanup: a sentence that does not stand gets the smallest edit that its source supports, or goes, or is marked.

Whole sentences alone are changed, since a part of one that several claims share cannot be moved without making a new
claim. No edit stands that is not verified when it is judged anew. Without a language model no word is exchanged: what
the sources contradict is removed, and all else that nobody verified is marked. A sentence that its neighbours lean on
stays, marked.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.compare.quantities import list_underived_quantities
from wellsourced.errors import ModelError
from wellsourced.factcheck.edited_text import strip_marks
from wellsourced.factcheck.pairing import DocumentWindows
from wellsourced.factcheck.run_store import RunStore
from wellsourced.factcheck.text_outline import ClaimPlace, TextOutline, group_claims
from wellsourced.factcheck.verdicts import has_retraction, was_read
from wellsourced.judges.base import Judge, Pair
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.models.base import Model
from wellsourced.prompts.verification import CleanUp, CleanUpReply
from wellsourced.text.sanitization import fold_case, one_line, short_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import Checkup, Claim, ClaimEdit, ClaimSourceVerdict, Verdict, VerdictStatus

MIN_CONTENT_WORDS = 3
"""Content words of a statement that says something."""

MAX_GROWTH, GROWTH_ROOM = 2, 80
"""An edit has at most so many times the characters of its statement, and so many more: the smallest was asked for."""

MAX_NOTE_WORDS = 30
"""Words of a note behind a sentence."""

_CLAUSES = re.compile(r"[,;]|\b(?:and|but|while|whereas|although|though|yet)\b", re.IGNORECASE)
"""What may part a claim into two."""

KEPT_REASON = "it was kept because its neighbours need it"

NO_SOURCE_REASON = "none of its sources could be read"


class EditProposal(NamedTuple):
    """New words for a sentence; none, with the reason, when it has to go. `excerpt`: the words that they rest on."""

    text: str = ""
    reason: str = ""
    excerpt: str = ""
    is_unchanged: bool = False


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
            is_whole = len(mine) == len(place.claims) and not any(_CLAUSES.search(one.claim.text) for one in mine)
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
    best = max(usable, key=lambda one: (one.verdict.status == "contradicted", one.own, one.verdict.score), default=None)
    parts = open_windows(best.source) if best else None
    if best is None or parts is None or not parts.spans:
        return ClaimFault(claim, verdict)
    part = parts.part_around(best.start, best.end) if best.quote else parts.best_parts(claim.text)[0]
    return ClaimFault(claim, verdict, best.source, parts.text[part.start : part.end])


async def repair_claims(checkup: Checkup, store: RunStore, judge: Judge, model: Model | None) -> tuple[ClaimEdit, ...]:
    """What becomes of each sentence of which a claim does not stand or was not verified; what was not judged stays.

    All proposals are made at once, and judged in one further wave. Raises ModelError as the judge does.
    """
    sentences = find_faulty_sentences(checkup, store)
    # Without a model nobody can word an edit: what remains is removing and marking.
    if model is None:
        proposed = [EditProposal() for _ in sentences]
    else:
        proposed = list(await asyncio.gather(*(_ask_edit(one, model) for one in sentences)))
    checked = [(one, _validate_proposal(one, made)) for one, made in zip(sentences, proposed, strict=True)]
    shown = list(dict.fromkeys(Pair(made.text, one.excerpt) for one, made in checked if made.text))
    verdicts = dict(zip(shown, await judge.judge(shown), strict=True)) if shown else {}
    edits = _keep_needed(checkup, sentences, [_build_edit(one, made, verdicts) for one, made in checked])
    return (*edits, *_mark_unverified(checkup, edits))


def _build_edit(sentence: FaultySentence, made: EditProposal, verdicts: Mapping[Pair, Verdict]) -> ClaimEdit:
    """The edit if it is verified; else the sentence goes if nothing of it stands and a source says so, or is marked."""
    edit = ClaimEdit(
        claim=sentence.faults[0].claim.number,
        claims=tuple(claim.number for claim in sentence.place.claims),
        before=sentence.text,
        after=sentence.text,
        source=sentence.source,
        reason=made.reason or sentence.reason,
    )
    if made.is_unchanged:
        return edit.model_copy(update={"action": "kept"})
    if made.text:
        again = verdicts[Pair(made.text, sentence.excerpt)]
        if again.is_confirmed:
            turned = sentence.is_contradicted
            return edit.model_copy(update={"action": "edited", "after": made.text, "reversed": turned})
        edit = edit.model_copy(
            update={"reason": f"no edit passed the check ({again.reason or again.label}); {sentence.reason}"}
        )
    # Removed only where a source says the opposite: that nobody found support does not make a sentence wrong.
    if sentence.is_whole and sentence.is_contradicted:
        return edit.model_copy(update={"action": "removed", "after": ""})
    return _mark_sentence(sentence, edit)


def _mark_sentence(sentence: FaultySentence, edit: ClaimEdit) -> ClaimEdit:
    note = _note("contradicted" if sentence.is_contradicted else "not supported", sentence.reason)
    return edit.model_copy(update={"action": "marked", "after": edit.before, "note": note})


def _note(status: str, reason: str) -> str:
    told = short_line(reason, MAX_NOTE_WORDS).replace("[", "(").replace("]", ")")
    told += "”" * (told.count("“") - told.count("”"))
    return f"{status}: {told}" if told else status


def _keep_needed(checkup: Checkup, sentences: Sequence[FaultySentence], made: Sequence[ClaimEdit]) -> list[ClaimEdit]:
    """The edits, in which a sentence that its neighbours need is marked and not removed; from the last to the first,
    since what stays may lean on what stands before it."""
    edits = list(made)
    outline = TextOutline(checkup.submitted.document.text)
    placed = [outline.sentences_at(one.place.start, one.place.end) for one in sentences]
    gone = {at for one, edit in zip(placed, edits, strict=True) if edit.action == "removed" for at in one}
    for number in reversed(range(len(edits))):
        if edits[number].action == "removed" and outline.is_needed(placed[number], gone):
            marked = _mark_sentence(sentences[number], edits[number])
            edits[number] = marked.model_copy(update={"reason": f"{marked.reason}; {KEPT_REASON}"})
            gone -= {*placed[number]}
    return edits


def _mark_unverified(checkup: Checkup, edits: Sequence[ClaimEdit]) -> list[ClaimEdit]:
    edited = {number for edit in edits for number in edit.claims}
    verdicts = dict(zip((claim.number for claim in checkup.submitted.claims), checkup.verdicts, strict=True))
    text = checkup.submitted.document.text
    marked = []
    for place in group_claims(text, checkup.submitted.claims):
        numbers = tuple(claim.number for claim in place.claims)
        doubted = [number for number in numbers if verdicts[number].status == "unverified"]
        # A sentence that was edited was judged anew: its old verdict is of words that are gone.
        if doubted and not edited.intersection(numbers):
            sentence, reason = strip_marks(text[place.start : place.end]), verdicts[doubted[0]].reason
            note = _note("not verified", reason)
            fields = {"claim": doubted[0], "claims": numbers, "before": sentence, "after": sentence, "reason": reason}
            marked.append(ClaimEdit.model_validate({**fields, "action": "marked", "note": note}))
    return marked


# --- a model's edit ------------------------------------------------------------------------------------------------


async def _ask_edit(sentence: FaultySentence, model: Model) -> EditProposal:
    if not sentence.excerpt:
        return EditProposal(reason=f"{NO_SOURCE_REASON}; {sentence.reason}")
    prompt = CleanUp(statement=sentence.text, source=sentence.excerpt, reason=sentence.reason)
    try:
        return _read_reply(sentence, await model.complete(prompt))
    except ModelError as error:
        return EditProposal(reason=f"it could not be edited ({error.phrase}); {sentence.reason}")


def _read_reply(sentence: FaultySentence, reply: CleanUpReply) -> EditProposal:
    if reply.action == "remove":
        return EditProposal(reason=f"the model found no replacement in the source; {sentence.reason}")
    if fold_case(reply.text) == fold_case(sentence.text):
        return EditProposal(reason=f"the model found no change to make; {sentence.reason}", is_unchanged=True)
    places = align_quote(reply.excerpt, sentence.excerpt)
    excerpt = " … ".join(sentence.excerpt[one.start : one.end] for one in places)
    return EditProposal(one_line(reply.text), f"edited to match the source: “{excerpt}”", excerpt)


# --- what an edit has to be ----------------------------------------------------------------------------------------


def _validate_proposal(sentence: FaultySentence, made: EditProposal) -> EditProposal:
    """The proposal, unless it is none: too short, too long, without words of the source, with numbers of its own."""
    wrong = _find_edit_fault(sentence, made) if made.text else ""
    return EditProposal(reason=f"the edit {wrong}; {sentence.reason}") if wrong else made


def _find_edit_fault(sentence: FaultySentence, made: EditProposal) -> str:
    if len(content_stems(made.text)) < MIN_CONTENT_WORDS:
        return "is empty"
    # Models like to add: the smallest edit was asked for, and more would be claims that the author never made.
    if len(made.text) > MAX_GROWTH * len(sentence.text) + GROWTH_ROOM:
        return "says more than the statement"
    if not made.excerpt:
        return "quotes nothing from the source"
    strange = _find_strange_number(sentence, made)
    return f"has a number that is not in its quote (“{strange}”)" if strange else ""


def _find_strange_number(sentence: FaultySentence, made: EditProposal) -> str:
    """A number of an edit that neither stands in its excerpt nor follows from it; those that stood stay, if the source
    has them.
    """
    kept = {one.value for one in extract_quantities(sentence.text)}
    kept &= {one.value for one in extract_quantities(sentence.excerpt)}
    new = list_underived_quantities(made.text, [made.excerpt], [made.excerpt])
    return next((one.words for one in new if one.value not in kept), "")
