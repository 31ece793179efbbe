"""The seam to everything that turns texts into vectors, and its fake; only indexes and some judges see it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import OpenBLASController, ThreadpoolController

Vectors = NDArray[np.float32]
"""float32 (n, dim), unit rows; a row of zeros for a text without words."""

Role = Literal["query", "passage"]


class _SingleThreadLimit:
    """How many of our threads are inside `in_one_thread`: the limit is NumPy's own, for the whole process.

    If each restored what it had found, whoever left last would decide how many threads the others compute with, and
    with the threads the order of their sums. And threadpoolctl lets only the thread that set a limit change it, and
    tells the others nothing: here whoever comes first sets it, and whoever leaves last, in any thread, takes it back.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    def enter(self) -> None:
        """Limit NumPy, if nobody has yet."""
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                OpenBLASController.clear_controlling_thread(force=True)
                self._limit = _thread_controller().limit(limits=1, user_api="blas")

    def leave(self) -> None:
        """Give NumPy its threads back, if nobody else is inside."""
        with self._lock:
            self._inside -= 1
            if not self._inside and self._limit:
                OpenBLASController.clear_controlling_thread(force=True)
                self._limit.restore_original_limits()
                OpenBLASController.clear_controlling_thread(force=True)


_single_thread_limit = _SingleThreadLimit()


@contextmanager
def in_one_thread() -> Iterator[None]:
    """Products of matrices are computed by one thread within this.

    NumPy's threads wait for each other by spinning: on a busy machine, two of them took 25 times as long as one for
    the small matrices that are multiplied here. One also adds up in the same order everywhere.
    """
    _single_thread_limit.enter()
    try:
        yield
    finally:
        _single_thread_limit.leave()


@cache
def _thread_controller() -> ThreadpoolController:
    return ThreadpoolController()


def has_words(text: str) -> bool:
    """Whether there is a letter or a figure in it."""
    return any(map(str.isalnum, text))


def normalize_rows(vectors: NDArray[np.float32]) -> Vectors:
    """Rows scaled to length 1; rows of zeros stay as they are."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


@runtime_checkable
class Encoder(Protocol):
    """Texts in, unit vectors out, in order; the same text gives the same vector whatever stands beside it.

    `name` says which weights: vectors of two names are never compared. `dim` is the width. Raises ModelError.
    CPU-bound and synchronous: callers on an event loop run it in a thread.
    """

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors: ...


@runtime_checkable
class ParallelEncoder(Encoder, Protocol):
    """An encoder that computes the vectors of many texts in several processes: the more it is given, the better.

    `processes` is how many there are.
    """

    @property
    def processes(self) -> int: ...


@runtime_checkable
class PreloadableEncoder(Encoder, Protocol):
    """An encoder that can be told vectors of passages that were computed before, so as not to compute them again."""

    def add_vectors(self, texts: Sequence[str], vectors: Vectors) -> None: ...


@runtime_checkable
class LiftingEncoder(Encoder, Protocol):
    """An encoder whose vectors are not those of its publisher: it compares by inner product, and index by cosine."""

    def lift(self, published: NDArray[np.float32]) -> Vectors:
        """Vectors of passages as their publisher has them → as `encode` gives them."""
        ...


def lift_vectors(encoder: Encoder, published: NDArray[np.float32]) -> Vectors:
    """Vectors of passages that this encoder's model gave elsewhere, as the encoder gives them."""
    return encoder.lift(published) if isinstance(encoder, LiftingEncoder) else normalize_rows(published)


@runtime_checkable
class Reranker(Protocol):
    """Says how well texts match a question, from 0 upwards, in order; the question itself would match with 1.

    The same question and text give the same number whatever stands beside them. `name` says which weights. Raises
    ModelError. CPU-bound and synchronous: callers on an event loop run it in a thread.
    """

    @property
    def name(self) -> str: ...

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]: ...


class EncodedTokens(NamedTuple):
    """A text as a model read it.

    pieces   of its words, in order; one inside a word begins with "##"
    states   float32 (pieces, dim), the model's last state at each
    vector   float32 (dim,), the vector of the text, as Encoder.encode gives it
    """

    pieces: tuple[str, ...]
    states: NDArray[np.float32]
    vector: NDArray[np.float32]


@runtime_checkable
class TokenEncoder(Protocol):
    """Texts in, what the model made of each of their tokens out, in order; as Encoder in everything else."""

    @property
    def name(self) -> str: ...

    def encode_tokens(self, texts: Sequence[str]) -> list[EncodedTokens]: ...
