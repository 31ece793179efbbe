"""Files read, and texts encoded, by workers of Ray. The library has its one writer, which is not among them.

Actors that are asked for the next batch, and not Ray Data: its blocks know no files, and here all hangs on them (what
a file deletes, what of it is damaged, whether it is done); it would bring Arrow and pandas besides. Who is asked holds
one batch ready and no more, so nothing piles up where reading is faster than writing.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np

from wellsourced import config
from wellsourced.config.encoders import uses_gpu
from wellsourced.config.libraries import prepare_documents
from wellsourced.encoders.base import Encoder, Role, Vectors
from wellsourced.errors import InaccessibleFile, ModelError, SettingsError, SourceUnavailable
from wellsourced.ingest.file_reading import FileReader, IngestBatch, split_batches
from wellsourced.ingest.fingerprints import hash_file
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.worker import frames
from wellsourced.readers.worker.limits import FILE_LIMITS
from wellsourced.readers.worker.process import Worker, stream_file
from wellsourced.types import Document, SourceKind

MAX_READERS = 8
"""Files that are read at the same time: the one who writes stores what about three readers read."""

START_SECONDS, LATER_SECONDS = 120.0, 15.0
"""Until the first worker has to be there, and then the others: a cluster may be busy with the work of others."""

PART_TEXTS = 64
"""Texts that one worker encodes in one go: who stops the work waits for no more."""

MAX_TRIES = 3
"""How often texts are given to another worker after the one that had them died."""

SAME_EVERYWHERE = "Install the same wellsourced, with the same models, on every machine of the cluster."


class FileWorker:
    """In a process of Ray: reads one file after the other, within the limits that files have without Ray, too."""

    def __init__(self) -> None:
        self._worker = Worker()
        self._batches: Iterator[IngestBatch] = iter(())
        self._position = 0

    def describe(self) -> str:
        """The version of wellsourced in this process."""
        return version("wellsourced")

    def begin_file(self, path: str, kind: SourceKind, sha256: str) -> None:
        """Begin to read a file, in place of the last one."""
        self._batches, self._position = self._read(Path(path), kind, sha256), 0

    def read_next(self) -> IngestBatch | bytes:
        """The next batch, its documents hashed and cut; why there is none, as `frames.encode_error` writes it."""
        BYTES_READ.set(self._advance)
        try:
            batch = next(self._batches)
        except Exception as error:  # told in words: errors of libraries that the writer may not have do not travel
            return frames.encode_error(error)
        documents = prepare_documents([one for one in batch.documents if isinstance(one, Document)])
        return batch._replace(documents=documents, position=self._position)

    def _read(self, path: Path, kind: SourceKind, sha256: str) -> Iterator[IngestBatch]:
        if not path.is_file() or hash_file(path) != sha256:
            reason = "the Ray worker finds another file there, or none"
            raise InaccessibleFile(path, reason, "Files must have the same path on every machine of the cluster.")
        yield from split_batches(stream_file(path, kind, self._worker, FILE_LIMITS))

    def _advance(self, position: int) -> None:
        self._position = position


class EncodingWorker:
    """In a process of Ray: an encoder, with one thread. Of the settings it knows the encoder's name and no other."""

    def __init__(self, encoder: str) -> None:
        self._encoder = cast("Encoder", config.build_encoder(config.Settings(encoder=encoder, threads=1)))

    def describe(self) -> str:
        """The encoder's own name, which says which weights it has."""
        return self._encoder.name

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """As Encoder.encode."""
        return self._encoder.encode(texts, role)


class RayReader(FileReader):
    """A worker of Ray in place of this process's own; one that dies is replaced when the next file is read."""

    def __init__(self, workers: "RayWorkers", actor: Any) -> None:
        super().__init__()
        self._workers, self._actor = workers, actor

    def read_batches(self, path: Path, kind: SourceKind, sha256: str) -> Iterator[IngestBatch]:
        """As FileReader. When the worker dies, of whatever, the file is one to be tried again: InaccessibleFile."""
        ray = self._workers.ray
        try:
            self._actor = self._actor or self._workers.start(FileWorker)
            self._actor.begin_file.remote(str(path.absolute()), kind, sha256)
            while isinstance(batch := ray.get(self._actor.read_next.remote()), IngestBatch):
                yield batch
        except ray.exceptions.RayError as error:
            self._actor = None
            reason = f"the Ray worker that read it ended ({type(error).__name__})"
            raise InaccessibleFile(path, reason, "Add it again.") from error
        raise frames.decode_error(batch, str(path))

    async def close(self) -> None:
        """End the worker: whoever waits for it hears that it died."""
        if self._actor:
            self._workers.ray.kill(self._actor)
        await super().close()


