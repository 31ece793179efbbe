"""A judge from a folder, an archive or an address into home/judges: brought, hashed, told, tried, and only then kept.

What comes from elsewhere is data: of an archive only the files of a model are written, none outside its folder, and of
a model only the graph is ever run.
"""

import asyncio
import hashlib
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from wellsourced.config.judges import INSTALLATION_FILE, InstalledJudge, check_judge_name, try_classifier
from wellsourced.errors import InaccessibleFile, NotFoundError, SourceRefused
from wellsourced.http import Client
from wellsourced.ingest.archives import ARCHIVES, is_archive, unpack_archive
from wellsourced.privacy.loopback import is_loopback
from wellsourced.storage.private_files import close_tree, make_private_folder

SIZE_LIMIT = 4_000_000_000
"""Bytes of an archive, and of the files of a model."""

MODEL_FILES = (
    r"(?:.*/)?(?:[^/]*\.(?:onnx|onnx_data|data)|(?:config|tokenizer|tokenizer_config|special_tokens_map)\.json|"
    r"vocab\.txt|README\.md|LICEN[CS]E[^/]*)"
)
"""Paths of what belongs to a model; whatever else is packed with it stays where it is."""

REMOTE_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", "README.md")
"""What is asked for at the address of a folder beside the model itself, as far as it is there."""

REMOTE_MODELS = ("model.onnx", "onnx/model.onnx")

HOW_TO_NAME = "name a folder or archive with config.json, tokenizer.json and model.onnx, or its https address"

_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", re.DOTALL)
_LICENCE = re.compile(r"^\s*\"?licen[cs]e\"?\s*:\s*[\"']?([^\"'\n,]+)", re.MULTILINE | re.IGNORECASE)
MAX_LICENCE_BYTES = 1_000_000


class JudgeCandidate(NamedTuple):
    """A judge that was brought here, and is not used yet.

    folder    where its files lie, closed to everybody else
    size      bytes
    """

    card: InstalledJudge
    folder: Path
    size: int


def is_address(origin: str) -> bool:
    """Whether it is an address and no path."""
    return "://" in origin


def judge_name_of(origin: str) -> str:
    """What a judge is called if nobody says: as its folder or archive."""
    last = unquote(urlsplit(origin).path if is_address(origin) else str(Path(origin).expanduser().resolve()))
    name = last.rstrip("/").rpartition("/")[2].lower()
    return next((name.removesuffix(ending) for ending in ARCHIVES if name.endswith(ending)), name)


@asynccontextmanager
async def bring_judge(
    origin: str, name: str, into: Path, client: Client, *, sha256: str = "", licence: str = "", limit: int = SIZE_LIMIT
) -> AsyncIterator[JudgeCandidate]:
    """The files of a judge in a folder of its own beneath `into`, with their hash; nothing of them is used. In the end
    what is not kept of them is deleted.

    origin    a folder, an archive, or an address (https; http on this machine alone)
    sha256    what the hash has to be, in hex; "" for any
    licence   under which it may be used; "": as its files say

    Raises SettingsError for a name that no judge can have, SourceRefused for what is too large, has another hash or is
    no judge, UnreadableFile for an archive that is damaged or suspect, and what Client.download raises.
    """
    check_judge_name(name)
    folder = into / f".{name}.new"
    shutil.rmtree(folder, ignore_errors=True)
    make_private_folder(folder)
    try:
        files = folder / "files"
        if is_address(origin):
            digest = await _fetch_files(origin, folder, files, client, sha256, limit)
        else:
            digest = await asyncio.to_thread(_take_files, origin, files, sha256, limit)
        model = _find_model_folder(files, origin)
        size = sum(path.stat().st_size for path in files.rglob("*") if path.is_file())
        close_tree(folder)
        words = " ".join((licence or read_licence(model)).split())
        today = date.today().isoformat()
        card = InstalledJudge(name=name, origin=origin, sha256=digest, licence=words, date=today)
        yield JudgeCandidate(card, model, size)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def install_judge(candidate: JudgeCandidate, into: Path) -> None:
    """Try it, and keep it under its name. Raises ModelError or SettingsError for one that cannot judge."""
    card, folder, _ = candidate
    try_classifier(folder)
    (folder / INSTALLATION_FILE).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    close_tree(folder)
    folder.rename(into / card.name)


# --- bringing ------------------------------------------------------------------------------------------------------


