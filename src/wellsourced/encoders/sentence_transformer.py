"""Any encoder of sentence-transformers by its folder: BGE, E5, MedCPT and others, each used as it was published.

What a folder says of itself (modules, prompts, similarity) counts; what it leaves out is filled in by its family. The
extra `[neural]`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Role, Vectors, has_words, normalize_rows
from wellsourced.errors import ModelError
from wellsourced.storage.model_files import ModelFolder, loading_with_torch

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


SAFE_LOADING: dict[str, Any] = {"use_safetensors": True, "local_files_only": True}
"""No pickled weights, and no look at the network."""


class FamilyUsage(NamedTuple):
    """How a family is used: what stands before a question and before a passage, and how states become one vector."""

    query: str = ""
    passage: str = ""
    pooling: Literal["cls", "mean"] = "mean"


MODEL_FAMILIES: tuple[tuple[str, FamilyUsage], ...] = (
    (
        r"bge-(small|base|large)-en",
        FamilyUsage("Represent this sentence for searching relevant passages: ", pooling="cls"),
    ),
    (r"bge-(small|base|large)-zh", FamilyUsage("为这个句子生成表示以用于检索相关文章：", pooling="cls")),
    (r"bge-", FamilyUsage(pooling="cls")),
    (r"e5-(small|base|large)(?!.*instruct)", FamilyUsage("query: ", "passage: ")),
)
"""By what their names hold, the first that fits: https://huggingface.co/BAAI/bge-small-en-v1.5 (Xiao et al., 2023),
https://huggingface.co/intfloat/e5-small-v2 (Wang et al., 2022), as their cards say."""


def find_usage(called: str) -> FamilyUsage:
    """How a model of that name is used, where its folder does not say."""
    return next((use for pattern, use in MODEL_FAMILIES if re.search(pattern, called, re.IGNORECASE)), FamilyUsage())


# Unit rows for models that compare by inner product and whose vectors have lengths that mean something.
#
# A passage is scaled by a bound on all lengths and gets one number more, which brings it to length 1; a question gets
# a zero there. The inner products of a question with all passages are what they were, times one factor, so that every
# ranking is the model's own. Bachrach et al., RecSys 2014.


def lift_to_unit_rows(vectors: NDArray[np.float32], bound: float, role: Role) -> Vectors:
    """Unit rows, one number wider; `bound` is at least the length of every row. Rows of zeros stay zeros."""
    if role == "query":
        rest = np.zeros(len(vectors), dtype=np.float32)
        scaled = normalize_rows(vectors)
    else:
        scaled = (vectors / bound).astype(np.float32)
        lengths = np.square(scaled, dtype=np.float64).sum(axis=1)
        rest = np.sqrt(np.clip(1 - lengths, 0, None), dtype=np.float64).astype(np.float32)
        rest[lengths == 0] = 0
    return np.column_stack([scaled, rest])


def compute_length_bound(modules: Iterable[Any], called: str) -> float:
    """What no state of a transformer can exceed in length, nor any mean of its states: by its last layer norm.

    That norm gives γ·z + β with |z| ≤ √dim. Raises ModelError for a model without one.
    """
    last = next((one for one in reversed([*modules]) if type(one).__name__ == "LayerNorm"), None)
    if last is None or last.weight is None:
        raise ModelError(
            f"{called} compares vectors by inner product without normalising them, which is not supported."
        )
    gamma, beta = (part.detach().float().numpy() for part in (last.weight, last.bias))
    return float(np.abs(gamma).max() * np.sqrt(len(gamma)) + np.linalg.norm(beta))


