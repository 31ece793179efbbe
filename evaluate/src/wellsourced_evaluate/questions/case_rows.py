"""A question whose answer is known, and how it stands in a line of JSON in the form of our own.

    {"id": "q1", "question": "…", "answer": "yes", "source": ["pubmed:1"], "as_of": "2019-12-31", "answerable": true,
     "options": {"A": "…", "B": "…"}, "facts": [{"fact": "…", "pattern": "…"}], "must_have": ["…"],
     "nice_to_have": ["…"], "reference": ["…"], "patient": "…", "group": "…", "context": ["…"],
     "kind": "factoid", "exact": [["…", "…"]], "snippets": [{"document": "pubmed:1", "text": "…"}]}

Only `id` and `question` have to be there.
"""

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import Field

from wellsourced.types import Value

YES_NO_LABELS = ("yes", "no", "maybe")

QuestionKind = Literal["", "yesno", "factoid", "list", "summary"]
QUESTION_KINDS: tuple[QuestionKind, ...] = ("yesno", "factoid", "list", "summary")
"""What a question asks for, as BioASQ has it."""


class BadRow(Exception):
    """What is wrong with a line."""


class SkippedRow(Exception):
    """The kind of a record that is not asked."""


class ExpectedFact(Value):
    """Something that an answer should say: a regular expression finds it, or, without one, a judge of support.

    is_optional   it may be left out, and may not be contradicted
    """

    fact: str
    pattern: str = ""
    is_optional: bool = False


class MarkedSnippet(Value):
    """Words of a document that somebody marked as the evidence for an answer."""

    document: str
    text: str


class QuestionCase(Value):
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

    id: str
    question: str
    answer: str = ""
    options: Mapping[str, str] = Field(default_factory=dict)
    facts: tuple[ExpectedFact, ...] = ()
    kind: QuestionKind = ""
    exact: tuple[tuple[str, ...], ...] = ()
    snippets: tuple[MarkedSnippet, ...] = ()
    references: tuple[str, ...] = ()
    patient: str = ""
    sources: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    as_of: date | None = None
    answerable: bool | None = None
    group: str = ""
    context: tuple[str, ...] = ()

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The sources by every id under which a library or PubMed may have them: a bare number is a PMID."""
        return tuple(name for one in self.sources for name in ((one, f"pubmed:{one}") if one.isdecimal() else (one,)))


def parse_row(line: bytes) -> dict[str, Any]:
    """The object of a line. Raises BadRow."""
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadRow(f"it is not UTF-8 text (byte {error.start + 1})") from error
    except (ValueError, RecursionError) as error:
        raise BadRow("it is no JSON") from error
    if not isinstance(row, dict):
        raise BadRow("it is no JSON object")
    return row


def build_case(row: Mapping[str, Any]) -> QuestionCase:
    """A case of a row in the form of our own. Raises BadRow."""
    options = read_options(row.get("options"))
    answer = read_text(row, "answer", needed=False)
    labels = tuple(options) if options else YES_NO_LABELS
    if answer and answer not in labels:
        raise BadRow(f"its answer “{answer}” is none of {', '.join(labels)}")
    answerable = row.get("answerable")
    if answerable not in (None, True, False):
        raise BadRow("its answerable is neither true nor false")
    # Other files have kinds of their own, such as "dose", which are none of what is scored.
    kind = row.get("kind") if row.get("kind") in QUESTION_KINDS else ""
    exact = _read_exact(row)
    if exact and kind not in ("factoid", "list"):
        raise BadRow("it has an exact answer, and its kind is neither factoid nor list")
    return QuestionCase(
        id=read_text(row, "id"),
        question=read_text(row, "question"),
        answer=answer,
        options=options,
        facts=_read_facts(row),
        kind=kind,
        exact=exact,
        snippets=_read_snippets(row),
        references=_read_list(row, "reference"),
        patient=read_text(row, "patient", needed=False),
        sources=_read_list(row, "source"),
        excluded=_read_list(row, "exclude"),
        as_of=_read_day(row.get("as_of")),
        answerable=answerable,
        group=read_text(row, "group", needed=False),
        context=_read_list(row, "context"),
    )


def read_text(row: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    """The text of a field, without blanks around it. Raises BadRow."""
    value = row.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise BadRow(f"it has no {name}" if value is None else f"its {name} is no text")
    if needed and not value.strip():
        raise BadRow(f"its {name} is empty")
    return value.strip()


def _read_list(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """One text or several."""
    value = row.get(name) or []
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list) or not all(isinstance(text, str) and text.strip() for text in several):
        raise BadRow(f"its {name} is neither a text nor a list of texts")
    return tuple(several)


def _read_things(row: Mapping[str, Any], name: str, fault: str) -> list[Any]:
    """A list of things; none where there is no such field."""
    value = row.get(name) or []
    if not isinstance(value, list):
        raise BadRow(fault)
    return value


def _read_exact(row: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Things with all their names: lists, or texts that have one name. An empty name beside others is none."""
    things = [
        [thing] if isinstance(thing, str) else thing for thing in _read_things(row, "exact", "its exact is no list")
    ]
    for names in things:
        if (
            not isinstance(names, list)
            or not all(isinstance(name, str) for name in names)
            or not "".join(names).strip()
        ):
            raise BadRow("its exact is no list of lists of names")
    return tuple(tuple(name.strip() for name in names if name.strip()) for names in things)


