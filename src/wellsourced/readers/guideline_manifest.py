"""The vendored guideline digests, file by file, each held against its SHA-256 when it is read."""

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated

from pydantic import StringConstraints, ValidationError

from wellsourced.errors import Unreadable
from wellsourced.types.base import Value

DIGESTS: Traversable = files("wellsourced") / "readers" / "guideline_digests"
"""Where the digests lie that come with wellsourced."""

MANIFEST, REGISTRY = "manifest.json", "registry.json"

REMEDY = "Install wellsourced again: its guidelines are read only as they were published."

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class Manifest(Value):
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


def read_manifest(folder: Traversable = DIGESTS) -> Manifest:
    """The manifest of a folder of digests. Raises Unreadable when it is missing or damaged."""
    file = folder / MANIFEST
    try:
        return Manifest.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise Unreadable(str(file), "the list of the guideline digests is missing or damaged", REMEDY) from error


def read_digest(folder: Traversable, manifest: Manifest, path: str) -> str:
    """The text of one file. Raises Unreadable when it is missing, not in the manifest, or not the file listed there."""
    file = folder.joinpath(*path.split("/"))
    if path not in manifest.files:
        raise Unreadable(str(file), f"it is not in {MANIFEST}", REMEDY)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise Unreadable(str(file), f"a guideline digest cannot be read ({error.strerror})", REMEDY) from error
    if hashlib.sha256(raw).hexdigest() != manifest.files[path]:
        reason = f"it was changed: it is not the file of {manifest.package} {manifest.version} that {MANIFEST} names"
        raise Unreadable(str(file), reason, REMEDY)
    return raw.decode("utf-8")