async def _fetch_files(origin: str, folder: Path, files: Path, client: Client, sha256: str, limit: int) -> str:
    parts = urlsplit(origin)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise SourceRefused(f"{origin} was not downloaded: judges need https (http is allowed for this machine only).")
    if parts.path.endswith("/"):
        return await _fetch_folder(origin, files, client, sha256, limit)
    archive = folder / Path(unquote(parts.path)).name
    if not is_archive(archive):
        raise SourceRefused(f"{origin} is not an archive: {HOW_TO_NAME}.")
    await client.download(origin, archive, limit=limit)
    return _unpack_files(archive, files, origin, sha256, limit)


async def _fetch_folder(origin: str, files: Path, client: Client, sha256: str, limit: int) -> str:
    """The files of a model, each by its name: its description, and the model at the first place where it is."""
    left = limit

    async def fetch(name: str) -> bool:
        nonlocal left
        try:
            path = await client.download(f"{origin}{name}", files / name, limit=left)
        except NotFoundError:
            return False
        left -= path.stat().st_size
        return True

    for name in REMOTE_FILES:
        await fetch(name)
    for name in REMOTE_MODELS:
        if await fetch(name):
            await fetch(f"{name}_data")
            break
    digest = hash_folder(files)
    _check_hash(origin, digest, sha256)
    return digest


def _take_files(origin: str, files: Path, sha256: str, limit: int) -> str:
    """The user's own folder or archive, copied: what lies there may change, what is installed does not."""
    path = Path(origin).expanduser()
    if path.is_dir():
        _copy_files(path, files, limit)
        digest = hash_folder(files)
        _check_hash(str(path), digest, sha256)
        return digest
    if not path.exists():
        raise InaccessibleFile(path, "no such file or folder", f"To install a judge, {HOW_TO_NAME}.")
    if not is_archive(path):
        raise SourceRefused(f"{path} is neither a folder nor an archive: {HOW_TO_NAME}.")
    if path.stat().st_size > limit:
        raise _too_large(str(path), limit)
    return _unpack_files(path, files, str(path), sha256, limit)


def _unpack_files(archive: Path, files: Path, origin: str, sha256: str, limit: int) -> str:
    """Its hash is compared before a byte of it is unpacked."""
    digest = _hash_file(archive)
    _check_hash(origin, digest, sha256)
    unpack_archive(archive, files, MODEL_FILES, limit=limit)
    return digest


def _copy_files(source: Path, files: Path, limit: int) -> None:
    left = limit
    for path in _list_model_files(source):
        left -= path.stat().st_size
        if left < 0:
            raise _too_large(str(source), limit)
        target = files / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _list_model_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and re.fullmatch(MODEL_FILES, path.relative_to(folder).as_posix(), re.IGNORECASE):
            yield path


def hash_folder(folder: Path) -> str:
    """sha256 of the files of a model, by name: of the lines that `sha256sum` prints of them in the order of names."""
    lines = (f"{_hash_file(path)}  {path.relative_to(folder).as_posix()}\n" for path in _list_model_files(folder))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_hash(origin: str, digest: str, wanted: str) -> None:
    if wanted and digest != wanted.strip().lower().removeprefix("sha256:"):
        raise SourceRefused(
            f"{origin} has the sha256 {digest}, not {wanted}: nothing was installed. Ask the publisher which is right."
        )


def _too_large(origin: str, limit: int) -> SourceRefused:
    return SourceRefused(f"{origin} has more than {limit:,} bytes. Choose a smaller or quantised model.")


# --- what it says of itself ----------------------------------------------------------------------------------------


def _find_model_folder(files: Path, origin: str) -> Path:
    """The folder with the description, the uppermost. Raises SourceRefused when there is none."""
    found = sorted(files.rglob("config.json"), key=lambda path: (len(path.parts), path))
    if not found:
        raise SourceRefused(f"{origin} has no config.json: {HOW_TO_NAME}.")
    return found[0].parent


def read_licence(folder: Path) -> str:
    """As the head of its README.md, or its config.json, says; "" when neither does."""
    readme, config = folder / "README.md", folder / "config.json"
    head = _FRONT_MATTER.match(_read_start(readme))
    for text in (head[1] if head else "", _read_start(config)):
        if found := _LICENCE.search(text):
            return found[1].strip()[:100]
    return ""


def _read_start(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MAX_LICENCE_BYTES).decode("utf-8", "replace")
