"""The pages: forms that begin a run, the run while it works and when it is done, and what can be read besides."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from wellsourced.api import ask
from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import QuestionError
from wellsourced.events import AnswerCompleted, Emit
from wellsourced.explain.explanation import Explanation, explain
from wellsourced.recommend.recommendation import recommend
from wellsourced.server.access import TOKEN_COOKIE, is_own_page
from wellsourced.server.live_runs import LiveRun, LiveRuns, RunKind, stop
from wellsourced.server.pages.answer_view import view_answer
from wellsourced.server.pages.checks_view import render_checked_text, view_explanation
from wellsourced.server.pages.document_view import open_local_document, view_document
from wellsourced.server.pages.exports import list_exports
from wellsourced.server.pages.forms import describe_destinations, read_field, read_form, read_question
from wellsourced.server.pages.rendering import give_static_file, render_page
from wellsourced.server.pages.steps import describe_event
from wellsourced.server.pages.text_check import (
    MAX_ADDRESS_LENGTH,
    OFFLINE_NOTICE,
    check_given_text,
    find_host,
    read_given_text,
    write_bookmarklet,
)
from wellsourced.server.requests import find_owner, stream_events, write_event
from wellsourced.types import Answer

TITLE_LENGTH = 150

Work = Callable[[Emit], Coroutine[object, object, object]]

pages = APIRouter(include_in_schema=False)


class Visit:
    """What a page needs of the server, and who it is for.

    owner   of the runs that this visitor may see: made from the token, "" on this machine
    """

    def __init__(self, request: Request) -> None:
        self.context: Context = request.app.state.context
        self.settings: Settings = request.app.state.settings
        self.runs: LiveRuns = request.app.state.runs
        self.tokens: tuple[str, ...] = request.app.state.access.tokens
        self.owner = find_owner(request)

    def find_run(self, id: str) -> LiveRun:
        """A run of this visitor. Raises HTTPException for none."""
        run = self.runs.find(id, self.owner)
        if run is None:
            raise HTTPException(404, "There is no such run here: it was deleted, or the server was started anew since.")
        return run


PageVisit = Annotated[Visit, Depends(Visit)]


def begin(visit: Visit, kind: RunKind, title: str, work: Work) -> Response:
    """Begin a run, and lead to its page."""
    line = " ".join(title.split())
    run = visit.runs.start(visit.owner, kind, line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…", work)
    return RedirectResponse(f"/runs/{run.id}", 303)


@pages.get("/")
async def show_question_form(visit: PageVisit) -> Response:
    """Where a question is asked."""
    return render_page("ask.html", destinations=describe_destinations(visit.context), problem="", given={})


@pages.post("/ask")
async def begin_answer(request: Request, visit: PageVisit) -> Response:
    """Begin an answer; with a patient's text it is a recommendation."""
    form = await read_form(request)
    try:
        question = read_question(form)
    except QuestionError as error:
        told = describe_destinations(visit.context)
        return render_page("ask.html", 422, destinations=told, problem=str(error), given=form)
    answering = recommend if question.patient else ask
    return begin(visit, "question", question.text, lambda emit: answering(question, visit.context, emit))


@pages.get("/check")
async def show_check_form(request: Request, visit: PageVisit, address: str = "") -> Response:
    """Where a text is given to be checked; an address in the link is filled in, and fetched only when it is sent."""
    return _render_check_form(request, visit, {"address": address[:MAX_ADDRESS_LENGTH]})


@pages.post("/check")
async def begin_check(request: Request, visit: PageVisit) -> Response:
    """Begin the check of a text that was typed, of a file, or of a page of the web."""
    form = await read_form(request)
    try:
        given = await read_given_text(form, visit.settings)
    except QuestionError as error:
        return _render_check_form(request, visit, form, str(error))
    repair = bool(read_field(form, "repair"))
    return begin(visit, "text", given.title, lambda emit: check_given_text(given, visit.settings, repair, emit))


def _render_check_form(request: Request, visit: Visit, given: Mapping[str, object], problem: str = "") -> Response:
    return render_page(
        "check.html",
        422 if problem else 200,
        problem=problem,
        given=given,
        host=find_host(read_field(given, "address")),
        offline=OFFLINE_NOTICE if visit.settings.network.offline else "",
        bookmarklet=write_bookmarklet(str(request.base_url)),
    )


@pages.get("/explain")
async def show_order_form(visit: PageVisit) -> Response:
    """Where an order is given to be explained."""
    return render_page("explain.html", destinations=describe_destinations(visit.context), problem="", given={})


