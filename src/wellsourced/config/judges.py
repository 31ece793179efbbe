"""Judges of support by their names, opened as the settings say: calibrated, with guard and cache."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.encoders import (
    CALIBRATED_ENCODERS,
    VERDICT_CACHE_FILE,
    build_encoder,
    build_relevance_judge,
    cache_vectors,
)
from wellsourced.config.entailment import build_classifier
from wellsourced.config.settings import Settings
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, ScoredVerdict, score_pairs
from wellsourced.judges.user_calibration import (
    DEFAULT_TASK,
    CalibratedJudge,
    CalibrationFigures,
    CalibrationFile,
    LogitScale,
    UserCalibration,
    logit,
)

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.models.base import Model

__all__ = [
    "DEFAULT_JUDGE",
    "DEFAULT_TASK",
    "VERDICT_CACHE_FILE",
    "CalibrationFigures",
    "LogitScale",
    "ScoredVerdict",
    "UserCalibration",
    "apply_user_calibration",
    "build_bare_judge",
    "build_classifier",
    "build_support_judge",
    "describe_judges",
    "logit",
    "open_calibrations",
    "open_judge",
    "score_pairs",
]

CALIBRATIONS_FILE = "judges.json"
"""The user's own calibrations, in home."""

ENSEMBLE_SEPARATOR = "+"

DEFAULT_JUDGE = "weighed"
"""The judge of support where none is named."""

JUDGE_DESCRIPTIONS = {
    "weighed": "what of the claim is there and which way it points, by features weighed together",
    "similarity": "nearness of meaning and words in common",
    "overlap": "words in common",
    "model": "the language model of the settings, which shows the words that decide",
    "PATH": "a classifier of pairs exported to ONNX, or a cross-encoder in safetensors, by its file or folder",
    "A+B": "several of these together",
}


def describe_judges() -> dict[str, str]:
    """What can be named, and what it is."""
    return dict(JUDGE_DESCRIPTIONS)


def open_calibrations(settings: Settings) -> CalibrationFile:
    """Where the user's own calibrations are kept."""
    return CalibrationFile(settings.home / CALIBRATIONS_FILE)


def build_configured_judge(settings: Settings, encoder: "Encoder | None", model: "Model | None") -> Judge:
    """The judge of support that the settings name; without an encoder, the words in common."""
    named = settings.judge
    name = named.support or (DEFAULT_JUDGE if encoder or settings.encoder != "none" else "overlap")
    return build_support_judge(name, settings, encoder, model, task=named.task, labels=named.labels)


def build_support_judge(
    name: str,
    settings: Settings,
    encoder: "Encoder | None",
    model: "Model | None" = None,
    *,
    task: str = DEFAULT_TASK,
    labels: Sequence[str] = (),
) -> Judge:
    """The judge of this name as a context holds it: calibrated where the user did so, guarded, and remembered on disk.

    model    who is asked for the judge “model”
    labels   the classes of an ONNX model in its order, where its config does not name them

    Raises SettingsError for a name that nothing has, ModelError for a model that cannot be used.
    """
    from wellsourced.judges.cache import CachedJudge
    from wellsourced.judges.guard import GuardedJudge

    judge = apply_user_calibration(
        build_bare_judge(name, settings, encoder, model, task=task, labels=labels), settings, task
    )
    return CachedJudge(GuardedJudge(judge), settings.home / VERDICT_CACHE_FILE)


def apply_user_calibration(judge: Judge, settings: Settings, task: str = DEFAULT_TASK) -> Judge:
    """The judge, read as the user's own calibration for this task says, if there is one."""
    found = open_calibrations(settings).find(judge.name, task)
    return CalibratedJudge(judge, found) if found else judge


def build_bare_judge(
    name: str,
    settings: Settings,
    encoder: "Encoder | None",
    model: "Model | None" = None,
    *,
    task: str = DEFAULT_TASK,
    labels: Sequence[str] = (),
) -> Judge:
    """The judge itself; those of an ensemble are calibrated each. Raises as `support_judge` does."""
    path = Path(name).expanduser()
    if name in _JUDGE_BUILDERS:
        return _JUDGE_BUILDERS[name](settings, encoder, model)
    if name and path.exists():
        return _build_from_path(path, settings, labels)
    if ENSEMBLE_SEPARATOR in name:
        from wellsourced.judges.ensemble import EnsembleJudge

        names = [one.strip() for one in name.split(ENSEMBLE_SEPARATOR)]
        return EnsembleJudge(
            [
                apply_user_calibration(build_bare_judge(one, settings, encoder, model, labels=labels), settings, task)
                for one in names
            ]
        )
    raise SettingsError(
        f"There is no judge “{name}”, and no file or folder of that name: choose "
        f"{', '.join(_JUDGE_BUILDERS)}, the path of an "
        "ONNX model, or several of these with + between."
    )


