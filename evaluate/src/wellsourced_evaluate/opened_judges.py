"""Judges opened to be measured, and what they were fitted on."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from wellsourced.config.encoders import open_encoder
from wellsourced.config.judges import build_judge
from wellsourced.config.settings import Settings
from wellsourced.errors import NextStep, SettingsError
from wellsourced.judges.base import Judge, Pair, ScoredVerdict, ScoringJudge, score_pairs
from wellsourced.judges.layers import find_deciding_words
from wellsourced.judges.track_record import DEFAULT_TASK, CalibratedJudge, load_shipped_evidence

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.models.base import Model


class FittedStatements(NamedTuple):
    """What a judge was fitted on, which is no evidence for it: hashes of claims (see hash_claim), sha256 of files."""

    claims: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()


class QuotingJudge(ScoringJudge):
    """Another judge's verdicts; each that supports or contradicts names its words, as far as any can be named."""

    def __init__(self, judge: Judge) -> None:
        self.judge_behind = judge

    @property
    def name(self) -> str:
        return self.judge_behind.name

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        """As a judge does, with the deciding words."""
        heard = await score_pairs(self.judge_behind, pairs)
        return [
            one._replace(verdict=one.verdict.model_copy(update={"quote": find_deciding_words(pair, one.verdict)}))
            for pair, one in zip(pairs, heard, strict=True)
        ]


@asynccontextmanager
async def open_judge(name: str, settings: Settings, *, bare: bool = False) -> AsyncIterator[Judge]:
    """A judge to be measured, with its encoder and its model opened, and closed in the end; nothing is remembered.

    bare   neither calibrated by the user's own rows nor guarded: what a calibration is fitted to
    """
    settings = settings.model_copy(update={"judge": settings.judge.model_copy(update={"task": DEFAULT_TASK})})
    async with AsyncExitStack() as stack:
        encoder, model = await _open_judge_parts(name, settings, stack)
        full = not bare
        yield build_judge(name, settings, encoder, model, calibrated=full, earned=full, guarded=full, cached=False)


@asynccontextmanager
async def open_unproven_judge(name: str, settings: Settings) -> AsyncIterator[tuple[Judge, FittedStatements]]:
    """A judge as it is before anybody believes it or guards it, each verdict with the words that it rests on.

    With it comes what it was fitted on, which is no evidence for it. Its name is the one that evidence is kept under.
    """
    async with AsyncExitStack() as stack:
        encoder, model = await _open_judge_parts(name, settings, stack)
        judge = build_judge(name, settings, encoder, model, earned=False, guarded=False, cached=False)
        yield QuotingJudge(judge), find_fitted_statements(judge)


async def _open_judge_parts(
    name: str, settings: Settings, stack: AsyncExitStack
) -> "tuple[Encoder | None, Model | None]":
    from wellsourced.config.models import open_models

    encoder = open_encoder(settings)
    if name != "model":
        return encoder, None
    writers = await open_models(settings, None, stack)
    return encoder, (writers.assistant or writers.model) if writers.has_model else None


def find_fitted_statements(judge: Judge) -> FittedStatements:
    """What this judge, the one behind it and their calibrations were fitted on, as far as it was kept."""
    shipped = next((one.fitted_on for one in load_shipped_evidence() if one.judge == judge.name), {})
    behind: Judge | None = getattr(judge, "judge_behind", None)
    inner = find_fitted_statements(behind) if behind else FittedStatements()
    claims: frozenset[str] = frozenset()
    if isinstance(judge, CalibratedJudge):
        calibration = judge.calibration
        if calibration.n and not calibration.fitted_claims:
            raise SettingsError(
                f"The calibration of {calibration.judge} does not record which statements it was fitted on. "
                "Calibrate the judge again, then measure it.",
                next_step=NextStep("calibrate judge", calibration.judge),
            )
        claims = frozenset(calibration.fitted_claims)
    return FittedStatements(claims | inner.claims, frozenset(shipped.values()) | inner.files)
