"""Models that make states of the tokens of a text: MiniLM, which comes along, or a folder of the user's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from wellsourced.config.encoders import open_bundled_tokens, open_exported_model
from wellsourced.errors import ModelError, SettingsError
from wellsourced.text.sentences import split_sentences
from wellsourced_evaluate.model_metrics.bertscore import TokenStates, unit_rows

NEURAL = "wellsourced[neural]"
"""The extra that reads models of transformers."""

MAX_PLACES = 512
"""Tokens that are read at most, where a folder does not say: bert-score's limit for BERT and RoBERTa."""

NO_LIMIT = 1_000_000_000

PUBLISHED_LAYERS = {
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "distilbert-base-uncased": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "scibert-scivocab-uncased": 8,
    "deberta-large-mnli": 18,
    "deberta-xlarge-mnli": 40,
}
"""Name of a model → the layer that `bert-score` takes: the one that went best with people's ratings (WMT16)."""


class TokenModel(Protocol):
    """States of the tokens of a text: of which model, after which of its layers, and how many texts were cut so far."""

    name: str
    layer: int
    cut: int

    def read_tokens(self, text: str) -> TokenStates: ...


class MiniLMTokens:
    """MiniLM's last states, as they come with every install. A long text is read in stretches of whole sentences."""

    name = "MiniLM"
    layer = 6

    def __init__(self) -> None:
        self._model, self._count_pieces, self._limit = open_bundled_tokens()
        self.cut = 0

    def read_tokens(self, text: str) -> TokenStates:
        """The states of the pieces of its words."""
        stretches = pack_sentences(text, self._count_pieces, self._limit)
        found = [one for one in self._model.encode_tokens(stretches) if one.pieces]
        if not found:
            return TokenStates((), np.zeros((0, 1), np.float32), np.zeros(0, np.bool_))
        pieces = tuple(piece for one in found for piece in one.pieces)
        return TokenStates(pieces, unit_rows(np.vstack([one.states for one in found])), np.ones(len(pieces), np.bool_))


def pack_sentences(text: str, count_pieces: Callable[[str], int], limit: int) -> list[str]:
    """The text in stretches of whole sentences that a model reads whole; a longer sentence is cut between words."""
    packed: list[str] = []
    room = 0
    for start, end in split_sentences(text):
        for part in _split_long(text[start:end], count_pieces, limit):
            size = count_pieces(part)
            if packed and size <= room:
                packed[-1] += f" {part}"
            else:
                packed.append(part)
                room = limit
            room -= size
    return packed


def _split_long(sentence: str, count_pieces: Callable[[str], int], limit: int) -> list[str]:
    words = sentence.split()
    half = len(words) // 2
    if not half or count_pieces(sentence) <= limit:
        return [sentence]
    halves = (" ".join(words[:half]), " ".join(words[half:]))
    return [part for one in halves for part in _split_long(one, count_pieces, limit)]


class OnnxTokens:
    """The states that an exported model gives: a folder with model.onnx, as `optimum-cli export onnx` writes it."""

    def __init__(self, path: Path) -> None:
        self.name, self.layer, self.cut = path.name, -1, 0
        self._model = open_exported_model(path)

    def read_tokens(self, text: str) -> TokenStates:
        """The states of all its tokens; those of the ends do not count."""
        parts = self._model
        ids = parts.tokenize(text, NO_LIMIT)
        self.cut += len(ids) > parts.max_tokens
        row = np.array([parts.tokenize(text, parts.max_tokens)], np.int64)
        every = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        wanted = {one.name: every[one.name] for one in parts.session.get_inputs() if one.name in every}
        states = parts.session.run(None, wanted)[0][0]
        if states.ndim != 2:
            raise ModelError(f"{self.name} gives one vector for a text: export it with its last hidden states.")
        counts = np.ones(row.shape[1], np.bool_)
        counts[[0, -1]] = False
        return TokenStates(tuple(row[0].tolist()), unit_rows(states), counts)


