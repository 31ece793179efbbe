"""MedCPT: two encoders trained on PubMed's search log, one for questions, one for articles; the extra `[neural]`.

The state at [CLS], compared by inner product; 64 tokens of a question, 512 of an article, whose title and text are two
segments. Jin et al., Bioinformatics 2023, https://huggingface.co/ncbi/MedCPT-Query-Encoder.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Role, Vectors, has_words
from wellsourced.encoders.model_files import EXTRA, ModelFolder
from wellsourced.encoders.vector_scaling import compute_length_bound, lift_to_unit_rows
from wellsourced.errors import ModelError, SettingsError

MAX_TOKENS: dict[Role, int] = {"query": 64, "passage": 512}
"""Tokens that are read."""


class MedCPT:
    """Vectors of the two encoders, one text at a time, one number wider than their own (see inner_product).

    Of a passage the first line is its title. Loaded on first use; one call at a time.

    threads   processor threads, of the whole process

    Raises SettingsError when the extra is not installed, ModelError when a folder holds no such model.
    """

    def __init__(self, query: ModelFolder, article: ModelFolder, threads: int = 2) -> None:
        self.model_folders: dict[Role, ModelFolder] = {"query": query, "passage": article}
        self.threads = threads
        self._busy = Lock()
        self._models: dict[Role, MedcptModel] = {}

    @property
    def name(self) -> str:
        """Of both: a question of one pair is not compared with the articles of another."""
        return f"{self.model_folders['passage'].name}+{self.model_folders['query'].name.rpartition('-')[2]}"

    @property
    def dim(self) -> int:
        """The width of its vectors; loads a model."""
        with self._busy:
            return self._get_model("query").width + 1

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, in order; zeros for a text without words."""
        with self._busy:
            half = self._get_model(role)
            states = np.zeros((len(texts), half.width), dtype=np.float32)
            for place, text in enumerate(texts):
                if has_words(text):
                    states[place] = self._encode_text(half, text, role)
        return lift_to_unit_rows(states, half.bound, role)

    def _encode_text(self, half: "MedcptModel", text: str, role: Role) -> NDArray[np.float32]:
        import torch

        title, _, rest = text.partition("\n") if role == "passage" else (text, "", "")
        parts = (title, rest) if rest.strip() else (title or rest,)
        with torch.inference_mode():
            tokens = half.tokenizer(*parts, truncation=True, max_length=half.window, return_tensors="pt")
            state: NDArray[np.float32] = half.model(**tokens).last_hidden_state[0, 0].float().numpy()
        return state

    def _get_model(self, role: Role) -> "MedcptModel":
        if role not in self._models:
            self._models[role] = _load_model(self.model_folders[role], MAX_TOKENS[role], self.threads)
        return self._models[role]


class MedcptModel(NamedTuple):
    """One of the two in memory; `window` tokens are read, vectors are `width` wide and no longer than `bound`."""

    tokenizer: Any
    model: Any
    window: int
    width: int
    bound: float


def _load_model(named: ModelFolder, window: int, threads: int) -> MedcptModel:
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise SettingsError(f"{named.model_id} needs an extra: pip install '{EXTRA}'.") from error
    torch.set_num_threads(threads)
    disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(named.path, local_files_only=True)
        model = AutoModel.from_pretrained(named.path, local_files_only=True, use_safetensors=True).eval()
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        remedy = "It has to be a folder of transformers with weights in safetensors."
        raise ModelError(f"{named.path} cannot be loaded as an encoder ({error}). {remedy}") from error
    window = min(window, int(model.config.max_position_embeddings))
    return MedcptModel(
        tokenizer, model, window, int(model.config.hidden_size), compute_length_bound(model.modules(), named.model_id)
    )