@pages.post("/explain")
async def begin_explanation(request: Request, visit: PageVisit) -> Response:
    """Begin the explanation of an order."""
    form = await read_form(request)
    order = read_field(form, "order")
    if not order:
        told = describe_destinations(visit.context)
        return render_page("explain.html", 422, destinations=told, problem="Type or paste the order.", given=form)
    patient, asked = read_field(form, "patient"), read_field(form, "asked")
    return begin(
        visit, "order", order, lambda emit: explain(order, visit.context, patient=patient, asked=asked, emit=emit)
    )


@pages.get("/runs")
async def list_runs(visit: PageVisit) -> Response:
    """What was asked since the server was started."""
    return render_page("runs.html", runs=visit.runs.list_of(visit.owner))


@pages.get("/runs/{id}")
async def show_run(id: str, visit: PageVisit) -> Response:
    """A run: what happens in it, or what came of it."""
    run = visit.find_run(id)
    exports = list_exports(run.result)
    steps = [step for event in run.events if (step := describe_event(event))]
    match run.result:
        case Answer():
            return render_page("answer.html", run=run, answer=view_answer(run.result), exports=exports)
        case CheckedText():
            return render_page("checked.html", run=run, report=render_checked_text(run.result), exports=exports)
        case Explanation():
            return render_page("explained.html", run=run, explained=view_explanation(run.result))
    return render_page("working.html", run=run, steps=steps)


@pages.get("/runs/{id}/events")
async def follow_run(id: str, request: Request, visit: PageVisit) -> StreamingResponse:
    """Server-sent events: each step with its place, so that who comes back hears what was missed; "ended" is last."""
    run = visit.find_run(id)
    last = request.headers.get("last-event-id", "")
    return stream_events(_write_steps(run, int(last) if last.isascii() and last.isdigit() else 0))


async def _write_steps(run: LiveRun, after: int) -> AsyncIterator[str]:
    """The steps after a place, then how the run ended."""
    async for place, event in run.follow(after):
        if (step := describe_event(event)) and not isinstance(event, AnswerCompleted):
            yield f"id: {place}\n{write_event('step', json.dumps(step._asdict(), ensure_ascii=False))}"
    yield write_event("ended", json.dumps({"state": run.state}))


@pages.post("/runs/{id}/stop")
async def stop_run(id: str, visit: PageVisit) -> Response:
    """Stop a run; its page stays."""
    stop(visit.find_run(id))
    return RedirectResponse(f"/runs/{id}", 303)


@pages.post("/runs/{id}/delete")
async def delete_run(id: str, visit: PageVisit) -> Response:
    """Forget a run with all that was typed for it."""
    visit.runs.delete(visit.find_run(id))
    return RedirectResponse("/runs", 303)


@pages.get("/runs/{id}/export/{form}")
async def export_run(id: str, form: str, visit: PageVisit) -> Response:
    """What a run came to as a file."""
    run = visit.find_run(id)
    export = list_exports(run.result).get(form)
    if export is None:
        raise HTTPException(404, "There is no such file of this run.")
    headers = {"content-disposition": f'attachment; filename="{run.kind}{export.ending}"'}
    return Response(export.render(run.result), media_type=export.media_type, headers=headers)


@pages.get("/document")
async def show_document(id: str, visit: PageVisit, start: int = 0, end: int = 0) -> Response:
    """A document of a library on this machine, with the quoted words marked."""
    document = await open_local_document(id, visit.context)
    parts = view_document(document, [(start, end)])
    return render_page("document.html", reference=document.reference, parts=parts, has_mark=0 <= start < end)


@pages.get("/library")
async def show_libraries(visit: PageVisit) -> Response:
    """What is searched."""
    sources = [await source.describe() for source in visit.context.sources]
    return render_page("library.html", sources=sources, gaps=visit.context.setup_gaps)


@pages.get("/sign-in")
async def show_sign_in(next: str = "") -> Response:
    """Where a token is typed; `next` is the page that was wanted."""
    return render_page("sign_in.html", problem="", next=next if is_own_page(next) else "")


@pages.post("/sign-in")
async def sign_in(request: Request, visit: PageVisit) -> Response:
    """Let the browser keep a token that is known, for as long as it is open."""
    form = await read_form(request)
    token, wanted = read_field(form, "token"), read_field(form, "next")
    wanted = wanted if is_own_page(wanted) else ""
    if token not in visit.tokens:
        return render_page("sign_in.html", 401, problem="This server does not know that token.", next=wanted)
    response = RedirectResponse(wanted or "/", 303)
    is_secure = request.url.scheme == "https"
    response.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict", secure=is_secure)
    return response


@pages.get("/static/{name}")
async def show_static(name: str) -> Response:
    """The style and the script."""
    return give_static_file(name)
