"""Any encoder that was exported to ONNX, without torch: a folder with the model, its vocabulary and how it pools.

The folder is as `optimum-cli export onnx` and sentence-transformers write it: model.onnx (or onnx/model.onnx),
vocab.txt or tokenizer.json, and perhaps 1_Pooling/config.json.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Role, Vectors, has_words, normalize_rows
from wellsourced.encoders.sentence_transformer import find_usage
from wellsourced.encoders.wordpiece import WordPiece
from wellsourced.errors import ModelError
from wellsourced.storage.model_files import (
    ModelFolder,
    find_exported_model,
    find_tokenizer,
    open_session,
    open_tokenizer,
    read_description,
    read_vocabulary,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

POOLED_OUTPUTS = ("sentence_embedding",)
"""Outputs that are one vector a text already."""

SPECIAL_TOKENS = {"[UNK]": 100, "[CLS]": 101, "[SEP]": 102}
"""Where BERT's own vocabularies have them, and ours are read."""

DEFAULT_MAX_TOKENS = 512
"""Tokens that are read when the folder does not say."""

Tokenize = Callable[[str, int], list[int]]
"""(text, limit) → ids, at most so many."""


class OnnxEncoder:
    """Vectors of an exported model by their direction, one text at a time. Loaded on first use; one call at a time.

    threads   processor threads of one call

    Raises ModelError for a folder that lacks a part, SettingsError when its tokenizer needs an extra.
    """

    def __init__(self, model: ModelFolder, threads: int = 2) -> None:
        self.model, self.threads = model, threads
        self._busy = Lock()

    @property
    def name(self) -> str:
        """The model's, with its revision."""
        return self.model.name

    @property
    def dim(self) -> int:
        """The width of its vectors; loads the model."""
        return int(self.encode(["width"]).shape[1])

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, in order; zeros for a text without words."""
        with self._busy:
            parts = self._model
            prompt = parts.prompts[role]
            worded = {place: text for place, text in enumerate(texts) if has_words(text)}
            states = {place: self._encode_text(parts, prompt + text) for place, text in worded.items()}
            width = len(next(iter(states.values()))) if states else len(self._encode_text(parts, "width"))
        rows = np.zeros((len(texts), width), dtype=np.float32)
        for place, state in states.items():
            rows[place] = state
        return normalize_rows(rows)

    def _encode_text(self, parts: "OnnxModel", text: str) -> NDArray[np.float32]:
        ids = np.array([parts.tokenize(text, parts.max_tokens)], dtype=np.int64)
        every = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {one.name: every[one.name] for one in parts.session.get_inputs() if one.name in every}
        try:
            found: NDArray[np.float32] = parts.session.run([parts.output], wanted)[0][0]
        except Exception as error:  # onnxruntime raises classes of its own, one for each code of failure
            raise ModelError(f"The encoder {self.name} failed: {error}") from error
        if found.ndim == 1:
            return found
        pooled: NDArray[np.float32] = found[0] if parts.pooling == "cls" else found.mean(axis=0)
        return pooled

    @cached_property
    def _model(self) -> "OnnxModel":
        return load_onnx_model(self.model, self.threads)


class OnnxModel(NamedTuple):
    """A model in memory, and how it is used.

    output   the one of its outputs that is taken: a vector a text, or a state a token
    max_tokens   tokens of a text that are read
    """

    session: "InferenceSession"
    output: str
    tokenize: Tokenize
    max_tokens: int
    pooling: str
    prompts: dict[Role, str]


def load_onnx_model(model: ModelFolder, threads: int) -> OnnxModel:
    """What a folder holds. Raises ModelError or SettingsError."""
    folder, use = model.path, find_usage(model.model_id)
    if (path := find_exported_model(folder)) is None:
        raise ModelError(f"{folder} has no model.onnx. Export the model to ONNX there.")
    opened = open_session(path, threads)
    outputs = [one.name for one in opened.get_outputs()]
    output = next((name for name in outputs if name in POOLED_OUTPUTS), outputs[0])
    prompts: dict[Role, str] = {"query": use.query, "passage": use.passage}
    return OnnxModel(
        opened, output, load_tokenizer(folder), _read_max_tokens(folder), _read_pooling(folder) or use.pooling, prompts
    )


def load_tokenizer(folder: Path) -> Tokenize:
    """The tokenizer of a folder: an uncased vocabulary of BERT is read here, any other one needs `tokenizers`."""
    path = find_tokenizer(folder)
    if path.suffix == ".txt":
        return build_wordpiece_tokenizer(read_vocabulary(path))
    tokenizer = open_tokenizer(path)

    def tokenize(text: str, limit: int) -> list[int]:
        tokenizer.enable_truncation(limit)
        ids: list[int] = tokenizer.encode(text).ids
        return ids

    return tokenize


def build_wordpiece_tokenizer(vocabulary: Sequence[str]) -> Tokenize:
    """WordPiece over any uncased vocabulary, wherever that keeps [UNK], [CLS] and [SEP]. Raises ModelError."""
    own = {piece: number for number, piece in enumerate(vocabulary)}
    if not SPECIAL_TOKENS.keys() <= own.keys() or len(vocabulary) <= max(SPECIAL_TOKENS.values()):
        raise ModelError("vocab.txt is not a BERT vocabulary: it lacks [UNK], [CLS] or [SEP].")
    order = list(range(len(vocabulary)))
    for piece, place in SPECIAL_TOKENS.items():
        there = order.index(own[piece])
        order[place], order[there] = order[there], order[place]
    tokenizer = WordPiece([vocabulary[number] for number in order])
    return lambda text, limit: [order[number] for number in tokenizer.ids(text, limit)]


def _read_max_tokens(folder: Path) -> int:
    said = read_description(folder / "sentence_bert_config.json").get("max_seq_length")
    said = said or read_description(folder / "config.json").get("max_position_embeddings")
    return min(int(said), DEFAULT_MAX_TOKENS) if isinstance(said, int) else DEFAULT_MAX_TOKENS


def _read_pooling(folder: Path) -> str:
    """ "cls", "mean", or "" when the folder does not say. Raises ModelError for another one."""
    config = read_description(folder / "1_Pooling" / "config.json")
    modes = {key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for key in config
             if key.startswith("pooling_mode_") and config[key]}  # fmt: skip
    named = config.get("pooling_mode")
    modes |= {named} if isinstance(named, str) else set()
    if not modes:
        return ""
    if modes not in ({"cls"}, {"mean"}):
        raise ModelError(f"{folder} pools by {', '.join(sorted(modes))}; only cls and mean are supported.")
    return modes.pop()
