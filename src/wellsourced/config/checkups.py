"""What a check of somebody else's text takes, opened: who finds its sources, who judges, who edits."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wellsourced.config.checking import Tracing, open_tracer
from wellsourced.config.encoding import encoder_of, remembering
from wellsourced.config.judging import VERDICTS, bare_judge, support_judge, tuned
from wellsourced.config.kits import kit
from wellsourced.config.settings import Settings
from wellsourced.events import Tell, unheard
from wellsourced.judges.base import Judge
from wellsourced.kit import Kit

if TYPE_CHECKING:
    from wellsourced.checkup.whole import Tools

STORES = "checkups"
"""The folder of runs, in home."""

ASKED = "model"
"""The judge that is a language model."""

WIDE = 40_000
"""Characters of a source that a language model is shown at once; what does not fit its window it is shown in parts."""


@asynccontextmanager
async def open_tools(
    settings: Settings, *, judge: str = "", analyse: bool = False, tell: Tell = unheard
) -> "AsyncIterator[Tools]":
    """The tracer, with the user's own libraries; the judge; the model, if one is set. Closed in the end.

    judge     by its name, as `known_judges` lists them; "": the language model if one is set, else the kit's judge
    analyse   whether archives and registries are told the addresses that the text cites

    A text is not searched for, so nothing live and no guidelines are opened. Raises SettingsError, ModelError.
    """
    from wellsourced.checkup.pairing import Manner
    from wellsourced.checkup.whole import Tools

    own = settings.model_copy(update={"guidelines": False, "graph": False})
    how = Tracing(archive=analyse, registrations=analyse)
    async with kit(own, live=(), tell=tell) as opened, open_tracer(settings, opened.sources, how) as tracer:
        name = judge or (ASKED if opened.has_model else "")
        wide = ASKED in name.split("+")
        yield Tools(
            tracer=tracer,
            judge=_judge(name, settings, opened, wide=wide),
            folder=settings.home / STORES,
            model=opened.helper if opened.has_model else None,
            manner=Manner(window=WIDE, any_language=True, guarded=False) if wide else Manner(),
            missing=opened.missing,
        )


def _judge(name: str, settings: Settings, opened: Kit, *, wide: bool) -> Judge:
    """The judge, remembered on disk; one that is shown whole articles has no guard, which would compare all of them."""
    from wellsourced.judges.cached import CachedJudge

    if not name:
        return opened.support
    model = opened.helper if opened.has_model else None
    encoder = remembering(encoder_of(settings))
    if wide:
        return CachedJudge(tuned(bare_judge(name, settings, encoder, model), settings), settings.home / VERDICTS)
    return support_judge(name, settings, encoder, model)
