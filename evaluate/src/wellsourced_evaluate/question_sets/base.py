"""What a loader says of its set: in which forms it is read, where it comes from, and what of it is scored.

A loader gives a record in the form of our own (`case_rows`), which says what is wrong with it. It raises BadRow for
what cannot be used, and SkippedRow, with the kind of the record, for what nothing here can score.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wellsourced_evaluate.questions.case_rows import BadRow

Row = dict[str, Any]
Container = Literal["lines", "json", "table", "workbook", "xml"]
Access = Literal["public", "on request", "credentialed"]


class SetRecord(NamedTuple):
    """A record of a file.

    where   as a message says it: "line 3", "record 7 (21645374)"
    value   what it says; a BadRow where it cannot be read
    """

    where: str
    value: Any


class SetForm(NamedTuple):
    """A way in which a set is written.

    name        "lines": JSON lines as our tables of data have them; "release": as the authors publish it
    about       which files these are, in a phrase
    container   what kind of file it is
    translate   a record → a row of our own
    markers     fields by which it is known: all of them are there
    file_name   a regular expression over the names of its files, where fields do not tell it; "": any
    read        the records of a file; None: each line, row or member is one
    """

    name: str
    about: str
    container: Container
    translate: Callable[[Any], Row]
    markers: tuple[str, ...] = ()
    file_name: str = ""
    read: Callable[[Path], Iterator[SetRecord]] | None = None


class SetDownload(NamedTuple):
    """A file that anybody may fetch.

    name     what it is called here
    sha256   "" where nobody has published one, so that only its length is checked
    """

    url: str
    name: str
    sha256: str = ""


class PublishedSet(NamedTuple):
    """A published set of questions.

    name        of the set, of its folder and of its JSON lines
    paper       who made it
    address     where it is to be had
    access      who may have it
    licence     in words for whoever uses it
    scored      what comes of it here
    forms       how it is read, the likeliest first
    files       where its files lie in a folder: each group is taken together, the first that is there counts
    downloads   files that can be fetched
    rows_of     the name of the set whose rows these are, where that is another
    parts       names of the sets of which it is made up; they are asked each by itself
    """

    name: str
    paper: str
    address: str
    access: Access
    licence: str
    scored: str
    forms: tuple[SetForm, ...]
    files: tuple[tuple[str, ...], ...] = ()
    downloads: tuple[SetDownload, ...] = ()
    rows_of: str = ""
    parts: tuple[str, ...] = ()

    @property
    def rows_name(self) -> str:
        """By what name it is known which of its rows anything was fitted on."""
        return self.rows_of or self.name


def require_object(value: Any) -> Mapping[str, Any]:
    """The record, which has to be an object. Raises BadRow."""
    if not isinstance(value, Mapping):
        raise BadRow("it is no JSON object")
    return value


def require_text(record: Mapping[str, Any], name: str) -> str:
    """A field that has to say something. Raises BadRow."""
    text = read_text(record, name)
    if not text:
        raise BadRow(f"its {name} is empty" if record.get(name) is not None else f"it has no {name}")
    return text


def read_text(record: Mapping[str, Any], name: str) -> str:
    """A field that may be missing or empty, without blanks around it. Raises BadRow for what is no text."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRow(f"its {name} is no text")
    return value.strip()


def read_texts(record: Mapping[str, Any], name: str) -> list[str]:
    """One text or several, as far as they say anything. Raises BadRow for what is neither."""
    value = record.get(name)
    several = [value] if isinstance(value, str) else value or []
    if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
        raise BadRow(f"its {name} is neither a text nor a list of texts")
    return [one.strip() for one in several if one.strip()]


def require_label(record: Mapping[str, Any], name: str, labels: tuple[str, ...]) -> str:
    """A field that says one of the labels. Raises BadRow."""
    label = require_text(record, name)
    if label not in labels:
        raise BadRow(f"its {name} “{label}” is none of {', '.join(labels)}")
    return label


def translate_lines(record: Any) -> Row:
    """What all JSON lines of our data have: id, question, group, the documents from which it was made."""
    fields = require_object(record)
    return {**{name: fields.get(name) for name in ("id", "question", "group")}, "source": fields.get("gold_doc_ids")}


GROUP_PREFIXES: Mapping[str, tuple[str, int]] = {
    "bioasq": ("bq-", 12),
    "expertqa": ("oq-", 10),
    "briefcontext_medq": ("bc-", 10),
    "kqa": ("kqa-", 10),
}
"""Set → how the groups of its JSON lines begin, and how many hexadecimal digits follow; others by their names, 12."""


def hash_question(question: str) -> str:
    """The SHA-1 of its words: equal questions have one, in whatever file they stand."""
    words = " ".join(re.findall(r"[a-z0-9]+", question.lower())) or question
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()


def name_group(set_name: str, question: str) -> str:
    """The group of a question, as its JSON lines name it: so that it is known of other files too what was fitted."""
    prefix, digits = GROUP_PREFIXES.get(set_name, (f"{set_name}-", 12))
    return prefix + hash_question(question)[:digits]
