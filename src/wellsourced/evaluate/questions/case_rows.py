"""A question whose answer is known, and how it stands in a line of JSON in the form of our own.

    {"id": "q1", "question": "…", "answer": "yes", "source": ["pubmed:1"], "as_of": "2019-12-31", "answerable": true,
     "options": {"A": "…", "B": "…"}, "facts": [{"fact": "…", "pattern": "…"}], "must_have": ["…"], "group": "…",
     "context": ["…"]}

Only `id` and `question` have to be there.
"""

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import Field

from wellsourced.types import Value

YES_NO_LABELS = ("yes", "no", "maybe")


class BadRow(Exception):
    """What is wrong with a line."""


class ExpectedFact(Value):
    """Something that an answer should say: a regular expression finds it, or, without one, a judge of support."""

    fact: str
    pattern: str = ""


class QuestionCase(Value):
    """A question, and what is known of its answer.

    answer       "yes", "no" or "maybe", or a letter of the options; "" when it is not known
    facts        what the answer should say
    sources      ids of the documents from which the question was made
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
    sources: tuple[str, ...] = ()
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
    except (ValueError, RecursionError) as error:
        raise BadRow("it is no JSON") from error
    if not isinstance(row, dict):
        raise BadRow("it is no JSON object")
    return row


def build_case(row: Mapping[str, Any]) -> QuestionCase:
    """A case of a row in the form of our own. Raises BadRow."""
    options = _read_options(row.get("options"))
    answer = _read_text(row, "answer", needed=False)
    labels = tuple(options) if options else YES_NO_LABELS
    if answer and answer not in labels:
        raise BadRow(f"its answer “{answer}” is none of {', '.join(labels)}")
    answerable = row.get("answerable")
    if answerable not in (None, True, False):
        raise BadRow("its answerable is neither true nor false")
    return QuestionCase(
        id=_read_text(row, "id"),
        question=_read_text(row, "question"),
        answer=answer,
        options=options,
        facts=(*_read_patterns(row.get("facts")), *_read_statements(row)),
        sources=_read_list(row, "source"),
        as_of=_read_day(row.get("as_of")),
        answerable=answerable,
        group=_read_text(row, "group", needed=False),
        context=_read_list(row, "context"),
    )


def _read_text(row: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
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
    if not isinstance(several, list) or not all(isinstance(one, str) and one.strip() for one in several):
        raise BadRow(f"its {name} is neither a text nor a list of texts")
    return tuple(several)


def _read_options(value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) < 2 or not all(isinstance(one, str) for one in value.values()):
        raise BadRow("its options are not two or more texts by their letters")
    return value


def _read_patterns(value: Any) -> list[ExpectedFact]:
    if not isinstance(value or [], list):
        raise BadRow("its facts are no list")
    found = []
    for one in value or []:
        pattern = one.get("pattern") if isinstance(one, dict) else None
        if not isinstance(pattern, str) or not pattern:
            raise BadRow("one of its facts has no pattern")
        try:
            re.compile(pattern, re.IGNORECASE)
        except re.error as error:
            raise BadRow(f"the pattern “{pattern}” is no regular expression ({error})") from error
        found.append(ExpectedFact(fact=str(one.get("fact") or pattern), pattern=pattern))
    return found


def _read_statements(row: Mapping[str, Any]) -> list[ExpectedFact]:
    return [ExpectedFact(fact=one) for one in _read_list(row, "must_have")]


def _read_day(value: Any) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise BadRow(f"its as_of “{value}” is no day such as 2019-12-31") from error
