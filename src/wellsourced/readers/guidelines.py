"""The guideline digests: 43 guidelines in 145 Markdown files, which the package open-medicine brings.

They are digests by that project, not the guidelines themselves: every Reference says so and links the DOI. Nothing of
them lies here. `digest_manifest.json` has the SHA-256 of each file and of each guideline's entry in the registry, in
the release that the expected questions, the vectors and the tables beside our code were made of; all are compared when
they are read. Of the package only these files are read, and no code of it is ever imported.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import Distribution
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import StringConstraints, TypeAdapter, ValidationError

from wellsourced.citations.links import work_url
from wellsourced.errors import NextStep, UnreadableFile, UnusableDigests
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.types import Document, Reference
from wellsourced.types.documents import Value

INSTALLED_FOLDER = "open_medicine/guidelines"
"""Where the files lie, from where packages are installed."""

MANIFEST_FILE, REGISTRY_NAME = "digest_manifest.json", "registry.json"

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class GuidelineManifest(Value):
    """Which files the digests are, and of which release.

    package, version, licence, repository   as the package says of itself
    wheel_sha256   of the file of the package registry whose texts these are
    guidelines     id of a guideline → SHA-256 of its entry in the registry (`hash_entry`), in reading order
    files          path below the folder of the digests → SHA-256 of its bytes
    """

    package: str
    version: str
    licence: str
    repository: str
    wheel_sha256: Sha256
    guidelines: dict[str, Sha256]
    files: dict[str, Sha256]


class GuidelineEntry(NamedTuple):
    """One guideline in the registry; `sections` are its files, in reading order."""

    id: str
    title: str
    doi: str
    year: int
    organization: str
    sections: list[str]

    @property
    def paths(self) -> list[str]:
        """Its files below the folder of the digests."""
        return [f"content/{self.id}/{name}.md" for name in self.sections]


class GuidelineDigests(NamedTuple):
    """The digests, each file and each entry as the manifest has it.

    release   of the package that is installed; its texts are those of the manifest's release in any case
    texts     path below the folder of the digests → what stands there
    unknown   ids of guidelines that this release has besides: they are left out
    """

    manifest: GuidelineManifest
    release: str
    entries: Mapping[str, GuidelineEntry]
    texts: Mapping[str, str]
    unknown: tuple[str, ...] = ()


@cache
def read_manifest() -> GuidelineManifest:
    """The manifest that comes with wellsourced. Raises UnreadableFile when it is missing or damaged."""
    file = files("wellsourced.readers") / MANIFEST_FILE
    try:
        return GuidelineManifest.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        reason = "the list of the guideline digests is missing or damaged"
        raise UnreadableFile(str(file), reason, "Reinstall wellsourced.") from error


def guidelines_version() -> str:
    """The release of open-medicine whose texts the digests are. Raises UnreadableFile when the manifest is damaged."""
    return read_manifest().version


@cache
def load_digests() -> GuidelineDigests:
    """The digests that are installed, read once in a process: an upgrade beside it cannot change what it says.

    Raises UnusableDigests when they are not installed, or are other texts than those of the manifest.
    """
    return find_digests(sys.path)


def find_digests(search_path: Sequence[str], manifest: GuidelineManifest | None = None) -> GuidelineDigests:
    """The digests of the first package of that name which is installed in one of these folders, each compared.

    manifest   None: the one that comes with wellsourced

    Every one of them is named by expected questions and has vectors, so one that differs is never left out quietly:
    all are refused then. What the release has besides is left out. Raises UnusableDigests.
    """
    manifest = manifest or read_manifest()
    installed = next(iter(Distribution.discover(name=manifest.package, path=list(search_path))), None)
    if installed is None:
        raise UnusableDigests(
            f"The package {manifest.package} with the guideline digests is not installed.",
            next_step=NextStep("install package", f"{manifest.package}=={manifest.version}"),
        )
    folder, release = Path(str(installed.locate_file(INSTALLED_FOLDER))), installed.version
    raw = {path: _read_bytes(folder / path) for path in manifest.files}
    entries = {entry.id: entry for entry in _read_entries(_read_bytes(folder / REGISTRY_NAME))}
    changed = [path for path, words in raw.items() if hashlib.sha256(words).hexdigest() != manifest.files[path]]
    changed += [
        f"{REGISTRY_NAME} ({id})"
        for id, known in manifest.guidelines.items()
        if id not in entries or hash_entry(entries[id]) != known
    ]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        wanted = f"{manifest.package}=={manifest.version}"
        raise UnusableDigests(
            f"{manifest.package} {release} has other guideline digests than {manifest.version}: {changed[0]}{more}.",
            next_step=NextStep("reinstall package" if release == manifest.version else "install package", wanted),
        )
    return GuidelineDigests(
        manifest,
        release,
        {id: entries[id] for id in manifest.guidelines},
        {path: words.decode("utf-8") for path, words in raw.items()},
        tuple(id for id in entries if id not in manifest.guidelines),
    )


def _read_bytes(file: Path) -> bytes:
    """What stands in a file; nothing where it cannot be read, which is no digest."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _read_entries(registry: bytes) -> list[GuidelineEntry]:
    """Every guideline of a registry; none of one that is not what it should be."""
    try:
        rows = [{field: row.get(field) for field in GuidelineEntry._fields} for row in json.loads(registry)]
        return TypeAdapter(list[GuidelineEntry]).validate_python(rows)
    except (ValueError, ValidationError, AttributeError, TypeError):
        return []


