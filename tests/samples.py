"""What takes long is done in part by every run of the tests, and whole at night; what many tests read is read once."""

from collections.abc import Mapping
from functools import cache

import pytest

from wellsourced.readers.guidelines import read_guidelines
from wellsourced.types import Document

a_tenth = pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
"""For sweeps over real data: every tenth row (`rows[::step]`). At night, every row."""

a_tenth_as_long = pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
"""For hostile texts: a tenth of their letters (`text[: len(text) // step]`). At night, all of them."""


@cache
def read_digests() -> Mapping[str, Document]:
    """The guideline digests by their ids, read once in each process of the tests: that takes most of a second."""
    return {document.reference.id: document for document in read_guidelines()}
