"""The pages of libraries, settings and prompts.

Visitors with a token may look, and where their token has the role for it add files and remove what was added from a
page. Other files are removed only from the machine of the server. Each visitor has prompts of their own.
"""

import asyncio
import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from wellsourced import config
from wellsourced.config import Settings
from wellsourced.config.libraries import delete_library, refuse_guidelines
from wellsourced.config.loader import format_value
from wellsourced.context import trim_heap
from wellsourced.errors import NotFoundError, SettingsError, SourceRefused, SourceUnavailable, WellsourcedError
from wellsourced.events import Emit
from wellsourced.examination import examine, examine_extras
from wellsourced.ingest.file_ingestion import ingest_paths, remove_documents
from wellsourced.models.base import Prompt
from wellsourced.presentation.progress import describe_ingestion
from wellsourced.presentation.references import name_work
from wellsourced.presets.published import load_systems
from wellsourced.prompts.instructions import change_instruction, list_prompts, load_instructions
from wellsourced.server.pages import messages
from wellsourced.server.pages.forms import SentFile, begin, read_field, read_files, read_form
from wellsourced.server.pages.rendering import render_page
from wellsourced.server.requests import RequestContext, SentRequest
from wellsourced.sources.base import FileFault, FileState
from wellsourced.storage.private_files import make_missing_folders, make_private_file

UPLOADS = "uploads"
"""The folder of home for files sent from a page: a library names the files it was filled from."""

UNFINISHED = ".unfinished-"
"""How the names of folders begin in which files are written before all of them are there."""

READING_EXTRAS = {"documents": "Wikipedia dumps"}
"""Extra → the kinds of files that are read with it."""

MAX_FILES = 100

FILES_PER_PAGE = 100

MAX_FAULTS = 3
"""Faults of a file that are shown."""


class FilledLibrary(NamedTuple):
    """A library after files were added, and the outcome in a sentence."""

    name: str
    says: str


class FileView(NamedTuple):
    """A file of a library: the number of its documents, the first of them with its title, and what is wrong with it.

    key   by which this visitor may remove it; "" where he may not
    """

    name: str
    key: str
    documents: int
    first: str
    title: str
    fault: str


library_pages = APIRouter(include_in_schema=False)


@library_pages.get("/library")
async def show_libraries(visit: SentRequest) -> Response:
    """All sources, and the form to add files."""
    return await _render_libraries(visit)


async def _render_libraries(visit: RequestContext, problem: str = "", name: str = "") -> Response:
    sources = [await source.describe() for source in visit.context.sources]
    names = config.library_names(visit.settings) if visit.may_edit else []
    return render_page(
        "library.html",
        422 if problem else 200,
        sources=sources,
        gaps=visit.context.setup_gaps,
        extras=list_extras(),
        own=[one for one in names if one != config.GUIDELINES],
        may_edit=visit.may_edit,
        problem=problem,
        typed=name,
    )


def list_extras() -> list[str]:
    """What cannot be read before an extra is installed, and how the operator installs it."""
    steps = dict.fromkeys(finding.next_step for finding in examine_extras() if finding.next_step)
    needed = (step for step in steps if step.value in READING_EXTRAS)
    return [
        messages.EXTRA_NEEDED.format(kinds=READING_EXTRAS[step.value], step=messages.spell_next_step(step))
        for step in needed
    ]


@library_pages.post("/library/files")
async def add_files(request: Request, visit: SentRequest) -> Response:
    """Add files to a library, which is created if needed."""
    visit.require_editor()
    form = await read_form(request, max_files=MAX_FILES)
    name, files = read_field(form, "name") or read_field(form, "library"), await read_files(form, "files")
    try:
        if not files:
            raise SourceRefused(messages.NO_FILES_CHOSEN)
        # Files added to the guidelines would be quoted as guidelines.
        refuse_guidelines(name)
        is_new = name not in config.library_names(visit.settings)
        paths = await asyncio.to_thread(_save_files, visit.settings, name, files)
    except (WellsourcedError, OSError) as error:
        told = messages.describe_failure(error).replace(f"{visit.settings.home}/", "")
        return await _render_libraries(visit, told, name)

    async def work(emit: Emit) -> FilledLibrary:
        try:
            async with visit.library_turns[name]:
                done = await ingest_paths(visit.settings, name, tuple(paths), vectors=True, emit=emit)
        # The disk is full, or another program writes: whoever sent the files reads why, and not where it is.
        except SourceUnavailable as error:
            await _give_back(visit.settings, name, paths, is_new=is_new)
            cause = error.__cause__
            reason = messages.IN_USE if isinstance(cause, BlockingIOError) else getattr(cause, "strerror", cause)
            raise SourceUnavailable(messages.NOT_WRITTEN.format(library=name, reason=reason)) from error
        # Reopening all libraries takes seconds; what is added to an open one is found at once.
        if not any(source.name == name for source in visit.context.sources):
            await visit.reopen_context()
        # What reading and vectors took is free, and stays with the process otherwise.
        await asyncio.to_thread(trim_heap)
        return FilledLibrary(name, describe_ingestion(name, done))

    return begin(visit, "files", messages.FILES_TITLE.format(library=name), work)


