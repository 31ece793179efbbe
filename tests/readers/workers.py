"""Workers that are not as usual, in the place of those that the process shares."""

from collections.abc import Iterator
from contextlib import contextmanager

from wellsourced.readers.worker.process import SHARED_POOL, Worker

ODD, BARE = "tests.readers.odd_worker", "tests.readers.bare_worker"


@contextmanager
def shared_workers(program: str) -> Iterator[None]:
    """Inside, whatever is read is read by workers that run this program."""
    usual = [SHARED_POOL.take(), SHARED_POOL.take()]
    unusual = [Worker(program), Worker(program)]
    for worker in unusual:
        SHARED_POOL.put_back(worker)
    try:
        yield
    finally:
        for worker in unusual:
            worker.close()
            worker.kill()
        for worker in usual:
            SHARED_POOL.put_back(worker)
