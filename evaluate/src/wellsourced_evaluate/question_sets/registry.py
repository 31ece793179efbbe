"""Every published set of questions that can be read (published_sets.toml), which set a file is, and where it lies."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from wellsourced.errors import UnreadableFile
from wellsourced.types import Value
from wellsourced_evaluate.question_sets.containers import (
    CONTAINERS,
    Container,
    FileGlimpse,
    SetRecord,
    glimpse_file,
    read_member,
    read_records,
)
from wellsourced_evaluate.question_sets.field_map import Row, map_fields
from wellsourced_evaluate.question_sets.odd_sets import ODD_FORMS
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

OWN_FORM = "questions"

FOLDERS = ("", "qa")
"""Where in the folder of data a set may lie; its own files in a folder of its name too."""

LINE_FIELDS = {"id": "raw:id", "question": "raw:question", "group": "raw:group", "source": "raw:gold_doc_ids"}
"""What all JSON lines of our data have; with the documents that a question was made from."""


class SetForm(Value):
    """A way in which a set is written; published_sets.toml says what each field is, `set_name` is its set's."""

    set_name: str
    name: str
    about: str
    container: Container = "lines"
    markers: tuple[str, ...] = ()
    file_name: str = ""
    first: int = 0
    member: str = ""
    columns: tuple[str, ...] = ()
    only: tuple[str, str] | None = None
    skip: tuple[str, ...] = ()
    fields: Mapping[str, str] = {}
    odd: str = ""

    def read(self, path: Path) -> Iterator[SetRecord]:
        """The records of a file; one that cannot be read is a BadRow. Raises UnreadableFile."""
        known = re.fullmatch(self.file_name or ".*", path.name, re.IGNORECASE)
        if "(?P" in self.file_name and not known:
            remedy = f"Call it as it is published: {self.about}."
            raise UnreadableFile(path, "its name does not say what it is of", remedy)
        shared = {**(known.groupdict() if known else {}), "_set": self.set_name}
        if read_odd := ODD_FORMS[self.odd].read:
            records = read_odd(path)
        elif self.member:
            records = read_member(path, self.member)
        else:
            records = read_records(path, self.container, self.columns)
        for number, (where, value) in enumerate(records, self.first):
            yield SetRecord(where, {**value, **shared, "_number": number} if isinstance(value, dict) else value)

    def translate(self, fields: Any) -> Row:
        """A record as a row of our own. Raises BadRow, and SkippedRow where it is not asked."""
        if isinstance(fields, BadRow):
            raise fields
        if not isinstance(fields, dict):
            raise BadRow("it is not a JSON object")
        if self.only and fields.get(self.only[0]) != self.only[1]:
            raise SkippedRow(f"of {fields.get(self.only[0])}")
        if self.skip:
            told = fields.get(self.skip[0])
            if (told.strip() if isinstance(told, str) else told) in (self.skip[2:] or (None, False)):
                raise SkippedRow(self.skip[1])
        is_our_line = self.name == "lines" and self.odd != "own"
        row = map_fields(fields, {**(LINE_FIELDS if is_our_line else {}), **self.fields})
        translate_odd = ODD_FORMS[self.odd].translate
        return row | translate_odd(fields) if translate_odd else row

    def fits(self, glimpse: FileGlimpse) -> bool:
        """Whether a file has what this form is known by."""
        if self.container not in glimpse.containers or not glimpse.keys.issuperset(self.markers):
            return False
        is_named = not self.file_name or re.fullmatch(self.file_name, glimpse.name, re.IGNORECASE) is not None
        return is_named and (bool(self.markers or self.file_name) or self.container == "xml")


class SetDownload(Value):
    """A file that anybody may fetch: what it is called here, and its sha256; "" where it is not known."""

    url: str
    name: str
    sha256: str = ""


class PublishedSet(Value):
    """A published set of questions; published_sets.toml says what each field is."""

    name: str
    paper: str
    address: str
    access: Literal["public", "on request", "credentialed"] = "public"
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

    @property
    def file_names(self) -> str:
        """The names of its own files, in a phrase."""
        return ", or ".join(" and ".join(group) for group in self.files)