def hash_entry(entry: GuidelineEntry) -> str:
    """SHA-256 of what the registry says of a guideline, as far as it is used."""
    return hashlib.sha256(json.dumps(list(entry), ensure_ascii=False).encode()).hexdigest()


def describe_release(digests: GuidelineDigests) -> str:
    """What there is to say of a release that is not the one of the manifest, in a sentence; "" of that one."""
    manifest = digests.manifest
    if digests.release == manifest.version:
        return ""
    left_out = f"; unknown ones left out: {', '.join(digests.unknown)}" if digests.unknown else ""
    known = f"its known digests match those of {manifest.version}"
    return f"{manifest.package} {digests.release} is installed; {known}{left_out}."


def read_guidelines(digests: GuidelineDigests | None = None) -> Iterator[Document]:
    """A document a guideline: its files one after another, each section under "File › heading › subheading".

    digests   None: those that are installed

    Raises UnusableDigests as `load_digests` does.
    """
    digests = digests or load_digests()
    for entry in digests.entries.values():
        page = DocumentBuilder()
        for path in entry.paths:
            _add_file(page, digests, path)
        reference = Reference(
            id=document_id(entry),
            title=entry.title,
            url=work_url(doi=entry.doi),
            kind="guideline",
            organisation=entry.organization,
            published=str(entry.year),
            doi=entry.doi,
            depth="digest",
        )
        yield page.build(reference)


def document_id(entry: GuidelineEntry) -> str:
    """The id of the document of a guideline."""
    return f"doi:{entry.doi}"


def _add_file(page: DocumentBuilder, digests: GuidelineDigests, path: str) -> None:
    from wellsourced.readers.markdown import parse_markdown, render_markdown  # parsers take a while to load

    year = digests.entries[path.split("/")[1]].year

    def label(heading: str, level: int) -> str:
        # "Pharmacotherapy for Heart Failure — AHA/ACC/HFSA 2022" without the guideline's own name and year.
        match = re.fullmatch(r"(.+?)\s+(?:—|--|–)\s+(.*)", heading) if level == 1 else None
        return match[1] if match and str(year) in match[2] else heading

    def is_advertisement(block: str) -> bool:
        # An advertisement for that project's calculators is no word of the guideline: it may not be quoted as one.
        return block.startswith("OpenMedicine Calculator")

    render_markdown(parse_markdown(digests.texts[path]), page, label, is_advertisement)
