"""The pages of the history: one run while it works and when it has ended, its files, the list, and two compared."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from wellsourced.api import ask
from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.app.factcheck.report_output import render_text_parts
from wellsourced.app.render.explained import note_lines, title_term, unexplained_lines
from wellsourced.events import Emit
from wellsourced.explain.explanation import Explanation
from wellsourced.pipeline.verify.recheck import RecheckResult, compare_answers, recheck_answer
from wellsourced.presentation.changes import build_recheck
from wellsourced.recommend.recommendation import recommend
from wellsourced.runs.live import LiveRun, RunOrigin
from wellsourced.server.pages import messages
from wellsourced.server.pages.answer_view import WHOLE_LINES, AnswerView, Part, part_of, view_answer
from wellsourced.server.pages.exports import list_exports
from wellsourced.server.pages.library_routes import FilledLibrary
from wellsourced.server.pages.rendering import render_page
from wellsourced.server.pages.visits import PageVisit, Visit, begin
from wellsourced.server.requests import stream_events, write_event
from wellsourced.types import Answer

RUNS_PER_PAGE = 50

run_pages = APIRouter(include_in_schema=False)


@run_pages.get("/runs")
async def list_runs(visit: PageVisit, page: Annotated[int, Query(ge=1, le=1_000_000)] = 1) -> Response:
    """What was asked since the server started, and the saved answers of before."""
    return _render_runs(visit, page)


def _render_runs(visit: Visit, page: int = 1, problem: str = "") -> Response:
    # One more than is shown, which tells whether there is another page.
    lines = visit.runs.list_lines(visit.owner, (page - 1) * RUNS_PER_PAGE, RUNS_PER_PAGE + 1)
    return render_page(
        "runs.html",
        422 if problem else 200,
        problem=problem,
        runs=lines[:RUNS_PER_PAGE],
        page=page,
        has_more=len(lines) > RUNS_PER_PAGE,
        keeps=visit.runs.history is not None,
        is_signed_in=not visit.is_at_home,
    )


@run_pages.get("/compare")
async def compare_runs(visit: PageVisit, run: Annotated[list[str], Query()] = []) -> Response:  # noqa: B006 - FastAPI's
    """Two answers side by side, and what differs between them."""
    # The older one is "before", whichever was selected first.
    runs = sorted((visit.find_run(id) for id in dict.fromkeys(run)), key=lambda one: one.begun)
    if len(runs) != 2 or not all(isinstance(one.result, Answer) for one in runs):
        return _render_runs(visit, problem=messages.TWO_ANSWERS_NEEDED)
    before, now = runs
    views = [view_answer(one.result) for one in runs if isinstance(one.result, Answer)]
    return render_page("compare.html", runs=runs, views=views, changes=_list_changes(before, now))


def _list_changes(before: LiveRun, now: LiveRun) -> list[str]:
    if isinstance(before.result, Answer) and isinstance(now.result, Answer):
        return compare_answers(before.result, now.result)
    return []


class OrderPiece(NamedTuple):
    """A stretch of the order; `anchor` leads to what explains it, "" where nothing does."""

    text: str
    anchor: str


class ExplanationView(NamedTuple):
    """The page of an explained order."""

    order: tuple[OrderPiece, ...]
    signs: tuple[tuple[str, str], ...]
    terms: tuple[tuple[str, str, AnswerView], ...]
    follow_up: AnswerView | None
    after: tuple[Part, ...]


def render_checked_text(result: CheckedText) -> Markup:
    """The report on a text, as `check --format html` has it: what was read is escaped there."""
    return Markup("".join(render_text_parts(result)))  # noqa: S704


def view_explanation(told: Explanation) -> ExplanationView:
    """What the page of an explained order says."""
    explained = [one for one in told.terms if not one.answer.abstained]
    anchors = [(one.start, one.end, f"term-{place}") for place, one in enumerate(explained, start=1)]
    anchors += [(one.start, one.end, "signs") for one in told.signs]
    after = (part_of(unexplained_lines(told, WHOLE_LINES)), part_of(note_lines(told, WHOLE_LINES)))
    return ExplanationView(
        order=_cut_order(told.order, anchors),
        signs=tuple((one.sign, one.meaning) for one in told.signs),
        terms=tuple(
            (f"term-{place}", title_term(one), view_answer(one.answer)) for place, one in enumerate(explained, start=1)
        ),
        follow_up=view_answer(told.follow_up) if told.follow_up else None,
        after=tuple(filter(None, after)),
    )


def _cut_order(order: str, anchors: list[tuple[int, int, str]]) -> tuple[OrderPiece, ...]:
    """The order as pieces, those that are explained with what they lead to."""
    pieces, at = [], 0
    for start, end, anchor in sorted(anchors):
        # Terms may lie within signs: the outer stretch keeps its link, and no words are shown twice.
        if start < at:
            continue
        pieces += [OrderPiece(order[at:start], ""), OrderPiece(order[start:end], anchor)]
        at = end
    return tuple(piece for piece in (*pieces, OrderPiece(order[at:], "")) if piece.text)


@run_pages.get("/runs/{id}")
async def show_run(id: str, visit: PageVisit) -> Response:
    """A run: its progress, or its result."""
    run = visit.find_run(id)
    exports = list_exports(run.result)
    match run.result:
        case Answer():
            return _show_answer(run, run.result, visit)
        case CheckedText():
            return render_page("checked.html", run=run, report=render_checked_text(run.result), exports=exports)
        case Explanation():
            return render_page("explained.html", run=run, explained=view_explanation(run.result))
        case FilledLibrary():
            return render_page("filled.html", run=run, filled=run.result, steps=run.steps)
        case RecheckResult():
            blocks = build_recheck(run.result).blocks
            return render_page("rechecked.html", run=run, blocks=blocks, registries=visit.context.registries)
    return render_page("working.html", run=run, steps=run.steps)


def _show_answer(run: LiveRun, answer: Answer, visit: Visit) -> Response:
    """An answer, with what it follows, what follows it, and the differences from the one it is compared with."""
    before, compared = visit.look_up_run(run.origin.follows), visit.look_up_run(run.origin.compared_with)
    after = [one for one in reversed(visit.runs.list_of(visit.owner)) if one.origin.follows == run.id]
    return render_page(
        "answer.html",
        run=run,
        answer=view_answer(answer),
        exports=list_exports(answer),
        before=before,
        after=after,
        compared=compared,
        changes=_list_changes(compared, run) if compared else [],
        asks_registries=bool(visit.context.registries),
        not_saved=messages.not_saved(run.unkept, run.fault),
    )


@run_pages.get("/runs/{id}/events")
async def follow_run(id: str, request: Request, visit: PageVisit) -> StreamingResponse:
    """Server-sent events: each step with its place, so that a browser that reconnects misses none; "ended" is last."""
    run = visit.find_run(id)
    # A browser that reconnects sends the last place it knows; other clients may send anything.
    last = request.headers.get("last-event-id", "")
    return stream_events(_write_steps(run, int(last) if last.isascii() and last.isdigit() else 0))


async def _write_steps(run: LiveRun, after: int) -> AsyncIterator[str]:
    """The steps after a place, then the state in which the run ended."""
    async for place, step in run.follow(after):
        yield f"id: {place}\n{write_event('step', json.dumps(step._asdict(), ensure_ascii=False))}"
    yield write_event("ended", json.dumps({"state": run.state}))


@run_pages.post("/runs/{id}/again")
async def ask_again(id: str, visit: PageVisit) -> Response:
    """Ask the question of an answer again, in the same words, and compare."""
    run = visit.find_run(id)
    if not isinstance(run.result, Answer):
        raise HTTPException(422, messages.ONLY_ANSWERS_AGAIN)
    said = run.result.question
    # As it was typed, since framing would otherwise frame its own result; the patient's text is not in a kept question.
    again = said.model_copy(
        update={"text": said.asked or said.text, "asked": "", "expansions": (), "patient": run.origin.patient}
    )
    answering = recommend if run.origin.patient else ask

    async def work(emit: Emit) -> Answer:
        return await answering(again, visit.context, emit)

    origin = RunOrigin(run.origin.patient, compared_with=run.id)
    return begin(visit, "question", run.title, work, origin, question=again)


@run_pages.post("/runs/{id}/recheck")
async def recheck_run(id: str, visit: PageVisit) -> Response:
    """Ask the registries whether works that an answer cites were retracted since."""
    run = visit.find_run(id)
    answer, registries = run.result, visit.context.registries
    if not isinstance(answer, Answer) or not registries:
        raise HTTPException(422, messages.NO_REGISTRY)
    title = messages.recheck_title(run.title)
    # Its title is that of the answer.
    return begin(visit, "retractions", title, lambda _: recheck_answer(answer, registries), is_private=not run.kept)


@run_pages.post("/runs/{id}/stop")
async def stop_run(id: str, visit: PageVisit) -> Response:
    """Stop a run; its page stays."""
    visit.find_run(id).stop()
    return RedirectResponse(f"/runs/{id}", 303)


@run_pages.post("/runs/{id}/delete")
async def delete_run(id: str, visit: PageVisit) -> Response:
    """Delete a run with all that was typed for it, here and on the disk."""
    visit.runs.delete(visit.find_run(id))
    return RedirectResponse("/runs", 303)


@run_pages.get("/runs/{id}/export/{form}")
async def export_run(id: str, form: str, visit: PageVisit) -> Response:
    """The result of a run as a file."""
    run = visit.find_run(id)
    export = list_exports(run.result).get(form)
    if export is None:
        raise HTTPException(404, messages.NO_EXPORT)
    headers = {"content-disposition": f'attachment; filename="{run.kind}{export.ending}"'}
    return Response(export.render(run.result), media_type=export.media_type, headers=headers)
