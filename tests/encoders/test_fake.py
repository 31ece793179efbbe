"""The fake encoder: the same in every process, near for shared words."""

import os
import subprocess
import sys

from tests.hashed_encoder import HashedEncoder

PRINT = "from tests.hashed_encoder import HashedEncoder as H; print(H().encode(['Gout flares']).tobytes().hex())"


def test_two_processes_give_the_same_vector_although_their_hash_seeds_differ() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {HashedEncoder().encode(["Gout flares"]).tobytes().hex()}


def test_texts_that_share_words_are_near() -> None:
    one, other, unlike = HashedEncoder().encode(["gout flares", "flares of gout", "wrist fracture"])
    assert one @ other > 0.99
    assert one @ unlike < 0.5
