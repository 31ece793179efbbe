# mypy: disallow-subclassing-any=False
"""The encoder of MiniLM-L6 with a head of three classes, in plain torch.

Written out because tracing the class of `transformers` 5 to ONNX gave wrong numbers without a warning; these sixty
lines export exactly. Names of the parameters are those of the weights' own file, so that it loads without a table.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

LABELS = ("contradicted", "not_enough", "supported")
"""The order of the logits."""

WIDTH, INNER, LAYERS, HEADS = 384, 1536, 6, 12
WORDS, PLACES, KINDS = 30522, 512, 2
EPSILON = 1e-12


class Attention(nn.Module):
    """Multi-head self-attention with its residual."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.self = nn.ModuleDict({name: nn.Linear(WIDTH, WIDTH) for name in ("query", "key", "value")})
        self.output = nn.ModuleDict({"dense": nn.Linear(WIDTH, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, EPSILON)})

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """States (texts, tokens, WIDTH); bias (texts, 1, 1, tokens) is added to the scores, -inf-like on padding."""
        texts, tokens, _ = states.shape

        def heads(name: str) -> Tensor:
            return self.self[name](states).view(texts, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

        # No dropout inside: with it torch leaves the fused kernel, a third of the speed on a processor.
        mixed = functional.scaled_dot_product_attention(heads("query"), heads("key"), heads("value"), attn_mask=bias)
        mixed = mixed.transpose(1, 2).reshape(texts, tokens, WIDTH)
        mixed = functional.dropout(self.output["dense"](mixed), self.dropout, self.training)
        return self.output["LayerNorm"](mixed + states)


class Layer(nn.Module):
    """Attention, then two linear layers with GELU between them."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.attention = Attention(dropout)
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, INNER)})
        self.output = nn.ModuleDict({"dense": nn.Linear(INNER, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, EPSILON)})

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """States (texts, tokens, WIDTH) to states of the same shape."""
        states = self.attention(states, bias)
        inner = functional.gelu(self.intermediate["dense"](states))
        inner = functional.dropout(self.output["dense"](inner), self.dropout, self.training)
        return self.output["LayerNorm"](inner + states)


class Entailment(nn.Module):
    """Two texts, read together, to logits: by default claim and evidence to three in the order of LABELS.

    layers   of the encoder, the lowest ones
    """

    def __init__(self, dropout: float = 0.1, outputs: int = len(LABELS), layers: int = LAYERS) -> None:
        super().__init__()
        self.dropout = dropout
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(WORDS, WIDTH, padding_idx=0),
                "position_embeddings": nn.Embedding(PLACES, WIDTH),
                "token_type_embeddings": nn.Embedding(KINDS, WIDTH),
                "LayerNorm": nn.LayerNorm(WIDTH, EPSILON),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(dropout) for _ in range(layers))})
        self.pooler = nn.Linear(2 * WIDTH, WIDTH)
        self.classifier = nn.Linear(WIDTH, outputs)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Three int64 arrays (texts, tokens) to logits (texts, outputs)."""
        places = torch.arange(input_ids.shape[1], device=input_ids.device).unsqueeze(0)
        states = self.embeddings["word_embeddings"](input_ids) + self.embeddings["position_embeddings"](places)
        states = self.embeddings["LayerNorm"](states + self.embeddings["token_type_embeddings"](token_type_ids))
        states = functional.dropout(states, self.dropout, self.training)
        mask = attention_mask.to(states.dtype)
        bias = (1.0 - mask[:, None, None, :]) * -10000.0
        for layer in self.encoder["layer"]:
            states = layer(states, bias)
        # The weights were trained with mean pooling, so the mean is read beside the first token.
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        pooled = functional.gelu(self.pooler(torch.cat([states[:, 0], mean], dim=1)))
        return self.classifier(functional.dropout(pooled, self.dropout, self.training))


def from_encoder(weights: Path, dropout: float = 0.1, outputs: int = len(LABELS), layers: int = LAYERS) -> Entailment:
    """A model with the encoder's weights (safetensors of all-MiniLM-L6-v2) and a new head."""
    model = Entailment(dropout, outputs, layers)
    known = {name: value for name, value in load_file(weights).items() if name in model.state_dict()}
    missing, unexpected = model.load_state_dict(known, strict=False)
    heads = {name for name in missing if not name.startswith(("pooler.", "classifier."))}
    if heads or unexpected:
        raise ValueError(f"{weights} is not all-MiniLM-L6-v2: {sorted(heads)[:3]} {unexpected[:3]}")
    return model


def from_checkpoint(path: Path, outputs: int = len(LABELS), layers: int = LAYERS) -> Entailment:
    """A trained model, from the checkpoint of `train.py`."""
    model = Entailment(outputs=outputs, layers=layers)
    model.load_state_dict(load_file(path))
    return model


def as_inputs(batch: Mapping[str, Any]) -> tuple[Tensor, Tensor, Tensor]:
    """The three arrays of a batch in the order that the model and the exported file take."""
    return batch["input_ids"], batch["attention_mask"], batch["token_type_ids"]
