"""Every published set of questions that can be read (published_sets.toml), and which set a file is of."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.containers import (
    Container,
    FileGlimpse,
    SetRecord,
    glimpse_file,
    number_records,
    read_records,
)
from wellsourced_evaluate.question_sets.field_map import FieldMap, Row, translate_own
from wellsourced_evaluate.question_sets.odd_sets import ODD_FORMS, OddForm

OWN_FORM = "questions"
Access = Literal["public", "on request", "credentialed"]


class SetForm(NamedTuple):
    """A way in which a set is written.

    name        "lines": JSON lines as our tables of data have them; "release": as the authors publish it
    about       which files these are, in a phrase
    container   what kind of file it is
    translate   a record → a row of our own
    markers     fields by which it is known: all of them are there
    file_name   a regular expression over the names of its files, where fields do not tell it; "": any
    read        the records of a file
    """

    name: str
    about: str
    container: Container
    translate: Callable[[Any], Row]
    markers: tuple[str, ...]
    file_name: str
    read: Callable[[Path], Iterator[SetRecord]]


class SetDownload(NamedTuple):
    """A file that anybody may fetch: what it is called here, and its sha256; "" where only its length is checked."""

    url: str
    name: str
    sha256: str = ""


class PublishedSet(NamedTuple):
    """A published set of questions; published_sets.toml says what each field is."""

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


def _read_table() -> dict[str, PublishedSet]:
    text = files("wellsourced_evaluate").joinpath("question_sets/published_sets.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    maps = {f"{name} {form['name']}": form["fields"] for name, one in table.items() for form in one["forms"]
            if isinstance(form.get("fields"), dict)}  # fmt: skip
    return {name: _build_set(name, one, table, maps) for name, one in table.items()}


def _build_set(name: str, one: dict[str, Any], table: dict[str, Any], maps: Mapping[str, Any]) -> PublishedSet:
    downloads = one.get("downloads", ())
    return PublishedSet(
        name=name,
        **{field: one[field] for field in ("paper", "address", "licence", "scored")},
        access=one.get("access", "public"),
        forms=tuple(_build_form(name, form, maps) for form in one["forms"]),
        files=tuple(tuple(group) for group in one.get("files", ())),
        downloads=tuple(
            SetDownload(**file) for file in (table[downloads]["downloads"] if isinstance(downloads, str) else downloads)
        ),
        rows_of=one.get("rows_of", ""),
        parts=tuple(one.get("parts", ())),
    )


def _build_form(set_name: str, form: dict[str, Any], maps: Mapping[str, Any]) -> SetForm:
    odd = ODD_FORMS.get(form.get("odd", ""), OddForm())
    form = {**odd.about, **form}
    member, fields = form.get("member", ""), form.get("fields", {})
    container: Container = form.get("container", "lines")
    by_map = FieldMap(
        set_name,
        maps[fields] if isinstance(fields, str) else fields,
        is_lines=form["name"] == "lines",
        skip=form.get("skip", ()),
    )
    read: Callable[[Path], Iterator[SetRecord]] = partial(read_records, container=container)
    if odd.read:
        read = partial(odd.read, member=member) if member else odd.read
    if "first" in form:
        read = partial(_read_numbered, read=read, first=form["first"])
    return SetForm(
        form["name"],
        form["about"].replace("MEMBER", member),
        container,
        translate_own if form.get("odd") == "own" else odd.translate or by_map,
        tuple(form.get("markers", ())),
        form.get("file_name", ""),
        read,
    )


def _read_numbered(path: Path, read: Callable[[Path], Iterator[SetRecord]], first: int) -> Iterator[SetRecord]:
    return number_records(read(path), first)


PUBLISHED_SETS: Mapping[str, PublishedSet] = _read_table()
"""Name, of the set and of `--format` → how it is read."""

QUESTIONS = PUBLISHED_SETS[OWN_FORM]


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
        return named, choose_form(path, named, glimpse)
    fitting = [
        (one, form)
        for one in PUBLISHED_SETS.values()
        for form in one.forms
        if form.name != "lines" and fits(form, glimpse)
    ]
    release = [found for found in fitting if found[1].name in ("release", "test labels")] or fitting
    # The three MedQA are alike, and lie in folders of their own.
    placed = [found for found in release if any(path.match(one) for group in found[0].files for one in group)]
    release = placed or release
    if len({one.name for one, _ in release}) > 1:
        names = ", ".join(dict.fromkeys(one.name for one, _ in release))
        raise UnreadableFile(path, f"it may be of {names}", "Say with --format which of them.")
    return release[0] if release else (QUESTIONS, choose_form(path, QUESTIONS, glimpse))


def fits(form: SetForm, glimpse: FileGlimpse) -> bool:
    """Whether a file has what a form is known by."""
    if form.container not in glimpse.containers or not glimpse.keys.issuperset(form.markers):
        return False
    is_named = not form.file_name or re.fullmatch(form.file_name, glimpse.name, re.IGNORECASE) is not None
    return is_named and (bool(form.markers or form.file_name) or form.container == "xml")


def choose_form(path: Path, one: PublishedSet, glimpse: FileGlimpse) -> SetForm:
    """How a file of this set is written. Where its fields do not tell it, its format has to."""
    if fitting := [form for form in one.forms if fits(form, glimpse)]:
        return fitting[0]
    alike = [form for form in one.forms if form.container in glimpse.containers]
    if len(alike) == 1:
        return alike[0]
    raise UnreadableFile(path, _describe_misfit(one, alike, glimpse), _describe_forms(one))


def _describe_misfit(one: PublishedSet, alike: list[SetForm], glimpse: FileGlimpse) -> str:
    if alike:
        wanted = ", or ".join(" and ".join(form.markers) for form in alike if form.markers)
        return f"its first records have none of the fields by which {one.name} is known: {wanted}"
    if glimpse.is_array and any(form.container == "lines" for form in one.forms):
        return "line 1: it is one JSON array, and not an object on each line"
    kinds = {"lines": "JSON lines", "json": "one JSON document", "workbook": "an Excel workbook", "xml": "XML"}
    found = " or ".join(kinds.get(kind, "a table") for kind in sorted(glimpse.containers))
    if one is QUESTIONS:
        return f"it is {found}, in which no published set is recognised"
    return f"line 1: it is {found}, as which {one.name} is not published"


def _describe_forms(one: PublishedSet) -> str:
    if one is QUESTIONS:
        return "Say with --format which set it is, or give one object a line with id and question."
    return f"{one.name} is read from: {'; '.join(form.about for form in one.forms)}."
