"""The pages of prompts: what a language model is asked, in words that each visitor may change and take back."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from wellsourced.errors import SettingsError
from wellsourced.models.base import FENCE_RULE, Prompt
from wellsourced.prompts.instructions import change_instruction, list_prompts, load_instructions
from wellsourced.server.pages.forms import read_field, read_form
from wellsourced.server.pages.rendering import render_page
from wellsourced.server.pages.visits import PageVisit, Visit

prompt_pages = APIRouter(include_in_schema=False)


@prompt_pages.get("/prompts")
async def show_prompts(visit: PageVisit) -> Response:
    """Every prompt, and which of them have words of the visitor's own."""
    own = _load_own_words(visit)
    rows = [(name, kind.instruction().partition("\n")[0], name in own) for name, kind in list_prompts().items()]
    return render_page("prompts.html", rows=rows, model=visit.context.model.name if visit.context.has_model else "")


@prompt_pages.get("/prompts/{name}")
async def show_prompt(name: str, visit: PageVisit) -> Response:
    """A prompt, as it is asked and as it could be."""
    return _render_prompt(name, _load_own_words(visit).get(name, ""))


@prompt_pages.post("/prompts/{name}")
async def change_prompt(name: str, request: Request, visit: PageVisit) -> Response:
    """Keep the words of a prompt, show how they would be asked, or take them back, as the button says."""
    form = await read_form(request)
    words, action = read_field(form, "words"), read_field(form, "action")
    # Shown before anything is kept, and without asking a model.
    if action == "preview":
        return _render_prompt(name, words, previewed=True)
    # Before the file is touched: an unknown name would stay in it for good.
    _find_prompt(name)
    try:
        change_instruction(visit.prompts, name, "" if action == "reset" else words)
    except (SettingsError, OSError) as error:
        return _render_prompt(name, words, problem=str(error))
    return RedirectResponse(f"/prompts/{name}" if action == "reset" else "/prompts", 303)


def _load_own_words(visit: Visit) -> dict[str, str]:
    return load_instructions(visit.prompts) if visit.prompts.exists() else {}


def _find_prompt(name: str) -> type[Prompt[Any]]:
    """Raises HTTPException for a name that no prompt has."""
    if name not in (prompts := list_prompts()):
        raise HTTPException(404, "There is no prompt of that name.")
    return prompts[name]


def _render_prompt(name: str, words: str, *, previewed: bool = False, problem: str = "") -> Response:
    kind = _find_prompt(name)
    return render_page(
        "prompt.html",
        422 if problem else 200,
        prompt=name,
        built_in=kind.instruction(),
        words=words,
        shown=list(kind.model_fields),
        reply=list(kind.reply.model_fields),
        rule=FENCE_RULE,
        previewed=previewed,
        problem=problem,
    )
