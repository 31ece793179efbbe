"""How a question of a page is answered: with which preset, from which sources, and after which earlier ones."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from fastapi.responses import Response

from wellsourced import config
from wellsourced.config.models import use_own_words
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.context import Context
from wellsourced.converse import Conversation, extend_conversation
from wellsourced.server.live_runs import LiveRun
from wellsourced.server.pages.forms import describe_destinations, read_field
from wellsourced.server.pages.rendering import render_page
from wellsourced.server.pages.visits import Visit
from wellsourced.types import Answer

KEPT_SETTINGS = (
    *("model", "assistant", "models", "live", "retractions"),
    *("patient_to", "phi", "network", "home", "threads"),
)
"""What no preset that is chosen on a page changes: who sees what is typed, and what the machine can bear."""

PRESETS_WITHOUT_MODEL = ("default", "hybrid", "words")
"""The presets of which something comes in the sources' own sentences."""


def render_question_form(visit: Visit, given: Mapping[str, object] | None = None, problem: str = "") -> Response:
    """Where a question is asked; with what was typed, and what is wrong with it."""
    return render_page(
        "ask.html",
        422 if problem else 200,
        destinations=describe_destinations(visit.context),
        sources=visit.context.sources,
        live=LIVE_SOURCES,
        presets=[one for one in config.list_presets() if _is_offered(one.name, visit)],
        preset=visit.settings.preset or "default",
        problem=problem,
        given=given or {},
        follows=visit.find_run(read_field(given, "follows")) if given and given.get("follows") else None,
    )


def _is_offered(name: str, visit: Visit) -> bool:
    """Whether a preset can answer here: without a language model few do, and one wants documents that are named."""
    # The preset "oracle" answers from documents that its question names, which no form does.
    return name != "oracle" if visit.context.has_model else name in PRESETS_WITHOUT_MODEL


def read_preset(form: Mapping[str, object]) -> str:
    """The preset that was chosen, "" for that of the server. Raises SettingsError for one that does not exist."""
    name = read_field(form, "preset")
    return config.find_preset(name).name if name else ""


@asynccontextmanager
async def open_preset(name: str, visit: Visit) -> AsyncIterator[Context]:
    """The context of a preset over what the server has open; "": the server's own.

    It searches no source, and asks no model, that the server's own does not.
    """
    # The server's own context is open already, with its caches warm.
    if not name or name == visit.settings.preset:
        yield use_own_words(visit.context, visit.prompts)
        return
    # A preset may say who writes and what is asked over the network; a visitor must not choose that for the server's
    # owner.
    kept = {one: getattr(visit.settings, one) for one in KEPT_SETTINGS}
    settings = config.load({**visit.flags, "preset": name}).model_copy(update=kept)
    local = [source.name for source in visit.context.sources if source.name not in LIVE_SOURCES]
    async with config.open_context(settings, libraries=local, live=settings.live) as opened:
        # All presets wait in one queue: how many questions this machine bears does not grow with their number.
        shared = replace(opened, admission=visit.context.admission, left_out=visit.context.left_out)
        yield use_own_words(shared, visit.prompts)


def rebuild_conversation(run: LiveRun | None) -> Conversation:
    """What was said up to a run, itself included, and what it cites; nothing for none."""
    if run is None or not isinstance(run.result, Answer):
        return Conversation()
    question = run.result.question
    return extend_conversation(Conversation(turns=question.history), question.asked or question.text, run.result)