def _read_snippets(row: Mapping[str, Any]) -> tuple[MarkedSnippet, ...]:
    found = []
    for snippet in _read_things(row, "snippets", "its snippets are no list"):
        fields = snippet if isinstance(snippet, dict) else {}
        if not all(isinstance(fields.get(name), str) and fields[name].strip() for name in ("document", "text")):
            raise BadRow("one of its snippets has no document or no text")
        found.append(MarkedSnippet(document=fields["document"], text=fields["text"].strip()))
    return tuple(found)


def read_options(value: Any) -> dict[str, str]:
    """Letter → text of a multiple choice; nothing of None. Raises BadRow."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) < 2 or not all(isinstance(one, str) for one in value.values()):
        raise BadRow("its options are not two or more texts by their letters")
    return value


def _read_facts(row: Mapping[str, Any]) -> tuple[ExpectedFact, ...]:
    found = []
    for fact in _read_things(row, "facts", "its facts are no list"):
        pattern = fact.get("pattern") if isinstance(fact, dict) else None
        if not isinstance(pattern, str) or not pattern:
            raise BadRow("one of its facts has no pattern")
        try:
            re.compile(pattern, re.IGNORECASE)
        except re.error as error:
            raise BadRow(f"the pattern “{pattern}” is no regular expression ({error})") from error
        found.append(ExpectedFact(fact=str(fact.get("fact") or pattern), pattern=pattern))
    found += [ExpectedFact(fact=text) for text in _read_list(row, "must_have")]
    return (*found, *(ExpectedFact(fact=text, is_optional=True) for text in _read_list(row, "nice_to_have")))


def _read_day(value: Any) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadRow(f"its as_of “{value}” is no day such as 2019-12-31") from error


def case_to_row(case: QuestionCase) -> dict[str, Any]:
    """A case in the form of our own, as far as labels and facts score it; what is empty is left out."""
    row = {
        "id": case.id,
        "question": case.question,
        "answer": case.answer,
        "options": dict(case.options),
        "facts": [{"fact": one.fact, "pattern": one.pattern} for one in case.facts if one.pattern],
        "must_have": [one.fact for one in case.facts if not one.pattern],
        "source": list(case.sources),
        "as_of": case.as_of.isoformat() if case.as_of else None,
        "answerable": case.answerable,
        "group": case.group,
    }
    return {name: value for name, value in row.items() if value not in (None, "", [], {})}
