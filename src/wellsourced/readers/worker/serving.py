"""Inside the worker: requests in, the parts that readers give out, one piece of work after the other."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, BinaryIO

from wellsourced.readers.base import DeletedDocuments, UnreadablePart
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.worker import frames, limits
from wellsourced.readers.worker.system_calls import refuse_system_calls
from wellsourced.types import Document

Task = Callable[[Mapping[str, Any], bytes], Iterable[Document | UnreadablePart | DeletedDocuments | bytes]]
"""A piece of work: it is given what the request says and bytes, and gives parts of a file, or one result as bytes."""

BATCH_DOCUMENTS, BATCH_CHARACTERS = 200, 500_000
"""Documents that are sent at once, or fewer of so many characters together."""

PROGRESS_INTERVAL = 0.1
"""Seconds between two signs of progress, at least."""

MAX_REQUEST_BYTES = 1 << 30
WORN_MEMORY_SHARE = 0.5
"""Share of the memory that it may take, from which a worker is replaced after its work: memory is rarely given back."""


def serve_requests(tasks: Mapping[str, Task]) -> None:
    """Do what is asked on standard input until that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which says what becomes of the work
    requests, answers = sys.stdin.buffer, _claim_stdout()
    limits.restrict_process()
    # Before the first byte from outside is looked at.
    refuse_system_calls()
    beginning, usual = limits.address_space(), limits.peak_memory()
    read = partial(frames.read_frame, requests.read, MAX_REQUEST_BYTES)
    while (asked := read()) and (data := read()):
        if asked.kind != frames.REQUEST or data.kind != frames.DATA:
            return
        request = frames.WorkRequest.model_validate_json(asked.data)
        limits.limit_memory(beginning, request.memory)
        limits.renew_processor_time(request.seconds)
        try:
            _AnswerSender(answers, request.seconds).send_items(tasks[request.task](request.given, data.data))
        # The parent has gone: there is nobody to work for.
        except BrokenPipeError:
            return
        except Exception as error:
            fault = frames.build_fault(error)
            frames.write_frame(answers, frames.FAULT, fault.model_dump_json().encode())
            # Memory that a parser took is rarely given back: the next piece of work would fail for the last one's sake.
            if fault.kind == "memory":
                return
        else:
            is_worn = limits.peak_memory() - usual > WORN_MEMORY_SHARE * request.memory
            frames.write_frame(answers, frames.END, b"worn" if is_worn else b"")
        del data, asked


def _claim_stdout() -> BinaryIO:
    """Standard output, taken away from everything else in this process that might write to it."""
    answers = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    return answers


class _AnswerSender:
    """The answer to one request, sent in parts."""

    def __init__(self, pipe: BinaryIO, seconds: float) -> None:
        self._pipe, self._seconds = pipe, seconds
        self._documents: list[Document] = []
        self._characters = 0
        self._last_progress = time.monotonic()
        BYTES_READ.set(self._send_progress)

    def send_items(self, items: Iterable[Document | UnreadablePart | DeletedDocuments | bytes]) -> None:
        """All of it. What was given before a fault is sent before that is raised."""
        try:
            for item in items:
                self._add_item(item)
        finally:
            self._send_documents()

    def _add_item(self, item: Document | UnreadablePart | DeletedDocuments | bytes) -> None:
        if isinstance(item, Document):
            self._documents.append(item)
            self._characters += len(item.text)
            if len(self._documents) >= BATCH_DOCUMENTS or self._characters >= BATCH_CHARACTERS:
                self._send_documents()
            return
        self._send_documents()
        frame = frames.WorkerFrame(frames.RESULT, item) if isinstance(item, bytes) else frames.encode_item(item)
        self._send_frame(frame)

    def _send_documents(self) -> None:
        documents, self._documents, self._characters = self._documents, [], 0
        if not documents:
            return
        try:
            self._send_frame(frames.WorkerFrame(frames.DOCUMENTS, frames.encode_documents(documents)))
        # One document with half a character spoils the encoding of the whole batch: then each goes by itself.
        except ValueError:
            for document in documents:
                self._send_frame(_document_frame(document))

    def _send_frame(self, frame: frames.WorkerFrame) -> None:
        frames.write_frame(self._pipe, *frame)
        limits.renew_processor_time(self._seconds)

    def _send_progress(self, position: int) -> None:
        if time.monotonic() - self._last_progress > PROGRESS_INTERVAL:
            self._last_progress = time.monotonic()
            self._send_frame(frames.WorkerFrame(frames.PROGRESS, str(position).encode()))


def _document_frame(document: Document) -> frames.WorkerFrame:
    """A document, or that it cannot be stored."""
    try:
        return frames.WorkerFrame(frames.DOCUMENTS, frames.encode_documents([document]))
    except ValueError:
        where = f"document {document.reference.id[:100]}"
        reason = "it holds halves of characters, which are no text"
        return frames.encode_item(UnreadablePart(where, reason, "Save it as UTF-8."))
