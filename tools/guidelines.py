"""Replace the guideline digests that come with wellsourced by those of another release of their project.

    pip download --no-deps --only-binary :all: --dest build open-medicine==0.12.0
    make guidelines WHEEL=build/open_medicine-0.12.0-py3-none-any.whl SHA256=1256ddfd…

The SHA-256 has to come from somewhere else than the wheel: the registry's page of that release, or its author. Nothing
of the wheel is run or installed. Told are the guidelines that are new, gone and changed, and what a reviewer has to
look at in `git diff`: characters that cannot be seen, HTML, addresses, words that speak to a language model.
"""

import argparse
import difflib
import hashlib
import json
import re
import shutil
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping
from email.parser import BytesHeaderParser
from pathlib import Path

from wellsourced.readers.guidelines import MANIFEST_NAME, REGISTRY_NAME, GuidelineManifest

FOLDER = Path(__file__).parents[1] / "src" / "wellsourced" / "readers" / "guideline_digests"
INSIDE = "open_medicine/guidelines/"
LICENCE = "MIT"
LARGEST = 200_000
"""Bytes of one file; the largest of release 0.12.0 has 67,000."""

SUSPICIOUS = {
    "HTML": r"</?[a-z!][^<>]*>",
    "an address": r"\b(?:https?://|www\.)\S+|\]\(",
    "words to a model": r"(?i)\b(?:(?:ignore|disregard) (?:all|any|the|previous|prior)|do not (?:tell|reveal|mention)"
    r"|system prompt|language model|you are an? (?:ai|assistant))\b.{0,40}",
}


def read_wheel(wheel: Path, sha256: str) -> tuple[GuidelineManifest, dict[str, bytes]]:
    """What is taken from a wheel: its manifest, and path → bytes. SystemExit when it is not the wheel, or not sound."""
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != sha256.lower():
        raise SystemExit(f"{wheel.name} has another SHA-256 than the one given: nothing was changed.")
    with zipfile.ZipFile(wheel) as archive:
        (described,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        about = BytesHeaderParser().parsebytes(read_member(archive, described))
        registry = read_member(archive, INSIDE + REGISTRY_NAME)
        files = {
            "LICENSE": read_member(archive, described.replace("METADATA", "licenses/LICENSE")),
            REGISTRY_NAME: registry,
            **{path: read_member(archive, INSIDE + path) for path in section_paths(registry)},
        }
    if about["License-Expression"] != LICENCE:
        raise SystemExit(f"The licence is {about['License-Expression']}, no longer {LICENCE}: nothing was changed.")
    links = dict(link.split(", ", 1) for link in about.get_all("Project-URL", []))
    return GuidelineManifest(
        package=about["Name"],
        version=about["Version"],
        author=about["Author"],
        licence=LICENCE,
        repository=links.get("Repository", ""),
        wheel=wheel.name,
        wheel_sha256=sha256.lower(),
        files={path: hashlib.sha256(raw).hexdigest() for path, raw in sorted(files.items())},
    ), files


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of the wheel. SystemExit when it is missing, or larger than any digest."""
    try:
        size = archive.getinfo(name).file_size
    except KeyError:
        raise SystemExit(f"The wheel does not have {name}: nothing was changed.") from None
    if size > LARGEST:
        raise SystemExit(f"{name} has more than {LARGEST:,} bytes: nothing was changed.")
    return archive.read(name)


def section_paths(registry: bytes) -> Iterator[str]:
    """The files that a registry names. SystemExit for a name that is no plain word: it could point elsewhere."""
    for guideline in json.loads(registry):
        for name in (guideline["id"], *guideline["sections"]):
            if not re.fullmatch(r"\w+", name, re.ASCII):
                raise SystemExit(f"{REGISTRY_NAME} has the name {name!r}, which is no plain word: nothing was changed.")
        yield from (f"content/{guideline['id']}/{section}.md" for section in guideline["sections"])


def current_files(folder: Path) -> dict[str, bytes]:
    """What lies in a folder of digests now: path → bytes."""
    if not (folder / MANIFEST_NAME).exists():
        return {}
    manifest = GuidelineManifest.model_validate_json((folder / MANIFEST_NAME).read_bytes())
    return {path: (folder / path).read_bytes() for path in manifest.files}


def describe_changes(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Iterator[str]:
    """A line for each guideline that is new, gone or changed, and for each of the other files."""
    changed: dict[str, list[str]] = {}
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            changed.setdefault(path.rpartition("/")[0] or path, []).append(path)
    for guideline, paths in changed.items():
        before, after = (any(path.startswith(guideline) for path in files) for files in (old, new))
        kind = "changed" if before and after else "new" if after else "gone"
        signs = "".join(line[0] for path in paths for line in compare_lines(old, new, path))
        name, lines = guideline.removeprefix("content/"), f"+{signs.count('+')} −{signs.count('-')} lines"
        yield f"{kind:8} {name}: {len(paths)} {'file' if len(paths) == 1 else 'files'}, {lines}"


def compare_lines(old: Mapping[str, bytes], new: Mapping[str, bytes], path: str) -> Iterator[str]:
    """The lines of a file with a sign before each: "+" for one that is new, "-" for one that is gone."""
    before, after = (files.get(path, b"").decode().splitlines() for files in (old, new))
    return (line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[:3] not in ("+++", "---"))


def find_suspicions(files: Mapping[str, bytes]) -> Iterator[str]:
    """What a reviewer has to look at in the texts, a line each."""
    for path, raw in files.items():
        text = raw.decode("utf-8")
        hidden = {char for char in text if unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn"} and char != "\n"}
        yield from (f"{path}: the character U+{ord(char):04X}" for char in sorted(hidden))
        if path.startswith("content/"):
            for name, pattern in SUSPICIOUS.items():
                yield from (f"{path}: {name}: {found[0][:80]}" for found in re.finditer(pattern, text))


def write_digests(folder: Path, manifest: GuidelineManifest, files: Mapping[str, bytes]) -> None:
    """Replace what the folder holds; its `__init__.py` stays."""
    shutil.rmtree(folder / "content", ignore_errors=True)
    for path, raw in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(raw)
    (folder / MANIFEST_NAME).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Read the wheel, tell what changes and what to look at, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("sha256")
    parser.add_argument("--into", type=Path, default=FOLDER, metavar="FOLDER")
    given = parser.parse_args()
    manifest, files = read_wheel(given.wheel, given.sha256)
    suspicions = list(find_suspicions(files))
    for line in describe_changes(current_files(given.into), files):
        print(line)
    for line in suspicions:
        print(f"look at  {line}")
    write_digests(given.into, manifest, files)
    held = f"{manifest.package} {manifest.version}, {len(files)} files"
    print(f"{given.into} holds {held}. Read `git diff` before you commit.")


if __name__ == "__main__":
    main()
