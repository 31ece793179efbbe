"""The guideline digests that come with wellsourced: 43 guidelines in 145 Markdown files, by the project open-medicine.

They are digests by that project, not the guidelines themselves: every Reference says so and links the DOI. Their files
lie in `guideline_digests/`, at one version, and each is held against its SHA-256 before it is read.
"""

import json
import re
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from wellsourced.errors import Unreadable
from wellsourced.readers.guideline_manifest import DIGESTS, REGISTRY, REMEDY, Manifest, read_digest, read_manifest
from wellsourced.readers.markdown import parsed, render
from wellsourced.readers.page import Page
from wellsourced.types import Document, Reference


class Entry(NamedTuple):
    """One guideline in the registry; `sections` are its files, in reading order."""

    id: str
    title: str
    doi: str
    year: int
    organization: str
    sections: list[str]


def guidelines_version() -> str:
    """The release of open-medicine that the digests come from. Raises Unreadable when their manifest is damaged."""
    return read_manifest().version


def read_guidelines(folder: Traversable = DIGESTS) -> Iterator[Document]:
    """A document a guideline: its files one after another, each section under "File › heading › subheading".

    Raises Unreadable for a file that is missing, damaged, or not the one that the manifest of `folder` names.
    """
    manifest = read_manifest(folder)
    for entry in _entries(folder, manifest):
        yield _document(entry, folder, manifest)


def _entries(folder: Traversable, manifest: Manifest) -> list[Entry]:
    words = read_digest(folder, manifest, REGISTRY)
    try:
        rows = json.loads(words)
        return TypeAdapter(list[Entry]).validate_python([{f: row.get(f) for f in Entry._fields} for row in rows])
    except (ValueError, ValidationError, AttributeError, TypeError) as error:
        reason = "it is not the list of guidelines that it should be"
        raise Unreadable(str(folder / REGISTRY), reason, REMEDY) from error


def _document(entry: Entry, folder: Traversable, manifest: Manifest) -> Document:
    page = Page()
    for name in entry.sections:
        tree = parsed(read_digest(folder, manifest, f"content/{entry.id}/{name}.md"))
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
    # An advertisement for that project's calculators is no word of the guideline: it may not be quoted as one.
    return block.startswith("OpenMedicine Calculator")
