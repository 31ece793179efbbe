"""Unit rows for models that compare by inner product and whose vectors have lengths that mean something.

A passage is scaled by a bound on all lengths and gets one number more, which brings it to length 1; a question gets a
zero there. The inner products of a question with all passages are what they were, times one factor, so that every
ranking is the model's own. Bachrach et al., RecSys 2014.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Role, Vectors, normalize_rows
from wellsourced.errors import ModelError


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
        raise ModelError(f"The vectors of {called} are compared by inner product, and nothing bounds their length.")
    gamma, beta = (part.detach().float().numpy() for part in (last.weight, last.bias))
    return float(np.abs(gamma).max() * np.sqrt(len(gamma)) + np.linalg.norm(beta))
