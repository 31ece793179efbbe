"""What takes long is done in part by every run of the tests, and whole at night."""

import pytest

a_tenth = pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
"""For sweeps over real data: every tenth row (`rows[::step]`). At night, every row."""

a_tenth_as_long = pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
"""For hostile texts: a tenth of their letters (`text[: len(text) // step]`). At night, all of them."""
