"""Records of published sets as rows of our own: by a map of fields, "conversion:its field,…" for each of ours.

A row in the form of our own is checked where cases are made of it (`case_rows`). What a record lacks is a BadRow.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow, SkippedRow

Row = dict[str, Any]
Record = Mapping[str, Any]

GROUP_PREFIXES: Mapping[str, tuple[str, int]] = {
    "bioasq": ("bq-", 12),
    "expertqa": ("oq-", 10),
    "briefcontext_medq": ("bc-", 10),
    "kqa": ("kqa-", 10),
}
"""Set → prefix of the groups of its JSON lines, and how many hexadecimal digits follow; others by their names, 12."""

CITATION_MARK = re.compile(r" ?\[\d+\]")


def require_object(value: Any) -> Record:
    """The record, which has to be an object. Raises BadRow."""
    if not isinstance(value, Mapping):
        raise BadRow("it is no JSON object")
    return value


def require_text(record: Record, name: str) -> str:
    """A field that has to have words. Raises BadRow."""
    text = read_text(record, name)
    if not text:
        raise BadRow(f"its {name} is empty" if record.get(name) is not None else f"it has no {name}")
    return text


def read_text(record: Record, name: str) -> str:
    """A field that may be missing or empty, without blanks around it. Raises BadRow for what is no text."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRow(f"its {name} is no text")
    return value.strip()


def read_texts(record: Record, name: str) -> list[str]:
    """One text or several, as far as they have words. Raises BadRow for what is neither."""
    value = record.get(name)
    texts = [value] if isinstance(value, str) else value or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadRow(f"its {name} is neither a text nor a list of texts")
    return [text.strip() for text in texts if text.strip()]


def require_label(record: Record, name: str, labels: Sequence[str]) -> str:
    """A field that has one of the labels. Raises BadRow."""
    label = require_text(record, name)
    if label not in labels:
        raise BadRow(f"its {name} “{label}” is none of {', '.join(labels)}")
    return label


def require_options(record: Record, name: str = "options") -> dict[str, Any]:
    """The options by their letters. Raises BadRow."""
    options = record.get(name)
    if not isinstance(options, dict):
        raise BadRow("it has no options")
    return options


def strip_marks(text: str) -> str:
    """The text without its marks of citation: without “[1]”."""
    return CITATION_MARK.sub("", text).strip()


def hash_question(question: str) -> str:
    """The SHA-1 of its words: equal questions have one, in whatever file they are."""
    words = " ".join(re.findall(r"[a-z0-9]+", question.lower())) or question
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()


def name_group(set_name: str, question: str) -> str:
    """The group of a question, as its JSON lines name it: so that it is known of other files too what was fitted."""
    prefix, digits = GROUP_PREFIXES.get(set_name, (f"{set_name}-", 12))
    return prefix + hash_question(question)[:digits]


def translate_lines(record: Any) -> Row:
    """The fields that all JSON lines of our data have: id, question, group, the documents they were made from."""
    fields = require_object(record)
    return {**{name: fields.get(name) for name in ("id", "question", "group")}, "source": fields.get("gold_doc_ids")}


def translate_own(record: Any) -> Row:
    """A row in the form of our own, as it is."""
    return dict(require_object(record))


class FieldMap:
    """A translation by a map of fields.

    is_lines   whether the record is a line of our data, whose common fields are taken too
    skip       a field and a reason: records that lack it, or say false there, are not asked; () for none
    """

    def __init__(self, set_name: str, fields: Mapping[str, str], *, is_lines: bool, skip: Sequence[str] = ()) -> None:
        self._set, self._is_lines, self._skip = set_name, is_lines, skip
        self._fields = [(ours, *spec.partition(":")[::2]) for ours, spec in fields.items()]

    def __call__(self, record: Any) -> Row:
        """The row of a record. Raises BadRow and SkippedRow."""
        fields = require_object(record)
        if self._skip and fields.get(self._skip[0]) in (None, False):
            raise SkippedRow(self._skip[1])
        row = translate_lines(fields) if self._is_lines else {}
        for ours, conversion, theirs in self._fields:
            row[ours] = CONVERSIONS[conversion]({**fields, "_set": self._set}, theirs, row)
        return row


def _fill_form(fields: Record, form: str, _: Row) -> str:
    """An id of a pattern with fields in it; a spreadsheet may have whole numbers as 1.0."""
    names = [name for _, name, _, _ in Formatter().parse(form) if name]
    values = {n: fields[n] if n.startswith("_") else require_text(fields, n).removesuffix(".0") for n in names}
    return form.format(**values)


def _first_text(fields: Record, names: str, _: Row) -> str:
    return next((text for name in names.split(",") if (text := read_text(fields, name))), "")


def _require_first(fields: Record, names: str, row: Row) -> str:
    return _first_text(fields, names, row) or require_text(fields, names.rpartition(",")[2])


def _require_pmid(fields: Record, name: str, _: Row) -> str:
    pmid = require_text(fields, name).removesuffix(".0")
    if not pmid.isdecimal():
        raise BadRow(f"its key “{pmid}” is no PMID" if name == "_key" else f"its {name} “{pmid}” is no number")
    return pmid


def _last_day(fields: Record, name: str, _: Row) -> str | None:
    year = read_text(fields, name)
    if year and not re.fullmatch(r"\d{4}", year):
        raise BadRow(f"its {name} “{year}” is no year")
    return f"{year}-12-31" if year else None


def _american_day(fields: Record, name: str, _: Row) -> str | None:
    text = read_text(fields, name)
    found = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text)
    if text and not found:
        raise BadRow(f"its date “{text}” is no day such as 7/9/2021")
    return f"{found[3]}-{int(found[1]):02}-{int(found[2]):02}" if found else None


def _require_value(fields: Record, name: str, _: Row) -> Any:
    if not fields.get(name):
        raise BadRow(f"it has no {name}")
    return fields[name]


def _require_statements(fields: Record, names: str, _: Row) -> list[str]:
    """The statements; none only where there is an answer to compare with."""
    name, answer = names.split(",")
    statements = read_texts(fields, name)
    if name not in fields or not (statements or read_text(fields, answer)):
        raise BadRow(f"it has no {name}")
    return statements


CONVERSIONS: Mapping[str, Callable[[Record, str, Row], Any]] = {
    "raw": lambda fields, name, _: fields.get(name),
    "some": _require_value,
    "text": _first_text,
    "words": _require_first,
    "texts": lambda fields, name, _: read_texts(fields, name),
    "statements": _require_statements,
    "unmarked": lambda fields, name, _: strip_marks(read_text(fields, name)),
    "options": lambda fields, name, _: require_options(fields, name),
    "letter": lambda fields, name, row: require_label(fields, name, tuple(row["options"])),
    "label": lambda fields, name, _: require_label(fields, name, YES_NO_LABELS),
    "pmid": _require_pmid,
    "year": _last_day,
    "day": _american_day,
    "form": _fill_form,
    "row": lambda _, name, row: row[name],
    "hash": lambda fields, _, row: name_group(fields["_set"], row["question"]),
}
"""Name → what makes a field of ours: of the record, the names of its fields, and the row as far as it is made."""
