"""Take the guideline digests of another release of their project: compare, and write which files they are.

    pip download --no-deps --only-binary :all: --dest build open-medicine==0.12.0
    make guidelines WHEEL=build/open_medicine-0.12.0-py3-none-any.whl SHA256=1256ddfd…

The SHA-256 has to come from somewhere else than the wheel: the registry's page of that release, or its author. Nothing
of the wheel is run. Told are the guidelines that are new, gone and changed, with their lines, and what a reviewer has
to look at in the new texts: characters that cannot be seen, HTML, addresses, words that speak to a language model.
"""

import argparse
import difflib
import hashlib
import json
import re
import sys
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping
from email.parser import BytesHeaderParser
from pathlib import Path

from wellsourced.readers.guidelines import (
    INSTALLED_FOLDER,
    MANIFEST_FILE,
    REGISTRY_NAME,
    GuidelineDigests,
    GuidelineEntry,
    GuidelineManifest,
    find_digests,
    hash_entry,
)

MANIFEST = Path(__file__).parents[1] / "src" / "wellsourced" / "readers" / MANIFEST_FILE
INSIDE = f"{INSTALLED_FOLDER}/"
LICENCE = "MIT"
LARGEST = 200_000
"""Bytes of one file; the largest of release 0.12.0 has 67,000."""

SUSPICIOUS = {
    "HTML": r"</?[a-z!][^<>]*>",
    "an address": r"\b(?:https?://|www\.)\S+|\]\(",
    "words to a model": r"(?i)\b(?:(?:ignore|disregard) (?:all|any|the|previous|prior)|do not (?:tell|reveal|mention)"
    r"|system prompt|language model|you are an? (?:ai|assistant))\b.{0,40}",
}


def read_wheel(wheel: Path, sha256: str) -> GuidelineDigests:
    """The digests of a wheel. SystemExit when it is not the wheel, or not sound."""
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256.lower():
        raise SystemExit(f"{wheel.name} has another SHA-256 than the one given: nothing was changed.")
    with zipfile.ZipFile(wheel) as archive:
        (described,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        about = BytesHeaderParser().parsebytes(read_member(archive, described))
        entries = read_entries(read_member(archive, INSIDE + REGISTRY_NAME))
        texts = {path: read_member(archive, INSIDE + path) for entry in entries for path in entry.paths}
    if about["License-Expression"] != LICENCE:
        raise SystemExit(f"The licence is {about['License-Expression']}, no longer {LICENCE}: nothing was changed.")
    links = dict(link.split(", ", 1) for link in about.get_all("Project-URL", []))
    manifest = GuidelineManifest(
        package=about["Name"],
        version=about["Version"],
        licence=LICENCE,
        repository=links.get("Repository", ""),
        wheel_sha256=sha256.lower(),
        guidelines={entry.id: hash_entry(entry) for entry in entries},
        files={path: hashlib.sha256(raw).hexdigest() for path, raw in sorted(texts.items())},
    )
    words = {path: raw.decode("utf-8") for path, raw in texts.items()}
    return GuidelineDigests(manifest, manifest.version, {entry.id: entry for entry in entries}, words)


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of the wheel. SystemExit when it is missing, or larger than any digest."""
    try:
        size = archive.getinfo(name).file_size
    except KeyError:
        raise SystemExit(f"The wheel does not have {name}: nothing was changed.") from None
    if size > LARGEST:
        raise SystemExit(f"{name} has more than {LARGEST:,} bytes: nothing was changed.")
    return archive.read(name)


def read_entries(registry: bytes) -> list[GuidelineEntry]:
    """The guidelines of a registry. SystemExit for a name that is no plain word: it could point elsewhere."""
    entries = [GuidelineEntry(*(row[field] for field in GuidelineEntry._fields)) for row in json.loads(registry)]
    for name in (name for entry in entries for name in (entry.id, *entry.sections)):
        if not re.fullmatch(r"\w+", name, re.ASCII):
            raise SystemExit(f"{REGISTRY_NAME} has the name {name!r}, which is no plain word: nothing was changed.")
    return entries


def describe_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """A line for each guideline that is new, gone or changed."""
    changed: dict[str, list[str]] = {}
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            changed.setdefault(path.rpartition("/")[0], []).append(path)
    for guideline, paths in changed.items():
        before, after = (any(path.startswith(guideline) for path in files) for files in (old, new))
        kind = "changed" if before and after else "new" if after else "gone"
        signs = "".join(line[0] for path in paths for line in compare_lines(old, new, path))
        name, lines = guideline.removeprefix("content/"), f"+{signs.count('+')} −{signs.count('-')} lines"
        yield f"{kind:8} {name}: {len(paths)} {'file' if len(paths) == 1 else 'files'}, {lines}"


def compare_lines(old: Mapping[str, str], new: Mapping[str, str], path: str) -> Iterator[str]:
    """The lines of a file with a sign before each: "+" for one that is new, "-" for one that is gone."""
    before, after = (files.get(path, "").splitlines() for files in (old, new))
    return (line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[:3] not in ("+++", "---"))


def find_suspicions(files: Mapping[str, str]) -> Iterator[str]:
    """What a reviewer has to look at in the texts, a line each."""
    for path, text in files.items():
        hidden = {char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn"} and char != "\n"}
        yield from (f"{path}: the character U+{ord(char):04X}" for char in sorted(hidden))
        for name, pattern in SUSPICIOUS.items():
            yield from (f"{path}: {name}: {found[0][:80]}" for found in re.finditer(pattern, text))


def main() -> None:
    """Read the wheel, tell what changes and what to look at, and write which files are known from now on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("sha256")
    parser.add_argument("--manifest", type=Path, default=MANIFEST, metavar="FILE")
    given = parser.parse_args()
    digests = read_wheel(given.wheel, given.sha256)
    former = find_digests(sys.path, GuidelineManifest.model_validate_json(given.manifest.read_bytes()))
    for line in describe_changes(former.texts, digests.texts):
        print(line)
    for line in find_suspicions(digests.texts):
        print(f"look at  {line}")
    given.manifest.write_text(digests.manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    print(f"{given.manifest} names {digests.manifest.package} {digests.release}, {len(digests.texts)} files.")


if __name__ == "__main__":
    main()
