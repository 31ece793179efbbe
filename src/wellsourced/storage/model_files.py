"""Models by name: the folder on this machine that holds one, what lies in it, and a name that says which weights.

Folders are those of sentence-transformers and transformers. Only weights in safetensors are ever read, and no code
that lies beside them is run: a pickle could do anything. ONNX Runtime runs graphs of ours, whose weights are handed to
it.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from wellsourced.errors import ModelError, NextStep, SettingsError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions

EXTRA = "neural"

DOWNLOADED_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "*/config.json", "*/model.safetensors")
"""What is taken of a model on the Hugging Face Hub, the folders of its modules included."""

FINGERPRINT_SUFFIXES = (".json", ".safetensors", ".txt", ".model", ".onnx", ".onnx_data", ".data")
"""How the files end by which one model is told from another."""


class ModelFolder(NamedTuple):
    """A model on this machine.

    model_id   as its user calls it, which tells its family: "BAAI/bge-small-en-v1.5"
    name     with the beginning of its revision or of its sha256: what vectors and verdicts go by
    """

    path: Path
    model_id: str
    name: str


def find_model(name_or_path: str) -> ModelFolder:
    """The model in a folder, or of the hub's local cache; nothing leaves this machine.

    Raises ModelError when it is not there, SettingsError for a name of the hub without the extra.
    """
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        called = path.resolve().name
        return ModelFolder(path, called, f"{called}-{fingerprint(path)[:8]}")
    folder = _find_in_hub_cache(name_or_path)
    # The hub's cache keeps each revision in a folder that is called by its commit.
    revision = folder.name if re.fullmatch(r"[0-9a-f]{40}", folder.name) else fingerprint(folder)
    return ModelFolder(folder, name_or_path, f"{name_or_path.rpartition('/')[2]}-{revision[:8]}")


def _find_in_hub_cache(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError as error:
        raise SettingsError(
            f"{name} is not a folder, and loading models by name needs the extra “{EXTRA}”.",
            next_step=NextStep("install extra", EXTRA),
        ) from error
    try:
        return Path(snapshot_download(name, local_files_only=True, allow_patterns=list(DOWNLOADED_FILES)))
    except (LocalEntryNotFoundError, HFValidationError, FileNotFoundError) as error:
        remedy = "Download it from Hugging Face, or name the folder that contains it."
        raise ModelError(f"The model {name} is not on this machine. {remedy}") from error


def fingerprint(folder: Path) -> str:
    """The sha256 of all files that make the model, in hex. Raises ModelError."""
    files = sorted(path for path in folder.rglob("*") if path.name.endswith(FINGERPRINT_SUFFIXES) and path.is_file())
    digest = hashlib.sha256()
    try:
        for path in files:
            with path.open("rb") as file:
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError as error:
        raise ModelError(f"The model file {error.filename} cannot be read ({error.strerror}).") from error
    return digest.hexdigest()


def locate_package_file(package: str, file: str, install: str) -> Path:
    """Where an installed package keeps a file; none of its code is run. Raises SettingsError naming `install`."""
    try:
        return Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError:
        step = NextStep("install package", install)
        raise SettingsError(f"The package {package} is not installed.", next_step=step) from None


def verify_sha256(path: Path, sha256: str, package: str) -> Path:
    """The path of a file of weights, if it holds the ones expected. Raises ModelError."""
    step = NextStep("reinstall package", package)
    try:
        with path.open("rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read ({error.strerror}).", next_step=step) from error
    if found != sha256:
        raise ModelError(f"The model file {path} has an unexpected sha256 ({found[:8]}…).", next_step=step)
    return path


@contextmanager
def loading_with_torch(folder: Path, name: str, kind: str, threads: int) -> Iterator[None]:
    """Load a model within this. Raises SettingsError without the extra, ModelError for a folder that holds none.

    kind   what it is to be loaded as: "an encoder"
    """
    try:
        import torch
        from transformers.utils.logging import disable_progress_bar

        torch.set_num_threads(threads)
        disable_progress_bar()
        yield
    except ImportError as error:
        raise SettingsError(f"{name} needs the extra “{EXTRA}”.", next_step=NextStep("install extra", EXTRA)) from error
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        remedy = "Name a folder of sentence-transformers or transformers with weights in safetensors."
        raise ModelError(f"{folder} cannot be loaded as {kind} ({error}). {remedy}") from error


def open_graph(graph: bytes, weights: Mapping[str, NDArray[Any]], threads: int) -> "InferenceSession":
    """A session of a graph that has names where its weights should be (tools/encoder_graphs.py); it copies them.

    It gives memory back after each call and does not burn processor time while it waits.
    """
    # Imported here and below: it costs 0.1 s, and only what encodes has to pay.
    from onnxruntime import InferenceSession, OrtValue

    options = _session_options(threads)
    options.add_external_initializers([*weights], [OrtValue.ortvalue_from_numpy(one) for one in weights.values()])
    return InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _session_options(threads: int) -> "SessionOptions":
    from onnxruntime import SessionOptions

    options = SessionOptions()
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
