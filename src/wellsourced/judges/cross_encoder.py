"""A judge that reads question and passage together: MedCPT's cross-encoder, BGE's rerankers, MiniLM on MS MARCO.

One logit a pair, made a probability by the logistic function, as each of them was trained. The extra `[neural]`.
Nogueira and Cho, 2019; Jin et al., Bioinformatics 2023; Xiao et al., 2023.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from wellsourced.errors import ModelError, SettingsError
from wellsourced.judges.base import Pair
from wellsourced.judges.calibration import Purpose
from wellsourced.judges.long_texts import split_long_text
from wellsourced.types import Verdict
from wellsourced.worker_pool import run_in_worker

# Loading torch takes seconds.
if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

MAX_TOKENS = 512
"""Tokens of a pair that are read, fewer when the model has no more places; the longer of the two is cut."""

BATCH_SIZE = 8
"""Pairs at once: on a processor larger batches gain nothing, and whoever waits wants the first soon."""

SUPPORT_THRESHOLD = 0.5
"""Probability from which a passage counts as bearing on the question."""


class CrossEncoderJudge:
    """Supports from a probability of one half on, else silent; it ranks well, and what it says is not calibrated here.

    Loaded on first use; one call at a time.

    purpose   for support a long text is judged sentence by sentence, and counts as its best one: nothing is cut
    folder    a folder of transformers with one output and weights in safetensors
    model     its name with its revision: verdicts are kept under it
    threads   processor threads, of the whole process
    device    "cuda", "cpu", …; None: the best there is

    Raises SettingsError when the extra is not installed, ModelError when the folder holds no such model.
    """

    def __init__(
        self,
        folder: Path,
        model: str,
        threads: int = 2,
        device: str | None = None,
        purpose: Purpose = "relevance",
    ) -> None:
        self.folder, self.threads, self.device, self.purpose = folder, threads, device, purpose
        self.name = f"cross-encoder:{model}" + ("/support" if purpose == "support" else "")
        self._busy = Lock()
        self._model: CrossEncoder | None = None

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        split = [self._split_pair(pair) for pair in pairs]
        asked = [one for some in split for one in some]
        found = iter(await run_in_worker(self._score_pairs, asked) if asked else [])
        scores = [max((next(found) for _ in some), default=0.0) for some in split]
        return [Verdict(label="supports" if score >= SUPPORT_THRESHOLD else "silent", score=score) for score in scores]

    def _split_pair(self, pair: Pair) -> list[Pair]:
        """What is judged of a pair: none of one that says nothing."""
        if not pair.claim.strip() or not pair.text.strip():
            return []
        return [Pair(pair.claim, part) for part in split_long_text(pair.text)] if self.purpose == "support" else [pair]

    def _score_pairs(self, pairs: Sequence[Pair]) -> list[float]:
        with self._busy:
            if self._model is None:
                self._model = _load_model(self.folder, self.threads, self.device)
            from torch.nn import Sigmoid

            try:
                found = self._model.predict(
                    [(pair.claim, pair.text) for pair in pairs],
                    batch_size=BATCH_SIZE,
                    activation_fn=Sigmoid(),
                    show_progress_bar=False,
                )
            except RuntimeError as error:
                raise ModelError(f"The judge {self.name} failed: {error}") from error
        return [float(score) for score in np.asarray(found, dtype=np.float64)]


def _load_model(folder: Path, threads: int, device: str | None) -> "CrossEncoder":
    try:
        import torch
        from sentence_transformers import CrossEncoder
        from transformers import AutoConfig
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise SettingsError(f"{folder.name} needs an extra: pip install 'wellsourced[neural]'.") from error
    torch.set_num_threads(threads)
    disable_progress_bar()
    safe: dict[str, Any] = {"use_safetensors": True, "local_files_only": True}
    try:
        places = getattr(
            AutoConfig.from_pretrained(folder, local_files_only=True), "max_position_embeddings", MAX_TOKENS
        )
        window = min(MAX_TOKENS, places)
        model = CrossEncoder(str(folder), device=device, max_length=window, local_files_only=True, model_kwargs=safe)
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        remedy = "It has to be a folder of transformers with weights in safetensors."
        raise ModelError(f"{folder} cannot be loaded as a cross-encoder ({error}). {remedy}") from error
    if model.num_labels != 1:
        raise ModelError(f"{folder} gives {model.num_labels} numbers for a pair; a cross-encoder that ranks gives one.")
    return model