class LoadedTokens(NamedTuple):
    """A model of transformers in memory.

    ends   ids of the tokens that it puts around a text
    """

    tokenize: Callable[..., Any]
    model: Any
    limit: int
    ends: frozenset[int]


class TransformerTokens:
    """The states of a model of transformers after one of its layers.

    layer   counted from 1; 0: the one that `bert-score` takes for a model of that name, else the last

    Raises SettingsError without the extra `neural`, ModelError for a folder that holds no such model.
    """

    def __init__(self, path: Path, layer: int = 0) -> None:
        self.name, self.cut = path.name, 0
        self._loaded = load_transformer_tokens(path)
        layers = int(self._loaded.model.config.num_hidden_layers)
        self.layer = layer or PUBLISHED_LAYERS.get(path.name, layers)
        if not 1 <= self.layer <= layers:
            raise SettingsError(f"{path} has {layers} layers, and no layer {self.layer}: name one after “#”.")

    def read_tokens(self, text: str) -> TokenStates:
        """The states of all its tokens; those that a model puts around a text do not count."""
        import torch

        parts = self._loaded
        whole = parts.tokenize(text.strip(), verbose=False)["input_ids"]
        self.cut += len(whole) > parts.limit
        ids = parts.tokenize(text.strip(), truncation=True, max_length=parts.limit)["input_ids"]
        row = torch.tensor([ids])
        with torch.no_grad():
            found = parts.model(input_ids=row, attention_mask=torch.ones_like(row), output_hidden_states=True)
        states = found.hidden_states[self.layer][0].numpy()
        counts = np.array([one not in parts.ends for one in ids], dtype=np.bool_)
        return TokenStates(tuple(ids), unit_rows(states), counts)


def load_transformer_tokens(path: Path) -> LoadedTokens:
    """A model and its tokenizer: only files of this folder, and only safetensors. Raises SettingsError, ModelError."""
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise SettingsError(
            f"{path} is read by transformers, which is not installed: pip install '{NEURAL}'."
        ) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(path), local_files_only=True)
        # What RoBERTa and GPT-2 make of a first word depends on a blank before it: bert-score puts one there.
        if "Roberta" in type(tokenizer).__name__ or "GPT2" in type(tokenizer).__name__:
            tokenizer = AutoTokenizer.from_pretrained(str(path), local_files_only=True, add_prefix_space=True)
        model = AutoModel.from_pretrained(str(path), local_files_only=True, use_safetensors=True).eval()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        remedy = "It has to be a folder of transformers with its tokenizer and weights in safetensors."
        raise ModelError(f"{path} cannot be loaded ({error}). {remedy}") from error
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    limits = (tokenizer.model_max_length, _count_places(model.config))
    ends = (tokenizer.cls_token_id, tokenizer.sep_token_id)
    return LoadedTokens(tokenizer, model, min(limits), frozenset(one for one in ends if one is not None))


def _count_places(config: Any) -> int:
    """Tokens for which a model has places; RoBERTa's begin behind its padding."""
    places = getattr(config, "max_position_embeddings", None)
    if not isinstance(places, int) or places <= 0:
        return MAX_PLACES
    return places - (config.pad_token_id or 0) - 1 if "roberta" in str(config.model_type) else places


def open_token_model(given: str) -> TokenModel:
    """The model that was named: "minilm", or a folder, with the layer after “#". Raises SettingsError, ModelError."""
    if given.casefold() == "minilm":
        return MiniLMTokens()
    folder, _, layer = given.partition("#")
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise SettingsError(f"There is no folder {path} with a model: name one, or “minilm”.")
    if layer and not layer.isdecimal():
        raise SettingsError(f"“{layer}” is no layer: a number from 1 stands after “#”.")
    if any((path / name).is_file() for name in ("model.onnx", "onnx/model.onnx")):
        return OnnxTokens(path)
    return TransformerTokens(path, int(layer or 0))
