"""Let the model draft an answer, and tie every statement to the place its words come from."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.citations.quote_alignment import locate_quote
from wellsourced.context import Context
from wellsourced.models.base import Model
from wellsourced.pipeline.prompt_window import fit_items
from wellsourced.pipeline.quote_placement import ShownPassages, cite_statements
from wellsourced.pipeline.read.screening import has_all_numbers
from wellsourced.pipeline.write.not_found import check_glosses, check_not_found
from wellsourced.pipeline.write.options import read_reply_choice
from wellsourced.pipeline.write.prompt_choice import (
    PromptBuilder,
    build_merge_prompt,
    choose_prompt,
)
from wellsourced.prompts.writing import (
    AnswerAlone,
    AnswerDraft,
    Draft,
    MergedDraft,
    NotedPart,
    PlainDraft,
    RecommendationDraft,
)
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import one_line, short_line
from wellsourced.text.tokens import content_stems
from wellsourced.types import (
    NOT_REPORTED,
    Evidence,
    Gloss,
    Omission,
    Passage,
    Question,
    QuoteCounts,
    Recommendation,
    Statement,
    Verdict,
)

FROM_MEMORY = Verdict(label="unjudged", score=0.0, reason="from the model's own knowledge; no source was read")

UNCONFIRMED_NUMBER = "it has a number that is neither in the passages nor in the patient's text"

_OF_WHAT = re.compile(r"\s*(?:[(,;:]|\b(?:for|over|of|to|in)\b)")
"""Behind a strength, what it is the strength of: "Class I (a DOAC over warfarin)"."""

_NEGATION_BEFORE = re.compile(r"\b(?:very|no|not|nor|without|neither|insufficient)[ -]\Z")

WritingInput = Sequence[Evidence] | Sequence[NotedPart]
"""What an answer is written from: evidence, best first, or the notes that were taken of its parts."""


class WrittenDraft(NamedTuple):
    """A draft whose quotes are real; nobody has said yet that they support it.

    choice           key of the option that is right; "" when there are none, or none was named
    recommendation   what a recommendation says of itself; None: none was asked for
    glosses          terms that are explained from common knowledge
    resolution       how the writer settled what its parts do not agree on
    reasoning        how the choice was come to, where that was asked for
    decision         whether the statements say yes or no; None: that is not asked, or the model was not asked for it
    is_near          the statements are what stands nearest, and no answer
    missing          what is asked and stands nowhere, where that can be named
    not_found        parts of the question that a model found nothing on, beside what it answers
    writer           the language model whose statements these are; "": they are the sources' own sentences
    drafted_count, quotes   how many statements the draft had, and where its quotes were found
    topics           of the drafted statements, in their order, one for each
    also_read        keys of sections that may answer what is not found
    """

    statements: tuple[Statement, ...] = ()
    dropped: tuple[Omission, ...] = ()
    drafted_count: int = 0
    quotes: QuoteCounts = QuoteCounts()
    choice: str = ""
    notes: tuple[str, ...] = ()
    recommendation: Recommendation | None = None
    glosses: tuple[Gloss, ...] = ()
    resolution: str = ""
    reasoning: str = ""
    writer: str = ""
    not_found: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    also_read: tuple[str, ...] = ()

    @property
    def has_lead(self) -> bool:
        """Whether it had a short answer, found in the passages or not."""
        return any(one.lead for one in self.statements) or any(one.is_lead for one in self.dropped)

    def extend(self, other: "WrittenDraft", leads: int) -> "WrittenDraft":
        """With the draft of what this one found nothing on, each of its statements behind those of its topic.

        leads   statements that may lead, those of this one first
        """
        statements = [*self.statements]
        left = leads - sum(one.lead for one in statements)
        for one in other.statements:
            if any(one.text == known.text for known in statements):
                continue
            left -= one.lead
            same = [place for place, known in enumerate(statements) if known.topic.casefold() == one.topic.casefold()]
            place = same[-1] + 1 if same and one.topic else len(statements)
            statements.insert(place, one.model_copy(update={"lead": one.lead and left >= 0}))
        return self._replace(
            statements=tuple(statements),
            dropped=self.dropped + other.dropped,
            drafted_count=self.drafted_count + other.drafted_count,
            quotes=self.quotes + other.quotes,
            notes=self.notes + other.notes,
            glosses=self.glosses + other.glosses,
            not_found=other.not_found if other.statements else self.not_found,
            topics=self.topics + other.topics,
        )


async def write_answer(
    question: Question,
    evidence: Sequence[Evidence],
    context: Context,
    parts: Sequence[NotedPart] = (),
    contents: str = "",
    said: str = "",
) -> WrittenDraft:
    """Statements with citations, from the evidence, or from the notes that were taken of its parts.

    contents   headings of the same works that are not shown
    said       what the answer says already

    A statement whose quotes stand in no passage is dropped here; evidence that does not fit the model's window is left
    out, the least relevant first. Where the model fails, the sources' own sentences are the draft.

    Raises ModelError when the model fails and the context has nobody who could answer without one.
    """
    if not evidence:
        return WrittenDraft()
    asking = build_merge_prompt(question, context) if parts else choose_prompt(question, context, contents, said)
    if contents and not parts and context.model.context_left(asking(evidence)) < 0:
        # Of a small window the passages have all.
        asking = choose_prompt(question, context, written=said)
    written = await _write_draft(question, evidence, parts or evidence, asking, context)
    return written._replace(writer=context.model.name)


async def write_from_memory(question: Question, context: Context) -> WrittenDraft:
    """What the model says from its own knowledge: statements without citations, each marked as that.

    Raises ModelError: nobody else could answer without a source.
    """
    prompt = AnswerAlone(
        question=question,
        limit=context.policy.statements,
        leads=context.policy.leads,
        language=question.language,
        reasoning=context.write.reasoning,
    )
    reply = await context.model.complete(prompt)
    said = {text: one for one in reversed(reply.statements) if (text := one_line(one.text))}
    made = tuple(
        Statement(text=text, verdict=FROM_MEMORY, topic=one_line(one.topic), lead=one.lead)
        for text, one in reversed(said.items())
    )
    limit = context.policy.statements
    return WrittenDraft(
        _limit_leads(made[:limit], context.policy.leads),
        tuple(_omit_beyond_limit([one.text for one in made[limit:]], limit)),
        choice=pick_option(reply.choice, question),
        notes=_no_choice_notes(question, reply.choice),
        reasoning=reply.reasoning,
        writer=context.model.name,
    )


async def _write_draft(
    question: Question, evidence: Sequence[Evidence], shown: WritingInput, asking: PromptBuilder, context: Context
) -> WrittenDraft:
    # What fits nowhere is asked all the same: the model says how far it goes beyond its window.
    kept = fit_items(context.model, asking, shown).kept or tuple(shown[:1])
    draft = await context.model.complete(asking(kept))
    written = build_written_draft(question, draft, [item.passage for item in evidence], context)
    outside, told = _omit_unfitting(shown[len(kept) :], context.model)
    return written._replace(dropped=(*outside, *written.dropped), notes=(*told, *written.notes))


def build_written_draft(
    question: Question, draft: Draft, passages: Sequence[Passage], context: Context
) -> WrittenDraft:
    """A draft with its quotes at their places in these passages."""
    limit, made = context.policy.statements, cite_statements(draft.statements, ShownPassages(passages))
    statements = made.statements
    beyond = _omit_beyond_limit([statement.text for statement in statements[limit:]], limit)
    recommendation, uncounted = _build_recommendation(draft, passages, question)
    glosses, unexplained = check_glosses(draft.glosses if isinstance(draft, PlainDraft) else ())
    not_found, unnamed = check_not_found(draft.not_found, question)
    return WrittenDraft(
        _limit_leads(statements[:limit], context.policy.leads),
        (*made.dropped, *beyond, *uncounted, *unexplained, *unnamed),
        drafted_count=len(draft.statements),
        topics=tuple(one_line(one.topic) for one in draft.statements[:limit]),
        quotes=made.quotes,
        choice=pick_option(draft.choice, question),
        notes=(*made.notes, *_no_choice_notes(question, draft.choice)),
        recommendation=recommendation,
        glosses=glosses,
        not_found=not_found,
        also_read=draft.also_read if not_found and isinstance(draft, AnswerDraft) else (),
        resolution=one_line(draft.conflict) if isinstance(draft, MergedDraft) else "",
        reasoning=draft.reasoning.strip(),
    )


def _limit_leads(statements: Sequence[Statement], leads: int) -> tuple[Statement, ...]:
    """The statements, of which no more lead than may: a short answer is short."""
    leading = [statement for statement in statements if statement.lead][:leads]
    return tuple(
        statement if not statement.lead or statement in leading else statement.model_copy(update={"lead": False})
        for statement in statements
    )


def _build_recommendation(
    draft: Draft, passages: Sequence[Passage], question: Question
) -> tuple[Recommendation | None, tuple[Omission, ...]]:
    """What it says of itself, as far as the passages say it; a strength that none of them states is not reported.

    A limit with a number that neither they nor the patient's text have is left out.
    """
    if not isinstance(draft, RecommendationDraft):
        return None, ()
    # A strength that no source states would be the model's own grade; what it is of may be said in any words.
    strength, certainty = (
        next((part for part in (words, _OF_WHAT.split(words)[0]) if _has_stated_words(part, passages)), NOT_REPORTED)
        for words in (one_line(draft.strength), one_line(draft.certainty))
    )
    known = "\n".join((question.text, question.patient, *map(text_under_titles, passages)))
    limits = [said for limit in draft.limits if (said := one_line(limit))]
    uncounted = tuple(
        Omission.of_statement(limit, UNCONFIRMED_NUMBER) for limit in limits if not has_all_numbers(limit, known)
    )
    fit = tuple(limit for limit in limits if has_all_numbers(limit, known))
    return Recommendation(strength=strength, certainty=certainty, fit=fit), uncounted


def _has_stated_words(words: str, passages: Sequence[Passage]) -> bool:
    """Whether a passage has these words, in large letters or small, and does not say “very” or “no” before them."""
    said = words.casefold()
    found = ((locate_quote(said, text), text) for text in (passage.text.casefold() for passage in passages))
    return bool(content_stems(said)) and any(
        # "low" stands in "very low", which is another grade.
        place and not _NEGATION_BEFORE.search(text[: place.start])
        for place, text in found
    )


def pick_option(said: str, question: Question) -> str:
    """The key of the option that a reply names ("B", "b)", "Option B", the option's own words); "" if it names none."""
    return read_reply_choice(said, question.options).key if question.options else ""


def _no_choice_notes(question: Question, said: str) -> tuple[str, ...]:
    if not question.options or pick_option(said, question):
        return ()
    return (
        (f"unparsed: the model chose no option (“{short_line(said, 10)}”)",)
        if said.strip()
        else ("no option was chosen",)
    )


def _omit_beyond_limit(texts: Sequence[str], limit: int) -> Iterator[Omission]:
    return (Omission.of_statement(text, f"over the limit of {limit} statements in an answer") for text in texts)


def _omit_unfitting(left: WritingInput, model: Model) -> tuple[tuple[Omission, ...], tuple[str, ...]]:
    if not left:
        return (), ()
    reason = f"it does not fit the context window of {model.name}"
    names = [item.passage.id if isinstance(item, Evidence) else f"part {item.part}" for item in left]
    dropped = tuple(Omission.of_passage(item.passage, reason) for item in left if isinstance(item, Evidence))
    return dropped, (f"not shown to {model.name}, for lack of room: {', '.join(names)}",)