async def _give_back(settings: Settings, name: str, paths: Sequence[Path], *, is_new: bool) -> None:
    """Delete those files of which nothing was read, and the library if it was made for them alone."""
    with suppress(WellsourcedError):
        async with config.open_library(settings, name, build=False) as opened:
            known = {str(path.resolve()): opened.file(str(path.resolve())) for path in paths}
        unread = [path for path, file in known.items() if file is None or not file.documents]
        # First the files: that they are known is written where there may be no room before.
        if unread:
            await asyncio.to_thread(_delete_uploads, paths[0].parent.resolve(), unread)
        empty = is_new and len(unread) == len(known)
        await (delete_library(settings, name) if empty else remove_documents(settings, name, unread))


def _save_files(settings: Settings, name: str, files: Sequence[SentFile]) -> list[Path]:
    """Save each file under its own name in a folder of the library, which is created if needed; a file of the same name
    is replaced. What fails half way leaves nothing: all are written elsewhere, and moved when they are whole."""
    uploads = settings.home / UPLOADS
    make_missing_folders(uploads)
    names = [file.name.lstrip(".") for file in files]
    for sent, plain in zip(files, names, strict=True):
        # A name that leads elsewhere, as with "..", would write outside the folder of uploads.
        if not plain or Path(plain).name != plain:
            raise SourceRefused(messages.BAD_FILE_NAME.format(name=sent.name[:80]))
    with _hold_uploads(uploads), TemporaryDirectory(prefix=UNFINISHED, dir=uploads) as folder:
        for sent, plain in zip(files, names, strict=True):
            written = Path(folder) / plain
            make_private_file(written)
            written.write_bytes(sent.content)
        if name not in config.library_names(settings):
            config.create_library(settings, name)
        target = uploads / name
        make_missing_folders(target)
        return [(Path(folder) / plain).replace(target / plain) for plain in dict.fromkeys(names)]