class SentenceTransformerEncoder:
    """Vectors of a model of sentence-transformers, one text at a time, so that none depends on what stands beside it.

    Where the model compares by inner product, vectors are one number wider (see inner_product). Loaded on first use;
    one call at a time.

    threads   processor threads, of the whole process

    Raises SettingsError when the extra is not installed, ModelError when the folder holds no such model.
    """

    def __init__(self, model: ModelFolder, threads: int = 2) -> None:
        self.model, self.threads = model, threads
        self.use = find_usage(model.model_id)
        self._busy = Lock()

    @property
    def name(self) -> str:
        """The model's, with its revision."""
        return self.model.name

    @property
    def dim(self) -> int:
        """The width of its vectors; loads the model."""
        with self._busy:
            return self._transformer.dim

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, in order; zeros for a text without words."""
        with self._busy:
            ready = self._transformer
            states = np.zeros((len(texts), ready.width), dtype=np.float32)
            worded = [place for place, text in enumerate(texts) if has_words(text)]
            if worded:
                states[worded] = self._encode_texts(ready, [texts[place] for place in worded], role)
        return lift_to_unit_rows(states, ready.bound, role) if ready.bound else normalize_rows(states)

    def _encode_texts(self, ready: "LoadedTransformer", texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        prompt = ready.prompts[role]
        try:
            found = ready.model.encode(list(texts), prompt=prompt, batch_size=1, show_progress_bar=False)
        except RuntimeError as error:
            raise ModelError(f"The encoder {self.name} failed: {error}") from error
        return np.asarray(found, dtype=np.float32)

    @cached_property
    def _transformer(self) -> "LoadedTransformer":
        with loading_with_torch(self.model.path, self.model.model_id, "an encoder", self.threads):
            model = open_transformer(self.model, self.use)
        width = int(model.get_embedding_dimension() or 0)
        bound = (
            compute_length_bound(model.modules(), self.model.model_id)
            if uses_inner_product(model, self.model.model_id)
            else 0.0
        )
        own = {name: text for name, text in model.prompts.items() if text}
        passage = own.get("passage") or own.get("document") or self.use.passage
        return LoadedTransformer(model, width, bound, {"query": own.get("query") or self.use.query, "passage": passage})


class LoadedTransformer(NamedTuple):
    """A model in memory: its width, a bound on the lengths of its vectors (0: none), what stands before texts."""

    model: "SentenceTransformer"
    width: int
    bound: float
    prompts: dict[Role, str]

    @property
    def dim(self) -> int:
        """The width of the vectors that are given."""
        return self.width + bool(self.bound)


def open_transformer(model: ModelFolder, use: FamilyUsage) -> "SentenceTransformer":
    """The model as its folder describes it; a plain transformer is pooled as its family is."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules.transformer import Transformer
    from sentence_transformers.sentence_transformer.modules.pooling import Pooling

    folder = str(model.path)
    if (model.path / "modules.json").is_file():
        return SentenceTransformer(folder, local_files_only=True, model_kwargs=SAFE_LOADING)
    first = Transformer(folder, model_kwargs=SAFE_LOADING, config_kwargs={"local_files_only": True})
    return SentenceTransformer(modules=[first, Pooling(first.get_embedding_dimension(), use.pooling)])


def uses_inner_product(model: "SentenceTransformer", called: str) -> bool:
    """Whether the lengths of its vectors count: it says so, or its name does, and nothing normalises them."""
    kinds = [type(module).__name__ for module in model]
    wanted = str(model.similarity_fn_name) == "dot" or re.search(r"\bdot\b", called)
    if not wanted or "Normalize" in kinds:
        return False
    if kinds != ["Transformer", "Pooling"] or model[1].pooling_mode not in ("cls", "mean"):
        raise ModelError(
            f"{called} compares vectors by inner product without normalising them, which is not supported."
        )
    return True


# MedCPT: two encoders trained on PubMed's search log, one for questions, one for articles; the extra `[neural]`.
#
# The state at [CLS], compared by inner product; 64 tokens of a question, 512 of an article, whose title and text are
# two segments. Jin et al., Bioinformatics 2023, https://huggingface.co/ncbi/MedCPT-Query-Encoder.


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

    def lift(self, published: NDArray[np.float32]) -> Vectors:
        """Vectors of articles as NCBI publishes them, as `encode` gives them."""
        with self._busy:
            return lift_to_unit_rows(published, self._get_model("passage").bound, "passage")

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
    with loading_with_torch(named.path, named.model_id, "an encoder", threads):
        from transformers import AutoModel, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(named.path, local_files_only=True)
        model = AutoModel.from_pretrained(named.path, local_files_only=True, use_safetensors=True).eval()
    window = min(window, int(model.config.max_position_embeddings))
    return MedcptModel(
        tokenizer, model, window, int(model.config.hidden_size), compute_length_bound(model.modules(), named.model_id)
    )
