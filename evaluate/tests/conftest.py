"""The laboratory's tests stand on what the product's stand on: an empty home, the guidelines made once, real data."""

from tests.app.conftest import corpus, run, trials
from tests.conftest import _no_paid_model, guidelines, guidelines_home, home, shared_data

__all__ = ["_no_paid_model", "corpus", "guidelines", "guidelines_home", "home", "run", "shared_data", "trials"]
