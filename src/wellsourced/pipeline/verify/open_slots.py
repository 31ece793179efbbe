"""What of a statement its source contradicts or does not have, by rule; and what becomes of it beside a judge's word.

A slot that is contradicted is one sharp question: the two places side by side, without the draft in view. All of an
answer go along with the wave that checks its statements. Where the model says no, the statement is not supported;
where it sees no difference, and its controls let it be believed, nothing is left: of 23 such marks that strangers read
beside their sources none was true. Else both places stay beside the statement. One that only another line has is asked
about, no more. A name that is nowhere in what is cited makes the statement not verified, whatever the judge says; so
does another word, unless the model, asked about it beside the source's words and believed, finds it said there.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.claims.extraction import strip_answer_word
from wellsourced.compare.slots import Slot, list_open_slots
from wellsourced.context import Context
from wellsourced.controls.record import clean_key
from wellsourced.errors import ModelError
from wellsourced.models.base import complete_or_error
from wellsourced.pipeline.prompt_window import make_batches
from wellsourced.pipeline.quote_placement import PassagesById, cited_passages, cited_sentences
from wellsourced.pipeline.read.screening import strip_personal_context
from wellsourced.pipeline.verify.consistency import ConsistencyResult, check_consistency
from wellsourced.pipeline.verify.local_checks import describe_case
from wellsourced.prompts.verification import ComparedPlaces, ComparePlaces, PlaceVerdict
from wellsourced.text.blocks import ancestors, find_blocks
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import collapse_whitespace, short_line
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Passage, Question, SourceDifference, Statement, Verdict, short_key

MAX_SHOWN_WORDS = 60
"""Words of the place in the source that are shown beside a statement."""

MAX_LINES_ABOVE = 2
"""Lines above the source's words that a sharp question shows with them, where they hang on none."""

MIN_COVERED = 0.8
"""Share of the source's words that a sentence or row has in which they stand."""

NOWHERE_KINDS = frozenset({"name", "outcome", "quantity word"})
"""Kinds of slots that a place may not lack. A figure that is nowhere overrules the judge; "may" that is left
out and a condition that is said in other words are told of as many right claims as wrong ones.
"""

UNASKED_KINDS = frozenset({"name"})
"""Of these kinds, what a model says the source means: of 1,304 claims 9 wrong ones lacked a name, and no right one; of
the other words 32 wrong ones and 10 right ones ("wrist" for "radial", "adults").
"""


def find_open_slots(question: Question, statement: Statement, passages: PassagesById) -> tuple[Slot, ...]:
    """Those of a statement that count, in English alone: the rules read no other language."""
    if question.language != "en":
        return ()
    source = "\n".join(map(text_under_titles, cited_passages(statement, passages)))
    claim, sentences = strip_answer_word(statement.text), cited_sentences(statement, passages)
    found = list_open_slots(claim, sentences, source, describe_case(question))
    counted = (one for one in found if one.state != "nowhere" or one.kind in NOWHERE_KINDS)
    return tuple(_widen_source(one, (*sentences, *source.split("\n"))) for one in counted)


def _widen_source(slot: Slot, lines: Sequence[str]) -> Slot:
    """The slot with the whole sentence or row in which the source's words stand: a few words say little."""
    if not slot.source:
        return slot
    whole = max(lines, key=lambda line: (stem_coverage(slot.source, line), -len(line)), default="")
    return slot._replace(source=whole) if stem_coverage(slot.source, whole) >= MIN_COVERED else slot


# --- asked -----------------------------------------------------------------------------------------------------------


class SharpAnswers(NamedTuple):
    """What a model said of the places, by the key of each question; what was not answered has none."""

    verdicts: Mapping[str, PlaceVerdict]
    notes: tuple[str, ...] = ()


NO_ANSWERS = SharpAnswers({})


async def ask_sharp_questions(
    question: Question,
    slots: Mapping[str, Sequence[Slot]],
    statements: Sequence[Statement],
    passages: PassagesById,
    context: Context,
) -> SharpAnswers:
    """Put each slot that has a place to `context.judging_model`, all in one call.

    slots   by the text of the statement that they are of
    """
    places = [_build_places(one, slot, passages) for one in statements for slot in _list_asked(slots, one)]
    if not places:
        return NO_ANSWERS
    # What is in question of one statement beside one place is one question.
    alike: dict[tuple[str, tuple[str, ...]], list[ComparedPlaces]] = {}
    for one in places:
        alike.setdefault((one.statement, one.source), []).append(one)
    asked = [_join_places(some) for some in alike.values()]
    model, about = context.judging_model, strip_personal_context(question)

    def build_prompt(some: Sequence[ComparedPlaces]) -> ComparePlaces:
        return ComparePlaces(question=about, places=tuple(some))

    calls = make_batches(model, build_prompt, asked, len(asked))
    replies = await asyncio.gather(*(complete_or_error(model, build_prompt(call)) for call in calls))
    failures = dict.fromkeys(reply.phrase for reply in replies if isinstance(reply, ModelError))
    heard = (item for reply in replies if not isinstance(reply, ModelError) for item in reply.items)
    verdicts = {clean_key(item.key): item for item in heard}
    return SharpAnswers(
        {one.key: verdicts[some[0].key] for some in alike.values() if some[0].key in verdicts for one in some},
        tuple(f"{model.name} could not be asked about words that differ: {why}" for why in failures),
    )


class HeardStatements(NamedTuple):
    """What models said of statements in one wave: the open slots of each by its text, the verdicts, the answers."""

    slots: Mapping[str, Sequence[Slot]]
    wave: ConsistencyResult
    answers: SharpAnswers


