"""A worker without the packages that read Wikipedia and web pages."""

import sys

from wellsourced.readers.worker.serving import serve_requests
from wellsourced.reading_worker import TASKS

if __name__ == "__main__":
    for name in ("mwparserfromhell", "trafilatura"):
        sys.modules[name] = None  # type: ignore[assignment]  # what Python does where it is not installed
    serve_requests(TASKS)
