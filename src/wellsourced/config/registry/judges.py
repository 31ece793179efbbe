"""Who can judge whether words support a statement: one entry each; beside them stand models of the user's own."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from wellsourced.config.registry.base import Registry
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.models.base import Model


class JudgeParts(NamedTuple):
    """What judges are made of.

    encoder      what finds by meaning; None without one
    calibrated   the encoder if judges were calibrated with it, else MiniLM, opened when it is called
    model        the language model; None when none is named
    """

    encoder: "Encoder | None"
    calibrated: Callable[[], "Encoder"]
    model: "Model | None" = None
    threads: int = 2


class JudgeEntry(NamedTuple):
    """A judge.

    needs_model   whether a language model is asked; such a one is not chosen by a folder's file that is not trusted
    """

    name: str
    description: str
    build: Callable[[JudgeParts], Judge]
    needs_model: bool = False


def _build_weighed(parts: JudgeParts) -> Judge:
    """On MiniLM, whoever else finds."""
    from wellsourced.encoders.base import TokenEncoder
    from wellsourced.encoders.minilm import MiniLM
    from wellsourced.judges.features.feature_judge import FeatureJudge

    # Two of them would take twice the memory.
    inner = getattr(parts.encoder, "encoder", parts.encoder)
    reading = inner if isinstance(inner, TokenEncoder) else MiniLM(parts.threads)
    return FeatureJudge(reading)


def _build_similarity(parts: JudgeParts) -> Judge:
    """By the encoder that it was calibrated with: a model of the user's own finds, and MiniLM judges."""
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.similarity import SimilarityJudge

    encoder = parts.calibrated()
    return SimilarityJudge(encoder, load_calibration("support", f"similarity:{encoder.name}"))


def _build_overlap(_: JudgeParts) -> Judge:
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.overlap import OverlapJudge

    return OverlapJudge(load_calibration("support", "overlap"))


def _build_llm(parts: JudgeParts) -> Judge:
    from wellsourced.judges.llm import LlmJudge

    if parts.model is None:
        raise SettingsError("The judge “model” asks a language model, and none is named: --model ollama:NAME …")
    return LlmJudge(parts.model)


JUDGE_REGISTRY = Registry(
    "judge",
    (
        JudgeEntry(
            "weighed",
            "what of the claim is there and which way it points, by features weighed together",
            _build_weighed,
        ),
        JudgeEntry("similarity", "nearness of meaning and words in common", _build_similarity),
        JudgeEntry("overlap", "words in common", _build_overlap),
        JudgeEntry(
            "model",
            "the language model of the settings, which shows the words that decide",
            _build_llm,
            needs_model=True,
        ),
    ),
    plugins="judge",
)

JUDGE_FORMS = {
    "PATH": "a classifier of pairs exported to ONNX, or a cross-encoder in safetensors, by its file or folder",
    "A+B": "several of these together",
}
"""What may be named besides, and what it is."""