async def hear_statements(
    question: Question,
    statements: Sequence[Statement],
    passages: PassagesById,
    context: Context,
    *,
    is_known: bool = False,
) -> HeardStatements:
    """Ask what the passages say of each statement, and about its open slots, at the same time.

    is_known   the model that checks judged controls of this answer as they are
    """
    slots = {one.text: find_open_slots(question, one, passages) for one in statements}
    if not statements or not context.check.consistency:
        return HeardStatements(slots, ConsistencyResult({}), NO_ANSWERS)
    wave, answers = await asyncio.gather(
        check_consistency(question, statements, passages, context, is_known=is_known),
        ask_sharp_questions(question, slots, statements, passages, context),
    )
    return HeardStatements(slots, wave, answers)


def _list_asked(slots: Mapping[str, Sequence[Slot]], statement: Statement) -> list[Slot]:
    return [one for one in slots.get(statement.text, ()) if one.state != "nowhere" or one.kind not in UNASKED_KINDS]


def _slot_key(text: str, slot: Slot) -> str:
    return short_key(f"{text}\n{slot.kind}\n{slot.claim}\n{slot.source}")


def _build_places(statement: Statement, slot: Slot, passages: PassagesById) -> ComparedPlaces:
    passage, place = _find_place(statement, slot, passages)
    shown = collapse_whitespace(" ".join(place))
    quoted = (
        one.quote if passage and one.passage_id == passage.id else _name_quote(one.quote, passages[one.passage_id])
        for one in statement.citations
        if collapse_whitespace(one.quote) not in shown
    )
    return ComparedPlaces(
        key=_slot_key(statement.text, slot),
        statement=strip_answer_word(statement.text),
        words=slot.claim,
        title=passage.reference.title if passage else "",
        section=passage.section if passage else "",
        source=(*place, *dict.fromkeys(quoted)),
    )


def _join_places(some: Sequence[ComparedPlaces]) -> ComparedPlaces:
    """One question for several words; none of them where one is left out, which makes it one on the whole statement."""
    words = [one.words for one in some]
    return some[0].model_copy(update={"words": "; ".join(dict.fromkeys(words)) if all(words) else ""})


def _name_quote(quote: str, passage: Passage) -> str:
    """A quote of another passage than the one whose titles are shown, behind its own."""
    return ": ".join(filter(None, (passage.reference.title, passage.section, quote)))


def _find_place(statement: Statement, slot: Slot, passages: PassagesById) -> tuple[Passage | None, tuple[str, ...]]:
    """The passage that has the slot's words, and the lines of these under those that they hang on: the header of a
    table, the item of a list; else under those above.

    Of what is nowhere, the words that the statement rests on.
    """
    cited = cited_passages(statement, passages)
    words = slot.source or next((one.quote for one in statement.citations), "")
    for passage in cited:
        if found := align_quote(words, passage.text):
            blocks = find_blocks(passage.text)
            own = [
                place
                for place, one in enumerate(blocks)
                if one.span.start < found[-1].end and found[0].start < one.span.end
            ]
            above = {place for one in own for place in ancestors(blocks, one)}
            above = above or {*range(max(0, own[0] - MAX_LINES_ABOVE), own[0])} if own else above
            return passage, tuple(passage.text[slice(*blocks[place].span)] for place in sorted({*above, *own}))
    return (cited[0] if cited else None), (words,)


# --- what becomes of them --------------------------------------------------------------------------------------------


class SettledStatement(NamedTuple):
    """A statement with the differences that stay beside it, and what may be told of it."""

    statement: Statement
    verdict: Verdict


def settle_open_slots(
    statement: Statement,
    verdict: Verdict,
    slots: Sequence[Slot],
    answers: SharpAnswers = NO_ANSWERS,
    *,
    is_believed: bool = False,
) -> SettledStatement:
    """What the open slots leave of a model's word that the source supports the statement.

    is_believed   the model judged the controls of this wave as they are
    """
    if verdict.label != "supports" or not slots:
        return SettledStatement(statement, verdict)
    unsettled: list[Slot] = []
    for slot in slots:
        answer = answers.verdicts.get(_slot_key(statement.text, slot))
        if answer and answer.same == "no":
            words = f": “{short_line(collapse_whitespace(answer.quote), MAX_SHOWN_WORDS)}”" if answer.quote else ""
            said = f"“{slot.claim}” is not what its source says" if slot.claim else "its source says something else"
            reason = f"asked on its own, the model says that {said}{words}"
            return SettledStatement(statement, Verdict(label="silent", score=0.0, reason=reason, basis="model"))
        is_cleared = is_believed and answer is not None and answer.same == "yes"
        unsettled += () if is_cleared else (slot,)
    marks = tuple(_build_mark(slot) for slot in unsettled if slot.state == "contradicted")
    marked = statement.model_copy(update={"differences": marks}) if marks else statement
    nowhere = [slot.claim for slot in unsettled if slot.state == "nowhere"]
    if nowhere:
        told = "; ".join(f"“{words}”" for words in nowhere)
        reason = f"{told} appears nowhere in what it cites"
        return SettledStatement(marked, verdict.model_copy(update={"reason": reason, "basis": "likeness"}))
    return SettledStatement(marked, verdict)


def _build_mark(slot: Slot) -> SourceDifference:
    said, there = (short_line(collapse_whitespace(words), MAX_SHOWN_WORDS) for words in (slot.claim, slot.source))
    return SourceDifference(kind=slot.kind, statement=said, source=there)