def _read_table() -> dict[str, PublishedSet]:
    """Every set of the table; what names the downloads or the fields of another has these."""
    text = files("wellsourced_evaluate").joinpath("question_sets/published_sets.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    maps = {f"{name} {form['name']}": form.get("fields") for name, one in table.items() for form in one["forms"]}
    for name, one in table.items():
        one["name"] = name
        if isinstance(other := one.get("downloads"), str):
            one["downloads"] = table[other]["downloads"]
        for form in one["forms"]:
            form["set_name"] = name
            if isinstance(spelled := form.get("fields"), str):
                form["fields"] = maps[spelled]
    return {name: PublishedSet.model_validate(one) for name, one in table.items()}


PUBLISHED_SETS: Mapping[str, PublishedSet] = _read_table()
"""Name, of the set and of `--format` → how it is read."""

QUESTIONS = PUBLISHED_SETS[OWN_FORM]


# --- which set a file is of ------------------------------------------------------------------------------------------


def name_set(path: Path) -> str:
    """The set that the name of a file says: pubmedqa.jsonl.gz is "pubmedqa", ori_pqal.json is "ori_pqal"."""
    return re.sub(r"\.(jsonl|json|csv|tsv|xlsx|xml)$", "", path.name.removesuffix(".gz"))


def find_form(path: Path, name: str) -> tuple[PublishedSet, SetForm]:
    """The set that a file is of, and how it is written: as `name` says, else its own name, else what is in it.

    Raises UnreadableFile where none fits, or several sets are in it.
    """
    glimpse = glimpse_file(path)
    # K-QA's second file is called questions too.
    if (named := PUBLISHED_SETS.get(name or name_set(path))) and (name or named is not QUESTIONS):
        return named, _choose_form(path, named, glimpse)
    fitting = [
        (one, form)
        for one in PUBLISHED_SETS.values()
        for form in one.forms
        if form.name != "lines" and form.fits(glimpse)
    ]
    release = [found for found in fitting if found[1].name in ("release", "test labels")] or fitting
    # The three MedQA are alike, and lie in folders of their own.
    placed = [found for found in release if any(path.match(one) for group in found[0].files for one in group)]
    release = placed or release
    if len({one.name for one, _ in release}) > 1:
        names = ", ".join(dict.fromkeys(one.name for one, _ in release))
        raise UnreadableFile(path, f"it may be of {names}", "Say with --format which of them.")
    return release[0] if release else (QUESTIONS, _choose_form(path, QUESTIONS, glimpse))


def _choose_form(path: Path, one: PublishedSet, glimpse: FileGlimpse) -> SetForm:
    """How a file of this set is written. Where its fields do not tell it, its format has to."""
    alike = [form for form in one.forms if form.container in glimpse.containers]
    if fitting := [form for form in one.forms if form.fits(glimpse)] or (alike if len(alike) == 1 else []):
        return fitting[0]
    found = " or ".join(CONTAINERS[kind] for kind in sorted(glimpse.containers))
    if alike:
        wanted = ", or ".join(" and ".join(form.markers) for form in alike if form.markers)
        reason = f"its first records have none of the fields by which {one.name} is known: {wanted}"
    elif glimpse.is_array and any(form.container == "lines" for form in one.forms):
        reason = "line 1: it is one JSON array, and not an object on each line"
    elif one is QUESTIONS:
        reason = f"it is {found}, in which no published set is recognised"
    else:
        reason = f"line 1: it is {found}, as which {one.name} is not published"
    remedy = f"{one.name} is read from: {'; '.join(form.about for form in one.forms)}."
    own = "Say with --format which set it is, or give one object a line with id and question."
    raise UnreadableFile(path, reason, own if one is QUESTIONS else remedy)


# --- where its files lie ---------------------------------------------------------------------------------------------


def match_files(folder: Path, group: Sequence[str]) -> list[Path]:
    """The files of a group, in order; none where one of them is missing."""
    found = [sorted(one for one in folder.glob(pattern) if one.is_file()) for pattern in group]
    return [path for paths in found for path in paths] if all(found) else []


def list_files(path: Path, form: str) -> list[Path]:
    """The file, or the files of a set in a folder: of the first group that is complete.

    Raises UnreadableFile where the folder has none.
    """
    if not path.is_dir():
        return [path]
    published = PUBLISHED_SETS.get(form or path.name)
    if published is None:
        raise UnreadableFile(path, "it is a folder, and which set is in it is not known", "Say so with --format.")
    found = next((files for group in published.files if (files := match_files(path, group))), [])
    if not found:
        wanted = published.file_names or "none: name a file"
        raise UnreadableFile(path, f"it has not the files of {published.name}", f"They are {wanted}.")
    return found


def list_places(name: str, data: Path) -> list[Path]:
    """Where in a folder of data the JSON lines of a set may lie."""
    return [data / folder / f"{name}{ending}" for folder in FOLDERS for ending in (".jsonl", ".jsonl.gz")]


def locate_set(name: str, data: Path) -> Path | None:
    """The file in which a set lies in a folder of data, or the folder where it is several; None: nowhere.

    JSON lines count before the files that its authors published.
    """
    if lines := next((one for one in list_places(name, data) if one.is_file()), None):
        return lines
    published = PUBLISHED_SETS.get(name)
    for folder in (*FOLDERS, name):
        for group in published.files if published else ():
            if found := match_files(data / folder, group):
                return found[0] if len(found) == 1 and len(group) == 1 else data / folder
    return None
