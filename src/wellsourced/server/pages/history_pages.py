"""The pages of the history: one run while it works and when it has ended, its files, the list, and two compared."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, NamedTuple
from unicodedata import normalize

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from wellsourced.api import ask
from wellsourced.citations.reference_styles import ReferenceFormat, render_reference_file
from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.events import Emit
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.factcheck.edited_text import apply_edits
from wellsourced.orders.explanation import Explanation
from wellsourced.pipeline.verify.recheck import RecheckResult, compare_answers, recheck_answer
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.blocks import skip_step
from wellsourced.presentation.changes import build_recheck
from wellsourced.presentation.check_exports import export_json
from wellsourced.presentation.checks import present_checks
from wellsourced.presentation.explanations import SIGNS_ANCHOR, build_explanation, name_anchor
from wellsourced.presentation.html import write_html_page
from wellsourced.presentation.markdown import write_markdown
from wellsourced.presentation.progress import CHECK_STEP, CUT, DRAFT_STEP
from wellsourced.presentation.references import number_references
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.presentation.word import write_word_file
from wellsourced.recommendation import recommend
from wellsourced.runs.live import LiveRun, RunOrigin
from wellsourced.runs.table import RunStep
from wellsourced.server.local_documents import find_local_document
from wellsourced.server.pages import messages
from wellsourced.server.pages.forms import begin
from wellsourced.server.pages.library_pages import FilledLibrary
from wellsourced.server.pages.rendering import (
    render_document,
    render_outlined,
    render_page,
    render_result,
    write_address,
)
from wellsourced.server.pages.suggestions import propose_follow_ups
from wellsourced.server.requests import RequestContext, SentRequest, stream_events, write_event
from wellsourced.text.sanitization import sanitize_text
from wellsourced.types import Answer, Document

RUNS_PER_PAGE = 50

MAX_BESIDE = 40_000
"""Characters of a document all of which is shown beside an answer; of a longer one it is what is around the words."""

BESIDE_AROUND = 8_000

MIN_SHARED = 20
"""Characters by which the last words of a draft are known to go on with those before."""

history_pages = APIRouter(include_in_schema=False)


@history_pages.get("/runs")
async def list_runs(
    visit: SentRequest,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    words: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """What was asked since the server started, and the saved answers of before; with words, those in which they are."""
    return _render_runs(visit, page, words=words)


def _render_runs(visit: RequestContext, page: int = 1, problem: str = "", words: str = "") -> Response:
    # One more than is shown, which tells whether there is another page.
    skip, most = (page - 1) * RUNS_PER_PAGE, RUNS_PER_PAGE + 1
    lines = visit.runs.list_lines(visit.owner, skip, most, words.split())
    return render_page(
        "runs.html",
        422 if problem else 200,
        problem=problem,
        runs=lines[:RUNS_PER_PAGE],
        page=page,
        words=words.strip(),
        has_more=len(lines) > RUNS_PER_PAGE,
        keeps=visit.runs.history is not None,
        is_signed_in=not visit.is_at_home,
    )


@history_pages.get("/compare")
async def compare_runs(visit: SentRequest, run: Annotated[list[str], Query()] = []) -> Response:  # noqa: B006 - FastAPI's
    """Two answers side by side, and what differs between them."""
    # The older one is "before", whichever was selected first.
    runs = sorted((visit.find_run(id) for id in dict.fromkeys(run)), key=lambda one: one.begun)
    answers = [one.result for one in runs if isinstance(one.result, Answer)]
    if len(runs) != 2 or len(answers) != 2:
        return _render_runs(visit, problem=messages.TWO_ANSWERS_NEEDED)
    bodies = [render_result(build_answer(one), f"{run.id}-") for run, one in zip(runs, answers, strict=True)]
    return render_page(
        "compare.html",
        runs=zip(runs, bodies, strict=True),
        is_other=runs[0].title != runs[1].title,
        changes=compare_answers(*answers),
    )


class OrderPiece(NamedTuple):
    """A stretch of the order, and the anchor of its explanation; "" for none."""

    text: str
    anchor: str


def cut_order(explained: Explanation) -> list[OrderPiece]:
    """The order as pieces; terms and signs that are explained lead to their explanations."""
    anchors = [(term.start, term.end, name_anchor(term)) for term in explained.terms if not term.answer.abstained]
    anchors += [(sign.start, sign.end, SIGNS_ANCHOR) for sign in explained.signs]
    pieces, at = [], 0
    for start, end, anchor in sorted(anchors):
        # A term may be part of a sign: the outer one keeps its link, and no words are shown twice.
        if start >= at:
            pieces += [OrderPiece(explained.order[at:start], ""), OrderPiece(explained.order[start:end], anchor)]
            at = end
    return [*pieces, OrderPiece(explained.order[at:], "")]


@history_pages.get("/runs/{id}")
async def show_run(id: str, visit: SentRequest) -> Response:
    """A run: its progress, or its result."""
    run = visit.find_run(id)
    exports = list_exports(run.result)
    match run.result:
        case Answer():
            return await _show_answer(run, run.result, visit)
        case CheckedText():
            return render_page(
                "checked.html",
                run=run,
                report=render_result(present_checks([run.result], {}), is_local=False),
                exports=exports,
            )
        case Explanation():
            body = render_result(build_explanation(run.result))
            return render_page("explained.html", run=run, order=cut_order(run.result), body=body)
        case FilledLibrary():
            return render_page("filled.html", run=run, filled=run.result, steps=run.steps)
        case RecheckResult():
            body = render_result(build_recheck(run.result))
            return render_page("rechecked.html", run=run, body=body, registries=visit.context.registries)
    draft = DraftText()
    steps = [step for step in map(draft.add, run.steps) if step.kind != "draft"]
    return render_page("working.html", run=run, steps=steps, draft=draft.text)


class DraftText:
    """The text of a draft, put together from its last words as they came: all of it in each step would fill memory."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, step: RunStep) -> RunStep:
        """The step as it is shown: one of a draft with all of its text so far."""
        if step.kind != "draft":
            return step
        words = step.text.removeprefix(DRAFT_STEP)
        if words.startswith(CUT):
            last = words.removeprefix(CUT)
            shared = (count for count in range(len(last), MIN_SHARED, -1) if self.text.endswith(last[:count]))
            same = next(shared, 0)
            words = self.text + last[same:] if same else words
        self.text = words
        return step._replace(text=words)


