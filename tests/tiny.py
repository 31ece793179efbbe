"""A BERT of two layers with random weights, written as any model of transformers is: what a name leads to, in small."""

from pathlib import Path
from typing import Any

WORDS = "gout flare colchicine fracture wrist query passage represent this sentence for searching relevant passages"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.:,?"
VOCABULARY = [*SPECIAL, *WORDS.split(), *LETTERS, *(f"##{letter}" for letter in LETTERS)]


def tiny_bert(folder: Path, seed: int = 1, labels: int = 0) -> Path:
    """A folder with model and tokenizer; with labels, one that scores pairs. Needs the extra [neural]."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=128).save_pretrained(folder)
    sizes: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        intermediate_size=64,
        max_position_embeddings=128,
        # Larger than in training, so that different texts give clearly different vectors.
        initializer_range=0.5,
        **sizes,
        **({"num_labels": labels} if labels else {}),
    )
    torch.manual_seed(seed)
    model = BertForSequenceClassification(config) if labels else BertModel(config)
    model.save_pretrained(folder)
    return folder


def states(folder: Path, *texts: str, limit: int = 128) -> Any:
    """The last states of one text, or of a pair: float32 (tokens, dim)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        found = model(**tokenizer(*texts, truncation=True, max_length=limit, return_tensors="pt"))
    return found.last_hidden_state[0].numpy()
