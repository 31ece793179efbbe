"""COMET (Rei et al., EMNLP 2020), its models of regression: a source, a text and a reference, read by one encoder.

`unbabel-comet` wants a NumPy before 2 and cannot be installed beside this package, so its checkpoints are run here: the
states of the encoder's layers are mixed and averaged over tokens, and a small network makes one number of the three. A
folder holds `checkpoints/model.ckpt` and `hparams.yaml`, as COMET's models come, and `encoder`: config.json and the
tokenizer of the encoder that hparams.yaml names (XLM-RoBERTa), whose weights are in the checkpoint.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.errors import ModelError, SettingsError
from wellsourced_evaluate.model_metrics.token_models import NEURAL

if TYPE_CHECKING:
    from torch import Tensor

CHECKPOINTS = ("checkpoints/model.ckpt", "model.ckpt")
MAX_TOKENS = 512
ENCODER_PREFIX = "encoder.model."
REMEDY = "It has to hold checkpoints/model.ckpt, hparams.yaml and encoder/ (config.json and the tokenizer)."

ACTIVATIONS: Mapping[str, Any] = {"Tanh": np.tanh, "Sigmoid": lambda rows: 1 / (1 + np.exp(-rows))}


class CometFiles(NamedTuple):
    """What a folder holds: weights by name, settings, and the encoder with its tokenizer."""

    weights: Mapping[str, "Tensor"]
    settings: Mapping[str, Any]
    encoder: Any
    tokenizer: Any


class Comet:
    """A model of regression. `cut` counts the texts that were too long.

    Raises SettingsError without the extra `neural`, ModelError for a folder that holds no such model.
    """

    def __init__(self, path: Path) -> None:
        self.name, self.cut = path.name, 0
        self._files = read_comet_files(path)
        self._mix = LayerMix.read(self._files.weights, self._files.settings)
        self._network = [
            (self._weights(f"estimator.ff.{at}.weight"), self._weights(f"estimator.ff.{at}.bias"))
            for at in _list_linear(self._files.weights)
        ]

    def score(self, *, text: str, source: str, reference: str) -> float | None:
        """How good a text of a source is, held against a reference; about 0 to 1. None when one of them is empty."""
        if not (text.strip() and source.strip() and reference.strip()):
            return None
        made, given, wanted = (self._embed(one) for one in (text, source, reference))
        features = (made, wanted, made * wanted, abs(made - wanted), made * given, abs(made - given))
        return self._estimate(np.concatenate(features))

    def _embed(self, text: str) -> NDArray[np.float32]:
        import torch

        self.cut += len(self._files.tokenizer(text, verbose=False)["input_ids"]) > MAX_TOKENS
        given = self._files.tokenizer(text, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
        with torch.no_grad():
            told = self._files.encoder(
                input_ids=given["input_ids"], attention_mask=given["attention_mask"], output_hidden_states=True
            )
        states = self._mix.mix([layer[0].numpy() for layer in told.hidden_states])
        pool = self._files.settings.get("pool", "avg")
        found: NDArray[np.float32] = {"avg": states.mean(axis=0), "cls": states[0], "max": states.max(axis=0)}[pool]
        return found

    def _estimate(self, features: NDArray[np.float32]) -> float:
        settings, last = self._files.settings, len(self._network) - 1
        for at, (weight, bias) in enumerate(self._network):
            features = weight @ features + bias
            name = settings.get("final_activation") if at == last else settings.get("activations", "Tanh")
            features = ACTIVATIONS[name](features) if name else features
        return float(features[0])

    def _weights(self, name: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._files.weights[name].float().numpy()
        return found


class LayerMix(NamedTuple):
    """How the states of all layers become those of one: a weight each, and a factor.

    normalizes   each layer has mean 0 and variance 1 before
    layer        the one that is taken alone; -1: they are mixed
    """

    weights: NDArray[np.float32]
    factor: float
    normalizes: bool
    layer: int = -1

    @classmethod
    def read(cls, weights: Mapping[str, "Tensor"], settings: Mapping[str, Any]) -> "LayerMix":
        """What a checkpoint says."""
        layer = settings.get("layer", "mix")
        if layer != "mix":
            return cls(np.zeros(0, np.float32), 1.0, False, int(layer))
        prefix = "layerwise_attention.scalar_parameters."
        names = sorted((one for one in weights if one.startswith(prefix)), key=lambda one: int(one.rsplit(".", 1)[1]))
        scores = np.array([float(weights[one]) for one in names], dtype=np.float32)
        transform = sparsemax if settings.get("layer_transformation") == "sparsemax" else softmax
        factor = float(weights["layerwise_attention.gamma"])
        # Checkpoints that do not say it are of COMET 1, which always did.
        return cls(transform(scores), factor, bool(settings.get("layer_norm", True)))

    def mix(self, layers: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """The states of the tokens of one text."""
        if self.layer >= 0:
            return layers[self.layer]
        if self.normalizes:
            layers = [(one - one.mean()) / np.sqrt(one.var() + 1e-12) for one in layers]
        mixed: NDArray[np.float32] = self.factor * np.tensordot(self.weights, np.stack(layers), axes=1)
        return mixed


def softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights that add up to 1."""
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum(), dtype=np.float32)


