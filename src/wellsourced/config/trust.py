"""Folders whose wellsourced.toml the user trusts, and which settings any folder may change without being trusted.

The list lies in the user's own configuration folder and can be read by nobody else. A file that was changed since is
not trusted, nor is the same file in another folder: what it names by relative paths would be something else there.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_config_path
from pydantic import Field, TypeAdapter, ValidationError

from wellsourced.config.registry import ENCODERS, JUDGE_REGISTRY, PLANNER_REGISTRY, RERANKERS
from wellsourced.errors import SettingsError
from wellsourced.storage.private_files import write_private_file
from wellsourced.types import Value

SETTINGS_FILE = "wellsourced.toml"
TRUST_LIST_FILE = "trusted.json"
MAX_SETTINGS_BYTES = 1_000_000
"""Bytes of a settings file, at most."""


class TrustList(Value):
    """What is on the disk: the resolved path of each trusted folder → the sha256 of its settings file, in hex."""

    folders: dict[str, str] = Field(default_factory=dict)


class SettingsFile(NamedTuple):
    """A settings file as it was read once: everything about it is decided on these bytes."""

    path: Path
    content: bytes

    @property
    def digest(self) -> str:
        """The sha256 of the content, in hex."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def folder(self) -> str:
        """The folder in which the file, or the link to it, lies; without links."""
        return str(self.path.parent.resolve())


def user_config_folder() -> Path:
    """The user's own configuration folder."""
    return user_config_path("wellsourced", appauthor=False)


def read_settings_file(path: Path) -> SettingsFile | None:
    """The file, None when there is none. Raises SettingsError when it cannot be read or is far too long."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SETTINGS_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error}. Fix the file or remove it.") from error
    # One byte more than is allowed was read, which tells a long file from one of just this length.
    if len(content) > MAX_SETTINGS_BYTES:
        raise SettingsError(f"{path} has more than {MAX_SETTINGS_BYTES:,} bytes and is not read. Remove the file.")
    return SettingsFile(path, content)


def distrust_reason(file: SettingsFile) -> str:
    """Why a folder's file is not trusted: "is not trusted", "has changed since you trusted it"; "" when it is.

    Raises SettingsError when the list of trusted folders cannot be read.
    """
    digest = read_trusted_folders().get(file.folder)
    if digest is None:
        return "is not trusted"
    return "" if digest == file.digest else "has changed since you trusted it"


def read_trusted_folders() -> dict[str, str]:
    """The resolved path of each trusted folder → the sha256 of its file. Raises SettingsError."""
    path = user_config_folder() / TRUST_LIST_FILE
    try:
        return TrustList.model_validate_json(path.read_bytes()).folders
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise SettingsError(f"{path} cannot be read. Delete it and trust your folders again.") from error


def trust_file(file: SettingsFile) -> None:
    """Trust a folder's file as it is now. Raises SettingsError when that cannot be stored."""
    _store_trusted({**read_trusted_folders(), file.folder: file.digest})


def withdraw_trust(folder: Path) -> bool:
    """Trust a folder no longer; whether it was trusted. Raises SettingsError."""
    folders = read_trusted_folders()
    trusted = folders.pop(str(folder.resolve()), None) is not None
    if trusted:
        _store_trusted(folders)
    return trusted


def _store_trusted(folders: dict[str, str]) -> None:
    path = user_config_folder() / TRUST_LIST_FILE
    try:
        write_private_file(path, TrustList(folders=dict(sorted(folders.items()))).model_dump_json(indent=2) + "\n")
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}). Free space or permit it.") from error


# Which settings a folder's wellsourced.toml may change by itself, and which it may change only when it is trusted.
#
# Whoever made a folder can put a file into it. By itself it may say how questions are answered; where words and keys
# go, who sees them, what they may cost and what is loaded from the disk, it may not. A setting counts as guarded
# until it is listed as free; a test demands that every setting stands in exactly one of the lists.


_BOOLEAN = TypeAdapter(bool)

FREE_SETTINGS = frozenset({
    "preset", "libraries", "guidelines", "graph", "expand", "threads", "show_masked", "runs",
    "policy.tiers", "policy.candidates", "policy.per_query", "policy.rerank",
    "policy.passages", "policy.per_document", "policy.sufficient_works", "policy.statements", "policy.leads",
    "policy.rrf_k", "policy.source_seconds",
    "frame.pico", "frame.standalone", "frame.translate",
    "read.relevance", "read.keep_unsure", "read.cards", "read.batch", "read.guideline_slices",
    "read.section_length", "read.self_knowledge", "read.decompose", "read.decompose_levels", "read.rerank_above",
    "read.rerank_keep", "read.search_again",
    "condense.mode", "condense.parts", "condense.top", "condense.delta",
    "write.style", "write.reader", "write.reasoning", "write.memory",
    "check.consistency", "check.repair", "check.conflicts",
    "tracing.cited_on",
})  # fmt: skip
"""How questions are answered: any folder may say it. A preset counts as what it stands for."""

FREE_JUDGES = frozenset(name for name, entry in JUDGE_REGISTRY.built_in.items() if not entry.needs_model)
"""What a plugin adds is code of somebody else: no folder chooses it by itself."""


def _is_true(value: Any) -> bool:
    try:
        return _BOOLEAN.validate_python(value)
    except ValidationError:
        return False


FREE_VALUES: Mapping[str, Callable[[Any], bool]] = {
    "encoder": lambda value: str(value) in ENCODERS,
    "reranker": lambda value: str(value) in RERANKERS,
    "planner": lambda value: str(value) in PLANNER_REGISTRY.built_in,
    "judge.support": lambda value: str(value) in FREE_JUDGES,
    "network.offline": _is_true,
    "phi": lambda value: value == "refuse",
}
"""Settings that any folder may change to what comes with wellsourced, or to what lets less out; to nothing else."""


def needs_trust(name: str, value: Any) -> bool:
    """Whether this value of this setting counts from a folder's file only when the file is trusted."""
    # Guarded unless it is listed: a setting that somebody adds later is safe before anybody thinks of it.
    return name not in FREE_SETTINGS and not (name in FREE_VALUES and FREE_VALUES[name](value))
