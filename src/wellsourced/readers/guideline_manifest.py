"""The vendored guideline digests, file by file, each held against its SHA-256 when it is read."""

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated

from pydantic import StringConstraints, ValidationError

from wellsourced.errors import UnreadableFile
from wellsourced.types.base import Value

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
    """The manifest of a folder of digests. Raises Unreadable when it is missing or damaged."""
    file = folder / MANIFEST_NAME
    try:
        return GuidelineManifest.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise UnreadableFile(
            str(file), "the list of the guideline digests is missing or damaged", REINSTALL_REMEDY
        ) from error


def read_digest(folder: Traversable, manifest: GuidelineManifest, path: str) -> str:
    """The text of one file. Raises Unreadable when it is missing, not in the manifest, or not the file listed there."""
    file = folder.joinpath(*path.split("/"))
    if path not in manifest.files:
        raise UnreadableFile(str(file), f"it is not in {MANIFEST_NAME}", REINSTALL_REMEDY)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise UnreadableFile(
            str(file), f"a guideline digest cannot be read ({error.strerror})", REINSTALL_REMEDY
        ) from error
    if hashlib.sha256(raw).hexdigest() != manifest.files[path]:
        reason = (
            f"it was changed: it is not the file of {manifest.package} {manifest.version} that {MANIFEST_NAME} names"
        )
        raise UnreadableFile(str(file), reason, REINSTALL_REMEDY)
    return raw.decode("utf-8")
