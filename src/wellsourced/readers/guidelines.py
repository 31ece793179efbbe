"""The guideline digests that the package open-medicine ships: 43 guidelines in 145 Markdown files.

They are digests by that project, not the guidelines themselves: every Reference says so and links the DOI.
"""

import json
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from wellsourced.errors import SettingsError, Unreadable
from wellsourced.readers.markdown import parsed, render
from wellsourced.readers.page import Page
from wellsourced.types import Document, Reference

PACKAGE = "open-medicine"
REINSTALL = f"Install it again: pip install --force-reinstall {PACKAGE}"


class Entry(NamedTuple):
    """One guideline in the package's registry; `sections` are its files, in reading order."""

    id: str
    title: str
    doi: str
    year: int
    organization: str
    sections: list[str]


def guidelines_version() -> str:
    """The release that the digests come from. Raises SettingsError when the package is not installed."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError as error:
        raise SettingsError(f"the package {PACKAGE} is not installed: pip install {PACKAGE}") from error


def read_guidelines() -> Iterator[Document]:
    """A document a guideline: its files one after another, each section under "File › heading › subheading".

    Raises SettingsError when the package is not installed, Unreadable when it is damaged.
    """
    guidelines_version()
    folder = files("open_medicine") / "guidelines"
    for entry in _entries(folder / "registry.json"):
        yield _document(entry, folder / "content" / entry.id)


def _entries(registry: Traversable) -> list[Entry]:
    try:
        rows = json.loads(_text(registry))
        return TypeAdapter(list[Entry]).validate_python([{f: row.get(f) for f in Entry._fields} for row in rows])
    except (ValueError, ValidationError, AttributeError, TypeError) as error:
        raise Unreadable(str(registry), "it is not the list of guidelines that it should be", REINSTALL) from error


def _text(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(file), f"a part of the package {PACKAGE} cannot be read ({error})", REINSTALL) from error


def _document(entry: Entry, folder: Traversable) -> Document:
    page = Page()
    for name in entry.sections:
        tree = parsed(_text(folder / f"{name}.md"))
        render(tree, page, lambda heading, level: _shortened(heading, entry.year) if level == 1 else heading, _is_ours)
    reference = Reference(
        id=f"doi:{entry.doi}",
        title=entry.title,
        url=f"https://doi.org/{entry.doi}",
        kind="guideline",
        organisation=entry.organization,
        published=str(entry.year),
        doi=entry.doi,
        depth="digest",
    )
    return Document(reference=reference, text=page.text, sections=page.sections)


def _shortened(heading: str, year: int) -> str:
    """ "Pharmacotherapy for Heart Failure — AHA/ACC/HFSA 2022" without the guideline's own name and year."""
    match = re.fullmatch(r"(.+?)\s+(?:—|--|–)\s+(.*)", heading)
    return match[1] if match and str(year) in match[2] else heading


def _is_ours(block: str) -> bool:
    # An advertisement for the package's calculators is no word of the guideline: it may not be quoted as one.
    return block.startswith("OpenMedicine Calculator")