class RayEncoder:
    """An encoder whose texts are encoded by workers of Ray; the vectors are its own, whoever computes them."""

    def __init__(self, workers: "RayWorkers", encoder: Encoder, known_as: str, gpus: int) -> None:
        """`known_as` is what the settings call the encoder; `gpus` is how many each worker has."""
        self._workers, self._asked, self._gpus = workers, (known_as,), gpus
        self.name, self.dim = encoder.name, encoder.dim
        self._actors = workers.start_all(EncodingWorker, self._asked, encoder.name, gpus=gpus)

    @property
    def processes(self) -> int:
        """How many workers there are."""
        return len(self._actors)

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """As Encoder.encode; a worker that dies is replaced. Raises ModelError when that does not help."""
        ray, tries = self._workers.ray, 0
        parts = [texts[start : start + PART_TEXTS] for start in range(0, len(texts), PART_TEXTS)]
        waiting = deque(enumerate(parts))
        done: dict[int, Vectors] = {}
        running: dict[Any, tuple[int, Sequence[str], int]] = {}
        idle = list(range(len(self._actors)))
        while waiting or running:
            while waiting and idle:
                number, part = waiting.popleft()
                actor = idle.pop()
                running[self._actors[actor].encode.remote(part, role)] = number, part, actor
            ready = ray.wait(list(running), num_returns=1)[0][0]
            number, part, actor = running.pop(ready)
            try:
                done[number] = ray.get(ready)
            except ray.exceptions.RayError as error:
                if (tries := tries + 1) > MAX_TRIES:
                    raise ModelError(f"Ray workers end while they encode ({type(error).__name__}).") from error
                self._actors[actor] = self._workers.start(EncodingWorker, *self._asked, gpus=self._gpus)
                waiting.appendleft((number, part))
            idle.append(actor)
        return np.concatenate([done[number] for number in sorted(done)]) if done else np.zeros((0, self.dim), "f4")


class RayWorkers:
    """What Ray does for one command.

    ray   the module, connected
    """

    def __init__(self, ray: Any, settings: config.Settings) -> None:
        self.ray, self._settings = ray, settings

    def start_readers(self) -> list[FileReader]:
        """One for each processor, to be closed by whoever reads with them. Raises as `start_all`."""
        actors = self.start_all(FileWorker, (), version("wellsourced"), most=MAX_READERS)
        return [RayReader(self, actor) for actor in actors]

    def start_encoder(self, encoder: Encoder) -> RayEncoder:
        """The encoder of the settings, on every processor, or graphics processor where it can use one."""
        names = [Path(name.strip()).expanduser() for name in self._settings.encoder.split(",")]
        known_as = ",".join(str(path.absolute() if path.is_dir() else path) for path in names)
        has_gpus = uses_gpu(self._settings) and self.ray.cluster_resources().get("GPU", 0) >= 1
        return RayEncoder(self, encoder, known_as, int(has_gpus))

    def start(self, kind: type[Any], *given: Any, gpus: int = 0) -> Any:
        """One more worker; what it is asked waits until it is there."""
        return self.ray.remote(kind).options(num_cpus=1, num_gpus=gpus).remote(*given)

    def start_all(
        self, kind: type[Any], given: Sequence[Any], expected: str, *, most: int = 1_000, gpus: int = 0
    ) -> list[Any]:
        """As many workers as the cluster has processors for.

        expected   what each says of itself: nothing is stored that another version read, or another model encoded

        Raises SourceUnavailable when none starts, SettingsError for one that is not as expected.
        """
        free = self.ray.cluster_resources().get("GPU" if gpus else "CPU", 1)
        actors = [self.start(kind, *given, gpus=gpus) for _ in range(max(1, min(int(free), most)))]
        asked = {actor.describe.remote(): actor for actor in actors}
        if self.ray.wait(list(asked), num_returns=1, timeout=START_SECONDS)[0]:
            ready, late = self.ray.wait(list(asked), num_returns=len(asked), timeout=LATER_SECONDS)
        else:
            raise SourceUnavailable(f"No Ray worker started within {START_SECONDS:g} seconds: the cluster is busy.")
        for one in late:
            self.ray.kill(asked[one])
        try:
            found = set(self.ray.get(ready))
        except self.ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[-1].strip().rstrip(".")[:200]
            raise SettingsError(f"A Ray worker cannot start wellsourced ({reason}). {SAME_EVERYWHERE}") from error
        if found != {expected}:
            raise SettingsError(
                f"A Ray worker has {' and '.join(found - {expected})}, not {expected}. {SAME_EVERYWHERE}"
            )
        return [asked[one] for one in ready]
