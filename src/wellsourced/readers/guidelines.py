"""The guideline digests that come with wellsourced: 43 guidelines in 145 Markdown files, by the project open-medicine.

They are digests by that project, not the guidelines themselves: every Reference says so and links the DOI. Their files
lie in `guideline_digests/`, at one version, and each is held against its SHA-256 before it is read.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, NamedTuple

from pydantic import StringConstraints, TypeAdapter, ValidationError

from wellsourced.citations.links import work_url
from wellsourced.errors import UnreadableFile
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.markdown import parse_markdown, render_markdown
from wellsourced.types import Document, Reference
from wellsourced.types.documents import Value

DIGEST_FOLDER: Traversable = files("wellsourced") / "readers" / "guideline_digests"
"""Where the digests lie that come with wellsourced."""

MANIFEST_NAME, REGISTRY_NAME = "manifest.json", "registry.json"

REINSTALL_REMEDY = "Install wellsourced again: its guidelines are read only as they were published."

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class GuidelineManifest(Value):
    """Where the digests come from, and which files they are.

    package, version, author, licence, repository   as the package says of itself
    wheel, wheel_sha256                             the file of the package registry that they were taken from
    files                                           path below the folder of the digests → SHA-256 of its bytes
    """

    package: str
    version: str
    author: str
    licence: str
    repository: str
    wheel: str
    wheel_sha256: Sha256
    files: dict[str, Sha256]


def read_manifest(folder: Traversable = DIGEST_FOLDER) -> GuidelineManifest:
    """The manifest of a folder of digests. Raises UnreadableFile when it is missing or damaged."""
    file = folder / MANIFEST_NAME
    try:
        return GuidelineManifest.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        reason = "the list of the guideline digests is missing or damaged"
        raise UnreadableFile(str(file), reason, REINSTALL_REMEDY) from error


def read_digest(folder: Traversable, manifest: GuidelineManifest, path: str) -> str:
    """The text of one file. Raises UnreadableFile when it is missing, not in the manifest, or another than listed."""
    file = folder.joinpath(*path.split("/"))
    if path not in manifest.files:
        raise UnreadableFile(str(file), f"it is not in {MANIFEST_NAME}", REINSTALL_REMEDY)
    try:
        raw = file.read_bytes()
    except OSError as error:
        reason = f"a guideline digest cannot be read ({error.strerror})"
        raise UnreadableFile(str(file), reason, REINSTALL_REMEDY) from error
    # A guideline that somebody changed on this disk would be quoted in its publisher's name.
    if hashlib.sha256(raw).hexdigest() != manifest.files[path]:
        release = f"{manifest.package} {manifest.version}"
        reason = f"it was changed: it is not the file of {release} that {MANIFEST_NAME} names"
        raise UnreadableFile(str(file), reason, REINSTALL_REMEDY)
    return raw.decode("utf-8")


class GuidelineEntry(NamedTuple):
    """One guideline in the registry; `sections` are its files, in reading order."""

    id: str
    title: str
    doi: str
    year: int
    organization: str
    sections: list[str]


def guidelines_version() -> str:
    """The release of open-medicine that the digests come from. Raises UnreadableFile when their manifest is damaged."""
    return read_manifest().version


def read_guidelines(folder: Traversable = DIGEST_FOLDER) -> Iterator[Document]:
    """A document a guideline: its files one after another, each section under "File › heading › subheading".

    Raises UnreadableFile for a file that is missing, damaged, or not the one that the manifest of `folder` names.
    """
    manifest = read_manifest(folder)
    for entry in read_entries(folder, manifest):
        yield _build_document(entry, folder, manifest)


def read_entries(folder: Traversable, manifest: GuidelineManifest) -> list[GuidelineEntry]:
    """Every guideline of a folder of digests. Raises UnreadableFile for a registry that is not what it should be."""
    words = read_digest(folder, manifest, REGISTRY_NAME)
    try:
        rows = json.loads(words)
        known = [{field: row.get(field) for field in GuidelineEntry._fields} for row in rows]
        return TypeAdapter(list[GuidelineEntry]).validate_python(known)
    except (ValueError, ValidationError, AttributeError, TypeError) as error:
        reason = "it is not the list of guidelines that it should be"
        raise UnreadableFile(str(folder / REGISTRY_NAME), reason, REINSTALL_REMEDY) from error


def _build_document(entry: GuidelineEntry, folder: Traversable, manifest: GuidelineManifest) -> Document:
    def label(heading: str, level: int) -> str:
        return _shorten_heading(heading, entry.year) if level == 1 else heading

    page = DocumentBuilder()
    for name in entry.sections:
        tree = parse_markdown(read_digest(folder, manifest, f"content/{entry.id}/{name}.md"))
        render_markdown(tree, page, label, _is_advertisement)
    reference = Reference(
        id=f"doi:{entry.doi}",
        title=entry.title,
        url=work_url(doi=entry.doi),
        kind="guideline",
        organisation=entry.organization,
        published=str(entry.year),
        doi=entry.doi,
        depth="digest",
    )
    return page.build(reference)


def _shorten_heading(heading: str, year: int) -> str:
    """ "Pharmacotherapy for Heart Failure — AHA/ACC/HFSA 2022" without the guideline's own name and year."""
    match = re.fullmatch(r"(.+?)\s+(?:—|--|–)\s+(.*)", heading)
    return match[1] if match and str(year) in match[2] else heading


def _is_advertisement(block: str) -> bool:
    # An advertisement for that project's calculators is no word of the guideline: it may not be quoted as one.
    return block.startswith("OpenMedicine Calculator")
