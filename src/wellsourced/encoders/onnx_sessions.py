"""Sessions of ONNX Runtime, as all models here are run: of a file, or of a graph whose weights are handed to it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions


def open_session(model: Path, threads: int) -> "InferenceSession":
    """A session that gives memory back after each call and does not burn processor time while it waits."""
    # Imported here and below: it costs 0.1 s, and only what encodes has to pay.
    from onnxruntime import InferenceSession

    return InferenceSession(str(model), _session_options(threads), providers=["CPUExecutionProvider"])


def open_graph(graph: bytes, weights: Mapping[str, NDArray[Any]], threads: int) -> "InferenceSession":
    """The same of a graph that has names where its weights should be (tools/encoder_graphs.py); it copies them."""
    from onnxruntime import InferenceSession, OrtValue

    options = _session_options(threads)
    options.add_external_initializers([*weights], [OrtValue.ortvalue_from_numpy(one) for one in weights.values()])
    return InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _session_options(threads: int) -> "SessionOptions":
    from onnxruntime import SessionOptions

    options = SessionOptions()
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options