async def _show_answer(run: LiveRun, answer: Answer, visit: RequestContext) -> Response:
    """An answer beside its document, with what it follows, what follows it, and the differences from the one it is
    compared with."""
    before, compared = (visit.runs.find(id, visit.owner) for id in (run.origin.follows, run.origin.compared_with))
    after = [one for one in reversed(visit.runs.list_of(visit.owner)) if one.origin.follows == run.id]
    shown, beside = render_outlined(build_answer(answer)), await _open_beside(answer, visit.context)
    return render_page(
        "answer.html",
        run=run,
        body=shown.body,
        outline=shown.outline,
        beside=beside,
        proposals=propose_follow_ups(beside.document, beside.spans, visit.context) if beside else [],
        draft_check=_describe_draft_check(run),
        exports=list_exports(answer),
        before=before,
        after=after,
        compared=compared,
        changes=compare_answers(compared.result, answer) if compared and isinstance(compared.result, Answer) else [],
        asks_registries=bool(visit.context.registries),
        not_saved=_explain_unsaved(run),
    )


class DocumentBeside(NamedTuple):
    """The document on which most of an answer rests, with all that the answer takes from it; `address`: its page."""

    document: Document
    spans: list[tuple[int, int]]
    body: Markup
    address: str
    printed: str


async def _open_beside(answer: Answer, context: Context) -> DocumentBeside | None:
    """The document of the first words of an answer; None where it rests on none of this machine."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    taken = [citation for one in answer.statements for citation in one.citations]
    places = [(one.passage_id, one.start, one.end) for one in taken]
    # Lines that answer are marked in the document as in the sections.
    places += [
        (one.passage_id, span.start, span.end) for one in answer.sections for unit in one.marked for span in unit
    ]
    places = [place for place in places if place[0] in passages]
    if not places:
        return None
    id = passages[places[0][0]].reference.id
    try:
        document, _ = await find_local_document(id, context)
    except NotFoundError:
        return None
    spans = sorted({(start, end) for passage, start, end in places if passages[passage].reference.id == id})
    first = places[0][1:]
    body = render_document(document, spans, first[0], 0 if len(document.text) <= MAX_BESIDE else BESIDE_AROUND)
    printed = write_address("/document/page", id, *first) if document.pages else ""
    return DocumentBeside(document, spans, body, write_address("/document", id, *first, spans), printed)


def _describe_draft_check(run: LiveRun) -> str:
    """How many statements of a draft that was shown passed the check; "" where no draft was shown."""
    was_shown = any(step.kind == "draft" for step in run.steps)
    checked = (step.text for step in reversed(run.steps) if step.text.startswith(CHECK_STEP))
    return next(checked, "") if was_shown else ""


def _explain_unsaved(run: LiveRun) -> str:
    """Say why an answer is not in the history: it may not be, or it could not; "" where it is, or nothing is."""
    if run.recorder.history is None:
        return ""
    return messages.SAVING_FAILED.format(reason=run.fault) if run.fault else messages.NOT_SAVED[run.unkept]


@history_pages.get("/runs/{id}/events")
async def follow_run(id: str, request: Request, visit: SentRequest) -> StreamingResponse:
    """Server-sent events: each step with its place, so that a browser that reconnects misses none; "ended" is last."""
    run = visit.find_run(id)
    # A browser that reconnects sends the last place it knows; other clients may send anything.
    last = request.headers.get("last-event-id", "")
    return stream_events(_write_steps(run, int(last) if last.isascii() and last.isdigit() else 0))


async def _write_steps(run: LiveRun, after: int) -> AsyncIterator[str]:
    """The steps after a place, then the state in which the run ended."""
    draft = DraftText()
    async for place, step in run.follow(after):
        yield f"id: {place}\n{write_event('step', json.dumps(draft.add(step)._asdict(), ensure_ascii=False))}"
    yield write_event("ended", json.dumps({"state": run.state}))


@history_pages.post("/runs/{id}/again")
async def ask_again(id: str, visit: SentRequest) -> Response:
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


@history_pages.post("/runs/{id}/recheck")
async def recheck_run(id: str, visit: SentRequest) -> Response:
    """Ask the registries whether works that an answer cites were retracted since."""
    run = visit.find_run(id)
    answer, registries = run.result, visit.context.registries
    if not isinstance(answer, Answer) or not registries:
        raise HTTPException(422, messages.NO_REGISTRY)
    title = messages.RECHECK_TITLE.format(title=run.title)
    # Its title is that of the answer.
    return begin(visit, "retractions", title, lambda _: recheck_answer(answer, registries), is_private=not run.kept)


@history_pages.post("/runs/{id}/stop")
async def stop_run(id: str, visit: SentRequest) -> Response:
    """Stop a run; its page stays."""
    visit.find_run(id).stop()
    return RedirectResponse(f"/runs/{id}", 303)


@history_pages.post("/runs/{id}/delete")
async def delete_run(id: str, visit: SentRequest) -> Response:
    """Delete a run with all that was typed for it, here and on the disk."""
    visit.runs.delete(visit.find_run(id))
    return RedirectResponse("/runs", 303)


@history_pages.get("/runs/{id}/export/{form}")
async def export_run(id: str, form: str, visit: SentRequest) -> Response:
    """The result of a run as a file."""
    run = visit.find_run(id)
    export = list_exports(run.result).get(form)
    if export is None:
        raise HTTPException(404, messages.NO_EXPORT)
    headers = {"content-disposition": f'attachment; filename="{name_file(run, export)}"'}
    return Response(export.render(run.result), media_type=export.media_type, headers=headers)


class Export(NamedTuple):
    """A form of file: what it is called, how its name ends, and how it is made."""

    title: str
    ending: str
    media_type: str
    render: Callable[[Any], str | bytes]


def _render_text(answer: Answer) -> str:
    page, shown = TerminalPage(width=100, quotes=True, places=True, receipt=True), build_answer(answer)
    return f"{sanitize_text(shown.title)}\n\n{write_terminal(shown, page, skip_step)}"


def _render_repaired(result: CheckedText) -> str:
    return apply_edits(result.checkup.submitted, result.checkup.edits)


def _references(title: str, ending: str, media_type: str, form: ReferenceFormat) -> Export:
    return Export(
        title, ending, media_type, lambda given: render_reference_file(number_references(given).list_references(), form)
    )


MARKDOWN_TYPE = "text/markdown; charset=utf-8"
HTML_TYPE = "text/html; charset=utf-8"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

WHOLE = {
    "html": Export("One HTML file to share", ".html", HTML_TYPE, lambda given: write_html_page(build_answer(given))),
    "text": Export("Text with all quotes", ".txt", "text/plain; charset=utf-8", _render_text),
    "markdown": Export("Markdown", ".md", MARKDOWN_TYPE, lambda given: write_markdown(build_answer(given))),
    "word": Export("Word", ".docx", WORD_TYPE, lambda given: write_word_file(build_answer(given))),
    "json": Export("JSON", ".json", "application/json", lambda given: given.model_dump_json(indent=2)),
}
REFERENCES = {
    "ris": _references("References, RIS (Zotero, EndNote)", ".ris", "application/x-research-info-systems", "ris"),
    "bibtex": _references("References, BibTeX", ".bib", "application/x-bibtex", "bibtex"),
    "csl": _references("References, CSL-JSON", ".csl.json", "application/vnd.citationstyles.csl+json", "csl"),
}
CHECKED = {
    "html": Export(
        "The report as one page", ".html", HTML_TYPE, lambda given: write_html_page(present_checks([given], {}))
    ),
    "json": Export("JSON", ".json", "application/json", lambda given: export_json([given], {})),
}
REPAIRED = {"repaired": Export("The repaired text", ".md", MARKDOWN_TYPE, _render_repaired)}


def name_file(run: LiveRun, export: Export) -> str:
    """The name of a file by the first words that were asked, and the day: "how-is-gout-treated-2026-11-29.docx"."""
    plain = normalize("NFKD", run.title).encode("ascii", "ignore").decode().lower()
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    return f"{'-'.join(words[:8]) or run.kind}-{run.begun:%Y-%m-%d}{export.ending}"


def list_exports(result: object) -> dict[str, Export]:
    """The files that there are of what a run came to."""
    if isinstance(result, Answer):
        # A file of no references would be empty, and look as if it had failed.
        return WHOLE | (REFERENCES if number_references(result).numbers else {})
    if isinstance(result, CheckedText):
        return CHECKED | (REPAIRED if result.checkup.edits else {})
    return {}