def sparsemax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights that add up to 1, many of them 0 (Martins and Astudillo, 2016)."""
    falling = np.sort(scores)[::-1]
    sums = np.cumsum(falling) - 1
    support = int((falling * np.arange(1, len(scores) + 1) > sums).sum())
    return np.asarray(np.maximum(scores - sums[support - 1] / support, 0), dtype=np.float32)


def read_comet_files(path: Path) -> CometFiles:
    """The parts of a model. Nothing that lies in a checkpoint is run. Raises SettingsError, ModelError."""
    try:
        import torch
        import yaml
        from transformers import AutoConfig, AutoModel, AutoTokenizer
    except ImportError as error:
        remedy = f"pip install '{NEURAL}'"
        raise SettingsError(f"{path} is read by {error.name}, which is not installed: {remedy}.") from error
    checkpoint = next((path / name for name in CHECKPOINTS if (path / name).is_file()), None)
    if checkpoint is None:
        raise ModelError(f"{path} holds no model of COMET. {REMEDY}")
    try:
        settings = yaml.safe_load((path / "hparams.yaml").read_text(encoding="utf-8"))
        weights = torch.load(checkpoint, map_location="cpu", weights_only=True)["state_dict"]
        encoder = AutoModel.from_config(AutoConfig.from_pretrained(str(path / "encoder"), local_files_only=True)).eval()
        own = {
            name.removeprefix(ENCODER_PREFIX): one for name, one in weights.items() if name.startswith(ENCODER_PREFIX)
        }
        lacking = [one for one in encoder.load_state_dict(own, strict=False).missing_keys if "pooler" not in one]
        tokenizer = AutoTokenizer.from_pretrained(str(path / "encoder"), local_files_only=True)
    except Exception as error:
        # torch, yaml and transformers raise classes of their own.
        raise ModelError(f"{path} cannot be loaded as a model of COMET ({error}). {REMEDY}") from error
    kind = settings.get("class_identifier", "regression_metric")
    if lacking or kind != "regression_metric":
        what = f"lacks weights of its encoder ({lacking[0]} …)" if lacking else f"is a {kind}, and no regression_metric"
        raise ModelError(f"{path} {what}. {REMEDY}")
    return CometFiles(weights, settings, encoder, tokenizer)


def _list_linear(weights: Mapping[str, "Tensor"]) -> list[int]:
    """The places of the layers of the small network that have weights."""
    names = [one.split(".") for one in weights if one.startswith("estimator.ff.") and one.endswith(".weight")]
    return sorted(int(one[2]) for one in names)
