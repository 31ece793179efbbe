"""Questions from pages: what somebody could ask that a page answers, with the words that answer it."""

import asyncio
import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.claims.guard import find_disagreements
from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.pipeline.prompt_window import fit_items
from wellsourced.prompts.probing import GeneratedQuestionReply, GenerateQuestion
from wellsourced.text.passages import cut_passages
from wellsourced.text.sanitization import one_line
from wellsourced.types import Document, Passage, Value

MIN_CHARACTERS = 200
"""Characters of a page that a question can be made from (SourceCheckup, Methods: question generation)."""

MAX_PASSAGES = 24
"""Passages from the beginning of a page that are shown: about 24,000 characters."""

NAMES_THE_PAGE = re.compile(
    r"\b(?:this|the|that|above|following) (?:text|document|page|article|passage|excerpt|paper|study|website|authors?)\b"
    r"|\b(?:according to|mentioned|described|stated|discussed) (?:in|by|here|above)\b",
    re.IGNORECASE,
)


class GeneratedQuestion(Value):
    """A question that a page answers. `excerpt` is verbatim in its document, from `start` to `end`."""

    question: str
    answer: str
    excerpt: str
    start: int
    end: int
    source: str


class RejectedPage(Value):
    """A page that no question was made from, or whose question does not stand, and why."""

    source: str
    reason: str
    question: str = ""


class QuestionBatch(NamedTuple):
    """In the order of the pages; a page that could not be asked about at all raises nothing and is rejected."""

    questions: tuple[GeneratedQuestion, ...] = ()
    rejected: tuple[RejectedPage, ...] = ()


async def generate_questions(documents: Sequence[Document], model: Model) -> QuestionBatch:
    """One question for each page, all asked for in one wave. What fails for one page costs only that page."""
    made = await asyncio.gather(*(generate_question(document, model) for document in documents))
    return QuestionBatch(
        tuple(one for one in made if isinstance(one, GeneratedQuestion)),
        tuple(one for one in made if isinstance(one, RejectedPage)),
    )


async def generate_question(document: Document, model: Model) -> GeneratedQuestion | RejectedPage:
    """A question that stands alone, with words of the page that answer it; else why there is none."""
    source = document.reference.id
    if len(document.text.strip()) < MIN_CHARACTERS:
        return RejectedPage(source=source, reason=f"the page has fewer than {MIN_CHARACTERS} characters")
    try:
        made = await model.complete(_build_prompt(document, model))
    except ModelError as error:
        return RejectedPage(source=source, reason=error.phrase)
    return _validate_question(made, document)


def _build_prompt(document: Document, model: Model) -> GenerateQuestion:
    def prompt(passages: Sequence[Passage]) -> GenerateQuestion:
        end = max((passage.end for passage in passages), default=0)
        return GenerateQuestion(title=document.reference.title, text=document.text[:end])

    passages = cut_passages(document)[:MAX_PASSAGES]
    return prompt(fit_items(model, prompt, passages).kept or passages[:1])


def _validate_question(made: GeneratedQuestionReply, document: Document) -> GeneratedQuestion | RejectedPage:
    question, answer, source = one_line(made.question), one_line(made.answer), document.reference.id
    found = align_quote(made.excerpt, document.text)
    start, end = (found[0].start, found[-1].end) if found else (0, 0)
    excerpt = document.text[start:end]
    if not question or not answer:
        reason = "the model gave no question, or no answer to it"
    elif named := NAMES_THE_PAGE.search(question):
        reason = f"the question does not stand alone: it says “{named.group()}”"
    elif not found:
        reason = "the words that are to answer it are not in the page"
    elif other := next(iter(find_disagreements(answer, excerpt)), None):
        reason = f"the {other.kind} of the answer is not that of the page: “{other.claim}”"
    else:
        return GeneratedQuestion(question=question, answer=answer, excerpt=excerpt, start=start, end=end, source=source)
    return RejectedPage(source=source, reason=reason, question=question)
