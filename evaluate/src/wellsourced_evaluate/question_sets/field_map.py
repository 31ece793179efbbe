"""Records of published sets as rows of our own: by a map of fields, "conversion:its field,…" for each of ours.

A row in the form of our own is checked where cases are made of it (`case_rows`). What a record lacks is a BadRow.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from string import Formatter
from typing import Any, get_args

from wellsourced_evaluate.questions.case_rows import YES_NO_LABELS, BadRow, QuestionKind

Row = dict[str, Any]
Record = Mapping[str, Any]

GROUP_PREFIXES: Mapping[str, tuple[str, int]] = {
    "bioasq": ("bq-", 12),
    "expertqa": ("oq-", 10),
    "briefcontext_medq": ("bc-", 10),
    "geneturing": ("geneturing-", 10),
    "kqa": ("kqa-", 10),
}
"""Set → prefix of the groups of its JSON lines, and how many hexadecimal digits follow; others by their names, 12."""


def map_fields(fields: Record, spelled: Mapping[str, str]) -> Row:
    """The row that a map of fields makes of a record. Raises BadRow."""
    row: Row = {}
    for ours, spec in spelled.items():
        conversion, _, theirs = spec.partition(":")
        row[ours] = CONVERSIONS[conversion](fields, theirs, row)
    return row


def read_field(record: Record, name: str) -> str:
    """A field that may be missing or empty, without blanks around it. Raises BadRow for what is no text."""
    return read_text(record, name, needed=False)


def read_text(record: Record, name: str, *, needed: bool = True) -> str:
    """The text of a field, without blanks around it. Raises BadRow."""
    value = record.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise BadRow(f"it has no {name}" if value is None else f"its {name} is not a text")
    if needed and not value.strip():
        raise BadRow(f"its {name} is empty")
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
    label = read_text(record, name)
    if label not in labels:
        raise BadRow(f"its {name} “{label}” is none of {', '.join(labels)}")
    return label


def strip_marks(text: str) -> str:
    """The text without its marks of citation: without “[1]”."""
    return re.sub(r" ?\[\d+\]", "", text).strip()


def hash_question(question: str) -> str:
    """The SHA-1 of its words: equal questions have one, in whatever file they are."""
    words = " ".join(re.findall(r"[a-z0-9]+", question.lower())) or question
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()


def name_group(set_name: str, question: str) -> str:
    """The group of a question, as its JSON lines name it: so that it is known of other files too what was fitted."""
    prefix, digits = GROUP_PREFIXES.get(set_name, (f"{set_name}-", 12))
    return prefix + hash_question(question)[:digits]


def _fill_form(fields: Record, form: str, _: Row) -> str:
    """An id of a pattern with fields in it; a spreadsheet may have whole numbers as 1.0."""
    names = [name for _, name, _, _ in Formatter().parse(form) if name]
    values = {n: fields[n] if n.startswith("_") else read_text(fields, n).removesuffix(".0") for n in names}
    return form.format(**values)


def _first_text(fields: Record, names: str, _: Row) -> str:
    return next((text for name in names.split(",") if (text := read_field(fields, name))), "")


def _require_first(fields: Record, names: str, row: Row) -> str:
    return _first_text(fields, names, row) or read_text(fields, names.rpartition(",")[2])


def _require_value(fields: Record, name: str, _: Row) -> Any:
    if not fields.get(name):
        raise BadRow(f"it has no {name}")
    return fields[name]


def _require_options(fields: Record, name: str, _: Row) -> Record:
    """The options by their letters."""
    options = fields.get(name)
    if not isinstance(options, dict):
        raise BadRow("it has no options")
    return options


def _list_options(fields: Record, names: str, _: Row) -> Row:
    """The options in fields of their own, "letter=its field,…"; one may be empty."""
    pairs = [pair.split("=") for pair in names.split(",")]
    if missing := next((name for _, name in pairs if name not in fields), ""):
        raise BadRow(f"it has no {missing}")
    return {letter: read_field(fields, name) for letter, name in pairs}


def _choose_label(fields: Record, names: str, row: Row) -> str:
    """Yes, no or maybe: what the options have for the letter that is right."""
    name, options_name = names.split(",")
    options = _require_options(fields, options_name, row)
    label = options[require_label(fields, name, tuple(options))]
    if label not in YES_NO_LABELS:
        raise BadRow(f"its option “{label}” is none of {', '.join(YES_NO_LABELS)}")
    return str(label)


def _require_pmid(fields: Record, name: str, _: Row) -> str:
    pmid = read_text(fields, name).removesuffix(".0")
    if not pmid.isdecimal():
        raise BadRow(f"its key “{pmid}” is not a PMID" if name == "_key" else f"its {name} “{pmid}” is not a number")
    return pmid


def _list_sources(fields: Record, names: str, _: Row) -> list[str]:
    """What the first field that says something names: one document, or several."""
    named: Any = next((fields[name] for name in names.split(",") if fields.get(name)), [])
    return [str(source) for source in (named if isinstance(named, list) else [named])]


def _describe_findings(fields: Record, names: str, _: Row) -> str:
    """What is known of a patient, "column=its name,…": what was known when it was asked, and nothing later."""
    pairs = [pair.split("=") for pair in names.split(",")]
    findings = [f"{name}: {text}" for column, name in pairs if (text := read_field(fields, column))]
    if not findings:
        raise BadRow("it says nothing about the patient")
    return ". ".join(findings)


def _last_day(fields: Record, name: str, _: Row) -> str | None:
    year = read_field(fields, name)
    if year and not re.fullmatch(r"\d{4}", year):
        raise BadRow(f"its {name} “{year}” is not a year")
    return f"{year}-12-31" if year else None


def _day_before(fields: Record, name: str, _: Row) -> str | None:
    """The day before one such as 7/9/2021: the last on which nothing was known of what came out then."""
    text = read_field(fields, name)
    found = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text)
    if text and not found:
        raise BadRow(f"its date “{text}” is not a day such as 7/9/2021")
    if not found:
        return None
    return (date(int(found[3]), int(found[1]), int(found[2])) - timedelta(days=1)).isoformat()


def _require_statements(fields: Record, names: str, _: Row) -> list[str]:
    """The statements; none only where there is an answer to compare with."""
    name, answer = names.split(",")
    statements = read_texts(fields, name)
    if name not in fields or not (statements or read_field(fields, answer)):
        raise BadRow(f"it has no {name}")
    return statements


# --- what BioASQ has -------------------------------------------------------------------------------------------------


def _require_kind(fields: Record, names: str, _: Row) -> str:
    """What a question asks for; a summary has to have an answer to be compared with."""
    name, answer = names.split(",")
    kind, known = fields.get(name), get_args(QuestionKind)[1:]
    if kind not in known:
        raise BadRow(f"its {name} “{kind}” is none of {', '.join(known)}")
    if kind == "summary" and not read_texts(fields, answer):
        raise BadRow(f"it is a summary and has no {answer}")
    return str(kind)


def _yes_or_no(fields: Record, name: str, row: Row) -> str | None:
    """The label of a question that asks for one; early rounds write “Yes.”, and lists of one."""
    if row["kind"] != "yesno":
        return None
    answers = read_texts(fields, name)
    if not answers:
        raise BadRow(f"it has no {name}")
    label = answers[0].casefold().rstrip(".")
    if len(answers) > 1 or label not in ("yes", "no"):
        raise BadRow(f"its {name} “{', '.join(answers)}” is none of yes, no")
    return label


def _exact_things(fields: Record, name: str, row: Row) -> Any:
    """The exact answer of a question that asks for things."""
    return _require_value(fields, name, row) if row["kind"] in ("factoid", "list") else None


def _last_part(address: str) -> str:
    """The PMID in which an address of a document ends."""
    return address.rstrip("/").rpartition("/")[2]


def _name_documents(fields: Record, names: str, _: Row) -> Any:
    """Snippets, each by the PMID of its document."""
    name, document = names.split(",")
    found = fields.get(name)
    if not isinstance(found, list):
        return found
    return [{**one, "document": _last_part(str(one.get(document)))} if isinstance(one, dict) else one for one in found]


CONVERSIONS: Mapping[str, Callable[[Record, str, Row], Any]] = {
    "raw": lambda fields, name, _: fields.get(name),
    "some": _require_value,
    "text": _first_text,
    "words": _require_first,
    "texts": lambda fields, name, _: read_texts(fields, name),
    "statements": _require_statements,
    "unmarked": lambda fields, name, _: strip_marks(read_field(fields, name)),
    "options": _require_options,
    "columns": _list_options,
    "letter": lambda fields, name, row: require_label(fields, name, tuple(row["options"])),
    "label": lambda fields, name, _: require_label(fields, name, YES_NO_LABELS),
    "chosen": _choose_label,
    "kind": _require_kind,
    "yesno": _yes_or_no,
    "exact": _exact_things,
    "snippets": _name_documents,
    "addresses": lambda fields, name, _: [_last_part(address) for address in read_texts(fields, name)],
    "pmid": _require_pmid,
    "sources": _list_sources,
    "findings": _describe_findings,
    "year": _last_day,
    "day before": _day_before,
    "form": _fill_form,
    "row": lambda _, name, row: row[name],
    "hash": lambda fields, _, row: name_group(fields["_set"], row["question"]),
}
"""Name → what makes a field of ours: of the record, the names of its fields, and the row as far as it is made."""
