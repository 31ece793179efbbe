"""Judges of support by their names, opened as the settings say: calibrated, with guard and cache. The user's own are
cross-encoders by their folders, or come with plugins.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.encoders import VERDICT_CACHE_FILE, choose_calibrated_encoder, open_encoder
from wellsourced.config.registry import JUDGE_FORMS, JUDGE_REGISTRY, JudgeParts
from wellsourced.config.settings import Settings
from wellsourced.errors import ModelError, NextStep, SettingsError
from wellsourced.judges.base import Judge
from wellsourced.judges.track_record import (
    MIN_CALLS,
    CalibratedJudge,
    CallEvidence,
    CallPrecision,
    JudgeEvidence,
    JudgeRecordFile,
    UserCalibration,
    load_shipped_evidence,
)

if TYPE_CHECKING:
    from wellsourced.controls.record import JudgeControls
    from wellsourced.encoders.base import Encoder
    from wellsourced.models.base import Model


# What evidence and calibrations are, for those who show them: a judge itself is named in this folder alone.
__all__ = ["MIN_CALLS", "CallEvidence", "CallPrecision", "JudgeEvidence", "UserCalibration"]

RECORDS_FILE = "judges.json"
"""What the user has fitted, in home."""

DEFAULT_JUDGE = "comparison"
"""The judge of support where none is named."""


def describe_judges() -> dict[str, str]:
    """What can be named, and what it is."""
    return {**JUDGE_REGISTRY.describe(), **JUDGE_FORMS}


def open_records(settings: Settings) -> JudgeRecordFile:
    """Where the user's own calibrations are kept, and what judges have earned in the user's own measurements."""
    return JudgeRecordFile(settings.home / RECORDS_FILE)


def build_controls(settings: Settings) -> "JudgeControls | None":
    """How models that judge are checked, with their records in home; None where the user wants none."""
    from wellsourced.controls.record import CONTROL_RECORDS_FILE, JudgeControls

    return JudgeControls(settings.home / CONTROL_RECORDS_FILE) if settings.check.controls else None


def build_configured_judge(settings: Settings, encoder: "Encoder | None", model: "Model | None") -> Judge:
    """The judge of support that the settings name; without an encoder, the words in common."""
    name = settings.judge.support or (DEFAULT_JUDGE if encoder or settings.encoder != "none" else "overlap")
    return build_judge(name, settings, encoder, model)


def build_judge(
    name: str,
    settings: Settings,
    encoder: "Encoder | None",
    model: "Model | None" = None,
    *,
    calibrated: bool = True,
    earned: bool = True,
    guarded: bool = True,
    cached: bool = True,
    others: Sequence["Model"] = (),
) -> Judge:
    """The judge of this name, as a context holds it unless less is asked for.

    model       who is asked for the judge “model”; others: those that are asked where its verdicts do not count
    calibrated  read as the user's own calibration says, if there is one
    earned      believed as far as it has earned it on statements that it was not fitted on
    guarded     with the guard around it, which leaves alone what is believed
    cached      its verdicts kept on disk

    Raises SettingsError for a name that nothing has, ModelError for a model that cannot be used.
    """
    from wellsourced.judges.layers import CachedJudge, GuardedJudge

    judge = _build_named_judge(name, settings, encoder, model, others)
    if calibrated:
        judge = _apply_user_calibration(judge, settings)
    if earned:
        judge = _apply_evidence(judge, settings)
    if guarded:
        judge = GuardedJudge(judge)
    return CachedJudge(judge, settings.home / VERDICT_CACHE_FILE) if cached else judge


def _apply_user_calibration(judge: Judge, settings: Settings) -> Judge:
    found = open_records(settings).find_calibration(judge.name, settings.judge.task)
    return CalibratedJudge(judge, found) if found else judge


def describe_earnings(settings: Settings) -> dict[str, JudgeEvidence | None]:
    """What each judge has earned that needs no language model, by what it is called; None: it was not measured.

    Those that were measured by their path come last. One that cannot be opened has earned nothing.
    """
    encoder = open_encoder(settings)
    found: dict[str, JudgeEvidence | None] = {}
    for name in (name for name in JUDGE_REGISTRY.names if not JUDGE_REGISTRY.find(name).needs_model):
        found[name] = None
        with suppress(SettingsError, ModelError):
            judge = build_judge(name, settings, encoder, earned=False, guarded=False, cached=False)
            found[name] = find_evidence(judge, settings)
    known = {one.judge for one in found.values() if one}
    return found | {one.called: one for one in open_records(settings).load().evidence if one.judge not in known}


def find_evidence(judge: Judge, settings: Settings) -> JudgeEvidence | None:
    """What a judge has earned: as the user has measured it last, else as it was measured before it came along."""
    shipped = (one for one in load_shipped_evidence() if one.judge == judge.name)
    return open_records(settings).find_evidence(judge.name) or next(shipped, None)


def _apply_evidence(judge: Judge, settings: Settings) -> Judge:
    """The judge, believed as far as it has earned it; the judge itself where it has earned nothing."""
    from wellsourced.judges.layers import EarnedJudge

    evidence = find_evidence(judge, settings)
    return EarnedJudge(judge, evidence) if evidence and evidence.has_earned else judge


def _build_named_judge(
    name: str,
    settings: Settings,
    encoder: "Encoder | None",
    model: "Model | None",
    others: Sequence["Model"] = (),
) -> Judge:
    """The judge itself: of the registry, or by its folder."""
    if name in JUDGE_REGISTRY.names:
        calibrated = partial(choose_calibrated_encoder, settings, encoder)
        controls = build_controls(settings) if model else None
        parts = JudgeParts(encoder, calibrated, model, settings.threads, tuple(others), controls)
        return JUDGE_REGISTRY.find(name).build(parts)
    if name and Path(name).expanduser().is_dir():
        from wellsourced.judges.ranking import CrossEncoderJudge
        from wellsourced.storage.model_files import find_model

        own = find_model(name)
        return CrossEncoderJudge(own.path, own.name, settings.threads, purpose="support")
    raise SettingsError(
        f"No judge “{name}”, and no folder of that name. Judges: {', '.join(JUDGE_REGISTRY.names)}, or the folder of a "
        "cross-encoder.",
        next_step=NextStep("list judges"),
    )