@contextmanager
def _hold_uploads(uploads: Path) -> Iterator[None]:
    """Hold the folder, which one at a time writes to, in whichever server; what a killed one left is deleted first."""
    opened = os.open(uploads, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        for folder in uploads.glob(f"{UNFINISHED}*"):
            rmtree(folder)
        yield
    finally:
        os.close(opened)


def remove_leftovers(settings: Settings) -> None:
    """Delete what a server that was killed had begun to write."""
    with suppress(OSError), _hold_uploads(settings.home / UPLOADS):
        pass


@library_pages.get("/library/{name}")
async def show_library(name: str, visit: SentRequest, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1) -> Response:
    """The files of a library, with their faults."""
    visit.require_editor()
    return await _render_files(name, visit, page)


async def _render_files(name: str, visit: RequestContext, page: int = 1, problem: str = "") -> Response:
    async with config.open_library(visit.settings, name, build=False) as opened:
        about, files = await opened.describe(), opened.files()
        keys, first = _find_keys(visit, name, files), (page - 1) * FILES_PER_PAGE
        shown = []
        for file in files[first:][:FILES_PER_PAGE]:
            ids = opened.ids_of_file(file.path)
            # Of a file that holds several, the first does not stand for all.
            title = name_work((await opened.open(ids[0])).reference) if len(ids) == 1 else ""
            shown.append(_view_file(file, ids, title, opened.faults(file.path), keys[file.path]))
    return render_page(
        "library_files.html",
        422 if problem else 200,
        problem=problem,
        about=about,
        files=shown,
        page=page,
        has_more=len(files) > first + FILES_PER_PAGE,
        may_delete=name != config.GUIDELINES and _may_delete(visit, keys),
    )


def _find_keys(visit: RequestContext, name: str, files: Sequence[FileState]) -> dict[str, str]:
    """Path of each file of a library → by which this visitor may remove it, "" where he may not: where files of others
    are on the server is nobody's business elsewhere."""
    sent, is_own = str((visit.settings.home / UPLOADS / name).resolve()), name != config.GUIDELINES
    pairs = ((file.path, file.path.rpartition("/")) for file in files)
    return {
        path: file if is_own and at == sent else path * (is_own and visit.is_at_home) for path, (at, _, file) in pairs
    }


def _may_delete(visit: RequestContext, keys: Mapping[str, str]) -> bool:
    return visit.is_at_home or (bool(keys) and all(keys.values()))


def _view_file(
    file: FileState, documents: Sequence[str], title: str, faults: Sequence[FileFault], key: str
) -> FileView:
    fault = "; ".join(fault.summary for fault in faults[:MAX_FAULTS]) or messages.FILE_STATES.get(file.state, "")
    name = Path(file.path).name
    return FileView(name, key, file.documents, "".join(documents[:1]), title or name, fault)


@library_pages.post("/library/{name}/remove")
async def remove_from_library(name: str, request: Request, visit: SentRequest) -> Response:
    """Remove a file from a library with all its documents; without a file, delete the library. An editor removes what
    was sent from a page."""
    visit.require_editor()
    form = await read_form(request)
    key = read_field(form, "file")
    refuse_guidelines(name)
    keys: dict[str, str] = {}
    # Its operator deletes also a library that is damaged.
    if key or not visit.is_at_home:
        async with config.open_library(visit.settings, name, build=False) as opened:
            keys = _find_keys(visit, name, opened.files())
    chosen = [path for path, known in keys.items() if key and known == key]
    if not (chosen if key else _may_delete(visit, keys)):
        raise HTTPException(403, messages.ONLY_SENT_FILES)
    # A library is deleted by typing its name, so that one click too many does not.
    if not key and read_field(form, "sure") != name:
        return await _render_files(name, visit, problem=messages.TYPE_THE_NAME.format(library=name))
    async with visit.library_turns[name]:
        await (remove_documents(visit.settings, name, chosen) if key else delete_library(visit.settings, name))
    await asyncio.to_thread(_delete_uploads, (visit.settings.home / UPLOADS / name).resolve(), chosen)
    if not key:
        await visit.reopen_context()
    return RedirectResponse(f"/library/{name}" if key else "/library", 303)


def _delete_uploads(folder: Path, paths: Sequence[str]) -> None:
    """Delete files that were sent from a page, or all; files elsewhere belong to their owner."""
    for file in list(map(Path, paths)) or (list(folder.iterdir()) if folder.is_dir() else []):
        # A file that was added at the terminal stays where its owner keeps it.
        if file.parent == folder:
            file.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


@library_pages.get("/settings")
async def show_settings(visit: SentRequest) -> Response:
    """Every setting with its value, origin and meaning."""
    visit.require_home()
    rows = [
        (row.name, format_value(row.name, row.value), row.place, row.ignored, row.meaning)
        for row in config.explain_settings(visit.flags)
    ]
    return render_page("settings.html", rows=rows, presets=config.list_presets(), systems=list(load_systems()))


@library_pages.get("/published/{name}")
async def show_published_system(name: str) -> Response:
    """What a published system does, and how much of it is here. Raises NotFoundError for another name."""
    if not (system := load_systems().get(name)):
        raise NotFoundError(messages.NO_PUBLISHED_SYSTEM.format(names=", ".join(load_systems())))
    return render_page("published.html", system=system, systems=list(load_systems()))


@library_pages.post("/doctor")
async def show_diagnosis(visit: SentRequest) -> Response:
    """The result of doctor, run now; no model is asked."""
    visit.require_home()
    findings = await asyncio.to_thread(lambda: list(examine(visit.flags, ask=False)))
    return render_page("doctor.html", findings=findings)


@library_pages.get("/prompts")
async def show_prompts(visit: SentRequest) -> Response:
    """Every prompt, and whether the visitor has changed it."""
    own = _load_own_words(visit)
    rows = [(name, kind.instruction().partition("\n")[0], name in own) for name, kind in list_prompts().items()]
    return render_page("prompts.html", rows=rows, model=visit.context.model.name if visit.context.has_model else "")


@library_pages.get("/prompts/{name}")
async def show_prompt(name: str, visit: SentRequest) -> Response:
    """A prompt, with the visitor's own words."""
    return _render_prompt(name, _load_own_words(visit).get(name, ""))


@library_pages.post("/prompts/{name}")
async def change_prompt(name: str, request: Request, visit: SentRequest) -> Response:
    """Save the words of a prompt, or restore the built-in words."""
    form = await read_form(request)
    words, action = read_field(form, "words"), read_field(form, "action")
    # An unknown name would stay in the file for good.
    _find_prompt(name)
    try:
        change_instruction(visit.prompts, name, "" if action == "reset" else words)
    except (SettingsError, OSError) as error:
        return _render_prompt(name, words, problem=messages.describe_failure(error))
    return RedirectResponse(f"/prompts/{name}" if action == "reset" else "/prompts", 303)


def _load_own_words(visit: RequestContext) -> dict[str, str]:
    return load_instructions(visit.prompts) if visit.prompts.exists() else {}


def _find_prompt(name: str) -> type[Prompt[Any]]:
    """Raises HTTPException for a name that no prompt has."""
    if name not in (prompts := list_prompts()):
        raise HTTPException(404, messages.NO_PROMPT)
    return prompts[name]


def _render_prompt(name: str, words: str, problem: str = "") -> Response:
    kind = _find_prompt(name)
    return render_page(
        "prompt.html",
        422 if problem else 200,
        prompt=name,
        built_in=kind.instruction(),
        words=words,
        shown=list(kind.model_fields),
        reply=list(kind.reply.model_fields),
        problem=problem,
    )
