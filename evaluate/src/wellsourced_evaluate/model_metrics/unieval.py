"""UniEval (Zhong et al., EMNLP 2022): a T5 model is asked a question of yes or no, and its score is how likely yes is.

The user's model is a folder of transformers: `unieval-sum` answers for four dimensions of summaries, `unieval-fact`
for consistency alone. Consistency and fluency are means over sentences. Sentences are found as everywhere here, and not
by nltk's trained model, which is a download: where the two part otherwise, these two differ from published ones.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import ModelError, SettingsError
from wellsourced.text.sentences import split_sentences
from wellsourced_evaluate.model_metrics.token_models import NEURAL

MAX_INPUT = 1024
"""Tokens of a question with its texts that are read."""

QUESTIONS = {
    "coherence": "question: Is this a coherent summary to the document? </s> summary: {text} </s> document: {source}",
    "consistency": "question: Is this claim consistent with the document? </s> claim: {text} </s> document: {source}",
    "fluency": "question: Is this a fluent paragraph? </s> paragraph: {text}",
    "relevance": "question: Is this summary relevant to the reference? "
    "</s> summary: {text} </s> reference: {reference}",
}
"""Dimension → what the model was trained to be asked; the words are part of the model."""

BY_SENTENCE = ("consistency", "fluency")


class UniEvalScores(NamedTuple):
    """Each dimension from 0 to 1, and their mean; None where the text it is held against is not known."""

    coherence: float | None
    consistency: float | None
    fluency: float | None
    relevance: float | None

    @property
    def overall(self) -> float | None:
        """The mean of the four, when all are known."""
        known = [one for one in self if one is not None]
        return sum(known) / len(known) if len(known) == len(self) else None


class UniEval:
    """A model that answers UniEval's questions, one text at a time. `cut` counts the questions that were too long.

    Raises SettingsError without the extra `neural`, ModelError for a folder that holds no such model.
    """

    def __init__(self, path: Path) -> None:
        self.name, self.cut = path.name, 0
        try:
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
        except ImportError as error:
            remedy = f"pip install '{NEURAL}'"
            raise SettingsError(f"{path} is read by transformers, which is not installed: {remedy}.") from error
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(path), local_files_only=True)
            self._model: Any = AutoModelForSeq2SeqLM.from_pretrained(
                str(path), local_files_only=True, use_safetensors=True
            ).eval()
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            remedy = "It has to be a folder of transformers with its tokenizer and weights in safetensors."
            raise ModelError(f"{path} cannot be loaded as UniEval ({error}). {remedy}") from error
        self._yes, self._no = (self._tokenizer(word)["input_ids"][0] for word in ("Yes", "No"))

    def score_summary(self, *, text: str, source: str, reference: str) -> UniEvalScores:
        """The four dimensions of a summary of a source, held against a reference; "" for one that is not known."""
        return UniEvalScores(
            *(self.score_dimension(one, text=text, source=source, reference=reference) for one in UniEvalScores._fields)
        )

    def score_dimension(self, dimension: str, *, text: str, source: str = "", reference: str = "") -> float | None:
        """One dimension; None when the text is empty, or what it is held against is not known."""
        question = QUESTIONS[dimension]
        known = {"text": text, "source": source, "reference": reference}
        if any(f"{{{name}}}" in question and not given.strip() for name, given in known.items()):
            return None
        parts = [text[start:end] for start, end in split_sentences(text)] if dimension in BY_SENTENCE else [text]
        scores = [self.answer(question.format(**{**known, "text": part})) for part in parts or [text]]
        return sum(scores) / len(scores)

    def score_fluency(self, text: str) -> float | None:
        """How fluent its sentences are on average; None of no text."""
        return self.score_dimension("fluency", text=text)

    def answer(self, question: str) -> float:
        """How likely “Yes” is as the first word of the answer, against “No”."""
        import torch

        self.cut += len(self._tokenizer(question, verbose=False)["input_ids"]) > MAX_INPUT
        given = self._tokenizer(question, truncation=True, max_length=MAX_INPUT, return_tensors="pt")
        start = torch.tensor([[self._model.config.decoder_start_token_id]])
        with torch.no_grad():
            told = self._model(
                input_ids=given["input_ids"], attention_mask=given["attention_mask"], decoder_input_ids=start
            )
        return share_of_yes(told.logits[0, 0].tolist(), self._yes, self._no)


def share_of_yes(logits: Sequence[float], yes: int, no: int) -> float:
    """The probability of the one word, by the sum of both: what all other words get does not matter."""
    return 1 / (1 + math.exp(min(logits[no] - logits[yes], 700.0)))