def _build_similarity_judge(settings: Settings, encoder: "Encoder | None", _: "Model | None") -> Judge:
    """It judges by the encoder that it was calibrated with: a model of the user's own finds, and MiniLM judges."""
    from wellsourced.encoders.minilm import MiniLM
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.similarity import SimilarityJudge

    usable = encoder if settings.encoder in CALIBRATED_ENCODERS else None
    judging = usable or cache_vectors(MiniLM(settings.threads))
    assert judging is not None  # noqa: S101 - remembering gives back what it is given
    return SimilarityJudge(judging, load_calibration("support", f"similarity:{judging.name}"))


def _build_feature_judge(settings: Settings, encoder: "Encoder | None", _: "Model | None") -> Judge:
    """On MiniLM, whoever else finds."""
    from wellsourced.encoders.base import TokenEncoder
    from wellsourced.encoders.minilm import MiniLM
    from wellsourced.judges.features.feature_judge import FeatureJudge

    # Two of them would take twice the memory.
    inner = getattr(encoder, "encoder", encoder)
    reading = inner if isinstance(inner, TokenEncoder) else MiniLM(settings.threads)
    return FeatureJudge(reading)


def _build_overlap_judge(_: Settings, __: "Encoder | None", ___: "Model | None") -> Judge:
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.overlap import OverlapJudge

    return OverlapJudge(load_calibration("support", "overlap"))


def _build_llm_judge(_: Settings, __: "Encoder | None", model: "Model | None") -> Judge:
    from wellsourced.judges.llm import LlmJudge

    if model is None:
        raise SettingsError("The judge “model” asks a language model, and none is named: --model ollama:NAME …")
    return LlmJudge(model)


_JUDGE_BUILDERS: dict[str, Callable[[Settings, "Encoder | None", "Model | None"], Judge]] = {
    "weighed": _build_feature_judge,
    "similarity": _build_similarity_judge,
    "overlap": _build_overlap_judge,
    "model": _build_llm_judge,
}


# --- models by path ------------------------------------------------------------------------------------------------


def _build_from_path(path: Path, settings: Settings, labels: Sequence[str]) -> Judge:
    """A classifier in ONNX, or where there is none a cross-encoder in safetensors."""
    if path.is_dir() and not any(path.glob("**/*.onnx")) and any(path.glob("*.safetensors")):
        from wellsourced.encoders.model_files import find_model
        from wellsourced.judges.cross_encoder import CrossEncoderJudge

        model = find_model(str(path))
        return CrossEncoderJudge(model.path, model.name, settings.threads, purpose="support")
    from wellsourced.judges.entailment import EntailmentJudge

    return EntailmentJudge(build_classifier(path, labels=labels, threads=settings.threads))


# --- for commands --------------------------------------------------------------------------------------------------


@asynccontextmanager
async def open_judge(
    name: str, settings: Settings, *, task: str = DEFAULT_TASK, labels: Sequence[str] = (), bare: bool = False
) -> AsyncIterator[Judge]:
    """A judge to be measured, with its encoder and its model opened, and closed in the end; nothing is remembered.

    bare   neither calibrated by the user's own rows nor guarded: what a calibration is fitted to
    """
    from wellsourced.config.models import open_models
    from wellsourced.judges.guard import GuardedJudge

    encoder = cache_vectors(build_encoder(settings))
    async with AsyncExitStack() as stack:
        model = None
        if "model" in name.split(ENSEMBLE_SEPARATOR):
            writers = await open_models(settings, build_relevance_judge(settings, encoder), None, stack)
            model = (writers.assistant or writers.model) if writers.has_model else None
        judge = build_bare_judge(name, settings, encoder, model, task=task, labels=labels)
        yield judge if bare else GuardedJudge(apply_user_calibration(judge, settings, task))
