"""What lies in a folder that a classifier of pairs was exported to, or beside a single ONNX file.

The folder is as `optimum-cli export onnx` writes it: model.onnx (or onnx/model.onnx), tokenizer.json or an uncased
vocab.txt, config.json with the names of the classes. Only the graph is ever run; no code and no pickle that lies
there is looked at.
"""

import hashlib
import mmap
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import ModelError
from wellsourced.judges.entailment import MAX_TOKENS
from wellsourced.storage.model_files import MAX_JSON_BYTES, find_exported_model, read_description

SINGLE_LABEL = "supported"
"""What the one number of a model with one class means."""

MAX_MODEL_BYTES = 4_000_000_000
"""Bytes of a model and its weights: what judges on a processor has a tenth of it."""


class OnnxClassifierFiles(NamedTuple):
    """The files of a model, and what they say of it.

    folder       where its tokenizer is
    labels       the names of its classes in order; none when it does not say
    max_tokens   tokens of a pair that it reads
    display_name   the name of its folder, or of its file where the folder holds several
    is_dynamic   whether it quantises what it computes as it comes: then a batch changes each of its rows
    sha256       of model, weights and tokenizer, in hex
    """

    model: Path
    folder: Path
    labels: tuple[str, ...]
    max_tokens: int
    display_name: str
    is_dynamic: bool
    sha256: str


def read_onnx_folder(path: Path) -> OnnxClassifierFiles:
    """The model at a path, a file or a folder. Raises ModelError for what is none, or is too large."""
    model = path if path.is_file() else find_exported_model(path)
    if model is None or model.suffix != ".onnx":
        remedy = "Export the model to ONNX for text classification there."
        raise ModelError(f"{path} is not an ONNX model and contains none. {remedy}")
    folder = _description_folder(model.parent)
    config, words = read_description(folder / "config.json"), read_description(folder / "tokenizer_config.json")
    words_of = [one for one in (folder / "vocab.txt", folder / "tokenizer.json") if one.is_file()]
    if any(one.stat().st_size > MAX_JSON_BYTES for one in words_of):
        raise ModelError(f"{folder} has a tokenizer of more than {MAX_JSON_BYTES // 10**6} MB, too large for a model.")
    # Weights beside the model, by how they are called; ONNX Runtime refuses those outside its folder.
    weights = sorted(one for one in model.parent.iterdir() if one.suffix in (".onnx_data", ".data"))
    parts = [model, *weights, *words_of]
    if sum(one.stat().st_size for one in parts) > MAX_MODEL_BYTES:
        raise ModelError(f"{model} has more than {MAX_MODEL_BYTES // 10**9} GB. Choose a smaller or quantised model.")
    return OnnxClassifierFiles(
        model,
        folder,
        _read_labels(config),
        _read_max_tokens(config, words),
        model.resolve().stem if path.is_file() else path.resolve().name,
        _has_dynamic_quantization(model),
        _hash_files(parts),
    )


def _description_folder(folder: Path) -> Path:
    """Where the descriptions lie: with the model, or above the folder `onnx`."""
    return folder.parent if folder.name == "onnx" and not (folder / "config.json").is_file() else folder


def _read_labels(config: dict[str, Any]) -> tuple[str, ...]:
    named = config.get("id2label")
    if not isinstance(named, dict):
        return ()
    try:
        labels = tuple(str(named[key]) for key in sorted(named, key=int))
    except ValueError:
        return ()
    if len(labels) == 1:
        return (SINGLE_LABEL,)
    # "LABEL_0" is what transformers writes where nobody gave a name.
    return () if any(label.startswith("LABEL_") for label in labels) else labels


def _read_max_tokens(config: dict[str, Any], words: dict[str, Any]) -> int:
    """Places of the model and what its tokenizer says, whichever is less, and not more than ROOM."""
    said = (words.get("model_max_length"), config.get("max_position_embeddings"))
    return int(min(MAX_TOKENS, *(one for one in said if isinstance(one, int | float) and one > 0), MAX_TOKENS))


def _has_dynamic_quantization(model: Path) -> bool:
    """Whether the graph has that operator: its name stands in the file as it is."""
    try:
        with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"DynamicQuantize") >= 0
    except (OSError, ValueError):  # an empty file cannot be mapped; whoever opens it says what is wrong
        return False


def _hash_files(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise ModelError(f"The model file {path} cannot be read ({error.strerror}).") from error
    return digest.hexdigest()
