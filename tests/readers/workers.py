"""Workers that are not as usual, in the place of those that the process shares."""

from collections.abc import Iterator
from contextlib import contextmanager

from wellsourced.readers import WORKERS, Worker

ODD, BARE = "tests.readers.odd_worker", "tests.readers.bare_worker"


@contextmanager
def shared_workers(program: str) -> Iterator[None]:
    """Inside, whatever is read is read by workers that run this program."""
    usual = [WORKERS.take(), WORKERS.take()]
    unusual = [Worker(program), Worker(program)]
    for worker in unusual:
        WORKERS.put_back(worker)
    try:
        yield
    finally:
        for worker in unusual:
            worker.close()
            worker.kill()
        for worker in usual:
            WORKERS.put_back(worker)
