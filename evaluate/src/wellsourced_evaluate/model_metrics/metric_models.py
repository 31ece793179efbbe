"""The models that metrics need, opened as they were named, and what they say of one text."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from wellsourced.errors import SettingsError
from wellsourced_evaluate.metrics import MODEL_METRICS
from wellsourced_evaluate.model_metrics.bertscore import (
    RareTokens,
    ScoreBaseline,
    TokenStates,
    count_rare_tokens,
    match_greedily,
    read_baseline,
)
from wellsourced_evaluate.model_metrics.comet import Comet
from wellsourced_evaluate.model_metrics.ctc import CLASSIFIERS, StateAligner, TokenAligner, WordAligner, score_summary
from wellsourced_evaluate.model_metrics.token_models import MiniLMTokens, open_token_model
from wellsourced_evaluate.model_metrics.unieval import UniEval

METRIC_MODELS = ("bertscore", "unieval", "unieval-fact", "comet", "ctc")
"""What a model can be named for."""

ModelScores = dict[str, float | None]
"""Metric → score of one text; None: it does not apply."""


class ScoredText(NamedTuple):
    """A text, what it is held against, and what it summarises; "" for what is not known."""

    text: str
    reference: str
    source: str


class TextScorer(Protocol):
    """Scores texts by one model. `metrics` says by which metrics, `describe` what model it is and what it did."""

    metrics: tuple[str, ...]

    def prepare(self, references: Sequence[str]) -> None: ...

    def score(self, one: ScoredText) -> ModelScores: ...

    def describe(self) -> dict[str, str | int | bool]: ...


class BertScorer:
    """BERTScore by one model of tokens, weighted and rescaled where that is wanted."""

    def __init__(self, given: str, *, weighs: bool = False, baseline: Path | None = None) -> None:
        self._model = open_token_model(given)
        is_bundled = isinstance(self._model, MiniLMTokens)
        self.metrics: tuple[str, ...] = ("BERTScore (MiniLM)",) if is_bundled else ("BERTScore",)
        self._baseline: ScoreBaseline | None = read_baseline(baseline, self._model.layer) if baseline else None
        self._weighs, self._rare = weighs, None if not weighs else RareTokens({}, 0.0)
        self._references: dict[str, TokenStates] = {}

    def prepare(self, references: Sequence[str]) -> None:
        """Read every reference once."""
        self._references = {text: self._model.read_tokens(text) for text in dict.fromkeys(references)}
        if self._weighs:
            self._rare = count_rare_tokens(self._references[one] for one in references)

    def score(self, one: ScoredText) -> ModelScores:
        """F1; nothing where there is no reference."""
        (metric,) = self.metrics
        if not one.reference.strip():
            return {metric: None}
        reference = self._references.get(one.reference) or self._model.read_tokens(one.reference)
        found = match_greedily(self._model.read_tokens(one.text), reference, self._rare)
        return {metric: (self._baseline.rescale(found) if self._baseline else found).f1}

    def describe(self) -> dict[str, str | int | bool]:
        """The model, its layer, and how the scores were made."""
        model = self._model
        how = {"weighted": self._weighs, "rescaled": self._baseline is not None}
        return {"model": model.name, "layer": model.layer, "cut": model.cut, **how}


class UniEvalScorer:
    """UniEval's four dimensions, or consistency alone by the model for facts."""

    def __init__(self, given: str, *, facts: bool = False) -> None:
        self._model, self._facts = UniEval(_find_folder(given)), facts
        names = [one.name for one in MODEL_METRICS if one.name.startswith("UniEval ")]
        self.metrics = tuple(one for one in names if (one == "UniEval fact") == facts)

    def prepare(self, references: Sequence[str]) -> None:
        """Nothing is read twice here."""

    def score(self, one: ScoredText) -> ModelScores:
        """Each dimension."""
        if self._facts:
            return {"UniEval fact": self._model.score_dimension("consistency", text=one.text, source=one.source)}
        found = self._model.score_summary(text=one.text, source=one.source, reference=one.reference)
        return {
            **{f"UniEval {name}": value for name, value in found._asdict().items()},
            "UniEval overall": found.overall,
        }

    def describe(self) -> dict[str, str | int | bool]:
        """The model, and how many questions were too long for it."""
        return {"model": self._model.name, "cut": self._model.cut}


class CometScorer:
    """COMET by one checkpoint."""

    metrics: tuple[str, ...] = ("COMET",)

    def __init__(self, given: str) -> None:
        self._model = Comet(_find_folder(given))

    def prepare(self, references: Sequence[str]) -> None:
        """Nothing is read twice here."""

    def score(self, one: ScoredText) -> ModelScores:
        """One number."""
        return {"COMET": self._model.score(text=one.text, source=one.source, reference=one.reference)}

    def describe(self) -> dict[str, str | int | bool]:
        """The model, and how many texts were too long for it."""
        return {"model": self._model.name, "cut": self._model.cut}


class CtcScorer:
    """CTC by likeness of states, or by classifiers where the folder holds them."""

    metrics: tuple[str, ...] = ("CTC consistency", "CTC relevance")

    def __init__(self, given: str) -> None:
        has_classifiers = (Path(given).expanduser() / CLASSIFIERS[0]).is_file()
        self._aligner: TokenAligner = (
            WordAligner(_find_folder(given)) if has_classifiers else StateAligner(open_token_model(given))
        )

    def prepare(self, references: Sequence[str]) -> None:
        """Nothing has to be known before."""

    def score(self, one: ScoredText) -> ModelScores:
        """Both."""
        found = score_summary(self._aligner, text=one.text, source=one.source, reference=one.reference)
        return {"CTC consistency": found.consistency, "CTC relevance": found.relevance}

    def describe(self) -> dict[str, str | int | bool]:
        """The model, and how many texts were too long for it."""
        return {"model": self._aligner.name, "cut": self._aligner.cut}


def open_scorers(
    named: Mapping[str, str], *, weighs: bool = False, baseline: Path | None = None
) -> tuple[TextScorer, ...]:
    """The models that were named, NAME → folder. Raises SettingsError, and ModelError for what is no such model."""
    if unknown := sorted(named.keys() - set(METRIC_MODELS)):
        raise SettingsError(f"No metric needs a model called {unknown[0]}. There are {', '.join(METRIC_MODELS)}.")
    if (weighs or baseline) and "bertscore" not in named:
        raise SettingsError("Weights and a baseline are of BERTScore: name its model, bertscore=FOLDER or =minilm.")
    makers: dict[str, Callable[[str], TextScorer]] = {
        "bertscore": lambda given: BertScorer(given, weighs=weighs, baseline=baseline),
        "unieval": UniEvalScorer,
        "unieval-fact": lambda given: UniEvalScorer(given, facts=True),
        "comet": CometScorer,
        "ctc": CtcScorer,
    }
    return tuple(makers[name](named[name]) for name in METRIC_MODELS if name in named)


def explain_missing(metric: str) -> str:
    """What has to be named so that a metric can be measured."""
    name = {"BERTScore": "bertscore", "COMET": "comet", "UniEval fact": "unieval-fact"}.get(metric, "")
    name = name or {"U": "unieval", "C": "ctc"}.get(metric[0], "bertscore")
    value = "minilm" if metric == "BERTScore (MiniLM)" else "FOLDER"
    return f"no model was named: --metric-model {name}={value}"


def _find_folder(given: str) -> Path:
    path = Path(given).expanduser()
    if not path.is_dir():
        raise SettingsError(f"There is no folder {path} with a model.")
    return path
