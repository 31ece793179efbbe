"""A question whose answer is known, and how it stands in a line of JSON in the form of our own.

    {"id": "q1", "question": "…", "answer": "yes", "source": ["pubmed:1"], "as_of": "2019-12-31", "answerable": true,
     "options": {"A": "…", "B": "…"}, "facts": [{"fact": "…", "pattern": "…"}], "must_have": ["…"],
     "nice_to_have": ["…"], "reference": ["…"], "patient": "…", "group": "…", "context": ["…"],
     "kind": "factoid", "exact": [["…", "…"]], "snippets": [{"document": "pubmed:1", "text": "…"}]}

Only `id` and `question` have to be there.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    StrictBool,
    StringConstraints,
    model_validator,
)

from wellsourced.types import Value
from wellsourced_evaluate.recorded_rows import RecordedRow, Words

YES_NO_LABELS = ("yes", "no", "maybe")

QuestionKind = Literal["", "yesno", "factoid", "list", "summary"]
"""What a question asks for, as BioASQ has it; "" when nobody says."""


class BadRow(ValueError):
    """What is wrong with a line."""


class SkippedRow(Exception):
    """The kind of a record that is not asked."""


def _list_texts(given: Any) -> Any:
    """One text or several, or none."""
    if given and not isinstance(given, str | list | tuple):
        raise ValueError("it is neither a text nor a list of texts")
    return [given] if isinstance(given, str) and given else given or ()


def _drop_empty(names: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(name.strip() for name in names if name.strip())
    if not kept:
        raise ValueError("it has no name")
    return kept


def _read_day(given: Any) -> Any:
    try:
        return date.fromisoformat(given) if isinstance(given, str) else given
    except ValueError as error:
        raise ValueError(f"“{given}” is not a day such as 2019-12-31") from error


def _require_options(options: Mapping[str, str]) -> Mapping[str, str]:
    if len(options) == 1:
        raise ValueError("there are fewer than two")
    return options


def _require_expression(pattern: str) -> str:
    try:
        re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"“{pattern}” is not a regular expression ({error})") from error
    return pattern


Text = Annotated[Words, AfterValidator(str.strip)]
OptionalText = Annotated[str, StringConstraints(strip_whitespace=True), BeforeValidator(lambda given: given or "")]
Texts = Annotated[tuple[Words, ...], BeforeValidator(_list_texts)]
Names = Annotated[tuple[str, ...], AfterValidator(_drop_empty), BeforeValidator(_list_texts)]
"""All names of a thing, or its only one. An empty name beside others is none."""


class ExpectedFact(Value):
    """Something that an answer should say: a regular expression finds it, or, without one, a judge of support.

    is_optional   it may be left out, and may not be contradicted
    """

    fact: str
    pattern: str = ""
    is_optional: bool = False


class MarkedSnippet(RecordedRow):
    """Words of a document that somebody marked as the evidence for an answer."""

    document: Words
    text: Text


class QuestionCase(RecordedRow):
    """A question, and what is known of its answer.

    answer       "yes", "no" or "maybe", or a letter of the options; "" when it is not known
    facts        what the answer should say
    kind         whether yes or no, one thing, a list or a summary is asked for; "" when nobody says
    exact        the things that are the exact answer, each by all its names: one of a factoid, those of a list
    snippets     what people marked as evidence
    references   texts of people that answer it, each in full
    patient      whom it is about: kept from models and services as the settings say, unlike the question
    sources      ids of the documents from which the question was made
    excluded     ids of documents that may not answer it, whatever the regime
    as_of        the last day of what could be known when it was made
    answerable   whether what is searched answers it; None: nobody says
    group        cases of one group are not independent, and are kept together when a set is split
    context      texts that answer it, for studies of contexts
    """

    id: Text
    question: Text
    answer: OptionalText = ""
    options: Annotated[
        Mapping[str, str], AfterValidator(_require_options), BeforeValidator(lambda given: given or {})
    ] = Field(default_factory=dict)
    facts: tuple[ExpectedFact, ...] = ()
    # Other files have kinds of their own, such as "dose", which are none of what is scored.
    kind: Annotated[QuestionKind, BeforeValidator(lambda given: given if given in get_args(QuestionKind) else "")] = ""
    exact: Annotated[tuple[Names, ...], BeforeValidator(_list_texts)] = ()
    snippets: Annotated[tuple[MarkedSnippet, ...], BeforeValidator(_list_texts)] = ()
    references: Texts = Field((), validation_alias=AliasChoices("reference", "references"))
    patient: OptionalText = ""
    sources: Texts = Field((), validation_alias=AliasChoices("source", "sources"))
    excluded: Texts = Field((), validation_alias=AliasChoices("exclude", "excluded"))
    as_of: Annotated[date | None, BeforeValidator(_read_day)] = None
    answerable: StrictBool | None = None
    group: OptionalText = ""
    context: Texts = ()

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The sources by every id under which a library or PubMed may have them: a bare number is a PMID."""
        return tuple(name for one in self.sources for name in ((one, f"pubmed:{one}") if one.isdecimal() else (one,)))

    @model_validator(mode="after")
    def _require_known_answer(self) -> Self:
        labels = self.options or YES_NO_LABELS
        if self.answer and self.answer not in labels:
            raise ValueError(f"its answer “{self.answer}” is none of {', '.join(labels)}")
        if self.exact and self.kind not in ("factoid", "list"):
            raise ValueError("it has an exact answer, and its kind is neither factoid nor list")
        return self


class PatternRow(RecordedRow):
    """A fact that a regular expression finds."""

    fact: OptionalText = ""
    pattern: Annotated[Words, AfterValidator(_require_expression)]


class FactRows(RecordedRow):
    """What an answer should say, as a row has it."""

    facts: Annotated[tuple[PatternRow, ...], BeforeValidator(_list_texts)] = ()
    must_have: Texts = ()
    nice_to_have: Texts = ()


def build_case(row: Mapping[str, Any]) -> QuestionCase:
    """A case of a row in the form of our own. Raises ValidationError."""
    own = FactRows.model_validate(row)
    facts = (
        *(ExpectedFact(fact=one.fact or one.pattern, pattern=one.pattern) for one in own.facts),
        *(ExpectedFact(fact=text) for text in own.must_have),
        *(ExpectedFact(fact=text, is_optional=True) for text in own.nice_to_have),
    )
    return QuestionCase.model_validate({**row, "facts": facts})
