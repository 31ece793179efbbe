"""The encoder and the judges that the settings name."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wellsourced.config.registry import ENCODERS, RERANKERS, build_overlap_judge, build_similarity_judge
from wellsourced.config.settings import Settings
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge

# Encoders take half a second to load: who only asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.expected_questions.matching import AnswerMatcher
    from wellsourced.storage.model_files import ModelFolder


VERDICT_CACHE_FILE = "verdicts.sqlite3"
"""The one cache of all judges, in home."""


def build_encoder(settings: Settings) -> "Encoder | None":
    """The encoder that the settings name; it loads its weights when it is first used.

    Raises ModelError for a model that is not on this machine, SettingsError when its extra is not installed.
    """
    if settings.encoder in ENCODERS:
        return ENCODERS[settings.encoder](settings.threads)
    return _build_user_encoder(settings)


def uses_gpu(settings: Settings) -> bool:
    """Whether the encoder that the settings name runs on a graphics processor where there is one."""
    from wellsourced.encoders.sentence_transformer import SentenceTransformerEncoder

    return isinstance(build_encoder(settings), SentenceTransformerEncoder)


def _build_user_encoder(settings: Settings) -> "Encoder":
    models = [_find_user_model(name.strip(), ENCODERS) for name in settings.encoder.split(",")]
    if len(models) == 2:
        from wellsourced.encoders.sentence_transformer import MedCPT

        return MedCPT(models[0], models[1], settings.threads)
    from wellsourced.encoders.sentence_transformer import SentenceTransformerEncoder

    return SentenceTransformerEncoder(models[0], settings.threads)


def _find_user_model(name: str, shipped: Iterable[str]) -> "ModelFolder":
    from wellsourced.storage.model_files import find_model

    try:
        return find_model(name)
    except SettingsError as error:
        *others, last = shipped
        raise SettingsError(f"{error} Or choose {', '.join(others)} or {last}.", next_step=error.next_step) from error


def open_encoder(settings: Settings) -> "Encoder | None":
    """The encoder that the settings name, with a cache around it: searching and judging ask for the same vectors, and
    so does the next question of the same context. Raises as `build_encoder` does."""
    encoder = build_encoder(settings)
    return encoder and cache_vectors(encoder)


def cache_vectors(encoder: "Encoder") -> "Encoder":
    """The encoder with a cache; the built-in one has the vectors of the guidelines that come with wellsourced."""
    from wellsourced.encoders.cache import CachedEncoder, find_guideline_vector
    from wellsourced.encoders.minilm import MiniLM

    return CachedEncoder(encoder, shipped=find_guideline_vector if encoder.name == MiniLM.name else None)


def choose_calibrated_encoder(settings: Settings, encoder: "Encoder | None") -> "Encoder":
    """The encoder that judges by meaning: the one that finds if judges were calibrated with it, else MiniLM."""
    from wellsourced.encoders.minilm import MiniLM

    usable = encoder if settings.encoder in ENCODERS else None
    return usable or cache_vectors(MiniLM(settings.threads))


def build_relevance_judge(settings: Settings, encoder: "Encoder | None") -> Judge:
    """The judge of relevance, which ranks facts of the graph and remembers its verdicts between processes.

    It judges by the encoder that it was calibrated with: a model of the user's own finds, and MiniLM judges.
    """
    from wellsourced.judges.layers import CachedJudge

    if encoder is None and settings.encoder in ENCODERS:
        judge = build_overlap_judge("relevance")
    else:
        judge = build_similarity_judge("relevance", choose_calibrated_encoder(settings, encoder))
    return CachedJudge(judge, settings.home / VERDICT_CACHE_FILE)


def build_answer_matcher(settings: Settings, encoder: "Encoder | None") -> "AnswerMatcher | None":
    """Who finds the expected questions of libraries that are asked; None where words alone are wanted."""
    from wellsourced.expected_questions.matching import AnswerMatcher

    if encoder is None and settings.encoder in ENCODERS:
        return None
    return AnswerMatcher(build_question_encoder(settings, encoder))


def build_question_encoder(settings: Settings, encoder: "Encoder | None") -> "Encoder":
    """The built-in encoder, by whose vectors expected questions are found, whatever a library is searched by."""
    from wellsourced.encoders.minilm import MiniLM

    is_built_in = encoder is not None and encoder.name == MiniLM.name
    return encoder if encoder and is_built_in else cache_vectors(MiniLM(settings.threads))


def build_reranker(settings: Settings, encoder: "Encoder | None") -> Judge | None:
    """The judge that looks at the best candidates again, or None. Raises as `build_encoder` does."""
    if settings.reranker in RERANKERS:
        return RERANKERS[settings.reranker](encoder if settings.encoder == "minilm" else None)
    from wellsourced.judges.ranking import CrossEncoderJudge

    model = _find_user_model(settings.reranker, RERANKERS)
    return CrossEncoderJudge(model.path, model.name, settings.threads)
