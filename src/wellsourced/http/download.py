"""Large files: taken up where they were cut off, and in place only when they are whole and right."""

import asyncio
import errno
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import BinaryIO, NamedTuple

import httpx2

from wellsourced.errors import SourceError, SourceRefused, SourceUnavailable
from wellsourced.http.failures import RetryableError
from wellsourced.http.request import Request
from wellsourced.http.transport import Transport, build_size_error
from wellsourced.storage.private_files import make_missing_folders

OnDownloadProgress = Callable[[int, int], None]
"""Told how many bytes are here, and how many there will be; 0 when the server does not say."""

MIN_BYTES_PER_TIMEOUT = 64 * 1024
"""Bytes that have to come within the time-out: what drips more slowly is cut off, and asked for again."""

MIN_BYTES_PER_ROUND = 1024 * 1024
"""Bytes that a round of attempts has to bring, or it was the last."""

CHECKSUM_KINDS = {"md5", "sha1", "sha256"}


class PartialFile(NamedTuple):
    """The beginning of a file that is on its way.

    path       the bytes that are here
    metadata_path   what the server said about them: which address, which edition
    """

    path: Path
    metadata_path: Path

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def resumption(self, url: str) -> dict[str, str]:
        """Headers that ask for the rest, of this very edition only; none when it has to begin at the beginning."""
        edition = self._edition(url)
        return {"Range": f"bytes={self.size}-", "If-Range": edition} if edition and self.size else {}

    def begin(self, url: str, headers: httpx2.Headers) -> None:
        """A new edition comes: what is here is thrown away."""
        self.path.write_bytes(b"")
        # A weak tag does not promise the same bytes (RFC 9110, 13.1.5).
        tag = headers.get("ETag", "")
        edition = headers.get("Last-Modified", "") if not tag or tag.startswith("W/") else tag
        self.metadata_path.write_text(json.dumps({"url": url, "edition": edition}), encoding="utf-8")

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.metadata_path.unlink(missing_ok=True)

    def finish(self, to: Path) -> None:
        """It is whole: put it in its place, at once."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        self.path.replace(to)
        self.metadata_path.unlink(missing_ok=True)

    def _edition(self, url: str) -> str:
        try:
            card = json.loads(self.metadata_path.read_text(encoding="utf-8"))
            return str(card["edition"]) if card["url"] == url else ""
        except (OSError, ValueError, KeyError, TypeError):
            return ""


class Download(NamedTuple):
    """One file on its way from an address to a place.

    checksum   "md5:…", "sha1:…" or "sha256:…" in hexadecimal; "" when nobody promised any
    limit  bytes
    """

    request: Request
    target: Path
    limit: int
    checksum: str
    on_progress: OnDownloadProgress
    seconds: float

    @property
    def part(self) -> PartialFile:
        return PartialFile(
            self.target.with_name(f"{self.target.name}.part"), self.target.with_name(f"{self.target.name}.part.json")
        )

    async def run(self, wire: Transport) -> Path:
        """Bring it. Raises what `Client.download` promises; what has come stays, for another time."""
        if self.checksum and self.checksum.partition(":")[0] not in CHECKSUM_KINDS:
            # Before anything is asked for: gigabytes that cannot be judged would be fetched for nothing.
            remedy = "use “md5:…”, “sha1:…” or “sha256:…”"
            raise SourceRefused(f"“{self.checksum[:80]}” is not a supported checksum: {remedy}")
        try:
            make_missing_folders(self.target.parent)
            if self.checksum and self.target.exists() and await self._has_checksum(self.target):
                return self.target
            await self._fetch_whole(wire)
            if self.checksum and not await self._has_checksum(self.part.path):
                self.part.discard()
                raise SourceUnavailable(
                    f"{self.request.host} sent {self.target.name} with another checksum than {self.checksum}: it "
                    "was deleted; try again"
                )
            self.part.finish(self.target)
        except OSError as error:
            raise _build_disk_error(error, self.target) from error
        return self.target

    async def _fetch_whole(self, wire: Transport) -> None:
        """Ask until the file is whole, as long as every round of attempts brings something."""
        while True:
            before = self.part.size
            try:
                if await self._fetch_round(wire):
                    return
            except SourceUnavailable:
                # Who gets on, however slowly, is not given up; who does not would be asked for ever.
                if self.part.size < before + MIN_BYTES_PER_ROUND:
                    raise

    async def _fetch_round(self, wire: Transport) -> bool:
        """Whether the file is whole now; if not, it has to begin anew."""
        part = self.part
        answer = await wire.send_with_redirects(
            self.request,
            from_data=False,
            seconds=self.seconds,
            take=self._append_body,
            anew=lambda: part.resumption(self.request.url),
        )
        if 200 <= answer.status < 300:
            return True
        if answer.status != 416 or not part.size:
            raise answer.to_error()
        # The rest that was asked for does not exist: either nothing is missing, or this is another edition by now.
        whole = answer.headers.get("Content-Range", "").rpartition("/")[2] == str(part.size)
        if not whole:
            part.discard()
        return whole

    async def _append_body(self, response: httpx2.Response, deadline: asyncio.Timeout) -> bytes:
        """Append what arrives. Raises RetryableError for less than was announced, SourceRefused for too much."""
        start, total = self._parse_extent(response)
        if total > self.limit:
            raise self._reject_too_large(response)
        if not start:
            self.part.begin(self.request.url, response.headers)
        with self.part.path.open("ab") as file:
            done = await self._write_pieces(response, deadline, file, start, total)
        if done != (total or done):
            raise RetryableError(f"{self.request.host} sent {done:,} of {total:,} bytes: try again to get the rest")
        return b""

    async def _write_pieces(
        self, response: httpx2.Response, deadline: asyncio.Timeout, file: BinaryIO, done: int, total: int
    ) -> int:
        loop, mark = asyncio.get_running_loop(), done
        async with aclosing(response.aiter_raw()) as pieces:
            async for piece in pieces:
                file.write(piece)
                done += len(piece)
                if done > self.limit:
                    raise self._reject_too_large(response)
                if done - mark >= MIN_BYTES_PER_TIMEOUT:
                    mark = done
                    deadline.reschedule(loop.time() + self.seconds)
                self.on_progress(done, total)
        return done

    def _parse_extent(self, response: httpx2.Response) -> tuple[int, int]:
        """Where the bytes belong, and how many the whole file has; 0 when the server does not say."""
        if response.status_code != 206:
            length = response.headers.get("Content-Length", "")
            return 0, int(length) if length.isdecimal() else 0
        start, _, total = response.headers.get("Content-Range", "").removeprefix("bytes ").partition("/")
        if start.partition("-")[0] != str(self.part.size):
            self.part.discard()
            raise RetryableError(f"{self.request.host} sent the wrong part of the file: try again")
        return self.part.size, int(total) if total.isdecimal() else 0

    def _reject_too_large(self, response: httpx2.Response) -> SourceRefused:
        self.part.discard()
        return build_size_error(response, self.limit)

    async def _has_checksum(self, path: Path) -> bool:
        kind, _, promised = self.checksum.partition(":")
        return await asyncio.to_thread(_file_digest, path, kind) == promised.strip().lower()


def _file_digest(path: Path, kind: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).hexdigest()


def _build_disk_error(error: OSError, to: Path) -> SourceError:
    reason = error.strerror or "the disk refused it"
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return SourceUnavailable(f"{to} cannot be written ({reason}): free space and try again to get the rest")
    return SourceRefused(f"{to} cannot be written ({reason}): choose another folder, or permit it")
