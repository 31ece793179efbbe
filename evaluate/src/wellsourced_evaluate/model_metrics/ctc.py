"""CTC (Deng et al., EMNLP 2021): how far each token of one text finds its like in another, averaged.

A summary is consistent as far as it is aligned with its source, and relevant as far as that and as its reference is
aligned with it. What says how well a token is aligned is a model of tokens, by likeness of states (the paper's E); or a
classifier of words that was trained for it (its D): a folder with config.json and tokenizer of RoBERTa, and two
checkpoints of `ctc_score`, `doc_summ.ckpt` for a source and its summary, `summ_ref.ckpt` for a summary and a reference.
"""

from pathlib import Path
from typing import Any, NamedTuple, Protocol

from wellsourced.errors import ModelError, SettingsError
from wellsourced_evaluate.model_metrics.bertscore import TokenStates, align_tokens
from wellsourced_evaluate.model_metrics.token_models import NEURAL, TokenModel

CLASSIFIERS = ("doc_summ.ckpt", "summ_ref.ckpt")
"""Who aligns a summary with its source, and who a reference with a summary: aligners are trained for each."""

MAX_PAIR = 512
MAX_TEXT = 256
"""Tokens of a text with its context, and of the text, that are read."""

QUOTES = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'"})


class CtcScores(NamedTuple):
    """Consistency with the source and relevance; None where a text is not known, or empty."""

    consistency: float | None
    relevance: float | None


class TokenAligner(Protocol):
    """Says how far the tokens of a text find their like in a context, on average: from a source, or for a reference."""

    @property
    def name(self) -> str: ...

    @property
    def cut(self) -> int: ...

    def align(self, text: str, context: str, *, is_reference: bool = False) -> float: ...


class StateAligner:
    """Alignment by the likeness of the states of tokens, by any model of tokens (E)."""

    def __init__(self, model: TokenModel) -> None:
        self._model = model
        self.name = f"E, {model.name}"
        self._known: dict[str, TokenStates] = {}

    @property
    def cut(self) -> int:
        """How many texts were too long."""
        return self._model.cut

    def align(self, text: str, context: str, *, is_reference: bool = False) -> float:  # noqa: ARG002 - one model for both
        """The mean likeness of its tokens to the nearest of the context."""
        return align_tokens(self._read(text), self._read(context))

    def _read(self, text: str) -> TokenStates:
        if len(self._known) > 64:
            self._known.clear()
        if text not in self._known:
            self._known[text] = self._model.read_tokens(text)
        return self._known[text]


class WordAligner:
    """Alignment by a classifier of words (D): how likely it is that a word is said by the context.

    Raises SettingsError without the extra `neural`, ModelError for a folder that holds no such model.
    """

    def __init__(self, path: Path) -> None:
        self.name, self.cut = f"D, {path.name}", 0
        self._tokenizer, self._models = load_word_classifiers(path)

    def align(self, text: str, context: str, *, is_reference: bool = False) -> float:
        """The mean over the words of the text; 0 when it has none."""
        import torch

        encoder, weight, bias = self._models[int(is_reference)]
        text, context = clean_text(text), clean_text(context)
        alone = self._tokenizer(text, verbose=False)["input_ids"]
        if len(alone) > MAX_TEXT:
            self.cut += 1
            text = self._tokenizer.decode(alone[:MAX_TEXT], skip_special_tokens=True).strip()
        given = self._tokenizer(text, context, truncation="only_second", max_length=MAX_PAIR, return_tensors="pt")
        groups = self._group_words(text)
        if not groups:
            return 0.0
        with torch.no_grad():
            states = encoder(**given).last_hidden_state[0]
            words = torch.stack([states[places].sum(dim=0) for places in groups])
            shares = torch.softmax(words @ weight.T + bias, dim=-1)[:, 0]
        return float(shares.mean())

    def _group_words(self, text: str) -> list[list[int]]:
        """The places of the tokens of each word in a row that begins with one special token."""
        groups: list[list[int]] = []
        ids = self._tokenizer(text)["input_ids"][1:-1]
        for place, piece in enumerate(self._tokenizer.convert_ids_to_tokens(ids), 1):
            if piece.startswith("Ġ") or not groups:
                groups.append([place])
            else:
                groups[-1].append(place)
        return groups


def clean_text(text: str) -> str:
    """A text as the aligners were trained on it: plain quotation marks, small letters, single blanks."""
    lines = (" ".join(line.split()) for line in text.translate(QUOTES).lower().split("\n"))
    return "\n".join(lines).strip()


def load_word_classifiers(path: Path) -> tuple[Any, list[tuple[Any, Any, Any]]]:
    """The tokenizer, and for each of CLASSIFIERS encoder, weight and bias. Nothing in a checkpoint is run."""
    try:
        import torch
        from transformers import AutoConfig, AutoModel, AutoTokenizer
    except ImportError as error:
        remedy = f"pip install '{NEURAL}'"
        raise SettingsError(f"{path} is read by transformers, which is not installed: {remedy}.") from error
    models = []
    try:
        config = AutoConfig.from_pretrained(str(path), local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(str(path), local_files_only=True)
        for name in CLASSIFIERS:
            state = torch.load(path / name, map_location="cpu", weights_only=True)
            encoder = AutoModel.from_config(config).eval()
            parts = [(key.split(".", 1), one) for key, one in state.items()]
            own = {key[1]: one for key, one in parts if key[0] in ("_roberta", "_model")}
            missing = [one for one in encoder.load_state_dict(own, strict=False).missing_keys if "pooler" not in one]
            if missing:
                raise ModelError(f"{path / name} lacks {missing[0]}")
            models.append((encoder, state["_classifier.weight"], state["_classifier.bias"]))
    except Exception as error:
        # torch and transformers raise classes of their own.
        remedy = f"It has to hold {', '.join(CLASSIFIERS)}, config.json and the tokenizer of RoBERTa."
        raise ModelError(f"{path} cannot be loaded as an aligner of CTC ({error}). {remedy}") from error
    return tokenizer, models


def score_summary(aligner: TokenAligner, *, text: str, source: str, reference: str) -> CtcScores:
    """Consistency and relevance of a summary; "" for a text that is not known."""
    if not text.strip() or not source.strip():
        return CtcScores(None, None)
    consistency = aligner.align(text, source)
    if not reference.strip():
        return CtcScores(consistency, None)
    return CtcScores(consistency, consistency * aligner.align(reference, text, is_reference=True))
