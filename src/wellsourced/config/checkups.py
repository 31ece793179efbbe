"""What a check of somebody else's text takes, opened: who finds its sources, who judges, who edits."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wellsourced.config.checking import open_tracer
from wellsourced.config.encoding import build_encoder, cache_vectors
from wellsourced.config.judging import ENSEMBLE_SEPARATOR, VERDICT_CACHE_FILE, build_bare_judge, apply_user_calibration
from wellsourced.config.kits import open_context
from wellsourced.config.settings import Settings
from wellsourced.config.shelves import GUIDELINES, library_names
from wellsourced.events import Emit, ignore_event
from wellsourced.judges.base import Judge
from wellsourced.kit import Context

if TYPE_CHECKING:
    from wellsourced.checkup.whole import CheckContext

CHECKUPS_FOLDER = "checkups"
"""The folder of runs, in home."""

LLM_JUDGE = "model"
"""The judge that is a language model."""

LLM_WINDOW_CHARS = 40_000
"""Characters of a source that a language model is shown at once; what does not fit its window it is shown in parts."""


@asynccontextmanager
async def open_check_context(
    settings: Settings, *, judge: str = "", analyse: bool = False, tell: Emit = ignore_event
) -> "AsyncIterator[CheckContext]":
    """The tracer, with the user's own libraries; the judge; the model, if one is set. Closed in the end.

    judge     by its name, as `describe_judges` lists them; "": as the setting `judge.support` says, else the language
              model if one is set, else the kit's judge
    analyse   whether archives and registries are told the addresses that the text cites

    A text is not searched for, so nothing live is opened, and the guidelines only where they were made searchable
    before: they hold what an answer of ours cites. Raises SettingsError, ModelError.
    """
    from wellsourced.checkup.pairing import JudgingOptions
    from wellsourced.checkup.whole import CheckContext

    named = settings.judge.model_copy(update={"support": judge}) if judge else settings.judge
    built = settings.guidelines and GUIDELINES in library_names(settings)
    own = settings.model_copy(update={"guidelines": built, "graph": False, "judge": named})
    asks = {"archive": True, "registrations": True} if analyse else {}
    how = settings.tracing.model_copy(update=asks)
    async with open_context(own, live=(), tell=tell) as opened, open_tracer(settings, opened.sources, how) as tracer:
        name = named.support or (LLM_JUDGE if opened.has_model else "")
        wide = LLM_JUDGE in name.split(ENSEMBLE_SEPARATOR)
        yield CheckContext(
            tracer=tracer,
            judge=_build_unguarded_judge(name, own, opened) if wide else opened.support_judge,
            folder=settings.home / CHECKUPS_FOLDER,
            model=opened.judging_model if opened.has_model else None,
            manner=JudgingOptions(window=LLM_WINDOW_CHARS, any_language=True, guarded=False) if wide else JudgingOptions(),
            missing=opened.setup_gaps,
        )


def _build_unguarded_judge(name: str, settings: Settings, opened: Context) -> Judge:
    """A judge that is shown whole articles: without the guard, which would compare a claim with all of them."""
    from wellsourced.judges.cached import CachedJudge

    model = opened.judging_model if opened.has_model else None
    how = settings.judge
    bare = build_bare_judge(name, settings, cache_vectors(build_encoder(settings)), model, task=how.task, labels=how.labels)
    return CachedJudge(apply_user_calibration(bare, settings, how.task), settings.home / VERDICT_CACHE_FILE)
